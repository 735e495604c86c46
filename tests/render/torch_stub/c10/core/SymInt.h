#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ATen/ArrayRef.h"

namespace c10 {
// A size that is never a symbol.
class SymInt {
public:
    SymInt(int64_t value = 0) : value_(value) {}

    operator int64_t() const
    {
        return value_;
    }

    std::optional<int64_t> maybe_as_int() const
    {
        return value_;
    }

    SymInt &operator*=(const SymInt &other)
    {
        value_ *= other.value_;
        return *this;
    }

private:
    int64_t value_;
};

using SymIntArrayRef = at::ArrayRef<int64_t>;

class SymDimVector : public std::vector<int64_t> {
public:
    using std::vector<int64_t>::vector;

    void append(const int64_t *first, const int64_t *last)
    {
        insert(end(), first, last);
    }

    void append(size_t count, int64_t value)
    {
        insert(end(), count, value);
    }
};
} // namespace c10

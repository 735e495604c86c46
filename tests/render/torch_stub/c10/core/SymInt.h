#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "ATen/ArrayRef.h"

namespace c10 {
using SymInt = int64_t;
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

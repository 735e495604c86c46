#pragma once

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace at {
// An element that is not there is a mistake of the code under test.
template <typename T> class ArrayRef {
public:
    ArrayRef() = default;
    ArrayRef(const T *data, size_t size) : data_(data), size_(size) {}
    ArrayRef(const std::vector<T> &values) : data_(values.data()), size_(values.size()) {}
    template <size_t N> ArrayRef(const T (&values)[N]) : data_(values), size_(N) {}

    const T *data() const
    {
        return data_;
    }

    size_t size() const
    {
        return size_;
    }

    bool empty() const
    {
        return size_ == 0;
    }

    const T *begin() const
    {
        return data_;
    }

    const T *end() const
    {
        return data_ + size_;
    }

    const T &operator[](size_t index) const
    {
        return index < size_ ? data_[index] : (std::abort(), data_[0]);
    }

    ArrayRef slice(size_t begin, size_t count) const
    {
        return begin + count <= size_ ? ArrayRef(data_ + begin, count) : (std::abort(), *this);
    }

private:
    const T *data_ = nullptr;
    size_t size_ = 0;
};

using IntArrayRef = ArrayRef<int64_t>;
} // namespace at

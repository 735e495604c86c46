// Stands in for exe_graph/runtime/continuous_vector.h. This one refers to elements that stand elsewhere.
#pragma once

#include <cstddef>

namespace gert {

template <typename T>
class TypedContinuousVector {
public:
    TypedContinuousVector() = default;
    TypedContinuousVector(const T *data, size_t size)
        : data_(data), size_(size)
    {
    }

    size_t GetSize() const
    {
        return size_;
    }

    const T *GetData() const
    {
        return data_;
    }

private:
    const T *data_ = nullptr;
    size_t size_ = 0;
};

} // namespace gert

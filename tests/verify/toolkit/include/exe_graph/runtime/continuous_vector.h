// As a toolkit has it: a vector with its elements behind it, and one of the stand-in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

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

class ContinuousVector {
public:
    template <typename T>
    static std::unique_ptr<uint8_t[]> Create(size_t capacity)
    {
        return std::make_unique<uint8_t[]>(sizeof(ContinuousVector) + capacity * sizeof(T));
    }
};

} // namespace gert

// Stands in for exe_graph/runtime/tiling_data.h.
#pragma once

#include <cstddef>
#include <cstdint>

namespace gert {

class TilingData {
public:
    TilingData(void *data, size_t capacity)
        : data_(data), capacity_(capacity)
    {
    }

    size_t GetCapacity() const
    {
        return capacity_;
    }

    size_t GetDataSize() const
    {
        return size_;
    }

    void SetDataSize(const size_t size)
    {
        size_ = size;
    }

    void *GetData()
    {
        return data_;
    }

private:
    void *data_;
    size_t capacity_;
    size_t size_ = 0;
};

} // namespace gert

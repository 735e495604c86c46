// Stands in for exe_graph/runtime/tensor.h.
#pragma once

#include <cstdint>

#include "exe_graph/runtime/storage_shape.h"
#include "graph/types.h"

namespace gert {

// A tensor whose data is where `address` says; nullptr where the host does not have it.
class Tensor {
public:
    Tensor(const StorageShape &shape, ge::DataType data_type, const void *address)
        : shape_(shape), dataType_(data_type), address_(address)
    {
    }

    int64_t GetShapeSize() const
    {
        return shape_.GetStorageShape().GetShapeSize();
    }

    template <typename T>
    const T *GetData() const
    {
        return static_cast<const T *>(address_);
    }

    const void *GetAddr() const
    {
        return address_;
    }

    ge::DataType GetDataType() const
    {
        return dataType_;
    }

    const Shape &GetOriginShape() const
    {
        return shape_.GetOriginShape();
    }

    const Shape &GetStorageShape() const
    {
        return shape_.GetStorageShape();
    }

private:
    StorageShape shape_;
    ge::DataType dataType_;
    const void *address_;
};

} // namespace gert

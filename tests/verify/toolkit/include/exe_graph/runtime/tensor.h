// As a toolkit has it: made from a shape, a format, a placement, a dtype and an address.
#pragma once

#include "exe_graph/runtime/storage_shape.h"
#include "graph/types.h"

namespace gert {

struct ExpandDimsType {
};

struct StorageFormat {
    StorageFormat(ge::Format, ge::Format, const ExpandDimsType &)
    {
    }
};

enum TensorPlacement {
    kOnDeviceHbm,
    kOnHost,
};

class Tensor {
public:
    Tensor() = default;
    Tensor(const StorageShape &shape, const StorageFormat &, TensorPlacement, ge::DataType dtype, void *address)
        : shape_(shape), dtype_(dtype), address_(address)
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
        return dtype_;
    }

    const Shape &GetOriginShape() const
    {
        return shape_.GetOriginShape();
    }

    const Shape &GetStorageShape() const
    {
        return shape_.GetStorageShape();
    }

    const StorageShape &GetShape() const
    {
        return shape_;
    }

private:
    StorageShape shape_;
    ge::DataType dtype_ = ge::DT_UNDEFINED;
    const void *address_ = nullptr;
};

} // namespace gert

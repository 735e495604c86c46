// Stands in for exe_graph/runtime/storage_shape.h.
#pragma once

#include "exe_graph/runtime/shape.h"

namespace gert {

struct StorageShape {
public:
    const Shape &GetOriginShape() const
    {
        return origin_;
    }

    const Shape &GetStorageShape() const
    {
        return storage_;
    }

    Shape &MutableOriginShape()
    {
        return origin_;
    }

    Shape &MutableStorageShape()
    {
        return storage_;
    }

private:
    Shape origin_;
    Shape storage_;
};

} // namespace gert

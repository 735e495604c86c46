#pragma once
#include "exe_graph/runtime/shape.h"
namespace gert {
struct StorageShape {
    const Shape &GetOriginShape() const { return origin_; }
    const Shape &GetStorageShape() const { return storage_; }
    Shape &MutableOriginShape() { return origin_; }
    Shape &MutableStorageShape() { return storage_; }
private:
    Shape origin_, storage_;
};
} // namespace gert

// Stands in for exe_graph/runtime/infer_shape_context.h.
#pragma once

#include <cstddef>
#include <vector>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/shape.h"

namespace gert {

class InferShapeContext : public ExtendedKernelContext {
public:
    InferShapeContext(const standin::Node &node, std::vector<Shape> &outputs)
        : ExtendedKernelContext(node), outputs_(outputs.data()), outputCount_(outputs.size())
    {
    }

    const Shape *GetInputShape(const size_t index) const
    {
        return OriginOf(ShapeAt(index));
    }

    const Shape *GetRequiredInputShape(const size_t ir_index) const
    {
        return GetDynamicInputShape(ir_index, 0);
    }

    const Shape *GetOptionalInputShape(const size_t ir_index) const
    {
        return GetDynamicInputShape(ir_index, 0);
    }

    const Shape *GetDynamicInputShape(const size_t ir_index, const size_t relative_index) const
    {
        return OriginOf(ShapeOf(ir_index, relative_index));
    }

    Shape *GetOutputShape(const size_t index)
    {
        return index < outputCount_ ? outputs_ + index : nullptr;
    }

private:
    static const Shape *OriginOf(const StorageShape *shape)
    {
        return shape == nullptr ? nullptr : &shape->GetOriginShape();
    }

    Shape *outputs_;
    size_t outputCount_;
};

} // namespace gert

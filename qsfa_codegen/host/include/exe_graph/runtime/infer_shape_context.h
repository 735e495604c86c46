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
        : ExtendedKernelContext(node), outputs_(outputs)
    {
    }

    const Shape *GetInputShape(const size_t index) const
    {
        const StorageShape *shape = ShapeAt(index);
        return shape == nullptr ? nullptr : &shape->GetOriginShape();
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
        return GetInputShape(PlaceOf(ir_index, relative_index));
    }

    Shape *GetOutputShape(const size_t index)
    {
        return index < outputs_.size() ? &outputs_[index] : nullptr;
    }

private:
    std::vector<Shape> &outputs_;
};

} // namespace gert

// Stands in for exe_graph/runtime/extended_kernel_context.h.
// As in the SDK, GetInput… counts the tensors that are passed, the others the inputs of the definition.
#pragma once

#include <cstddef>
#include <cstdint>

#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "graph/types.h"
#include "standin/node.h"

namespace gert {

class ExtendedKernelContext {
public:
    explicit ExtendedKernelContext(const standin::Node &node)
        : node_(node)
    {
    }

    const CompileTimeTensorDesc *GetInputDesc(const size_t index) const
    {
        return index < node_.descs.size() ? &node_.descs[index] : nullptr;
    }

    const CompileTimeTensorDesc *GetRequiredInputDesc(const size_t ir_index) const
    {
        return GetDynamicInputDesc(ir_index, 0);
    }

    const CompileTimeTensorDesc *GetOptionalInputDesc(const size_t ir_index) const
    {
        return GetDynamicInputDesc(ir_index, 0);
    }

    const CompileTimeTensorDesc *GetDynamicInputDesc(const size_t ir_index, const size_t relative_index) const
    {
        const size_t place = PlaceOf(ir_index, relative_index);
        return place == NOWHERE ? nullptr : &node_.descs[place];
    }

    const AnchorInstanceInfo *GetIrInputInstanceInfo(const size_t ir_index) const
    {
        return ir_index < node_.inputs.size() ? &node_.inputs[ir_index] : nullptr;
    }

    const RuntimeAttrs *GetAttrs() const
    {
        return &node_.attrs;
    }

    const ge::char_t *GetNodeType() const
    {
        return node_.type.c_str();
    }

    const ge::char_t *GetNodeName() const
    {
        return node_.type.c_str();
    }

protected:
    // Where a tensor of an input stands among those that are passed; NOWHERE when it is not.
    size_t PlaceOf(size_t ir_index, size_t relative_index) const
    {
        const AnchorInstanceInfo *info = GetIrInputInstanceInfo(ir_index);
        const bool passed = info != nullptr && relative_index < info->GetInstanceNum();
        return passed ? info->GetInstanceStart() + relative_index : NOWHERE;
    }

    const StorageShape *ShapeOf(size_t ir_index, size_t relative_index) const
    {
        const size_t place = PlaceOf(ir_index, relative_index);
        return place == NOWHERE ? nullptr : &node_.shapes[place];
    }

    const Tensor *TensorAt(size_t index) const
    {
        return index < node_.tensors.size() ? &node_.tensors[index] : nullptr;
    }

    const StorageShape *ShapeAt(size_t index) const
    {
        return index < node_.shapes.size() ? &node_.shapes[index] : nullptr;
    }

private:
    static constexpr size_t NOWHERE = SIZE_MAX;

    const standin::Node &node_;
};

} // namespace gert

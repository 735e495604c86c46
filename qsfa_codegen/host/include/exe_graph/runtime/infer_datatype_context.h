// Stands in for exe_graph/runtime/infer_datatype_context.h.
#pragma once

#include <cstddef>
#include <vector>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "graph/types.h"

namespace gert {

class InferDataTypeContext : public ExtendedKernelContext {
public:
    InferDataTypeContext(const standin::Node &node, std::vector<ge::DataType> &outputs)
        : ExtendedKernelContext(node), outputs_(outputs)
    {
    }

    ge::DataType GetInputDataType(const size_t index) const
    {
        const CompileTimeTensorDesc *desc = GetInputDesc(index);
        return desc == nullptr ? ge::DT_UNDEFINED : desc->GetDataType();
    }

    ge::DataType GetRequiredInputDataType(const size_t ir_index) const
    {
        return GetDynamicInputDataType(ir_index, 0);
    }

    ge::DataType GetOptionalInputDataType(const size_t ir_index) const
    {
        return GetDynamicInputDataType(ir_index, 0);
    }

    ge::DataType GetDynamicInputDataType(const size_t ir_index, const size_t relative_index) const
    {
        return GetInputDataType(PlaceOf(ir_index, relative_index));
    }

    ge::DataType GetOutputDataType(const size_t index) const
    {
        return index < outputs_.size() ? outputs_[index] : ge::DT_UNDEFINED;
    }

    ge::graphStatus SetOutputDataType(const size_t index, const ge::DataType datatype)
    {
        if (index >= outputs_.size()) {
            return ge::GRAPH_FAILED;
        }
        outputs_[index] = datatype;
        return ge::GRAPH_SUCCESS;
    }

private:
    std::vector<ge::DataType> &outputs_;
};

} // namespace gert

// As a toolkit has it.
#pragma once

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/infer_datatype_context.h"

namespace gert {

class OpInferDataTypeContextBuilder : public OpContextBuilderBase<OpInferDataTypeContextBuilder> {
public:
    OpInferDataTypeContextBuilder &OutputTensorDesc(size_t, ge::Format, ge::Format)
    {
        return *this;
    }

    ContextHolder<InferDataTypeContext> Build()
    {
        return {parts_, std::make_unique<InferDataTypeContext>(parts_->node, parts_->dtypes)};
    }
};

} // namespace gert

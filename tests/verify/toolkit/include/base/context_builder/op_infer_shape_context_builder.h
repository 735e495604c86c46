// As a toolkit has it.
#pragma once

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/infer_shape_context.h"

namespace gert {

class OpInferShapeContextBuilder : public OpContextBuilderBase<OpInferShapeContextBuilder> {
public:
    OpInferShapeContextBuilder &OutputTensorDesc(size_t, ge::DataType, ge::Format, ge::Format)
    {
        return *this;
    }

    ContextHolder<InferShapeContext> Build()
    {
        return {parts_, std::make_unique<InferShapeContext>(parts_->node, parts_->shapes)};
    }
};

} // namespace gert

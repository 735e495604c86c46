// As a toolkit has it.
#pragma once

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/tiling_context.h"

namespace gert {

class OpTilingContextBuilder : public OpContextBuilderBase<OpTilingContextBuilder> {
public:
    OpTilingContextBuilder &CompileInfo(const void *info)
    {
        SetCompileInfo(info);
        return *this;
    }

    OpTilingContextBuilder &PlatformInfo(const void *)
    {
        return *this;
    }

    OpTilingContextBuilder &TilingDataSize(size_t size)
    {
        parts_->buffer.resize(size);
        parts_->answer.data = TilingData(parts_->buffer.data(), size);
        return *this;
    }

    OpTilingContextBuilder &Workspace(const ContinuousVector *)
    {
        return *this;
    }

    OpTilingContextBuilder &OutputTensors(const std::vector<Tensor *> &)
    {
        return *this;
    }

    ContextHolder<TilingContext> Build()
    {
        return {parts_, std::make_unique<TilingContext>(parts_->node, parts_->compileInfo, parts_->answer)};
    }
};

} // namespace gert

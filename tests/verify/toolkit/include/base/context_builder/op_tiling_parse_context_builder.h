// As a toolkit has it.
#pragma once

#include "base/context_builder/op_context_builder_base.h"
#include "exe_graph/runtime/tiling_parse_context.h"

namespace gert {

class OpTilingParseContextBuilder : public OpContextBuilderBase<OpTilingParseContextBuilder> {
public:
    OpTilingParseContextBuilder &CompiledJson(const ge::char_t *)
    {
        return *this;
    }

    OpTilingParseContextBuilder &CompiledInfo(const void *info)
    {
        SetCompileInfo(info);
        return *this;
    }

    OpTilingParseContextBuilder &PlatformInfo(const void *info)
    {
        platform_ = static_cast<fe::PlatFormInfos *>(const_cast<void *>(info));
        return *this;
    }

    ContextHolder<TilingParseContext> Build()
    {
        return {parts_, std::make_unique<TilingParseContext>(parts_->node, parts_->compileInfo, *platform_)};
    }

private:
    fe::PlatFormInfos *platform_ = nullptr;
};

} // namespace gert

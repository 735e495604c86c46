// Stands in for exe_graph/runtime/tiling_parse_context.h.
#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "platform/platform_infos_def.h"

namespace gert {

class TilingParseContext : public ExtendedKernelContext {
public:
    TilingParseContext(
        const standin::Node &node, const standin::CompileInfo &compile_info, fe::PlatFormInfos &platform)
        : ExtendedKernelContext(node), compileInfo_(compile_info), platform_(platform)
    {
    }

    template <typename T>
    T *GetCompiledInfo()
    {
        if (compileInfo_.type != standin::TagOf<T>()) {
            standin::Fail("TilingParse fills another compile info than the one it was registered with");
        }
        return static_cast<T *>(compileInfo_.info);
    }

    fe::PlatFormInfos *GetPlatformInfo() const
    {
        return &platform_;
    }

private:
    const standin::CompileInfo &compileInfo_;
    fe::PlatFormInfos &platform_;
};

} // namespace gert

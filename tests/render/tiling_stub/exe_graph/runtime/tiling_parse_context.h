#pragma once
#include "graph/types.h"
#include "platform/platform_infos_def.h"
namespace gert {
class TilingParseContext {
public:
    template <typename T> T *GetCompiledInfo() { return static_cast<T *>(compiled); }
    fe::PlatFormInfos *GetPlatformInfo() const { return platform; }
    const char *GetNodeName() const { return "node"; }
    fe::PlatFormInfos *platform = nullptr;
    void *compiled = nullptr;
};
} // namespace gert

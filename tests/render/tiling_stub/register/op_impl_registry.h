#pragma once
#include <functional>
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
namespace gert {
struct OpTilingEntry {
    ge::graphStatus (*tiling)(TilingContext *) = nullptr;
    ge::graphStatus (*parse)(TilingParseContext *) = nullptr;
    std::function<void *()> create;
};
inline OpTilingEntry &RegisteredTiling()
{
    static OpTilingEntry entry;
    return entry;
}
struct OpImplRegisterV2 {
    explicit OpImplRegisterV2(const char *) {}
    OpImplRegisterV2 &Tiling(ge::graphStatus (*f)(TilingContext *)) { RegisteredTiling().tiling = f; return *this; }
    template <typename T> OpImplRegisterV2 &TilingParse(ge::graphStatus (*f)(TilingParseContext *))
    {
        RegisteredTiling().parse = f;
        RegisteredTiling().create = [] { return static_cast<void *>(new T()); };
        return *this;
    }
};
} // namespace gert
#define IMPL_OP_OPTILING(op_type) static gert::OpImplRegisterV2 g_##op_type##_tiling = gert::OpImplRegisterV2(#op_type)

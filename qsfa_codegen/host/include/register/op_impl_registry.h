// Stands in for register/op_impl_registry.h.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"
#include "exe_graph/runtime/tiling_parse_context.h"
#include "graph/types.h"

namespace standin {

// The host functions that an operator registered.
struct Functions {
    ge::graphStatus (*inferShape)(gert::InferShapeContext *) = nullptr;
    ge::graphStatus (*inferDataType)(gert::InferDataTypeContext *) = nullptr;
    ge::graphStatus (*tiling)(gert::TilingContext *) = nullptr;
    size_t maxTilingData = 0;
    ge::graphStatus (*tilingParse)(gert::TilingParseContext *) = nullptr;
    void *(*createCompileInfo)() = nullptr;
    void (*deleteCompileInfo)(void *) = nullptr;
    TypeTag compileInfoType = nullptr;
};

// By operator type.
inline std::map<std::string, Functions> &Registered()
{
    static std::map<std::string, Functions> registered;
    return registered;
}

} // namespace standin

namespace gert {

class OpImplRegisterV2 {
public:
    explicit OpImplRegisterV2(const ge::char_t *op_type)
        : functions_(standin::Registered()[op_type])
    {
    }

    OpImplRegisterV2 &InferShape(ge::graphStatus (*infer_shape_func)(InferShapeContext *))
    {
        functions_.inferShape = infer_shape_func;
        return *this;
    }

    OpImplRegisterV2 &InferDataType(ge::graphStatus (*infer_datatype_func)(InferDataTypeContext *))
    {
        functions_.inferDataType = infer_datatype_func;
        return *this;
    }

    OpImplRegisterV2 &Tiling(
        ge::graphStatus (*tiling_func)(TilingContext *), size_t max_tiling_data_size = 2048)
    {
        functions_.tiling = tiling_func;
        functions_.maxTilingData = max_tiling_data_size;
        return *this;
    }

    template <typename T>
    OpImplRegisterV2 &TilingParse(ge::graphStatus (*tiling_parse_func)(TilingParseContext *))
    {
        functions_.tilingParse = tiling_parse_func;
        functions_.createCompileInfo = []() -> void * { return new T(); };
        functions_.deleteCompileInfo = [](void *info) { delete static_cast<T *>(info); };
        functions_.compileInfoType = standin::TagOf<T>();
        return *this;
    }

private:
    standin::Functions &functions_;
};

} // namespace gert

#define IMPL_OP_INFERSHAPE(op_type) \
    gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_infershape_##op_type = gert::OpImplRegisterV2(#op_type)
#define IMPL_OP_OPTILING(op_type) \
    gert::OpImplRegisterV2 VAR_UNUSED op_impl_register_optiling_##op_type = gert::OpImplRegisterV2(#op_type)

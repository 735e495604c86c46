// As a toolkit has it: loads a library of host code and finds what that registered; in libopp_registry.so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "graph/ascend_string.h"
#include "register/op_impl_registry.h"

namespace gert {

class KernelContext;

struct OpImplKernelRegistry {
    struct OpImplFunctionsV2 {
        ge::graphStatus (*infer_shape)(InferShapeContext *) = nullptr;
        ge::graphStatus (*infer_datatype)(InferDataTypeContext *) = nullptr;
        ge::graphStatus (*tiling)(TilingContext *) = nullptr;
        ge::graphStatus (*tiling_parse)(KernelContext *) = nullptr;
        void *(*compile_info_creator)() = nullptr;
        void (*compile_info_deleter)(void *) = nullptr;
        size_t max_tiling_data_size = 0;
    };
};

class OppSoDesc {
public:
    OppSoDesc(const std::vector<ge::AscendString> &so_paths, const ge::AscendString &)
        : paths_(so_paths)
    {
    }

    std::vector<ge::AscendString> GetSoPaths() const
    {
        return paths_;
    }

private:
    std::vector<ge::AscendString> paths_;
};

class OpImplSpaceRegistryV2 {
public:
    ge::graphStatus AddSoToRegistry(const OppSoDesc &so_desc);
    const OpImplKernelRegistry::OpImplFunctionsV2 *GetOpImpl(const char *op_type) const;

private:
    mutable OpImplKernelRegistry::OpImplFunctionsV2 found_;
};

} // namespace gert

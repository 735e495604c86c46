// Stands in for base/registry/op_impl_space_registry_v2.h.
#pragma once

#include <memory>
#include <string>

#include "register/op_impl_registry.h"

namespace gert {

struct OpImplKernelRegistryFunctions {
    ge::graphStatus (*infer_datatype)(InferDataTypeContext *);
};

class OpImplSpaceRegistryV2 {
public:
    const OpImplKernelRegistryFunctions *GetOpImpl(const char *op_type) const
    {
        functions_.infer_datatype = standin::Registered().at(op_type).inferDataType;
        return &functions_;
    }

private:
    mutable OpImplKernelRegistryFunctions functions_ = {};
};

class DefaultOpImplSpaceRegistryV2 {
public:
    static DefaultOpImplSpaceRegistryV2 &GetInstance()
    {
        static DefaultOpImplSpaceRegistryV2 instance;
        return instance;
    }

    std::shared_ptr<OpImplSpaceRegistryV2> GetSpaceRegistry() const
    {
        return std::make_shared<OpImplSpaceRegistryV2>();
    }
};

} // namespace gert

// The host functions of one operator, run with the libraries of a toolkit: they register the functions,
// hold the facts about the device, and build the contexts.
#pragma once

#include <string>

#include "base/context_builder/context_holder.h"
#include "base/registry/op_impl_space_registry_v2.h"
#include "platform/platform_infos_def.h"
#include "request.h"

namespace standin {

// What a launch has before tiling sets it: what stays different in two runs was not set.
struct Launch {
    uint64_t key;
    uint32_t blockDim;
};

class Host {
public:
    // `library` is the shared library of the host code.
    explicit Host(const std::string &library);
    ~Host();
    Host(const Host &) = delete;
    Host &operator=(const Host &) = delete;

    // An answer as that of runner/host.h.
    std::string Answer(Request &request);

private:
    bool CheckChip(const Request &request);
    bool Infer(Request &request);
    bool InferShapes(Request &request);
    bool InferDataTypes(const Request &request);
    bool Prepare(const Request &request);
    bool Tile(Request &request);
    bool TileOnce(gert::TilingContext &context, const Launch &before);
    bool Ran(const char *step, ge::graphStatus status);

    gert::OpImplSpaceRegistryV2 registry_;
    const gert::OpImplKernelRegistry::OpImplFunctionsV2 *functions_ = nullptr;
    fe::PlatFormInfos platform_;
    Device preparedFor_;
    void *compileInfo_ = nullptr;
    std::vector<gert::Shape> shapes_;
    std::vector<ge::DataType> dtypes_;
    std::string tiling_;
    std::string failure_;
};

} // namespace standin

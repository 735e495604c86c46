// What is in the libraries of the toolkit that tests make.
#include <cstdio>
#include <dlfcn.h>

#include "base/registry/op_impl_space_registry_v2.h"
#include "platform/platform_infos_def.h"

namespace gert {

ge::graphStatus OpImplSpaceRegistryV2::AddSoToRegistry(const OppSoDesc &so_desc)
{
    for (const ge::AscendString &path : so_desc.GetSoPaths()) {
        if (dlopen(path.GetString(), RTLD_NOW | RTLD_GLOBAL) == nullptr) {
            std::fprintf(stderr, "%s\n", dlerror());
            return ge::GRAPH_FAILED;
        }
    }
    return ge::GRAPH_SUCCESS;
}

const OpImplKernelRegistry::OpImplFunctionsV2 *OpImplSpaceRegistryV2::GetOpImpl(const char *op_type) const
{
    const standin::Functions &functions = standin::Registered()[op_type];
    found_.infer_shape = functions.inferShape;
    found_.infer_datatype = functions.inferDataType;
    found_.tiling = functions.tiling;
    found_.tiling_parse = reinterpret_cast<ge::graphStatus (*)(KernelContext *)>(functions.tilingParse);
    found_.compile_info_creator = functions.createCompileInfo;
    found_.compile_info_deleter = functions.deleteCompileInfo;
    found_.max_tiling_data_size = functions.maxTilingData;
    return &found_;
}

} // namespace gert

namespace fe {

bool PlatFormInfos::Init()
{
    return true;
}

bool PlatFormInfos::GetPlatformResWithLock(const std::string &label, const std::string &key, std::string &val)
{
    val = facts_[label][key];
#ifdef TEN_TIMES_THE_CORES
    val += key == "vector_core_cnt" ? "0" : "";
#endif
    return true;
}

void PlatFormInfos::SetPlatformRes(const std::string &label, std::map<std::string, std::string> &res)
{
    facts_[label] = res;
}

} // namespace fe

#pragma once
#include <cstdint>
#include <string>
namespace fe {
class PlatFormInfos {
public:
    bool GetPlatformResWithLock(const std::string &, const std::string &key, std::string &value)
    {
        value = key == "Short_SoC_version" ? soc : std::string();
        return !value.empty();
    }
    uint32_t aic = 0, aiv = 0, arch = 0, libapi = 0;
    uint64_t ub = 0;
    std::string soc;
};
} // namespace fe

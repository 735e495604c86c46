// Stands in for platform/platform_infos_def.h. The SDK keeps every fact, as text; this one those that matter.
#pragma once

#include <cstdint>
#include <string>

namespace standin {

// A device, as the runner was told.
struct Device {
    std::string soc; // ascend910b: the name of its configuration
    uint32_t arch = 0;
    uint32_t aic = 0;
    uint32_t aiv = 0;
    uint64_t ub = 0; // bytes
    uint32_t libapiWorkspace = 0;
};

} // namespace standin

namespace fe {

class PlatFormInfos {
public:
    explicit PlatFormInfos(const standin::Device &device)
        : device_(device)
    {
    }

    bool GetPlatformResWithLock(const std::string &label, const std::string &key, std::string &val)
    {
        if (label != "version" || key != "Short_SoC_version") {
            return false;
        }
        val = device_.soc;
        return true;
    }

    // For the stand-in.
    const standin::Device &Facts() const
    {
        return device_;
    }

private:
    const standin::Device &device_;
};

} // namespace fe

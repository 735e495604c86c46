// As a toolkit has it: reads the facts, and reserves 256 bytes of UB.
#pragma once

#include <cstdint>
#include <string>

#include "platform/platform_infos_def.h"
#include "platform/soc_spec.h"

namespace platform_ascendc {

enum class CoreMemType {
    UB = 5,
};

class PlatformAscendC {
public:
    explicit PlatformAscendC(fe::PlatFormInfos *platformInfo)
        : info_(platformInfo)
    {
    }

    uint32_t GetCoreNumAic() const
    {
        return static_cast<uint32_t>(Number("SoCInfo", "cube_core_cnt"));
    }

    uint32_t GetCoreNumAiv() const
    {
        return static_cast<uint32_t>(Number("SoCInfo", "vector_core_cnt"));
    }

    uint32_t GetLibApiWorkSpaceSize() const
    {
        return 16 * 1024 * 1024;
    }

    void GetCoreMemSize(const CoreMemType &, uint64_t &size) const
    {
        size = Number("AICoreSpec", "ub_size") - 256;
    }

    NpuArch GetCurNpuArch() const
    {
        return static_cast<NpuArch>(Number("version", "NpuArch"));
    }

private:
    uint64_t Number(const char *label, const char *key) const
    {
        std::string text;
        return info_->GetPlatformResWithLock(label, key, text) ? std::stoull(text) : 0;
    }

    fe::PlatFormInfos *info_;
};

} // namespace platform_ascendc

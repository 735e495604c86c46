// Stands in for tiling/platform/platform_ascendc.h.
#pragma once

#include <cstdint>

#include "platform/platform_infos_def.h"
#include "platform/soc_spec.h"
#include "standin/fail.h"

namespace platform_ascendc {

enum class CoreMemType {
    L0_A = 0,
    L0_B = 1,
    L0_C = 2,
    L1 = 3,
    L2 = 4,
    UB = 5,
    HBM = 6,
};

class PlatformAscendC {
public:
    explicit PlatformAscendC(fe::PlatFormInfos *platformInfo)
        : info_(platformInfo)
    {
    }

    uint32_t GetCoreNumAic() const
    {
        return info_->Facts().aic;
    }

    uint32_t GetCoreNumAiv() const
    {
        return info_->Facts().aiv;
    }

    uint32_t GetLibApiWorkSpaceSize() const
    {
        return info_->Facts().libapiWorkspace;
    }

    void GetCoreMemSize(const CoreMemType &memType, uint64_t &size) const
    {
        if (memType != CoreMemType::UB) {
            standin::Fail("the size of another memory than UB is asked for");
        }
        size = info_->Facts().ub;
    }

    NpuArch GetCurNpuArch() const
    {
        return static_cast<NpuArch>(info_->Facts().arch);
    }

private:
    fe::PlatFormInfos *info_;
};

} // namespace platform_ascendc

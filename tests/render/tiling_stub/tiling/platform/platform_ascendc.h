#pragma once
#include "platform/platform_infos_def.h"
#include "platform/soc_spec.h"
namespace platform_ascendc {
enum class CoreMemType { L0_A = 0, L0_B, L0_C, L1, L2, UB, HBM };
class PlatformAscendC {
public:
    explicit PlatformAscendC(fe::PlatFormInfos *info) : info_(info) {}
    uint32_t GetCoreNumAic() const { return info_->aic; }
    uint32_t GetCoreNumAiv() const { return info_->aiv; }
    uint32_t GetLibApiWorkSpaceSize() const { return info_->libapi; }
    void GetCoreMemSize(const CoreMemType &, uint64_t &size) const { size = info_->ub; }
    NpuArch GetCurNpuArch() const { return static_cast<NpuArch>(info_->arch); }
    uint32_t CalcTschBlockDim(uint32_t slices, uint32_t aic, uint32_t aiv) const
    {
        if (aic == 0 || aiv == 0 || aic > aiv) return slices;
        const uint32_t ratio = aiv / aic;
        const uint32_t blocks = (slices + ratio - 1) / ratio;
        return ratio == 2 && blocks > aic ? 0 : blocks;
    }
private:
    fe::PlatFormInfos *info_;
};
} // namespace platform_ascendc

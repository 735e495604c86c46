#pragma once

enum class NpuArch { DAV_1001 = 1001, DAV_2201 = 2201, DAV_3510 = 3510 };

extern int g_arch;

namespace op {
struct PlatformInfo {
    NpuArch GetCurNpuArch() const
    {
        return static_cast<NpuArch>(g_arch);
    }
};

inline PlatformInfo GetCurrentPlatformInfo()
{
    return {};
}
} // namespace op

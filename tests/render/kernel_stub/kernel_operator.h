// What a generated kernel entry uses of the kernel library, for a host compiler.
#pragma once

#include <cstdint>
#include <cstring>

#define __aicore__
#define __global__
#define GM_ADDR uint8_t *

struct half {};
struct bfloat16_t {};
struct fp8_e4m3fn_t {};
struct hifloat8_t {};

enum KernelType { KERNEL_TYPE_AIV_ONLY, KERNEL_TYPE_AIC_ONLY, KERNEL_TYPE_MIX_AIC_1_1, KERNEL_TYPE_MIX_AIC_1_2 };
extern int g_registered;
extern int g_taskType;

#define KERNEL_TASK_TYPE_DEFAULT(value) g_taskType = (value)
#define REGISTER_TILING_DEFAULT(type) g_registered = static_cast<int>(sizeof(type))
#define GET_TILING_DATA_WITH_STRUCT(type, name, from) \
    type name; \
    std::memcpy(&name, (from), sizeof(type))

namespace AscendC {
class TPipe {};

inline GM_ADDR GetUserWorkspace(GM_ADDR workspace)
{
    return workspace + 1;
}
} // namespace AscendC

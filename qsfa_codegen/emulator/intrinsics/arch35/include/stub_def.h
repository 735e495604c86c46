// Stands for the header of this name in a toolkit: the keywords and types that its compiler for Ascend 950 knows.
#ifndef EMULATOR_INTRINSICS_ARCH35_STUB_DEF_H
#define EMULATOR_INTRINSICS_ARCH35_STUB_DEF_H

#include <cassert>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>
#include <type_traits>
#include <vector>

#include "include/emulated/keywords.h"
#include "include/emulated/reg/content.h"

// ------------------------------------------------------------------ keywords

// Vector functions begin with no-ops, by which the emulator knows when one is called.
#undef __simd_vf__
#define __simd_vf__ __attribute__((patchable_function_entry(5), noinline))


#define __host__
#define __host_aicore__
#define ASCENDC_HOST_AICORE
#define __biasbuf__
#define __ssbuf__
#define __BLOCK_LOCAL__
#define __WORKGROUP_LOCAL__
#define __sync_alias__
#define __sync_noalias__
#define __check_sync_alias__
#define __sync_in__
#define __sync_out__
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __no_simd_vf_fusion__
#define __simt_vf__
#define __simt_callee__
#define __disable_kernel_type_autoinfer__
#define __kfc_workspace__
#define __VEC_SCOPE__
#define LAUNCH_BOUND(threads)

// ------------------------------------------------------------------ numbers that the emulator does not compute with

template <int width>
struct OtherNumber {
    uint8_t val;
};

using fp8_e5m2_t = OtherNumber<0>;
using fp8_e8m0_t = OtherNumber<1>;
using fp4x2_e2m1_t = OtherNumber<2>;
using fp4x2_e1m2_t = OtherNumber<3>;
using int4x2_t = OtherNumber<4>;

namespace bfloat16 {

inline bfloat16_t Bf16T(OtherNumber<2>);
inline bfloat16_t Bf16T(OtherNumber<3>);

} // namespace bfloat16

// ------------------------------------------------------------------ registers

template <typename T>
struct VectorRegister : emulator::RegisterContent {
    using ActualT = T;
};

using vector_u8 = VectorRegister<uint8_t>;
using vector_u16 = VectorRegister<uint16_t>;
using vector_u32 = VectorRegister<uint32_t>;
using vector_u64 = VectorRegister<uint64_t>;
using vector_s8 = VectorRegister<int8_t>;
using vector_s16 = VectorRegister<int16_t>;
using vector_s32 = VectorRegister<int32_t>;
using vector_s64 = VectorRegister<int64_t>;
using vector_f16 = VectorRegister<half>;
using vector_bf16 = VectorRegister<bfloat16_t>;
using vector_f32 = VectorRegister<float>;
using vector_f8e4m3 = VectorRegister<fp8_e4m3fn_t>;
using vector_hif8 = VectorRegister<hifloat8_t>;
using vector_f8e5m2 = VectorRegister<fp8_e5m2_t>;
using vector_f8e8m0 = VectorRegister<fp8_e8m0_t>;
using vector_f4e2m1x2 = VectorRegister<fp4x2_e2m1_t>;
using vector_f4e1m2x2 = VectorRegister<fp4x2_e1m2_t>;
using vector_s4x2 = VectorRegister<int4x2_t>;

using vector_bool = emulator::MaskContent;

// What is loaded and stored without alignment goes straight to and from UB here.
struct vector_align {};

struct vector_address {
    uint64_t elements = 0;
};

// ------------------------------------------------------------------ who the core is

enum class KernelMode {
    MIX_MODE = 0,
    AIC_MODE,
    AIV_MODE,
    MIX_AIC_1_1
};
extern KernelMode g_kernelMode;
extern uint64_t g_fixpipeNdNzParam;

extern int64_t block_idx;
extern int64_t block_num;
extern int64_t g_ubBase;
extern int32_t g_coreType;
extern int32_t g_taskRation;
extern int32_t sub_block_idx;
extern uint64_t g_tilingKey;

void *GmAlloc(size_t bytes);
void GmFree(void *memory);

namespace AscendC {

void *GmAlloc(size_t bytes);
void GmFree(void *memory);
extern const int MIX_TYPE;
extern const int AIC_TYPE;
extern const int AIV_TYPE;
extern bool g_isVdeq;

} // namespace AscendC

#endif // EMULATOR_INTRINSICS_ARCH35_STUB_DEF_H

// Keywords and types of the kernel language that a C++ compiler does not know.
#ifndef EMULATED_KEYWORDS_H
#define EMULATED_KEYWORDS_H

#include <cstddef>
#include <cstdint>

#include "ops/hifloat8.h"

#define __aicore__
#define __global__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __mix__(...)
#define __cube__
#define __vector__
#define __inout_pipe__(...)
#define __simd_vf__
#define __simd_callee__
#define __local_mem__

using half = emulator::Half;
using bfloat16_t = emulator::BFloat16;
using fp8_e4m3fn_t = emulator::Float8E4M3;
using hifloat8_t = emulator::HiFloat8;
using GM_ADDR = uint8_t *;

enum pipe_t {
    PIPE_S = 0,
    PIPE_V,
    PIPE_M,
    PIPE_MTE1,
    PIPE_MTE2,
    PIPE_MTE3,
    PIPE_ALL,
    PIPE_MTE4 = 7,
    PIPE_MTE5 = 8,
    PIPE_V2 = 9,
    PIPE_FIX = 10,
};

enum event_t {
    EVENT_ID0 = 0,
    EVENT_ID1,
    EVENT_ID2,
    EVENT_ID3,
    EVENT_ID4,
    EVENT_ID5,
    EVENT_ID6,
    EVENT_ID7
};

#endif // EMULATED_KEYWORDS_H

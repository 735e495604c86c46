// Casts of vector registers. All bytes of the result are stored.
#include "registers.h"

namespace {

template <typename To, typename From, const CastTrait &trait>
__simd_vf__ inline void CastVF(__ubuf__ uint8_t *result, __ubuf__ uint8_t *source)
{
    registers::Row<From> row(source);
    RegTensor<To> made;
    MaskReg all = CreateMask<To>();
    Reg::Cast<To, From, trait>(made, row.a, row.mask);
    Reg::StoreAlign(reinterpret_cast<__ubuf__ To *>(result), made, all);
}

} // namespace

#define CAST(TO, FROM, LAYOUT, SAT, ROUND) \
    namespace { \
    constexpr CastTrait trait_##TO##_##FROM##_##LAYOUT##_##SAT##_##ROUND = {RegLayout::LAYOUT, SatMode::SAT, MaskMergeMode::ZEROING, RoundMode::ROUND}; \
    __global__ __aicore__ void cast_##TO##_##FROM##_##LAYOUT##_##SAT##_##ROUND(GM_ADDR rows, GM_ADDR results, GM_ADDR count) \
    { \
        registers::EachRow<CastVF<TO, FROM, trait_##TO##_##FROM##_##LAYOUT##_##SAT##_##ROUND>>(rows, results, count, registers::BYTES); \
    } \
    LAUNCHABLE(cast_##TO##_##FROM##_##LAYOUT##_##SAT##_##ROUND); \
    }

// From eight bits.
CAST(half, int8_t, ZERO, UNKNOWN, UNKNOWN)
CAST(half, int8_t, ONE, UNKNOWN, UNKNOWN)
CAST(int16_t, int8_t, ONE, UNKNOWN, UNKNOWN)
CAST(int32_t, int8_t, ZERO, UNKNOWN, UNKNOWN)
CAST(int32_t, int8_t, THREE, UNKNOWN, UNKNOWN)
CAST(half, uint8_t, ZERO, UNKNOWN, UNKNOWN)
CAST(uint32_t, uint8_t, TWO, UNKNOWN, UNKNOWN)
CAST(float, fp8_e4m3fn_t, ZERO, UNKNOWN, UNKNOWN)
CAST(float, fp8_e4m3fn_t, ONE, UNKNOWN, UNKNOWN)
CAST(float, fp8_e4m3fn_t, TWO, UNKNOWN, UNKNOWN)
CAST(float, fp8_e4m3fn_t, THREE, UNKNOWN, UNKNOWN)
CAST(float, hifloat8_t, ZERO, UNKNOWN, UNKNOWN)
CAST(float, hifloat8_t, ONE, UNKNOWN, UNKNOWN)
CAST(float, hifloat8_t, TWO, UNKNOWN, UNKNOWN)
CAST(float, hifloat8_t, THREE, UNKNOWN, UNKNOWN)
CAST(half, hifloat8_t, ZERO, UNKNOWN, UNKNOWN)
CAST(half, hifloat8_t, ONE, UNKNOWN, UNKNOWN)

// To eight bits.
CAST(hifloat8_t, float, ZERO, NO_SAT, CAST_ROUND)
CAST(hifloat8_t, float, TWO, SAT, CAST_ROUND)
CAST(hifloat8_t, half, ZERO, NO_SAT, CAST_ROUND)
CAST(hifloat8_t, half, ONE, SAT, CAST_ROUND)
CAST(fp8_e4m3fn_t, float, ZERO, NO_SAT, CAST_RINT)
CAST(fp8_e4m3fn_t, float, THREE, SAT, CAST_RINT)
CAST(int8_t, half, ZERO, SAT, CAST_RINT)
CAST(int8_t, half, ONE, NO_SAT, CAST_TRUNC)
CAST(uint8_t, half, ZERO, NO_SAT, CAST_FLOOR)
CAST(uint8_t, int16_t, ZERO, SAT, UNKNOWN)
CAST(uint8_t, int32_t, TWO, NO_SAT, UNKNOWN)

// Between halves and floats.
CAST(float, half, ZERO, UNKNOWN, UNKNOWN)
CAST(float, half, ONE, UNKNOWN, UNKNOWN)
CAST(float, bfloat16_t, ZERO, UNKNOWN, UNKNOWN)
CAST(float, bfloat16_t, ONE, UNKNOWN, UNKNOWN)
CAST(half, float, ZERO, NO_SAT, CAST_RINT)
CAST(half, float, ONE, NO_SAT, CAST_ROUND)
CAST(half, float, ZERO, SAT, CAST_ODD)
CAST(half, float, ZERO, NO_SAT, CAST_FLOOR)
CAST(bfloat16_t, float, ZERO, NO_SAT, CAST_RINT)
CAST(bfloat16_t, float, ONE, SAT, CAST_CEIL)
CAST(bfloat16_t, float, ZERO, NO_SAT, CAST_ROUND)
CAST(half, bfloat16_t, UNKNOWN, NO_SAT, CAST_RINT)
CAST(bfloat16_t, half, UNKNOWN, UNKNOWN, CAST_RINT)

// Integers.
CAST(float, int32_t, UNKNOWN, UNKNOWN, CAST_RINT)
CAST(float, int16_t, ONE, UNKNOWN, UNKNOWN)
CAST(half, int16_t, UNKNOWN, UNKNOWN, CAST_RINT)
CAST(int32_t, float, UNKNOWN, SAT, CAST_RINT)
CAST(int32_t, float, UNKNOWN, NO_SAT, CAST_FLOOR)
CAST(int16_t, float, ZERO, SAT, CAST_ROUND)
CAST(int32_t, half, ONE, UNKNOWN, CAST_CEIL)
CAST(int32_t, int16_t, ZERO, UNKNOWN, UNKNOWN)
CAST(uint32_t, int16_t, ZERO, UNKNOWN, UNKNOWN)
CAST(int16_t, int32_t, ONE, SAT, UNKNOWN)
CAST(int16_t, int32_t, ZERO, NO_SAT, UNKNOWN)
CAST(uint16_t, uint32_t, ZERO, SAT, UNKNOWN)

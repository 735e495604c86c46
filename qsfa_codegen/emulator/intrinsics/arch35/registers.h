// Intrinsics of Ascend 950 that compute with vector and mask registers.
#ifndef EMULATOR_INTRINSICS_ARCH35_REGISTERS_H
#define EMULATOR_INTRINSICS_ARCH35_REGISTERS_H

#include "emulated/reg/cast.h"
#include "emulated/reg/compute.h"
#include "emulated/reg/mask.h"
#include "intrinsics/place.h"

namespace emulator::intrinsics {

namespace Reg = AscendC::Reg;
using Reg::DefaultType;
using Reg::MaskMergeMode;

// Calls `with` with a constant of this one of the values.
template <typename Value, Value... values, typename With>
void WithOneOf(Value value, With with)
{
    ((value == values ? with(std::integral_constant<Value, values>()) : void()), ...);
}

template <typename With>
void WithMode(const LaneMode &mode, With with)
{
    WithOneOf<bool, true, false>(mode.zeroes, [&](auto zeroes) {
        with(std::integral_constant<MaskMergeMode, zeroes ? MaskMergeMode::ZEROING : MaskMergeMode::MERGING>());
    });
}

} // namespace emulator::intrinsics

// ------------------------------------------------------------------ masks

#define EMULATED_FIRST(BITS, T) \
    vector_bool plt_b##BITS(uint32_t &count, Literal) \
    { \
        return emulator::intrinsics::Reg::UpdateMask<T>(count, emulator::Caller()); \
    }

EMULATED_FIRST(8, uint8_t)
EMULATED_FIRST(16, uint16_t)
EMULATED_FIRST(32, uint32_t)

#undef EMULATED_FIRST

namespace emulator::intrinsics {

template <typename T>
MaskContent Patterned(Reg::MaskPattern pattern)
{
    const Reg::RegisterCall call("CreateMask", Caller());
    MaskContent mask;
    mask.content = pattern == Reg::MaskPattern::M3 || pattern == Reg::MaskPattern::M4
        ? ops::Predicate::Every(pattern == Reg::MaskPattern::M3 ? 3 : 4, sizeof(T))
        : ops::Predicate::First(Reg::CountOf(pattern, Reg::LANES<T>), sizeof(T));
    return mask;
}

inline Reg::MaskPattern PatternOf(Literal literal)
{
    switch (literal) {
        case PAT_ALLF:
            return Reg::MaskPattern::ALLF;
        case PAT_H:
            return Reg::MaskPattern::H;
        case PAT_VL8:
            return Reg::MaskPattern::VL8;
        case PAT_VL16:
            return Reg::MaskPattern::VL16;
        case PAT_VL32:
            return Reg::MaskPattern::VL32;
        case PAT_VL64:
            return Reg::MaskPattern::VL64;
        default:
            return Reg::MaskPattern::ALL;
    }
}

inline Reg::MaskPattern PatternOf(Pat pattern)
{
    return static_cast<Reg::MaskPattern>(pattern);
}

// Bits that stand one after the other in a register become those of elements.
template <typename T>
void FromBits(MaskContent &dst, const VectorRegister<T> &src, uint32_t first)
{
    Reg::RegisterCall call("MaskGenWithRegTensor", Caller());
    dst.content = {};
    dst.content.width = sizeof(T);
    constexpr uint32_t bits = 8 * sizeof(T);
    for (uint32_t lane = 0; lane < Reg::LANES<T>; ++lane) {
        call.Need<T>(src, first + lane / bits);
        dst.content.bits[lane * sizeof(T)] = (src.content.template Get<T>(first + lane / bits) >> (lane % bits) & 1) != 0;
    }
    dst.origin = src.origin;
}

} // namespace emulator::intrinsics

#define EMULATED_PATTERN(BITS, T, PATTERN) \
    vector_bool pset_b##BITS(PATTERN pattern) \
    { \
        return emulator::intrinsics::Patterned<T>(emulator::intrinsics::PatternOf(pattern)); \
    }

EMULATED_PATTERN(8, uint8_t, Pat)
EMULATED_PATTERN(16, uint16_t, Pat)
EMULATED_PATTERN(32, uint32_t, Pat)
EMULATED_PATTERN(8, uint8_t, Literal)
EMULATED_PATTERN(16, uint16_t, Literal)
EMULATED_PATTERN(32, uint32_t, Literal)

#undef EMULATED_PATTERN

#define EMULATED_OF_MASKS(NAME, API) \
    void NAME(vector_bool &dst, vector_bool src0, vector_bool src1, vector_bool mask) \
    { \
        emulator::intrinsics::Reg::API(dst, src0, src1, mask, emulator::Caller()); \
    }

EMULATED_OF_MASKS(pand, And)
EMULATED_OF_MASKS(por, Or)
EMULATED_OF_MASKS(pxor, Xor)

#undef EMULATED_OF_MASKS

void pnot(vector_bool &dst, vector_bool src, vector_bool mask)
{
    emulator::intrinsics::Reg::Not(dst, src, mask, emulator::Caller());
}

// A part has as many registers' elements as the bits of a mask fill.
void movvp(vector_bool &dst, const vector_u32 &src, int16_t part)
{
    emulator::intrinsics::FromBits(dst, src, 2 * part);
}

void movvp(vector_bool &dst, const vector_u16 &src, int16_t part)
{
    emulator::intrinsics::FromBits(dst, src, 8 * part);
}

// ------------------------------------------------------------------ elements

#define EMULATED_INTEGERS(FORM, ...) \
    FORM(vector_s16, __VA_ARGS__) \
    FORM(vector_u16, __VA_ARGS__) \
    FORM(vector_s32, __VA_ARGS__) \
    FORM(vector_u32, __VA_ARGS__)

#define EMULATED_FLOATS(FORM, ...) \
    FORM(vector_f16, __VA_ARGS__) \
    FORM(vector_f32, __VA_ARGS__)

#define EMULATED_NUMBERS(FORM, ...) \
    EMULATED_INTEGERS(FORM, __VA_ARGS__) \
    EMULATED_FLOATS(FORM, __VA_ARGS__)

#define EMULATED_BINARY(V, NAME, API) \
    void NAME(V &dst, const V &src0, const V &src1, vector_bool mask, LaneMode mode) \
    { \
        using namespace emulator::intrinsics; \
        V a = src0; \
        V b = src1; \
        WithMode(mode, [&, site = emulator::Caller()](auto merge) { Reg::API<DefaultType, merge()>(dst, a, b, mask, site); }); \
    }

EMULATED_NUMBERS(EMULATED_BINARY, vadd, Add)
EMULATED_NUMBERS(EMULATED_BINARY, vsub, Sub)
EMULATED_NUMBERS(EMULATED_BINARY, vmul, Mul)
EMULATED_NUMBERS(EMULATED_BINARY, vmax, Max)
EMULATED_NUMBERS(EMULATED_BINARY, vmin, Min)
EMULATED_INTEGERS(EMULATED_BINARY, vand, And)
EMULATED_INTEGERS(EMULATED_BINARY, vor, Or)
EMULATED_FLOATS(EMULATED_BINARY, vdiv, Div)
EMULATED_FLOATS(EMULATED_BINARY, vmadd, MulDstAdd)
EMULATED_FLOATS(EMULATED_BINARY, vmula, MulAddDst)

#undef EMULATED_BINARY

#define EMULATED_UNARY(V, NAME, API) \
    void NAME(V &dst, const V &src, vector_bool mask, LaneMode mode) \
    { \
        using namespace emulator::intrinsics; \
        V a = src; \
        WithMode(mode, [&, site = emulator::Caller()](auto merge) { Reg::API<DefaultType, merge()>(dst, a, mask, site); }); \
    }

EMULATED_FLOATS(EMULATED_UNARY, vexp, Exp)
EMULATED_FLOATS(EMULATED_UNARY, vln, Ln)
EMULATED_FLOATS(EMULATED_UNARY, vsqrt, Sqrt)
EMULATED_FLOATS(EMULATED_UNARY, vabs, Abs)
EMULATED_FLOATS(EMULATED_UNARY, vrelu, Relu)
EMULATED_INTEGERS(EMULATED_UNARY, vnot, Not)

#undef EMULATED_UNARY

#define EMULATED_REDUCE(V, NAME, KIND) \
    void NAME(V &dst, const V &src, vector_bool mask, LaneMode) \
    { \
        emulator::intrinsics::Reg::Reduce<AscendC::ReduceType::KIND>(dst, src, mask, emulator::Caller()); \
    }

#define EMULATED_REDUCES(V, ...) \
    EMULATED_REDUCE(V, vcadd, SUM) \
    EMULATED_REDUCE(V, vcmax, MAX) \
    EMULATED_REDUCE(V, vcmin, MIN)

EMULATED_FLOATS(EMULATED_REDUCES)
EMULATED_REDUCES(vector_s32)

#undef EMULATED_REDUCES
#undef EMULATED_REDUCE

#define EMULATED_SCALAR(V, NAME, API) \
    void NAME(V &dst, const V &src, V::ActualT scalar, vector_bool mask, LaneMode mode) \
    { \
        using namespace emulator::intrinsics; \
        V a = src; \
        WithMode(mode, [&, site = emulator::Caller()](auto merge) { \
            Reg::API<DefaultType, V::ActualT, merge()>(dst, a, scalar, mask, site); \
        }); \
    }

EMULATED_NUMBERS(EMULATED_SCALAR, vadds, Adds)
EMULATED_NUMBERS(EMULATED_SCALAR, vmuls, Muls)
EMULATED_NUMBERS(EMULATED_SCALAR, vmaxs, Maxs)
EMULATED_NUMBERS(EMULATED_SCALAR, vmins, Mins)

#undef EMULATED_SCALAR

#define EMULATED_SHIFT(V, NAME, API) \
    void NAME(V &dst, const V &src, int16_t distance, vector_bool mask, LaneMode mode) \
    { \
        using namespace emulator::intrinsics; \
        V a = src; \
        WithMode(mode, [&, site = emulator::Caller()](auto merge) { \
            Reg::API<DefaultType, int16_t, merge()>(dst, a, distance, mask, site); \
        }); \
    }

EMULATED_INTEGERS(EMULATED_SHIFT, vshls, ShiftLefts)
EMULATED_INTEGERS(EMULATED_SHIFT, vshrs, ShiftRights)

#undef EMULATED_SHIFT

// ------------------------------------------------------------------ values and places

#define EMULATED_DUPLICATE(V, ...) \
    void vdup(V &dst, V::ActualT value, vector_bool mask, LaneMode mode) \
    { \
        using namespace emulator::intrinsics; \
        WithMode(mode, [&, site = emulator::Caller()](auto merge) { \
            Reg::Duplicate<DefaultType, merge()>(dst, value, mask, site); \
        }); \
    } \
\
    void vdup(V &dst, const V &src, vector_bool mask, Pos place, LaneMode mode) \
    { \
        using namespace emulator::intrinsics; \
        V a = src; \
        if (place != LOWEST || !mode.zeroes) { \
            AscendC::Refuse("Duplicate", emulator::Caller(), "the highest element, or merging, is not emulated here"); \
        } \
        Reg::Duplicate<DefaultType, Reg::HighLowPart::LOWEST, MaskMergeMode::ZEROING>(dst, a, mask, emulator::Caller()); \
    } \
\
    void vbr(V &dst, V::ActualT value) \
    { \
        emulator::intrinsics::Reg::Duplicate(dst, value, emulator::Caller()); \
    }

EMULATED_NUMBERS(EMULATED_DUPLICATE)
EMULATED_DUPLICATE(vector_bf16)

#undef EMULATED_DUPLICATE

#define EMULATED_COMPARE(V, NAME, MODE) \
    void vcmp_##NAME(vector_bool &dst, const V &src0, const V &src1, vector_bool mask) \
    { \
        V a = src0; \
        V b = src1; \
        emulator::intrinsics::Reg::Compare<emulator::intrinsics::DefaultType, AscendC::CMPMODE::MODE>(dst, a, b, mask, emulator::Caller()); \
    } \
\
    void vcmps_##NAME(vector_bool &dst, const V &src, V::ActualT scalar, vector_bool mask) \
    { \
        V a = src; \
        emulator::intrinsics::Reg::Compares<emulator::intrinsics::DefaultType, AscendC::CMPMODE::MODE>(dst, a, scalar, mask, emulator::Caller()); \
    }

EMULATED_NUMBERS(EMULATED_COMPARE, eq, EQ)
EMULATED_NUMBERS(EMULATED_COMPARE, ne, NE)
EMULATED_NUMBERS(EMULATED_COMPARE, gt, GT)
EMULATED_NUMBERS(EMULATED_COMPARE, ge, GE)
EMULATED_NUMBERS(EMULATED_COMPARE, lt, LT)
EMULATED_NUMBERS(EMULATED_COMPARE, le, LE)

#undef EMULATED_COMPARE

namespace emulator::intrinsics {

// The elements that are on, one behind the other; the rest is zero.
template <typename T>
void Squeeze(VectorRegister<T> &dst, const VectorRegister<T> &src, const MaskContent &mask, StoreMode mode)
{
    Reg::RegisterCall call("GatherMask", Caller());
    call.Need(mask, sizeof(T));
    ops::Register made = ops::Register::Zero();
    uint32_t count = 0;
    for (uint32_t lane = 0; lane < Reg::LANES<T>; ++lane) {
        if (mask.content.On<T>(lane)) {
            call.Need<T>(src, lane);
            made.Set(count++, src.content.template Get<T>(lane));
        }
    }
    if (mode == STORED) {
        OfCore().squeezed = count * sizeof(T);
    }
    Origin origin = mask.origin;
    origin.Join(src.origin);
    dst.content = made;
    dst.origin = origin;
}

} // namespace emulator::intrinsics

#define EMULATED_PLACES(V, ...) \
    void vsel(V &dst, const V &src0, const V &src1, vector_bool mask) \
    { \
        V a = src0; \
        V b = src1; \
        emulator::intrinsics::Reg::Select(dst, a, b, mask, emulator::Caller()); \
    } \
\
    void vintlv(V &dst0, V &dst1, const V &src0, const V &src1) \
    { \
        V a = src0; \
        V b = src1; \
        emulator::intrinsics::Reg::Interleave(dst0, dst1, a, b, emulator::Caller()); \
    } \
\
    void vdintlv(V &dst0, V &dst1, const V &src0, const V &src1) \
    { \
        V a = src0; \
        V b = src1; \
        emulator::intrinsics::Reg::DeInterleave(dst0, dst1, a, b, emulator::Caller()); \
    } \
\
    void vsqz(V &dst, const V &src, vector_bool mask, StoreMode mode) \
    { \
        emulator::intrinsics::Squeeze(dst, src, mask, mode); \
    } \
\
    void vmov(V &dst, const V &src) \
    { \
        V a = src; \
        emulator::intrinsics::Reg::Move(dst, a, emulator::Caller()); \
    }

EMULATED_NUMBERS(EMULATED_PLACES)

#undef EMULATED_PLACES

#define EMULATED_INDEX(V) \
    void vci(V &dst, V::ActualT first, Order order) \
    { \
        using namespace emulator::intrinsics; \
        if (order != INC_ORDER_VALUE) { \
            AscendC::Refuse("Arange", emulator::Caller(), "decreasing order is not emulated here"); \
        } \
        Reg::Arange(dst, first, emulator::Caller()); \
    }

EMULATED_INDEX(vector_s16)
EMULATED_INDEX(vector_s32)
EMULATED_INDEX(vector_f32)

#undef EMULATED_INDEX
#undef EMULATED_NUMBERS
#undef EMULATED_FLOATS
#undef EMULATED_INTEGERS

// ------------------------------------------------------------------ casts

namespace emulator::intrinsics {

template <Reg::RegLayout layout, Reg::SatMode saturation, AscendC::RoundMode round>
constexpr Reg::CastTrait TRAIT = {layout, saturation, MaskMergeMode::ZEROING, round};

constexpr AscendC::RoundMode RoundOf(ROUND round)
{
    constexpr AscendC::RoundMode modes[] = {AscendC::RoundMode::CAST_RINT, AscendC::RoundMode::CAST_ROUND,
        AscendC::RoundMode::CAST_FLOOR, AscendC::RoundMode::CAST_CEIL, AscendC::RoundMode::CAST_TRUNC};
    return modes[round];
}

// The parts in which wider elements lie have the numbers of the API's layouts.
template <typename To, typename From, Reg::SatMode saturation, AscendC::RoundMode round>
void CastPart(To &dst, const From &src, MaskContent mask, int32_t part, Site site)
{
    From a = src;
    constexpr int32_t wider = sizeof(typename To::ActualT) > sizeof(typename From::ActualT)
        ? sizeof(typename To::ActualT) / sizeof(typename From::ActualT)
        : sizeof(typename From::ActualT) / sizeof(typename To::ActualT);
    WithOneOf<int32_t, 0, 1, 2, 3>(part, [&](auto number) {
        if constexpr (number() < wider) {
            Reg::Cast<DefaultType, DefaultType, TRAIT<static_cast<Reg::RegLayout>(number()), saturation, round>>(dst, a, mask, site);
        }
    });
}

template <typename To, typename From>
void Widen(To &dst, const From &src, const MaskContent &mask, int32_t part)
{
    CastPart<To, From, Reg::SatMode::UNKNOWN, AscendC::RoundMode::UNKNOWN>(dst, src, mask, part, Caller());
}

template <typename To, typename From>
void Rounded(To &dst, const From &src, const MaskContent &mask, ROUND round, RoundingSaturation saturation, int32_t part)
{
    if (round > CAST_TRUNC) {
        AscendC::Refuse("Cast", Caller(), "rounding to odd and the hybrid mode are not emulated here");
    }
    WithOneOf<ROUND, CAST_RINT, CAST_ROUND, CAST_FLOOR, CAST_CEIL, CAST_TRUNC>(round, [&, site = Caller()](auto mode) {
        WithOneOf<bool, false, true>(saturation == RS_ENABLE_VALUE, [&](auto saturates) {
            CastPart<To, From, saturates ? Reg::SatMode::SAT : Reg::SatMode::NO_SAT, RoundOf(mode)>(dst, src, mask, part, site);
        });
    });
}

} // namespace emulator::intrinsics

#define EMULATED_WIDEN(TO, FROM, PART) \
    void vcvt(TO &dst, const FROM &src, vector_bool mask, PART part, LaneMode) \
    { \
        emulator::intrinsics::Widen(dst, src, mask, part); \
    }

EMULATED_WIDEN(vector_f16, vector_s8, Part)
EMULATED_WIDEN(vector_f32, vector_f16, Part)
EMULATED_WIDEN(vector_f32, vector_bf16, Part)
EMULATED_WIDEN(vector_f32, vector_f8e4m3, Part_T)
EMULATED_WIDEN(vector_f32, vector_hif8, Part_T)

#undef EMULATED_WIDEN

void vcvt(vector_f16 &dst, const vector_f32 &src, vector_bool mask, ROUND round, RoundingSaturation saturation, Part part, LaneMode)
{
    emulator::intrinsics::Rounded(dst, src, mask, round, saturation, part);
}

void vcvt(vector_bf16 &dst, const vector_f32 &src, vector_bool mask, ROUND round, RoundingSaturation saturation, Part part, LaneMode)
{
    emulator::intrinsics::Rounded(dst, src, mask, round, saturation, part);
}

void vcvt(vector_s32 &dst, const vector_f32 &src, vector_bool mask, ROUND round, RoundingSaturation saturation, LaneMode)
{
    emulator::intrinsics::Rounded(dst, src, mask, round, saturation, 0);
}

void vcvt(vector_f32 &dst, const vector_s32 &src, vector_bool mask, ROUND round, LaneMode)
{
    emulator::intrinsics::Rounded(dst, src, mask, round, RS_DISABLE_VALUE, 0);
}

#endif // EMULATOR_INTRINSICS_ARCH35_REGISTERS_H

// Vector intrinsics that compute each element from those at the same place.
#ifndef EMULATOR_INTRINSICS_VECTOR_H
#define EMULATOR_INTRINSICS_VECTOR_H

#include "emulated/vector_issue.h"
#include "intrinsics/place.h"
#include "ops/elementwise.h"

namespace emulator::intrinsics {

// Strides as the intrinsics have them: of 8 or 16 bits, in blocks.
struct Steps {
    uint32_t block;
    uint32_t repeat;

    operator ops::Strides() const
    {
        return {block, repeat};
    }
};

inline ops::Mask MaskNow()
{
    const MaskRegister &set = Here().mask;
    return {set.counter, set.low, set.high};
}

// Issues it with the mask register's lanes.
template <typename To, typename From, typename Op, size_t N>
void IssueMasked(const char *name, Site site, Op op, uint32_t repeats, uint32_t width, const std::array<Operand, N> &operands)
{
    op.mask = MaskNow();
    op.repeat = repeats;
    AscendC::IssueVector<To, From>({name, site}, op, AscendC::RepeatsOf(op.mask, repeats, width), operands);
}

template <typename Op, typename T>
void Binary(const char *name, Site site, T *dst, T *src0, T *src1, uint8_t repeat, Steps to, Steps from0, Steps from1)
{
    using N = Number<T>;
    ops::Binary<Op, N, N> op;
    op.dst = to;
    op.src0 = from0;
    op.src1 = from1;
    IssueMasked<N, N>(name, site, op, repeat, ops::WIDTH<N>, std::array<Operand, 3>{Ub(dst), Ub(src0), Ub(src1)});
}

template <typename Op, typename T>
void Unary(const char *name, Site site, T *dst, T *src, uint8_t repeat, Steps to, Steps from)
{
    using N = Number<T>;
    ops::Unary<Op, N> op;
    op.dst = to;
    op.src = from;
    IssueMasked<N, N>(name, site, op, repeat, ops::WIDTH<N>, std::array<Operand, 2>{Ub(dst), Ub(src)});
}

template <typename Op, typename To, typename From>
void Scalar(const char *name, Site site, To *dst, From *src, From scalar, uint8_t repeat, Steps to, Steps from)
{
    using N = Number<To>;
    using M = Number<From>;
    ops::Scalar<Op, N, M> op;
    op.dst = to;
    op.src = from;
    op.scalar = ToNumber(scalar);
    IssueMasked<N, M>(name, site, op, repeat, ops::WIDTH<N, M>, std::array<Operand, 2>{Ub(dst), Ub(src)});
}

template <typename T>
void Shift(const char *name, Site site, T *dst, T *src, uint32_t distance, uint8_t repeat, Steps to, Steps from, bool left,
    bool roundUp)
{
    ops::Shift<T> op;
    op.dst = to;
    op.src = from;
    op.distance = distance;
    op.left = left;
    op.roundUp = roundUp;
    IssueMasked<T, T>(name, site, op, repeat, ops::WIDTH<T>, std::array<Operand, 2>{Ub(dst), Ub(src)});
}

template <typename To, typename From>
void Cast(Site site, To *dst, From *src, uint8_t repeat, Steps to, Steps from, Round round)
{
    using N = Number<To>;
    using M = Number<From>;
    ops::Cast<N, M> op;
    op.dst = to;
    op.src = from;
    op.round = round;
    IssueMasked<N, M>("Cast", site, op, repeat, ops::WIDTH<N, M>, std::array<Operand, 2>{Ub(dst), Ub(src)});
}

} // namespace emulator::intrinsics

// ------------------------------------------------------------------ two operands

#define EMULATED_BINARY(NAME, OPERATION, T) \
    void NAME(T *dst, T *src0, T *src1, uint8_t repeat, uint8_t dstBlock, uint8_t src0Block, uint8_t src1Block, \
        uint8_t dstRepeat, uint8_t src0Repeat, uint8_t src1Repeat) \
    { \
        emulator::intrinsics::Binary<emulator::ops::OPERATION>(#OPERATION, emulator::Caller(), dst, src0, src1, repeat, \
            {dstBlock, dstRepeat}, {src0Block, src0Repeat}, {src1Block, src1Repeat}); \
    }

#define EMULATED_BINARY_FLOATS(NAME, OPERATION) \
    EMULATED_BINARY(NAME, OPERATION, half) \
    EMULATED_BINARY(NAME, OPERATION, float)

#define EMULATED_BINARY_NUMBERS(NAME, OPERATION) \
    EMULATED_BINARY_FLOATS(NAME, OPERATION) \
    EMULATED_BINARY(NAME, OPERATION, int16_t) \
    EMULATED_BINARY(NAME, OPERATION, int32_t)

EMULATED_BINARY_NUMBERS(vadd, Add)
EMULATED_BINARY_NUMBERS(vsub, Sub)
EMULATED_BINARY_NUMBERS(vmul, Mul)
EMULATED_BINARY_NUMBERS(vmax, Max)
EMULATED_BINARY_NUMBERS(vmin, Min)
EMULATED_BINARY_FLOATS(vdiv, Div)
EMULATED_BINARY_FLOATS(vaddrelu, AddRelu)
EMULATED_BINARY(vaddrelu, AddRelu, int16_t)
EMULATED_BINARY_FLOATS(vsubrelu, SubRelu)
EMULATED_BINARY(vsubrelu, SubRelu, int16_t)
EMULATED_BINARY_FLOATS(vmadd, FusedMulAdd)
EMULATED_BINARY_FLOATS(vmaddrelu, FusedMulAddRelu)
EMULATED_BINARY_FLOATS(vmla, MulAddDst)
EMULATED_BINARY(vand, And, int16_t)
EMULATED_BINARY(vand, And, uint16_t)
EMULATED_BINARY(vor, Or, int16_t)
EMULATED_BINARY(vor, Or, uint16_t)

#undef EMULATED_BINARY_NUMBERS
#undef EMULATED_BINARY_FLOATS
#undef EMULATED_BINARY

// ------------------------------------------------------------------ one operand

// Every one is declared with strides between repeats of 8 and of 16 bits.
#define EMULATED_BOTH_WIDTHS(FORM, ...) \
    FORM(uint8_t, __VA_ARGS__) \
    FORM(uint16_t, __VA_ARGS__)

#define EMULATED_UNARY(STRIDE, NAME, OPERATION, T) \
    void NAME(T *dst, T *src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock, STRIDE dstRepeat, STRIDE srcRepeat) \
    { \
        emulator::intrinsics::Unary<emulator::ops::OPERATION>(#OPERATION, emulator::Caller(), dst, src, repeat, \
            {dstBlock, dstRepeat}, {srcBlock, srcRepeat}); \
    }

#define EMULATED_UNARY_FLOATS(NAME, OPERATION) \
    EMULATED_BOTH_WIDTHS(EMULATED_UNARY, NAME, OPERATION, half) \
    EMULATED_BOTH_WIDTHS(EMULATED_UNARY, NAME, OPERATION, float)

EMULATED_UNARY_FLOATS(vabs, Abs)
EMULATED_UNARY_FLOATS(vrelu, Relu)
EMULATED_BOTH_WIDTHS(EMULATED_UNARY, vrelu, Relu, int32_t)
EMULATED_UNARY_FLOATS(vexp, Exp)
EMULATED_UNARY_FLOATS(vln, Ln)
EMULATED_UNARY_FLOATS(vsqrt, Sqrt)
EMULATED_UNARY_FLOATS(vrsqrt, Rsqrt)
EMULATED_UNARY_FLOATS(vrec, Reciprocal)
EMULATED_BOTH_WIDTHS(EMULATED_UNARY, vnot, Not, int16_t)
EMULATED_BOTH_WIDTHS(EMULATED_UNARY, vnot, Not, uint16_t)

#undef EMULATED_UNARY_FLOATS
#undef EMULATED_UNARY

// ------------------------------------------------------------------ an operand and a scalar

#define EMULATED_SCALAR(STRIDE, NAME, API, OPERATION, TO, FROM) \
    void NAME(TO *dst, FROM *src, FROM scalar, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock, STRIDE dstRepeat, \
        STRIDE srcRepeat) \
    { \
        emulator::intrinsics::Scalar<emulator::ops::OPERATION>(API, emulator::Caller(), dst, src, scalar, repeat, \
            {dstBlock, dstRepeat}, {srcBlock, srcRepeat}); \
    }

#define EMULATED_SCALAR_NUMBERS(NAME, API, OPERATION) \
    EMULATED_BOTH_WIDTHS(EMULATED_SCALAR, NAME, API, OPERATION, half, half) \
    EMULATED_BOTH_WIDTHS(EMULATED_SCALAR, NAME, API, OPERATION, float, float) \
    EMULATED_BOTH_WIDTHS(EMULATED_SCALAR, NAME, API, OPERATION, int16_t, int16_t) \
    EMULATED_BOTH_WIDTHS(EMULATED_SCALAR, NAME, API, OPERATION, int32_t, int32_t)

EMULATED_SCALAR_NUMBERS(vadds, "Adds", Add)
EMULATED_SCALAR_NUMBERS(vmuls, "Muls", Mul)
EMULATED_BOTH_WIDTHS(EMULATED_SCALAR, vaxpy, "Axpy", MulAddDst, half, half)
EMULATED_BOTH_WIDTHS(EMULATED_SCALAR, vaxpy, "Axpy", MulAddDst, float, float)
EMULATED_BOTH_WIDTHS(EMULATED_SCALAR, vaxpy, "Axpy", MulAddDst, float, half)

#undef EMULATED_SCALAR_NUMBERS
#undef EMULATED_SCALAR

// These two have the modes of their strides told as well, which do not change what is emulated.
#define EMULATED_EXTREME_SCALAR(NAME, API, OPERATION, T) \
    void NAME(T *dst, T *src, T scalar, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock, uint8_t dstRepeat, \
        uint8_t srcRepeat, bool, bool) \
    { \
        emulator::intrinsics::Scalar<emulator::ops::OPERATION>(API, emulator::Caller(), dst, src, scalar, repeat, \
            {dstBlock, dstRepeat}, {srcBlock, srcRepeat}); \
    }

#define EMULATED_EXTREME_NUMBERS(NAME, API, OPERATION) \
    EMULATED_EXTREME_SCALAR(NAME, API, OPERATION, half) \
    EMULATED_EXTREME_SCALAR(NAME, API, OPERATION, float) \
    EMULATED_EXTREME_SCALAR(NAME, API, OPERATION, int16_t) \
    EMULATED_EXTREME_SCALAR(NAME, API, OPERATION, int32_t)

EMULATED_EXTREME_NUMBERS(vmaxs, "Maxs", Max)
EMULATED_EXTREME_NUMBERS(vmins, "Mins", Min)

#undef EMULATED_EXTREME_NUMBERS
#undef EMULATED_EXTREME_SCALAR

#define EMULATED_SHIFTS(STRIDE, T, DISTANCE) \
    void vshl(T *dst, T *src, uint32_t distance, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock, STRIDE dstRepeat, \
        STRIDE srcRepeat) \
    { \
        emulator::intrinsics::Shift("ShiftLeft", emulator::Caller(), dst, src, distance, repeat, {dstBlock, dstRepeat}, \
            {srcBlock, srcRepeat}, true, false); \
    } \
\
    void vshr(T *dst, T *src, DISTANCE distance, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock, STRIDE dstRepeat, \
        STRIDE srcRepeat, bool roundUp) \
    { \
        emulator::intrinsics::Shift("ShiftRight", emulator::Caller(), dst, src, static_cast<uint32_t>(distance), repeat, \
            {dstBlock, dstRepeat}, {srcBlock, srcRepeat}, false, roundUp); \
    }

EMULATED_BOTH_WIDTHS(EMULATED_SHIFTS, int16_t, int32_t)
EMULATED_BOTH_WIDTHS(EMULATED_SHIFTS, int32_t, int32_t)
EMULATED_BOTH_WIDTHS(EMULATED_SHIFTS, uint16_t, uint32_t)
EMULATED_BOTH_WIDTHS(EMULATED_SHIFTS, uint32_t, uint32_t)

#undef EMULATED_SHIFTS

// ------------------------------------------------------------------ conversions

// The last letter of the name is the rounding mode.
#define EMULATED_CAST(STRIDE, NAME, TO, FROM, ROUND) \
    void NAME(TO *dst, FROM *src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock, STRIDE dstRepeat, STRIDE srcRepeat) \
    { \
        emulator::intrinsics::Cast(emulator::Caller(), dst, src, repeat, {dstBlock, dstRepeat}, {srcBlock, srcRepeat}, \
            emulator::Round::ROUND); \
    }

#define EMULATED_CAST_NONE(NAME, TO, FROM) EMULATED_BOTH_WIDTHS(EMULATED_CAST, NAME, TO, FROM, NONE)

#define EMULATED_CASTS(NAME, TO, FROM) \
    EMULATED_BOTH_WIDTHS(EMULATED_CAST, NAME##a, TO, FROM, ROUND) \
    EMULATED_BOTH_WIDTHS(EMULATED_CAST, NAME##c, TO, FROM, CEIL) \
    EMULATED_BOTH_WIDTHS(EMULATED_CAST, NAME##f, TO, FROM, FLOOR) \
    EMULATED_BOTH_WIDTHS(EMULATED_CAST, NAME##r, TO, FROM, RINT) \
    EMULATED_BOTH_WIDTHS(EMULATED_CAST, NAME##z, TO, FROM, TRUNC)

EMULATED_CAST_NONE(vconv_f162f32, float, half)
EMULATED_CAST_NONE(vconv_bf162f32, float, bfloat16_t)
EMULATED_CAST_NONE(vconv_s82f16, half, int8_t)
EMULATED_CAST_NONE(vconv_u82f16, half, uint8_t)
EMULATED_CAST_NONE(vconv_s162f32, float, int16_t)
EMULATED_CAST_NONE(vconv_s162f16, half, int16_t)
EMULATED_CASTS(vconv_s162f16, half, int16_t)
EMULATED_CAST_NONE(vconv_s322f32, float, int32_t)
EMULATED_CASTS(vconv_s322f32, float, int32_t)
EMULATED_CAST_NONE(vconv_s322s16, int16_t, int32_t)
EMULATED_CAST_NONE(vconv_s322s64, int64_t, int32_t)
EMULATED_CAST_NONE(vconv_s642s32, int32_t, int64_t)
EMULATED_CASTS(vconv_s642f32, float, int64_t)
EMULATED_CAST_NONE(vconv_f162s8, int8_t, half)
EMULATED_CASTS(vconv_f162s8, int8_t, half)
EMULATED_CAST_NONE(vconv_f162u8, uint8_t, half)
EMULATED_CASTS(vconv_f162u8, uint8_t, half)
EMULATED_CASTS(vconv_f162s16, int16_t, half)
EMULATED_CASTS(vconv_f162s32, int32_t, half)
EMULATED_CASTS(vconv_bf162s32, int32_t, bfloat16_t)
EMULATED_CAST_NONE(vconv_f322f16, half, float)
EMULATED_CASTS(vconv_f322f16, half, float)
EMULATED_BOTH_WIDTHS(EMULATED_CAST, vconv_f322f16o, half, float, ODD)
EMULATED_CASTS(vconv_f322bf16, bfloat16_t, float)
EMULATED_CASTS(vconv_f322f32, float, float)
EMULATED_CASTS(vconv_f322s16, int16_t, float)
EMULATED_CASTS(vconv_f322s32, int32_t, float)
EMULATED_CASTS(vconv_f322s64, int64_t, float)

#undef EMULATED_CASTS
#undef EMULATED_CAST_NONE
#undef EMULATED_CAST

#endif // EMULATOR_INTRINSICS_VECTOR_H

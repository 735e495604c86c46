// Arithmetic, comparison, reduction and order of elements in vector registers.
#include "registers.h"

#define BINARY(NAME, CALL, TYPE) ELEMENTWISE(NAME, TYPE, Reg::CALL(r.c, r.a, r.b, r.mask))
#define UNARY(NAME, CALL, TYPE) ELEMENTWISE(NAME, TYPE, Reg::CALL(r.c, r.a, r.mask))
#define MERGING(NAME, CALL, TYPE) ELEMENTWISE(NAME, TYPE, (Reg::CALL<TYPE, MaskMergeMode::MERGING>(r.c, r.a, r.b, r.mask)))

BINARY(add, Add, float)
BINARY(add, Add, half)
BINARY(add, Add, bfloat16_t)
BINARY(add, Add, int32_t)
BINARY(add, Add, int16_t)
BINARY(sub, Sub, float)
BINARY(sub, Sub, int32_t)
BINARY(mul, Mul, float)
BINARY(mul, Mul, half)
BINARY(mul, Mul, bfloat16_t)
BINARY(mul, Mul, int32_t)
BINARY(div, Div, float)
BINARY(div, Div, half)
BINARY(max, Max, float)
BINARY(max, Max, half)
BINARY(max, Max, int32_t)
BINARY(min, Min, float)
BINARY(min, Min, int16_t)
BINARY(and, And, uint16_t)
BINARY(or, Or, uint16_t)
BINARY(or, Or, uint32_t)
MERGING(merged_add, Add, float)
MERGING(merged_max, Max, half)

UNARY(exp, Exp, float)
UNARY(exp, Exp, half)
UNARY(ln, Ln, float)
UNARY(sqrt, Sqrt, float)
UNARY(abs, Abs, float)
UNARY(relu, Relu, float)
UNARY(not, Not, uint16_t)

ELEMENTWISE(adds, float, Reg::Adds(r.c, r.a, 0.75F, r.mask))
ELEMENTWISE(muls, float, Reg::Muls(r.c, r.a, 0.75F, r.mask))
ELEMENTWISE(maxs, float, Reg::Maxs(r.c, r.a, 0.75F, r.mask))
ELEMENTWISE(mins, float, Reg::Mins(r.c, r.a, 0.75F, r.mask))
ELEMENTWISE(muls, half, Reg::Muls(r.c, r.a, half(0.75F), r.mask))
ELEMENTWISE(adds, int32_t, Reg::Adds(r.c, r.a, 7, r.mask))

#define SHIFTS(NAME, DISTANCE, TYPE) \
    ELEMENTWISE(left_##DISTANCE, TYPE, Reg::ShiftLefts(r.c, r.a, int16_t(DISTANCE), r.mask)) \
    ELEMENTWISE(right_##DISTANCE, TYPE, Reg::ShiftRights(r.c, r.a, int16_t(DISTANCE), r.mask))
SHIFTS(shifts, 3, int32_t)
SHIFTS(shifts, 3, uint32_t)
SHIFTS(shifts, 5, int16_t)
SHIFTS(shifts, 40, int32_t)
SHIFTS(shifts, 40, uint32_t)

// Into what the third operand holds.
ELEMENTWISE(mul_add_dst, float, Reg::MulAddDst(r.c, r.a, r.b, r.mask))
ELEMENTWISE(mul_add_dst, half, Reg::MulAddDst(r.c, r.a, r.b, r.mask))
ELEMENTWISE(mul_dst_add, float, Reg::MulDstAdd(r.c, r.a, r.b, r.mask))
ELEMENTWISE(axpy, float, Reg::Axpy(r.c, r.a, 0.75F, r.mask))
ELEMENTWISE(exp_sub, float, Reg::ExpSub(r.c, r.a, r.b, r.mask))
ELEMENTWISE(move, half, Reg::Move(r.c, r.a, r.mask))
ELEMENTWISE(duplicate, float, Reg::Duplicate(r.c, 2.5F, r.mask))
ELEMENTWISE(duplicate_all, half, Reg::Duplicate(r.c, half(2.5F)))
ELEMENTWISE(duplicate_lowest, float, Reg::Duplicate(r.c, r.a, r.mask))
ELEMENTWISE(arange, int32_t, Reg::Arange(r.c, 7))

ELEMENTWISE(select, float, Reg::Select(r.c, r.a, r.b, r.mask))
ELEMENTWISE(select, int8_t, Reg::Select(r.c, r.a, r.b, r.mask))
#define COMPARISON(NAME, MODE, TYPE) \
    ELEMENTWISE(NAME, TYPE, { \
        MaskReg made; \
        Reg::Compare<TYPE, CMPMODE::MODE>(made, r.a, r.b, r.mask); \
        Reg::Duplicate(r.c, TYPE(1), made); \
    })
COMPARISON(lt, LT, float)
COMPARISON(gt, GT, float)
COMPARISON(eq, EQ, float)
COMPARISON(le, LE, float)
COMPARISON(ge, GE, float)
COMPARISON(ne, NE, float)
COMPARISON(lt, LT, half)
COMPARISON(ge, GE, int32_t)

ELEMENTWISE(reduce_sum, float, Reg::ReduceSum(r.c, r.a, r.mask))
ELEMENTWISE(reduce_sum, half, Reg::ReduceSum(r.c, r.a, r.mask))
ELEMENTWISE(reduce_sum, int32_t, Reg::ReduceSum(r.c, r.a, r.mask))
ELEMENTWISE(reduce_max, float, Reg::ReduceMax(r.c, r.a, r.mask))
ELEMENTWISE(reduce_max, half, Reg::ReduceMax(r.c, r.a, r.mask))
ELEMENTWISE(reduce_max, int32_t, Reg::ReduceMax(r.c, r.a, r.mask))
ELEMENTWISE(reduce_min, float, Reg::ReduceMin(r.c, r.a, r.mask))
ELEMENTWISE(block_sum, float, Reg::ReduceDataBlock<ReduceType::SUM>(r.c, r.a, r.mask))
ELEMENTWISE(block_max, float, Reg::ReduceDataBlock<ReduceType::MAX>(r.c, r.a, r.mask))
ELEMENTWISE(block_min, half, Reg::ReduceDataBlock<ReduceType::MIN>(r.c, r.a, r.mask))

// Two results: one in the place of the second operand.
#define ORDER(NAME, CALL, TYPE) \
    ELEMENTWISE(NAME##_low, TYPE, Reg::CALL(r.c, r.b, r.a, r.b)) \
    ELEMENTWISE(NAME##_high, TYPE, Reg::CALL(r.a, r.c, r.a, r.b))
ORDER(interleave, Interleave, float)
ORDER(interleave, Interleave, half)
ORDER(interleave, Interleave, uint8_t)
ORDER(deinterleave, DeInterleave, float)
ORDER(deinterleave, DeInterleave, half)
ORDER(deinterleave, DeInterleave, uint8_t)

// Masks: what is on gets a 1.
#define MASKS(NAME, TYPE, ...) \
    ELEMENTWISE(NAME, TYPE, { \
        MaskReg all = CreateMask<TYPE>(); \
        MaskReg other = CreateMask<TYPE, MaskPattern::M3>(); \
        MaskReg made; \
        MaskReg rest; \
        __VA_ARGS__; \
        Reg::Duplicate(r.c, TYPE(1), made); \
        static_cast<void>(all); \
        static_cast<void>(other); \
        static_cast<void>(rest); \
    })
MASKS(mask_and, half, Reg::And(made, r.mask, other, all))
MASKS(mask_or, float, Reg::Or(made, r.mask, other, all))
MASKS(mask_xor, int32_t, Reg::Xor(made, r.mask, other, all))
MASKS(mask_not, half, Reg::Not(made, r.mask, all))
MASKS(mask_interleave, float, Reg::Interleave<float>(rest, made, r.mask, other))
MASKS(mask_deinterleave, half, Reg::DeInterleave<half>(made, rest, r.mask, other))
#define PATTERN(NAME, MODE, TYPE) MASKS(pattern_##NAME, TYPE, made = (CreateMask<TYPE, MaskPattern::MODE>()))
PATTERN(all, ALL, half)
PATTERN(none, ALLF, float)
PATTERN(vl1, VL1, float)
PATTERN(vl3, VL3, half)
PATTERN(vl32, VL32, float)
PATTERN(vl128, VL128, uint8_t)
PATTERN(m4, M4, float)
PATTERN(half, H, half)
PATTERN(quarter, Q, float)

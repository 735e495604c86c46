// Vector instructions that compute each element from those at the same place: unary, binary, with a scalar, Cast.
#ifndef EMULATED_VECTOR_ELEMENTWISE_H
#define EMULATED_VECTOR_ELEMENTWISE_H

#include "emulated/parameters.h"
#include "emulated/tensor.h"
#include "emulated/vector_issue.h"
#include "ops/elementwise.h"

namespace AscendC {

namespace ops = emulator::ops;

// ------------------------------------------------------------------ two operands

template <typename Op, typename To, typename From>
void DoBinary(const VectorCall &call, const LocalTensor<To> &dst, const LocalTensor<From> &src0, const LocalTensor<From> &src1,
    const Mask &mask, uint32_t repeats, const BinaryRepeatParams &params)
{
    ops::Binary<Op, To, From> op;
    op.mask = mask;
    op.repeat = repeats;
    op.dst = StridesOf(params.dstBlkStride, params.dstRepStride);
    op.src0 = StridesOf(params.src0BlkStride, params.src0RepStride);
    op.src1 = StridesOf(params.src1BlkStride, params.src1RepStride);
    IssueVector<To, From>(call, op, RepeatsOf(mask, repeats, ops::WIDTH<To, From>),
        std::array<Operand, 3>{dst.Place(), src0.Place(), src1.Place()});
}

#define EMULATED_BINARY(NAME) \
    template <typename T, bool isSetMask = true> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, uint64_t mask[], \
        Limited8 repeatTimes, const BinaryRepeatParams &params, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        DoBinary<ops::NAME>(call, dst, src0, src1, call.Lanes<isSetMask>(mask, ops::WIDTH<T>), \
            repeatTimes.Wide(), params); \
    } \
\
    template <typename T, bool isSetMask = true> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, uint64_t mask, \
        Limited8 repeatTimes, const BinaryRepeatParams &params, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        DoBinary<ops::NAME>(call, dst, src0, src1, call.Lanes<isSetMask>(mask, ops::WIDTH<T>), \
            repeatTimes.Wide(), params); \
    } \
\
    template <typename T> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const int32_t &count, \
        Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        DoBinary<ops::NAME>(call, dst, src0, src1, call.Count(count), 1, {}); \
    }

EMULATED_BINARY(Add)
EMULATED_BINARY(Sub)
EMULATED_BINARY(Mul)
EMULATED_BINARY(Div)
EMULATED_BINARY(Max)
EMULATED_BINARY(Min)
EMULATED_BINARY(And)
EMULATED_BINARY(Or)
EMULATED_BINARY(AddRelu)
EMULATED_BINARY(SubRelu)
EMULATED_BINARY(FusedMulAdd)
EMULATED_BINARY(FusedMulAddRelu)

#undef EMULATED_BINARY

// dst += src0 · src1, also of halves to floats
template <typename To, typename From, bool isSetMask = true>
void MulAddDst(const LocalTensor<To> &dst, const LocalTensor<From> &src0, const LocalTensor<From> &src1, const uint64_t mask[],
    Limited8 repeatTimes, const BinaryRepeatParams &params, Site site = Site::Here())
{
    const VectorCall call{"MulAddDst", site};
    DoBinary<ops::MulAddDst>(call, dst, src0, src1, call.Lanes<isSetMask>(mask, ops::WIDTH<To, From>), repeatTimes.Wide(), params);
}

template <typename To, typename From, bool isSetMask = true>
void MulAddDst(const LocalTensor<To> &dst, const LocalTensor<From> &src0, const LocalTensor<From> &src1, uint64_t mask,
    Limited8 repeatTimes, const BinaryRepeatParams &params, Site site = Site::Here())
{
    const VectorCall call{"MulAddDst", site};
    DoBinary<ops::MulAddDst>(call, dst, src0, src1, call.Lanes<isSetMask>(mask, ops::WIDTH<To, From>), repeatTimes.Wide(), params);
}

template <typename To, typename From>
void MulAddDst(const LocalTensor<To> &dst, const LocalTensor<From> &src0, const LocalTensor<From> &src1, const int32_t &count,
    Site site = Site::Here())
{
    const VectorCall call{"MulAddDst", site};
    constexpr uint32_t width = ops::WIDTH<To, From>;
    constexpr uint32_t wide = width * sizeof(To) / 32;
    constexpr uint32_t narrow = width * sizeof(From) / 32;
    DoBinary<ops::MulAddDst>(call, dst, src0, src1, call.Count(count), 1, {1, 1, 1, wide, narrow, narrow});
}

// ------------------------------------------------------------------ one operand

template <typename Op, typename T>
void DoUnary(const VectorCall &call, const LocalTensor<T> &dst, const LocalTensor<T> &src, const Mask &mask, uint32_t repeats,
    const UnaryRepeatParams &params)
{
    ops::Unary<Op, T> op;
    op.mask = mask;
    op.repeat = repeats;
    op.dst = StridesOf(params.dstBlkStride, params.dstRepStride);
    op.src = StridesOf(params.srcBlkStride, params.srcRepStride);
    IssueVector<T, T>(call, op, RepeatsOf(mask, repeats, ops::WIDTH<T>), std::array<Operand, 2>{dst.Place(), src.Place()});
}

#define EMULATED_UNARY(NAME) \
    template <typename T, bool isSetMask = true> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask[], Limited8 repeatTimes, \
        const UnaryRepeatParams &params, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        DoUnary<ops::NAME>(call, dst, src, call.Lanes<isSetMask>(mask, ops::WIDTH<T>), repeatTimes.Wide(), \
            params); \
    } \
\
    template <typename T, bool isSetMask = true> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask, Limited8 repeatTimes, \
        const UnaryRepeatParams &params, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        DoUnary<ops::NAME>(call, dst, src, call.Lanes<isSetMask>(mask, ops::WIDTH<T>), \
            repeatTimes.Wide(), params); \
    } \
\
    template <typename T> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        DoUnary<ops::NAME>(call, dst, src, call.Count(count), 1, {}); \
    }

EMULATED_UNARY(Abs)
EMULATED_UNARY(Relu)
EMULATED_UNARY(Exp)
EMULATED_UNARY(Ln)
EMULATED_UNARY(Sqrt)
EMULATED_UNARY(Rsqrt)
EMULATED_UNARY(Reciprocal)
EMULATED_UNARY(Not)

#undef EMULATED_UNARY

// ------------------------------------------------------------------ an operand and a scalar

template <typename Op, typename T>
void DoScalar(const VectorCall &call, const LocalTensor<T> &dst, const LocalTensor<T> &src, T scalar, const Mask &mask,
    uint32_t repeats, const UnaryRepeatParams &params)
{
    ops::Scalar<Op, T> op;
    op.mask = mask;
    op.repeat = repeats;
    op.dst = StridesOf(params.dstBlkStride, params.dstRepStride);
    op.src = StridesOf(params.srcBlkStride, params.srcRepStride);
    op.scalar = scalar;
    IssueVector<T, T>(call, op, RepeatsOf(mask, repeats, ops::WIDTH<T>), std::array<Operand, 2>{dst.Place(), src.Place()});
}

#define EMULATED_SCALAR(NAME, OPERATION) \
    template <typename T, bool isSetMask = true> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const typename LocalTensor<T>::PrimType &scalar, \
        uint64_t mask[], Limited8 repeatTimes, const UnaryRepeatParams &params, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        DoScalar<ops::OPERATION>(call, dst, src, scalar, call.Lanes<isSetMask>(mask, ops::WIDTH<T>), \
            repeatTimes.Wide(), params); \
    } \
\
    template <typename T, bool isSetMask = true> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const typename LocalTensor<T>::PrimType &scalar, \
        uint64_t mask, Limited8 repeatTimes, const UnaryRepeatParams &params, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        DoScalar<ops::OPERATION>(call, dst, src, scalar, \
            call.Lanes<isSetMask>(mask, ops::WIDTH<T>), repeatTimes.Wide(), params); \
    } \
\
    template <typename T, bool isSetMask = true> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const typename LocalTensor<T>::PrimType &scalar, \
        const int32_t &count, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        DoScalar<ops::OPERATION>(call, dst, src, scalar, call.Count(count), 1, {}); \
    }

EMULATED_SCALAR(Adds, Add)
EMULATED_SCALAR(Muls, Mul)
EMULATED_SCALAR(Maxs, Max)
EMULATED_SCALAR(Mins, Min)

#undef EMULATED_SCALAR

// dst += src · scalar
template <typename To, typename From>
void DoAxpy(const VectorCall &call, const LocalTensor<To> &dst, const LocalTensor<From> &src, From scalar, const Mask &mask,
    uint32_t repeats, const UnaryRepeatParams &params)
{
    ops::Scalar<ops::MulAddDst, To, From> op;
    op.mask = mask;
    op.repeat = repeats;
    op.dst = StridesOf(params.dstBlkStride, params.dstRepStride);
    op.src = StridesOf(params.srcBlkStride, params.srcRepStride);
    op.scalar = scalar;
    IssueVector<To, From>(call, op, RepeatsOf(mask, repeats, ops::WIDTH<To, From>),
        std::array<Operand, 2>{dst.Place(), src.Place()});
}

template <typename To, typename From, bool isSetMask = true>
void Axpy(const LocalTensor<To> &dst, const LocalTensor<From> &src, const From &scalar, uint64_t mask[],
    Limited8 repeatTimes, const UnaryRepeatParams &params, Site site = Site::Here())
{
    const VectorCall call{"Axpy", site};
    DoAxpy(call, dst, src, scalar, call.Lanes<isSetMask>(mask, ops::WIDTH<To, From>), repeatTimes.Wide(), params);
}

template <typename To, typename From, bool isSetMask = true>
void Axpy(const LocalTensor<To> &dst, const LocalTensor<From> &src, const From &scalar, uint64_t mask, Limited8 repeatTimes,
    const UnaryRepeatParams &params, Site site = Site::Here())
{
    const VectorCall call{"Axpy", site};
    DoAxpy(call, dst, src, scalar, call.Lanes<isSetMask>(mask, ops::WIDTH<To, From>), repeatTimes.Wide(), params);
}

template <typename To, typename From>
void Axpy(const LocalTensor<To> &dst, const LocalTensor<From> &src, const From &scalar, const int32_t &count, Site site = Site::Here())
{
    const VectorCall call{"Axpy", site};
    constexpr uint32_t width = ops::WIDTH<To, From>;
    DoAxpy(call, dst, src, scalar, call.Count(count), 1, {1, 1, width * sizeof(To) / 32, width * sizeof(From) / 32});
}

template <typename T>
void DoShift(const VectorCall &call, const LocalTensor<T> &dst, const LocalTensor<T> &src, int64_t distance, int64_t count, bool left)
{
    ops::Shift<T> op;
    op.mask = call.Count(count);
    op.distance = Limited32(distance).Wide();
    op.left = left;
    IssueVector<T, T>(call, op, RepeatsOf(op.mask, 1, ops::WIDTH<T>), std::array<Operand, 2>{dst.Place(), src.Place()});
}

template <typename T>
void ShiftLeft(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &distance, const int32_t &count, Site site = Site::Here())
{
    DoShift(VectorCall{"ShiftLeft", site}, dst, src, static_cast<int64_t>(distance), count, true);
}

template <typename T>
void ShiftRight(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &distance, const int32_t &count, Site site = Site::Here())
{
    DoShift(VectorCall{"ShiftRight", site}, dst, src, static_cast<int64_t>(distance), count, false);
}

// ------------------------------------------------------------------ Cast

template <typename To, typename From>
void DoCast(const VectorCall &call, const LocalTensor<To> &dst, const LocalTensor<From> &src, RoundMode round, const Mask &mask,
    uint32_t repeats, const UnaryRepeatParams &params)
{
    ops::Cast<To, From> op;
    op.mask = mask;
    op.repeat = repeats;
    op.dst = StridesOf(params.dstBlkStride, params.dstRepStride);
    op.src = StridesOf(params.srcBlkStride, params.srcRepStride);
    op.round = static_cast<emulator::Round>(round);
    IssueVector<To, From>(call, op, RepeatsOf(mask, repeats, ops::WIDTH<To, From>),
        std::array<Operand, 2>{dst.Place(), src.Place()});
}

template <typename To, typename From, bool isSetMask = true>
void Cast(const LocalTensor<To> &dst, const LocalTensor<From> &src, const RoundMode &round, const uint64_t mask[],
    Limited8 repeatTimes, const UnaryRepeatParams &params, Site site = Site::Here())
{
    const VectorCall call{"Cast", site};
    DoCast(call, dst, src, round, call.Lanes<isSetMask>(mask, ops::WIDTH<To, From>), repeatTimes.Wide(), params);
}

template <typename To, typename From, bool isSetMask = true>
void Cast(const LocalTensor<To> &dst, const LocalTensor<From> &src, const RoundMode &round, uint64_t mask,
    Limited8 repeatTimes, const UnaryRepeatParams &params, Site site = Site::Here())
{
    const VectorCall call{"Cast", site};
    DoCast(call, dst, src, round, call.Lanes<isSetMask>(mask, ops::WIDTH<To, From>),
        repeatTimes.Wide(), params);
}

// Strides of the count form: what a repeat has of the narrower type is not 8 blocks.
template <typename To, typename From>
void Cast(const LocalTensor<To> &dst, const LocalTensor<From> &src, const RoundMode &round, uint32_t count,
    Site site = Site::Here())
{
    const VectorCall call{"Cast", site};
    constexpr uint32_t width = ops::WIDTH<To, From>;
    DoCast(call, dst, src, round, call.Count(count), 1, {1, 1, width * sizeof(To) / 32, width * sizeof(From) / 32});
}

} // namespace AscendC

#endif // EMULATED_VECTOR_ELEMENTWISE_H

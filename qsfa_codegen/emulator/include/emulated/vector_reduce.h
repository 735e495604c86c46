// Vector instructions that reduce: a repeat, its blocks, or its pairs to one element each.
#ifndef EMULATED_VECTOR_REDUCE_H
#define EMULATED_VECTOR_REDUCE_H

#include "emulated/parameters.h"
#include "emulated/tensor.h"
#include "emulated/vector_issue.h"
#include "ops/reduce.h"

namespace AscendC {

// The counts and strides of reductions are int32_t in the real headers; the instruction has 8 and 16 bits.
struct ReduceStrides {
    Limited8 repeats;
    Limited16 dstRepeat;
    Limited16 srcBlock;
    Limited16 srcRepeat;
};

template <typename T>
void DoWholeReduce(const VectorCall &call, const LocalTensor<T> &dst, const LocalTensor<T> &src, const Mask &mask,
    const ReduceStrides &strides, emulator::ops::Reduction reduction, emulator::ops::Order order)
{
    emulator::ops::WholeReduce<T> op;
    op.reduction = reduction;
    op.order = order;
    op.mask = mask;
    op.repeat = strides.repeats.Wide();
    op.dstRepeat = strides.dstRepeat.Wide();
    op.src = StridesOf(strides.srcBlock, strides.srcRepeat);
    IssueVector<T, T>(call, op, RepeatsOf(mask, op.repeat, emulator::ops::WIDTH<T>), std::array<Operand, 2>{dst.Place(), src.Place()});
}

#define EMULATED_EXTREME(NAME, REDUCTION) \
    template <typename T, bool isSetMask = true> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[], int32_t repeatTimes, \
        int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, \
        ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        DoWholeReduce(call, dst, src, call.Lanes<isSetMask>(mask, emulator::ops::WIDTH<T>), \
            {repeatTimes, dstRepStride, srcBlkStride, srcRepStride}, emulator::ops::Reduction::REDUCTION, \
            static_cast<emulator::ops::Order>(order)); \
    } \
\
    template <typename T, bool isSetMask = true> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t mask, int32_t repeatTimes, \
        int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, \
        ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        DoWholeReduce(call, dst, src, \
            call.Lanes<isSetMask>(static_cast<uint64_t>(mask), emulator::ops::WIDTH<T>), \
            {repeatTimes, dstRepStride, srcBlkStride, srcRepStride}, emulator::ops::Reduction::REDUCTION, \
            static_cast<emulator::ops::Order>(order)); \
    }

EMULATED_EXTREME(WholeReduceMax, MAX)
EMULATED_EXTREME(WholeReduceMin, MIN)

#undef EMULATED_EXTREME

template <typename T, bool isSetMask = true>
void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[], int32_t repeatTimes,
    int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, Site site = Site::Here())
{
    const VectorCall call{"WholeReduceSum", site};
    DoWholeReduce(call, dst, src, call.Lanes<isSetMask>(mask, emulator::ops::WIDTH<T>),
        {repeatTimes, dstRepStride, srcBlkStride, srcRepStride}, emulator::ops::Reduction::SUM, emulator::ops::Order::ONLY_VALUE);
}

template <typename T, bool isSetMask = true>
void WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t mask, int32_t repeatTimes,
    int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, Site site = Site::Here())
{
    const VectorCall call{"WholeReduceSum", site};
    DoWholeReduce(call, dst, src, call.Lanes<isSetMask>(static_cast<uint64_t>(mask), emulator::ops::WIDTH<T>),
        {repeatTimes, dstRepStride, srcBlkStride, srcRepStride}, emulator::ops::Reduction::SUM, emulator::ops::Order::ONLY_VALUE);
}

template <uint32_t group, typename T>
void DoGroupReduce(const VectorCall &call, const LocalTensor<T> &dst, const LocalTensor<T> &src, const Mask &mask,
    const ReduceStrides &strides, emulator::ops::Reduction reduction)
{
    emulator::ops::GroupReduce<T, group> op;
    op.reduction = reduction;
    op.mask = mask;
    op.repeat = strides.repeats.Wide();
    op.dstRepeat = strides.dstRepeat.Wide();
    op.src = StridesOf(strides.srcBlock, strides.srcRepeat);
    IssueVector<T, T>(call, op, RepeatsOf(mask, op.repeat, emulator::ops::WIDTH<T>), std::array<Operand, 2>{dst.Place(), src.Place()});
}

// In these the repeat count stands before the mask.
#define EMULATED_GROUPS(NAME, GROUP, REDUCTION) \
    template <typename T, bool isSetMask = true> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeat, const uint64_t mask[], \
        int32_t dstRepStride, int32_t srcBlkStride, int32_t srcRepStride, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        DoGroupReduce<GROUP>(call, dst, src, call.Lanes<isSetMask>(mask, emulator::ops::WIDTH<T>), \
            {repeat, dstRepStride, srcBlkStride, srcRepStride}, emulator::ops::Reduction::REDUCTION); \
    } \
\
    template <typename T, bool isSetMask = true> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeat, int32_t mask, int32_t dstRepStride, \
        int32_t srcBlkStride, int32_t srcRepStride, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        DoGroupReduce<GROUP>(call, dst, src, \
            call.Lanes<isSetMask>(static_cast<uint64_t>(mask), emulator::ops::WIDTH<T>), \
            {repeat, dstRepStride, srcBlkStride, srcRepStride}, emulator::ops::Reduction::REDUCTION); \
    }

EMULATED_GROUPS(BlockReduceSum, 32 / sizeof(T), SUM)
EMULATED_GROUPS(BlockReduceMax, 32 / sizeof(T), MAX)
EMULATED_GROUPS(BlockReduceMin, 32 / sizeof(T), MIN)
EMULATED_GROUPS(PairReduceSum, 2, SUM)

#undef EMULATED_GROUPS

} // namespace AscendC

#endif // EMULATED_VECTOR_REDUCE_H

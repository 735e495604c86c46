// Vector intrinsics that reduce.
#ifndef EMULATOR_INTRINSICS_REDUCE_H
#define EMULATOR_INTRINSICS_REDUCE_H

#include "intrinsics/vector.h"
#include "ops/reduce.h"

namespace emulator::intrinsics {

// Between results, in what one repeat writes; of the source, in blocks.
struct Reducing {
    uint8_t repeat;
    uint16_t dstRepeat;
    uint16_t srcBlock;
    uint16_t srcRepeat;
};

template <typename T>
void WholeReduce(const char *name, Site site, T *dst, T *src, const Reducing &what, ops::Reduction reduction, ops::Order order)
{
    using N = Number<T>;
    ops::WholeReduce<N> op;
    op.reduction = reduction;
    op.order = order;
    op.dstRepeat = what.dstRepeat;
    op.src = {what.srcBlock, what.srcRepeat};
    IssueMasked<N, N>(name, site, op, what.repeat, ops::WIDTH<N>, std::array<Operand, 2>{Ub(dst), Ub(src)});
}

template <uint32_t group, typename T>
void GroupReduce(const char *name, Site site, T *dst, T *src, const Reducing &what, ops::Reduction reduction)
{
    using N = Number<T>;
    ops::GroupReduce<N, group> op;
    op.reduction = reduction;
    op.dstRepeat = what.dstRepeat;
    op.src = {what.srcBlock, what.srcRepeat};
    IssueMasked<N, N>(name, site, op, what.repeat, ops::WIDTH<N>, std::array<Operand, 2>{Ub(dst), Ub(src)});
}

} // namespace emulator::intrinsics

#define EMULATED_WHOLE_EXTREME(NAME, API, REDUCTION, T) \
    void NAME(T *dst, T *src, uint8_t repeat, uint16_t dstRepeat, uint16_t srcBlock, uint16_t srcRepeat, Order_t order) \
    { \
        emulator::intrinsics::WholeReduce(API, emulator::Caller(), dst, src, {repeat, dstRepeat, srcBlock, srcRepeat}, \
            emulator::ops::Reduction::REDUCTION, static_cast<emulator::ops::Order>(order)); \
    }

// The last argument tells whether the result stays in a register instead, which is not modelled.
#define EMULATED_WHOLE_SUM(T) \
    void vcadd(T *dst, T *src, uint8_t repeat, uint16_t dstRepeat, uint16_t srcBlock, uint16_t srcRepeat, bool) \
    { \
        emulator::intrinsics::WholeReduce("WholeReduceSum", emulator::Caller(), dst, src, \
            {repeat, dstRepeat, srcBlock, srcRepeat}, emulator::ops::Reduction::SUM, emulator::ops::Order::ONLY_VALUE); \
    }

#define EMULATED_GROUPS(NAME, API, GROUP, REDUCTION, T) \
    void NAME(T *dst, T *src, uint8_t repeat, uint16_t dstRepeat, uint16_t srcBlock, uint16_t srcRepeat) \
    { \
        emulator::intrinsics::GroupReduce<GROUP>(API, emulator::Caller(), dst, src, \
            {repeat, dstRepeat, srcBlock, srcRepeat}, emulator::ops::Reduction::REDUCTION); \
    }

#define EMULATED_REDUCTIONS(T) \
    EMULATED_WHOLE_EXTREME(vcmax, "WholeReduceMax", MAX, T) \
    EMULATED_WHOLE_EXTREME(vcmin, "WholeReduceMin", MIN, T) \
    EMULATED_WHOLE_SUM(T) \
    EMULATED_GROUPS(vcgadd, "BlockReduceSum", 32 / sizeof(T), SUM, T) \
    EMULATED_GROUPS(vcgmax, "BlockReduceMax", 32 / sizeof(T), MAX, T) \
    EMULATED_GROUPS(vcgmin, "BlockReduceMin", 32 / sizeof(T), MIN, T) \
    EMULATED_GROUPS(vcpadd, "PairReduceSum", 2, SUM, T)

EMULATED_REDUCTIONS(half)
EMULATED_REDUCTIONS(float)

#undef EMULATED_REDUCTIONS
#undef EMULATED_GROUPS
#undef EMULATED_WHOLE_SUM
#undef EMULATED_WHOLE_EXTREME

#endif // EMULATOR_INTRINSICS_REDUCE_H

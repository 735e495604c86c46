// The ranges that the public documents give the parameters, under the names that they have there.
//
// Limits(instruction, visit) calls visit(const Limit &) for every parameter that has a range. Where the chip takes
// no part of an instruction (a count of 0 is "does nothing"), 0 is in the range.
#pragma once

#include "compare.h"
#include "elementwise.h"
#include "fixpipe.h"
#include "gather.h"
#include "load3d.h"
#include "mmad.h"
#include "rearrange.h"
#include "reduce.h"
#include "transpose.h"

namespace emulator::ops {

struct Limit {
    const char *name;
    uint64_t value;
    uint64_t least;
    uint64_t greatest;
    uint64_t multiple = 1;

    bool Kept() const
    {
        return least <= value && value <= greatest && value % multiple == 0;
    }
};

constexpr uint64_t BITS8 = 0xff;
constexpr uint64_t BITS12 = 0xfff;
constexpr uint64_t BITS16 = 0xffff;

// In counter mode the repeat count has no effect.
template <class Visit>
void LimitRepeat(const Mask &mask, uint32_t repeat, Visit &visit)
{
    visit(Limit{"repeatTime", mask.counter ? 0 : repeat, 0, BITS8});
}

// Strides of the structs UnaryRepeatParams (block strides of 16 bits) and BinaryRepeatParams (8 bits).
template <class Visit>
void LimitDst(Strides dst, uint64_t block, uint64_t repeat, Visit &visit)
{
    visit(Limit{"dstBlkStride", dst.block, 1, block});
    visit(Limit{"dstRepStride", dst.repeat, 0, repeat});
}

template <class Instruction, class Visit>
void LimitUnary(const Instruction &of, Visit &visit)
{
    LimitRepeat(of.mask, of.repeat, visit);
    LimitDst(of.dst, BITS16, BITS8, visit);
    visit(Limit{"srcBlkStride", of.src.block, 0, BITS16});
    visit(Limit{"srcRepStride", of.src.repeat, 0, BITS8});
}

template <class Visit>
void LimitSources(Strides src0, Strides src1, Visit &visit)
{
    visit(Limit{"src0BlkStride", src0.block, 0, BITS8});
    visit(Limit{"src0RepStride", src0.repeat, 0, BITS8});
    visit(Limit{"src1BlkStride", src1.block, 0, BITS8});
    visit(Limit{"src1RepStride", src1.repeat, 0, BITS8});
}

template <class Op, class T, class Visit>
void Limits(const Unary<Op, T> &of, Visit &&visit)
{
    LimitUnary(of, visit);
}

template <class To, class From, class Visit>
void Limits(const Cast<To, From> &of, Visit &&visit)
{
    LimitUnary(of, visit);
}

template <class Op, class To, class From, class Visit>
void Limits(const Scalar<Op, To, From> &of, Visit &&visit)
{
    LimitUnary(of, visit);
}

template <class T, class Visit>
void Limits(const Shift<T> &of, Visit &&visit)
{
    LimitUnary(of, visit);
    visit(Limit{"scalarValue", of.distance, 0, 8 * sizeof(T)});
}

template <class Op, class To, class From, class Visit>
void Limits(const Binary<Op, To, From> &of, Visit &&visit)
{
    LimitRepeat(of.mask, of.repeat, visit);
    LimitDst(of.dst, BITS8, BITS8, visit);
    LimitSources(of.src0, of.src1, visit);
}

template <class T, class Visit>
void Limits(const Select<T> &of, Visit &&visit)
{
    LimitRepeat(of.mask, of.repeat, visit);
    LimitDst(of.dst, BITS8, BITS8, visit);
    LimitSources(of.src0, of.scalar ? Strides{} : of.src1, visit);
}

template <class T, class Visit>
void Limits(const Compare<T> &of, Visit &&visit)
{
    visit(Limit{"repeatTime", of.repeat, 0, BITS8});
    if (of.scalar) {
        visit(Limit{"srcBlkStride", of.src0.block, 0, BITS16});
        visit(Limit{"srcRepStride", of.src0.repeat, 0, BITS8});
    } else {
        LimitSources(of.src0, of.src1, visit);
    }
}

template <class T, class Visit>
void Limits(const CompareToRegister<T> &of, Visit &&visit)
{
    LimitSources(of.src0, of.src1, visit);
}

template <class T, class Visit>
void Limits(const Duplicate<T> &of, Visit &&visit)
{
    LimitRepeat(of.mask, of.repeat, visit);
    LimitDst(of.dst, BITS16, BITS8, visit);
}

template <class T, class Visit>
void Limits(const ArithProgression<T> &of, Visit &&visit)
{
    LimitRepeat(of.mask, of.repeat, visit);
    LimitDst(of.dst, BITS16, BITS8, visit);
}

// Here a mask in counter mode leaves the repeat count its effect.
template <class T, class Visit>
void Limits(const Copy<T> &of, Visit &&visit)
{
    visit(Limit{"repeatTime", of.repeat, 0, BITS8});
    visit(Limit{"dstStride", of.dst.block, 0, BITS16});
    visit(Limit{"srcStride", of.src.block, 0, BITS16});
    visit(Limit{"dstRepeatSize", of.dst.repeat, 0, BITS12});
    visit(Limit{"srcRepeatSize", of.src.repeat, 0, BITS12});
}

template <class T, class Visit>
void Limits(const BroadcastBlocks<T> &of, Visit &&visit)
{
    visit(Limit{"repeatTime", of.repeat, 0, BITS8});
    LimitDst(of.dst, BITS16, BITS16, visit);
}

template <class T, class Visit>
void Limits(const Gather<T> &of, Visit &&visit)
{
    LimitRepeat(of.mask, of.repeat, visit);
    visit(Limit{"dstRepStride", of.dstRepeat, 0, BITS16});
    visit(Limit{"srcBaseAddr", of.base, 0, 0xffffffff, sizeof(T)});
}

template <class T, class Visit>
void Limits(const GatherMask<T> &of, Visit &&visit)
{
    visit(Limit{"src1Pattern", of.pattern, 0, 7});
    visit(Limit{"repeatTimes", of.repeat, 0, BITS16});
    visit(Limit{"src0BlockStride", of.src.block, 0, BITS8});
    visit(Limit{"src0RepeatStride", of.src.repeat, 0, BITS16});
    visit(Limit{"src1RepeatStride", of.patternRepeat, 0, BITS8});
}

template <class Visit>
void Limits(const Transpose &, Visit &&)
{
}

template <class T, class Visit>
void Limits(const TransposeBlocks<T> &of, Visit &&visit)
{
    visit(Limit{"repeatTimes", of.repeat, 0, BITS8});
    visit(Limit{"dstRepStride", of.dstRepeat, 0, BITS16});
    visit(Limit{"srcRepStride", of.srcRepeat, 0, BITS16});
}

template <class Instruction, class Visit>
void LimitReduction(const Instruction &of, Visit &visit)
{
    LimitRepeat(of.mask, of.repeat, visit);
    visit(Limit{"dstRepStride", of.dstRepeat, 0, BITS16});
    visit(Limit{"srcBlkStride", of.src.block, 0, BITS16});
    visit(Limit{"srcRepStride", of.src.repeat, 0, BITS16});
}

template <class T, class Visit>
void Limits(const WholeReduce<T> &of, Visit &&visit)
{
    LimitReduction(of, visit);
}

template <class T, class Visit>
void Limits(const Accumulate<T> &of, Visit &&visit)
{
    LimitRepeat(of.mask, of.repeat, visit);
    visit(Limit{"srcBlkStride", of.src.block, 0, BITS16});
    visit(Limit{"srcRepStride", of.src.repeat, 0, BITS16});
}

template <class T, uint32_t group, class Visit>
void Limits(const GroupReduce<T, group> &of, Visit &&visit)
{
    LimitReduction(of, visit);
}

} // namespace emulator::ops

// The ranges of the parameters of copies and of the cube's instructions. See limits.h.
#pragma once

#include "limits.h"

namespace emulator::ops {

template <class Visit>
void Limits(const Move &of, Visit &&visit)
{
    visit(Limit{"blockCount", of.bursts, 0, BITS12});
    visit(Limit{"blockLen", of.length, 0, BITS16});
    visit(Limit{"srcGap", of.srcGap, 0, BITS16});
    visit(Limit{"dstGap", of.dstGap, 0, BITS16});
}

constexpr uint64_t LONGEST_BURST = (1 << 21) - 1;

template <class Visit>
void LimitPadded(uint64_t bursts, uint64_t length, uint64_t srcGap, uint64_t dstGap, uint64_t size, Visit &visit)
{
    visit(Limit{"blockCount", bursts, 0, BITS12});
    visit(Limit{"blockLen", length, 0, LONGEST_BURST, size});
    visit(Limit{"srcStride", srcGap, 0, 0xffffffff});
    visit(Limit{"dstStride", dstGap, 0, 0xffffffff});
}

template <class Visit>
void Limits(const MovePadIn &of, Visit &&visit)
{
    LimitPadded(of.bursts, of.length, of.srcGap, of.dstGap, of.elementSize, visit);
    visit(Limit{"leftPadding", of.left / of.elementSize, 0, BLOCK / of.elementSize});
    visit(Limit{"rightPadding", of.right / of.elementSize, 0, BLOCK / of.elementSize});
}

template <class T, class Visit>
void Limits(const MoveOut<T> &of, Visit &&visit)
{
    LimitPadded(of.bursts, of.length, of.srcGap, of.dstGap, sizeof(T), visit);
}

template <class Visit>
void Limits(const MoveNdToNz &of, Visit &&visit)
{
    visit(Limit{"ndNum", of.ndNum, 0, BITS12});
    visit(Limit{"nValue", of.nValue, 0, 16384});
    visit(Limit{"dValue", of.dValue, 0, BITS16});
    visit(Limit{"srcNdMatrixStride", of.srcNdMatrixStride, 0, BITS16});
    visit(Limit{"srcDValue", of.srcDValue, 1, BITS16});
    visit(Limit{"dstNzC0Stride", of.dstNzC0Stride, 1, 16384});
    visit(Limit{"dstNzNStride", of.dstNzNStride, 1, 16384});
    visit(Limit{"dstNzMatrixStride", of.dstNzMatrixStride, 0, 16384});
}

template <class Visit>
void Limits(const Load2D &of, Visit &&visit)
{
    visit(Limit{"startIndex", of.startIndex, 0, BITS16});
    visit(Limit{"repeatTimes", of.repeat, 0, BITS8});
    visit(Limit{"srcStride", of.srcStride, 0, BITS16});
    visit(Limit{"dstGap", of.dstGap, 0, BITS16});
}

template <class Visit>
void Limits(const LoadTransposed &of, Visit &&visit)
{
    visit(Limit{"startIndex", of.startIndex, 0, BITS16});
    visit(Limit{"repeatTimes", of.repeat, 0, BITS8});
    visit(Limit{"srcStride", of.srcStride, 0, BITS16});
    visit(Limit{"dstGap", of.dstGap, 0, BITS16});
    visit(Limit{"dstFracGap", of.dstFracGap, 0, BITS16});
}

// Filters may have 256 more than their 8 bits, by filterSizeW and filterSizeH.
template <class Visit>
void Limits(const Load3D &of, Visit &&visit)
{
    visit(Limit{"padList[0]", of.padLeft, 0, BITS8});
    visit(Limit{"padList[1]", of.padRight, 0, BITS8});
    visit(Limit{"padList[2]", of.padTop, 0, BITS8});
    visit(Limit{"padList[3]", of.padBottom, 0, BITS8});
    visit(Limit{"l1H", of.l1H, 0, 32767});
    visit(Limit{"l1W", of.l1W, 0, 32767});
    visit(Limit{"channelSize", of.channelSize, 0, BITS16});
    visit(Limit{"kExtension", of.kExtension, 0, BITS16});
    visit(Limit{"mExtension", of.mExtension, 0, BITS16});
    visit(Limit{"kStartPt", of.kStart, 0, BITS16, BLOCK / of.elementSize});
    visit(Limit{"mStartPt", of.mStart, 0, 32767});
    visit(Limit{"strideW", of.strideW, 0, 63});
    visit(Limit{"strideH", of.strideH, 0, 63});
    visit(Limit{"filterW", of.filterW, 0, 256 + BITS8});
    visit(Limit{"filterH", of.filterH, 0, 256 + BITS8});
    visit(Limit{"dilationFilterW", of.dilationW, 0, BITS8});
    visit(Limit{"dilationFilterH", of.dilationH, 0, BITS8});
}

template <class C, class A, class B, class Visit>
void Limits(const Mmad<C, A, B> &of, Visit &&visit)
{
    visit(Limit{"m", of.m, 0, BITS12});
    visit(Limit{"n", of.n, 0, BITS12});
    visit(Limit{"k", of.k, 0, BITS12});
}

// dstStride is in the units of the struct: blocks in NZ, elements in ND.
template <class To, class From, class Visit>
void Limits(const Fixpipe<To, From> &of, Visit &&visit)
{
    visit(Limit{"nSize", of.nSize, 0, BITS12, of.nz && of.splitChannels ? 8u : 16u});
    visit(Limit{"mSize", of.mSize, 0, of.nz ? BITS16 : 8192});
    visit(Limit{"srcStride", of.srcStride, 0, BITS16});
    visit(Limit{"dstStride", of.nz ? of.dstStride / BLOCK : of.dstStride, 1, 0xffffffff});
    visit(Limit{"ndNum", of.ndNum, 0, BITS16});
    visit(Limit{"srcNdStride", of.srcNdStride, 0, 512});
    visit(Limit{"dstNdStride", of.dstNdStride, 0, BITS16});
}

} // namespace emulator::ops

// Vector instructions that fill, copy, broadcast and gather.
#ifndef EMULATED_VECTOR_REARRANGE_H
#define EMULATED_VECTOR_REARRANGE_H

#include "emulated/gather_mask_issue.h"
#include "emulated/vector_mask.h"
#include "ops/rearrange.h"

namespace AscendC {

// An unsigned integer as wide as an element.
template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 1, uint8_t, std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>>;

// ------------------------------------------------------------------ Duplicate

template <typename T>
void DoDuplicate(const VectorCall &call, const LocalTensor<T> &dst, T value, const Mask &mask, uint32_t repeats,
    const Strides &strides)
{
    emulator::ops::Duplicate<T> op;
    op.mask = mask;
    op.repeat = repeats;
    op.dst = strides;
    op.scalar = value;
    // Numbers are not watched: a fill with infinity is meant.
    IssueVector<BitsOf<T>, BitsOf<T>>(call, op, RepeatsOf(mask, repeats, emulator::ops::WIDTH<T>),
        std::array<Operand, 1>{dst.Place()});
}

template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T> &dst, const typename LocalTensor<T>::PrimType &value, uint64_t mask[],
    Limited8 repeatTimes, Limited16 dstBlockStride, Limited8 dstRepeatStride, Site site = Site::Here())
{
    const VectorCall call{"Duplicate", site};
    DoDuplicate(call, dst, value, call.Lanes<isSetMask>(mask, emulator::ops::WIDTH<T>), repeatTimes.Wide(),
        StridesOf(dstBlockStride, dstRepeatStride));
}

template <typename T, bool isSetMask = true>
void Duplicate(const LocalTensor<T> &dst, const typename LocalTensor<T>::PrimType &value, uint64_t mask,
    Limited8 repeatTimes, Limited16 dstBlockStride, Limited8 dstRepeatStride, Site site = Site::Here())
{
    const VectorCall call{"Duplicate", site};
    DoDuplicate(call, dst, value, call.Lanes<isSetMask>(mask, emulator::ops::WIDTH<T>),
        repeatTimes.Wide(), StridesOf(dstBlockStride, dstRepeatStride));
}

template <typename T>
void Duplicate(const LocalTensor<T> &dst, const typename LocalTensor<T>::PrimType &value, const int32_t &count,
    Site site = Site::Here())
{
    const VectorCall call{"Duplicate", site};
    DoDuplicate(call, dst, value, call.Count(count), 1, {});
}

// ------------------------------------------------------------------ Copy, Brcb

template <typename T>
void DoCopy(const VectorCall &call, const LocalTensor<T> &dst, const LocalTensor<T> &src, const Mask &mask, uint32_t repeats,
    const CopyRepeatParams &params)
{
    emulator::ops::Copy<BitsOf<T>> op;
    op.mask = mask;
    op.repeat = repeats;
    op.dst = StridesOf(params.dstStride, params.dstRepeatSize);
    op.src = StridesOf(params.srcStride, params.srcRepeatSize);
    IssueVector<BitsOf<T>, BitsOf<T>>(call, op, repeats, std::array<Operand, 2>{dst.Place(), src.Place()});
}

template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[], Limited8 repeatTimes,
    const CopyRepeatParams &params, Site site = Site::Here())
{
    const VectorCall call{"Copy", site};
    DoCopy(call, dst, src, call.Lanes<isSetMask>(mask, emulator::ops::WIDTH<T>), repeatTimes.Wide(), params);
}

template <typename T, bool isSetMask = true>
void Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask, Limited8 repeatTimes,
    const CopyRepeatParams &params, Site site = Site::Here())
{
    const VectorCall call{"Copy", site};
    DoCopy(call, dst, src, call.Lanes<isSetMask>(mask, emulator::ops::WIDTH<T>), repeatTimes.Wide(), params);
}

template <typename T>
void Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, Limited8 repeatTimes, const BrcbRepeatParams &params,
    Site site = Site::Here())
{
    const VectorCall call{"Brcb", site};
    ResetMask();
    emulator::ops::BroadcastBlocks<BitsOf<T>> op;
    op.repeat = repeatTimes.Wide();
    op.dst = StridesOf(params.dstBlkStride, params.dstRepStride);
    IssueVector<BitsOf<T>, BitsOf<T>>(call, op, op.repeat, std::array<Operand, 2>{dst.Place(), src.Place()});
}

// ------------------------------------------------------------------ Gather

template <typename T>
void DoGather(const VectorCall &call, const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offsets,
    uint32_t base, const Mask &mask, uint32_t repeats, Limited16 dstRepStride)
{
    emulator::ops::Gather<BitsOf<T>> op;
    op.mask = mask;
    op.repeat = repeats;
    op.dstRepeat = dstRepStride.Wide();
    op.base = base;
    IssueVector<BitsOf<T>, BitsOf<T>>(call, op, RepeatsOf(mask, repeats, emulator::ops::WIDTH<T>),
        std::array<Operand, 3>{dst.Place(), src.Place(), offsets.Place()}, true);
}

template <typename T>
void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offsets, uint32_t srcBaseAddr,
    uint64_t mask, Limited8 repeatTimes, Limited16 dstRepStride, Site site = Site::Here())
{
    const VectorCall call{"Gather", site};
    DoGather(call, dst, src, offsets, srcBaseAddr, call.Lanes(mask, emulator::ops::WIDTH<T>), repeatTimes.Wide(), dstRepStride);
}

template <typename T>
void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offsets, uint32_t srcBaseAddr,
    const uint64_t mask[], Limited8 repeatTimes, Limited16 dstRepStride, Site site = Site::Here())
{
    const VectorCall call{"Gather", site};
    DoGather(call, dst, src, offsets, srcBaseAddr, call.Lanes(mask, emulator::ops::WIDTH<T>), repeatTimes.Wide(), dstRepStride);
}

template <typename T>
void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offsets, uint32_t srcBaseAddr,
    uint32_t count, Site site = Site::Here())
{
    constexpr uint32_t width = emulator::ops::WIDTH<T>;
    const uint32_t tail = count % width;
    const uint32_t whole = count - tail;
    if (whole > 0) { // on arch22 one instruction for whole repeats, and one for the rest
        Gather(dst, src, offsets, srcBaseAddr, static_cast<uint64_t>(width), whole / width, 8, site);
    }
    if (tail > 0) {
        Gather(dst[whole], src, offsets[whole], srcBaseAddr, static_cast<uint64_t>(tail), 1, 8, site);
    }
}

// Packs the chosen elements. The count of them comes back to the scalar unit, which waits for it.
template <typename T>
void DoGatherMask(const VectorCall &call, const LocalTensor<T> &dst, const LocalTensor<T> &src, const Operand &pattern,
    uint8_t builtIn, bool reduceMode, uint32_t mask, const GatherMaskParams &params, uint64_t &taken)
{
    emulator::ops::GatherMask<BitsOf<T>> op;
    op.pattern = builtIn;
    op.count = reduceMode ? mask : 0;
    op.repeat = params.repeatTimes.Wide();
    op.src = StridesOf(params.src0BlockStride, params.src0RepeatStride);
    op.patternRepeat = params.src1RepeatStride.Wide();
    const std::array<Operand, 3> operands{dst.Place(), src.Place(), pattern};
    if (reduceMode && mask == 0) {
        Refuse(call.name, call.site, "mask is 0 in counter mode; expected: the elements of a repeat");
    }
    if (op.repeat == 0) {
        taken = 0;
        return;
    }
    emulator::Here().mask = {false, mask, 0};
    const auto result = IssueGatherMask(call, op, operands);
    emulator::Here().AwaitPipe(Pipe::V, call.site);
    taken = *result;
}

template <typename T, typename U>
void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<U> &pattern, bool reduceMode,
    uint32_t mask, const GatherMaskParams &params, uint64_t &rsvdCnt, Site site = Site::Here())
{
    static_assert(sizeof(U) == sizeof(T), "the pattern's elements are as wide as those of the source");
    DoGatherMask(VectorCall{"GatherMask", site}, dst, src, pattern.Place(), 0, reduceMode, mask, params, rsvdCnt);
}

template <typename T>
void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint8_t pattern, bool reduceMode, uint32_t mask,
    const GatherMaskParams &params, uint64_t &rsvdCnt, Site site = Site::Here())
{
    CheckRange("GatherMask", site, "src1Pattern", pattern, 1, 7);
    DoGatherMask(VectorCall{"GatherMask", site}, dst, src, src.Place(), pattern, reduceMode, mask, params, rsvdCnt);
}

} // namespace AscendC

#endif // EMULATED_VECTOR_REARRANGE_H

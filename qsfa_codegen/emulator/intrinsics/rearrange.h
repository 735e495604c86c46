// Vector intrinsics that fill, copy, gather, compare and select.
#ifndef EMULATOR_INTRINSICS_REARRANGE_H
#define EMULATOR_INTRINSICS_REARRANGE_H

#include "emulated/cmp_mask.h"
#include "emulated/gather_mask_issue.h"
#include "intrinsics/vector.h"
#include "ops/compare.h"
#include "ops/rearrange.h"

namespace emulator::intrinsics {

template <typename T>
using BitsOf = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;

// Numbers are not watched: a fill with infinity is meant.
template <typename T>
void Duplicate(Site site, T *dst, T value, uint8_t repeat, Steps to)
{
    using N = Number<T>;
    ops::Duplicate<N> op;
    op.dst = to;
    op.scalar = ToNumber(value);
    IssueMasked<BitsOf<T>, BitsOf<T>>("Duplicate", site, op, repeat, ops::WIDTH<N>, std::array<Operand, 1>{Ub(dst)});
}

template <typename T>
void Copy(Site site, T *dst, T *src, uint8_t repeat, Steps to, Steps from)
{
    ops::Copy<BitsOf<T>> op;
    op.mask = MaskNow();
    op.repeat = repeat;
    op.dst = to;
    op.src = from;
    AscendC::IssueVector<BitsOf<T>, BitsOf<T>>({"Copy", site}, op, repeat, std::array<Operand, 2>{Ub(dst), Ub(src)});
}

template <typename T>
void BroadcastBlocks(Site site, T *dst, T *src, uint8_t repeat, Steps to)
{
    ops::BroadcastBlocks<T> op;
    op.repeat = repeat;
    op.dst = to;
    AscendC::IssueVector<T, T>({"Brcb", site}, op, repeat, std::array<Operand, 2>{Ub(dst), Ub(src)});
}

// Of the source's address only the lower half is an argument; SetModelGatherbSrc0Tensor tells the whole.
template <typename T>
void Gather(Site site, T *dst, uint32_t *offsets, uint32_t address, uint8_t repeat, uint16_t dstRepeat)
{
    const auto *source = static_cast<const uint8_t *>(OfCore().gatherFrom);
    if (source == nullptr) {
        source = Here().In(Space::UB).Data();
        source += address - static_cast<uint32_t>(reinterpret_cast<uintptr_t>(source));
    }
    ops::Gather<T> op;
    op.mask = MaskNow();
    op.repeat = repeat;
    op.dstRepeat = dstRepeat;
    AscendC::IssueVector<T, T>({"Gather", site}, op, AscendC::RepeatsOf(op.mask, repeat, ops::WIDTH<T>),
        std::array<Operand, 3>{Ub(dst), Ub(source), Ub(offsets)}, true);
}

template <typename T>
void GatherMask(Site site, T *dst, T *src, T *pattern, uint16_t repeat, Steps from, uint8_t builtIn, uint8_t patternRepeat)
{
    ops::GatherMask<T> op;
    const ops::Mask mask = MaskNow();
    op.pattern = builtIn;
    op.count = mask.counter ? static_cast<uint32_t>(mask.low) : 0;
    op.repeat = repeat;
    op.src = from;
    op.patternRepeat = patternRepeat;
    OfCore().taken = AscendC::IssueGatherMask<T>({"GatherMask", site}, op, {Ub(dst), Ub(src), Ub(builtIn == 0 ? pattern : src)});
}

template <typename T>
void Compare(Site site, uint8_t *dst, T *src0, T *src1, uint8_t repeat, Steps from0, Steps from1, ops::Relation relation)
{
    using N = Number<T>;
    ops::Compare<N> op;
    op.relation = relation;
    op.repeat = repeat;
    op.src0 = from0;
    op.src1 = from1;
    AscendC::IssueVector<uint8_t, N>({"Compare", site}, op, repeat, std::array<Operand, 3>{Ub(dst), Ub(src0), Ub(src1)});
}

template <typename T>
void CompareScalar(Site site, uint8_t *dst, T *src, T value, uint8_t repeat, Steps from, ops::Relation relation)
{
    using N = Number<T>;
    ops::Compare<N> op;
    op.relation = relation;
    op.repeat = repeat;
    op.src0 = from;
    op.scalar = true;
    op.value = ToNumber(value);
    AscendC::IssueVector<uint8_t, N>({"CompareScalar", site}, op, repeat, std::array<Operand, 2>{Ub(dst), Ub(src)});
}

// With a tensor of bits where that is not in the register, and a second source unless it is a scalar in the register.
template <typename T>
void Select(Site site, T *dst, T *src0, const Operand &bits, const Operand &other, uint8_t repeat, Steps to, Steps from0, Steps from1)
{
    using N = Number<T>;
    ops::Select<N> op;
    op.dst = to;
    op.src0 = from0;
    op.src1 = from1;
    op.sameBits = op.bitsInRegister = bits.memory->InSpace() == Space::CMPMASK;
    op.scalar = op.valueInRegister = other.memory->InSpace() == Space::CMPMASK;
    IssueMasked<N, N>("Select", site, op, repeat, ops::WIDTH<N>, std::array<Operand, 4>{Ub(dst), bits, Ub(src0), other});
}

} // namespace emulator::intrinsics

// ------------------------------------------------------------------ fill, copy, gather

#define EMULATED_DUPLICATE(STRIDE, T) \
    void vector_dup(T *dst, T value, uint8_t repeat, uint16_t dstBlock, uint16_t, STRIDE dstRepeat, STRIDE) \
    { \
        emulator::intrinsics::Duplicate(emulator::Caller(), dst, value, repeat, {dstBlock, dstRepeat}); \
    }

EMULATED_BOTH_WIDTHS(EMULATED_DUPLICATE, half)
EMULATED_BOTH_WIDTHS(EMULATED_DUPLICATE, bfloat16_t)
EMULATED_BOTH_WIDTHS(EMULATED_DUPLICATE, float)
EMULATED_BOTH_WIDTHS(EMULATED_DUPLICATE, int16_t)
EMULATED_BOTH_WIDTHS(EMULATED_DUPLICATE, uint16_t)
EMULATED_BOTH_WIDTHS(EMULATED_DUPLICATE, int32_t)
EMULATED_BOTH_WIDTHS(EMULATED_DUPLICATE, uint32_t)

#undef EMULATED_DUPLICATE

#define EMULATED_COPY(T) \
    void vcopy(T *dst, T *src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock, uint16_t dstRepeat, uint16_t srcRepeat) \
    { \
        emulator::intrinsics::Copy(emulator::Caller(), dst, src, repeat, {dstBlock, dstRepeat}, {srcBlock, srcRepeat}); \
    }

EMULATED_COPY(int16_t)
EMULATED_COPY(uint16_t)
EMULATED_COPY(int32_t)
EMULATED_COPY(uint32_t)

#undef EMULATED_COPY

#define EMULATED_GATHERS(T) \
    void vbrcb(T *dst, T *src, uint16_t dstBlock, uint16_t dstRepeat, uint8_t repeat) \
    { \
        emulator::intrinsics::BroadcastBlocks(emulator::Caller(), dst, src, repeat, {dstBlock, dstRepeat}); \
    } \
\
    void vgather(T *dst, uint32_t *offsets, uint32_t address, uint16_t dstRepeat, uint8_t repeat) \
    { \
        emulator::intrinsics::Gather(emulator::Caller(), dst, offsets, address, repeat, dstRepeat); \
    } \
\
    void vreducev2(T *dst, T *src, T *pattern, uint16_t repeat, uint8_t srcBlock, uint8_t builtIn, uint16_t srcRepeat, \
        uint8_t patternRepeat) \
    { \
        emulator::intrinsics::GatherMask(emulator::Caller(), dst, src, pattern, repeat, {srcBlock, srcRepeat}, builtIn, \
            patternRepeat); \
    }

EMULATED_GATHERS(uint16_t)
EMULATED_GATHERS(uint32_t)

#undef EMULATED_GATHERS

// How many elements vreducev2 took: the scalar unit waits for it.
int64_t get_rsvd_cnt()
{
    emulator::Here().AwaitPipe(emulator::Pipe::V, emulator::Caller());
    return static_cast<int64_t>(*emulator::intrinsics::OfCore().taken);
}

// ------------------------------------------------------------------ compare

#define EMULATED_COMPARE(RELATION, SUFFIX, T) \
    void vcmpv_##SUFFIX(uint8_t *dst, T *src0, T *src1, uint8_t repeat, uint8_t, uint8_t src0Block, uint8_t src1Block, \
        uint8_t, uint8_t src0Repeat, uint8_t src1Repeat) \
    { \
        emulator::intrinsics::Compare(emulator::Caller(), dst, src0, src1, repeat, {src0Block, src0Repeat}, \
            {src1Block, src1Repeat}, emulator::ops::Relation::RELATION); \
    }

#define EMULATED_COMPARE_SCALAR(STRIDE, RELATION, SUFFIX, T) \
    void vcmpvs_##SUFFIX(uint8_t *dst, T *src, T value, uint8_t repeat, uint16_t, uint16_t srcBlock, STRIDE, STRIDE srcRepeat) \
    { \
        emulator::intrinsics::CompareScalar(emulator::Caller(), dst, src, value, repeat, {srcBlock, srcRepeat}, \
            emulator::ops::Relation::RELATION); \
    }

#define EMULATED_COMPARES(RELATION, SUFFIX) \
    EMULATED_COMPARE(RELATION, SUFFIX, half) \
    EMULATED_COMPARE(RELATION, SUFFIX, float) \
    EMULATED_BOTH_WIDTHS(EMULATED_COMPARE_SCALAR, RELATION, SUFFIX, half) \
    EMULATED_BOTH_WIDTHS(EMULATED_COMPARE_SCALAR, RELATION, SUFFIX, float)

EMULATED_COMPARES(LT, lt)
EMULATED_COMPARES(GT, gt)
EMULATED_COMPARES(EQ, eq)
EMULATED_COMPARES(LE, le)
EMULATED_COMPARES(GE, ge)
EMULATED_COMPARES(NE, ne)
EMULATED_COMPARE(EQ, eq, int32_t)
EMULATED_BOTH_WIDTHS(EMULATED_COMPARE_SCALAR, EQ, eq, int32_t)

#undef EMULATED_COMPARES
#undef EMULATED_COMPARE_SCALAR
#undef EMULATED_COMPARE

// ------------------------------------------------------------------ select

// Where the register shall have the address of bits, the headers of CPU debug mode write it to UB with the scalar unit,
// whole, in place of a vector instruction of the device: here that is issued.
void set_cmpmask(void *src)
{
    using namespace emulator::intrinsics;
    const AscendC::VectorCall call{"Select", emulator::Caller()};
    Registers &registers = OfCore();
    if (registers.scratch == src) {
        std::memcpy(&registers.bits, src, sizeof(registers.bits));
        registers.scratch = nullptr;
        AscendC::PutCmpMask(call, static_cast<uint64_t>(Ub(registers.bits).offset));
    } else {
        AscendC::FillCmpMask(call, Ub(src));
    }
}

// Mode 0: the register has the bits.
#define EMULATED_SELECT(T) \
    void vsel(T *dst, T *src0, T *src1, uint8_t repeat, uint8_t dstBlock, uint8_t src0Block, uint8_t src1Block, \
        uint8_t dstRepeat, uint8_t src0Repeat, uint8_t src1Repeat) \
    { \
        using namespace emulator::intrinsics; \
        Select(emulator::Caller(), dst, src0, AscendC::CmpMask(), Ub(src1), repeat, {dstBlock, dstRepeat}, \
            {src0Block, src0Repeat}, {src1Block, src1Repeat}); \
    } \
\
    /* Mode 2: the register has the address of the bits. */ \
    void vsel(T *dst, T *src0, T *src1, uint8_t repeat, uint8_t dstBlock, uint8_t src0Block, uint8_t src1Block, \
        uint8_t dstRepeat, uint8_t src0Repeat, uint8_t src1Repeat, uint8_t) \
    { \
        using namespace emulator::intrinsics; \
        Select(emulator::Caller(), dst, src0, Ub(OfCore().bits), Ub(src1), repeat, {dstBlock, dstRepeat}, \
            {src0Block, src0Repeat}, {src1Block, src1Repeat}); \
    } \
\
    /* Mode 1: the register has the scalar. */ \
    void vsel(T *dst, T *src, void *bits, uint8_t repeat, uint8_t dstBlock, uint8_t srcBlock, uint8_t, uint8_t dstRepeat, \
        uint8_t srcRepeat, uint8_t, uint8_t) \
    { \
        using namespace emulator::intrinsics; \
        Select(emulator::Caller(), dst, src, Ub(bits), AscendC::CmpMask(), repeat, {dstBlock, dstRepeat}, \
            {srcBlock, srcRepeat}, {1, 8}); \
    }

EMULATED_SELECT(half)
EMULATED_SELECT(float)

#undef EMULATED_SELECT

#endif // EMULATOR_INTRINSICS_REARRANGE_H

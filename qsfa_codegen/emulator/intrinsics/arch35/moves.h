// Intrinsics of Ascend 950 that copy between memories.
#ifndef EMULATOR_INTRINSICS_ARCH35_MOVES_H
#define EMULATOR_INTRINSICS_ARCH35_MOVES_H

#include "intrinsics/moves.h"

namespace emulator::intrinsics {

constexpr uint64_t BLOCK = 32;

constexpr uint64_t WholeBlocks(uint64_t bytes)
{
    return (bytes + BLOCK - 1) / BLOCK * BLOCK;
}

// Strides are from one burst to the next, in bytes; a single burst has none.
constexpr uint64_t Gap(uint32_t bursts, uint64_t stride, uint64_t bytes)
{
    return bursts > 1 ? stride - bytes : 0;
}

struct StridedIn {
    uint32_t bursts;
    uint32_t length;
    uint32_t left; // bytes of padding
    uint32_t right;
    bool pads;
    uint64_t srcStride;
    uint32_t dstStride;
};

inline void CopyIn(const char *name, Site site, uint32_t elementSize, const Operand &to, void *src, const StridedIn &what)
{
    ops::MovePadIn move;
    move.bursts = what.bursts;
    move.length = what.length;
    move.srcGap = Gap(what.bursts, what.srcStride, what.length);
    move.dstGap = Gap(what.bursts, what.dstStride, WholeBlocks(what.left + what.length + what.right)) / BLOCK;
    move.left = what.left;
    move.right = what.right;
    move.pad = what.pads;
    move.value = OfCore().movPadding;
    move.elementSize = elementSize;
    MoveCall{name, site, to, GmAt(src, name, site)}.Do(move, what.bursts, what.length);
}

// What the register says of the target: matrices, and the strides of a row, a column of blocks and a matrix, in blocks.
inline ops::MoveNdToNz NdToNzOf(uint64_t target, uint32_t elementSize)
{
    ops::MoveNdToNz move;
    move.elementSize = elementSize;
    move.ndNum = target & 0xffff;
    move.dstNzNStride = target >> 16 & 0xffff;
    move.dstNzC0Stride = target >> 32 & 0xffff;
    move.dstNzMatrixStride = (target >> 48) * BLOCK / elementSize;
    return move;
}

} // namespace emulator::intrinsics

#define EMULATED_COPY_IN(T) \
    void copy_gm_to_ubuf_align_v2(T *dst, T *src, uint8_t, uint32_t bursts, uint32_t length, uint8_t left, uint8_t right, \
        bool pads, uint8_t, uint64_t srcStride, uint32_t dstStride) \
    { \
        using namespace emulator::intrinsics; \
        CopyIn("DataCopyPad", emulator::Caller(), sizeof(T), Ub(dst), src, \
            {bursts, length, static_cast<uint32_t>(left * sizeof(T)), static_cast<uint32_t>(right * sizeof(T)), pads, srcStride, dstStride}); \
    } \
\
    void copy_gm_to_cbuf_align_v2(T *dst, T *src, uint8_t, uint32_t bursts, uint32_t length, uint8_t left, uint8_t right, \
        bool pads, uint8_t, uint64_t srcStride, uint32_t dstStride) \
    { \
        using namespace emulator::intrinsics; \
        CopyIn("DataCopy", emulator::Caller(), sizeof(T), L1At(dst), src, \
            {bursts, length, static_cast<uint32_t>(left * sizeof(T)), static_cast<uint32_t>(right * sizeof(T)), pads, srcStride, dstStride}); \
    }

EMULATED_COPY_IN(uint8_t)
EMULATED_COPY_IN(uint16_t)
EMULATED_COPY_IN(uint32_t)
EMULATED_COPY_IN(int32_t)

#undef EMULATED_COPY_IN

void copy_ubuf_to_gm_align_v2(void *dst, void *src, uint8_t, uint32_t bursts, uint32_t length, uint8_t, uint64_t dstStride,
    uint32_t srcStride)
{
    using namespace emulator::intrinsics;
    constexpr const char *name = "DataCopyPad";
    const emulator::Site site = emulator::Caller();
    const MoveCall call{name, site, GmAt(dst, name, site), Ub(src)};
    const auto copy = [&](auto number, emulator::ops::Atomic atomic) {
        emulator::ops::MoveOut<decltype(number)> move;
        move.bursts = bursts;
        move.length = length;
        move.srcGap = Gap(bursts, srcStride, WholeBlocks(length)) / BLOCK;
        move.dstGap = Gap(bursts, dstStride, length);
        move.atomic = atomic;
        call.Do(move, bursts, length, atomic);
    };
    if (const emulator::ops::Atomic atomic = AtomicOf(call); atomic != emulator::ops::Atomic::NONE) {
        WithAtomic([&](auto number) { copy(number, atomic); });
    } else {
        copy(uint8_t(), atomic);
    }
}

void copy_ubuf_to_cbuf(void *dst, void *src, bool, uint16_t bursts, uint16_t length, uint16_t srcGap, uint16_t dstGap)
{
    using namespace emulator::intrinsics;
    CopyBlocks(L1At(dst), Ub(src), emulator::Caller(), bursts, length, srcGap, dstGap);
}

void set_mte2_nz_para(uint64_t value)
{
    emulator::intrinsics::OfCore().nzTarget = value;
}

#define EMULATED_ND_TO_NZ(T) \
    void copy_gm_to_cbuf_multi_nd2nz(T *dst, T *src, uint8_t, uint64_t rowStride, uint8_t, uint16_t rows, uint32_t columns, \
        uint64_t matrixStride, bool) \
    { \
        using namespace emulator::intrinsics; \
        emulator::ops::MoveNdToNz move = NdToNzOf(OfCore().nzTarget, sizeof(T)); \
        move.nValue = rows; \
        move.dValue = columns; \
        move.srcDValue = rowStride / sizeof(T); \
        move.srcNdMatrixStride = matrixStride / sizeof(T); \
        CopyNdToNz(dst, src, emulator::Caller(), move); \
    }

EMULATED_ND_TO_NZ(int8_t)
EMULATED_ND_TO_NZ(half)
EMULATED_ND_TO_NZ(float)

#undef EMULATED_ND_TO_NZ

#endif // EMULATOR_INTRINSICS_ARCH35_MOVES_H

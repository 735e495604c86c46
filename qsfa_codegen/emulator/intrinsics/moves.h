// Intrinsics that copy between GM and the memories of a core.
#ifndef EMULATOR_INTRINSICS_MOVES_H
#define EMULATOR_INTRINSICS_MOVES_H

#include "emulated/move_issue.h"
#include "intrinsics/place.h"

namespace emulator::intrinsics {

using AscendC::MoveCall;

// Calls `with` with a number of the type that an atomic write adds or compares.
template <typename With>
void WithAtomic(With with)
{
    switch (OfCore().atomic) {
        case AtomicType::FLOAT:
            return with(float());
        case AtomicType::HALF:
            return with(Half());
        case AtomicType::BFLOAT16:
            return with(BFloat16());
        case AtomicType::INT32:
            return with(int32_t());
        case AtomicType::INT16:
            return with(int16_t());
        case AtomicType::INT8:
            return with(int8_t());
    }
}

inline ops::Atomic AtomicOf(const MoveCall &call)
{
    return call.ToGm() ? static_cast<ops::Atomic>(Here().atomic.kind) : ops::Atomic::NONE;
}

inline void CopyBlocks(const Operand &to, const Operand &from, Site site, uint16_t bursts, uint16_t length, uint16_t srcGap,
    uint16_t dstGap)
{
    const MoveCall call{"DataCopy", site, to, from};
    WithAtomic([&](auto number) { call.template Bursts<decltype(number)>(bursts, length, srcGap, dstGap, AtomicOf(call)); });
}

// Bytes of a padded copy, and the gaps behind its bursts in the units of each side.
struct Padded {
    uint16_t bursts;
    uint32_t length;
    uint8_t left;
    uint8_t right;
    uint32_t srcGap;
    uint32_t dstGap;
};

inline void CopyPadIn(void *dst, void *src, Site site, uint32_t elementSize, const Padded &what)
{
    constexpr const char *name = "DataCopyPad";
    ops::MovePadIn move;
    move.bursts = what.bursts;
    move.length = what.length;
    move.srcGap = what.srcGap;
    move.dstGap = what.dstGap;
    move.left = what.left * elementSize;
    move.right = what.right * elementSize;
    move.elementSize = elementSize;
    // Whether values are asked for is not told: without any to the left and right, the rest of a block is open.
    move.pad = what.left + what.right != 0;
    move.value = OfCore().movPadding;
    MoveCall{name, site, Ub(dst), GmAt(src, name, site)}.Do(move, what.bursts, what.length);
}

template <typename T>
void CopyPadOut(const MoveCall &call, const Padded &what, ops::Atomic atomic)
{
    ops::MoveOut<T> move;
    move.bursts = what.bursts;
    move.length = what.length;
    move.srcGap = what.srcGap;
    move.dstGap = what.dstGap;
    move.atomic = atomic;
    call.Do(move, what.bursts, what.length, atomic);
}

template <typename Unit>
void CopyPadOut(void *dst, void *src, Site site, const Padded &what)
{
    constexpr const char *name = "DataCopyPad";
    const MoveCall call{name, site, GmAt(dst, name, site), Ub(src)};
    if (const ops::Atomic atomic = AtomicOf(call); atomic != ops::Atomic::NONE) {
        WithAtomic([&](auto number) { CopyPadOut<decltype(number)>(call, what, atomic); });
    } else {
        CopyPadOut<Unit>(call, what, ops::Atomic::NONE);
    }
}

// Sizes and strides of ND → NZ, under the names of Nd2NzParams.
inline void CopyNdToNz(void *dst, void *src, Site site, const ops::MoveNdToNz &move)
{
    constexpr const char *name = "DataCopy";
    const int64_t rows = static_cast<int64_t>(move.ndNum) * move.nValue;
    MoveCall{name, site, L1At(dst), GmAt(src, name, site)}.Do(move, rows, static_cast<int64_t>(move.dValue) * move.elementSize);
}

} // namespace emulator::intrinsics

// ------------------------------------------------------------------ blocks of 32 bytes

void copy_gm_to_ubuf(void *dst, void *src, uint8_t, uint16_t bursts, uint16_t length, uint16_t srcGap, uint16_t dstGap)
{
    using namespace emulator::intrinsics;
    const emulator::Site site = emulator::Caller();
    CopyBlocks(Ub(dst), GmAt(src, "DataCopy", site), site, bursts, length, srcGap, dstGap);
}

void copy_gm_to_cbuf(void *dst, void *src, uint8_t, uint16_t bursts, uint16_t length, uint16_t srcGap, uint16_t dstGap, pad_t)
{
    using namespace emulator::intrinsics;
    const emulator::Site site = emulator::Caller();
    CopyBlocks(L1At(dst), GmAt(src, "DataCopy", site), site, bursts, length, srcGap, dstGap);
}

void copy_ubuf_to_gm(void *dst, void *src, uint8_t, uint16_t bursts, uint16_t length, uint16_t srcGap, uint16_t dstGap)
{
    using namespace emulator::intrinsics;
    const emulator::Site site = emulator::Caller();
    CopyBlocks(GmAt(dst, "DataCopy", site), Ub(src), site, bursts, length, srcGap, dstGap);
}

void copy_cbuf_to_gm(void *dst, void *src, uint8_t, uint16_t bursts, uint16_t length, uint16_t srcGap, uint16_t dstGap)
{
    using namespace emulator::intrinsics;
    const emulator::Site site = emulator::Caller();
    CopyBlocks(GmAt(dst, "DataCopy", site), L1At(src), site, bursts, length, srcGap, dstGap);
}

void copy_ubuf_to_ubuf(void *dst, void *src, uint8_t, uint16_t bursts, uint16_t length, uint16_t srcGap, uint16_t dstGap)
{
    using namespace emulator::intrinsics;
    CopyBlocks(Ub(dst), Ub(src), emulator::Caller(), bursts, length, srcGap, dstGap);
}

// ------------------------------------------------------------------ bytes

#define EMULATED_PADDED(BITS, UNIT) \
    void copy_gm_to_ubuf_align_b##BITS(void *dst, void *src, uint8_t, uint16_t bursts, uint32_t length, uint8_t left, \
        uint8_t right, uint32_t srcGap, uint32_t dstGap) \
    { \
        emulator::intrinsics::CopyPadIn(dst, src, emulator::Caller(), (BITS) / 8, \
            {bursts, length, left, right, srcGap, dstGap}); \
    } \
\
    void copy_ubuf_to_gm_align_b##BITS(void *dst, void *src, uint8_t, uint16_t bursts, uint32_t length, uint8_t left, \
        uint8_t right, uint32_t srcGap, uint32_t dstGap) \
    { \
        emulator::intrinsics::CopyPadOut<UNIT>(dst, src, emulator::Caller(), \
            {bursts, length, left, right, srcGap, dstGap}); \
    }

EMULATED_PADDED(8, uint8_t)
EMULATED_PADDED(16, uint16_t)
EMULATED_PADDED(32, uint32_t)

#undef EMULATED_PADDED

// ------------------------------------------------------------------ ND → NZ

#define EMULATED_ND_TO_NZ(NAME, T) \
    void NAME(T *dst, T *src, uint8_t, uint16_t ndNum, uint16_t nValue, uint16_t dValue, uint16_t srcNdMatrixStride, \
        uint16_t srcDValue, uint16_t dstNzC0Stride, uint16_t dstNzNStride, uint16_t dstNzMatrixStride) \
    { \
        emulator::intrinsics::CopyNdToNz(dst, src, emulator::Caller(), \
            {sizeof(T), ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride, dstNzNStride, \
                dstNzMatrixStride}); \
    }

EMULATED_ND_TO_NZ(copy_gm_to_cbuf_multi_nd2nz_b16, half)
EMULATED_ND_TO_NZ(copy_gm_to_cbuf_multi_nd2nz_b16, bfloat16_t)
EMULATED_ND_TO_NZ(copy_gm_to_cbuf_multi_nd2nz_b16, int16_t)
EMULATED_ND_TO_NZ(copy_gm_to_cbuf_multi_nd2nz_b16, uint16_t)
EMULATED_ND_TO_NZ(copy_gm_to_cbuf_multi_nd2nz_b32s, float)
EMULATED_ND_TO_NZ(copy_gm_to_cbuf_multi_nd2nz_b32s, int32_t)
EMULATED_ND_TO_NZ(copy_gm_to_cbuf_multi_nd2nz_b32s, uint32_t)
EMULATED_ND_TO_NZ(copy_gm_to_cbuf_multi_nd2nz_b8, int8_t)
EMULATED_ND_TO_NZ(copy_gm_to_cbuf_multi_nd2nz_b8, uint8_t)

#undef EMULATED_ND_TO_NZ

#endif // EMULATOR_INTRINSICS_MOVES_H

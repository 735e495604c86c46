// Intrinsics of the cube path.
#ifndef EMULATOR_INTRINSICS_CUBE_H
#define EMULATOR_INTRINSICS_CUBE_H

#include "emulated/cube_issue.h"
#include "intrinsics/place.h"
#include "ops/load3d.h"

namespace emulator::intrinsics {

inline void Load2D(Site site, Space to, void *dst, void *src, uint32_t elementSize, const ops::Load2D &op)
{
    const AscendC::LoadCall call{"LoadData", site, to, Space::L1};
    if (op.transpose && elementSize != 2) {
        AscendC::Refuse(call.name, site, "transposed with elements other than 2 bytes wide");
    }
    call.Do(op, Local(to, dst), L1At(src));
}

inline void LoadTransposed(Site site, Space to, void *dst, void *src, const ops::LoadTransposed &op)
{
    const AscendC::LoadCall call{"LoadDataWithTranspose", site, to, Space::L1};
    call.Do(op, Local(to, dst), L1At(src));
}

// Size and padding of the image are in a register: width, height, then the padding left, right, above and below.
inline void Load3D(Site site, Space to, void *dst, void *src, ops::Load3D op, bool fromRegisterB)
{
    const Registers &registers = OfCore();
    const uint64_t image = registers.fmatrix[fromRegisterB ? 1 : 0];
    op.l1W = image & 0xffff;
    op.l1H = image >> 16 & 0xffff;
    op.padLeft = image >> 32 & 0xff;
    op.padRight = image >> 40 & 0xff;
    op.padTop = image >> 48 & 0xff;
    op.padBottom = image >> 56;
    op.padValue = registers.padding;
    const AscendC::LoadCall call{"LoadData", site, to, Space::L1};
    call.Do(op, Local(to, dst), L1At(src));
}

struct Product {
    uint16_t m;
    uint16_t k;
    uint16_t n;
    uint8_t unitFlag;
    bool wideK;
    bool fromBias;
    bool fromZero;
};

template <typename C, typename A>
void Multiply(Site site, C *c, A *a, A *b, const Operand *bias, const Product &what)
{
    constexpr const char *name = "Mmad";
    ops::Mmad<C, Number<A>, Number<A>> op;
    op.m = what.m;
    op.n = what.n;
    op.k = what.k;
    op.wideK = what.wideK;
    const Operand product = Local(Space::L0C, c);
    const Operand left = Local(Space::L0A, a);
    const Operand right = Local(Space::L0B, b);
    if (what.fromBias && bias == nullptr) {
        AscendC::Refuse(name, site, "cmatrixSource without a bias", "pass the bias as the fourth tensor");
    }
    if (what.fromBias) {
        op.start = ops::Start::BIAS;
        AscendC::DoMmad(site, op, what.unitFlag, std::array<Operand, 4>{product, left, right, *bias});
        return;
    }
    op.start = what.fromZero ? ops::Start::ZERO : ops::Start::KEEP;
    AscendC::DoMmad(site, op, what.unitFlag, std::array<Operand, 3>{product, left, right});
}

// The matrices of ND and their strides are in a register: how many, stride of the source, stride of the destination.
template <typename To, typename From>
void Fixpipe(Site site, To *dst, From *src, ops::Fixpipe<Number<To>, From> op, uint8_t unitFlag, QuantMode_t quant, uint8_t relu)
{
    constexpr const char *name = "Fixpipe";
    constexpr QuantMode_t expected =
        std::is_same<To, From>::value ? NoQuant : std::is_same<To, half>::value ? F322F16 : F322BF16;
    if (quant != expected || relu > 1) {
        AscendC::Refuse(name, site, Text("quantPre %d and ReLU %u are not modelled; expected: %d, and 0 or 1", quant, relu, expected));
    }
    const uint64_t nd = OfCore().nd;
    op.relu = relu == 1;
    op.ndNum = op.nz ? 1 : nd & 0xffff;
    op.srcNdStride = op.nz ? 0 : nd >> 16 & 0xffff;
    op.dstNdStride = op.nz ? 0 : nd >> 32 & 0xffff;
    op.dstStride *= op.nz ? 32 : 1;
    op.atomic = static_cast<ops::Atomic>(Here().atomic.kind);
    AscendC::IssueFixpipe(name, site, op, GmAt(dst, name, site), Local(Space::L0C, src), unitFlag);
}

// Repeats in bits 0 to 15, blocks from 16, the gap from 32.
template <typename T>
void Fill(Site site, Space to, void *dst, int64_t config, T value)
{
    const auto field = [config](int shift) { return static_cast<uint32_t>(config >> shift & 0x7fff); };
    AscendC::IssueFill("InitConstValue", site, Local(to, dst), {field(0), field(16), field(32)}, ToNumber(value));
}

} // namespace emulator::intrinsics

// ------------------------------------------------------------------ L1 → L0A, L0B

#define EMULATED_LOADS(T, SIDE, SPACE) \
    void load_cbuf_to_##SIDE(T *dst, T *src, uint16_t start, uint8_t repeat, uint16_t srcStride, uint16_t dstGap, uint8_t, \
        bool transpose, addr_cal_mode_t) \
    { \
        emulator::intrinsics::Load2D(emulator::Caller(), emulator::Space::SPACE, dst, src, sizeof(T), \
            {start, repeat, srcStride, dstGap, transpose}); \
    } \
\
    void load_cbuf_to_##SIDE##_transpose(T *dst, T *src, uint16_t start, uint8_t repeat, uint16_t srcStride, uint16_t dstGap, \
        bool down, uint16_t dstFracGap) \
    { \
        emulator::intrinsics::LoadTransposed(emulator::Caller(), emulator::Space::SPACE, dst, src, \
            {sizeof(T), start, repeat, srcStride, dstGap, dstFracGap, down}); \
    }

#define EMULATED_LOADS_OF_BOTH(T) \
    EMULATED_LOADS(T, ca, L0A) \
    EMULATED_LOADS(T, cb, L0B)

EMULATED_LOADS_OF_BOTH(half)
EMULATED_LOADS_OF_BOTH(bfloat16_t)
EMULATED_LOADS_OF_BOTH(int8_t)
EMULATED_LOADS_OF_BOTH(float)

#undef EMULATED_LOADS_OF_BOTH
#undef EMULATED_LOADS

#define EMULATED_LOAD_3D(T, SIDE, SPACE, PLAIN, TRANSPOSED) \
    void img2colv2_cbuf_to_##SIDE(T *dst, T *src, uint16_t kExtension, uint16_t mExtension, uint16_t kStart, uint16_t mStart, \
        uint8_t strideW, uint8_t strideH, uint8_t filterW, uint8_t filterH, uint8_t dilationW, uint8_t dilationH, \
        bool filterWideW, bool filterWideH, bool transpose, bool fromRegisterB, uint16_t channelSize) \
    { \
        emulator::ops::Load3D op; \
        op.layout = transpose ? emulator::ops::Layout3D::TRANSPOSED : emulator::ops::Layout3D::PLAIN; \
        op.elementSize = sizeof(T); \
        op.channelSize = channelSize; \
        op.kExtension = kExtension; \
        op.mExtension = mExtension; \
        op.kStart = kStart; \
        op.mStart = mStart; \
        op.strideW = strideW; \
        op.strideH = strideH; \
        op.filterW = filterW + (filterWideW ? 256U : 0U); \
        op.filterH = filterH + (filterWideH ? 256U : 0U); \
        op.dilationW = dilationW; \
        op.dilationH = dilationH; \
        emulator::intrinsics::Load3D(emulator::Caller(), emulator::Space::SPACE, dst, src, op, fromRegisterB); \
    }

// L0B always gets transposed fractals.
#define EMULATED_LOAD_3D_OF_BOTH(T) \
    EMULATED_LOAD_3D(T, ca, L0A, ZZ, ZZ_TRANSPOSED) \
    EMULATED_LOAD_3D(T, cb, L0B, ZN, ZN)

EMULATED_LOAD_3D_OF_BOTH(half)
EMULATED_LOAD_3D_OF_BOTH(bfloat16_t)
EMULATED_LOAD_3D_OF_BOTH(int8_t)
EMULATED_LOAD_3D_OF_BOTH(float)

#undef EMULATED_LOAD_3D_OF_BOTH
#undef EMULATED_LOAD_3D

// ------------------------------------------------------------------ Mmad

#define EMULATED_MMAD(C, A) \
    void mad(C *c, A *a, A *b, uint16_t m, uint16_t k, uint16_t n, uint8_t unitFlag, bool wideK, bool fromBias, bool fromZero) \
    { \
        emulator::intrinsics::Multiply(emulator::Caller(), c, a, b, nullptr, {m, k, n, unitFlag, wideK, fromBias, fromZero}); \
    } \
\
    void mad(C *c, A *a, A *b, uint64_t bias, uint16_t m, uint16_t k, uint16_t n, uint8_t unitFlag, bool wideK, bool fromBias, \
        bool fromZero) \
    { \
        using namespace emulator::intrinsics; \
        const emulator::Operand place = Local(emulator::Space::BT, reinterpret_cast<const void *>(bias)); \
        Multiply(emulator::Caller(), c, a, b, &place, {m, k, n, unitFlag, wideK, fromBias, fromZero}); \
    }

EMULATED_MMAD(float, half)
EMULATED_MMAD(float, bfloat16_t)
EMULATED_MMAD(float, float)
EMULATED_MMAD(int32_t, int8_t)

#undef EMULATED_MMAD

// ------------------------------------------------------------------ Fixpipe

#define EMULATED_FIXPIPE(TO, FROM) \
    void copy_matrix_cc_to_gm(TO *dst, FROM *src, uint8_t, uint16_t nSize, uint16_t mSize, uint32_t dstStride, \
        uint16_t srcStride, uint8_t unitFlag, QuantMode_t quant, uint8_t relu, bool splitChannels, bool toNd) \
    { \
        emulator::ops::Fixpipe<emulator::intrinsics::Number<TO>, FROM> op; \
        op.nz = !toNd; \
        op.nSize = nSize; \
        op.mSize = mSize; \
        op.srcStride = srcStride; \
        op.dstStride = dstStride; \
        op.splitChannels = splitChannels; \
        emulator::intrinsics::Fixpipe(emulator::Caller(), dst, src, op, unitFlag, quant, relu); \
    }

EMULATED_FIXPIPE(float, float)
EMULATED_FIXPIPE(half, float)
EMULATED_FIXPIPE(bfloat16_t, float)
EMULATED_FIXPIPE(int32_t, int32_t)

#undef EMULATED_FIXPIPE

// ------------------------------------------------------------------ blocks of one value

#define EMULATED_FILL(MEMORY, SPACE) \
    void create_##MEMORY##_matrix(half *dst, int64_t config, half value) \
    { \
        emulator::intrinsics::Fill(emulator::Caller(), emulator::Space::SPACE, dst, config, value); \
    } \
\
    void create_##MEMORY##_matrix(float *dst, int64_t config, uint32_t value) \
    { \
        emulator::intrinsics::Fill(emulator::Caller(), emulator::Space::SPACE, dst, config, value); \
    } \
\
    void create_##MEMORY##_matrix(int32_t *dst, int64_t config, uint32_t value) \
    { \
        emulator::intrinsics::Fill(emulator::Caller(), emulator::Space::SPACE, dst, config, value); \
    } \
\
    void create_##MEMORY##_matrix(uint32_t *dst, int64_t config, uint32_t value) \
    { \
        emulator::intrinsics::Fill(emulator::Caller(), emulator::Space::SPACE, dst, config, value); \
    } \
\
    void create_##MEMORY##_matrix(int16_t *dst, int64_t config, half value) \
    { \
        emulator::intrinsics::Fill(emulator::Caller(), emulator::Space::SPACE, dst, config, value); \
    } \
\
    void create_##MEMORY##_matrix(uint16_t *dst, int64_t config, half value) \
    { \
        emulator::intrinsics::Fill(emulator::Caller(), emulator::Space::SPACE, dst, config, value); \
    } \
\
    void create_##MEMORY##_matrix_bf16(bfloat16_t *dst, int64_t config, bfloat16_t value) \
    { \
        emulator::intrinsics::Fill(emulator::Caller(), emulator::Space::SPACE, dst, config, value); \
    }

EMULATED_FILL(cbuf, L1)
EMULATED_FILL(ca, L0A)
EMULATED_FILL(cb, L0B)

#undef EMULATED_FILL

#endif // EMULATOR_INTRINSICS_CUBE_H

// Intrinsics of the cube path of Ascend 950.
#ifndef EMULATOR_INTRINSICS_ARCH35_CUBE_H
#define EMULATOR_INTRINSICS_ARCH35_CUBE_H

#include "emulated/cube_arch35.h"
#include "intrinsics/place.h"

namespace emulator::intrinsics {

inline void Load2DV2(Site site, Space to, void *dst, void *src, uint32_t elementSize, const ops::Load2DV2 &op)
{
    const AscendC::LoadCall call{"LoadData", site, to, Space::L1};
    if (op.transpose && elementSize != 2) {
        AscendC::Refuse(call.name, site, "transposed with elements other than 2 bytes wide");
    }
    call.Do(op, Local(to, dst), L1At(src));
}

struct Product {
    uint16_t m;
    uint16_t k;
    uint16_t n;
    uint8_t unitFlag;
    bool disableGemv;
    bool fromBias;
    bool fromZero;
};

template <typename C, typename A>
void Multiply(Site site, C *c, A *a, A *b, const Product &what)
{
    ops::Mmad<C, Number<A>, Number<A>> op;
    op.m = what.m;
    op.n = what.n;
    op.k = what.k;
    op.nzA = true; // as L0A is laid out on this chip
    op.disableGemv = what.disableGemv;
    op.start = what.fromZero ? ops::Start::ZERO : ops::Start::KEEP;
    if (what.fromBias) {
        AscendC::Refuse("Mmad", site, "cmatrixSource, which is not emulated here");
    }
    AscendC::DoMmad(site, op, what.unitFlag, std::array<Operand, 3>{Local(Space::L0C, c), Local(Space::L0A, a), Local(Space::L0B, b)});
}

// What the intrinsics are told of a matrix on its way out of L0C.
struct Matrix {
    uint16_t nSize;
    uint16_t mSize;
    uint32_t dstStride;
    uint16_t srcStride;
    uint8_t unitFlag;
    uint64_t quant;
    uint8_t relu;
    bool split;
    bool toDn;
    uint8_t dualDst = 0;
    bool subBlock = false;
};

template <typename To, typename From, AscendC::CO2Layout format, typename Put>
void PutOut(Site site, const Matrix &what, Put put)
{
    AscendC::FixpipeParamsArch3510<format> params(what.nSize, what.mSize, what.srcStride, what.dstStride);
    params.quantPre = static_cast<AscendC::QuantMode_t>(what.quant);
    params.reluEn = what.relu != 0;
    params.unitFlag = what.unitFlag;
    params.dualDstCtl = what.dualDst;
    params.subBlockId = what.subBlock;
    params.isChannelSplit = what.split;
    const AscendC::FixpipeCall<Number<To>, From, format> call{params, site};
    call.Check(Space::L0C);
    if (what.toDn) {
        AscendC::Refuse(call.NAME, site, "columns (NZ2DN) are not modelled");
    }
    put(call);
}

template <typename To, typename From, typename Put>
void PutOut(Site site, bool toNd, const Matrix &what, Put put)
{
    if (toNd) {
        PutOut<To, From, AscendC::CO2Layout::ROW_MAJOR>(site, what, put);
    } else {
        PutOut<To, From, AscendC::CO2Layout::NZ>(site, what, put);
    }
}

// Repeats in bits 0 to 15, blocks from 16, the gap from 32.
template <typename T>
void FillL1(Site site, void *dst, int64_t config, T value)
{
    const auto field = [config](int shift) { return static_cast<uint32_t>(config >> shift & 0x7fff); };
    AscendC::IssueFill("InitConstValue", site, L1At(dst), {field(0), field(16), field(32)}, ToNumber(value));
}

} // namespace emulator::intrinsics

// ------------------------------------------------------------------ L1 → L0A, L0B

#define EMULATED_LOAD(T, SIDE, SPACE) \
    void load_cbuf_to_##SIDE(T *dst, T *src, uint16_t mStart, uint16_t kStart, uint8_t mStep, uint8_t kStep, int16_t srcStride, \
        uint16_t dstStride, bool transpose) \
    { \
        emulator::intrinsics::Load2DV2(emulator::Caller(), emulator::Space::SPACE, dst, src, sizeof(T), \
            {mStart, kStart, mStep, kStep, static_cast<uint16_t>(srcStride), dstStride, transpose}); \
    }

#define EMULATED_LOADS(T) \
    EMULATED_LOAD(T, ca, L0A) \
    EMULATED_LOAD(T, cb, L0B)

EMULATED_LOADS(half)
EMULATED_LOADS(bfloat16_t)
EMULATED_LOADS(float)
EMULATED_LOADS(int8_t)

#undef EMULATED_LOADS
#undef EMULATED_LOAD

// ------------------------------------------------------------------ Mmad

#define EMULATED_MMAD(C, A) \
    void mad(C *c, A *a, A *b, uint16_t m, uint16_t k, uint16_t n, uint8_t unitFlag, bool disableGemv, bool fromBias, bool fromZero) \
    { \
        emulator::intrinsics::Multiply(emulator::Caller(), c, a, b, {m, k, n, unitFlag, disableGemv, fromBias, fromZero}); \
    }

EMULATED_MMAD(float, half)
EMULATED_MMAD(float, bfloat16_t)
EMULATED_MMAD(float, float)
EMULATED_MMAD(int32_t, int8_t)

#undef EMULATED_MMAD

// ------------------------------------------------------------------ Fixpipe

#define EMULATED_FIXPIPE(TO, FROM) \
    void copy_matrix_cc_to_ub(TO *dst, FROM *src, uint8_t, uint16_t nSize, uint16_t mSize, uint32_t dstStride, \
        uint16_t srcStride, uint8_t dualDst, bool subBlock, uint8_t, uint8_t unitFlag, uint64_t quant, uint8_t relu, bool split, \
        bool toNd, uint64_t, uint8_t, bool, bool, uint8_t, bool, bool, bool, bool, bool, bool toDn) \
    { \
        using namespace emulator::intrinsics; \
        const Matrix what{nSize, mSize, dstStride, srcStride, unitFlag, quant, relu, split, toDn, dualDst, subBlock}; \
        PutOut<TO, FROM>(emulator::Caller(), toNd, what, [&](const auto &call) { \
            AscendC::FixpipeToUb(call, Ub(dst), Local(emulator::Space::L0C, src)); \
        }); \
    } \
\
    void copy_matrix_cc_to_gm(TO *dst, FROM *src, uint8_t, uint16_t nSize, uint16_t mSize, uint32_t dstStride, \
        uint16_t srcStride, uint8_t, uint8_t, uint8_t unitFlag, uint64_t quant, uint8_t relu, bool split, bool toNd, uint64_t, \
        uint8_t, bool, bool, uint8_t, bool, bool, bool, bool, bool, bool toDn) \
    { \
        using namespace emulator::intrinsics; \
        const Matrix what{nSize, mSize, dstStride, srcStride, unitFlag, quant, relu, split, toDn}; \
        PutOut<TO, FROM>(emulator::Caller(), toNd, what, [&](const auto &call) { \
            AscendC::FixpipeToGm(call, GmAt(dst, call.NAME, call.site), Local(emulator::Space::L0C, src), \
                static_cast<emulator::ops::Atomic>(emulator::Here().atomic.kind)); \
        }); \
    }

EMULATED_FIXPIPE(float, float)
EMULATED_FIXPIPE(half, float)
EMULATED_FIXPIPE(bfloat16_t, float)
EMULATED_FIXPIPE(int32_t, int32_t)

#undef EMULATED_FIXPIPE

// ------------------------------------------------------------------ blocks of one value

#define EMULATED_FILL(NAME, T, VALUE) \
    void NAME(T *dst, int64_t config, VALUE value) \
    { \
        emulator::intrinsics::FillL1(emulator::Caller(), dst, config, value); \
    }

EMULATED_FILL(create_cbuf_matrix, half, half)
EMULATED_FILL(create_cbuf_matrix, float, uint32_t)
EMULATED_FILL(create_cbuf_matrix, int32_t, uint32_t)
EMULATED_FILL(create_cbuf_matrix, uint32_t, uint32_t)
EMULATED_FILL(create_cbuf_matrix, int16_t, half)
EMULATED_FILL(create_cbuf_matrix, uint16_t, half)
EMULATED_FILL(create_cbuf_matrix_bf16, bfloat16_t, bfloat16_t)

#undef EMULATED_FILL

#endif // EMULATOR_INTRINSICS_ARCH35_CUBE_H

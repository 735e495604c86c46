// Intrinsics of Ascend 950 that load vector registers from UB and store them there.
#ifndef EMULATOR_INTRINSICS_ARCH35_REGISTER_MOVES_H
#define EMULATOR_INTRINSICS_ARCH35_REGISTER_MOVES_H

#include "emulated/reg/move.h"
#include "intrinsics/arch35/registers.h"

namespace emulator::intrinsics {

using Reg::LoadDist;
using Reg::StoreDist;

// As the API's registers take it: with the buffer that it belongs to.
template <typename T>
T *Marked(T *address)
{
    const Operand place = Ub(address);
    return reinterpret_cast<T *>(Here().Marked(static_cast<uint64_t>(place.offset), place.low, place.high));
}

inline void NotHere(const char *name)
{
    AscendC::Refuse(name, Caller(), "this distribution is not emulated here");
}

template <LoadDist... dists, typename V>
void LoadBy(Dist dist, V &dst, typename V::ActualT *src)
{
    using E = typename V::ActualT;
    const auto load = [&, site = Caller()](auto constant) {
        constexpr Reg::LoadShape shape = Reg::ShapeOf(constant());
        if constexpr (shape.width == 0 || shape.width == sizeof(E)) {
            Reg::DoLoad<E, constant()>(dst, Marked(src), site);
        } else {
            NotHere("LoadAlign");
        }
    };
    if (!((static_cast<LoadDist>(dist) == dists ? (load(std::integral_constant<LoadDist, dists>()), true) : false) || ...)) {
        NotHere("LoadAlign");
    }
}

template <typename V>
void Load(Dist dist, V &dst, typename V::ActualT *src)
{
    LoadBy<LoadDist::DIST_NORM, LoadDist::DIST_BRC_B8, LoadDist::DIST_BRC_B16, LoadDist::DIST_BRC_B32, LoadDist::DIST_US_B8,
        LoadDist::DIST_US_B16, LoadDist::DIST_DS_B8, LoadDist::DIST_DS_B16, LoadDist::DIST_UNPACK_B8, LoadDist::DIST_UNPACK_B16,
        LoadDist::DIST_BLK, LoadDist::DIST_E2B_B16, LoadDist::DIST_E2B_B32, LoadDist::DIST_UNPACK_B32, LoadDist::DIST_UNPACK4_B8>(
        dist, dst, src);
}

template <StoreDist... dists, typename V>
void StoreBy(DistVST dist, const V &src, typename V::ActualT *dst, const MaskContent &mask)
{
    const auto store = [&, site = Caller()](auto constant) {
        Reg::DoStore<typename V::ActualT, constant()>(Marked(dst), src, mask, site);
    };
    if (!((static_cast<StoreDist>(dist) == dists ? (store(std::integral_constant<StoreDist, dists>()), true) : false) || ...)) {
        NotHere("StoreAlign");
    }
}

template <typename V>
void Store(DistVST dist, const V &src, typename V::ActualT *dst, const MaskContent &mask)
{
    StoreBy<StoreDist::DIST_NORM_B8, StoreDist::DIST_NORM_B16, StoreDist::DIST_NORM_B32, StoreDist::DIST_FIRST_ELEMENT_B8,
        StoreDist::DIST_FIRST_ELEMENT_B16, StoreDist::DIST_FIRST_ELEMENT_B32, StoreDist::DIST_PACK_B16, StoreDist::DIST_PACK_B32,
        StoreDist::DIST_PACK4_B32>(dist, src, dst, mask);
}

// From one block to the next in bits 16 and up, from one repeat to the next below.
constexpr uint32_t BlockStride(int32_t strides)
{
    return static_cast<uint32_t>(strides) >> 16;
}

template <typename T>
constexpr int64_t RepeatStride(int32_t strides)
{
    return static_cast<int64_t>(static_cast<uint32_t>(strides) & 0xffff) * (Reg::UB_BLOCK / static_cast<int64_t>(sizeof(T)));
}

// A whole register from any byte on. What is past the buffer has no value.
template <typename V>
void LoadUnaligned(V &dst, typename V::ActualT *src)
{
    Reg::MemoryCall call("LoadUnAlign", Caller(), Marked(src), sizeof(typename V::ActualT));
    dst.origin = Origin(call.Core().OrderInFunction().BeginLoad(Caller()));
    const Operand place = Ub(src);
    const int64_t end = place.high < 0 ? static_cast<int64_t>(place.memory->Bytes()) : place.high;
    const auto bytes = static_cast<uint32_t>(std::min<int64_t>(Reg::VECTOR, end - place.offset));
    dst.content = {};
    const auto *from = call.Load(0, bytes, dst.content.known.data());
    std::memcpy(dst.content.bytes.data(), from, bytes);
}

// What Squeeze has put together goes behind what was stored before.
template <typename V>
void StoreSqueezed(const V &src, typename V::ActualT *dst)
{
    Registers &registers = OfCore();
    Reg::MemoryCall call("StoreUnAlign", Caller(), Marked(dst), sizeof(typename V::ActualT));
    call.Core().OrderInFunction().BeginStore(&src, Caller());
    if (registers.squeezed != 0) {
        call.Store(registers.stored, src.content.bytes.data(), registers.squeezed, src.origin);
        registers.stored += registers.squeezed;
    }
}

// A bit for each element, in as many bytes as they fill.
template <typename T>
void StoreMask(const MaskContent &mask, T *&dst)
{
    constexpr uint32_t lanes = Reg::LANES<T>;
    std::array<uint8_t, lanes / 8> bits{};
    Reg::MemoryCall call("StoreUnAlign", Caller(), Marked(dst), 1);
    call.Need(mask, sizeof(T));
    for (uint32_t lane = 0; lane < lanes; ++lane) {
        bits[lane / 8] |= static_cast<uint8_t>((mask.content.On<T>(lane) ? 1 : 0) << lane % 8);
    }
    call.Core().OrderInFunction().BeginStore(&mask, Caller());
    call.Store(0, bits.data(), bits.size(), mask.origin);
    dst += bits.size() / sizeof(T);
}

// Elements from places that the lanes of another register say; lanes that are off are zero.
template <typename V>
void Gather(V &dst, typename V::ActualT *src, const vector_u32 &index, const MaskContent &mask)
{
    using E = typename V::ActualT;
    static_assert(sizeof(E) == sizeof(uint32_t));
    Reg::MemoryCall call("Gather", Caller(), Marked(src), sizeof(E));
    call.Need(mask, sizeof(E));
    Origin origin(call.Core().OrderInFunction().BeginLoad(Caller()));
    origin.Join(index.origin);
    origin.Join(mask.origin);
    ops::Register made = ops::Register::Zero();
    for (uint32_t lane = 0; lane < Reg::LANES<E>; ++lane) {
        if (mask.content.On<E>(lane)) {
            call.Need<uint32_t>(index, lane);
            bool known[sizeof(E)];
            const auto *from = call.Load(static_cast<int64_t>(index.content.Get<uint32_t>(lane)) * sizeof(E), sizeof(E), known);
            std::memcpy(&made.bytes[lane * sizeof(E)], from, sizeof(E));
            std::copy(known, known + sizeof(E), &made.known[lane * sizeof(E)]);
        }
    }
    dst.content = made;
    dst.origin = origin;
}

} // namespace emulator::intrinsics

// ------------------------------------------------------------------ aligned

#define EMULATED_MEMORY(V) \
    void vlds(V &dst, V::ActualT *src, int32_t offset, Dist dist) \
    { \
        emulator::intrinsics::Load(dist, dst, src + offset); \
    } \
\
    void vlds(V &dst, V::ActualT *&src, int32_t offset, Dist dist, Post) \
    { \
        emulator::intrinsics::Load(dist, dst, src); \
        src += offset; \
    } \
\
    void vsts(const V &src, V::ActualT *dst, int32_t offset, DistVST dist, vector_bool mask) \
    { \
        emulator::intrinsics::Store(dist, src, dst + offset, mask); \
    } \
\
    void vsts(const V &src, V::ActualT *&dst, int32_t offset, DistVST dist, vector_bool mask, Post) \
    { \
        emulator::intrinsics::Store(dist, src, dst, mask); \
        dst += offset; \
    } \
\
    void vsldb(V &dst, V::ActualT *src, int32_t strides, vector_bool mask) \
    { \
        using namespace emulator::intrinsics; \
        Reg::LoadBlocks(dst, Marked(src), BlockStride(strides), mask, sizeof(V::ActualT), emulator::Caller()); \
    } \
\
    void vsldb(V &dst, V::ActualT *&src, int32_t strides, vector_bool mask, Post) \
    { \
        vsldb(dst, src, strides, mask); \
        src += emulator::intrinsics::RepeatStride<V::ActualT>(strides); \
    } \
\
    void vsstb(const V &src, V::ActualT *dst, int32_t strides, vector_bool mask) \
    { \
        using namespace emulator::intrinsics; \
        Reg::StoreBlocks(Marked(dst), src, BlockStride(strides), mask, sizeof(V::ActualT), emulator::Caller()); \
    } \
\
    void vsstb(const V &src, V::ActualT *&dst, int32_t strides, vector_bool mask, Post) \
    { \
        vsstb(src, dst, strides, mask); \
        dst += emulator::intrinsics::RepeatStride<V::ActualT>(strides); \
    }

EMULATED_MEMORY(vector_s8)
EMULATED_MEMORY(vector_u8)
EMULATED_MEMORY(vector_s16)
EMULATED_MEMORY(vector_u16)
EMULATED_MEMORY(vector_s32)
EMULATED_MEMORY(vector_u32)
EMULATED_MEMORY(vector_f16)
EMULATED_MEMORY(vector_bf16)
EMULATED_MEMORY(vector_f32)

#undef EMULATED_MEMORY

// ------------------------------------------------------------------ not aligned

#define EMULATED_UNALIGNED(V) \
    void vldas(vector_align &, V::ActualT *) \
    { \
        const emulator::intrinsics::Reg::RegisterCall call("LoadUnAlignPre", emulator::Caller()); \
    } \
\
    void vldus(V &dst, vector_align &, V::ActualT *src) \
    { \
        emulator::intrinsics::LoadUnaligned(dst, src); \
    } \
\
    void vstur(vector_align &, const V &src, V::ActualT *dst, Post) \
    { \
        emulator::intrinsics::StoreSqueezed(src, dst); \
    } \
\
    void vstar(vector_align &, V::ActualT *) \
    { \
        const emulator::intrinsics::Reg::RegisterCall call("StoreUnAlignPost", emulator::Caller()); \
    }

EMULATED_UNALIGNED(vector_s16)
EMULATED_UNALIGNED(vector_u16)
EMULATED_UNALIGNED(vector_s32)
EMULATED_UNALIGNED(vector_u32)
EMULATED_UNALIGNED(vector_f16)
EMULATED_UNALIGNED(vector_f32)

#undef EMULATED_UNALIGNED

// The bits of masks have been stored when this is called.
void vstas(vector_align &, uint8_t *&, int32_t)
{
    const emulator::intrinsics::Reg::RegisterCall call("StoreUnAlignPost", emulator::Caller());
}

void pstu(vector_align &, vector_bool mask, uint16_t *&dst)
{
    emulator::intrinsics::StoreMask(mask, dst);
}

void pstu(vector_align &, vector_bool mask, uint32_t *&dst)
{
    emulator::intrinsics::StoreMask(mask, dst);
}

void vgather2(vector_s32 &dst, int32_t *src, const vector_u32 &index, vector_bool mask)
{
    emulator::intrinsics::Gather(dst, src, index, mask);
}

void vgather2(vector_u32 &dst, uint32_t *src, const vector_u32 &index, vector_bool mask)
{
    emulator::intrinsics::Gather(dst, src, index, mask);
}

void vgather2(vector_f32 &dst, float *src, const vector_u32 &index, vector_bool mask)
{
    emulator::intrinsics::Gather(dst, src, index, mask);
}

// Bytes that squeezed registers have been stored in.
int64_t get_ar()
{
    return emulator::intrinsics::OfCore().stored;
}

void sprclr(Spr)
{
    emulator::intrinsics::OfCore().stored = 0;
}

// ------------------------------------------------------------------ order

void mem_bar(Literal order)
{
    using emulator::intrinsics::Reg::LocalMemBar;
    using emulator::intrinsics::Reg::MemType;
    const emulator::Site site = emulator::Caller();
    switch (order) {
        case VST_VLD:
            return LocalMemBar<MemType::VEC_STORE, MemType::VEC_LOAD>(site);
        case VLD_VST:
            return LocalMemBar<MemType::VEC_LOAD, MemType::VEC_STORE>(site);
        case VST_VST:
            return LocalMemBar<MemType::VEC_STORE, MemType::VEC_STORE>(site);
        case VV_ALL:
            return LocalMemBar<MemType::VEC_ALL, MemType::VEC_ALL>(site);
        default:
            AscendC::Refuse("LocalMemBar", site, "barriers with scalar accesses are not emulated");
    }
}

#endif // EMULATOR_INTRINSICS_ARCH35_REGISTER_MOVES_H

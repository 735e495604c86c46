// Loads and stores of vector registers, and the barrier between them.
#ifndef EMULATED_REG_MOVE_H
#define EMULATED_REG_MOVE_H

#include "emulated/reg/types.h"

namespace AscendC {
namespace Reg {

using emulator::ops::Byte;
using emulator::ops::Spread;

constexpr int64_t UB_BLOCK = 32;
constexpr int64_t MOST_BLOCK_STRIDE = 65535;

// Bytes of UB that a call loads or stores.
class MemoryCall : public RegisterCall {
public:
    MemoryCall(const char *name, Site site, const void *address, uint32_t alignment)
        : RegisterCall(name, site), place_(Core().FromMarked(reinterpret_cast<uintptr_t>(address)))
    {
        if (place_.offset % alignment != 0) {
            Misaligned(alignment);
        }
    }

    const Byte *Load(int64_t offset, uint32_t bytes, bool *known)
    {
        emulator::Access access = place_;
        access.offset += offset;
        access.length = bytes;
        Core().Touch(access, Name(), At(), known);
        const auto begin = static_cast<uint64_t>(access.offset);
        Say(Core().OrderInFunction().Load(begin, begin + bytes), false);
        return access.memory->Data() + access.offset;
    }

    void Store(int64_t offset, const Byte *source, uint32_t bytes, const emulator::Origin &origin)
    {
        emulator::Access access = place_;
        access.offset += offset;
        access.length = bytes;
        access.mode = emulator::Mode::WRITE;
        Core().Touch(access, Name(), At());
        const auto begin = static_cast<uint64_t>(access.offset);
        Say(Core().OrderInFunction().Store(begin, begin + bytes, origin), true);
        std::memcpy(access.memory->Data() + access.offset, source, bytes);
    }

private:
    void Misaligned(uint32_t alignment) const
    {
        emulator::Finding finding;
        finding.code = "misaligned";
        finding.severity = emulator::Severity::FATAL;
        finding.site = At();
        finding.pipe = emulator::Name(Pipe::V);
        finding.instruction = Name();
        finding.buffer = place_.memory->Name();
        finding.offset = place_.offset;
        finding.message = emulator::Text("%s begins at byte %lld of %s; expected: a multiple of %u", Name(),
            static_cast<long long>(place_.offset), place_.memory->Name().c_str(), alignment);
        Core().Report(std::move(finding));
    }

    void Say(const emulator::Unordered &wrong, bool stores)
    {
        if (!wrong.found) {
            return;
        }
        Tell("race", emulator::Severity::ERROR,
            emulator::Text("%s %s byte %llu of %s, which line %d %s in the same vector function, and nothing orders the two", Name(),
                stores ? "writes" : "reads", static_cast<unsigned long long>(wrong.offset), place_.memory->Name().c_str(),
                wrong.other.line, wrong.otherReads ? "reads" : "writes"),
            emulator::Text("put LocalMemBar<MemType::%s, MemType::%s>() between them", wrong.otherReads ? "VEC_LOAD" : "VEC_STORE",
                stores ? "VEC_STORE" : "VEC_LOAD"),
            wrong.other);
    }

    emulator::Access place_;
};

// ------------------------------------------------------------------ loads

struct LoadShape {
    Spread spread;
    uint32_t width; // of an element; 0: as the type
};

constexpr LoadShape ShapeOf(LoadDist dist)
{
    switch (dist) {
        case LoadDist::DIST_BRC_B8:
            return {Spread::BROADCAST, 1};
        case LoadDist::DIST_BRC_B16:
            return {Spread::BROADCAST, 2};
        case LoadDist::DIST_BRC_B32:
            return {Spread::BROADCAST, 4};
        case LoadDist::DIST_US_B8:
            return {Spread::TWICE, 1};
        case LoadDist::DIST_US_B16:
            return {Spread::TWICE, 2};
        case LoadDist::DIST_DS_B8:
            return {Spread::EVERY_OTHER, 1};
        case LoadDist::DIST_DS_B16:
            return {Spread::EVERY_OTHER, 2};
        case LoadDist::DIST_UNPACK_B8:
            return {Spread::UNPACK2, 1};
        case LoadDist::DIST_UNPACK_B16:
            return {Spread::UNPACK2, 2};
        case LoadDist::DIST_UNPACK_B32:
            return {Spread::UNPACK2, 4};
        case LoadDist::DIST_UNPACK4_B8:
            return {Spread::UNPACK4, 1};
        case LoadDist::DIST_BLK:
            return {Spread::BLOCK, 0};
        case LoadDist::DIST_E2B_B16:
            return {Spread::TO_BLOCKS, 2};
        case LoadDist::DIST_E2B_B32:
            return {Spread::TO_BLOCKS, 4};
        default:
            return {Spread::NORMAL, 0};
    }
}

constexpr uint32_t ApartWidth(LoadDist dist)
{
    return dist == LoadDist::DIST_DINTLV_B8 ? 1 : dist == LoadDist::DIST_DINTLV_B16 ? 2
        : dist == LoadDist::DIST_DINTLV_B32                                         ? 4
                                                                                    : 0;
}

template <typename E, LoadDist dist>
void DoLoad(RegisterContent &dst, const void *address, Site site)
{
    constexpr LoadShape shape = ShapeOf(dist);
    static_assert(dist != LoadDist::DIST_BDINTLV && ApartWidth(dist) == 0, "this distribution loads two registers");
    static_assert(shape.width == 0 || shape.width == sizeof(E), "the distribution is for elements of another width");
    constexpr uint32_t width = sizeof(E);
    constexpr uint32_t bytes = emulator::ops::LoadBytes(shape.spread, width);
    bool known[2 * VECTOR];
    MemoryCall call("LoadAlign", site, address, emulator::ops::LoadAlignment(shape.spread, width));
    dst.origin = emulator::Origin(call.Core().OrderInFunction().BeginLoad(site));
    const auto *from = call.Load(0, bytes, known);
    dst.content = emulator::ops::Loaded(shape.spread, width, from, known);
}

template <typename E, LoadDist dist>
void DoLoad(RegisterContent &even, RegisterContent &odd, const void *address, Site site)
{
    constexpr uint32_t width = ApartWidth(dist);
    static_assert(width != 0, "this distribution loads one register");
    static_assert(width == sizeof(E), "the distribution is for elements of another width");
    bool known[2 * VECTOR];
    MemoryCall call("LoadAlign", site, address, UB_BLOCK);
    even.origin = odd.origin = emulator::Origin(call.Core().OrderInFunction().BeginLoad(site));
    const auto *from = call.Load(0, 2 * VECTOR, known);
    emulator::ops::LoadedApart(even.content, odd.content, width, from, known);
}

template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U>
void LoadAlign(U &dstReg, T *srcAddr, Site site = Site::Here())
{
    DoLoad<ElementOf<T, U>, dist>(dstReg, srcAddr, site);
}

template <typename T = DefaultType, PostLiteral postMode, LoadDist dist = LoadDist::DIST_NORM, typename U>
void LoadAlign(U &dstReg, T *&srcAddr, int32_t postUpdateStride, Site site = Site::Here())
{
    static_assert(postMode == PostLiteral::POST_MODE_UPDATE, "POST_MODE_NORMAL is not there for this load");
    DoLoad<ElementOf<T, U>, dist>(dstReg, srcAddr, site);
    srcAddr += postUpdateStride;
}

template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U>
void LoadAlign(U &dstReg, T *srcAddr, AddrReg offset, Site site = Site::Here())
{
    DoLoad<ElementOf<T, U>, dist>(dstReg, srcAddr + offset.elements, site);
}

template <typename T = DefaultType, LoadDist dist, typename U>
void LoadAlign(U &dstReg0, U &dstReg1, T *srcAddr, Site site = Site::Here())
{
    DoLoad<ElementOf<T, U>, dist>(dstReg0, dstReg1, srcAddr, site);
}

template <typename T = DefaultType, PostLiteral postMode, LoadDist dist, typename U>
void LoadAlign(U &dstReg0, U &dstReg1, T *&srcAddr, int32_t postUpdateStride, Site site = Site::Here())
{
    static_assert(postMode == PostLiteral::POST_MODE_UPDATE, "POST_MODE_NORMAL is not there for this load");
    DoLoad<ElementOf<T, U>, dist>(dstReg0, dstReg1, srcAddr, site);
    srcAddr += postUpdateStride;
}

// Whether the mask has an element of a block of 32 bytes on.
inline bool BlockIsOn(const MaskReg &mask, uint32_t block, uint32_t width)
{
    for (uint32_t lane = 0; lane < UB_BLOCK / width; ++lane) {
        if (mask.content.At(block * UB_BLOCK / width + lane, width)) {
            return true;
        }
    }
    return false;
}

// Eight blocks, so many blocks from one to the next; those without an element that is on are zero and not read.
inline void LoadBlocks(RegisterContent &dst, const void *address, uint32_t stride, const MaskReg &mask, uint32_t width, Site site)
{
    MemoryCall call("LoadAlign", site, address, UB_BLOCK);
    CheckRange(call.Name(), site, "dataBlockStride", stride, 0, MOST_BLOCK_STRIDE);
    call.Need(mask, width);
    emulator::Origin origin(call.Core().OrderInFunction().BeginLoad(site));
    origin.Join(mask.origin);
    Register made = Register::Zero();
    for (uint32_t block = 0; block < VECTOR / UB_BLOCK; ++block) {
        if (BlockIsOn(mask, block, width)) {
            bool known[UB_BLOCK];
            const auto *from = call.Load(static_cast<int64_t>(block) * stride * UB_BLOCK, UB_BLOCK, known);
            std::memcpy(&made.bytes[block * UB_BLOCK], from, UB_BLOCK);
            std::copy(known, known + UB_BLOCK, &made.known[block * UB_BLOCK]);
        }
    }
    dst.content = made;
    dst.origin = origin;
}

template <typename T = DefaultType, DataCopyMode dataMode, typename U>
void LoadAlign(U &dstReg, T *srcAddr, uint32_t dataBlockStride, MaskReg &mask, Site site = Site::Here())
{
    LoadBlocks(dstReg, srcAddr, dataBlockStride, mask, sizeof(ElementOf<T, U>), site);
}

template <typename T = DefaultType, DataCopyMode dataMode, PostLiteral postMode, typename U>
void LoadAlign(U &dstReg, T *&srcAddr, uint32_t dataBlockStride, uint32_t repeatStride, MaskReg &mask, Site site = Site::Here())
{
    T *next = srcAddr + repeatStride * (UB_BLOCK / sizeof(ElementOf<T, U>));
    constexpr bool updates = postMode == PostLiteral::POST_MODE_UPDATE;
    LoadBlocks(dstReg, updates ? srcAddr : next, dataBlockStride, mask, sizeof(ElementOf<T, U>), site);
    srcAddr = updates ? next : srcAddr;
}

// ------------------------------------------------------------------ stores

constexpr emulator::ops::Gathering GatheringOf(StoreDist dist, uint32_t width)
{
    switch (dist) {
        case StoreDist::DIST_NORM_B8:
            return {1, 1, false};
        case StoreDist::DIST_NORM_B16:
            return {2, 2, false};
        case StoreDist::DIST_NORM_B32:
            return {4, 4, false};
        case StoreDist::DIST_FIRST_ELEMENT_B8:
            return {1, 1, true};
        case StoreDist::DIST_FIRST_ELEMENT_B16:
            return {2, 2, true};
        case StoreDist::DIST_FIRST_ELEMENT_B32:
            return {4, 4, true};
        case StoreDist::DIST_PACK_B16:
            return {2, 1, false};
        case StoreDist::DIST_PACK_B32:
            return {4, 2, false};
        case StoreDist::DIST_PACK_B64:
            return {8, 4, false};
        case StoreDist::DIST_PACK4_B32:
            return {4, 1, false};
        default:
            return {width, width, false};
    }
}

constexpr uint32_t TogetherWidth(StoreDist dist)
{
    return dist == StoreDist::DIST_INTLV_B8 ? 1 : dist == StoreDist::DIST_INTLV_B16 ? 2
        : dist == StoreDist::DIST_INTLV_B32                                         ? 4
                                                                                    : 0;
}

// Whether the lower bytes of an element, which are stored, have a value.
inline void NeedBytes(RegisterCall &call, const RegisterContent &src, uint32_t lane, uint32_t width, uint32_t kept)
{
    for (uint32_t i = 0; i < kept; ++i) {
        if (!src.content.known[lane * width + i]) {
            call.Tell("uninitialised", emulator::Severity::ERROR, emulator::Text("%s takes element %u of a register, which has no value", call.Name(), lane));
        }
    }
}

template <typename E, StoreDist dist>
void DoStore(void *address, const RegisterContent &src, const MaskReg &mask, Site site)
{
    static_assert(TogetherWidth(dist) == 0, "this distribution stores two registers");
    constexpr emulator::ops::Gathering how = GatheringOf(dist, sizeof(E));
    MemoryCall call("StoreAlign", site, address, how.first ? how.width : UB_BLOCK);
    call.Core().OrderInFunction().BeginStore(&src, site);
    emulator::Origin origin = src.origin;
    if (!how.first) {
        call.Need(mask, how.width);
        origin.Join(mask.origin);
    }
    constexpr uint32_t lanes = how.first ? 1 : VECTOR / how.width;
    std::array<uint8_t, VECTOR> run{};
    uint32_t bytes = 0;
    for (uint32_t lane = 0; lane <= lanes; ++lane) {
        if (lane < lanes && (how.first || mask.content.At(lane, how.width))) {
            NeedBytes(call, src, lane, how.width, how.kept);
            std::memcpy(&run[bytes], &src.content.bytes[lane * how.width], how.kept);
            bytes += how.kept;
        } else if (bytes != 0) {
            call.Store(static_cast<int64_t>(lane * how.kept) - bytes, run.data(), bytes, origin);
            bytes = 0;
        }
    }
}

template <typename E, StoreDist dist>
void DoStore(void *address, const RegisterContent &even, const RegisterContent &odd, Site site)
{
    constexpr uint32_t width = TogetherWidth(dist);
    static_assert(width != 0, "this distribution stores one register");
    MemoryCall call("StoreAlign", site, address, UB_BLOCK);
    call.Core().OrderInFunction().BeginStore(&even, site);
    Register both[2];
    emulator::ops::Interleave(both[0], both[1], even.content, odd.content, width);
    emulator::Origin origin = even.origin;
    origin.Join(odd.origin);
    for (uint32_t i = 0; i < 2; ++i) {
        for (uint32_t lane = 0; lane < VECTOR / width; ++lane) {
            NeedBytes(call, {both[i], origin}, lane, width, width);
        }
        call.Store(i * static_cast<int64_t>(VECTOR), both[i].bytes.data(), VECTOR, origin);
    }
}

template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U>
void StoreAlign(T *dstAddr, U &srcReg, MaskReg &mask, Site site = Site::Here())
{
    DoStore<ElementOf<T, U>, dist>(dstAddr, srcReg, mask, site);
}

template <typename T = DefaultType, PostLiteral postMode, StoreDist dist = StoreDist::DIST_NORM, typename U>
void StoreAlign(T *&dstAddr, U &srcReg, int32_t postUpdateStride, MaskReg &mask, Site site = Site::Here())
{
    static_assert(postMode == PostLiteral::POST_MODE_UPDATE, "POST_MODE_NORMAL is not there for this store");
    DoStore<ElementOf<T, U>, dist>(dstAddr, srcReg, mask, site);
    dstAddr += postUpdateStride;
}

template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U>
void StoreAlign(T *dstAddr, U &srcReg, AddrReg offset, MaskReg &mask, Site site = Site::Here())
{
    DoStore<ElementOf<T, U>, dist>(dstAddr + offset.elements, srcReg, mask, site);
}

template <typename T = DefaultType, StoreDist dist, typename U>
void StoreAlign(T *dstAddr, U &srcReg0, U &srcReg1, MaskReg &, Site site = Site::Here())
{
    DoStore<ElementOf<T, U>, dist>(dstAddr, srcReg0, srcReg1, site);
}

// Eight blocks, so many blocks from one to the next; of them the elements that are on.
inline void StoreBlocks(void *address, const RegisterContent &src, uint32_t stride, const MaskReg &mask, uint32_t width, Site site)
{
    MemoryCall call("StoreAlign", site, address, UB_BLOCK);
    CheckRange(call.Name(), site, "dataBlockStride", stride, 0, MOST_BLOCK_STRIDE);
    call.Need(mask, width);
    call.Core().OrderInFunction().BeginStore(&src, site);
    emulator::Origin origin = src.origin;
    origin.Join(mask.origin);
    const auto perBlock = static_cast<uint32_t>(UB_BLOCK / width);
    for (uint32_t first = 0; first < VECTOR / width; first += perBlock) {
        const int64_t to = static_cast<int64_t>(first / perBlock) * stride * UB_BLOCK;
        for (uint32_t lane = first, end; lane < first + perBlock; lane = end) {
            end = lane + 1;
            if (!mask.content.At(lane, width)) {
                continue;
            }
            NeedBytes(call, src, lane, width, width);
            while (end < first + perBlock && mask.content.At(end, width)) {
                NeedBytes(call, src, end, width, width);
                ++end;
            }
            call.Store(to + (lane - first) * width, &src.content.bytes[lane * width], (end - lane) * width, origin);
        }
    }
}

template <typename T = DefaultType, DataCopyMode dataMode, typename U>
void StoreAlign(T *dstAddr, U &srcReg, uint32_t dataBlockStride, MaskReg &mask, Site site = Site::Here())
{
    StoreBlocks(dstAddr, srcReg, dataBlockStride, mask, sizeof(ElementOf<T, U>), site);
}

template <typename T = DefaultType, DataCopyMode dataMode, PostLiteral postMode, typename U>
void StoreAlign(T *&dstAddr, U &srcReg, uint32_t dataBlockStride, uint32_t repeatStride, MaskReg &mask, Site site = Site::Here())
{
    T *next = dstAddr + repeatStride * (UB_BLOCK / sizeof(ElementOf<T, U>));
    constexpr bool updates = postMode == PostLiteral::POST_MODE_UPDATE;
    StoreBlocks(updates ? dstAddr : next, srcReg, dataBlockStride, mask, sizeof(ElementOf<T, U>), site);
    dstAddr = updates ? next : dstAddr;
}

// ------------------------------------------------------------------ order

// What a vector function loads and stores later waits for what it has loaded or stored so far. Those with SCALAR are not
// modelled: a vector function has no scalar access to UB here.
template <MemType src, MemType dst>
void LocalMemBar(Site site = Site::Here())
{
    constexpr bool all = src == MemType::VEC_ALL && dst == MemType::VEC_ALL;
    constexpr bool loadWaits = src == MemType::VEC_STORE && dst == MemType::VEC_LOAD;
    constexpr bool storeWaits = src == MemType::VEC_LOAD && dst == MemType::VEC_STORE;
    constexpr bool storesInOrder = src == MemType::VEC_STORE && dst == MemType::VEC_STORE;
    static_assert(all || loadWaits || storeWaits || storesInOrder, "this barrier is not there, or not modelled");
    const RegisterCall call("LocalMemBar", site);
    emulator::FunctionOrder &order = call.Core().OrderInFunction();
    if (all || loadWaits) {
        order.LoadsAfterStores();
    }
    if (all || storeWaits) {
        order.StoresAfterLoads();
    }
    if (all || storesInOrder) {
        order.StoresAfterStores();
    }
}

// The older name of both.
template <typename T = DefaultType, LoadDist dist = LoadDist::DIST_NORM, typename U>
void DataCopy(U &dstReg, T *srcAddr, Site site = Site::Here())
{
    LoadAlign<T, dist>(dstReg, srcAddr, site);
}

template <typename T = DefaultType, StoreDist dist = StoreDist::DIST_NORM, typename U>
void DataCopy(T *dstAddr, U &srcReg, MaskReg &mask, Site site = Site::Here())
{
    StoreAlign<T, dist>(dstAddr, srcReg, mask, site);
}

} // namespace Reg
} // namespace AscendC

#endif // EMULATED_REG_MOVE_H

// DataCopy and DataCopyPad: what moves between GM and the memories of a core.
#ifndef EMULATED_DATA_COPY_H
#define EMULATED_DATA_COPY_H

#include <cstring>

#include "emulated/arch.h"
#include "emulated/atomic.h"
#include "emulated/parameters.h"
#include "emulated/tensor.h"
#include "ops/move.h"

namespace AscendC {

constexpr int64_t BLOCK_BYTES = 32;

struct Path {
    Pipe pipe;
    Route route;
};

// By which pipe bytes go from one memory to another.
inline Path PathOf(emulator::Space from, emulator::Space to, const char *name, Site site)
{
    using emulator::Space;
    if (from == Space::GM) {
        if (to == Space::UB || to == Space::L1) {
            return {Pipe::MTE2, to == Space::UB ? Route::GM_UB : Route::GM_L1};
        }
    } else if (to == Space::GM) {
        if (from == Space::UB || (from == Space::L1 && !OnArch35())) {
            return {Pipe::MTE3, from == Space::UB ? Route::UB_GM : Route::L1_GM};
        }
    } else if (from == Space::UB && to == Space::UB) {
        return {Pipe::V, Route::UB_UB};
    } else if (from == Space::UB && to == Space::L1 && OnArch35() && !emulator::Here().Cube()) {
        return {Pipe::MTE3, Route::UB_L1};
    }
    Refuse(name, site, emulator::Text("there is no way from %s to %s on this chip", Name(from), Name(to)));
    return {Pipe::S, Route::NONE};
}

struct MoveCall {
    const char *name;
    Site site;
    Operand to;
    Operand from;

    bool ToGm() const
    {
        return to.memory->InSpace() == emulator::Space::GM;
    }

    template <typename T>
    emulator::ops::Atomic Atomic() const
    {
        return ToGm() ? AtomicOf<T>(name, site) : emulator::ops::Atomic::NONE;
    }

    template <typename Op>
    void Do(const Op &op, int64_t bursts, int64_t bytes, emulator::ops::Atomic atomic = emulator::ops::Atomic::NONE) const
    {
        if (bursts == 0 || bytes == 0) {
            return;
        }
        const Path path = PathOf(from.memory->InSpace(), to.memory->InSpace(), name, site);
        Instruction instruction = MakeInstruction(path.pipe, name, site, op, std::array<Operand, 2>{to, from});
        if (atomic != emulator::ops::Atomic::NONE) {
            MakeAtomic(instruction, to);
        }
        instruction.work.route = path.route;
        instruction.work.bytes = static_cast<uint64_t>(bytes * bursts);
        instruction.work.bursts = static_cast<uint64_t>(bursts);
        if (path.pipe == Pipe::V) {
            instruction.work.repeats = (instruction.work.bytes + 255) / 256;
            instruction.inOrder = emulator::Here().Whole().OnChip().VectorInOrder();
        }
        Issue(std::move(instruction));
    }

    // Lengths and gaps in blocks of 32 bytes.
    template <typename T>
    void Blocks(const DataCopyParams &params) const
    {
        const int64_t bytes = params.blockLen.Given() * BLOCK_BYTES;
        if (const emulator::ops::Atomic atomic = Atomic<T>(); atomic != emulator::ops::Atomic::NONE) {
            emulator::ops::MoveOut<T> out;
            out.bursts = params.blockCount.Wide();
            out.length = static_cast<uint32_t>(bytes);
            out.srcGap = params.srcStride.Wide();
            out.dstGap = static_cast<uint64_t>(params.dstStride.Given() * BLOCK_BYTES);
            out.atomic = atomic;
            Do(out, params.blockCount.Given(), bytes, atomic);
            return;
        }
        emulator::ops::Move move;
        move.bursts = params.blockCount.Wide();
        move.length = params.blockLen.Wide();
        move.srcGap = params.srcStride.Wide();
        move.dstGap = params.dstStride.Wide();
        move.srcIsGm = from.memory->InSpace() == emulator::Space::GM;
        move.dstIsGm = ToGm();
        Do(move, params.blockCount.Given(), bytes);
    }

    template <typename T>
    void Elements(uint32_t count) const
    {
        const uint64_t bytes = static_cast<uint64_t>(count) * sizeof(T);
        if (bytes % BLOCK_BYTES != 0) {
            Refuse(name, site, emulator::Text("%llu bytes are not whole blocks of %lld", static_cast<unsigned long long>(bytes), static_cast<long long>(BLOCK_BYTES)), "the rest would be dropped; use DataCopyPad");
        }
        if (bytes != 0) {
            Blocks<T>({1, bytes / BLOCK_BYTES, 0, 0});
        }
    }
};

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params, Site site = Site::Here())
{
    MoveCall{"DataCopy", site, dst.Place(), src.Place("DataCopy", site)}.template Blocks<T>(params);
}

template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params, Site site = Site::Here())
{
    MoveCall{"DataCopy", site, dst.Place("DataCopy", site), src.Place()}.template Blocks<T>(params);
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params, Site site = Site::Here())
{
    MoveCall{"DataCopy", site, dst.Place(), src.Place()}.template Blocks<T>(params);
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, uint32_t count, Site site = Site::Here())
{
    MoveCall{"DataCopy", site, dst.Place(), src.Place("DataCopy", site)}.template Elements<T>(count);
}

template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, Site site = Site::Here())
{
    MoveCall{"DataCopy", site, dst.Place("DataCopy", site), src.Place()}.template Elements<T>(count);
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, Site site = Site::Here())
{
    MoveCall{"DataCopy", site, dst.Place(), src.Place()}.template Elements<T>(count);
}

// ND → NZ on the way to L1.
template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &params, Site site = Site::Here())
{
    constexpr const char *name = "DataCopy";
    emulator::ops::MoveNdToNz move;
    move.elementSize = sizeof(T);
    move.ndNum = params.ndNum.Wide();
    move.nValue = params.nValue.Wide();
    move.dValue = params.dValue.Wide();
    move.srcNdMatrixStride = params.srcNdMatrixStride.Wide();
    move.srcDValue = params.srcDValue.Wide();
    move.dstNzC0Stride = params.dstNzC0Stride.Wide();
    move.dstNzNStride = params.dstNzNStride.Wide();
    move.dstNzMatrixStride = params.dstNzMatrixStride.Wide();
    const int64_t rows = params.ndNum.Given() * params.nValue.Given();
    MoveCall{name, site, dst.Place(), src.Place(name, site)}.Do(move, rows, params.dValue.Given() * static_cast<int64_t>(sizeof(T)));
}

// ------------------------------------------------------------------ bytes that are not whole blocks

constexpr int64_t MOST_BURST = 2097151; // bytes of one burst of DataCopyPad

// GM has its gaps in bytes, UB in blocks behind a burst that is padded to whole blocks.
template <typename T>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &params,
    const DataCopyPadExtParams<T> &padding, Site site = Site::Here())
{
    constexpr const char *name = "DataCopyPad";
    const auto unit = static_cast<int64_t>(sizeof(T));
    emulator::ops::MovePadIn move;
    move.bursts = params.blockCount.Wide();
    move.length = params.blockLen.Wide();
    move.srcGap = params.srcStride.Wide();
    move.dstGap = params.dstStride.Wide();
    move.left = static_cast<uint32_t>(padding.leftPadding.Given() * unit);
    move.right = static_cast<uint32_t>(padding.rightPadding.Given() * unit);
    move.pad = padding.isPad;
    move.elementSize = sizeof(T);
    std::memcpy(&move.value, &padding.paddingValue, sizeof(T));
    MoveCall{name, site, dst.Place(), src.Place(name, site)}.Do(move, params.blockCount.Given(), params.blockLen.Given());
}

inline DataCopyExtParams Extended(const DataCopyParams &params)
{
    return {params.blockCount.Given(), params.blockLen.Given(), params.srcStride.Given(), params.dstStride.Given(), 0};
}

template <typename T>
void DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params,
    const DataCopyPadParams &padding, Site site = Site::Here())
{
    T value{};
    std::memcpy(&value, &padding.paddingValue, sizeof(T));
    DataCopyPad(dst, src, Extended(params),
        DataCopyPadExtParams<T>(padding.isPad, padding.leftPadding, padding.rightPadding, value), site);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &params,
    Site site = Site::Here())
{
    constexpr const char *name = "DataCopyPad";
    const MoveCall call{name, site, dst.Place(name, site), src.Place()};
    emulator::ops::MoveOut<T> move;
    move.bursts = params.blockCount.Wide();
    move.length = params.blockLen.Wide();
    move.srcGap = params.srcStride.Wide();
    move.dstGap = params.dstStride.Wide();
    move.atomic = call.Atomic<T>();
    call.Do(move, params.blockCount.Given(), params.blockLen.Given(), move.atomic);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params, Site site = Site::Here())
{
    DataCopyPad(dst, src, Extended(params), site);
}

} // namespace AscendC

#endif // EMULATED_DATA_COPY_H

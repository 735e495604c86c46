// DataCopy and DataCopyPad: what moves between GM and the memories of a core.
#ifndef EMULATED_DATA_COPY_H
#define EMULATED_DATA_COPY_H

#include <cstring>

#include "emulated/atomic.h"
#include "emulated/move_issue.h"
#include "emulated/parameters.h"
#include "emulated/tensor.h"

namespace AscendC {

template <typename T>
emulator::ops::Atomic AtomicOf(const MoveCall &call)
{
    return call.ToGm() ? AtomicOf<T>(call.name, call.site) : emulator::ops::Atomic::NONE;
}

// Lengths and gaps in blocks of 32 bytes.
template <typename T>
void CopyBlocks(const MoveCall &call, const DataCopyParams &params)
{
    call.Bursts<T>(params.blockCount, params.blockLen, params.srcStride, params.dstStride, AtomicOf<T>(call));
}

template <typename T>
void CopyElements(const MoveCall &call, uint32_t count)
{
    const uint64_t bytes = static_cast<uint64_t>(count) * sizeof(T);
    if (bytes % BLOCK_BYTES != 0) {
        Refuse(call.name, call.site, emulator::Text("%llu bytes are not whole blocks of %lld", static_cast<unsigned long long>(bytes), static_cast<long long>(BLOCK_BYTES)), "the rest would be dropped; use DataCopyPad");
    }
    if (bytes != 0) {
        CopyBlocks<T>(call, {1, bytes / BLOCK_BYTES, 0, 0});
    }
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params, Site site = Site::Here())
{
    CopyBlocks<T>(MoveCall{"DataCopy", site, dst.Place(), src.Place("DataCopy", site)}, params);
}

template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params, Site site = Site::Here())
{
    CopyBlocks<T>(MoveCall{"DataCopy", site, dst.Place("DataCopy", site), src.Place()}, params);
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params, Site site = Site::Here())
{
    CopyBlocks<T>(MoveCall{"DataCopy", site, dst.Place(), src.Place()}, params);
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, uint32_t count, Site site = Site::Here())
{
    CopyElements<T>(MoveCall{"DataCopy", site, dst.Place(), src.Place("DataCopy", site)}, count);
}

template <typename T>
void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, Site site = Site::Here())
{
    CopyElements<T>(MoveCall{"DataCopy", site, dst.Place("DataCopy", site), src.Place()}, count);
}

template <typename T>
void DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, Site site = Site::Here())
{
    CopyElements<T>(MoveCall{"DataCopy", site, dst.Place(), src.Place()}, count);
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
    move.atomic = AtomicOf<T>(call);
    call.Do(move, params.blockCount.Given(), params.blockLen.Given(), move.atomic);
}

template <typename T>
void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params, Site site = Site::Here())
{
    DataCopyPad(dst, src, Extended(params), site);
}

} // namespace AscendC

#endif // EMULATED_DATA_COPY_H

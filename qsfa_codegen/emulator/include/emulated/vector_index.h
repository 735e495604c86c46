// CreateVecIndex: on arch22 it is no instruction, but a block that the scalar unit writes, and additions to it.
#ifndef EMULATED_VECTOR_INDEX_H
#define EMULATED_VECTOR_INDEX_H

#include <algorithm>

#include "emulated/pipe.h"
#include "emulated/vector_elementwise.h"

namespace AscendC {

// The first block; the vector pipe is kept from it until it is written, but nothing waits for the vector pipe before.
template <typename T>
void WriteFirstIndices(const LocalTensor<T> &dst, T first, uint32_t count, Site site)
{
    for (uint32_t i = 0; i < count; ++i) {
        dst.SetValue(i, static_cast<T>(static_cast<float>(first) + static_cast<float>(i)), site);
    }
    const TEventID event = GetTPipePtr()->FetchEventID<HardEvent::S_V>(site);
    SetFlag<HardEvent::S_V>(event, site);
    WaitFlag<HardEvent::S_V>(event, site);
}

// Of `count` elements behind each other, those from `step` on: each is `step` more than the one so far before it.
template <typename T>
void AddIndices(const LocalTensor<T> &dst, uint32_t count, uint32_t step, bool orderedAtEnd, Site site)
{
    for (uint32_t done = step; done < count; done += step) {
        const uint64_t more = std::min(step, count - done);
        Adds(dst[done], dst[done - step], static_cast<T>(step), more, 1, UnaryRepeatParams(), site);
        if (more == step || orderedAtEnd) {
            emulator::Here().Barrier(Pipe::V, site);
        }
    }
}

template <typename T>
void CreateVecIndex(LocalTensor<T> dst, const typename LocalTensor<T>::PrimType &first, uint32_t count, Site site = Site::Here())
{
    constexpr uint32_t block = 32 / sizeof(T);
    constexpr uint32_t repeat = 256 / sizeof(T);
    emulator::Here().mask = {}; // as a call with a count leaves it
    WriteFirstIndices<T>(dst, first, block, site);
    if (count > block) {
        AddIndices<T>(dst, std::min(count, repeat), block, true, site);
        AddIndices<T>(dst, count, repeat, false, site);
    }
}

} // namespace AscendC

#endif // EMULATED_VECTOR_INDEX_H

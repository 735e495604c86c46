// The mask register of vector instructions.
#ifndef EMULATED_VECTOR_MASK_H
#define EMULATED_VECTOR_MASK_H

#include "emulated/parameters.h"
#include "emulated/tensor.h"
#include "emulated/vector_issue.h"

namespace AscendC {

// What stands for the mask in a call with isSetMask = false.
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr uint64_t MASK_PLACEHOLDER_LIST[2] = {0, 0};

template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(uint64_t maskHigh, uint64_t maskLow)
{
    emulator::Here().mask.low = maskLow;
    emulator::Here().mask.high = maskHigh;
}

template <typename T, MaskMode mode = MaskMode::NORMAL>
void SetVectorMask(int32_t length)
{
    const bool count = mode == MaskMode::COUNTER;
    const Mask first = Mask::First(static_cast<uint32_t>(length));
    SetVectorMask<T, mode>(count ? 0 : first.high, count ? static_cast<uint64_t>(length) : first.low);
}

inline void SetMaskCount()
{
    emulator::Here().mask.counter = true;
}

inline void SetMaskNorm()
{
    emulator::Here().mask.counter = false;
}

inline void ResetMask()
{
    SetVectorMask<half>(~0ULL, ~0ULL);
}

} // namespace AscendC

#endif // EMULATED_VECTOR_MASK_H

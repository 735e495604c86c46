// Small functions of the scalar unit.
#ifndef EMULATED_SCALAR_H
#define EMULATED_SCALAR_H

#include "emulated/tensor.h"

namespace AscendC {

// The line of the tensor's first element, or the whole cache, is written back to GM and dropped.
template <typename T, CacheLine line, DcciDst destination = DcciDst::CACHELINE_OUT>
void DataCacheCleanAndInvalid(const GlobalTensor<T> &tensor, Site site = Site::Here())
{
    const Operand place = tensor.Place("DataCacheCleanAndInvalid", site);
    emulator::Here().FlushCache(line == CacheLine::SINGLE_CACHE_LINE ? place.memory : nullptr, place.offset);
}

inline float ToFloat(const bfloat16_t &value)
{
    return value;
}

inline bfloat16_t ToBfloat16(const float &value)
{
    return value;
}

} // namespace AscendC

#endif // EMULATED_SCALAR_H

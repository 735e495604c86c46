// TBuf: a buffer whose use the kernel orders itself.
#ifndef EMULATED_BUFFER_H
#define EMULATED_BUFFER_H

#include "emulated/pipe.h"

namespace AscendC {

template <TPosition position = TPosition::LCM>
class TBuf {
public: // none of these is const in the real headers
    template <typename T>
    LocalTensor<T> Get()
    {
        return {position, place_, static_cast<uint32_t>((place_.high - place_.low) / sizeof(T))};
    }

    template <typename T>
    LocalTensor<T> Get(uint32_t count)
    {
        LocalTensor<T> tensor = Get<T>();
        tensor.SetSize(count);
        return tensor;
    }

    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t count, uint32_t bytes)
    {
        Operand place = place_;
        place.offset += bytes;
        return {position, place, count};
    }

private:
    friend class TPipe;

    Operand place_;
};

} // namespace AscendC

#endif // EMULATED_BUFFER_H

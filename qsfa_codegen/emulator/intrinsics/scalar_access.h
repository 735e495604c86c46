// One read or write of a memory by the scalar unit.
#ifndef EMULATOR_INTRINSICS_SCALAR_ACCESS_H
#define EMULATOR_INTRINSICS_SCALAR_ACCESS_H

#include "intrinsics/place.h"

namespace emulator::intrinsics {

constexpr uint64_t RESERVED_UB = 8192; // bytes at the end of UB that the headers keep for themselves

inline void ScalarAccess(const void *address, uint32_t bytes, Mode mode)
{
    if (Running() == nullptr) {
        return;
    }
    Memory *memory = Here().Cube() ? nullptr : &Here().In(Space::UB);
    const auto *byte = static_cast<const uint8_t *>(address);
    if (memory == nullptr || byte < memory->Data() || byte >= memory->Data() + memory->Bytes()) {
        memory = Here().Whole().Global().Find(address);
        if (memory == nullptr) {
            return;
        }
    }
    const int64_t offset = byte - memory->Data();
    if (memory->InSpace() == Space::UB && mode != Mode::READ && bytes == sizeof(void *) &&
        offset >= static_cast<int64_t>(memory->Bytes() - RESERVED_UB)) {
        OfCore().scratch = address;
        return;
    }
    if (memory->InSpace() == Space::UB && mode != Mode::READ && CallerFillsMemories()) {
        return;
    }
    Access access{memory, offset, mode, bytes};
    if (memory->InSpace() == Space::UB) {
        const Operand place = Ub(address);
        access.low = place.low;
        access.high = place.high;
    }
    Here().Scalar(access, mode == Mode::READ ? "GetValue" : "SetValue", Caller());
}

} // namespace emulator::intrinsics

#endif // EMULATOR_INTRINSICS_SCALAR_ACCESS_H

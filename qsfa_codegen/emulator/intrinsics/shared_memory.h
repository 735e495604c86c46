// The memory of a neighbour that a core sees too: on Ascend 950 the L1 of its cube core, or the UB of its vector cores.
//
// TPipe fills all memories with random values at its start, which no device does. That must not destroy what a neighbour
// has put into its own by then.
#ifndef EMULATOR_INTRINSICS_SHARED_MEMORY_H
#define EMULATOR_INTRINSICS_SHARED_MEMORY_H

#include "intrinsics/registers.h"

namespace emulator::intrinsics {

// nullptr where there is none.
inline Memory *SharedMemory()
{
    const bool cube = Here().Cube();
    const Space space = cube ? Space::UB : Space::L1;
    return !Chip::Has(space, cube) && Here().Sees(space) ? &Here().In(space) : nullptr;
}

inline void KeepShared()
{
    if (const Memory *memory = SharedMemory(); memory != nullptr) {
        OfCore().beforeFill.assign(memory->Data(), memory->Data() + memory->Bytes());
    }
}

// To be called where others may have run since the last time.
inline void KeepSharedAgain()
{
    if (!OfCore().beforeFill.empty()) {
        KeepShared();
    }
}

inline void RestoreShared()
{
    std::vector<uint8_t> &kept = OfCore().beforeFill;
    if (!kept.empty()) {
        std::memcpy(SharedMemory()->Data(), kept.data(), kept.size());
        kept.clear();
    }
}

} // namespace emulator::intrinsics

#endif // EMULATOR_INTRINSICS_SHARED_MEMORY_H

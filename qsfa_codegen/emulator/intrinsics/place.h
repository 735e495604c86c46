// Where an address is, and from which line of the kernel an intrinsic is reached.
#ifndef EMULATOR_INTRINSICS_PLACE_H
#define EMULATOR_INTRINSICS_PLACE_H

#include "core/caller.h"
#include "emulated/issue.h"
#include "intrinsics/registers.h"

namespace emulator::intrinsics {

using AscendC::PlaceInGm;

// An operand in a memory of this core. It may touch the buffer in which it begins.
inline Operand Local(Space space, const void *address)
{
    Memory &memory = Here().In(space);
    const int64_t offset = static_cast<const uint8_t *>(address) - memory.Data();
    for (const Given &given : OfCore().given) {
        if (given.space == space && given.begin <= offset && offset < given.end) {
            return {&memory, offset, given.begin, given.end, 1};
        }
    }
    return {&memory, offset, 0, -1, 1};
}

inline Operand Ub(const void *address)
{
    return Local(Space::UB, address);
}

inline Operand L1At(const void *address)
{
    return Local(Space::L1, address);
}

inline Operand GmAt(const void *address, const char *name, Site site)
{
    return PlaceInGm(address, name, site);
}

} // namespace emulator::intrinsics

#endif // EMULATOR_INTRINSICS_PLACE_H

// What intrinsics leave for later ones on the same core, besides the mask register.
#ifndef EMULATOR_INTRINSICS_REGISTERS_H
#define EMULATOR_INTRINSICS_REGISTERS_H

#include <map>
#include <memory>
#include <vector>

#include "core/machine.h"
#include "intrinsics/types.h"

namespace emulator::intrinsics {

// What numbers an atomic write to GM adds or compares.
enum class AtomicType : uint8_t {
    FLOAT,
    HALF,
    BFLOAT16,
    INT32,
    INT16,
    INT8
};

// A buffer that TPipe has given out: the bytes of a memory that its tensors may touch.
struct Given {
    Space space;
    int64_t begin;
    int64_t end;
};

struct Registers {
    uint64_t fmatrix[2] = {0, 0}; // size and padding of the image of load 3D, of A and of B
    uint64_t padding = 0; // its value
    uint64_t nd = 1; // matrices that Fixpipe writes, and their strides
    uint64_t movPadding = 0;
    uint64_t control = 0;
    AtomicType atomic = AtomicType::FLOAT;
    const void *scratch = nullptr; // where the scalar unit has put the address of bits
    const void *bits = nullptr; // of Select, where the compare mask register has their address
    const void *gatherFrom = nullptr; // the source of vgather, of which the intrinsic has only 32 bits
    std::shared_ptr<uint64_t> taken = std::make_shared<uint64_t>(0); // elements that the last vreducev2 took
    uint64_t nzTarget = 0; // of ND → NZ on arch35: matrices, and the strides of the target
    uint32_t vectorFunctions = 0; // of arch35 that are being called, one within the other
    uint32_t squeezed = 0; // bytes that the last vsqz has put together
    int64_t stored = 0; // bytes that have been stored after such
    std::vector<Given> given;
    std::vector<uint8_t> beforeFill; // of a memory that is another core's too, before TPipe fills it with random values
};

inline Registers &OfCore()
{
    static std::map<const Core *, Registers> registers;
    return registers[&Here()];
}

} // namespace emulator::intrinsics

#endif // EMULATOR_INTRINSICS_REGISTERS_H

// One instruction, as the scalar unit issues it to a pipe.
#ifndef EMULATOR_CORE_INSTRUCTION_H
#define EMULATOR_CORE_INSTRUCTION_H

#include <cstdint>
#include <functional>
#include <vector>

#include "chip.h"
#include "clock.h"
#include "memory.h"
#include "site.h"
#include "unit_flags.h"

namespace emulator {

// Which way data goes; what is counted and what the cost model asks for.
enum class Route : uint8_t {
    NONE,
    GM_UB,
    UB_GM,
    GM_L1,
    L1_GM,
    UB_UB,
    L1_L0A,
    L1_L0B,
    L0C_GM,
    L0C_L1,
    L0C_UB,
    UB_L1,
    COUNT
};

constexpr size_t ROUTES = static_cast<size_t>(Route::COUNT);

struct Work {
    Route route = Route::NONE;
    uint64_t bytes = 0; // that are moved
    uint64_t bursts = 0; // of a DMA
    uint64_t repeats = 0; // of a vector instruction
    uint64_t macs = 0;
    uint64_t beats = 0; // of the cube: fractals times fractals
    bool function = false; // a vector function
    uint64_t registers = 0; // operations on registers in it, known when it has run
};

enum class Kind : uint8_t {
    WORK,
    SET_FLAG,
    WAIT_FLAG,
    BARRIER,
    SET_CROSS,
    WAIT_CROSS
};

// Numbers of events, as the kernel's headers have them: the pair of pipes is fixed by the number.
struct Event {
    Pipe from = Pipe::S;
    Pipe to = Pipe::S;
    uint16_t id = 0;
};

// Where an operand begins, and at which multiples of bytes it must.
struct Operand {
    Memory *memory = nullptr;
    int64_t offset = 0;
    int64_t low = 0; // what it may touch of the memory, as in Access
    int64_t high = -1;
    uint32_t alignment = 1;
};

struct Instruction {
    Kind kind = Kind::WORK;
    Pipe pipe = Pipe::S;
    const char *name = "";
    Site site;
    std::vector<Operand> operands;
    std::vector<Access> accesses; // also those of bytes that the instruction reads to keep
    std::function<void(std::vector<Access> &)> late; // accesses that depend on data, known only before execution
    std::function<void()> execute;
    Work work;
    UnitFlagUse unitFlags;
    bool inOrder = false; // sees all that this pipe's earlier instructions did
    // Counts NaN and infinity among the numbers that are read (false) or written (true).
    std::function<uint64_t(const Instruction &self, bool written)> strange;
    Event event; // of flags; for a cross-core flag the id alone
    uint8_t mode = 0; // of a cross-core flag; what waits has the place of the flag in its event
    // Filled in at issue.
    ClockPointer issued;
    uint64_t issueTime = 0;
    uint64_t order = 0; // among all instructions of the core
};

} // namespace emulator

#endif // EMULATOR_CORE_INSTRUCTION_H

// What a core has done, in numbers, and when, by a simple model of cost.
#ifndef EMULATOR_CORE_COUNTS_H
#define EMULATOR_CORE_COUNTS_H

#include <array>
#include <string>
#include <vector>

#include "instruction.h"

namespace emulator {

struct Counts {
    std::array<uint64_t, PIPES> instructions{};
    std::array<uint64_t, PIPES> busy{}; // cycles of the model
    std::array<uint64_t, ROUTES> bytes{};
    std::array<uint64_t, ROUTES> moves{}; // instructions
    std::array<uint64_t, ROUTES> bursts{};
    uint64_t repeats = 0;
    uint64_t registers = 0; // operations on vector registers
    uint64_t macs = 0;
    uint64_t scalarGmReads = 0;
    uint64_t flags = 0; // set and waited for, each
    uint64_t barriers = 0;
    uint64_t vectorBarriers = 0;
    uint64_t crossFlags = 0;

    void Count(const Instruction &instruction, const Chip &chip);
    void CountRegisters(const Instruction &function); // of a vector function that has run
    std::string Json() const;
};

// Cycles for which an instruction keeps its pipe, and after which its result is there.
struct Cost {
    uint64_t busy = 0;
    uint64_t latency = 0;
};

// The model: see docs/emulator.md, "The cost model".
Cost CostOf(const Instruction &instruction, const Chip &chip);

// A timeline in the trace format of Chrome.
class Trace {
public:
    void Add(uint32_t core, Pipe pipe, const Instruction &instruction, uint64_t start, uint64_t busy);
    std::string Json(const std::vector<std::string> &cores) const;

private:
    struct Item {
        uint32_t core;
        Pipe pipe;
        const char *name;
        Site site;
        uint64_t start;
        uint64_t busy;
        Work work;
        const Memory *tensor; // of GM, nullptr where it touches none
        int64_t offset; // of its first byte there
    };

    static std::string Details(const Item &item);

    std::vector<Item> items_;
};

} // namespace emulator

#endif // EMULATOR_CORE_COUNTS_H

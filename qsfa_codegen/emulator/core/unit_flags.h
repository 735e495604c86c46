// The unit flags of L0C: for each block of it, whether it holds a result that a Fixpipe may take.
#ifndef EMULATOR_CORE_UNIT_FLAGS_H
#define EMULATOR_CORE_UNIT_FLAGS_H

#include <cstdint>
#include <string>
#include <vector>

#include "clock.h"
#include "finding.h"

namespace emulator {

// What an Mmad or a Fixpipe has to do with the flags of its blocks.
struct UnitFlagUse {
    enum class Mode : uint8_t {
        NONE,
        CHECKED, // it waits for them, and leaves them as they are
        FLIPPED // then it sets them (Mmad) or clears them (Fixpipe)
    };

    static constexpr uint32_t BLOCK = 512; // bytes

    Mode mode = Mode::NONE;
    bool wanted = false; // what it waits for: an Mmad for clear flags, a Fixpipe for set ones
    std::vector<uint32_t> blocks; // in order, each once

    // The blocks that have a part of these bytes.
    void Add(uint64_t begin, uint64_t end);
};

class UnitFlags {
public:
    bool Ready(const UnitFlagUse &use) const;

    // What the instruction knows to be complete, when it is ready.
    void Join(const UnitFlagUse &use, Clock &clock, uint64_t &time) const;

    // When the instruction is complete.
    void Flip(const UnitFlagUse &use, const Signal &signal, Site site);

    // The first of the blocks for which the instruction waits, as text.
    std::string Awaited(const UnitFlagUse &use) const;

    // One for each instruction whose results nothing has taken.
    std::vector<Finding> Left(const std::string &memory) const;

private:
    struct Block {
        bool set = false;
        Signal signal; // of who changed it last
        Site site;
    };

    static std::string Bytes(uint32_t block);

    std::vector<Block> blocks_;
};

} // namespace emulator

#endif // EMULATOR_CORE_UNIT_FLAGS_H

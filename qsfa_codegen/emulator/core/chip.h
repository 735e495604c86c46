// What is true of the chip that a launch is emulated on.
#ifndef EMULATOR_CORE_CHIP_H
#define EMULATOR_CORE_CHIP_H

#include <array>
#include <cstdint>
#include <string>

namespace emulator {

// The memories of a chip. GM is shared by all cores, every core has its own of the others.
enum class Space : uint8_t {
    GM,
    UB,
    L1,
    L0A,
    L0B,
    L0C,
    BT,
    FB,
    CMPMASK, // the register with the bits that Compare gives Select
    COUNT
};

// The units of a core that run beside each other, each of them in the order of issue.
enum class Pipe : uint8_t {
    S,
    V,
    M,
    MTE1,
    MTE2,
    MTE3,
    FIX,
    COUNT
};

constexpr size_t SPACES = static_cast<size_t>(Space::COUNT);
constexpr size_t PIPES = static_cast<size_t>(Pipe::COUNT);
constexpr size_t THREADS = PIPES + 1; // of a core: its pipes, and what the scalar unit stores outside of GM

constexpr const char *Name(Space space)
{
    constexpr const char *names[] = {"GM", "UB", "L1", "L0A", "L0B", "L0C", "BT", "FB", "CMPMASK"};
    return names[static_cast<size_t>(space)];
}

constexpr const char *Name(Pipe pipe)
{
    constexpr const char *names[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};
    return names[static_cast<size_t>(pipe)];
}

// Bytes at whose multiples an operand in this memory must start.
constexpr uint32_t Alignment(Space space)
{
    constexpr uint32_t bytes[] = {1, 32, 32, 512, 512, 64, 64, 128, 16};
    return bytes[static_cast<size_t>(space)];
}

struct Chip {
    std::string name;
    int cceAicore = 220;
    uint32_t aic = 0; // cube cores
    uint32_t aiv = 0; // vector cores
    std::array<uint64_t, SPACES> bytes = Registers(); // of one core; GM is as large as its tensors

    // The memories whose size is the same on all chips.
    static constexpr std::array<uint64_t, SPACES> Registers()
    {
        std::array<uint64_t, SPACES> sizes{};
        sizes[static_cast<size_t>(Space::CMPMASK)] = 16;
        return sizes;
    }

    // Which kind of core has the memory.
    static bool Has(Space space, bool cube)
    {
        return cube != (space == Space::UB || space == Space::CMPMASK);
    }

    // arch35 (Ascend 950), with its paths between the vector and the cube cores and its vector registers.
    bool Arch35() const
    {
        return cceAicore >= 310;
    }

    // Whether a vector instruction sees what the one before it wrote without a barrier.
    bool VectorInOrder() const
    {
        return Arch35();
    }

    bool Has(Pipe pipe, bool cube) const
    {
        switch (pipe) {
            case Pipe::V:
                return !cube;
            case Pipe::M:
            case Pipe::MTE1:
            case Pipe::FIX:
                return cube;
            default:
                return true;
        }
    }
};

} // namespace emulator

#endif // EMULATOR_CORE_CHIP_H

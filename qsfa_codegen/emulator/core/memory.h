// The memories of a launch: tensors in GM, and the buffers of each core.
#ifndef EMULATOR_CORE_MEMORY_H
#define EMULATOR_CORE_MEMORY_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "chip.h"
#include "shadow.h"

namespace emulator {

// What a kernel may do with a tensor: read it, must write all of it, may change it, or use it as it likes.
enum class Use : uint8_t {
    IN,
    OUT,
    INOUT,
    WORKSPACE
};

// Bytes with an owner: a GM tensor, or one memory of one core. Starts as rubbish.
class Memory {
public:
    Memory(Space space, std::string name, uint64_t bytes, Use use);

    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    uint8_t *Data() const
    {
        return data_;
    }

    uint64_t Bytes() const
    {
        return bytes_;
    }

    Space InSpace() const
    {
        return space_;
    }

    const std::string &Name() const
    {
        return name_;
    }

    bool ReadOnly() const
    {
        return use_ == Use::IN;
    }

    Shadow &Marks()
    {
        return shadow_;
    }

    Use UsedAs() const
    {
        return use_;
    }

    // Whether the address is of this memory, or of the guard zones beside it.
    bool Near(const uint8_t *address) const
    {
        return address >= data_ - GUARD && address < data_ + bytes_ + GUARD;
    }

    // Fill from before the launch.
    void Fill(const uint8_t *source);

    static constexpr uint64_t GUARD = 16384; // more than a toolkit fills past the end of a memory
    static constexpr uint8_t RUBBISH = 0xFF; // NaN as half, bfloat16 and float, -1 as an integer

private:
    Space space_;
    std::string name_;
    uint64_t bytes_;
    Use use_;
    std::vector<uint8_t> storage_;
    uint8_t *data_;
    Shadow shadow_;
};

// Bytes of a memory that an instruction touches: runs of `length`, repeated inside by count[0], outside by count[1].
struct Access {
    Memory *memory = nullptr;
    int64_t offset = 0;
    Mode mode = Mode::READ;
    uint32_t length = 0;
    uint32_t count[2] = {1, 1};
    int64_t stride[2] = {0, 0};
    bool undefined = false; // what is written there is not defined
    bool blind = false; // the bytes may be read without a value: what reads them knows
    // The part of the memory that the operand may touch, as the buffer that a TBuf has of UB.
    int64_t low = 0;
    int64_t high = -1; // -1: to the end of the memory

    uint64_t Bytes() const
    {
        return static_cast<uint64_t>(length) * count[0] * count[1];
    }

    int64_t First() const;
    int64_t Last() const; // one past the last byte
    int64_t End() const; // of what it may touch
    bool Inside() const; // whether it touches nothing else
    void Merge(); // make neighbouring runs one
};

// The tensors of a launch, found by address.
class GlobalMemory {
public:
    Memory &Add(std::string name, uint64_t bytes, Use use);
    Memory *Find(const void *address) const; // nullptr where no tensor is near

    const std::vector<std::unique_ptr<Memory>> &All() const
    {
        return all_;
    }

private:
    std::vector<std::unique_ptr<Memory>> all_;
};

} // namespace emulator

#endif // EMULATOR_CORE_MEMORY_H

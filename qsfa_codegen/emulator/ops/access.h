// What an instruction does to memory, told before it is done.
//
// Every instruction of ops/ is a struct: its fields are the parameters of the hardware instruction, and
//
//     Run(operands)              does to the bytes what the hardware does;
//     Ranges(operands, visit)    calls visit(const Access &) for all bytes that Run reads and writes;
//     Alignment(operand)         is the number of bytes that the operand's address must be a multiple of.
//
// `operands` points to one byte pointer per operand, the destination first. Where addresses or lengths come
// from data (Gather, GatherMask), that data is visited before it is read: a visitor that throws on bytes out
// of bounds keeps Ranges from reading there.
#pragma once

#include <cstdint>
#include <cstring>

namespace emulator::ops {

using Byte = uint8_t;
using Operands = Byte *const *;

constexpr uint32_t BLOCK = 32; // bytes of a data block
constexpr uint32_t REPEAT = 256; // bytes of a vector repeat
constexpr uint32_t FRACTAL = 512; // bytes of a fractal in L1, L0A and L0B
constexpr uint32_t FRACTAL_ROWS = 16;

// CLOBBER: the hardware may write these bytes, with what cannot be relied on.
enum class Touch : uint8_t {
    READ,
    WRITE,
    CLOBBER
};

// `count` runs of `bytes` bytes; the first starts at `offset` from the operand, the others `stride` further each.
struct Access {
    uint8_t operand;
    Touch touch;
    uint64_t offset;
    uint64_t bytes;
    uint64_t count = 1;
    uint64_t stride = 0;
};

template <class T>
T Load(const Byte *address)
{
    T value;
    std::memcpy(&value, address, sizeof(T));
    return value;
}

template <class T>
void Store(Byte *address, T value)
{
    std::memcpy(address, &value, sizeof(T));
}

constexpr uint64_t CeilDiv(uint64_t value, uint64_t step)
{
    return (value + step - 1) / step;
}

} // namespace emulator::ops

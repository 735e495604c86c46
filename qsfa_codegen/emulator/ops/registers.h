// Vector registers of arch35 and what is done to them.
//
// A register has 256 bytes, a predicate a bit for each of them; that of an element is the bit of its first byte.
#pragma once

#include <array>
#include <bitset>

#include "access.h"

namespace emulator::ops {

constexpr uint32_t VECTOR = 256;

template <class T>
constexpr uint32_t LANES = VECTOR / sizeof(T);

struct Register {
    std::array<Byte, VECTOR> bytes{};
    std::array<bool, VECTOR> known{}; // whether the byte has a value

    template <class T>
    T Get(uint32_t lane) const
    {
        return Load<T>(bytes.data() + lane * sizeof(T));
    }

    template <class T>
    void Set(uint32_t lane, T value)
    {
        Store(bytes.data() + lane * sizeof(T), value);
        for (uint32_t i = 0; i < sizeof(T); ++i) {
            known[lane * sizeof(T) + i] = true;
        }
    }

    template <class T>
    bool Knows(uint32_t lane) const
    {
        for (uint32_t i = 0; i < sizeof(T); ++i) {
            if (!known[lane * sizeof(T) + i]) {
                return false;
            }
        }
        return true;
    }

    // An element with what is known of it.
    void Copy(uint32_t to, const Register &source, uint32_t from, uint32_t bytesEach)
    {
        for (uint32_t i = 0; i < bytesEach; ++i) {
            bytes[to * bytesEach + i] = source.bytes[from * bytesEach + i];
            known[to * bytesEach + i] = source.known[from * bytesEach + i];
        }
    }

    static Register Zero()
    {
        Register zero;
        zero.known.fill(true);
        return zero;
    }
};

struct Predicate {
    std::bitset<VECTOR> bits;
    uint32_t width = 0; // bytes of the elements that it was made for: the bits of others are not defined; 0: of none

    bool At(uint32_t lane, uint32_t bytesEach) const
    {
        return bits[lane * bytesEach];
    }

    template <class T>
    bool On(uint32_t lane) const
    {
        return At(lane, sizeof(T));
    }

    // The first elements, or those that are multiples of a number.
    static Predicate First(uint32_t count, uint32_t width)
    {
        Predicate made;
        made.width = width;
        for (uint32_t lane = 0; lane < VECTOR / width && lane < count; ++lane) {
            made.bits.set(lane * width);
        }
        return made;
    }

    static Predicate Every(uint32_t step, uint32_t width)
    {
        Predicate made;
        made.width = width;
        for (uint32_t lane = 0; lane < VECTOR / width; lane += step) {
            made.bits.set(lane * width);
        }
        return made;
    }
};

// ------------------------------------------------------------------ loads and stores

// How a load spreads bytes over a register: the element that stands at `from` in memory goes to each place `to`.
enum class Spread : uint8_t {
    NORMAL,
    BROADCAST, // one element to all places
    BLOCK, // 32 bytes to all blocks
    TO_BLOCKS, // each of eight elements to a block
    TWICE, // each element two times
    EVERY_OTHER, // of twice as many elements, the even ones
    UNPACK2, // zeros between, to twice the width
    UNPACK4
};

// Bytes that a load takes.
constexpr uint32_t LoadBytes(Spread spread, uint32_t width)
{
    switch (spread) {
        case Spread::BROADCAST:
            return width;
        case Spread::BLOCK:
            return BLOCK;
        case Spread::TO_BLOCKS:
            return VECTOR / BLOCK * width;
        case Spread::TWICE:
        case Spread::UNPACK2:
            return VECTOR / 2;
        case Spread::UNPACK4:
            return VECTOR / 4;
        case Spread::EVERY_OTHER:
            return 2 * VECTOR;
        default:
            return VECTOR;
    }
}

constexpr uint32_t LoadAlignment(Spread spread, uint32_t width)
{
    return spread == Spread::BROADCAST || spread == Spread::TO_BLOCKS ? LoadBytes(spread, width) : BLOCK;
}

// The element of memory that goes to a place of the register, -1 for zero.
constexpr int32_t SourceOf(Spread spread, uint32_t place, uint32_t width)
{
    const auto at = static_cast<int32_t>(place);
    switch (spread) {
        case Spread::BROADCAST:
            return 0;
        case Spread::BLOCK:
            return static_cast<int32_t>(place % (BLOCK / width));
        case Spread::TO_BLOCKS:
            return static_cast<int32_t>(place / (BLOCK / width));
        case Spread::TWICE:
            return at / 2;
        case Spread::EVERY_OTHER:
            return at * 2;
        case Spread::UNPACK2:
            return at % 2 == 0 ? at / 2 : -1;
        case Spread::UNPACK4:
            return at % 4 == 0 ? at / 4 : -1;
        default:
            return at;
    }
}

// `known`: of the bytes at `from`, which have a value.
inline Register Loaded(Spread spread, uint32_t width, const Byte *from, const bool *known)
{
    Register made = Register::Zero();
    for (uint32_t place = 0; place < VECTOR / width; ++place) {
        const int32_t source = SourceOf(spread, place, width);
        for (uint32_t i = 0; source >= 0 && i < width; ++i) {
            made.bytes[place * width + i] = from[static_cast<uint32_t>(source) * width + i];
            made.known[place * width + i] = known[static_cast<uint32_t>(source) * width + i];
        }
    }
    return made;
}

// The even elements of 512 bytes to one register, the odd ones to the other.
inline void LoadedApart(Register &even, Register &odd, uint32_t width, const Byte *from, const bool *known)
{
    for (uint32_t place = 0; place < VECTOR / width; ++place) {
        for (uint32_t i = 0; i < width; ++i) {
            const uint32_t to = place * width + i;
            const uint32_t source = 2 * place * width + i;
            even.bytes[to] = from[source];
            even.known[to] = known[source];
            odd.bytes[to] = from[source + width];
            odd.known[to] = known[source + width];
        }
    }
}

// How a store takes elements: their lower `kept` bytes, one behind the other, where the predicate has their bit.
struct Gathering {
    uint32_t width = 4; // of an element in the register
    uint32_t kept = 4;
    bool first = false; // the first element alone, whatever the predicate says
};

// ------------------------------------------------------------------ order of elements

inline void Interleave(Register &low, Register &high, const Register &even, const Register &odd, uint32_t width)
{
    Register both[2];
    const uint32_t lanes = VECTOR / width;
    for (uint32_t i = 0; i < 2 * lanes; ++i) {
        both[i / lanes].Copy(i % lanes, i % 2 == 0 ? even : odd, i / 2, width);
    }
    low = both[0];
    high = both[1];
}

inline void DeInterleave(Register &even, Register &odd, const Register &low, const Register &high, uint32_t width)
{
    Register both[2];
    const uint32_t lanes = VECTOR / width;
    for (uint32_t i = 0; i < 2 * lanes; ++i) {
        both[i % 2].Copy(i / 2, i < lanes ? low : high, i % lanes, width);
    }
    even = both[0];
    odd = both[1];
}

inline void Interleave(Predicate &low, Predicate &high, const Predicate &even, const Predicate &odd, uint32_t width)
{
    Predicate both[2];
    const uint32_t lanes = VECTOR / width;
    for (uint32_t i = 0; i < 2 * lanes; ++i) {
        both[i / lanes].bits[i % lanes * width] = (i % 2 == 0 ? even : odd).At(i / 2, width);
    }
    both[0].width = both[1].width = width;
    low = both[0];
    high = both[1];
}

inline void DeInterleave(Predicate &even, Predicate &odd, const Predicate &low, const Predicate &high, uint32_t width)
{
    Predicate both[2];
    const uint32_t lanes = VECTOR / width;
    for (uint32_t i = 0; i < 2 * lanes; ++i) {
        both[i % 2].bits[i / 2 * width] = (i < lanes ? low : high).At(i % lanes, width);
    }
    both[0].width = both[1].width = width;
    even = both[0];
    odd = both[1];
}

} // namespace emulator::ops

// Compare, Compares and Select. One bit an element, the first in the lowest bit of the first byte.
#pragma once

#include "arithmetic.h"

namespace emulator::ops {

// In the order of AscendC::CMPMODE.
enum class Relation : uint8_t {
    LT,
    GT,
    EQ,
    LE,
    GE,
    NE
};

// A NaN is unequal to everything, also to itself, and neither less nor greater.
template <class T>
bool Holds(Relation relation, T a, T b)
{
    switch (relation) {
        case Relation::LT:
            return a < b;
        case Relation::GT:
            return a > b;
        case Relation::EQ:
            return a == b;
        case Relation::LE:
            return a <= b;
        case Relation::GE:
            return a >= b;
        default:
            return a != b;
    }
}

// On arch22 Compare heeds no mask: every repeat gives bits for 256 bytes, and these follow each other without
// gaps.
template <class T>
struct Compare {
    Relation relation = Relation::LT;
    uint32_t repeat = 1;
    Strides src0;
    Strides src1;
    bool scalar = false; // compare with `value`; there is no third operand then
    T value{};

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

    void Run(Operands at) const
    {
        for (uint32_t step = 0; step < repeat; ++step) {
            Byte bits[WIDTH<T> / 8] = {};
            for (uint32_t lane = 0; lane < WIDTH<T>; ++lane) {
                const auto a = Load<T>(at[1] + LaneOffset(src0, sizeof(T), step, lane));
                const T b = scalar ? value : Load<T>(at[2] + LaneOffset(src1, sizeof(T), step, lane));
                bits[lane / 8] = Byte(bits[lane / 8] | Holds(relation, a, b) << (lane % 8));
            }
            std::memcpy(at[0] + step * sizeof(bits), bits, sizeof(bits));
        }
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        const Lanes lanes(Mask{}, repeat, WIDTH<T>);
        VisitLanes(lanes, 1, Touch::READ, src0, sizeof(T), visit);
        if (!scalar) {
            VisitLanes(lanes, 2, Touch::READ, src1, sizeof(T), visit);
        }
        if (repeat > 0) {
            visit(Access{0, Touch::WRITE, 0, uint64_t(repeat) * WIDTH<T> / 8});
        }
    }
};

// One repeat into the register of 16 bytes, here the first operand. This form heeds the mask. Bits of lanes that take
// no part are cleared; bytes of which no lane takes part cannot be relied on.
template <class T>
struct CompareToRegister {
    static constexpr uint32_t BYTES = 16;

    Relation relation = Relation::LT;
    Mask mask;
    Strides src0;
    Strides src1;

    static uint32_t Alignment(uint32_t operand)
    {
        return operand == 0 ? BYTES : BLOCK;
    }

    void Run(Operands at) const
    {
        Byte bits[BYTES] = {};
        All().ForEach(0, [&](uint32_t lane) {
            const auto a = Load<T>(at[1] + LaneOffset(src0, sizeof(T), 0, lane));
            const auto b = Load<T>(at[2] + LaneOffset(src1, sizeof(T), 0, lane));
            bits[lane / 8] = Byte(bits[lane / 8] | Holds(relation, a, b) << (lane % 8));
        });
        std::memcpy(at[0], bits, sizeof(bits));
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        const Lanes lanes = All();
        VisitLanes(lanes, 1, Touch::READ, src0, sizeof(T), visit);
        VisitLanes(lanes, 2, Touch::READ, src1, sizeof(T), visit);
        for (uint32_t byte = 0; byte < BYTES; ++byte) {
            const bool sure = byte < WIDTH<T> / 8 && lanes.NextRun(0, byte * 8).begin < byte * 8 + 8;
            visit(Access{0, sure ? Touch::WRITE : Touch::CLOBBER, byte, 1});
        }
    }

private:
    Lanes All() const
    {
        return Lanes(mask, 1, WIDTH<T>);
    }
};

// Operands: destination, bits, what a set bit takes and, unless it is a scalar, what a clear bit takes.
template <class T>
struct Select {
    Mask mask;
    uint32_t repeat = 1;
    Strides dst;
    Strides src0;
    Strides src1;
    bool sameBits = false; // mode 0: every repeat has the same bits; otherwise they run on
    bool bitsInRegister = false; // these are the second operand then
    bool scalar = false; // mode 1
    bool valueInRegister = false; // it is the fourth operand then
    T value{};

    uint32_t Alignment(uint32_t operand) const
    {
        const bool inRegister = (operand == 1 && bitsInRegister) || (operand == 3 && valueInRegister);
        return inRegister ? CompareToRegister<T>::BYTES : BLOCK;
    }

    void Run(Operands at) const
    {
        const T other = valueInRegister ? Load<T>(at[3]) : value;
        FillLanes<T>(All(), at[0], dst, [&](uint32_t step, uint32_t lane) {
            if ((at[1][BitsOffset(step) + lane / 8] >> (lane % 8) & 1) != 0) {
                return Load<T>(at[2] + LaneOffset(src0, sizeof(T), step, lane));
            }
            return scalar ? other : Load<T>(at[3] + LaneOffset(src1, sizeof(T), step, lane));
        });
    }

    // Both sources are read in whole, whatever the bits.
    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        const Lanes lanes = All();
        for (uint32_t step = 0; step < lanes.Repeats(); ++step) {
            for (LaneRun run = lanes.NextRun(step, 0); run.begin < run.end; run = lanes.NextRun(step, run.end)) {
                const uint64_t first = run.begin / 8;
                visit(Access{1, Touch::READ, BitsOffset(step) + first, CeilDiv(run.end, 8) - first});
            }
        }
        VisitLanes(lanes, 2, Touch::READ, src0, sizeof(T), visit);
        if (!scalar) {
            VisitLanes(lanes, 3, Touch::READ, src1, sizeof(T), visit);
        } else if (valueInRegister) {
            visit(Access{3, Touch::READ, 0, sizeof(T)});
        }
        VisitLanes(lanes, 0, Touch::WRITE, dst, sizeof(T), visit);
    }

private:
    Lanes All() const
    {
        return Lanes(mask, repeat, WIDTH<T>);
    }
    uint64_t BitsOffset(uint32_t step) const
    {
        return sameBits ? 0 : uint64_t(step) * WIDTH<T> / 8;
    }
};

} // namespace emulator::ops

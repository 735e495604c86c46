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
// gaps. One repeat into 16 bytes is the form whose result goes to the compare-mask register.
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

// Operands: destination, bits, what a set bit takes and, unless it is a scalar, what a clear bit takes.
template <class T>
struct Select {
    Mask mask;
    uint32_t repeat = 1;
    Strides dst;
    Strides src0;
    Strides src1;
    bool sameBits = false; // mode 0: every repeat has the same bits; otherwise they run on
    bool scalar = false; // mode 1
    T value{};

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

    void Run(Operands at) const
    {
        FillLanes<T>(All(), at[0], dst, [&](uint32_t step, uint32_t lane) {
            if ((at[1][BitsOffset(step) + lane / 8] >> (lane % 8) & 1) != 0) {
                return Load<T>(at[2] + LaneOffset(src0, sizeof(T), step, lane));
            }
            return scalar ? value : Load<T>(at[3] + LaneOffset(src1, sizeof(T), step, lane));
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

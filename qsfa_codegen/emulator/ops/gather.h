// Gather and GatherMask: elements from where offsets or bits say.
#pragma once

#include "lanes.h"

namespace emulator::ops {

// Operands: destination, source, byte offsets (uint32, one a lane, also of lanes that do not take part).
// T is an unsigned integer of the element's size.
template <class T>
struct Gather {
    Mask mask;
    uint32_t repeat = 1;
    uint32_t dstRepeat = 8;
    uint32_t base = 0; // bytes, added to every offset

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

    void Run(Operands at) const
    {
        FillLanes<T>(All(), at[0], {1, dstRepeat}, [&](uint32_t step, uint32_t lane) {
            return Load<T>(at[1] + Source(at, step, lane));
        });
    }

    template <class Visit>
    void Ranges(Operands at, Visit &&visit) const
    {
        const Lanes lanes = All();
        VisitLanes(lanes, 2, Touch::READ, {1, WIDTH<T> * 4 / BLOCK}, 4, visit);
        for (uint32_t step = 0; step < lanes.Repeats(); ++step) {
            lanes.ForEach(step, [&](uint32_t lane) {
                visit(Access{1, Touch::READ, Source(at, step, lane), sizeof(T)});
            });
        }
        VisitLanes(lanes, 0, Touch::WRITE, {1, dstRepeat}, sizeof(T), visit);
    }

private:
    Lanes All() const
    {
        return Lanes(mask, repeat, WIDTH<T>);
    }

    uint64_t Source(Operands at, uint32_t step, uint32_t lane) const
    {
        return uint64_t(base) + Load<uint32_t>(at[2] + (uint64_t(step) * WIDTH<T> + lane) * 4);
    }
};

// Packs the elements whose mask bit is set. Operands: destination, source, and with pattern 0 the bits, read
// without gaps within a repeat. T is an unsigned integer of the element's size. `count` > 0 is counter mode:
// so many elements a repeat, which may be more than 256 bytes.
template <class T>
struct GatherMask {
    uint32_t pattern = 0; // 1 … 7: built in; 0: from the third operand
    uint32_t count = 0;
    uint32_t repeat = 1;
    Strides src;
    uint32_t patternRepeat = 0; // blocks

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

    void Run(Operands at) const
    {
        Pack(at);
    }

    // Run, and the number of elements that were taken (rsvdCnt).
    uint64_t Pack(Operands at) const
    {
        uint64_t taken = 0;
        for (uint32_t step = 0; step < repeat; ++step) {
            for (uint32_t element = 0; element < PerRepeat(); ++element) {
                if (Takes(at, step, element)) {
                    const auto value = Load<T>(at[1] + LaneOffset(src, sizeof(T), step, element));
                    Store(at[0] + taken++ * sizeof(T), value);
                }
            }
        }
        return taken;
    }

    template <class Visit>
    void Ranges(Operands at, Visit &&visit) const
    {
        uint64_t taken = 0;
        for (uint32_t step = 0; step < repeat; ++step) {
            if (pattern == 0) {
                visit(Access{2, Touch::READ, PatternOffset(step), CeilDiv(PerRepeat(), 8)});
            }
            for (uint32_t element = 0; element < PerRepeat(); ++element) {
                if (Takes(at, step, element)) {
                    visit(Access{1, Touch::READ, LaneOffset(src, sizeof(T), step, element), sizeof(T)});
                    ++taken;
                }
            }
        }
        if (taken > 0) {
            visit(Access{0, Touch::WRITE, 0, taken * sizeof(T)});
        }
    }

private:
    uint32_t PerRepeat() const
    {
        return count > 0 ? count : WIDTH<T>;
    }
    uint64_t PatternOffset(uint32_t step) const
    {
        return uint64_t(step) * patternRepeat * BLOCK;
    }

    bool Takes(Operands at, uint32_t step, uint32_t element) const
    {
        switch (pattern) {
            case 0:
                return (at[2][PatternOffset(step) + element / 8] >> (element % 8) & 1) != 0;
            case 1:
            case 2:
                return element % 2 == pattern - 1;
            case 7:
                return true;
            default:
                return element % 4 == pattern - 3;
        }
    }
};

} // namespace emulator::ops

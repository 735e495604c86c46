// Vector instructions that fill, copy and gather.
#pragma once

#include "arithmetic.h"

namespace emulator::ops {

template <class T>
struct Duplicate {
    Mask mask;
    uint32_t repeat = 1;
    Strides dst;
    T scalar{};

    static uint32_t Alignment(uint32_t) { return BLOCK; }

    void Run(Operands at) const
    {
        FillLanes<T>(All(), at[0], dst, [&](uint32_t, uint32_t) { return scalar; });
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        VisitLanes(All(), 0, Touch::WRITE, dst, sizeof(T), visit);
    }

private:
    Lanes All() const { return Lanes(mask, repeat, WIDTH<T>); }
};

// CreateVecIndex: first, first + 1 … over the lanes of all repeats, those too that do not take part.
template <class T>
struct ArithProgression {
    Mask mask;
    uint32_t repeat = 1;
    Strides dst;
    T first{};

    static uint32_t Alignment(uint32_t) { return BLOCK; }

    void Run(Operands at) const
    {
        FillLanes<T>(All(), at[0], dst, [&](uint32_t step, uint32_t lane) {
            const uint64_t index = uint64_t(step) * WIDTH<T> + lane;
            if constexpr (IS_FLOATING<T>) {
                return Narrow<T>(double(float(first)) + double(index), Overflow::INF_NAN);
            } else {
                return WrapTo<T>(static_cast<uint64_t>(first) + index);
            }
        });
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        VisitLanes(All(), 0, Touch::WRITE, dst, sizeof(T), visit);
    }

private:
    Lanes All() const { return Lanes(mask, repeat, WIDTH<T>); }
};

// T is an unsigned integer of the element's size. In counter mode the mask counts the elements of one repeat,
// not of the instruction, and whole blocks are copied.
template <class T>
struct Copy {
    Mask mask;
    uint32_t repeat = 1;
    Strides dst;
    Strides src;

    static uint32_t Alignment(uint32_t) { return BLOCK; }

    void Run(Operands at) const
    {
        if (mask.counter) {
            for (uint32_t step = 0; step < repeat; ++step) {
                for (uint64_t block = 0; block < Blocks(); ++block) {
                    Byte *to = at[0] + BlockOffset(dst, step, block);
                    std::memmove(to, at[1] + BlockOffset(src, step, block), BLOCK);
                }
            }
            return;
        }
        FillLanes<T>(All(), at[0], dst, [&](uint32_t step, uint32_t lane) {
            return Load<T>(at[1] + LaneOffset(src, sizeof(T), step, lane));
        });
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        if (!mask.counter) {
            VisitLanes(All(), 1, Touch::READ, src, sizeof(T), visit);
            VisitLanes(All(), 0, Touch::WRITE, dst, sizeof(T), visit);
            return;
        }
        for (uint32_t step = 0; step < repeat; ++step) {
            visit(Access{1, Touch::READ, BlockOffset(src, step, 0), BLOCK, Blocks(), uint64_t(src.block) * BLOCK});
            visit(Access{0, Touch::WRITE, BlockOffset(dst, step, 0), BLOCK, Blocks(), uint64_t(dst.block) * BLOCK});
        }
    }

private:
    Lanes All() const { return Lanes(mask, repeat, WIDTH<T>); }
    uint64_t Blocks() const { return CeilDiv(mask.low * sizeof(T), BLOCK); }

    static uint64_t BlockOffset(Strides strides, uint32_t step, uint64_t block)
    {
        return (uint64_t(step) * strides.repeat + block * strides.block) * BLOCK;
    }
};

// Brcb: element i of eight fills block i. T is an unsigned integer of the element's size.
template <class T>
struct BroadcastBlocks {
    static constexpr uint32_t ELEMENTS = 8;

    uint32_t repeat = 1;
    Strides dst;

    static uint32_t Alignment(uint32_t) { return BLOCK; }

    void Run(Operands at) const
    {
        for (uint32_t step = 0; step < repeat; ++step) {
            T elements[ELEMENTS];
            std::memcpy(elements, at[1] + uint64_t(step) * sizeof(elements), sizeof(elements));
            for (uint32_t block = 0; block < ELEMENTS; ++block) {
                Byte *to = at[0] + Offset(step, block);
                for (uint32_t i = 0; i < BLOCK / sizeof(T); ++i) {
                    Store(to + i * sizeof(T), elements[block]);
                }
            }
        }
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        if (repeat == 0) {
            return;
        }
        visit(Access{1, Touch::READ, 0, uint64_t(repeat) * ELEMENTS * sizeof(T)});
        for (uint32_t step = 0; step < repeat; ++step) {
            visit(Access{0, Touch::WRITE, Offset(step, 0), BLOCK, ELEMENTS, uint64_t(dst.block) * BLOCK});
        }
    }

private:
    uint64_t Offset(uint32_t step, uint32_t block) const
    {
        return (uint64_t(step) * dst.repeat + uint64_t(block) * dst.block) * BLOCK;
    }
};

// Operands: destination, source, byte offsets (uint32, one a lane, also of lanes that do not take part).
// T is an unsigned integer of the element's size.
template <class T>
struct Gather {
    Mask mask;
    uint32_t repeat = 1;
    uint32_t dstRepeat = 8;
    uint32_t base = 0; // bytes, added to every offset

    static uint32_t Alignment(uint32_t) { return BLOCK; }

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
    Lanes All() const { return Lanes(mask, repeat, WIDTH<T>); }

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

    static uint32_t Alignment(uint32_t) { return BLOCK; }

    void Run(Operands at) const { Pack(at); }

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
    uint32_t PerRepeat() const { return count > 0 ? count : WIDTH<T>; }
    uint64_t PatternOffset(uint32_t step) const { return uint64_t(step) * patternRepeat * BLOCK; }

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

// A 16 × 16 matrix of 2-byte elements.
struct Transpose {
    static constexpr uint32_t SIDE = 16;

    static uint32_t Alignment(uint32_t) { return BLOCK; }

    void Run(Operands at) const
    {
        uint16_t rows[SIDE][SIDE];
        std::memcpy(rows, at[1], sizeof(rows));
        for (uint32_t row = 0; row < SIDE; ++row) {
            for (uint32_t column = 0; column < SIDE; ++column) {
                Store(at[0] + (column * SIDE + row) * sizeof(uint16_t), rows[row][column]);
            }
        }
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        visit(Access{1, Touch::READ, 0, FRACTAL});
        visit(Access{0, Touch::WRITE, 0, FRACTAL});
    }
};

} // namespace emulator::ops

// Vector instructions that fill, copy and broadcast.
#pragma once

#include "arithmetic.h"
#include "gather.h"

namespace emulator::ops {

template <class T>
struct Duplicate {
    Mask mask;
    uint32_t repeat = 1;
    Strides dst;
    T scalar{};

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

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
    Lanes All() const
    {
        return Lanes(mask, repeat, WIDTH<T>);
    }
};

// CreateVecIndex: first, first + 1 … over the lanes of all repeats, those too that do not take part.
template <class T>
struct ArithProgression {
    Mask mask;
    uint32_t repeat = 1;
    Strides dst;
    T first{};

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

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
    Lanes All() const
    {
        return Lanes(mask, repeat, WIDTH<T>);
    }
};

// T is an unsigned integer of the element's size. In counter mode the mask counts the elements of one repeat,
// not of the instruction, and whole blocks are copied.
template <class T>
struct Copy {
    Mask mask;
    uint32_t repeat = 1;
    Strides dst;
    Strides src;

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

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
    Lanes All() const
    {
        return Lanes(mask, repeat, WIDTH<T>);
    }
    uint64_t Blocks() const
    {
        return CeilDiv(mask.low * sizeof(T), BLOCK);
    }

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

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

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

} // namespace emulator::ops

// Vector instructions that transpose: a matrix of 16 × 16, and 16 blocks that lie anywhere.
#pragma once

#include "access.h"

namespace emulator::ops {

// A 16 × 16 matrix of 2-byte elements.
struct Transpose {
    static constexpr uint32_t SIDE = 16;

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

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

// TransDataTo5HD: the blocks are the rows of a matrix of 16 rows. Its columns go to the 16 blocks of the destination:
// one each of 2-byte elements, half a block each of bytes, two blocks each of 4-byte elements. Of bytes only half of
// each source block is read, 16 columns. Operands: the 16 blocks of the destination, then those of the source.
template <class T>
struct TransposeBlocks {
    static constexpr uint32_t ROWS = 16;
    static constexpr uint32_t RUN = sizeof(T) == 1 ? BLOCK / 2 : BLOCK; // bytes of a block that take part

    uint32_t repeat = 1;
    uint32_t dstRepeat = 0; // blocks
    uint32_t srcRepeat = 0;
    bool dstHigh = false; // of bytes: the upper half of a block
    bool srcHigh = false;

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

    void Run(Operands at) const
    {
        constexpr uint32_t perRun = RUN / sizeof(T);
        for (uint32_t step = 0; step < repeat; ++step) {
            T rows[ROWS][perRun];
            for (uint32_t row = 0; row < ROWS; ++row) {
                std::memcpy(rows[row], at[ROWS + row] + Offset(step, srcRepeat, srcHigh), RUN);
            }
            for (uint32_t i = 0; i < ROWS * perRun; ++i) {
                const uint32_t column = i / ROWS;
                const uint32_t row = i % ROWS;
                Store(at[i / perRun] + Offset(step, dstRepeat, dstHigh) + i % perRun * sizeof(T), rows[row][column]);
            }
        }
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        for (uint32_t step = 0; step < repeat; ++step) {
            for (uint8_t row = 0; row < ROWS; ++row) {
                visit(Access{uint8_t(ROWS + row), Touch::READ, Offset(step, srcRepeat, srcHigh), RUN});
                visit(Access{row, Touch::WRITE, Offset(step, dstRepeat, dstHigh), RUN});
            }
        }
    }

private:
    // A single repeat begins one stride behind the given addresses.
    uint64_t Offset(uint32_t step, uint32_t stride, bool high) const
    {
        return uint64_t(repeat == 1 ? 1 : step) * stride * BLOCK + (sizeof(T) == 1 && high ? RUN : 0);
    }
};

} // namespace emulator::ops

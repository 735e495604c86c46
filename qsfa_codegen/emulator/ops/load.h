// L1 → L0A and L0B.
//
// A fractal is 512 bytes: 16 rows of 32 bytes. L1 holds matrices in NZ: columns of fractals, one after the other.
// L0A of arch22 wants Zz (rows of fractals), that of arch35 NZ; L0B wants Zn, fractals with n outside and k inside.
#pragma once

#include "access.h"

namespace emulator::ops {

// Copies a square of 16-bit elements, transposed.
inline void TransposeFractal(Byte *to, const Byte *from)
{
    uint16_t elements[FRACTAL_ROWS][FRACTAL_ROWS];
    std::memcpy(elements, from, FRACTAL);
    for (uint32_t row = 0; row < FRACTAL_ROWS; ++row) {
        for (uint32_t column = 0; column < FRACTAL_ROWS; ++column) {
            Store(to + (column * FRACTAL_ROWS + row) * sizeof(uint16_t), elements[row][column]);
        }
    }
}

// LoadData with LoadData2DParams: whole fractals. Strides count fractals; `dstGap` is from end to start.
struct Load2D {
    uint32_t startIndex = 0;
    uint32_t repeat = 1;
    uint32_t srcStride = 0;
    uint32_t dstGap = 0;
    bool transpose = false; // 16-bit elements only

    static uint32_t Alignment(uint32_t operand)
    {
        return operand == 0 ? FRACTAL : BLOCK;
    }

    void Run(Operands at) const
    {
        for (uint32_t step = 0; step < repeat; ++step) {
            Byte *to = at[0] + uint64_t(step) * (dstGap + 1) * FRACTAL;
            const Byte *from = at[1] + (startIndex + uint64_t(step) * srcStride) * FRACTAL;
            if (transpose) {
                TransposeFractal(to, from);
            } else {
                std::memcpy(to, from, FRACTAL);
            }
        }
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        if (repeat > 0) {
            visit(Access{1, Touch::READ, uint64_t(startIndex) * FRACTAL, FRACTAL, repeat,
                uint64_t(srcStride) * FRACTAL});
            visit(Access{0, Touch::WRITE, 0, FRACTAL, repeat, uint64_t(dstGap + 1) * FRACTAL});
        }
    }
};

// LoadDataWithTranspose (LoadData2dTransposeParams). A step takes a square of elements, which is one fractal of
// 16-bit elements and otherwise two neighbours: 32 × 32 of one byte (put one below the other), 16 × 16 of four
// (side by side). It is transposed, and cut into fractals again.
struct LoadTransposed {
    uint32_t elementSize = 2;
    uint32_t startIndex = 0; // squares
    uint32_t repeat = 1;
    uint32_t srcStride = 0; // squares
    uint32_t dstGap = 0; // fractals, from the end of a step's first one to the next step's
    uint32_t dstFracGap = 0; // fractals, between those of a step
    bool down = false; // addrMode: the source goes to lower addresses

    static uint32_t Alignment(uint32_t operand)
    {
        return operand == 0 ? FRACTAL : BLOCK;
    }

    void Run(Operands at) const
    {
        for (uint32_t step = 0; step < repeat; ++step) {
            Byte square[2 * FRACTAL];
            std::memcpy(square, at[1] + SrcOffset(step), SquareBytes());
            const uint32_t side = Side();
            for (uint32_t row = 0; row < side; ++row) {
                for (uint32_t column = 0; column < side; ++column) {
                    const uint64_t to = Place(row, column);
                    const uint64_t fractal = to / FRACTAL;
                    std::memcpy(at[0] + DstOffset(step, static_cast<uint32_t>(fractal)) + to % FRACTAL,
                        square + Place(column, row), elementSize);
                }
            }
        }
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        for (uint32_t step = 0; step < repeat; ++step) {
            visit(Access{1, Touch::READ, SrcOffset(step), SquareBytes()});
            visit(Access{0, Touch::WRITE, DstOffset(step, 0), FRACTAL, SquareBytes() / FRACTAL,
                uint64_t(dstFracGap + 1) * FRACTAL});
        }
    }

private:
    uint32_t Side() const
    {
        return elementSize == 1 ? 32 : 16;
    }
    uint64_t SquareBytes() const
    {
        return uint64_t(Side()) * Side() * elementSize;
    }

    uint64_t SrcOffset(uint32_t step) const
    {
        const uint64_t moved = uint64_t(step) * srcStride;
        return (down ? startIndex - moved : startIndex + moved) * SquareBytes();
    }

    uint64_t DstOffset(uint32_t step, uint32_t fractal) const
    {
        return (uint64_t(step) * (dstGap + 1) + uint64_t(fractal) * (dstFracGap + 1)) * FRACTAL;
    }

    // Of an element of the square, in its fractals one after the other.
    uint64_t Place(uint32_t row, uint32_t column) const
    {
        const uint32_t perRow = BLOCK / elementSize;
        const uint64_t fractal = row / FRACTAL_ROWS + column / perRow;
        return fractal * FRACTAL + (row % FRACTAL_ROWS) * BLOCK + (column % perRow) * elementSize;
    }
};

} // namespace emulator::ops

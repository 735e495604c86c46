// LoadData with LoadData3DParamsV2: image to column.
#pragma once

#include <algorithm>

#include "load.h"

namespace emulator::ops {

// The fractal layout that is written.
enum class Layout3D : uint8_t {
    ZZ, // L0A of arch22: rows of fractals
    NZ, // L0A of arch35: columns of fractals
    ZZ_TRANSPOSED, // L0A with enTranspose: the whole matrix transposed
    ZN, // L0B: rows of fractals, each transposed
};

// The source is NC1HWC0 with C0 = 32 bytes. Its im2col matrix has a row for every place of the kernel's window
// (left to right, then down) and a column for every (C1, point of the kernel, C0). The instruction takes the
// mExtension × kExtension part of it from (mStart, kStart), rounded up to fractals. What of it lies in the padding
// is `padValue`; the rest of the last fractals, past the extensions, is not to be relied on.
// Transposed and Zn layouts are for 16-bit elements.
struct Load3D {
    Layout3D layout = Layout3D::ZZ;
    uint32_t elementSize = 2;
    uint32_t padLeft = 0;
    uint32_t padRight = 0;
    uint32_t padTop = 0;
    uint32_t padBottom = 0;
    uint32_t l1H = 0;
    uint32_t l1W = 0;
    uint32_t channelSize = 0;
    uint32_t kExtension = 0;
    uint32_t mExtension = 0;
    uint32_t kStart = 0;
    uint32_t mStart = 0;
    uint32_t strideW = 1;
    uint32_t strideH = 1;
    uint32_t filterW = 1; // with the 256 of filterSizeW
    uint32_t filterH = 1;
    uint32_t dilationW = 1;
    uint32_t dilationH = 1;
    uint64_t padValue = 0; // an element, in the low bytes

    static uint32_t Alignment(uint32_t operand)
    {
        return operand == 0 ? FRACTAL : BLOCK;
    }

    void Run(Operands at) const
    {
        ForEachBlock([&](uint32_t row, uint32_t column, int64_t source) {
            Byte block[BLOCK];
            if (source >= 0) {
                std::memcpy(block, at[1] + source, BLOCK);
            } else {
                for (uint32_t i = 0; i < BLOCK; i += elementSize) {
                    std::memcpy(block + i, &padValue, elementSize);
                }
            }
            Byte *fractal = at[0] + FractalOffset(row / FRACTAL_ROWS, column);
            if (layout == Layout3D::ZZ || layout == Layout3D::NZ) {
                std::memcpy(fractal + row % FRACTAL_ROWS * BLOCK, block, BLOCK);
                return;
            }
            for (uint32_t i = 0; i < BLOCK / elementSize; ++i) {
                std::memcpy(fractal + i * BLOCK + row % FRACTAL_ROWS * elementSize, block + i * elementSize,
                    elementSize);
            }
        });
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        ForEachBlock([&](uint32_t, uint32_t, int64_t source) {
            if (source >= 0) {
                visit(Access{1, Touch::READ, static_cast<uint64_t>(source), BLOCK});
            }
        });
        for (uint32_t row = 0; Works() && row < mExtension; row += FRACTAL_ROWS) {
            const uint32_t rows = std::min(FRACTAL_ROWS, mExtension - row);
            for (uint32_t column = 0; column < Columns(); ++column) {
                VisitFractal(FractalOffset(row / FRACTAL_ROWS, column), rows, visit);
            }
        }
    }

private:
    bool Works() const
    {
        return l1H != 0 && l1W != 0 && channelSize != 0 && kExtension != 0 && mExtension != 0 && filterW != 0 &&
            filterH != 0 && strideW != 0 && strideH != 0;
    }

    uint32_t PerBlock() const
    {
        return BLOCK / elementSize;
    }
    uint32_t Columns() const
    {
        return static_cast<uint32_t>(CeilDiv(kExtension, PerBlock()));
    }
    uint32_t WindowsInRow() const
    {
        return (l1W + padLeft + padRight - (filterW - 1) * dilationW - 1) / strideW + 1;
    }

    uint64_t FractalOffset(uint32_t rowOfFractals, uint32_t column) const
    {
        const uint64_t rows = CeilDiv(mExtension, FRACTAL_ROWS);
        const bool columnsFirst = layout == Layout3D::NZ || layout == Layout3D::ZZ_TRANSPOSED;
        const uint64_t index =
            columnsFirst ? column * rows + rowOfFractals : uint64_t(rowOfFractals) * Columns() + column;
        return index * FRACTAL;
    }

    // Calls visit(row, column of blocks, offset in the source or −1 for padding).
    template <class Visit>
    void ForEachBlock(Visit visit) const
    {
        if (!Works()) {
            return;
        }
        const uint32_t windows = WindowsInRow();
        for (uint32_t column = 0; column < Columns(); ++column) {
            const uint32_t point = kStart / PerBlock() + column; // (C1, kernel point)
            const uint32_t channel = point / (filterW * filterH);
            const uint32_t down = point % (filterW * filterH) / filterW * dilationH;
            const uint32_t across = point % filterW * dilationW;
            for (uint32_t row = 0; row < mExtension; ++row) {
                const int64_t y = int64_t((mStart + row) / windows) * strideH + down - padTop;
                const int64_t x = int64_t((mStart + row) % windows) * strideW + across - padLeft;
                const bool inside = y >= 0 && y < l1H && x >= 0 && x < l1W;
                visit(row, column, inside ? ((int64_t(channel) * l1H + y) * l1W + x) * BLOCK : -1);
            }
        }
    }

    template <class Visit>
    void VisitFractal(uint64_t offset, uint32_t rows, Visit &visit) const
    {
        if (rows == FRACTAL_ROWS) {
            visit(Access{0, Touch::WRITE, offset, FRACTAL});
        } else if (layout == Layout3D::ZZ || layout == Layout3D::NZ) {
            visit(Access{0, Touch::WRITE, offset, uint64_t(rows) * BLOCK});
            const uint64_t bytes = uint64_t(rows) * BLOCK;
            visit(Access{0, Touch::CLOBBER, offset + bytes, FRACTAL - bytes});
        } else {
            const uint64_t bytes = uint64_t(rows) * elementSize;
            visit(Access{0, Touch::WRITE, offset, bytes, PerBlock(), BLOCK});
            visit(Access{0, Touch::CLOBBER, offset + bytes, BLOCK - bytes, PerBlock(), BLOCK});
        }
    }
};

} // namespace emulator::ops

// Fixpipe: L0C → GM (UB or L1 on chips that have the path).
#pragma once

#include <algorithm>
#include <type_traits>

#include "convert.h"
#include "move.h"

namespace emulator::ops {

// The source is NZ: columns of 16 elements of 4 bytes, `srcStride` rows from one column to the next. The type of
// the destination tells the conversion: the source's own type (NoQuant), or Half and BFloat16 from float (F322F16,
// F322BF16; to nearest even).
template <class To, class From>
struct Fixpipe {
    static_assert(sizeof(From) == 4);
    static constexpr uint32_t COLUMNS = FRACTAL_ROWS;
    static constexpr uint64_t SRC_ROW = COLUMNS * sizeof(From);

    bool nz = false; // the destination too is NZ; otherwise ND
    uint32_t nSize = 0;
    uint32_t mSize = 0;
    uint32_t srcStride = 0;
    uint64_t dstStride = 0; // ND: elements from row to row; NZ: bytes from column to column
    uint32_t ndNum = 1; // ND: matrices
    uint32_t srcNdStride = 0; // columns of 16 × 16 elements
    uint32_t dstNdStride = 0; // elements
    bool relu = false;
    bool splitChannels = false; // NZ of float with columns of 8 elements
    Atomic atomic = Atomic::NONE;
    Overflow overflow = Overflow::INF_NAN;

    uint32_t Alignment(uint32_t operand) const
    {
        return operand == 1 ? 64 : nz ? BLOCK
                                      : 1;
    }

    void Run(Operands at) const
    {
        ForEachRow([&](uint32_t row, uint32_t columns, uint64_t from, uint64_t to, uint64_t dstRow) {
            for (uint32_t i = 0; i < columns; ++i) {
                const auto value = Load<From>(at[1] + from + row * SRC_ROW + i * sizeof(From));
                StoreAtomic(at[0] + to + row * dstRow + i * sizeof(To), Converted(value), atomic);
            }
        });
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        ForEachColumn([&](uint32_t columns, uint64_t from, uint64_t to, uint64_t dstRow) {
            visit(Access{1, Touch::READ, from, columns * sizeof(From), mSize, SRC_ROW});
            if (atomic != Atomic::NONE) {
                visit(Access{0, Touch::READ, to, columns * sizeof(To), mSize, dstRow});
            }
            visit(Access{0, Touch::WRITE, to, columns * sizeof(To), mSize, dstRow});
        });
    }

    // How many matrices there are, and where in the source they begin.
    uint32_t Matrices() const
    {
        return nz ? 1 : ndNum;
    }

    uint64_t SourceOf(uint32_t matrix) const
    {
        return uint64_t(matrix) * srcNdStride * COLUMNS * SRC_ROW;
    }

private:
    To Converted(From value) const
    {
        if (relu) {
            value = Rectified(value);
        }
        if constexpr (std::is_same_v<To, From>) {
            return value;
        } else {
            return Convert<To>(value, Round::RINT, overflow);
        }
    }

    // Calls visit(elements in a row, source offset, destination offset, bytes between rows of the destination) for
    // each column of up to 16 elements.
    template <class Visit>
    void ForEachColumn(Visit visit) const
    {
        const uint32_t width = nz && splitChannels ? COLUMNS / 2 : COLUMNS;
        for (uint32_t matrix = 0; mSize > 0 && matrix < Matrices(); ++matrix) {
            const uint64_t source = SourceOf(matrix);
            const uint64_t target = uint64_t(matrix) * dstNdStride * sizeof(To);
            for (uint32_t column = 0; column < nSize; column += width) {
                const uint64_t from = source + uint64_t(column / COLUMNS) * srcStride * SRC_ROW +
                    column % COLUMNS * sizeof(From);
                const uint64_t to = target + (nz ? column / width * dstStride : column * sizeof(To));
                visit(std::min(width, nSize - column), from, to, (nz ? width : dstStride) * sizeof(To));
            }
        }
    }

    template <class Visit>
    void ForEachRow(Visit visit) const
    {
        ForEachColumn([&](uint32_t columns, uint64_t from, uint64_t to, uint64_t dstRow) {
            for (uint32_t row = 0; row < mSize; ++row) {
                visit(row, columns, from, to, dstRow);
            }
        });
    }
};

} // namespace emulator::ops

// Mmad: C = A · B, or C += A · B.
//
// A is Zz in L0A (NZ on arch35), B is Zn in L0B, C is NZ in L0C with fractals of 16 × 16 elements of 4 bytes.
// Elements past m, n and k in the last fractals take no part. The order of additions is not documented; here the
// products of one fractal's depth are summed (in double: without loss but in extreme cases) and the sum is added
// to C with one rounding. int32 wraps.
#pragma once

#include <algorithm>
#include <type_traits>
#include <vector>

#include "access.h"
#include "numbers.h"

namespace emulator::ops {

// Where C starts: zeros, what it holds, or a row of n values (fourth operand) for all rows.
enum class Start : uint8_t {
    ZERO,
    KEEP,
    BIAS
};

// Operands: C, A, B, and with Start::BIAS the row. C is float or int32_t.
template <class C, class A, class B = A>
struct Mmad {
    static_assert(sizeof(A) == sizeof(B) && sizeof(C) == 4);
    static constexpr uint32_t SIDE = FRACTAL_ROWS;
    static constexpr uint32_t DEPTH = BLOCK / sizeof(A); // of a fractal
    static constexpr uint32_t C_FRACTAL = SIDE * SIDE * sizeof(C);

    uint32_t m = 0;
    uint32_t n = 0;
    uint32_t k = 0;
    Start start = Start::ZERO;
    bool nzA = false; // arch35
    bool disableGemv = false; // otherwise m = 1 reads A as k elements in a row
    bool wideK = false; // kDirectionAlign: 4-byte A and B hold k up to a multiple of 16, not of 8

    static uint32_t Alignment(uint32_t operand)
    {
        constexpr uint32_t bytes[] = {C_FRACTAL, FRACTAL, FRACTAL, 64};
        return bytes[operand];
    }

    void Run(Operands at) const
    {
        using Wide = std::conditional_t<std::is_integral_v<C>, int32_t, double>;
        if (m == 0 || n == 0 || k == 0) {
            return;
        }
        std::vector<Wide> a(uint64_t(m) * k);
        for (uint32_t row = 0; row < m; ++row) {
            for (uint32_t i = 0; i < k; ++i) {
                a[uint64_t(row) * k + i] = Widen<Wide>(Load<A>(at[1] + OffsetA(row, i)));
            }
        }
        std::vector<Wide> b(uint64_t(k) * SIDE);
        for (uint32_t first = 0; first < n; first += SIDE) {
            const uint32_t columns = std::min(SIDE, n - first);
            std::fill(b.begin(), b.end(), Wide(0));
            for (uint32_t i = 0; i < k; ++i) {
                for (uint32_t column = 0; column < columns; ++column) {
                    b[i * SIDE + column] = Widen<Wide>(Load<B>(at[2] + OffsetB(i, first + column)));
                }
            }
            for (uint32_t row = 0; row < m; ++row) {
                RunRow(at, row, first, columns, &a[uint64_t(row) * k], b.data());
            }
        }
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        if (m == 0 || n == 0 || k == 0) {
            return;
        }
        VisitA(visit);
        for (uint32_t i = 0; i < k; i += DEPTH) {
            for (uint32_t column = 0; column < n; column += SIDE) {
                VisitFractal({2, Touch::READ, OffsetB(i, column), 0}, std::min(SIDE, n - column),
                    std::min(DEPTH, k - i) * sizeof(B), visit);
            }
        }
        if (start == Start::BIAS) {
            visit(Access{3, Touch::READ, 0, uint64_t(n) * sizeof(C)});
        }
        VisitC(visit);
    }

private:
    template <class Wide, class T>
    static Wide Widen(T value)
    {
        if constexpr (std::is_integral_v<T>) {
            return static_cast<Wide>(value);
        } else {
            return static_cast<Wide>(static_cast<float>(value));
        }
    }

    bool Gemv() const
    {
        return m == 1 && !disableGemv;
    }
    uint64_t FractalsK() const
    {
        return wideK ? CeilDiv(k, 16) * 16 / DEPTH : CeilDiv(k, DEPTH);
    }

    uint64_t OffsetA(uint32_t row, uint32_t i) const
    {
        if (Gemv()) {
            return uint64_t(i) * sizeof(A);
        }
        const uint64_t fractal =
            nzA ? i / DEPTH * CeilDiv(m, SIDE) + row / SIDE : row / SIDE * FractalsK() + i / DEPTH;
        return fractal * FRACTAL + row % SIDE * BLOCK + i % DEPTH * sizeof(A);
    }

    uint64_t OffsetB(uint32_t i, uint32_t column) const
    {
        const uint64_t fractal = i / DEPTH * CeilDiv(n, SIDE) + column / SIDE;
        return fractal * FRACTAL + column % SIDE * BLOCK + i % DEPTH * sizeof(B);
    }

    uint64_t OffsetC(uint32_t row, uint32_t column) const
    {
        const uint64_t fractal = column / SIDE * CeilDiv(m, SIDE) + row / SIDE;
        return fractal * C_FRACTAL + (row % SIDE * SIDE + column % SIDE) * sizeof(C);
    }

    // One row of one column of C's fractals.
    template <class Wide>
    void RunRow(Operands at, uint32_t row, uint32_t first, uint32_t columns, const Wide *a, const Wide *b) const
    {
        C values[SIDE] = {};
        Byte *to = at[0] + OffsetC(row, first);
        if (start == Start::KEEP) {
            std::memcpy(values, to, columns * sizeof(C));
        } else if (start == Start::BIAS) {
            std::memcpy(values, at[3] + uint64_t(first) * sizeof(C), columns * sizeof(C));
        }
        for (uint32_t i = 0; i < k; i += DEPTH) {
            const uint32_t depth = std::min(DEPTH, k - i);
            AddProducts(values, a + i, b + uint64_t(i) * SIDE, depth);
        }
        std::memcpy(to, values, columns * sizeof(C));
    }

    static void AddProducts(C *values, const double *a, const double *b, uint32_t depth)
    {
        double sums[SIDE] = {};
        for (uint32_t i = 0; i < depth; ++i) {
            for (uint32_t column = 0; column < SIDE; ++column) {
                sums[column] += a[i] * b[i * SIDE + column];
            }
        }
        for (uint32_t column = 0; column < SIDE; ++column) {
            values[column] = static_cast<C>(static_cast<double>(values[column]) + sums[column]);
        }
    }

    static void AddProducts(C *values, const int32_t *a, const int32_t *b, uint32_t depth)
    {
        uint32_t sums[SIDE] = {};
        for (uint32_t i = 0; i < depth; ++i) {
            for (uint32_t column = 0; column < SIDE; ++column) {
                sums[column] += static_cast<uint32_t>(a[i] * b[i * SIDE + column]);
            }
        }
        for (uint32_t column = 0; column < SIDE; ++column) {
            values[column] = static_cast<C>(static_cast<uint32_t>(values[column]) + sums[column]);
        }
    }

    // The first `rows` rows of a fractal, `bytes` of each.
    template <class Visit>
    static void VisitFractal(Access access, uint32_t rows, uint64_t bytes, Visit &visit)
    {
        if (bytes == BLOCK) {
            access.bytes = bytes * rows;
        } else {
            access.bytes = bytes;
            access.count = rows;
            access.stride = BLOCK;
        }
        visit(static_cast<const Access &>(access));
    }

    template <class Visit>
    void VisitA(Visit &visit) const
    {
        if (Gemv()) {
            visit(Access{1, Touch::READ, 0, uint64_t(k) * sizeof(A)});
            return;
        }
        for (uint32_t row = 0; row < m; row += SIDE) {
            for (uint32_t i = 0; i < k; i += DEPTH) {
                VisitFractal({1, Touch::READ, OffsetA(row, i), 0}, std::min(SIDE, m - row),
                    std::min(DEPTH, k - i) * sizeof(A), visit);
            }
        }
    }

    // Whole fractals are written; what is outside of m × n in them cannot be relied on.
    template <class Visit>
    void VisitC(Visit &visit) const
    {
        const uint64_t rowBytes = SIDE * sizeof(C);
        const uint64_t rows = CeilDiv(m, SIDE) * SIDE;
        for (uint32_t column = 0; column < n; column += SIDE) {
            const uint64_t bytes = std::min(SIDE, n - column) * sizeof(C);
            const uint64_t offset = OffsetC(0, column);
            if (start == Start::KEEP) {
                visit(Access{0, Touch::READ, offset, bytes, m, rowBytes});
            }
            visit(Access{0, Touch::WRITE, offset, bytes, m, rowBytes});
            if (bytes < rowBytes) {
                visit(Access{0, Touch::CLOBBER, offset + bytes, rowBytes - bytes, m, rowBytes});
            }
            if (rows > m) {
                visit(Access{0, Touch::CLOBBER, offset + m * rowBytes, (rows - m) * rowBytes});
            }
        }
    }
};

} // namespace emulator::ops

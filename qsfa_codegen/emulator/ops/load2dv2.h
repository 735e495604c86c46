// LoadData with LoadData2DParamsV2 (arch35): a part of a matrix in NZ, in two directions.
#pragma once

#include "limits.h"
#include "load.h"

namespace emulator::ops {

// The fractal of row block m and column block k lies at k · srcStride + m, the first at (kStart, mStart). It goes to
// k · dstStride + m or, transposed, to m · dstStride + k: the layout is that of the transposed matrix. All count fractals.
// What is transposed has 16-bit elements.
struct Load2DV2 {
    uint32_t mStart = 0;
    uint32_t kStart = 0;
    uint32_t mStep = 0;
    uint32_t kStep = 0;
    uint32_t srcStride = 0;
    uint32_t dstStride = 0;
    bool transpose = false;

    static uint32_t Alignment(uint32_t operand)
    {
        return operand == 0 ? FRACTAL : BLOCK;
    }

    void Run(Operands at) const
    {
        for (uint32_t k = 0; k < kStep; ++k) {
            for (uint32_t m = 0; m < mStep; ++m) {
                const Byte *from = at[1] + Source(k) + uint64_t(m) * FRACTAL;
                if (transpose) {
                    TransposeFractal(at[0] + (uint64_t(m) * dstStride + k) * FRACTAL, from);
                } else {
                    std::memcpy(at[0] + (uint64_t(k) * dstStride + m) * FRACTAL, from, FRACTAL);
                }
            }
        }
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        if (mStep == 0 || kStep == 0) {
            return;
        }
        visit(Access{1, Touch::READ, Source(0), uint64_t(mStep) * FRACTAL, kStep, uint64_t(srcStride) * FRACTAL});
        const uint32_t run = transpose ? kStep : mStep;
        const uint32_t runs = transpose ? mStep : kStep;
        visit(Access{0, Touch::WRITE, 0, uint64_t(run) * FRACTAL, runs, uint64_t(dstStride) * FRACTAL});
    }

private:
    uint64_t Source(uint32_t k) const
    {
        return (uint64_t(kStart + k) * srcStride + mStart) * FRACTAL;
    }
};

template <class Visit>
void Limits(const Load2DV2 &of, Visit &&visit)
{
    visit(Limit{"mStartPosition", of.mStart, 0, BITS16});
    visit(Limit{"kStartPosition", of.kStart, 0, BITS16});
    visit(Limit{"mStep", of.mStep, 0, BITS8});
    visit(Limit{"kStep", of.kStep, 0, BITS8});
    visit(Limit{"srcStride", of.srcStride, 0, BITS16});
    visit(Limit{"dstStride", of.dstStride, 0, BITS16});
}

} // namespace emulator::ops

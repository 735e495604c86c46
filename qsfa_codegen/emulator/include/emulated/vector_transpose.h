// Transpose and TransDataTo5HD.
#ifndef EMULATED_VECTOR_TRANSPOSE_H
#define EMULATED_VECTOR_TRANSPOSE_H

#include "emulated/vector_rearrange.h"
#include "ops/transpose.h"

namespace AscendC {

constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;

struct TransDataTo5HDParams {
    TransDataTo5HDParams() = default;

    TransDataTo5HDParams(bool dstHigh, bool srcHigh, Limited8 repeats, Limited16 dstRepeat, Limited16 srcRepeat)
        : dstHighHalf(dstHigh), srcHighHalf(srcHigh), repeatTimes(repeats), dstRepStride(dstRepeat), srcRepStride(srcRepeat)
    {
    }

    bool dstHighHalf = false;
    bool srcHighHalf = false;
    Limited8 repeatTimes = 1;
    Limited16 dstRepStride = 0;
    Limited16 srcRepStride = 0;
};

template <typename T>
void Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src, Site site = Site::Here())
{
    static_assert(sizeof(T) == 2, "a matrix of 16 × 16 elements of 2 bytes is transposed");
    const VectorCall call{"Transpose", site};
    IssueVector<BitsOf<T>, BitsOf<T>>(call, emulator::ops::Transpose{}, 1, std::array<Operand, 2>{dst.Place(), src.Place()});
}

using BlockList = std::array<Operand, 2 * NCHW_CONV_ADDR_LIST_SIZE>;

template <typename T>
void TransposeBlocks(const VectorCall &call, const BlockList &blocks, const TransDataTo5HDParams &params)
{
    emulator::ops::TransposeBlocks<BitsOf<T>> op;
    op.repeat = params.repeatTimes.Wide();
    op.dstRepeat = params.dstRepStride.Wide();
    op.srcRepeat = params.srcRepStride.Wide();
    op.dstHigh = params.dstHighHalf;
    op.srcHigh = params.srcHighHalf;
    IssueVector<BitsOf<T>, BitsOf<T>>(call, op, op.repeat, blocks);
}

template <typename T>
void TransDataTo5HD(const LocalTensor<T> (&dst)[NCHW_CONV_ADDR_LIST_SIZE], const LocalTensor<T> (&src)[NCHW_CONV_ADDR_LIST_SIZE],
    const TransDataTo5HDParams &params, Site site = Site::Here())
{
    BlockList blocks;
    for (size_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        blocks[i] = dst[i].Place();
        blocks[NCHW_CONV_ADDR_LIST_SIZE + i] = src[i].Place();
    }
    TransposeBlocks<T>(VectorCall{"TransDataTo5HD", site}, blocks, params);
}

// Addresses of GetPhyAddr: of UB, without the bounds of a buffer.
template <typename T>
void TransDataTo5HD(uint64_t dst[NCHW_CONV_ADDR_LIST_SIZE], uint64_t src[NCHW_CONV_ADDR_LIST_SIZE],
    const TransDataTo5HDParams &params, Site site = Site::Here())
{
    emulator::Memory *memory = &emulator::Here().In(emulator::Space::UB);
    const auto place = [memory](uint64_t address) { return Operand{memory, static_cast<int64_t>(address), 0, -1, 1}; };
    BlockList blocks;
    for (size_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
        blocks[i] = place(dst[i]);
        blocks[NCHW_CONV_ADDR_LIST_SIZE + i] = place(src[i]);
    }
    TransposeBlocks<T>(VectorCall{"TransDataTo5HD", site}, blocks, params);
}

} // namespace AscendC

#endif // EMULATED_VECTOR_TRANSPOSE_H

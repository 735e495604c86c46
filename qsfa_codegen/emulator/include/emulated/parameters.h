// The parameter structs of Ascend C. Fields and the order of constructor arguments are theirs.
#ifndef EMULATED_PARAMETERS_H
#define EMULATED_PARAMETERS_H

#include "emulated/enums.h"
#include "emulated/limited.h"

namespace AscendC {

struct DataCopyParams {
    DataCopyParams() = default;

    DataCopyParams(Limited16 count, Limited16 length, Limited16 source, Limited16 destination)
        : blockCount(count), blockLen(length), srcStride(source), dstStride(destination)
    {
    }

    Limited16 blockCount = 1;
    Limited16 blockLen = 0;

    union { // two names of one field
        Limited16 srcStride = 0;
        Limited16 srcGap;
    };

    union {
        Limited16 dstStride = 0;
        Limited16 dstGap;
    };
};

struct DataCopyExtParams {
    DataCopyExtParams() = default;

    DataCopyExtParams(Limited16 count, Limited32 length, Limited32 source, Limited32 destination, uint32_t reserved)
        : blockCount(count), blockLen(length), srcStride(source), dstStride(destination), rsv(reserved)
    {
    }

    Limited16 blockCount = 1;
    Limited32 blockLen = 0;
    Limited32 srcStride = 0;
    Limited32 dstStride = 0;
    uint32_t rsv = 0;
};

struct DataCopyPadParams {
    DataCopyPadParams() = default;

    DataCopyPadParams(bool pad, Limited8 left, Limited8 right, uint64_t value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value)
    {
    }

    bool isPad = false;
    Limited8 leftPadding = 0;
    Limited8 rightPadding = 0;
    uint64_t paddingValue = 0;
};

template <typename T>
struct DataCopyPadExtParams {
    DataCopyPadExtParams() = default;

    DataCopyPadExtParams(bool pad, Limited8 left, Limited8 right, T value)
        : isPad(pad), leftPadding(left), rightPadding(right), paddingValue(value)
    {
    }

    bool isPad = false;
    Limited8 leftPadding = 0;
    Limited8 rightPadding = 0;
    T paddingValue{};
};

struct Nd2NzParams {
    Nd2NzParams() = default;

    Nd2NzParams(Limited16 matrices, Limited16 n, Limited16 d, Limited16 sourceMatrix, Limited16 sourceRow,
        Limited16 c0Stride, Limited16 nStride, Limited16 matrixStride)
        : ndNum(matrices), nValue(n), dValue(d), srcNdMatrixStride(sourceMatrix), srcDValue(sourceRow),
          dstNzC0Stride(c0Stride), dstNzNStride(nStride), dstNzMatrixStride(matrixStride)
    {
    }

    Limited16 ndNum = 0;
    Limited16 nValue = 0;
    Limited16 dValue = 0;
    Limited16 srcNdMatrixStride = 0;
    Limited16 srcDValue = 0;
    Limited16 dstNzC0Stride = 0;
    Limited16 dstNzNStride = 0;
    Limited16 dstNzMatrixStride = 0;
};

struct UnaryRepeatParams {
    UnaryRepeatParams() = default;

    UnaryRepeatParams(Limited16 dstBlock, Limited16 srcBlock, Limited8 dstRepeat, Limited8 srcRepeat)
        : dstBlkStride(dstBlock), srcBlkStride(srcBlock), dstRepStride(dstRepeat), srcRepStride(srcRepeat)
    {
    }

    Limited16 dstBlkStride = 1;
    Limited16 srcBlkStride = 1;
    Limited8 dstRepStride = 8;
    Limited8 srcRepStride = 8;
};

struct BinaryRepeatParams {
    BinaryRepeatParams() = default;

    BinaryRepeatParams(Limited8 dstBlock, Limited8 src0Block, Limited8 src1Block, Limited8 dstRepeat,
        Limited8 src0Repeat, Limited8 src1Repeat)
        : dstBlkStride(dstBlock), src0BlkStride(src0Block), src1BlkStride(src1Block), dstRepStride(dstRepeat),
          src0RepStride(src0Repeat), src1RepStride(src1Repeat)
    {
    }

    Limited8 dstBlkStride = 1;
    Limited8 src0BlkStride = 1;
    Limited8 src1BlkStride = 1;
    Limited8 dstRepStride = 8;
    Limited8 src0RepStride = 8;
    Limited8 src1RepStride = 8;
};

struct CopyRepeatParams {
    CopyRepeatParams() = default;

    CopyRepeatParams(Limited16 dstBlock, Limited16 srcBlock, Limited16 dstRepeat, Limited16 srcRepeat)
        : dstStride(dstBlock), srcStride(srcBlock), dstRepeatSize(dstRepeat), srcRepeatSize(srcRepeat)
    {
    }

    Limited16 dstStride = 1;
    Limited16 srcStride = 1;
    Limited16 dstRepeatSize = 8;
    Limited16 srcRepeatSize = 8;
};

struct BrcbRepeatParams {
    BrcbRepeatParams() = default;

    BrcbRepeatParams(Limited16 dstBlock, Limited16 dstRepeat)
        : dstRepStride(dstRepeat), dstBlkStride(dstBlock)
    {
    }

    Limited16 dstRepStride = 8;
    Limited16 dstBlkStride = 1;
};

struct GatherMaskParams {
    GatherMaskParams() = default;

    GatherMaskParams(Limited8 src0Block, Limited16 repeats, Limited16 src0Repeat, Limited8 src1Repeat)
        : src0BlockStride(src0Block), repeatTimes(repeats), src0RepeatStride(src0Repeat), src1RepeatStride(src1Repeat)
    {
    }

    Limited8 src0BlockStride = 1;
    Limited16 repeatTimes = 0;
    Limited16 src0RepeatStride = 8;
    Limited8 src1RepeatStride = 8;
};

} // namespace AscendC

#endif // EMULATED_PARAMETERS_H

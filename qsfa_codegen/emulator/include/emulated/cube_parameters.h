// The parameter structs of the cube instructions.
#ifndef EMULATED_CUBE_PARAMETERS_H
#define EMULATED_CUBE_PARAMETERS_H

#include "emulated/enums.h"
#include "emulated/limited.h"

namespace AscendC {

struct LoadData2DParams {
    LoadData2DParams() = default;

    LoadData2DParams(Limited16 start, Limited8 repeats, Limited16 source, Limited8 reserved, Limited16 gap, bool transpose,
        Limited8 mode)
        : startIndex(start), dstGap(gap), srcStride(source), ifTranspose(transpose), repeatTimes(repeats), sid(reserved),
          addrMode(mode)
    {
    }

    Limited16 startIndex = 0;
    Limited16 dstGap = 0;
    Limited16 srcStride = 0;
    bool ifTranspose = false;
    Limited8 repeatTimes = 0;
    Limited8 sid = 0;
    Limited8 addrMode = 0;
};

using LoadData2dParams = LoadData2DParams;

struct LoadData2dTransposeParams {
    LoadData2dTransposeParams() = default;

    LoadData2dTransposeParams(Limited16 start, Limited8 repeats, Limited16 source, Limited16 gap, Limited16 fractalGap)
        : startIndex(start), repeatTimes(repeats), srcStride(source), dstGap(gap), dstFracGap(fractalGap)
    {
    }

    Limited16 startIndex = 0;
    Limited8 repeatTimes = 0;
    Limited16 srcStride = 0;
    Limited16 dstGap = 0;
    Limited16 dstFracGap = 0;
    Limited8 addrMode = 0;
};

template <typename T>
struct LoadData3DParamsV2 {
    LoadData3DParamsV2() = default;

    LoadData3DParamsV2(const uint8_t padding[4], Limited16 height, Limited16 width, Limited16 channels, Limited16 kCount,
        Limited16 mCount, Limited16 kFirst, Limited16 mFirst, Limited8 stepW, Limited8 stepH, Limited8 kernelW,
        Limited8 kernelH, Limited8 dilationW, Limited8 dilationH, bool transpose, bool smallK, T pad)
        : padList{padding[0], padding[1], padding[2], padding[3]}, l1H(height), l1W(width), channelSize(channels),
          kExtension(kCount), mExtension(mCount), kStartPt(kFirst), mStartPt(mFirst), strideW(stepW), strideH(stepH),
          filterW(kernelW), filterH(kernelH), dilationFilterW(dilationW), dilationFilterH(dilationH),
          enTranspose(transpose), enSmallK(smallK), padValue(pad)
    {
    }

    uint8_t padList[4] = {}; // left, right, top, bottom
    Limited16 l1H = 0;
    Limited16 l1W = 0;
    Limited16 channelSize = 0;
    Limited16 kExtension = 0;
    Limited16 mExtension = 0;
    Limited16 kStartPt = 0;
    Limited16 mStartPt = 0;
    Limited8 strideW = 1;
    Limited8 strideH = 1;
    Limited8 filterW = 1;
    Limited8 filterH = 1;
    Limited8 dilationFilterW = 1;
    Limited8 dilationFilterH = 1;
    bool enTranspose = false;
    bool enSmallK = false;
    T padValue{};
    bool filterSizeW = false;
    bool filterSizeH = false;
    bool fMatrixCtrl = false;
};

struct MmadParams {
    MmadParams() = default;

    MmadParams(Limited16 rows, Limited16 columns, Limited16 depth, Limited8 flag, bool fromBias, bool fromZero)
        : m(rows), n(columns), k(depth), unitFlag(flag), cmatrixSource(fromBias), cmatrixInitVal(fromZero)
    {
    }

    Limited16 m = 0;
    Limited16 n = 0;
    Limited16 k = 0;
    bool isBias = false; // adds to what C holds
    int32_t fmOffset = 0;
    bool enSsparse = false;
    bool enWinogradA = false;
    bool enWinogradB = false;
    Limited8 unitFlag = 0;
    bool kDirectionAlign = false;
    bool cmatrixSource = false; // C starts from the bias table
    bool cmatrixInitVal = true; // C starts from zeros
    bool disableGemv = false; // arch35: a left operand of one row has the layout of others
};

struct FixpipeConfig {
    CO2Layout format;
    bool isToUB = false; // arch35
};

constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};
constexpr FixpipeConfig CFG_COLUMN_MAJOR = {CO2Layout::COLUMN_MAJOR};

struct FixpipeParamsV220 {
    FixpipeParamsV220() = default;

    FixpipeParamsV220(Limited16 columns, Limited16 rows, Limited16 source, Limited32 destination, bool relu)
        : nSize(columns), mSize(rows), srcStride(source), dstStride(destination), reluEn(relu)
    {
    }

    FixpipeParamsV220(Limited16 columns, Limited16 rows, Limited16 source, Limited32 destination, bool relu,
        QuantMode_t quant, int64_t scale, Limited16 matrices, Limited16 sourceMatrix, Limited16 destinationMatrix,
        Limited8 flag)
        : nSize(columns), mSize(rows), srcStride(source), dstStride(destination), quantPre(quant),
          deqScalar(static_cast<uint64_t>(scale)), ndNum(matrices), srcNdStride(sourceMatrix),
          dstNdStride(destinationMatrix), reluEn(relu), unitFlag(flag)
    {
    }

    Limited16 nSize = 0;
    Limited16 mSize = 0;
    Limited16 srcStride = 0;
    Limited32 dstStride = 0;
    QuantMode_t quantPre = NoQuant;
    uint64_t deqScalar = 0;
    Limited16 ndNum = 1;
    Limited16 srcNdStride = 0;
    Limited16 dstNdStride = 0;
    bool reluEn = false;
    Limited8 unitFlag = 0;
    bool isChannelSplit = false;
};

} // namespace AscendC

#endif // EMULATED_CUBE_PARAMETERS_H

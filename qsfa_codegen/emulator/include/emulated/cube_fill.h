// InitConstValue and Fill: blocks of L1, L0A or L0B with one value.
#ifndef EMULATED_CUBE_FILL_H
#define EMULATED_CUBE_FILL_H

#include "emulated/cube_issue.h"
#include "emulated/cube_parameters.h"
#include "emulated/tensor.h"

namespace AscendC {

template <typename T>
struct InitConstValueParams {
    InitConstValueParams() = default;

    InitConstValueParams(Limited16 repeats, Limited16 blocks, Limited16 gap, T value)
        : repeatTimes(repeats), blockNum(blocks), dstGap(gap), initValue(value)
    {
    }

    InitConstValueParams(Limited16 repeats, T value)
        : repeatTimes(repeats), initValue(value)
    {
    }

    Limited16 repeatTimes = 0;
    Limited16 blockNum = 0;
    Limited16 dstGap = 0;
    T initValue{};
};

template <typename T>
void InitConstValue(const LocalTensor<T> &dst, const InitConstValueParams<T> &params, Site site = Site::Here())
{
    constexpr const char *name = "InitConstValue";
    constexpr int64_t most = 32767;
    CheckRange(name, site, "repeatTimes", params.repeatTimes.Given(), 0, most);
    CheckRange(name, site, "blockNum", params.blockNum.Given(), 0, most);
    CheckRange(name, site, "dstGap", params.dstGap.Given(), 0, most);
    IssueFill(name, site, dst.Place(), {params.repeatTimes.Wide(), params.blockNum.Wide(), params.dstGap.Wide()}, params.initValue);
}

template <typename T>
void Fill(const LocalTensor<T> &dst, const InitConstValueParams<T> &params, Site site = Site::Here())
{
    InitConstValue(dst, params, site);
}

} // namespace AscendC

#endif // EMULATED_CUBE_FILL_H

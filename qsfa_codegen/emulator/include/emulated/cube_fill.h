// InitConstValue and Fill: blocks of L1, L0A or L0B with one value.
#ifndef EMULATED_CUBE_FILL_H
#define EMULATED_CUBE_FILL_H

#include "emulated/arch.h"
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
    const bool l1 = dst.InSpace() == emulator::Space::L1;
    if (!l1 && dst.InSpace() != emulator::Space::L0A && dst.InSpace() != emulator::Space::L0B) {
        Refuse(name, site, emulator::Text("the tensor is in %s; expected: in L1, L0A or L0B", Name(dst.InSpace())));
    }
    if (!l1) {
        RefuseOnArch35(name, site, "filling L0A or L0B", "fill L1 and load it");
    }
    const uint32_t block = l1 ? 32 : 512;
    const Operand place = dst.Place();
    emulator::Access access{place.memory, place.offset, emulator::Mode::WRITE, params.blockNum.Wide() * block};
    access.count[0] = params.repeatTimes.Wide();
    access.stride[0] = static_cast<int64_t>(access.length) + params.dstGap.Given() * block;
    access.low = place.low;
    access.high = place.high;
    if (access.Bytes() == 0) {
        return;
    }
    Instruction instruction;
    instruction.pipe = l1 ? Pipe::MTE2 : Pipe::MTE1;
    instruction.name = name;
    instruction.site = site;
    instruction.operands = {place};
    instruction.operands.back().alignment = block;
    instruction.accesses = {access};
    instruction.execute = [access, value = params.initValue] {
        for (uint32_t repeat = 0; repeat < access.count[0]; ++repeat) {
            uint8_t *run = access.memory->Data() + access.offset + repeat * access.stride[0];
            for (uint32_t at = 0; at < access.length; at += sizeof(T)) {
                emulator::ops::Store(run + at, value);
            }
        }
    };
    Issue(std::move(instruction));
}

template <typename T>
void Fill(const LocalTensor<T> &dst, const InitConstValueParams<T> &params, Site site = Site::Here())
{
    InitConstValue(dst, params, site);
}

} // namespace AscendC

#endif // EMULATED_CUBE_FILL_H

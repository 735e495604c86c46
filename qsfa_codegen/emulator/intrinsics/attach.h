// Stands behind the kernel's source, where a toolkit's headers are known.
#ifndef EMULATOR_INTRINSICS_ATTACH_H
#define EMULATOR_INTRINSICS_ATTACH_H

#include "core/machine.h"

#ifdef EMULATOR_TOOLKIT
extern "C" void EmulatorGiveMemories()
{
    using AscendC::Hardware;
    using emulator::Space;
    constexpr std::pair<Hardware, Space> memories[] = {{Hardware::UB, Space::UB}, {Hardware::L1, Space::L1},
        {Hardware::L0A, Space::L0A}, {Hardware::L0B, Space::L0B}, {Hardware::L0C, Space::L0C}, {Hardware::BIAS, Space::BT},
        {Hardware::FIXBUF, Space::FB}};
    for (const auto &[hardware, space] : memories) {
        if (emulator::Here().Sees(space)) {
            AscendC::ConstDefiner::Instance().hardwareCpuBufferMap[hardware] = emulator::Here().In(space).Data();
        }
    }
}
#endif

#endif // EMULATOR_INTRINSICS_ATTACH_H

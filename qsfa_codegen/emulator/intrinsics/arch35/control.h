// Intrinsics of Ascend 950 that order instructions, and how calls of vector functions are seen.
#ifndef EMULATOR_INTRINSICS_ARCH35_CONTROL_H
#define EMULATOR_INTRINSICS_ARCH35_CONTROL_H

#include "emulated/reg/call.h"
#include "intrinsics/control.h"

// ------------------------------------------------------------------ flags between cores

void set_intra_block(pipe_t pipe, uint8_t id)
{
    emulator::Here().SetCross(4, emulator::intrinsics::PipeOf(pipe), id, emulator::Caller());
}

void wait_intra_block(pipe_t pipe, uint8_t id)
{
    emulator::Here().WaitCross(4, emulator::intrinsics::PipeOf(pipe), id, emulator::Caller());
}

void wait_flag_dev(pipe_t pipe, uint8_t id)
{
    emulator::Here().WaitCross(0, emulator::intrinsics::PipeOf(pipe), id, emulator::Caller());
}

// ------------------------------------------------------------------ what the headers ask for

KernelMode g_kernelMode = KernelMode::AIC_MODE; // each core has memories of its own: which ones is told before a launch
uint64_t g_fixpipeNdNzParam = 0;

// ------------------------------------------------------------------ registers that have no effect here

void set_st_atomic_cfg(uint64_t)
{
}

void set_loop_size_outtoub(uint64_t)
{
}

void set_loop_size_ubtoout(uint64_t)
{
}

void set_loop3_para(uint64_t)
{
}

// ------------------------------------------------------------------ vector functions

namespace emulator::intrinsics {

// Begins as all vector functions do, and no other function.
__simd_vf__ inline void Pattern()
{
}

// Whether a function of the kernel's copy is a vector function, called on a vector core.
inline bool CallsVectorFunction(const void *function)
{
#if defined(__CET__)
    constexpr size_t bytes = 9; // with the mark of a target of jumps before the no-ops
#elif defined(__x86_64__)
    constexpr size_t bytes = 5;
#else
    constexpr size_t bytes = 20; // no-ops of 4 bytes
#endif
    const auto *pattern = reinterpret_cast<const void *>(&Pattern);
    return std::memcmp(function, pattern, bytes) == 0 && Running() != nullptr && !Here().Cube();
}

} // namespace emulator::intrinsics

extern "C" {

// Called by the compiler at the begin and end of each function of the kernel's copy. The scalar unit runs a vector function
// itself, when the vector pipe has come to it.
void __cyg_profile_func_enter(void *function, void *)
{
    using namespace emulator::intrinsics;
    if (CallsVectorFunction(function) && OfCore().vectorFunctions++ == 0) {
        emulator::Here().BeginScope(AscendC::MakeFunction("asc_vf_call", emulator::Caller()));
    }
}

void __cyg_profile_func_exit(void *function, void *)
{
    using namespace emulator::intrinsics;
    if (CallsVectorFunction(function) && --OfCore().vectorFunctions == 0) {
        emulator::Here().EndScope();
    }
}
}

#endif // EMULATOR_INTRINSICS_ARCH35_CONTROL_H

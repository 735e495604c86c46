// What a toolkit's headers tell in CPU debug mode besides intrinsics, and what they expect of their library.
#ifndef EMULATOR_INTRINSICS_HOOKS_H
#define EMULATOR_INTRINSICS_HOOKS_H

#include <csignal>
#include <cxxabi.h>
#include <cstdarg>
#include <cstdio>

#include "intrinsics/place.h"
#include "intrinsics/shared_memory.h"

// ------------------------------------------------------------------ who the core is

int64_t block_idx = 0;
int64_t block_num = 0;
int64_t g_ubBase = 0;
uint64_t g_tilingKey = 0;
int32_t g_coreType = 0;
int32_t g_taskRation = 0;
int32_t sub_block_idx = 0;

namespace AscendC {

extern const int MIX_TYPE = 0;
extern const int AIC_TYPE = 1;
extern const int AIV_TYPE = 2;
bool g_isVdeq = false;
bool g_isAtomic = false;

// Of Gather, the whole address of the source.
void SetModelGatherbSrc0Tensor(uint64_t address, uint32_t)
{
    emulator::intrinsics::OfCore().gatherFrom = reinterpret_cast<const void *>(address);
}

} // namespace AscendC

int64_t get_block_idx()
{
    return block_idx;
}

int64_t get_block_num()
{
    return block_num;
}

int64_t get_subblockid()
{
    return sub_block_idx;
}

int64_t get_subblockdim()
{
    return g_taskRation;
}

// ------------------------------------------------------------------ buffers

namespace emulator::intrinsics {

// The numbers of AscendC::Hardware.
constexpr Space SPACES_OF_HARDWARE[] = {Space::GM, Space::UB, Space::L1, Space::L0A, Space::L0B, Space::L0C, Space::BT, Space::FB};

// The memory of this core that has the address.
inline Memory *FindLocal(const void *address)
{
    const auto *byte = static_cast<const uint8_t *>(address);
    for (const Space space : SPACES_OF_HARDWARE) {
        if (space == Space::GM || !Here().Sees(space)) {
            continue;
        }
        Memory &memory = Here().In(space);
        if (byte >= memory.Data() && byte < memory.Data() + memory.Bytes()) {
            return &memory;
        }
    }
    return nullptr;
}

} // namespace emulator::intrinsics

// TPipe has filled memories with random values: they have none before they are written. What a neighbour has put into its
// memory stays.
void AscendCBufAbsAddr(uint8_t, uint64_t address, uint64_t)
{
    using namespace emulator::intrinsics;
    RestoreShared();
    const emulator::Memory *memory = FindLocal(reinterpret_cast<const void *>(address));
    if (memory != nullptr && memory != SharedMemory()) {
        std::memset(memory->Data(), emulator::Memory::RUBBISH, memory->Bytes());
    }
}

// `number` buffers of so many bytes, one behind the other.
void AscendCBufInit(uint8_t, uint8_t, uint8_t number, uint64_t address, uint64_t bytes)
{
    using namespace emulator::intrinsics;
    const auto *first = reinterpret_cast<const uint8_t *>(address);
    const emulator::Memory *memory = FindLocal(first);
    for (uint8_t i = 0; memory != nullptr && i < number; ++i) {
        const int64_t begin = first - memory->Data() + static_cast<int64_t>(i * bytes);
        OfCore().given.push_back({memory->InSpace(), begin, begin + static_cast<int64_t>(bytes)});
    }
}

// ------------------------------------------------------------------ refusals

namespace emulator::intrinsics {

// What the headers have printed last, which is why they refuse a call.
inline std::string &LastPrinted()
{
    static std::string text;
    return text;
}

inline void Print(const char *format, va_list arguments)
{
    char text[1024];
    std::vsnprintf(text, sizeof(text), format, arguments);
    LastPrinted() = text;
}

[[noreturn]] inline void RefuseCall()
{
    std::string reason = LastPrinted();
    const size_t head = reason.rfind("] "); // the place in the headers, the core and the process
    reason.erase(0, head == std::string::npos ? 0 : head + 2);
    reason.erase(reason.find_last_not_of("\n ") + 1);
    Finding finding;
    finding.code = reason.empty() ? "capacity" : "limit"; // only of a memory that is full they do not say why
    finding.severity = Severity::FATAL;
    finding.site = Caller();
    finding.message = "the toolkit's headers refuse the call: " + (reason.empty() ? "a memory is full" : reason);
    Here().Report(std::move(finding));
    std::abort();
}

} // namespace emulator::intrinsics

extern "C" {

int printf(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    emulator::intrinsics::Print(format, arguments);
    va_end(arguments);
    return 0;
}

// Stands for an intrinsic that is not emulated.
void EmulatorRefuse(const char *symbol)
{
    int status = 0;
    char *readable = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
    const std::string name = readable == nullptr ? symbol : readable;
    std::free(readable);
    AscendC::Refuse("the kernel", emulator::Caller(), "calls " + name + ", which is not emulated");
}

int raise(int)
{
    emulator::intrinsics::RefuseCall();
}

void __assert_fail(const char *condition, const char *, unsigned int, const char *)
{
    emulator::intrinsics::LastPrinted() = std::string("it is not so that ") + condition;
    emulator::intrinsics::RefuseCall();
}
}

// ------------------------------------------------------------------ the launch

extern "C" {

void EmulatorCopyTiling(void *to, const void *from, size_t bytes)
{
    constexpr const char *name = "GET_TILING_DATA";
    const emulator::Site site = emulator::Caller();
    const emulator::Operand place = emulator::intrinsics::GmAt(from, name, site);
    const uint64_t there = place.memory->Bytes() - static_cast<uint64_t>(place.offset);
    if (bytes > there) {
        AscendC::Refuse(name, site, emulator::Text("the tiling data has %llu bytes, the kernel reads %zu",
            static_cast<unsigned long long>(there), bytes));
    }
    std::memcpy(to, from, bytes);
}

// Tells the toolkit's headers where this core has its memories: stands behind the kernel.
void EmulatorGiveMemories() __attribute__((weak));

__attribute__((visibility("default"))) emulator::Launcher EmulatorFindKernel(const char *name)
{
    static emulator::Launcher kernel = nullptr;
    const auto found = emulator::Kernels().find(name);
    if (found == emulator::Kernels().end()) {
        return nullptr;
    }
    kernel = found->second;
    return [](uint8_t *const *arguments) {
        const emulator::Core &core = emulator::Here();
        const emulator::Machine &machine = emulator::Here().Whole();
        block_idx = core.Group();
        block_num = machine.Options().blockDim;
        sub_block_idx = static_cast<int32_t>(core.Sub());
        g_coreType = core.Cube() ? AscendC::AIC_TYPE : AscendC::AIV_TYPE;
        g_taskRation = core.Cube() ? 1 : static_cast<int32_t>(machine.VectorCoresOfGroup());
        if (EmulatorGiveMemories != nullptr) {
            EmulatorGiveMemories();
        }
        emulator::intrinsics::KeepShared();
        kernel(arguments);
    };
}
}

#endif // EMULATOR_INTRINSICS_HOOKS_H

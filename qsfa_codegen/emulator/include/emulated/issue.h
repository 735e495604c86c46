// From a call of the API to an instruction of the core.
#ifndef EMULATED_ISSUE_H
#define EMULATED_ISSUE_H

#include <array>
#include <cmath>
#include <utility>

#include "core/machine.h"
#include "emulated/limited.h"
#include "ops/access.h"
#include "ops/limits_move.h"
#include "ops/numbers.h"

namespace AscendC {

using emulator::Instruction;
using emulator::Operand;
using emulator::Pipe;
using emulator::Route;
using emulator::Site;

// Stops the launch: the call asks for what the instruction cannot do.
inline void Refuse(const char *name, Site site, std::string message, std::string help = "")
{
    emulator::Finding finding;
    finding.code = "limit";
    finding.severity = emulator::Severity::FATAL;
    finding.site = site;
    finding.instruction = name;
    finding.message = std::string(name) + ": " + message;
    finding.help = std::move(help);
    emulator::Here().Report(std::move(finding));
}

// Where in GM an address is; a launch that has no tensor near it ends here.
inline Operand PlaceInGm(const void *address, const char *name, Site site)
{
    emulator::Memory *memory = emulator::Here().Whole().Global().Find(address);
    if (memory == nullptr) {
        emulator::Finding finding;
        finding.code = "out-of-bounds";
        finding.severity = emulator::Severity::FATAL;
        finding.site = site;
        finding.instruction = name;
        finding.message = std::string(name) + " is given an address of GM at which there is no tensor";
        finding.help = "SetGlobalBuffer was not called, or an offset leaves the tensor by far";
        emulator::Here().Report(std::move(finding));
    }
    return {memory, static_cast<const uint8_t *>(address) - memory->Data(), 0, -1, 1};
}

inline void CheckRange(const char *name, Site site, const char *what, int64_t value, int64_t least, int64_t most)
{
    if (value < least || value > most) {
        Refuse(name, site, emulator::Text("%s is %lld; expected: %lld to %lld", what, static_cast<long long>(value), static_cast<long long>(least), static_cast<long long>(most)));
    }
}

// What the documentation says of the parameters of an instruction.
template <typename Op>
void CheckLimits(const char *name, Site site, const Op &op)
{
    using namespace emulator::ops;
    Limits(op, [&](const Limit &limit) {
        if (limit.Kept()) {
            return;
        }
        std::string expected = emulator::Text("%llu to %llu", static_cast<unsigned long long>(limit.least),
            static_cast<unsigned long long>(limit.greatest));
        if (limit.multiple > 1) {
            expected += emulator::Text(", a multiple of %llu", static_cast<unsigned long long>(limit.multiple));
        }
        Refuse(name, site, emulator::Text("%s is %llu; expected: %s", limit.name, static_cast<unsigned long long>(limit.value), expected.c_str()));
    });
}

template <typename T>
uint64_t CountStrange(const uint8_t *data, uint64_t bytes)
{
    uint64_t count = 0;
    for (uint64_t at = 0; at + sizeof(T) <= bytes; at += sizeof(T)) {
        count += std::isfinite(static_cast<float>(emulator::ops::Load<T>(data + at))) ? 0 : 1;
    }
    return count;
}

// NaN and infinity among numbers of type T.
template <typename T>
uint64_t CountStrange(const emulator::Access &access)
{
    uint64_t count = 0;
    if constexpr (emulator::IS_FLOATING<T>) {
        for (uint32_t outer = 0; outer < access.count[1]; ++outer) {
            for (uint32_t inner = 0; inner < access.count[0]; ++inner) {
                const int64_t begin = access.offset + outer * access.stride[1] + inner * access.stride[0];
                count += CountStrange<T>(access.memory->Data() + begin, access.length);
            }
        }
    }
    return count;
}

template <typename To, typename From>
void WatchNumbers(Instruction &instruction)
{
    if constexpr (emulator::IS_FLOATING<To>) {
        instruction.strange = [](const Instruction &self, bool written) {
            uint64_t count = 0;
            for (const emulator::Access &access : self.accesses) {
                const bool writes = access.mode != emulator::Mode::READ;
                if (writes == written) {
                    count += writes ? CountStrange<To>(access) : CountStrange<From>(access);
                }
            }
            return count;
        };
    }
}

inline emulator::Access FromOps(const Operand &operand, const emulator::ops::Access &access)
{
    emulator::Access made;
    made.memory = operand.memory;
    made.offset = operand.offset + static_cast<int64_t>(access.offset);
    made.mode = access.touch == emulator::ops::Touch::READ ? emulator::Mode::READ : emulator::Mode::WRITE;
    made.undefined = access.touch == emulator::ops::Touch::CLOBBER;
    made.length = static_cast<uint32_t>(access.bytes);
    made.count[0] = static_cast<uint32_t>(access.count);
    made.stride[0] = static_cast<int64_t>(access.stride);
    made.low = operand.low;
    made.high = operand.high;
    made.Merge();
    return made;
}

// Ends a walk over accesses at the first that must not be made.
struct OutOfBounds {
};

// The accesses of an instruction, up to one that is out of bounds: what is visited before it is read, as offsets and bits,
// is then not read.
template <typename Op, size_t N>
void AddAccesses(const Op &op, const std::array<uint8_t *, N> &pointers, const std::array<Operand, N> &operands,
    std::vector<emulator::Access> &accesses)
{
    try {
        op.Ranges(pointers.data(), [&](const emulator::ops::Access &access) {
            accesses.push_back(FromOps(operands[access.operand], access));
            if (!accesses.back().Inside()) {
                throw OutOfBounds{};
            }
        });
    } catch (const OutOfBounds &) { // the access is told when the instruction is checked
    }
}

// An instruction whose semantics are a struct of ops/. The operands stand as there: the destination first.
// `late`: which bytes it touches depends on data, so that this is asked when it is executed.
template <typename Op, size_t N>
Instruction MakeInstruction(Pipe pipe, const char *name, Site site, const Op &op, const std::array<Operand, N> &operands,
    bool late = false)
{
    CheckLimits(name, site, op);
    Instruction instruction;
    instruction.pipe = pipe;
    instruction.name = name;
    instruction.site = site;
    std::array<uint8_t *, N> pointers{};
    for (size_t i = 0; i < N; ++i) {
        pointers[i] = operands[i].memory->Data() + operands[i].offset;
        instruction.operands.push_back(operands[i]);
        instruction.operands.back().alignment = op.Alignment(static_cast<uint32_t>(i));
    }
    const auto ranges = [op, pointers, operands](std::vector<emulator::Access> &accesses) {
        AddAccesses(op, pointers, operands, accesses);
    };
    if (late) {
        instruction.late = ranges;
    } else {
        ranges(instruction.accesses);
    }
    instruction.execute = [op, pointers] { op.Run(pointers.data()); };
    return instruction;
}

// What is read and written in the operand is changed in one step, in whatever order others do the same.
inline void MakeAtomic(Instruction &instruction, const Operand &operand)
{
    std::vector<emulator::Access> kept;
    for (emulator::Access &access : instruction.accesses) {
        if (access.memory == operand.memory) {
            if (access.mode == emulator::Mode::READ) {
                continue;
            }
            access.mode = emulator::Mode::ATOMIC;
        }
        kept.push_back(access);
    }
    instruction.accesses = std::move(kept);
}

inline void Issue(Instruction instruction)
{
    emulator::Here().Issue(std::move(instruction));
}

} // namespace AscendC

#endif // EMULATED_ISSUE_H

// The register with the bits that go from Compare to Select.
#ifndef EMULATED_CMP_MASK_H
#define EMULATED_CMP_MASK_H

#include <cstring>

#include "emulated/vector_issue.h"

namespace AscendC {

inline Operand CmpMask()
{
    return {&emulator::Here().In(emulator::Space::CMPMASK), 0, 0, -1, 1};
}

// 16 bytes between UB and the register.
inline Instruction MoveCmpMask(const VectorCall &call, const Operand &to, const Operand &from, uint32_t bytes)
{
    const auto access = [bytes](const Operand &place, emulator::Mode mode) {
        emulator::Access made{place.memory, place.offset, mode, bytes};
        made.low = place.low;
        made.high = place.high;
        return made;
    };
    Instruction instruction;
    instruction.pipe = Pipe::V;
    instruction.name = call.name;
    instruction.site = call.site;
    instruction.work.repeats = 1;
    instruction.inOrder = emulator::Here().Whole().OnChip().VectorInOrder();
    for (const Operand &place : {to, from}) {
        instruction.operands.push_back(place);
        instruction.operands.back().alignment = 16;
    }
    instruction.accesses = {access(to, emulator::Mode::WRITE), access(from, emulator::Mode::READ)};
    instruction.execute = [to, from, bytes] {
        std::memcpy(to.memory->Data() + to.offset, from.memory->Data() + from.offset, bytes);
    };
    return instruction;
}

// With elements of 4 bytes only the first 64 bits have a value: then the others are not read, and stay without.
inline void LeaveOpen(Instruction &instruction)
{
    instruction.late = [](std::vector<emulator::Access> &accesses) {
        constexpr uint32_t half = 8;
        const emulator::Access from = accesses[1];
        const emulator::Epoch writer = from.memory->Marks().Writer(static_cast<uint64_t>(from.offset + half));
        if (writer && !writer.Undefined()) {
            return;
        }
        emulator::Access rest = accesses[0];
        accesses[0].length = half;
        accesses[1].length = half;
        rest.offset += half;
        rest.length = half;
        rest.undefined = true;
        accesses.push_back(rest);
    };
}

// From the 16 bytes at a place in UB.
inline void FillCmpMask(const VectorCall &call, const Operand &src)
{
    Instruction instruction = MoveCmpMask(call, CmpMask(), src, 16);
    LeaveOpen(instruction);
    Issue(std::move(instruction));
}

// As the real headers do before Select: a block of reserved UB is filled with a value that does not fit the call, and goes
// to the register from there.
template <typename V>
void PutCmpMask(const VectorCall &call, V value)
{
    Instruction fill;
    fill.pipe = Pipe::V;
    fill.name = call.name;
    fill.site = call.site;
    fill.work.repeats = 1;
    fill.execute = [] {};
    Issue(std::move(fill));
    emulator::Here().Barrier(Pipe::V, call.site);
    const Operand place = CmpMask();
    Instruction set = MoveCmpMask(call, place, place, 16);
    set.accesses.pop_back();
    set.execute = [place, value] { emulator::ops::Store(place.memory->Data(), value); };
    Issue(std::move(set));
    emulator::Here().Barrier(Pipe::V, call.site);
}

} // namespace AscendC

#endif // EMULATED_CMP_MASK_H

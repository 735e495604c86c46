// GatherMask as an instruction: unlike others, it has a result for the scalar unit.
#ifndef EMULATED_GATHER_MASK_ISSUE_H
#define EMULATED_GATHER_MASK_ISSUE_H

#include <memory>

#include "emulated/vector_issue.h"
#include "ops/gather.h"

namespace AscendC {

// Where the number of elements that were taken will be, once the instruction is executed.
template <typename T>
std::shared_ptr<uint64_t> IssueGatherMask(const VectorCall &call, const emulator::ops::GatherMask<T> &op,
    const std::array<Operand, 3> &operands)
{
    Instruction instruction = MakeInstruction(Pipe::V, call.name, call.site, op, operands, true);
    instruction.work.repeats = op.repeat;
    instruction.inOrder = emulator::Here().Whole().OnChip().VectorInOrder();
    auto result = std::make_shared<uint64_t>(0);
    instruction.execute = [op, operands, result] {
        uint8_t *pointers[3];
        for (size_t i = 0; i < 3; ++i) {
            pointers[i] = operands[i].memory->Data() + operands[i].offset;
        }
        *result = op.Pack(pointers);
    };
    Issue(std::move(instruction));
    return result;
}

} // namespace AscendC

#endif // EMULATED_GATHER_MASK_ISSUE_H

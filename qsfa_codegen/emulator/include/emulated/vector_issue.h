// What all vector instructions have in common: masks, repeats, strides.
#ifndef EMULATED_VECTOR_ISSUE_H
#define EMULATED_VECTOR_ISSUE_H

#include "emulated/parameters.h"
#include "emulated/tensor.h"
#include "ops/lanes.h"

namespace AscendC {

using emulator::ops::Mask;
using emulator::ops::Strides;

// A call of a vector instruction while its parameters are checked.
struct VectorCall {
    const char *name;
    Site site;

    // The first `lanes` lanes of every repeat.
    Mask First(uint64_t lanes, uint32_t width) const
    {
        CheckRange(name, site, "mask", static_cast<int64_t>(lanes), 1, width);
        return Mask::First(static_cast<uint32_t>(lanes));
    }

    Mask Bits(const uint64_t mask[], uint32_t width) const
    {
        if (width <= 64 && mask[1] != 0) {
            Refuse(name, site, "mask[1] has bits; expected: 0, for the elements have 4 bytes and a repeat 64 of them");
        }
        if (mask[0] == 0 && (width <= 64 || mask[1] == 0)) {
            Refuse(name, site, "the mask has no bit", "an instruction without elements is not allowed");
        }
        return Mask::Bits(mask[0], mask[1]);
    }

    Mask Count(int64_t elements) const
    {
        CheckRange(name, site, "the count of elements", elements, 0, UINT32_MAX);
        return Mask::Count(static_cast<uint64_t>(elements));
    }
};

template <typename B, typename R>
Strides StridesOf(const B &block, const R &repeat)
{
    return {block.Wide(), repeat.Wide()};
}

// Without isSetMask, the mask is what SetVectorMask and SetMaskCount left in the register.
template <bool isSetMask>
Mask Chosen(const Mask &mask)
{
    if (isSetMask) {
        return mask;
    }
    const emulator::MaskRegister &set = emulator::Here().mask;
    return {set.counter, set.low, set.high};
}

inline uint64_t RepeatsOf(const Mask &mask, uint32_t repeats, uint32_t width)
{
    return emulator::ops::Lanes(mask, repeats, width).Repeats();
}

// Issues it, unless it has nothing to do.
template <typename To, typename From, typename Op, size_t N>
void IssueVector(const VectorCall &call, const Op &op, uint64_t repeats, const std::array<Operand, N> &operands,
    bool late = false)
{
    if (repeats == 0) {
        return;
    }
    Instruction instruction = MakeInstruction(Pipe::V, call.name, call.site, op, operands, late);
    instruction.work.repeats = repeats;
    instruction.inOrder = emulator::Here().Whole().OnChip().VectorInOrder();
    WatchNumbers<To, From>(instruction);
    Issue(std::move(instruction));
}

} // namespace AscendC

#endif // EMULATED_VECTOR_ISSUE_H

// What all vector instructions have in common: masks, repeats, strides.
#ifndef EMULATED_VECTOR_ISSUE_H
#define EMULATED_VECTOR_ISSUE_H

#include "emulated/issue.h"
#include "ops/lanes.h"

namespace AscendC {

using emulator::ops::Mask;
using emulator::ops::Strides;

// A call of a vector instruction while its parameters are checked. What it sets the mask register to stays there.
struct VectorCall {
    const char *name;
    Site site;

    // The first `lanes` lanes of every repeat; without isSetMask, what is in the mask register.
    template <bool isSetMask = true>
    Mask Lanes(uint64_t lanes, uint32_t width) const
    {
        if (isSetMask) {
            CheckRange(name, site, "mask", static_cast<int64_t>(lanes), 1, width);
            Put(Mask::First(static_cast<uint32_t>(lanes)));
        }
        return Register();
    }

    template <bool isSetMask = true>
    Mask Lanes(const uint64_t mask[], uint32_t width) const
    {
        if (isSetMask) {
            CheckBits(mask, width);
            Put(Mask::Bits(mask[0], mask[1]));
        }
        return Register();
    }

    // All elements of the instruction. Such a call leaves the register with all lanes.
    Mask Count(int64_t elements) const
    {
        CheckRange(name, site, "the count of elements", elements, 0, UINT32_MAX);
        emulator::Here().mask = {};
        return Mask::Count(static_cast<uint64_t>(elements));
    }

    static Mask Register()
    {
        const emulator::MaskRegister &set = emulator::Here().mask;
        return {set.counter, set.low, set.high};
    }

private:
    void Put(const Mask &mask) const
    {
        emulator::MaskRegister &set = emulator::Here().mask;
        if (set.counter) {
            Refuse(name, site, "a mask of lanes while SetMaskCount is on: its bits would be taken for a count of elements",
                "call SetMaskNorm before, or leave the mask to SetVectorMask with isSetMask = false");
        }
        set.low = mask.low;
        set.high = mask.high;
    }

    void CheckBits(const uint64_t mask[], uint32_t width) const
    {
        if (width <= 64 && mask[1] != 0) {
            Refuse(name, site, "mask[1] has bits; expected: 0, for the elements have 4 bytes and a repeat 64 of them");
        }
        if (mask[0] == 0 && (width <= 64 || mask[1] == 0)) {
            Refuse(name, site, "the mask has no bit", "an instruction without elements is not allowed");
        }
    }
};

template <typename B, typename R>
Strides StridesOf(const B &block, const R &repeat)
{
    return {block.Wide(), repeat.Wide()};
}

inline uint64_t RepeatsOf(const Mask &mask, uint32_t repeats, uint32_t width)
{
    return emulator::ops::Lanes(mask, repeats, width).Repeats();
}

// Issues it, unless it has nothing to do. `late` as for MakeInstruction; `inOrder`: what it needs of the instructions before
// it on V is ordered in another way.
template <typename To, typename From, typename Op, size_t N>
void IssueVector(const VectorCall &call, const Op &op, uint64_t repeats, const std::array<Operand, N> &operands,
    bool late = false, bool inOrder = false)
{
    if (repeats == 0) {
        return;
    }
    Instruction instruction = MakeInstruction(Pipe::V, call.name, call.site, op, operands, late);
    instruction.work.repeats = repeats;
    instruction.inOrder = inOrder || emulator::Here().Whole().OnChip().VectorInOrder();
    WatchNumbers<To, From>(instruction);
    Issue(std::move(instruction));
}

} // namespace AscendC

#endif // EMULATED_VECTOR_ISSUE_H

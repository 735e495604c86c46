// What all copies have in common: which way bytes go, and by which pipe.
#ifndef EMULATED_MOVE_ISSUE_H
#define EMULATED_MOVE_ISSUE_H

#include "emulated/arch.h"
#include "emulated/issue.h"
#include "ops/move.h"

namespace AscendC {

constexpr int64_t BLOCK_BYTES = 32;

struct Path {
    Pipe pipe;
    Route route;
};

// By which pipe bytes go from one memory to another.
inline Path PathOf(emulator::Space from, emulator::Space to, const char *name, Site site)
{
    using emulator::Space;
    if (from == Space::GM) {
        if (to == Space::UB || to == Space::L1) {
            return {Pipe::MTE2, to == Space::UB ? Route::GM_UB : Route::GM_L1};
        }
    } else if (to == Space::GM) {
        if (from == Space::UB || (from == Space::L1 && !OnArch35())) {
            return {Pipe::MTE3, from == Space::UB ? Route::UB_GM : Route::L1_GM};
        }
    } else if (from == Space::UB && to == Space::UB) {
        return {Pipe::V, Route::UB_UB};
    } else if (from == Space::UB && to == Space::L1 && OnArch35() && !emulator::Here().Cube()) {
        return {Pipe::MTE3, Route::UB_L1};
    }
    Refuse(name, site, emulator::Text("there is no way from %s to %s on this chip", Name(from), Name(to)));
    return {Pipe::S, Route::NONE};
}

struct MoveCall {
    const char *name;
    Site site;
    Operand to;
    Operand from;

    bool ToGm() const
    {
        return to.memory->InSpace() == emulator::Space::GM;
    }

    template <typename Op>
    void Do(const Op &op, int64_t bursts, int64_t bytes, emulator::ops::Atomic atomic = emulator::ops::Atomic::NONE) const
    {
        if (bursts == 0 || bytes == 0) {
            return;
        }
        const Path path = PathOf(from.memory->InSpace(), to.memory->InSpace(), name, site);
        Instruction instruction = MakeInstruction(path.pipe, name, site, op, std::array<Operand, 2>{to, from});
        if (atomic != emulator::ops::Atomic::NONE) {
            MakeAtomic(instruction, to);
        }
        instruction.work.route = path.route;
        instruction.work.bytes = static_cast<uint64_t>(bytes * bursts);
        instruction.work.bursts = static_cast<uint64_t>(bursts);
        if (path.pipe == Pipe::V) {
            instruction.work.repeats = (instruction.work.bytes + 255) / 256;
            instruction.inOrder = emulator::Here().Whole().OnChip().VectorInOrder();
        }
        Issue(std::move(instruction));
    }

    // Bursts of whole blocks, with the gaps between them in blocks. T is what an atomic write adds or compares.
    template <typename T>
    void Bursts(const Limited16 &count, const Limited16 &length, const Limited16 &srcGap, const Limited16 &dstGap,
        emulator::ops::Atomic atomic) const
    {
        const int64_t bytes = length.Given() * BLOCK_BYTES;
        if (atomic != emulator::ops::Atomic::NONE) {
            emulator::ops::MoveOut<T> out;
            out.bursts = count.Wide();
            out.length = static_cast<uint32_t>(bytes);
            out.srcGap = srcGap.Wide();
            out.dstGap = static_cast<uint64_t>(dstGap.Given() * BLOCK_BYTES);
            out.atomic = atomic;
            Do(out, count.Given(), bytes, atomic);
            return;
        }
        emulator::ops::Move move;
        move.bursts = count.Wide();
        move.length = length.Wide();
        move.srcGap = srcGap.Wide();
        move.dstGap = dstGap.Wide();
        move.srcIsGm = from.memory->InSpace() == emulator::Space::GM;
        move.dstIsGm = ToGm();
        Do(move, count.Given(), bytes);
    }
};

} // namespace AscendC

#endif // EMULATED_MOVE_ISSUE_H

// What the instructions of the cube path do besides their calculation: pipes, routes, counts and checks.
#ifndef EMULATED_CUBE_ISSUE_H
#define EMULATED_CUBE_ISSUE_H

#include "emulated/arch.h"
#include "emulated/cube_unit_flags.h"
#include "ops/fixpipe.h"
#include "ops/load.h"
#include "ops/mmad.h"

namespace AscendC {

// ------------------------------------------------------------------ L1 → L0A, L0B

struct LoadCall {
    const char *name;
    Site site;
    emulator::Space to;
    emulator::Space from;

    template <typename Op>
    void Do(const Op &op, const Operand &dst, const Operand &src) const
    {
        using emulator::Space;
        if (from != Space::L1 || (to != Space::L0A && to != Space::L0B)) {
            Refuse(name, site, emulator::Text("there is no way from %s to %s; expected: from L1 to L0A or L0B", Name(from), Name(to)));
        }
        Instruction instruction = MakeInstruction(Pipe::MTE1, name, site, op, std::array<Operand, 2>{dst, src});
        instruction.work.route = to == Space::L0A ? Route::L1_L0A : Route::L1_L0B;
        for (const emulator::Access &access : instruction.accesses) {
            instruction.work.bytes += access.mode == emulator::Mode::READ ? 0 : access.Bytes();
        }
        Issue(std::move(instruction));
    }
};

// ------------------------------------------------------------------ Mmad

inline void CheckSpace(const char *name, Site site, const char *what, emulator::Space given, emulator::Space wanted)
{
    if (given != wanted) {
        Refuse(name, site, emulator::Text("%s is in %s; expected: in %s", what, Name(given), Name(wanted)));
    }
}

// NaN and infinity in A and B, or in what is written.
template <typename C, typename A>
void WatchProducts(Instruction &instruction)
{
    if constexpr (emulator::IS_FLOATING<C>) {
        instruction.strange = [](const Instruction &self, bool written) {
            uint64_t count = 0;
            for (const emulator::Access &access : self.accesses) {
                const bool product = access.memory->InSpace() == emulator::Space::L0C;
                if (written && product && access.mode != emulator::Mode::READ && !access.undefined) {
                    count += CountStrange<C>(access);
                } else if (!written && access.mode == emulator::Mode::READ) {
                    count += product ? CountStrange<C>(access) : CountStrange<A>(access);
                }
            }
            return count;
        };
    }
}

// From so many fractals of C on, an Mmad sees what the one before it added without a barrier.
constexpr uint64_t ORDERED_FRACTALS = 10;

template <size_t N, typename C, typename A, typename B>
void DoMmad(Site site, const emulator::ops::Mmad<C, A, B> &op, const Limited8 &unitFlag, const std::array<Operand, N> &operands)
{
    if (op.m == 0 || op.n == 0 || op.k == 0) {
        return;
    }
    Instruction instruction = MakeInstruction(Pipe::M, "Mmad", site, op, operands);
    constexpr uint64_t depth = 32 / sizeof(A);
    instruction.work.macs = static_cast<uint64_t>(op.m) * op.n * op.k;
    instruction.work.beats = (op.m + 15ULL) / 16 * ((op.n + 15ULL) / 16) * ((op.k + depth - 1) / depth);
    instruction.inOrder = op.m / 16ULL * (op.n / 16) >= ORDERED_FRACTALS;
    instruction.unitFlags = UnitFlagsOf({"Mmad", site, false}, unitFlag, operands[0], {op.m, op.n, (op.m + 15U) / 16 * 16});
    WatchProducts<C, A>(instruction);
    Issue(std::move(instruction));
}

// ------------------------------------------------------------------ Fixpipe

template <typename To, typename From>
void IssueFixpipe(const char *name, Site site, const emulator::ops::Fixpipe<To, From> &op, const Operand &to, const Operand &from,
    const Limited8 &unitFlag)
{
    Instruction instruction = MakeInstruction(Pipe::FIX, name, site, op, std::array<Operand, 2>{to, from});
    if (op.atomic != emulator::ops::Atomic::NONE) {
        MakeAtomic(instruction, to);
    }
    instruction.unitFlags = UnitFlagsOfAll({name, site, true}, unitFlag, from, op);
    const uint64_t rows = static_cast<uint64_t>(op.mSize) * (op.nz ? 1 : op.ndNum);
    instruction.work.route = Route::L0C_GM;
    instruction.work.bytes = rows * op.nSize * sizeof(To);
    instruction.work.bursts = op.nz ? (op.nSize + 15ULL) / 16 : rows;
    Issue(std::move(instruction));
}

// ------------------------------------------------------------------ blocks of one value

// Runs of so many blocks, `gap` blocks between them; a block has 32 bytes in L1 and 512 in L0A and L0B.
struct BlocksOfValue {
    uint32_t runs = 0;
    uint32_t blocks = 0;
    uint32_t gap = 0;
};

template <typename T>
void IssueFill(const char *name, Site site, const Operand &place, const BlocksOfValue &what, T value)
{
    const emulator::Space space = place.memory->InSpace();
    const bool l1 = space == emulator::Space::L1;
    if (!l1 && space != emulator::Space::L0A && space != emulator::Space::L0B) {
        Refuse(name, site, emulator::Text("the tensor is in %s; expected: in L1, L0A or L0B", Name(space)));
    }
    if (!l1) {
        RefuseOnArch35(name, site, "filling L0A or L0B", "fill L1 and load it");
    }
    const uint32_t block = l1 ? 32 : 512;
    emulator::Access access{place.memory, place.offset, emulator::Mode::WRITE, what.blocks * block};
    access.count[0] = what.runs;
    access.stride[0] = static_cast<int64_t>(access.length) + static_cast<int64_t>(what.gap) * block;
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
    instruction.execute = [access, value] {
        for (uint32_t repeat = 0; repeat < access.count[0]; ++repeat) {
            uint8_t *run = access.memory->Data() + access.offset + repeat * access.stride[0];
            for (uint32_t at = 0; at < access.length; at += sizeof(T)) {
                emulator::ops::Store(run + at, value);
            }
        }
    };
    Issue(std::move(instruction));
}

} // namespace AscendC

#endif // EMULATED_CUBE_ISSUE_H

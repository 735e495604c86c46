// Unit flags: Mmad and Fixpipe wait for each other block by block of L0C.
#ifndef EMULATED_CUBE_UNIT_FLAGS_H
#define EMULATED_CUBE_UNIT_FLAGS_H

#include "emulated/issue.h"

namespace AscendC {

struct UnitFlagCall {
    const char *name;
    Site site;
    bool reads; // Fixpipe, which waits for set flags
};

// A matrix in L0C: columns of 16 elements of 4 bytes, `pitch` rows from one to the next.
struct MatrixOfL0C {
    uint32_t rows;
    uint32_t columns;
    uint32_t pitch;
    uint64_t offset = 0; // bytes from the operand
};

// The flags are those of whole fractals, also where a matrix ends within one.
inline void AddBlocks(emulator::UnitFlagUse &use, const Operand &place, const MatrixOfL0C &matrix)
{
    constexpr uint64_t row = 64;
    constexpr uint32_t side = 16;
    const uint64_t bytes = (matrix.rows + side - 1ULL) / side * side * row;
    for (uint32_t column = 0; column < matrix.columns; column += side) {
        const uint64_t begin = static_cast<uint64_t>(place.offset) + matrix.offset + column / side * matrix.pitch * row;
        use.Add(begin, begin + bytes);
    }
}

inline emulator::UnitFlagUse MakeUnitFlags(const UnitFlagCall &call, const Limited8 &flag)
{
    using Mode = emulator::UnitFlagUse::Mode;
    constexpr int64_t keeps = 2;
    constexpr int64_t flips = 3;
    if (flag.Given() != 0 && flag.Given() != keeps && flag.Given() != flips) {
        Refuse(call.name, call.site, emulator::Text("unitFlag is %lld; expected: 0, 2 or 3", static_cast<long long>(flag.Given())));
    }
    emulator::UnitFlagUse use;
    use.mode = flag.Given() == 0 ? Mode::NONE : flag.Given() == keeps ? Mode::CHECKED
                                                                      : Mode::FLIPPED;
    use.wanted = call.reads;
    return use;
}

inline emulator::UnitFlagUse UnitFlagsOf(const UnitFlagCall &call, const Limited8 &flag, const Operand &place, const MatrixOfL0C &matrix)
{
    emulator::UnitFlagUse use = MakeUnitFlags(call, flag);
    if (use.mode != emulator::UnitFlagUse::Mode::NONE) {
        AddBlocks(use, place, matrix);
    }
    return use;
}

// Those of all matrices that a Fixpipe takes.
template <typename Op>
emulator::UnitFlagUse UnitFlagsOfAll(const UnitFlagCall &call, const Limited8 &flag, const Operand &place, const Op &op)
{
    emulator::UnitFlagUse use = MakeUnitFlags(call, flag);
    if (use.mode != emulator::UnitFlagUse::Mode::NONE) {
        for (uint32_t matrix = 0; matrix < op.Matrices(); ++matrix) {
            AddBlocks(use, place, {op.mSize, op.nSize, op.srcStride, op.SourceOf(matrix)});
        }
    }
    return use;
}

} // namespace AscendC

#endif // EMULATED_CUBE_UNIT_FLAGS_H

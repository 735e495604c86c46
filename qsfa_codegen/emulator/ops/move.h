// Copies by the memory engines: between GM, UB and L1.
#pragma once

#include <algorithm>
#include <cstdint>

#include "access.h"
#include "arithmetic.h"

namespace emulator::ops {

// DataCopy. All fields count blocks of 32 bytes; a gap is from the end of a burst to the start of the next.
struct Move {
    uint32_t bursts = 1;
    uint32_t length = 0;
    uint32_t srcGap = 0;
    uint32_t dstGap = 0;
    bool srcIsGm = false;
    bool dstIsGm = false;

    uint32_t Alignment(uint32_t operand) const
    {
        return (operand == 0 ? dstIsGm : srcIsGm) ? 1 : BLOCK;
    }

    void Run(Operands at) const
    {
        for (uint32_t burst = 0; burst < bursts; ++burst) {
            std::memmove(at[0] + burst * Pitch(dstGap), at[1] + burst * Pitch(srcGap), uint64_t(length) * BLOCK);
        }
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        if (bursts == 0 || length == 0) {
            return;
        }
        visit(Access{1, Touch::READ, 0, uint64_t(length) * BLOCK, bursts, Pitch(srcGap)});
        visit(Access{0, Touch::WRITE, 0, uint64_t(length) * BLOCK, bursts, Pitch(dstGap)});
    }

private:
    uint64_t Pitch(uint32_t gap) const
    {
        return (uint64_t(length) + gap) * BLOCK;
    }
};

// DataCopyPad from GM. `length` and `srcGap` count bytes, `dstGap` blocks. A burst takes whole blocks in the
// destination: `left` bytes, the data, `right` bytes, and what is missing to a block. Without padding values
// these bytes cannot be relied on, nor with left and right 0, where the chip is said to repeat the first element.
struct MovePadIn {
    uint32_t bursts = 1;
    uint32_t length = 0;
    uint64_t srcGap = 0;
    uint64_t dstGap = 0;
    uint32_t left = 0;
    uint32_t right = 0;
    bool pad = false;
    uint32_t elementSize = 1;
    uint64_t value = 0; // the element to pad with, in the low bytes

    static uint32_t Alignment(uint32_t operand)
    {
        return operand == 0 ? BLOCK : 1;
    }

    void Run(Operands at) const
    {
        if (length == 0) {
            return;
        }
        for (uint32_t burst = 0; burst < bursts; ++burst) {
            const Byte *from = at[1] + burst * (length + srcGap);
            Byte *to = at[0] + burst * DstPitch();
            Byte filler[sizeof(value)];
            std::memcpy(filler, &value, sizeof(value));
            if (!pad || left + right == 0) {
                std::memcpy(filler, from, std::min(elementSize, length));
            }
            for (uint64_t i = 0; i < Whole(); ++i) {
                to[i] = filler[i % elementSize];
            }
            std::memcpy(to + left, from, length);
        }
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        if (bursts == 0 || length == 0) {
            return;
        }
        const Touch around = pad ? Touch::WRITE : Touch::CLOBBER;
        visit(Access{1, Touch::READ, 0, length, bursts, length + srcGap});
        if (left > 0) {
            visit(Access{0, around, 0, left, bursts, DstPitch()});
        }
        visit(Access{0, Touch::WRITE, left, length, bursts, DstPitch()});
        if (pad && right > 0) {
            visit(Access{0, Touch::WRITE, uint64_t(left) + length, right, bursts, DstPitch()});
        }
        const uint64_t sure = uint64_t(left) + length + (pad ? right : 0);
        if (sure < Whole()) {
            visit(Access{0, left + right > 0 ? around : Touch::CLOBBER, sure, Whole() - sure, bursts, DstPitch()});
        }
    }

private:
    uint64_t Whole() const
    {
        return CeilDiv(uint64_t(left) + length + right, BLOCK) * BLOCK;
    }
    uint64_t DstPitch() const
    {
        return Whole() + dstGap * BLOCK;
    }
};

// What a write to GM does to what is there.
enum class Atomic : uint8_t {
    NONE,
    ADD,
    MAX,
    MIN
};

template <class T>
void StoreAtomic(Byte *to, T value, Atomic atomic)
{
    switch (atomic) {
        case Atomic::NONE:
            break;
        case Atomic::ADD:
            value = Add::Of(Load<T>(to), value, Overflow::INF_NAN);
            break;
        case Atomic::MAX:
            value = Max::Of(Load<T>(to), value, Overflow::INF_NAN);
            break;
        case Atomic::MIN:
            value = Min::Of(Load<T>(to), value, Overflow::INF_NAN);
            break;
    }
    Store(to, value);
}

// DataCopyPad to GM, and any other strided copy to GM under SetAtomic…: `length` and `dstGap` count bytes,
// `srcGap` blocks; a burst starts at a whole block of the source.
template <class T>
struct MoveOut {
    uint32_t bursts = 1;
    uint32_t length = 0;
    uint64_t srcGap = 0;
    uint64_t dstGap = 0;
    Atomic atomic = Atomic::NONE;

    static uint32_t Alignment(uint32_t operand)
    {
        return operand == 0 ? 1 : BLOCK;
    }

    void Run(Operands at) const
    {
        for (uint32_t burst = 0; burst < bursts; ++burst) {
            const Byte *from = at[1] + burst * SrcPitch();
            Byte *to = at[0] + burst * (length + dstGap);
            if (atomic == Atomic::NONE) {
                std::memcpy(to, from, length);
                continue;
            }
            for (uint32_t i = 0; i + sizeof(T) <= length; i += sizeof(T)) {
                StoreAtomic(to + i, Load<T>(from + i), atomic);
            }
        }
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        if (bursts == 0 || length == 0) {
            return;
        }
        visit(Access{1, Touch::READ, 0, length, bursts, SrcPitch()});
        if (atomic != Atomic::NONE) {
            visit(Access{0, Touch::READ, 0, length, bursts, length + dstGap});
        }
        visit(Access{0, Touch::WRITE, 0, length, bursts, length + dstGap});
    }

private:
    uint64_t SrcPitch() const
    {
        return (CeilDiv(length, BLOCK) + srcGap) * BLOCK;
    }
};

// DataCopy GM → L1 with ND → NZ. Elements of `elementSize` bytes; the names are those of Nd2NzParams. The last
// block of a row is filled with zeros.
struct MoveNdToNz {
    uint32_t elementSize = 2;
    uint32_t ndNum = 1;
    uint32_t nValue = 0; // rows
    uint32_t dValue = 0; // columns
    uint32_t srcNdMatrixStride = 0; // elements
    uint32_t srcDValue = 0; // elements in a row of the source
    uint32_t dstNzC0Stride = 0; // blocks, from one column of blocks to the next
    uint32_t dstNzNStride = 1; // blocks, from row to row
    uint32_t dstNzMatrixStride = 0; // elements

    static uint32_t Alignment(uint32_t operand)
    {
        return operand == 0 ? BLOCK : 1;
    }

    void Run(Operands at) const
    {
        for (uint32_t matrix = 0; matrix < ndNum; ++matrix) {
            for (uint32_t row = 0; row < nValue; ++row) {
                const Byte *from = at[1] + SrcOffset(matrix) + uint64_t(row) * srcDValue * elementSize;
                for (uint32_t column = 0; column < Columns(); ++column) {
                    Byte *to = at[0] + DstOffset(matrix, column) + uint64_t(row) * dstNzNStride * BLOCK;
                    const uint64_t there = std::min<uint64_t>(BLOCK, RowBytes() - uint64_t(column) * BLOCK);
                    std::memcpy(to, from + uint64_t(column) * BLOCK, there);
                    std::memset(to + there, 0, BLOCK - there);
                }
            }
        }
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        if (nValue == 0 || dValue == 0) {
            return;
        }
        for (uint32_t matrix = 0; matrix < ndNum; ++matrix) {
            visit(Access{1, Touch::READ, SrcOffset(matrix), RowBytes(), nValue, uint64_t(srcDValue) * elementSize});
            for (uint32_t column = 0; column < Columns(); ++column) {
                visit(Access{0, Touch::WRITE, DstOffset(matrix, column), BLOCK, nValue,
                    uint64_t(dstNzNStride) * BLOCK});
            }
        }
    }

private:
    uint64_t RowBytes() const
    {
        return uint64_t(dValue) * elementSize;
    }
    uint32_t Columns() const
    {
        return static_cast<uint32_t>(CeilDiv(RowBytes(), BLOCK));
    }
    uint64_t SrcOffset(uint32_t matrix) const
    {
        return uint64_t(matrix) * srcNdMatrixStride * elementSize;
    }

    uint64_t DstOffset(uint32_t matrix, uint32_t column) const
    {
        return uint64_t(matrix) * dstNzMatrixStride * elementSize + uint64_t(column) * dstNzC0Stride * BLOCK;
    }
};

} // namespace emulator::ops

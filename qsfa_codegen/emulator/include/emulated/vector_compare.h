// Compare, Select, and the register with the bits that go from one to the other.
#ifndef EMULATED_VECTOR_COMPARE_H
#define EMULATED_VECTOR_COMPARE_H

#include "emulated/cmp_mask.h"
#include "emulated/sync.h"
#include "emulated/vector_mask.h"
#include "ops/compare.h"

namespace AscendC {

// ------------------------------------------------------------------ Compare

template <typename T>
void CheckRelation(const VectorCall &call, CMPMODE mode)
{
    static_assert(sizeof(T) == 2 || sizeof(T) == 4, "the elements of a comparison have 2 or 4 bytes");
    if (!emulator::IS_FLOATING<T> && mode != CMPMODE::EQ) {
        Refuse(call.name, call.site, "integers can be compared with CMPMODE::EQ alone on this chip");
    }
}

template <typename T, size_t N>
void DoCompare(const VectorCall &call, const emulator::ops::Compare<T> &op, CMPMODE mode, const std::array<Operand, N> &operands)
{
    CheckRelation<T>(call, mode);
    emulator::ops::Compare<T> related = op;
    related.relation = static_cast<emulator::ops::Relation>(mode);
    IssueVector<uint8_t, T>(call, related, op.repeat, operands);
}

// A count is whole repeats, up to 252 of them in one instruction.
template <typename T, typename Part>
void InParts(const VectorCall &call, uint32_t count, Part part)
{
    constexpr uint32_t width = emulator::ops::WIDTH<T>;
    constexpr uint32_t most = 252;
    if (count % width != 0) {
        Refuse(call.name, call.site, emulator::Text("the count is %u; expected: a multiple of %u, the elements of 256 bytes", count, width));
    }
    for (uint32_t first = 0; first < count; first += most * width) {
        part(first, std::min(most, (count - first) / width));
    }
}

template <typename T, typename U>
void CompareRepeats(const VectorCall &call, const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
    CMPMODE mode, uint32_t repeats, const BinaryRepeatParams &params)
{
    emulator::ops::Compare<T> op;
    op.repeat = repeats;
    op.src0 = StridesOf(params.src0BlkStride, params.src0RepStride);
    op.src1 = StridesOf(params.src1BlkStride, params.src1RepStride);
    DoCompare(call, op, mode, std::array<Operand, 3>{dst.Place(), src0.Place(), src1.Place()});
}

// On arch22 the mask and the strides of the destination have no effect.
template <typename T, typename U, bool isSetMask = true>
void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode,
    const uint64_t[], Limited8 repeatTimes, const BinaryRepeatParams &params, Site site = Site::Here())
{
    CompareRepeats(VectorCall{"Compare", site}, dst, src0, src1, mode, repeatTimes.Wide(), params);
}

template <typename T, typename U, bool isSetMask = true>
void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode, uint64_t,
    Limited8 repeatTimes, const BinaryRepeatParams &params, Site site = Site::Here())
{
    CompareRepeats(VectorCall{"Compare", site}, dst, src0, src1, mode, repeatTimes.Wide(), params);
}

template <typename T, typename U>
void Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode, uint32_t count,
    Site site = Site::Here())
{
    const VectorCall call{"Compare", site};
    InParts<T>(call, count, [&](uint32_t first, uint32_t repeats) {
        CompareRepeats(call, dst.template ReinterpretCast<uint8_t>()[first / 8], src0[first], src1[first], mode, repeats, {});
    });
}

template <typename T, typename U>
void CompareScalarRepeats(const VectorCall &call, const LocalTensor<U> &dst, const LocalTensor<T> &src, T value, CMPMODE mode,
    uint32_t repeats, const UnaryRepeatParams &params)
{
    emulator::ops::Compare<T> op;
    op.repeat = repeats;
    op.src0 = StridesOf(params.srcBlkStride, params.srcRepStride);
    op.scalar = true;
    op.value = value;
    DoCompare(call, op, mode, std::array<Operand, 2>{dst.Place(), src.Place()});
}

template <typename T, typename U, bool isSetMask = true>
void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src, const typename LocalTensor<T>::PrimType value,
    CMPMODE mode, const uint64_t[], Limited8 repeatTimes, const UnaryRepeatParams &params, Site site = Site::Here())
{
    CompareScalarRepeats<T>(VectorCall{"CompareScalar", site}, dst, src, value, mode, repeatTimes.Wide(), params);
}

template <typename T, typename U, bool isSetMask = true>
void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src, const typename LocalTensor<T>::PrimType value,
    CMPMODE mode, uint64_t, Limited8 repeatTimes, const UnaryRepeatParams &params, Site site = Site::Here())
{
    CompareScalarRepeats<T>(VectorCall{"CompareScalar", site}, dst, src, value, mode, repeatTimes.Wide(), params);
}

template <typename T, typename U>
void CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src, const typename LocalTensor<T>::PrimType value, CMPMODE mode,
    uint32_t count, Site site = Site::Here())
{
    const VectorCall call{"CompareScalar", site};
    InParts<T>(call, count, [&](uint32_t first, uint32_t repeats) {
        CompareScalarRepeats<T>(call, dst.template ReinterpretCast<uint8_t>()[first / 8], src[first], value, mode, repeats, {});
    });
}

// ------------------------------------------------------------------ the register

template <typename T>
void CompareToRegister(const VectorCall &call, const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode,
    const Mask &mask, const BinaryRepeatParams &params)
{
    static_assert(emulator::IS_FLOATING<T>, "the form without a destination compares half and float");
    emulator::ops::CompareToRegister<T> op;
    op.relation = static_cast<emulator::ops::Relation>(mode);
    op.mask = mask;
    op.src0 = StridesOf(params.src0BlkStride, params.src0RepStride);
    op.src1 = StridesOf(params.src1BlkStride, params.src1RepStride);
    IssueVector<uint8_t, T>(call, op, 1, std::array<Operand, 3>{CmpMask(), src0.Place(), src1.Place()});
}

template <typename T, bool isSetMask = true>
void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode, const uint64_t mask[],
    const BinaryRepeatParams &params, Site site = Site::Here())
{
    const VectorCall call{"Compare", site};
    CompareToRegister(call, src0, src1, mode, call.Lanes<isSetMask>(mask, emulator::ops::WIDTH<T>), params);
}

template <typename T, bool isSetMask = true>
void Compare(const LocalTensor<T> &src0, const LocalTensor<T> &src1, CMPMODE mode, uint64_t mask,
    const BinaryRepeatParams &params, Site site = Site::Here())
{
    const VectorCall call{"Compare", site};
    CompareToRegister(call, src0, src1, mode, call.Lanes<isSetMask>(mask, emulator::ops::WIDTH<T>), params);
}

template <typename T>
void SetCmpMask(const LocalTensor<T> &src, Site site = Site::Here())
{
    FillCmpMask(VectorCall{"SetCmpMask", site}, src.Place());
}

// The destination has 128 bytes; those past the register's 16 cannot be relied on.
template <typename T>
void GetCmpMask(const LocalTensor<T> &dst, Site site = Site::Here())
{
    constexpr uint32_t bytes = 16;
    constexpr uint32_t room = 128;
    Instruction instruction = MoveCmpMask(VectorCall{"GetCmpMask", site}, dst.Place(), CmpMask(), bytes);
    emulator::Access rest = instruction.accesses[0];
    rest.offset += bytes;
    rest.length = room - bytes;
    rest.undefined = true;
    instruction.accesses.push_back(rest);
    LeaveOpen(instruction);
    Issue(std::move(instruction));
}

// ------------------------------------------------------------------ Select

// What a Select has besides its mode and its sources.
struct SelectShape {
    Mask mask;
    uint32_t repeats = 1;
    BinaryRepeatParams params;
};

template <typename T>
emulator::ops::Select<T> MakeSelect(const SelectShape &shape)
{
    static_assert(emulator::IS_FLOATING<T>, "Select takes half and float");
    emulator::ops::Select<T> op;
    op.mask = shape.mask;
    op.repeat = shape.repeats;
    op.dst = StridesOf(shape.params.dstBlkStride, shape.params.dstRepStride);
    op.src0 = StridesOf(shape.params.src0BlkStride, shape.params.src0RepStride);
    op.src1 = StridesOf(shape.params.src1BlkStride, shape.params.src1RepStride);
    return op;
}

template <typename T>
uint64_t RepeatsOf(const SelectShape &shape)
{
    return RepeatsOf(shape.mask, shape.repeats, emulator::ops::WIDTH<T>);
}

// Mode 0: the bits are in the register, the same for all repeats.
template <typename T>
void SelectByRegister(const VectorCall &call, const Operand &dst, const Operand &src0, const Operand &src1, const SelectShape &shape)
{
    emulator::ops::Select<T> op = MakeSelect<T>(shape);
    op.sameBits = true;
    op.bitsInRegister = true;
    IssueVector<T, T>(call, op, RepeatsOf<T>(shape), std::array<Operand, 4>{dst, CmpMask(), src0, src1});
}

// Mode 1: what a clear bit takes is in the register.
template <typename T>
void SelectOrValue(const VectorCall &call, const Operand &dst, const Operand &bits, const Operand &src, const SelectShape &shape)
{
    emulator::ops::Select<T> op = MakeSelect<T>(shape);
    op.scalar = true;
    op.valueInRegister = true;
    IssueVector<T, T>(call, op, RepeatsOf<T>(shape), std::array<Operand, 4>{dst, bits, src, CmpMask()});
}

// Mode 2: the register has the address of the bits, which is known here.
template <typename T>
void SelectByTensor(const VectorCall &call, const Operand &dst, const Operand &bits, const Operand &src0, const Operand &src1,
    const SelectShape &shape)
{
    IssueVector<T, T>(call, MakeSelect<T>(shape), RepeatsOf<T>(shape), std::array<Operand, 4>{dst, bits, src0, src1});
}

template <typename T, typename U>
void SelectOfTwo(const VectorCall &call, const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &src0,
    const LocalTensor<T> &src1, SELMODE mode, const SelectShape &shape)
{
    if (RepeatsOf<T>(shape) == 0) {
        return;
    }
    if (mode == SELMODE::VSEL_CMPMASK_SPR) {
        Issue(MoveCmpMask(call, CmpMask(), bits.Place(), emulator::ops::WIDTH<T> / 8));
        emulator::Here().Barrier(Pipe::V, call.site);
        SelectByRegister<T>(call, dst.Place(), src0.Place(), src1.Place(), shape);
    } else if (mode == SELMODE::VSEL_TENSOR_TENSOR_MODE) {
        PutCmpMask(call, bits.GetPhyAddr());
        SelectByTensor<T>(call, dst.Place(), bits.Place(), src0.Place(), src1.Place(), shape);
    } else {
        Refuse(call.name, call.site, "VSEL_TENSOR_SCALAR_MODE with two tensors", "pass the scalar as the fourth argument");
    }
}

template <typename T, typename U>
void SelectOfValue(const VectorCall &call, const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &src, T value,
    SELMODE mode, const SelectShape &shape)
{
    if (mode != SELMODE::VSEL_TENSOR_SCALAR_MODE) {
        Refuse(call.name, call.site, "a scalar in a mode other than VSEL_TENSOR_SCALAR_MODE");
    }
    if (RepeatsOf<T>(shape) == 0) {
        return;
    }
    PutCmpMask(call, value);
    SelectOrValue<T>(call, dst.Place(), bits.Place(), src.Place(), shape);
}

// isSetMask has no effect on arch22.
template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
    SELMODE mode, uint64_t mask[], Limited8 repeatTimes, const BinaryRepeatParams &params, Site site = Site::Here())
{
    const VectorCall call{"Select", site};
    SelectOfTwo(call, dst, bits, src0, src1, mode, {call.Lanes(mask, emulator::ops::WIDTH<T>), repeatTimes.Wide(), params});
}

template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
    SELMODE mode, uint64_t mask, Limited8 repeatTimes, const BinaryRepeatParams &params, Site site = Site::Here())
{
    const VectorCall call{"Select", site};
    SelectOfTwo(call, dst, bits, src0, src1, mode, {call.Lanes(mask, emulator::ops::WIDTH<T>), repeatTimes.Wide(), params});
}

template <typename T, typename U>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
    SELMODE mode, uint32_t count, Site site = Site::Here())
{
    const VectorCall call{"Select", site};
    SelectOfTwo(call, dst, bits, src0, src1, mode, {call.Count(count), 1, {}});
    emulator::Here().Barrier(Pipe::V, site);
}

template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &src, typename LocalTensor<T>::PrimType value,
    SELMODE mode, uint64_t mask[], Limited8 repeatTimes, const BinaryRepeatParams &params, Site site = Site::Here())
{
    const VectorCall call{"Select", site};
    SelectOfValue<T>(call, dst, bits, src, value, mode, {call.Lanes(mask, emulator::ops::WIDTH<T>), repeatTimes.Wide(), params});
}

template <typename T, typename U, bool isSetMask = true>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &src, typename LocalTensor<T>::PrimType value,
    SELMODE mode, uint64_t mask, Limited8 repeatTimes, const BinaryRepeatParams &params, Site site = Site::Here())
{
    const VectorCall call{"Select", site};
    SelectOfValue<T>(call, dst, bits, src, value, mode, {call.Lanes(mask, emulator::ops::WIDTH<T>), repeatTimes.Wide(), params});
}

template <typename T, typename U>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &src,
    typename LocalTensor<T>::PrimType value, SELMODE mode, uint32_t count, Site site = Site::Here())
{
    const VectorCall call{"Select", site};
    SelectOfValue<T>(call, dst, bits, src, value, mode, {call.Count(count), 1, {}});
}

// Without a mask: the lanes are what SetVectorMask has set, the register is what SetCmpMask or Compare has set.
template <typename T, SELMODE mode>
void Select(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, Limited8 repeatTimes,
    const BinaryRepeatParams &params, Site site = Site::Here())
{
    static_assert(mode == SELMODE::VSEL_CMPMASK_SPR, "Select by an address in the register is not modelled: pass the bits");
    SelectByRegister<T>(VectorCall{"Select", site}, dst.Place(), src0.Place(), src1.Place(),
        {VectorCall::Register(), repeatTimes.Wide(), params});
}

template <typename T, typename U>
void Select(const LocalTensor<T> &dst, const LocalTensor<U> &bits, const LocalTensor<T> &src, Limited8 repeatTimes,
    const BinaryRepeatParams &params, Site site = Site::Here())
{
    SelectOrValue<T>(VectorCall{"Select", site}, dst.Place(), bits.Place(), src.Place(),
        {VectorCall::Register(), repeatTimes.Wide(), params});
}

} // namespace AscendC

#endif // EMULATED_VECTOR_COMPARE_H

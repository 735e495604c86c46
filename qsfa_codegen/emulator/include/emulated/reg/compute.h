// Arithmetic, comparison, reduction and reordering of vector registers.
#ifndef EMULATED_REG_COMPUTE_H
#define EMULATED_REG_COMPUTE_H

#include "emulated/reg/mask.h"

namespace AscendC {
namespace Reg {

namespace ops = emulator::ops;

constexpr emulator::Overflow NO_SATURATION = emulator::Overflow::INF_NAN;

// ------------------------------------------------------------------ element by element

template <typename Op, MaskMergeMode mode, typename E>
void DoBinary(const char *name, RegisterContent &dst, RegisterContent &src0, RegisterContent &src1, MaskReg &mask, Site site)
{
    RegisterCall call(name, site);
    FillLanes<E, mode>(call, dst, mask, false, [](E a, E b) { return Op::Of(a, b, NO_SATURATION); }, src0, src1);
}

#define EMULATED_REG_BINARY(NAME, OP) \
    template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U> \
    void NAME(U &dstReg, U &srcReg0, U &srcReg1, MaskReg &mask, Site site = Site::Here()) \
    { \
        DoBinary<OP, mode, ElementOf<T, U>>(#NAME, dstReg, srcReg0, srcReg1, mask, site); \
    }

EMULATED_REG_BINARY(Add, ops::Add)
EMULATED_REG_BINARY(Sub, ops::Sub)
EMULATED_REG_BINARY(Mul, ops::Mul)
EMULATED_REG_BINARY(Max, ops::Max)
EMULATED_REG_BINARY(Min, ops::Min)
EMULATED_REG_BINARY(And, ops::And)
EMULATED_REG_BINARY(Or, ops::Or)
EMULATED_REG_BINARY(Div, ops::Flushing<ops::Div>)

#undef EMULATED_REG_BINARY

template <typename Op, MaskMergeMode mode, typename E>
void DoUnary(const char *name, RegisterContent &dst, RegisterContent &src, MaskReg &mask, Site site)
{
    RegisterCall call(name, site);
    FillLanes<E, mode>(call, dst, mask, false, [](E a) { return Op::Of(a, NO_SATURATION); }, src);
}

struct Negated {
    template <typename E>
    static E Of(E a, emulator::Overflow)
    {
        return static_cast<E>(-a);
    }
};

#define EMULATED_REG_UNARY(NAME, OP) \
    template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U> \
    void NAME(U &dstReg, U &srcReg, MaskReg &mask, Site site = Site::Here()) \
    { \
        DoUnary<OP, mode, ElementOf<T, U>>(#NAME, dstReg, srcReg, mask, site); \
    }

EMULATED_REG_UNARY(Exp, ops::Flushing<ops::Exp>)
EMULATED_REG_UNARY(Ln, ops::Flushing<ops::Ln>)
EMULATED_REG_UNARY(Sqrt, ops::Flushing<ops::Sqrt>)
EMULATED_REG_UNARY(Abs, ops::Abs)
EMULATED_REG_UNARY(Relu, ops::Relu)
EMULATED_REG_UNARY(Neg, Negated)
EMULATED_REG_UNARY(Not, ops::Not)

#undef EMULATED_REG_UNARY

template <typename Op, MaskMergeMode mode, typename E>
void DoScalar(const char *name, RegisterContent &dst, RegisterContent &src, E scalar, MaskReg &mask, Site site)
{
    RegisterCall call(name, site);
    FillLanes<E, mode>(call, dst, mask, IsStrange(scalar), [scalar](E a) { return Op::Of(a, scalar, NO_SATURATION); }, src);
}

#define EMULATED_REG_SCALAR(NAME, OP) \
    template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S> \
    void NAME(S &dstReg, S &srcReg, U scalarValue, MaskReg &mask, Site site = Site::Here()) \
    { \
        using E = ElementOf<T, S>; \
        DoScalar<OP, mode, E>(#NAME, dstReg, srcReg, static_cast<E>(scalarValue), mask, site); \
    }

EMULATED_REG_SCALAR(Adds, ops::Add)
EMULATED_REG_SCALAR(Muls, ops::Mul)
EMULATED_REG_SCALAR(Maxs, ops::Max)
EMULATED_REG_SCALAR(Mins, ops::Min)

#undef EMULATED_REG_SCALAR

template <bool left, MaskMergeMode mode, typename E>
void DoShift(const char *name, RegisterContent &dst, RegisterContent &src, int64_t distance, MaskReg &mask, Site site)
{
    static_assert(std::is_integral<E>::value, "only integers are shifted");
    RegisterCall call(name, site);
    CheckRange(name, site, "scalarValue", distance, 0, 32767);
    const auto by = static_cast<uint32_t>(distance);
    FillLanes<E, mode>(call, dst, mask, false, [by](E a) { return left ? ops::ShiftedLeft(a, by) : ops::ShiftedRight(a, by); }, src);
}

template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S>
void ShiftLefts(S &dstReg, S &srcReg, U scalarValue, MaskReg &mask, Site site = Site::Here())
{
    DoShift<true, mode, ElementOf<T, S>>("ShiftLefts", dstReg, srcReg, scalarValue, mask, site);
}

template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S>
void ShiftRights(S &dstReg, S &srcReg, U scalarValue, MaskReg &mask, Site site = Site::Here())
{
    DoShift<false, mode, ElementOf<T, S>>("ShiftRights", dstReg, srcReg, scalarValue, mask, site);
}

// dst + src0 · src1, rounded once.
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
void MulAddDst(U &dstReg, U &srcReg0, U &srcReg1, MaskReg &mask, Site site = Site::Here())
{
    using E = ElementOf<T, U>;
    RegisterCall call("MulAddDst", site);
    const RegisterContent old = dstReg;
    FillLanes<E, mode>(call, dstReg, mask, false, [](E d, E a, E b) { return ops::MulAddDst::Of(d, a, b, NO_SATURATION); }, old, srcReg0, srcReg1);
}

// dst · src0 + src1, rounded once.
template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
void MulDstAdd(U &dstReg, U &srcReg0, U &srcReg1, MaskReg &mask, Site site = Site::Here())
{
    using E = ElementOf<T, U>;
    RegisterCall call("MulDstAdd", site);
    const RegisterContent old = dstReg;
    FillLanes<E, mode>(call, dstReg, mask, false, [](E d, E a, E b) { return ops::FusedMulAdd::Of(d, a, b, NO_SATURATION); }, old, srcReg0, srcReg1);
}

// dst + src · scalar, rounded once.
template <typename T = DefaultType, typename U, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S>
void Axpy(S &dstReg, S &srcReg, const U scalarValue, MaskReg &mask, Site site = Site::Here())
{
    using E = ElementOf<T, S>;
    RegisterCall call("Axpy", site);
    const RegisterContent old = dstReg;
    const E scalar = static_cast<E>(scalarValue);
    FillLanes<E, mode>(call, dstReg, mask, IsStrange(scalar), [scalar](E d, E a) { return ops::MulAddDst::Of(d, a, scalar, NO_SATURATION); }, old, srcReg);
}

// The exponential of a difference.
template <typename T = DefaultType, typename U = DefaultType, RegLayout layout = RegLayout::ZERO,
    MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
void ExpSub(S &dstReg, V &srcReg0, V &srcReg1, MaskReg &mask, Site site = Site::Here())
{
    static_assert(std::is_same<typename V::ActualT, float>::value, "ExpSub of half is not modelled");
    RegisterCall call("ExpSub", site);
    FillLanes<float, mode>(call, dstReg, mask, false, [](float a, float b) { return ops::Flushing<ops::Exp>::Of(a - b, NO_SATURATION); }, srcReg0, srcReg1);
}

// ------------------------------------------------------------------ filling

template <typename E>
void FillAll(RegisterContent &dst, E value)
{
    for (uint32_t lane = 0; lane < LANES<E>; ++lane) {
        dst.content.Set(lane, value);
    }
    dst.origin = {};
}

template <typename T = DefaultType, typename U, typename S, std::enable_if_t<!std::is_base_of<RegisterContent, U>::value, bool> = true>
void Duplicate(S &dstReg, U scalarValue, Site site = Site::Here())
{
    const RegisterCall call("Duplicate", site);
    FillAll(dstReg, static_cast<ElementOf<T, S>>(scalarValue));
}

template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U, typename S,
    std::enable_if_t<!std::is_base_of<RegisterContent, U>::value, bool> = true>
void Duplicate(S &dstReg, U scalarValue, MaskReg &mask, Site site = Site::Here())
{
    using E = ElementOf<T, S>;
    RegisterCall call("Duplicate", site);
    const E value = static_cast<E>(scalarValue);
    FillLanes<E, mode>(call, dstReg, mask, true, [value] { return value; });
}

// The lowest element to all.
template <typename T = DefaultType, HighLowPart pos = HighLowPart::LOWEST, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S>
void Duplicate(S &dstReg, S &srcReg, MaskReg &mask, Site site = Site::Here())
{
    static_assert(pos == HighLowPart::LOWEST, "only the lowest element can be repeated");
    using E = ElementOf<T, S>;
    RegisterCall call("Duplicate", site);
    call.Need<E>(srcReg, 0);
    RegisterContent filled;
    FillAll(filled, srcReg.content.template Get<E>(0));
    filled.origin = srcReg.origin;
    FillLanes<E, mode>(call, dstReg, mask, true, [](E a) { return a; }, filled);
}

template <typename T = DefaultType, IndexOrder order = IndexOrder::INCREASE_ORDER, typename U, typename S>
void Arange(S &dstReg, U scalarValue, Site site = Site::Here())
{
    using E = ElementOf<T, S>;
    const RegisterCall call("Arange", site);
    constexpr bool up = order == IndexOrder::INCREASE_ORDER;
    for (uint32_t lane = 0; lane < LANES<E>; ++lane) {
        const uint32_t steps = up ? lane : LANES<E> - 1 - lane;
        dstReg.content.Set(lane, ops::Add::Of(static_cast<E>(scalarValue), static_cast<E>(steps), NO_SATURATION));
    }
    dstReg.origin = {};
}

template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::MERGING, typename U>
void Move(U &dstReg, U &srcReg, MaskReg mask, Site site = Site::Here())
{
    static_assert(mode == MaskMergeMode::MERGING, "Move keeps what the mask leaves out");
    using E = ElementOf<T, U>;
    RegisterCall call("Move", site);
    FillLanes<E, mode>(call, dstReg, mask, true, [](E a) { return a; }, srcReg);
}

template <typename T = DefaultType, typename U>
void Move(U &dstReg, U &srcReg, Site site = Site::Here())
{
    const RegisterCall call("Move", site);
    dstReg = srcReg;
}

// ------------------------------------------------------------------ comparison and selection

template <CMPMODE mode, typename E>
bool Compared(E a, E b)
{
    using Wide = std::conditional_t<emulator::IS_FLOATING<E>, float, E>;
    const Wide x = a;
    const Wide y = b;
    switch (mode) {
        case CMPMODE::LT:
            return x < y;
        case CMPMODE::GT:
            return x > y;
        case CMPMODE::EQ:
            return x == y;
        case CMPMODE::LE:
            return x <= y;
        case CMPMODE::GE:
            return x >= y;
        default:
            return x != y;
    }
}

template <CMPMODE mode, typename E, typename Other>
void DoCompare(RegisterCall &call, MaskReg &dst, const RegisterContent &src, const MaskReg &mask, Other other)
{
    call.Need(mask, sizeof(E));
    ops::Predicate made;
    made.width = sizeof(E);
    for (uint32_t lane = 0; lane < LANES<E>; ++lane) {
        if (mask.content.template On<E>(lane)) {
            call.template Need<E>(src, lane);
            made.bits[lane * sizeof(E)] = Compared<mode>(src.content.template Get<E>(lane), other(lane));
        }
    }
    dst.content = made;
}

template <typename T = DefaultType, CMPMODE mode = CMPMODE::EQ, typename U>
void Compare(MaskReg &dst, U &srcReg0, U &srcReg1, MaskReg &mask, Site site = Site::Here())
{
    using E = ElementOf<T, U>;
    RegisterCall call("Compare", site);
    emulator::Origin origin = mask.origin;
    origin.Join(srcReg0.origin);
    origin.Join(srcReg1.origin);
    DoCompare<mode, E>(call, dst, srcReg0, mask, [&](uint32_t lane) {
        call.template Need<E>(srcReg1, lane);
        return srcReg1.content.template Get<E>(lane);
    });
    dst.origin = origin;
}

template <typename T = DefaultType, CMPMODE mode = CMPMODE::EQ, typename U, typename S>
void Compares(MaskReg &dst, U &srcReg, S scalarValue, MaskReg &mask, Site site = Site::Here())
{
    using E = ElementOf<T, U>;
    RegisterCall call("Compares", site);
    emulator::Origin origin = mask.origin;
    origin.Join(srcReg.origin);
    DoCompare<mode, E>(call, dst, srcReg, mask, [scalarValue](uint32_t) { return static_cast<E>(scalarValue); });
    dst.origin = origin;
}

// Elements of the first register where the mask is on, of the second where it is not.
template <typename T = DefaultType, typename U>
void Select(U &dstReg, U &srcReg0, U &srcReg1, MaskReg &mask, Site site = Site::Here())
{
    using E = ElementOf<T, U>;
    RegisterCall call("Select", site);
    call.Need(mask, sizeof(E));
    Register made;
    for (uint32_t lane = 0; lane < LANES<E>; ++lane) {
        made.Copy(lane, (mask.content.template On<E>(lane) ? srcReg0 : srcReg1).content, lane, sizeof(E));
    }
    emulator::Origin origin = mask.origin;
    origin.Join(srcReg0.origin);
    origin.Join(srcReg1.origin);
    dstReg.content = made;
    dstReg.origin = origin;
}

// ------------------------------------------------------------------ order of elements

template <typename T = DefaultType, typename U, std::enable_if_t<std::is_base_of<RegisterContent, U>::value, bool> = true>
void Interleave(U &dstReg0, U &dstReg1, U &srcReg0, U &srcReg1, Site site = Site::Here())
{
    const RegisterCall call("Interleave", site);
    emulator::Origin origin = srcReg0.origin;
    origin.Join(srcReg1.origin);
    ops::Interleave(dstReg0.content, dstReg1.content, srcReg0.content, srcReg1.content, sizeof(ElementOf<T, U>));
    dstReg0.origin = dstReg1.origin = origin;
}

template <typename T = DefaultType, typename U, std::enable_if_t<std::is_base_of<RegisterContent, U>::value, bool> = true>
void DeInterleave(U &dstReg0, U &dstReg1, U &srcReg0, U &srcReg1, Site site = Site::Here())
{
    const RegisterCall call("DeInterleave", site);
    emulator::Origin origin = srcReg0.origin;
    origin.Join(srcReg1.origin);
    ops::DeInterleave(dstReg0.content, dstReg1.content, srcReg0.content, srcReg1.content, sizeof(ElementOf<T, U>));
    dstReg0.origin = dstReg1.origin = origin;
}

// ------------------------------------------------------------------ reductions

// Of elements from `first` on: their values, with what stands for those that take no part.
template <typename To, typename E, size_t N>
std::array<To, N> Parts(RegisterCall &call, const RegisterContent &src, const MaskReg &mask, uint32_t first, E absent)
{
    std::array<To, N> values{};
    for (uint32_t i = 0; i < N; ++i) {
        if (mask.content.template On<E>(first + i)) {
            call.template Need<E>(src, first + i);
            values[i] = static_cast<To>(src.content.template Get<E>(first + i));
        } else {
            values[i] = static_cast<To>(absent);
        }
    }
    return values;
}

// The place of the first greatest or least value; a NaN is before all others.
template <bool greatest, typename E, size_t N>
uint32_t PlaceOfMost(const std::array<E, N> &values)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < N && !ops::IsNan(values[best]); ++i) {
        if (ops::IsNan(values[i]) || (greatest ? !ops::Greater(values[best], values[i]) && ops::Greater(values[i], values[best]) : !ops::Less(values[best], values[i]) && ops::Less(values[i], values[best]))) {
            best = i;
        }
    }
    return best;
}

template <ReduceType type, typename E>
constexpr E Absent()
{
    return type == ReduceType::SUM ? E(0) : type == ReduceType::MAX ? ops::Lowest<E>()
                                                                    : ops::Highest<E>();
}

template <ReduceType type = ReduceType::SUM, typename T = DefaultType, typename U = DefaultType,
    MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
void Reduce(S &dstReg, V srcReg, MaskReg mask, Site site = Site::Here())
{
    static_assert(mode == MaskMergeMode::ZEROING, "Reduce does not merge");
    using To = ElementOf<T, S>;
    using E = ElementOf<U, V>;
    RegisterCall call("Reduce", site);
    call.Need(mask, sizeof(E));
    Register made = Register::Zero();
    const auto values = Parts<To, E, LANES<E>>(call, srcReg, mask, 0, Absent<type, E>());
    if constexpr (type == ReduceType::SUM) {
        made.Set(0, ops::TreeSum(values, values.size()));
    } else {
        static_assert(std::is_same<To, E>::value, "the greatest and the least have the type of the source");
        using Index = std::conditional_t<sizeof(E) == 1, uint8_t, std::conditional_t<sizeof(E) == 2, uint16_t, uint32_t>>;
        const uint32_t place = PlaceOfMost<type == ReduceType::MAX>(values);
        made.Set(0, values[place]);
        made.Set(1, static_cast<Index>(place));
    }
    dstReg.origin = mask.origin;
    dstReg.origin.Join(srcReg.origin);
    dstReg.content = made;
}

// Each block of 32 bytes to one element; the results stand one behind the other.
template <ReduceType type = ReduceType::SUM, typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
void ReduceDataBlock(U &dstReg, U srcReg, MaskReg mask, Site site = Site::Here())
{
    static_assert(mode == MaskMergeMode::ZEROING, "ReduceDataBlock does not merge");
    using E = ElementOf<T, U>;
    constexpr uint32_t perBlock = ops::BLOCK / sizeof(E);
    RegisterCall call("ReduceDataBlock", site);
    call.Need(mask, sizeof(E));
    Register made = Register::Zero();
    for (uint32_t block = 0; block < VECTOR / ops::BLOCK; ++block) {
        const auto values = Parts<E, E, perBlock>(call, srcReg, mask, block * perBlock, Absent<type, E>());
        if constexpr (type == ReduceType::SUM) {
            made.Set(block, ops::TreeSum(values, values.size()));
        } else {
            made.Set(block, values[PlaceOfMost<type == ReduceType::MAX>(values)]);
        }
    }
    dstReg.origin = mask.origin;
    dstReg.origin.Join(srcReg.origin);
    dstReg.content = made;
}

template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
void ReduceMax(U &dstReg, U srcReg, MaskReg mask, Site site = Site::Here())
{
    Reduce<ReduceType::MAX, T, T, mode>(dstReg, srcReg, mask, site);
}

template <typename T = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename U>
void ReduceMin(U &dstReg, U srcReg, MaskReg mask, Site site = Site::Here())
{
    Reduce<ReduceType::MIN, T, T, mode>(dstReg, srcReg, mask, site);
}

template <typename T = DefaultType, typename U = DefaultType, MaskMergeMode mode = MaskMergeMode::ZEROING, typename S, typename V>
void ReduceSum(S &dstReg, V srcReg, MaskReg mask, Site site = Site::Here())
{
    Reduce<ReduceType::SUM, T, U, mode>(dstReg, srcReg, mask, site);
}

} // namespace Reg
} // namespace AscendC

#endif // EMULATED_REG_COMPUTE_H

// Cast of vector registers.
#ifndef EMULATED_REG_CAST_H
#define EMULATED_REG_CAST_H

#include "emulated/reg/types.h"

namespace AscendC {
namespace Reg {

template <typename T, typename... Others>
constexpr bool IS_ONE_OF = (std::is_same<T, Others>::value || ...);

// The casts that the unit has, and that are modelled.
template <typename To, typename From>
constexpr bool HasCast()
{
    if (std::is_same<From, int8_t>::value) {
        return IS_ONE_OF<To, half, int16_t, int32_t>;
    }
    if (std::is_same<From, uint8_t>::value) {
        return IS_ONE_OF<To, half, uint16_t, uint32_t>;
    }
    if (std::is_same<From, hifloat8_t>::value) {
        return IS_ONE_OF<To, half, float>;
    }
    if (std::is_same<From, fp8_e4m3fn_t>::value) {
        return IS_ONE_OF<To, float>;
    }
    if (std::is_same<From, half>::value) {
        return IS_ONE_OF<To, int8_t, uint8_t, hifloat8_t, int16_t, bfloat16_t, int32_t, float>;
    }
    if (std::is_same<From, bfloat16_t>::value) {
        return IS_ONE_OF<To, half, int32_t, float>;
    }
    if (std::is_same<From, int16_t>::value) {
        return IS_ONE_OF<To, uint8_t, half, int32_t, uint32_t, float>;
    }
    if (std::is_same<From, uint16_t>::value) {
        return IS_ONE_OF<To, uint8_t, uint32_t>;
    }
    if (std::is_same<From, int32_t>::value) {
        return IS_ONE_OF<To, uint8_t, int16_t, uint16_t, float>;
    }
    if (std::is_same<From, uint32_t>::value) {
        return IS_ONE_OF<To, uint8_t, int16_t, uint16_t>;
    }
    return std::is_same<From, float>::value && IS_ONE_OF<To, hifloat8_t, fp8_e4m3fn_t, int16_t, half, bfloat16_t, int32_t>;
}

// Whether a cast may lose something, so that it wants a rounding mode.
template <typename To, typename From>
constexpr bool Rounds()
{
    if (std::is_integral<To>::value) {
        return !std::is_integral<From>::value;
    }
    if (std::is_integral<From>::value) {
        return (std::is_same<From, int16_t>::value && std::is_same<To, half>::value) || sizeof(From) == 4;
    }
    return sizeof(To) < sizeof(From) || (sizeof(To) == 2 && sizeof(From) == 2);
}

template <typename To, typename From>
constexpr bool AllowsRound(RoundMode mode)
{
    if (std::is_same<To, hifloat8_t>::value) {
        return mode == RoundMode::CAST_ROUND;
    }
    if (std::is_same<To, fp8_e4m3fn_t>::value) {
        return mode == RoundMode::CAST_RINT;
    }
    if (mode == RoundMode::CAST_ODD) {
        return std::is_same<From, float>::value && std::is_same<To, half>::value;
    }
    return mode >= RoundMode::CAST_RINT && mode <= RoundMode::CAST_TRUNC;
}

// Whether a cast may leave the range of its type, so that it wants a mode of saturation.
template <typename To, typename From>
constexpr bool MaySaturate()
{
    constexpr bool toFloat = std::is_same<To, float>::value || std::is_same<To, bfloat16_t>::value;
    constexpr bool narrows = sizeof(To) < sizeof(From);
    if (std::is_same<To, bfloat16_t>::value && std::is_same<From, float>::value) {
        return true;
    }
    if (std::is_same<To, int32_t>::value && std::is_same<From, half>::value) {
        return false;
    }
    const bool fromFloatToInteger = std::is_integral<To>::value && !std::is_integral<From>::value;
    const bool fromBfloatToHalf = std::is_same<To, half>::value && std::is_same<From, bfloat16_t>::value;
    return !toFloat && (narrows || fromFloatToInteger || fromBfloatToHalf);
}

// Elements of the narrower type stand in a lane of the wider one at the place that the layout says; the rest of the lane
// is zero. The mask is that of the source.
template <typename T = DefaultType, typename U = DefaultType, const CastTrait &trait = castTrait, typename S, typename V>
void Cast(S &dstReg, V &srcReg, MaskReg &mask, Site site = Site::Here())
{
    using To = ElementOf<T, S>;
    using From = ElementOf<U, V>;
    static_assert(HasCast<To, From>(), "there is no such cast, or it is not modelled");
    static_assert(trait.mrgMode == MaskMergeMode::ZEROING, "Cast wants MaskMergeMode::ZEROING");
    static_assert(!Rounds<To, From>() || AllowsRound<To, From>(trait.roundMode), "the cast has no such rounding mode");
    static_assert(!MaySaturate<To, From>() || trait.satMode != SatMode::UNKNOWN, "the cast wants SatMode::SAT or NO_SAT");
    constexpr uint32_t wide = sizeof(To) > sizeof(From) ? sizeof(To) : sizeof(From);
    constexpr auto place = static_cast<int32_t>(trait.layoutMode);
    constexpr uint32_t fromStep = wide / sizeof(From);
    constexpr uint32_t toStep = wide / sizeof(To);
    constexpr bool sameWidth = fromStep == 1 && toStep == 1;
    static_assert(sameWidth || (place >= 0 && place < static_cast<int32_t>(fromStep * toStep)), "the cast has no such layout");
    constexpr uint32_t fromFirst = fromStep > 1 ? place : 0;
    constexpr uint32_t toFirst = toStep > 1 ? place : 0;
    constexpr auto round = Rounds<To, From>() ? static_cast<emulator::Round>(trait.roundMode) : emulator::Round::NONE;
    constexpr bool saturates = trait.satMode == SatMode::SAT && MaySaturate<To, From>();
    constexpr bool always = std::is_integral<To>::value && !MaySaturate<To, From>(); // as int16 to uint32
    constexpr emulator::Overflow overflow = saturates || always ? emulator::Overflow::SATURATE : emulator::Overflow::INF_NAN;

    RegisterCall call("Cast", site);
    call.Need(mask, sizeof(From), fromFirst, fromStep);
    Register made = Register::Zero();
    for (uint32_t lane = 0; lane < VECTOR / wide; ++lane) {
        const uint32_t from = lane * fromStep + fromFirst;
        if (mask.content.template On<From>(from)) {
            call.template Need<From>(srcReg, from);
            const From value = srcReg.content.template Get<From>(from);
            const To result = emulator::ops::CastOne<To>(value, round, overflow);
            call.Watch(result, IsStrange(value));
            made.Set(lane * toStep + toFirst, result);
        }
    }
    emulator::Origin origin = mask.origin;
    origin.Join(srcReg.origin);
    dstReg.content = made;
    dstReg.origin = origin;
}

} // namespace Reg
} // namespace AscendC

#endif // EMULATED_REG_CAST_H

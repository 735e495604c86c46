// Number formats of the chips, bit for bit.
//
// Where the public documents are silent, this is what is done:
// - a NaN becomes the quiet NaN of the target format, with the sign kept;
// - without saturation, a finite value past the range becomes what IEEE 754 gives for the rounding mode:
//   the infinity, or the largest finite number where the mode rounds towards zero;
// - subnormal numbers are kept.
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace emulator {

// In the order of AscendC::RoundMode. ROUND is to nearest with ties away from zero; ODD is towards zero, and
// then to the odd neighbour if anything was lost; NONE is RINT where something is lost.
enum class Round : uint8_t {
    NONE,
    RINT,
    FLOOR,
    CEIL,
    ROUND,
    TRUNC,
    ODD
};

// Bit 48 of the control register: what half, bfloat16 and 8-bit floating results do past their range.
// SATURATE turns infinities into the largest finite number and NaN into 0.
enum class Overflow : uint8_t {
    INF_NAN,
    SATURATE
};

template <class To, class From>
To BitCast(const From &from)
{
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof(to));
    return to;
}

constexpr float PowerOfTwo(int exponent)
{
    float power = 1;
    for (; exponent < 0; ++exponent) {
        power /= 2;
    }
    return power;
}

// A binary floating format. HAS_INF is false where the all-ones code is NaN and every other one a number.
template <class BitsType, int exponentBits, int mantissaBits, bool hasInf>
struct Format {
    using Bits = BitsType;
    static constexpr int MANTISSA = mantissaBits;
    static constexpr int BIAS = (1 << (exponentBits - 1)) - 1;
    static constexpr int LEAST_EXPONENT = 1 - BIAS;
    static constexpr bool HAS_INF = hasInf;
    static constexpr Bits SIGN = Bits(Bits(1) << (exponentBits + mantissaBits));
    static constexpr Bits ALL_ONES = Bits(SIGN - 1);
    static constexpr Bits TOP = Bits(ALL_ONES & ~((Bits(1) << mantissaBits) - 1)); // exponent all ones
    static constexpr Bits GREATEST = hasInf ? Bits(TOP - 1) : Bits(ALL_ONES - 1);
    static constexpr float LEAST = PowerOfTwo(LEAST_EXPONENT - mantissaBits); // above zero
    static constexpr Bits QUIET_NAN = hasInf ? Bits(TOP | (Bits(1) << (mantissaBits - 1))) : ALL_ONES;
};

using HalfFormat = Format<uint16_t, 5, 10, true>;
using BFloat16Format = Format<uint16_t, 8, 7, true>;
using FloatFormat = Format<uint32_t, 8, 23, true>;
using Float8E4M3Format = Format<uint8_t, 4, 3, false>;

// significand · 2^exponent, or one of the special values.
struct Exact {
    enum class Kind : uint8_t {
        FINITE,
        INF,
        NOT_A_NUMBER
    };
    Kind kind;
    bool negative;
    uint64_t significand;
    int exponent;
};

inline Exact Decompose(double value)
{
    const auto bits = BitCast<uint64_t>(value);
    const uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
    const int exponent = static_cast<int>(bits >> 52 & 0x7ff);
    const bool negative = bits >> 63;
    if (exponent == 0x7ff) {
        return {mantissa != 0 ? Exact::Kind::NOT_A_NUMBER : Exact::Kind::INF, negative, 0, 0};
    }
    if (exponent == 0) {
        return {Exact::Kind::FINITE, negative, mantissa, -1074};
    }
    return {Exact::Kind::FINITE, negative, mantissa | uint64_t(1) << 52, exponent - 1075};
}

template <class Integer>
std::enable_if_t<std::is_integral_v<Integer>, Exact> Decompose(Integer value)
{
    const bool negative = value < 0;
    const auto magnitude = static_cast<uint64_t>(value);
    return {Exact::Kind::FINITE, negative, negative ? 0 - magnitude : magnitude, 0};
}

// Whether a magnitude whose last `shift` bits are dropped takes the next larger kept value.
inline bool RoundsUp(uint64_t significand, int shift, bool negative, Round mode)
{
    const bool tooSmall = shift > 64; // all of it is below half a step
    const uint64_t rest = shift >= 64 ? significand : significand & ((uint64_t(1) << shift) - 1);
    if (rest == 0) {
        return false;
    }
    const bool odd = shift < 64 && (significand >> shift & 1) != 0;
    const uint64_t half = tooSmall ? 0 : uint64_t(1) << (shift - 1);
    switch (mode) {
        case Round::FLOOR:
            return negative;
        case Round::CEIL:
            return !negative;
        case Round::ROUND:
            return !tooSmall && rest >= half;
        case Round::TRUNC:
            return false;
        case Round::ODD:
            return !odd;
        default:
            return !tooSmall && (rest > half || (rest == half && odd));
    }
}

template <class F>
typename F::Bits Past(bool negative, Round mode, Overflow overflow)
{
    const bool towardsZero = mode == Round::TRUNC || mode == Round::ODD ||
        mode == (negative ? Round::CEIL : Round::FLOOR);
    if (overflow == Overflow::SATURATE || towardsZero) {
        return F::GREATEST;
    }
    return F::HAS_INF ? F::TOP : F::QUIET_NAN;
}

// The code of a value in a format.
template <class F>
typename F::Bits Encode(const Exact &value, Round mode, Overflow overflow)
{
    using Bits = typename F::Bits;
    const Bits sign = value.negative ? F::SIGN : Bits(0);
    if (value.kind == Exact::Kind::NOT_A_NUMBER) {
        return overflow == Overflow::SATURATE ? Bits(0) : Bits(sign | F::QUIET_NAN);
    }
    if (value.kind == Exact::Kind::INF) {
        if (overflow == Overflow::SATURATE) {
            return Bits(sign | F::GREATEST);
        }
        return Bits(sign | (F::HAS_INF ? F::TOP : F::QUIET_NAN));
    }
    if (value.significand == 0) {
        return sign;
    }
    const int leading = 63 - __builtin_clzll(value.significand) + value.exponent;
    const int exponent = leading < F::LEAST_EXPONENT ? F::LEAST_EXPONENT : leading;
    const int shift = exponent - F::MANTISSA - value.exponent; // bits that do not fit
    uint64_t kept = shift <= 0 ? value.significand << -shift : shift < 64 ? value.significand >> shift
                                                                          : 0;
    if (shift > 0 && RoundsUp(value.significand, shift, value.negative, mode)) {
        ++kept;
    }
    // A carry out of the mantissa steps the exponent, as it should.
    const uint64_t code = (static_cast<uint64_t>(exponent - F::LEAST_EXPONENT) << F::MANTISSA) + kept;
    if (code > F::GREATEST) {
        return Bits(sign | Past<F>(value.negative, mode, overflow));
    }
    return Bits(sign | static_cast<Bits>(code));
}

template <class F>
float Decode(typename F::Bits bits)
{
    const bool negative = (bits & F::SIGN) != 0;
    const auto magnitude = static_cast<typename F::Bits>(bits & F::ALL_ONES);
    const uint32_t sign = negative ? FloatFormat::SIGN : 0;
    if (magnitude > F::GREATEST) {
        const bool inf = F::HAS_INF && magnitude == F::TOP;
        return BitCast<float>(sign | (inf ? FloatFormat::TOP : FloatFormat::QUIET_NAN));
    }
    const uint32_t exponent = magnitude >> F::MANTISSA;
    if (exponent == 0) {
        const float value = static_cast<float>(magnitude) * F::LEAST;
        return negative ? -value : value;
    }
    const int rebias = FloatFormat::BIAS - F::BIAS;
    const uint32_t wide = static_cast<uint32_t>(magnitude) << (FloatFormat::MANTISSA - F::MANTISSA);
    return BitCast<float>(sign | (wide + (static_cast<uint32_t>(rebias) << FloatFormat::MANTISSA)));
}

// A number of a format that C++ has no type for. It widens to float, which loses nothing.
template <class F>
struct Small {
    using Format = F;
    typename F::Bits bits;

    Small() = default;
    Small(float value)
        : bits(Encode<F>(Decompose(double(value)), Round::RINT, Overflow::INF_NAN))
    {
    }
    operator float() const
    {
        return Decode<F>(bits);
    }
    float ToFloat() const // which a toolkit's headers call
    {
        return *this;
    }

    static Small FromBits(typename F::Bits code)
    {
        Small number;
        number.bits = code;
        return number;
    }
};

using Half = Small<HalfFormat>;
using BFloat16 = Small<BFloat16Format>;
using Float8E4M3 = Small<Float8E4M3Format>;

template <class T>
struct IsSmall : std::false_type {};
template <class F>
struct IsSmall<Small<F>> : std::true_type {};

template <class T>
constexpr bool IS_FLOATING = std::is_same_v<T, float> || IsSmall<T>::value;

// A value with the range and the precision to spare, as a number of the format.
template <class T>
T Narrow(const Exact &value, Round mode, Overflow overflow)
{
    if constexpr (std::is_same_v<T, float>) {
        return BitCast<float>(Encode<FloatFormat>(value, mode, Overflow::INF_NAN));
    } else {
        return T::FromBits(Encode<typename T::Format>(value, mode, overflow));
    }
}

template <class T>
T Narrow(double value, Overflow overflow)
{
    if constexpr (std::is_same_v<T, float>) {
        return static_cast<float>(value);
    } else {
        return Narrow<T>(Decompose(value), Round::RINT, overflow);
    }
}

} // namespace emulator

// HiFloat8: eight bits whose precision falls with the distance of the exponent from 0.
//
// Behind the sign stands a prefix code, which tells how many bits the exponent has; the mantissa has what is left. The
// exponent is its sign and its magnitude without the leading 1.
//
//     11 eeee m, 10 eee mm, 01 ee mmm   magnitudes 8 to 15, 4 to 7, 2 and 3
//     001 e mmm, 0001 mmm               magnitudes 1 and 0
//     0000 mmm                          2^(mmm - 23); mmm = 0 is zero, with the sign NaN
//
// The largest exponent with the mantissa 1 is infinity. There is no negative zero.
#pragma once

#include <cmath>
#include <limits>

#include "numbers.h"

namespace emulator {

struct HiFloat8 {
    uint8_t bits;

    static constexpr uint8_t SIGN = 0x80;
    static constexpr uint8_t NOT_A_NUMBER = 0x80;
    static constexpr uint8_t INF = 0x6F;
    static constexpr uint8_t GREATEST = 0x6E;
    static constexpr int LEAST_NORMAL = -15; // exponents
    static constexpr int LEAST = -22;
    static constexpr int MOST = 15;

    HiFloat8() = default;
    HiFloat8(float value)
        : bits(Encode(Decompose(double(value)), Overflow::INF_NAN))
    {
    }

    operator float() const
    {
        return Decode(bits);
    }
    float ToFloat() const // which a toolkit's headers call
    {
        return *this;
    }

    static HiFloat8 FromBits(uint8_t code)
    {
        HiFloat8 number;
        number.bits = code;
        return number;
    }

    // To the nearest number, ties away from zero: the one rounding mode besides the hybrid one, which is not here.
    static uint8_t Encode(const Exact &value, Overflow overflow)
    {
        const bool saturates = overflow == Overflow::SATURATE;
        if (value.kind == Exact::Kind::NOT_A_NUMBER) {
            return saturates ? 0 : NOT_A_NUMBER;
        }
        const auto sign = static_cast<uint8_t>(value.negative ? SIGN : 0);
        const uint8_t infinite = saturates ? GREATEST : INF;
        if (value.kind == Exact::Kind::INF) {
            return sign | infinite;
        }
        const uint8_t code = value.significand == 0 ? 0 : Magnitude(value);
        if (code == 0) {
            return 0;
        }
        return sign | (code == INF ? infinite : code);
    }

    static float Decode(uint8_t code)
    {
        if (code == NOT_A_NUMBER) {
            return std::numeric_limits<float>::quiet_NaN();
        }
        const float sign = (code & SIGN) != 0 ? -1.0F : 1.0F;
        const uint8_t magnitude = code & (SIGN - 1);
        if (magnitude == INF) {
            return sign * std::numeric_limits<float>::infinity();
        }
        if (magnitude < 8) {
            return magnitude == 0 ? 0.0F : sign * std::ldexp(1.0F, magnitude + LEAST - 1);
        }
        const int width = magnitude >= 32 ? (magnitude >> 5) + 1 : magnitude >= 16 ? 1 : 0; // of the exponent
        const int mantissaBits = (width >= 2 ? 5 : width == 1 ? 4 : 3) - width;
        const int field = (magnitude >> mantissaBits) & ((1 << width) - 1);
        const int leading = width == 0 ? 0 : 1 << (width - 1);
        const int size = leading | (field & (leading - 1));
        const int exponent = width != 0 && (field & leading) != 0 ? -size : size;
        const int mantissa = magnitude & ((1 << mantissaBits) - 1);
        return sign * std::ldexp(static_cast<float>((1 << mantissaBits) + mantissa), exponent - mantissaBits);
    }

private:
    static int MantissaBits(int exponent)
    {
        const int size = exponent < 0 ? -exponent : exponent;
        return size >= 8 ? 1 : size >= 4 ? 2 : 3;
    }

    // The code of a finite number other than zero, without its sign; INF where it is past the range.
    static uint8_t Magnitude(const Exact &value)
    {
        const int leading = 63 - __builtin_clzll(value.significand);
        int exponent = leading + value.exponent;
        const uint64_t aligned = value.significand << (63 - leading); // 1.xxx with the point behind the highest bit
        if (exponent < LEAST) {
            return exponent == LEAST - 1 ? 1 : 0;
        }
        if (exponent < LEAST_NORMAL) {
            exponent += (aligned >> 62 & 1) != 0 ? 1 : 0; // at least half of the way to the next power of two
            return exponent < LEAST_NORMAL ? static_cast<uint8_t>(exponent - LEAST + 1) : Pack(LEAST_NORMAL, 0);
        }
        if (exponent > MOST) {
            return INF;
        }
        const int width = MantissaBits(exponent);
        uint64_t mantissa = aligned << 1 >> (64 - width);
        mantissa += aligned << 1 << width >> 63; // the first bit that is dropped
        if (mantissa >> width != 0) {
            ++exponent;
            mantissa = 0;
        }
        return exponent > MOST ? INF : Pack(exponent, static_cast<int>(mantissa));
    }

    static uint8_t Pack(int exponent, int mantissa)
    {
        const int size = exponent < 0 ? -exponent : exponent;
        if (size == 0) {
            return static_cast<uint8_t>(0x08 | mantissa);
        }
        const int width = 32 - __builtin_clz(static_cast<unsigned>(size)); // of the exponent
        const int leading = 1 << (width - 1);
        const int field = (size & (leading - 1)) | (exponent < 0 ? leading : 0);
        const int prefix = width == 1 ? 0x10 : (width - 1) << 5;
        return static_cast<uint8_t>(prefix | field << MantissaBits(exponent) | mantissa);
    }
};

template <>
struct IsSmall<HiFloat8> : std::true_type {};

template <>
inline HiFloat8 Narrow<HiFloat8>(const Exact &value, Round, Overflow overflow)
{
    return HiFloat8::FromBits(HiFloat8::Encode(value, overflow));
}

} // namespace emulator

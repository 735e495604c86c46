// What Cast does to one element.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "numbers.h"

namespace emulator {

// To an integral value; infinities, NaN and the sign of a zero stay.
inline double RoundToIntegral(double value, Round mode)
{
    const double below = std::floor(value);
    const double rest = value - below; // exact
    if (!(rest > 0)) {
        return value;
    }
    const bool negative = value < 0;
    bool up = false;
    switch (mode) {
        case Round::FLOOR:
            break;
        case Round::CEIL:
            up = true;
            break;
        case Round::ROUND:
            up = negative ? rest > 0.5 : rest >= 0.5;
            break;
        case Round::TRUNC:
            up = negative;
            break;
        case Round::ODD:
            up = std::fmod(below, 2) == 0;
            break;
        default:
            up = rest > 0.5 || (rest == 0.5 && std::fmod(below, 2) != 0);
            break;
    }
    return std::copysign(up ? below + 1 : below, value);
}

template <class Integer>
Integer ToInteger(double value, Round mode)
{
    using Limits = std::numeric_limits<Integer>;
    if (std::isnan(value)) {
        return 0;
    }
    const double rounded = RoundToIntegral(value, mode);
    if (rounded >= std::ldexp(1.0, Limits::digits)) {
        return Limits::max();
    }
    return rounded < double(Limits::min()) ? Limits::min() : static_cast<Integer>(rounded);
}

// What Cast does to one element. From float to float it rounds to an integral value.
template <class To, class From>
To Convert(From value, Round mode, Overflow overflow)
{
    if constexpr (std::is_integral_v<To> && std::is_integral_v<From>) {
        using Limits = std::numeric_limits<To>;
        const auto wide = static_cast<int64_t>(value);
        const auto least = static_cast<int64_t>(Limits::min());
        const auto greatest = static_cast<int64_t>(Limits::max());
        return static_cast<To>(wide < least ? least : wide > greatest ? greatest
                                                                      : wide);
    } else if constexpr (std::is_integral_v<To>) {
        return ToInteger<To>(double(float(value)), mode);
    } else if constexpr (std::is_integral_v<From>) {
        return Narrow<To>(Decompose(value), mode, overflow);
    } else if constexpr (std::is_same_v<To, float> && std::is_same_v<From, float>) {
        return Narrow<float>(Decompose(RoundToIntegral(double(value), mode)), mode, overflow);
    } else if constexpr (std::is_same_v<To, float>) {
        return float(value); // exact
    } else {
        return Narrow<To>(Decompose(double(float(value))), mode, overflow);
    }
}

} // namespace emulator

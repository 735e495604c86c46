// Arithmetic of vector functions where it differs from that of instructions on memory.
//
// The unit takes subnormal operands of Exp, Ln, Sqrt and Div for zeros, and gives zeros for subnormal results. Beyond that
// they are rounded right here; the documents promise one unit in the last place.
#pragma once

#include <algorithm>
#include <array>
#include <limits>

#include "arithmetic.h"
#include "convert.h"
#include "hifloat8.h"

namespace emulator::ops {

// A subnormal number is zero, with its sign.
template <class T>
T Flushed(T value)
{
    float least = std::numeric_limits<float>::min();
    if constexpr (!std::is_same_v<T, float>) {
        least = PowerOfTwo(T::Format::LEAST_EXPONENT);
    }
    const float size = std::fabs(static_cast<float>(value));
    return size != 0 && size < least ? T(std::copysign(0.0F, static_cast<float>(value))) : value;
}

template <class Op>
struct Flushing {
    template <class T>
    static T Of(T a, Overflow overflow)
    {
        return Flushed(Op::Of(Flushed(a), overflow));
    }

    template <class T>
    static T Of(T a, T b, Overflow overflow)
    {
        return Flushed(Op::Of(Flushed(a), Flushed(b), overflow));
    }
};

// Past the range of integers, a cast without saturation keeps the lower bits; infinities are the ends of the range.
template <class To, class From>
To CastOne(From value, Round round, Overflow overflow)
{
    constexpr bool whole = std::is_integral_v<To>;
    if constexpr (whole && std::is_integral_v<From>) {
        return overflow == Overflow::SATURATE ? Convert<To>(value, round, overflow) : static_cast<To>(value);
    } else if constexpr (whole) {
        const auto number = static_cast<float>(value);
        if (overflow == Overflow::SATURATE || !std::isfinite(number)) {
            return ToInteger<To>(double(number), round);
        }
        const double rounded = RoundToIntegral(double(number), round);
        return static_cast<To>(static_cast<uint64_t>(static_cast<int64_t>(std::fmod(rounded, 0x1p63))));
    } else {
        return Convert<To>(value, round, overflow);
    }
}

// Signed numbers keep their sign bit while they are moved to the left, but not past their width.
template <class T>
T ShiftedLeft(T value, uint32_t distance)
{
    constexpr uint32_t width = 8 * sizeof(T);
    constexpr uint64_t sign = std::is_signed_v<T> ? uint64_t(1) << (width - 1) : 0;
    if (distance > width) {
        return 0;
    }
    const auto wide = static_cast<uint64_t>(value);
    return static_cast<T>((wide << distance & ~sign) | (wide & sign));
}

template <class T>
T ShiftedRight(T value, uint32_t distance)
{
    return static_cast<T>(static_cast<int64_t>(value) >> std::min<uint32_t>(distance, 63));
}

// The sum of neighbours, then of neighbouring sums, and so on.
template <class T, size_t N>
T TreeSum(std::array<T, N> values, size_t count)
{
    for (; count > 1; count /= 2) {
        for (size_t i = 0; i < count / 2; ++i) {
            values[i] = Add::Of(values[2 * i], values[2 * i + 1], Overflow::INF_NAN);
        }
    }
    return values[0];
}

// What a reduction to the greatest takes for elements that take no part.
template <class T>
T Lowest()
{
    if constexpr (IS_FLOATING<T>) {
        return T(-std::numeric_limits<float>::infinity());
    } else {
        return std::numeric_limits<T>::min();
    }
}

template <class T>
T Highest()
{
    if constexpr (IS_FLOATING<T>) {
        return T(std::numeric_limits<float>::infinity());
    } else {
        return std::numeric_limits<T>::max();
    }
}

} // namespace emulator::ops

// Element by element: the unary, binary and scalar vector instructions, and Cast.
//
// Halves and bfloat16s are computed with one rounding to nearest. The documents give no bit-exact rule for
// Exp, Ln, Sqrt, Rsqrt, Reciprocal and Div; here they are rounded right, which the chip's Reciprocal and Rsqrt
// are not. Products that are added (Axpy, MulAddDst, FusedMulAdd) are rounded once, after the sum. Integers wrap.
#pragma once

#include <cmath>
#include <cstdint>

#include "lanes.h"
#include "numbers.h"

namespace emulator::ops {

// a·b + c before it is rounded: to a double whose last bit tells that something was lost, so that rounding it
// again gives what rounding once would.
inline double ProductSum(double a, double b, double c)
{
    const double product = a * b; // exact: at most 24 + 24 bits
    const double sum = product + c;
    if (!std::isfinite(sum)) {
        return sum;
    }
    const double back = sum - product;
    const double lost = (product - (sum - back)) + (c - back);
    const auto bits = BitCast<uint64_t>(sum);
    if (lost == 0 || (bits & 1) != 0) {
        return sum;
    }
    return BitCast<double>((lost > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

template <class T>
T WrapTo(uint64_t value)
{
    return static_cast<T>(value);
}

// A sum, difference or product of doubles or, of integers, modulo 2^64.
template <class T, class Function>
T Apply(T a, T b, Overflow overflow, Function function)
{
    if constexpr (IS_FLOATING<T>) {
        return Narrow<T>(function(double(float(a)), double(float(b))), overflow);
    } else {
        return WrapTo<T>(function(static_cast<uint64_t>(a), static_cast<uint64_t>(b)));
    }
}

// Of equal zeros, the larger is the positive one; a NaN wins.
template <class T>
bool Greater(T a, T b)
{
    if constexpr (IS_FLOATING<T>) {
        const float x = a;
        const float y = b;
        return std::isnan(x) || x > y || (x == y && !std::signbit(x));
    } else {
        return a > b;
    }
}

template <class T>
bool Less(T a, T b)
{
    if constexpr (IS_FLOATING<T>) {
        const float x = a;
        const float y = b;
        return std::isnan(x) || x < y || (x == y && std::signbit(x));
    } else {
        return a < b;
    }
}

template <class T>
bool IsNan(T value)
{
    if constexpr (IS_FLOATING<T>) {
        return std::isnan(float(value));
    } else {
        return false;
    }
}

struct Operation {
    static constexpr bool READS_DST = false;
};

struct Add : Operation {
    template <class T>
    static T Of(T a, T b, Overflow overflow)
    {
        return Apply(a, b, overflow, [](auto x, auto y) { return x + y; });
    }
};

struct Sub : Operation {
    template <class T>
    static T Of(T a, T b, Overflow overflow)
    {
        return Apply(a, b, overflow, [](auto x, auto y) { return x - y; });
    }
};

struct Mul : Operation {
    template <class T>
    static T Of(T a, T b, Overflow overflow)
    {
        return Apply(a, b, overflow, [](auto x, auto y) { return x * y; });
    }
};

struct Div : Operation {
    template <class T>
    static T Of(T a, T b, Overflow overflow)
    {
        return Narrow<T>(double(float(a)) / double(float(b)), overflow);
    }
};

struct Max : Operation {
    template <class T>
    static T Of(T a, T b, Overflow)
    {
        return Greater(a, b) ? a : b;
    }
};

struct Min : Operation {
    template <class T>
    static T Of(T a, T b, Overflow)
    {
        return Less(a, b) ? a : b;
    }
};

struct And : Operation {
    template <class T>
    static T Of(T a, T b, Overflow)
    {
        return static_cast<T>(a & b);
    }
};

struct Or : Operation {
    template <class T>
    static T Of(T a, T b, Overflow)
    {
        return static_cast<T>(a | b);
    }
};

// max(value, 0)
template <class T>
T Rectified(T value)
{
    return IsNan(value) || value > T(0) ? value : T(0);
}

struct AddRelu : Operation {
    template <class T>
    static T Of(T a, T b, Overflow overflow)
    {
        return Rectified(Add::Of(a, b, overflow));
    }
};

struct SubRelu : Operation {
    template <class T>
    static T Of(T a, T b, Overflow overflow)
    {
        return Rectified(Sub::Of(a, b, overflow));
    }
};

// These three get the old destination as well.
struct FusedOperation {
    static constexpr bool READS_DST = true;
};

// a · dst + b
struct FusedMulAdd : FusedOperation {
    template <class To, class From>
    static To Of(To dst, From a, From b, Overflow overflow)
    {
        return Narrow<To>(ProductSum(float(a), float(dst), float(b)), overflow);
    }
};

struct FusedMulAddRelu : FusedOperation {
    template <class To, class From>
    static To Of(To dst, From a, From b, Overflow overflow)
    {
        return Rectified(FusedMulAdd::Of(dst, a, b, overflow));
    }
};

// a · b + dst; with a scalar b this is Axpy
struct MulAddDst : FusedOperation {
    template <class To, class From>
    static To Of(To dst, From a, From b, Overflow overflow)
    {
        return Narrow<To>(ProductSum(float(a), float(b), float(dst)), overflow);
    }
};

struct Abs {
    template <class T>
    static T Of(T a, Overflow)
    {
        if constexpr (IS_FLOATING<T>) {
            return T(std::fabs(float(a)));
        } else {
            return a < 0 ? WrapTo<T>(0 - static_cast<uint64_t>(a)) : a;
        }
    }
};

struct Relu {
    template <class T>
    static T Of(T a, Overflow)
    {
        return Rectified(a);
    }
};

template <double (*function)(double)>
struct Computed {
    template <class T>
    static T Of(T a, Overflow overflow)
    {
        return Narrow<T>(function(double(float(a))), overflow);
    }
};

inline double Inverse(double x)
{
    return 1 / x;
}
inline double InverseRoot(double x)
{
    return 1 / std::sqrt(x);
}

using Exp = Computed<std::exp>;
using Ln = Computed<std::log>;
using Sqrt = Computed<std::sqrt>;
using Reciprocal = Computed<Inverse>;
using Rsqrt = Computed<InverseRoot>;

struct Not {
    template <class T>
    static T Of(T a, Overflow)
    {
        return static_cast<T>(~a);
    }
};

} // namespace emulator::ops

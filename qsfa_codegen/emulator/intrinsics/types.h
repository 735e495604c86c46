// The types in the signatures of intrinsics: those of a toolkit's stub headers, or the same names without a toolkit.
#ifndef EMULATOR_INTRINSICS_TYPES_H
#define EMULATOR_INTRINSICS_TYPES_H

#include <cstring>
#include <type_traits>

#include "ops/numbers.h"

#if defined(EMULATOR_TOOLKIT) || __has_include("stub_fun.h")
#include "stub_def.h"

#include "stub_fun.h"
#else
#include "emulated/keywords.h"

enum pad_t {
    PAD_NONE = 0
};

enum Order_t {
    VALUE_INDEX = 0,
    INDEX_VALUE = 1,
    ONLY_VALUE = 2,
    ONLY_INDEX = 3
};

enum addr_cal_mode_t {
    inc = 0,
    dec = 1
};

enum QuantMode_t {
    NoQuant = 0,
    F322F16 = 1,
    F322BF16 = 16
};
#endif

namespace emulator::intrinsics {

// The type by which the emulator knows numbers of type T.
template <typename T>
using Number = std::conditional_t<std::is_same<T, half>::value, Half,
    std::conditional_t<std::is_same<T, bfloat16_t>::value, BFloat16, T>>;

template <typename T>
Number<T> ToNumber(const T &value)
{
    Number<T> number;
    static_assert(sizeof(number) == sizeof(value));
    std::memcpy(&number, &value, sizeof(number));
    return number;
}

} // namespace emulator::intrinsics

#endif // EMULATOR_INTRINSICS_TYPES_H

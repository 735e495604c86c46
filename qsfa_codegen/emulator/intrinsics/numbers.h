// The functions of a toolkit's half and bfloat16_t, which its stub headers only declare.
#ifndef EMULATOR_INTRINSICS_NUMBERS_H
#define EMULATOR_INTRINSICS_NUMBERS_H

#include "intrinsics/scalar_access.h"
#include "ops/convert.h"

namespace emulator::intrinsics {

template <typename T>
float FloatOf(const T &number)
{
    return static_cast<float>(ToNumber(number));
}

// The code of the nearest number.
template <typename T>
uint16_t CodeOf(double value)
{
    const Number<T> number = Narrow<Number<T>>(value, Overflow::INF_NAN);
    uint16_t code = 0;
    std::memcpy(&code, &number, sizeof(code));
    return code;
}

// Assignments are functions here, of which the compiler does not tell.
template <typename T>
T &Assign(T &to, uint16_t code)
{
    ScalarAccess(&to, sizeof(to), Mode::WRITE);
    to.val = code;
    return to;
}

template <typename T>
T FromDouble(double value)
{
    T number;
    number.val = CodeOf<T>(value);
    return number;
}

} // namespace emulator::intrinsics

// ------------------------------------------------------------------ half

#define EMULATED_TO_CODE(NAME, T, QUALIFIER) \
    uint16_t half::NAME(const T &value) QUALIFIER \
    { \
        return emulator::intrinsics::CodeOf<half>(static_cast<double>(value)); \
    }

EMULATED_TO_CODE(FloatToFp16, float, const)
EMULATED_TO_CODE(DoubleToFp16, double, )
EMULATED_TO_CODE(Int8ToFp16, int8_t, const)
EMULATED_TO_CODE(UInt8ToFp16, uint8_t, const)
EMULATED_TO_CODE(Int16ToFp16, int16_t, const)
EMULATED_TO_CODE(UInt16ToFp16, uint16_t, )
EMULATED_TO_CODE(Int32ToFp16, int32_t, const)
EMULATED_TO_CODE(UInt32ToFp16, uint32_t, const)

#undef EMULATED_TO_CODE

#define EMULATED_ASSIGN(T) \
    half &half::operator=(const T &value) \
    { \
        return emulator::intrinsics::Assign(*this, emulator::intrinsics::CodeOf<half>(static_cast<double>(value))); \
    }

EMULATED_ASSIGN(float)
EMULATED_ASSIGN(double)
EMULATED_ASSIGN(int8_t)
EMULATED_ASSIGN(uint8_t)
EMULATED_ASSIGN(int16_t)
EMULATED_ASSIGN(uint16_t)
EMULATED_ASSIGN(int32_t)
EMULATED_ASSIGN(uint32_t)

#undef EMULATED_ASSIGN

half &half::operator=(const half &other)
{
    return emulator::intrinsics::Assign(*this, other.val);
}

#define EMULATED_ARITHMETIC(SYMBOL) \
    half half::operator SYMBOL(const half other) const \
    { \
        return emulator::intrinsics::FromDouble<half>( \
            static_cast<double>(emulator::intrinsics::FloatOf(*this)) SYMBOL emulator::intrinsics::FloatOf(other)); \
    } \
\
    half half::operator SYMBOL##=(const half other) \
    { \
        return *this = *this SYMBOL other; \
    }

EMULATED_ARITHMETIC(+)
EMULATED_ARITHMETIC(-)
EMULATED_ARITHMETIC(*)
EMULATED_ARITHMETIC(/)

#undef EMULATED_ARITHMETIC

#define EMULATED_RELATION(SYMBOL) \
    bool half::operator SYMBOL(const half &other) const \
    { \
        return emulator::intrinsics::FloatOf(*this) SYMBOL emulator::intrinsics::FloatOf(other); \
    }

EMULATED_RELATION(==)
EMULATED_RELATION(!=)
EMULATED_RELATION(<)
EMULATED_RELATION(<=)
EMULATED_RELATION(>)
EMULATED_RELATION(>=)

#undef EMULATED_RELATION

// To nearest even, as the scalar unit's conversions are.
#define EMULATED_FROM_CODE(T, NAME) \
    half::operator T() const \
    { \
        return NAME(); \
    } \
\
    T half::NAME() const \
    { \
        return emulator::Convert<T>(emulator::intrinsics::ToNumber(*this), emulator::Round::RINT, \
            emulator::Overflow::INF_NAN); \
    }

EMULATED_FROM_CODE(float, ToFloat)
EMULATED_FROM_CODE(int8_t, ToInt8)
EMULATED_FROM_CODE(uint8_t, ToUInt8)
EMULATED_FROM_CODE(int16_t, ToInt16)
EMULATED_FROM_CODE(uint16_t, ToUInt16)
EMULATED_FROM_CODE(int32_t, ToInt32)
EMULATED_FROM_CODE(uint32_t, ToUInt32)

#undef EMULATED_FROM_CODE

half::operator double() const
{
    return ToDouble();
}

double half::ToDouble() const
{
    return emulator::intrinsics::FloatOf(*this);
}

// ------------------------------------------------------------------ bfloat16

uint16_t bfloat16_t::FloatToBf16(const float &value) const
{
    return emulator::intrinsics::CodeOf<bfloat16_t>(value);
}

bfloat16_t &bfloat16_t::operator=(const bfloat16_t &other)
{
    return emulator::intrinsics::Assign(*this, other.val);
}

bfloat16_t &bfloat16_t::operator=(const float &value)
{
    return emulator::intrinsics::Assign(*this, FloatToBf16(value));
}

bfloat16_t bfloat16_t::operator+(const bfloat16_t other) const
{
    return emulator::intrinsics::FromDouble<bfloat16_t>(
        static_cast<double>(emulator::intrinsics::FloatOf(*this)) + emulator::intrinsics::FloatOf(other));
}

bfloat16_t bfloat16_t::operator+=(const bfloat16_t other)
{
    return *this = *this + other;
}

bfloat16_t::operator float() const
{
    return ToFloat();
}

float bfloat16_t::ToFloat() const
{
    return emulator::intrinsics::FloatOf(*this);
}

#endif // EMULATOR_INTRINSICS_NUMBERS_H

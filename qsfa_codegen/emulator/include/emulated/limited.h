// A number as wide as a field of an instruction, that remembers when it was given a greater one.
#ifndef EMULATED_LIMITED_H
#define EMULATED_LIMITED_H

#include <cstdint>
#include <limits>
#include <type_traits>

namespace AscendC {

// Converts from any integer, as the plain type does in the real headers, but is checked when it is used:
// the real ones drop the upper bits without a word.
template <typename T>
class Limited {
public:
    constexpr Limited() = default;

    template <typename U, std::enable_if_t<std::is_integral<U>::value || std::is_enum<U>::value, bool> = true>
    constexpr Limited(U value)
        : value_(static_cast<int64_t>(value))
    {
    }

    constexpr operator T() const
    {
        return static_cast<T>(value_);
    }

    constexpr int64_t Given() const
    {
        return value_;
    }

    // As the parameter of an instruction, whose limits are checked: what is negative or beyond is the greatest number.
    constexpr uint32_t Wide() const
    {
        constexpr int64_t most = std::numeric_limits<uint32_t>::max();
        return static_cast<uint32_t>(value_ < 0 || value_ > most ? most : value_);
    }

private:
    int64_t value_ = 0;
};

using Limited8 = Limited<uint8_t>;
using Limited16 = Limited<uint16_t>;
using Limited32 = Limited<uint32_t>;

} // namespace AscendC

#endif // EMULATED_LIMITED_H

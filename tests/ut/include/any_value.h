// Stands in for any_value.h of the test framework.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace Ops::Transformer {

class AnyValue {
public:
    using Held = std::variant<int64_t, float, bool, std::string, std::vector<int64_t>, std::vector<float>,
        std::vector<bool>, std::vector<std::vector<int64_t>>>;

    template <typename T>
    static AnyValue CreateFrom(const T &value)
    {
        return AnyValue(Held(std::in_place_type<T>, value));
    }

    // For the fakers.
    const Held &Get() const
    {
        return held_;
    }

private:
    explicit AnyValue(Held held)
        : held_(std::move(held))
    {
    }

    Held held_;
};

} // namespace Ops::Transformer

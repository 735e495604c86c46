// What generated code uses of torch, with the same names; tensors have no data and no symbols.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ATen/ArrayRef.h"
#include "c10/core/SymInt.h"

#define TORCH_CHECK(condition, message)                                                                     \
    do {                                                                                                    \
        if (!(condition)) {                                                                                 \
            throw std::runtime_error(message);                                                              \
        }                                                                                                   \
    } while (0)

namespace at {
enum class ScalarType {
    Byte,
    Char,
    Short,
    Int,
    Long,
    Half,
    Float,
    Double,
    Bool,
    BFloat16,
    Float8_e5m2,
    Float8_e4m3fn,
    UInt16,
    UInt32,
    UInt64,
    Undefined,
};

constexpr ScalarType kByte = ScalarType::Byte;
constexpr ScalarType kChar = ScalarType::Char;
constexpr ScalarType kShort = ScalarType::Short;
constexpr ScalarType kInt = ScalarType::Int;
constexpr ScalarType kLong = ScalarType::Long;
constexpr ScalarType kHalf = ScalarType::Half;
constexpr ScalarType kFloat = ScalarType::Float;
constexpr ScalarType kDouble = ScalarType::Double;
constexpr ScalarType kBool = ScalarType::Bool;
constexpr ScalarType kBFloat16 = ScalarType::BFloat16;
constexpr ScalarType kFloat8_e5m2 = ScalarType::Float8_e5m2;
constexpr ScalarType kFloat8_e4m3fn = ScalarType::Float8_e4m3fn;
constexpr ScalarType kUInt16 = ScalarType::UInt16;
constexpr ScalarType kUInt32 = ScalarType::UInt32;
constexpr ScalarType kUInt64 = ScalarType::UInt64;

enum DeviceType { kMeta };

struct TensorOptions {
    ScalarType type = ScalarType::Undefined;

    TensorOptions() = default;
    explicit TensorOptions(ScalarType given) : type(given) {}
    explicit TensorOptions(DeviceType) {}

    TensorOptions dtype(ScalarType other) const
    {
        return TensorOptions(other);
    }
};

struct TensorImpl {
    ScalarType type;
    std::vector<int64_t> sizes;

    bool has_symbolic_sizes_strides() const
    {
        return false;
    }
};

class Tensor {
public:
    Tensor() = default;
    Tensor(ScalarType type, std::vector<int64_t> sizes)
        : impl_(std::make_shared<TensorImpl>(TensorImpl{type, std::move(sizes)}))
    {
    }

    bool defined() const
    {
        return impl_ != nullptr;
    }

    TensorImpl *unsafeGetTensorImpl() const
    {
        return impl_.get();
    }

    ScalarType scalar_type() const
    {
        return impl_->type;
    }

    TensorOptions options() const
    {
        return TensorOptions(impl_->type);
    }

    int64_t dim() const
    {
        return static_cast<int64_t>(impl_->sizes.size());
    }

    int64_t size(int64_t axis) const
    {
        return impl_->sizes.at(static_cast<size_t>(axis < 0 ? axis + dim() : axis));
    }

    IntArrayRef sizes() const
    {
        return impl_->sizes;
    }

    int64_t numel() const
    {
        int64_t count = 1;
        for (int64_t size : impl_->sizes) {
            count *= size;
        }
        return count;
    }

    c10::SymInt sym_size(int64_t axis) const
    {
        return size(axis);
    }

    c10::SymIntArrayRef sym_sizes() const
    {
        return impl_->sizes;
    }

    c10::SymInt sym_numel() const
    {
        return numel();
    }

private:
    std::shared_ptr<TensorImpl> impl_;
};

using TensorList = ArrayRef<Tensor>;

inline Tensor empty_symint(const c10::SymDimVector &sizes, TensorOptions options)
{
    return {options.type, sizes};
}

inline Tensor empty(std::vector<int64_t> sizes, TensorOptions options)
{
    return {options.type, std::move(sizes)};
}
} // namespace at

namespace c10 {
template <typename T> class List {
public:
    List() = default;
    explicit List(std::vector<T> values) : values_(std::move(values)) {}

    std::vector<T> vec() const
    {
        return values_;
    }

    auto begin() const
    {
        return values_.begin();
    }

    auto end() const
    {
        return values_.end();
    }

private:
    std::vector<T> values_;
};

// Its elements are objects of their own, also where they are flags.
template <typename T, unsigned> class SmallVector {
public:
    void push_back(T value)
    {
        values_.push_back({value});
    }

    operator at::ArrayRef<T>() const
    {
        return {values_.empty() ? nullptr : &values_[0].value, values_.size()};
    }

private:
    struct Element {
        T value;
    };

    std::vector<Element> values_;
};

inline const char *toString(at::ScalarType type)
{
    static const char *const NAMES[] = {"Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double", "Bool",
        "BFloat16", "Float8_e5m2", "Float8_e4m3fn", "UInt16", "UInt32", "UInt64", "Undefined"};
    return NAMES[static_cast<int>(type)];
}

inline std::pair<std::string_view, std::string_view> getDtypeNames(at::ScalarType type)
{
    static const char *const NAMES[] = {"uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "bool",
        "bfloat16", "float8_e5m2", "float8_e4m3fn", "uint16", "uint32", "uint64", "undefined"};
    return {NAMES[static_cast<int>(type)], ""};
}

inline size_t elementSize(at::ScalarType type)
{
    static const size_t SIZES[] = {1, 1, 2, 4, 8, 2, 4, 8, 1, 2, 1, 1, 2, 4, 8};
    return SIZES[static_cast<int>(type)];
}
} // namespace c10

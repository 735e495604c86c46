#pragma once
#include <cstddef>
#include <type_traits>
#include <vector>
namespace gert {
template <typename T> class TypedContinuousVector {
public:
    size_t GetSize() const { return data_.size(); }
    const T *GetData() const { return reinterpret_cast<const T *>(data_.data()); }
    std::vector<std::conditional_t<std::is_same_v<T, bool>, char, T>> data_;
};
} // namespace gert

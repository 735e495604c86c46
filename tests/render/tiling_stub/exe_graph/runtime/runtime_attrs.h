#pragma once
#include <cstdint>
#include <vector>
#include "exe_graph/runtime/continuous_vector.h"
namespace gert {
class RuntimeAttrs {
public:
    size_t GetAttrNum() const { return pointers_.size(); }
    template <typename T> const T *GetAttrPointer(size_t i) const
    {
        return i < pointers_.size() ? static_cast<const T *>(pointers_[i]) : nullptr;
    }
    const int64_t *GetInt(size_t i) const { return GetAttrPointer<int64_t>(i); }
    const float *GetFloat(size_t i) const { return GetAttrPointer<float>(i); }
    const bool *GetBool(size_t i) const { return GetAttrPointer<bool>(i); }
    const char *GetStr(size_t i) const { return GetAttrPointer<char>(i); }
    const TypedContinuousVector<int64_t> *GetListInt(size_t i) const
    {
        return GetAttrPointer<TypedContinuousVector<int64_t>>(i);
    }
    std::vector<const void *> pointers_;
};
} // namespace gert

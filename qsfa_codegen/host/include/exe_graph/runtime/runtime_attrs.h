// Stands in for exe_graph/runtime/runtime_attrs.h. This one refuses to read an attribute as another type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "exe_graph/runtime/continuous_vector.h"
#include "standin/fail.h"

namespace gert {

class RuntimeAttrs {
public:
    size_t GetAttrNum() const
    {
        return attrs_.size();
    }

    // The value; nullptr where the caller's graph has none. A string is read as char, void asks whether it is
    // there.
    template <typename T>
    const T *GetAttrPointer(size_t index) const
    {
        if (index >= attrs_.size() || attrs_[index].value == nullptr) {
            return nullptr;
        }
        if (!std::is_void_v<T> && attrs_[index].type != standin::TagOf<T>()) {
            standin::Fail("attribute %zu is read as another type than it is registered with", index);
        }
        return static_cast<const T *>(attrs_[index].value);
    }

    // For the runner: one more attribute, which stays where it is.
    template <typename T>
    void Append(const T *value)
    {
        attrs_.push_back({value, standin::TagOf<T>()});
    }

    void Clear()
    {
        attrs_.clear();
    }

private:
    struct Attr {
        const void *value;
        standin::TypeTag type;
    };

    std::vector<Attr> attrs_;
};

} // namespace gert

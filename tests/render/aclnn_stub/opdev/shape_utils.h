#pragma once

#include "aclnn/acl_meta.h"

namespace op {
inline ge::AscendString ToString(const gert::Shape &shape)
{
    std::string text = "[";
    for (size_t axis = 0; axis < shape.GetDimNum(); ++axis) {
        text += (axis == 0 ? "" : ", ") + std::to_string(shape.GetDim(axis));
    }
    return {text + "]"};
}
} // namespace op

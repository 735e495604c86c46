#pragma once

#include "aclnn/acl_meta.h"

namespace op {
inline ge::AscendString ToString(ge::DataType dtype)
{
    return {"DT_" + std::to_string(static_cast<int>(dtype))};
}
} // namespace op

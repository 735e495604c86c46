// Stands in for graph/ascend_string.h. This one copies nothing: names must live as long as the program.
#pragma once

#include "graph/types.h"

namespace ge {

class AscendString {
public:
    AscendString(const char_t *name)
        : name_(name)
    {
    }

    const char_t *GetString() const
    {
        return name_;
    }

private:
    const char_t *name_;
};

} // namespace ge

// As a toolkit has it: the string keeps its text.
#pragma once

#include <string>

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
        return name_.c_str();
    }

private:
    std::string name_;
};

} // namespace ge

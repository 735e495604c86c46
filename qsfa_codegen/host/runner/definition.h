// An operator definition as JSON.
#pragma once

#include <string>

#include "register/op_def_registry.h"

namespace standin {

// One line. Dtypes and formats are their numbers, options their names.
std::string Describe(const ops::OpDef &definition);

// Whether the definition has a configuration for the chip.
bool Supports(const ops::OpDef &definition, const std::string &soc);

} // namespace standin

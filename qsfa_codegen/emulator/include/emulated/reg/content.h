// What vector and mask registers hold, whatever type a kernel sees them as.
#ifndef EMULATED_REG_CONTENT_H
#define EMULATED_REG_CONTENT_H

#include "core/function_order.h"
#include "ops/registers.h"

namespace emulator {

// Alike for all element types, so that a register may be seen as one of another type.
struct RegisterContent {
    ops::Register content;
    Origin origin;
};

struct MaskContent {
    ops::Predicate content;
    Origin origin;
};

} // namespace emulator

#endif // EMULATED_REG_CONTENT_H

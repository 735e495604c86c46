// Stands before the kernel's source: what the build for a device defines, and no header does.
#ifndef EMULATOR_INTRINSICS_PRELUDE_H
#define EMULATOR_INTRINSICS_PRELUDE_H

#include <cstddef>

#include "include/emulated/dtypes.h"

extern "C" void EmulatorCopyTiling(void *to, const void *from, size_t bytes);

#define GET_TILING_DATA_WITH_STRUCT(type, name, address) \
    type name; \
    EmulatorCopyTiling(&name, address, sizeof(name))

#endif // EMULATOR_INTRINSICS_PRELUDE_H

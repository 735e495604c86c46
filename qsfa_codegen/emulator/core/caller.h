// From which line of the kernel the emulator is called, where that is not an argument.
#ifndef EMULATOR_CORE_CALLER_H
#define EMULATOR_CORE_CALLER_H

#include "site.h"

namespace emulator {

// The innermost line of the kernel's own sources among the callers of the caller. Line 0 where that cannot be found out.
Site Caller();

// Whether it is a toolkit's TPipe giving its memories random values, which no device does.
bool CallerFillsMemories();

} // namespace emulator

#endif // EMULATOR_CORE_CALLER_H

// All that a kernel's copy has besides the kernel: the intrinsics over the emulator's core, and the hooks.
#include <vector> // the standard headers before a toolkit's names

#include "core/registry.h"
#include "intrinsics/types.h"

#include "intrinsics/accesses.h"
#include "intrinsics/control.h"
#include "intrinsics/cube.h"
#include "intrinsics/hooks.h"
#include "intrinsics/moves.h"
#include "intrinsics/rearrange.h"
#include "intrinsics/reduce.h"
#include "intrinsics/vector.h"
#ifdef EMULATOR_TOOLKIT
#include "intrinsics/numbers.h"
#endif

// All that a kernel's copy for Ascend 950 has besides the kernel: the intrinsics over the emulator's core, and the hooks.
#include <vector> // the standard headers before a toolkit's names

#include "core/registry.h"
#include "intrinsics/types.h"

#include "intrinsics/accesses.h"
#include "intrinsics/arch35/control.h"
#include "intrinsics/arch35/cube.h"
#include "intrinsics/arch35/moves.h"
#include "intrinsics/arch35/register_moves.h"
#include "intrinsics/arch35/registers.h"
#include "intrinsics/hooks.h"

// What a kernel includes. The names, overloads and parameters are those of Ascend C; what is behind them is
// the emulator: every call is checked, and issued to a pipe of the core that runs it.
#ifndef EMULATED_KERNEL_OPERATOR_H
#define EMULATED_KERNEL_OPERATOR_H

#include "emulated/atomic.h"
#include "emulated/buffer.h"
#include "emulated/cube.h"
#include "emulated/cube_arch35.h"
#include "emulated/cube_fill.h"
#include "emulated/data_copy.h"
#include "emulated/dtypes.h"
#include "emulated/enums.h"
#include "emulated/keywords.h"
#include "emulated/parameters.h"
#include "emulated/pipe.h"
#include "emulated/queue.h"
#include "emulated/reg/call.h"
#include "emulated/scalar.h"
#include "emulated/sync.h"
#include "emulated/system.h"
#include "emulated/tensor.h"
#include "emulated/vector.h"

#endif // EMULATED_KERNEL_OPERATOR_H

// The vector instructions: each call is one instruction of the pipe V, with the semantics of ops/.
#ifndef EMULATED_VECTOR_H
#define EMULATED_VECTOR_H

#include "emulated/vector_compare.h"
#include "emulated/vector_elementwise.h"
#include "emulated/vector_index.h"
#include "emulated/vector_mask.h"
#include "emulated/vector_rearrange.h"
#include "emulated/vector_reduce.h"
#include "emulated/vector_reduce_tensor.h"
#include "emulated/vector_transpose.h"

#endif // EMULATED_VECTOR_H

// Intrinsics that order instructions, and those that set registers.
#ifndef EMULATOR_INTRINSICS_CONTROL_H
#define EMULATOR_INTRINSICS_CONTROL_H

#include "intrinsics/place.h"
#include "intrinsics/shared_memory.h"
#include "ops/move.h"

namespace emulator::intrinsics {

inline Pipe PipeOf(pipe_t pipe)
{
    switch (pipe) {
        case PIPE_V:
            return Pipe::V;
        case PIPE_M:
            return Pipe::M;
        case PIPE_MTE1:
            return Pipe::MTE1;
        case PIPE_MTE2:
            return Pipe::MTE2;
        case PIPE_MTE3:
            return Pipe::MTE3;
        case PIPE_FIX:
            return Pipe::FIX;
        default:
            return Pipe::S;
    }
}

} // namespace emulator::intrinsics

// ------------------------------------------------------------------ flags and barriers

void set_flag(pipe_t from, pipe_t to, event_t id)
{
    using namespace emulator::intrinsics;
    emulator::Here().SetFlag({PipeOf(from), PipeOf(to), static_cast<uint16_t>(id)}, emulator::Caller());
    KeepSharedAgain();
}

void set_flag(pipe_t from, pipe_t to, uint64_t id)
{
    set_flag(from, to, static_cast<event_t>(id));
}

void wait_flag(pipe_t from, pipe_t to, event_t id)
{
    using namespace emulator::intrinsics;
    emulator::Here().WaitFlag({PipeOf(from), PipeOf(to), static_cast<uint16_t>(id)}, emulator::Caller());
}

void wait_flag(pipe_t from, pipe_t to, uint64_t id)
{
    wait_flag(from, to, static_cast<event_t>(id));
}

void pipe_barrier(pipe_t pipe)
{
    const emulator::Site site = emulator::Caller();
    if (pipe == PIPE_ALL) {
        emulator::Here().BarrierAll(site);
    } else {
        emulator::Here().Barrier(emulator::intrinsics::PipeOf(pipe), site);
    }
}

// The message has 1 in bits 0 to 3, the mode in bits 4 and 5, and the flag in bits 8 to 11.
void ffts_cross_core_sync(pipe_t pipe, uint64_t message)
{
    const auto mode = static_cast<uint8_t>(message >> 4 & 3);
    const auto id = static_cast<uint16_t>(message >> 8 & 15);
    emulator::Here().SetCross(mode, emulator::intrinsics::PipeOf(pipe), id, emulator::Caller());
}

void wait_flag_dev(int64_t id)
{
    emulator::Here().WaitCross(0, emulator::Pipe::S, static_cast<uint16_t>(id), emulator::Caller());
}

void set_ffts_base_addr(uint64_t)
{
}

// With `entire`, the whole cache of the scalar unit.
void dcci(void *address, uint64_t entire, uint64_t)
{
    if (entire != 0) {
        emulator::Here().FlushCache(nullptr, 0);
        return;
    }
    const emulator::Operand place =
        emulator::intrinsics::GmAt(address, "DataCacheCleanAndInvalid", emulator::Caller());
    emulator::Here().FlushCache(place.memory, place.offset);
}

void dcci(void *address, uint64_t entire)
{
    dcci(address, entire, 0);
}

// ------------------------------------------------------------------ the mask register

void set_vector_mask(uint64_t high, uint64_t low)
{
    emulator::Here().mask.high = high;
    emulator::Here().mask.low = low;
}

constexpr uint64_t COUNTER_MODE = 1ULL << 56; // of the control register

void set_mask_count()
{
    emulator::Here().mask.counter = true;
    emulator::intrinsics::OfCore().control |= COUNTER_MODE;
}

void set_mask_norm()
{
    emulator::Here().mask.counter = false;
    emulator::intrinsics::OfCore().control &= ~COUNTER_MODE;
}

// ------------------------------------------------------------------ other registers

void set_fmatrix(uint64_t value)
{
    emulator::intrinsics::OfCore().fmatrix[0] = value;
}

void set_fmatrix_b(uint64_t value)
{
    emulator::intrinsics::OfCore().fmatrix[1] = value;
}

void set_padding(uint64_t value)
{
    emulator::intrinsics::OfCore().padding = value;
}

void set_l1_3d_size(uint64_t)
{
}

void set_quant_pre(uint64_t)
{
}

void set_nd_para(uint64_t value)
{
    emulator::intrinsics::OfCore().nd = value;
}

void set_mov_pad_val(uint64_t value)
{
    emulator::intrinsics::OfCore().movPadding = value;
}

void set_ctrl(uint64_t value)
{
    emulator::intrinsics::OfCore().control = value;
}

int64_t get_ctrl()
{
    return static_cast<int64_t>(emulator::intrinsics::OfCore().control);
}

uint64_t sbitset0(uint64_t value, int64_t bit)
{
    return value & ~(1ULL << bit);
}

uint64_t sbitset1(uint64_t value, int64_t bit)
{
    return value | 1ULL << bit;
}

// The first bit that is 0; -1 where there is none.
int64_t sff0(uint64_t value)
{
    return ~value == 0 ? -1 : __builtin_ctzll(~value);
}

int64_t sff1(uint64_t value)
{
    return value == 0 ? -1 : __builtin_ctzll(value);
}

int64_t bcnt1(uint64_t value)
{
    return __builtin_popcountll(value);
}

int64_t bcnt0(uint64_t value)
{
    return 64 - bcnt1(value);
}

int64_t clz(uint64_t value)
{
    return value == 0 ? 64 : __builtin_clzll(value);
}

// ------------------------------------------------------------------ atomic writes to GM

#define EMULATED_ATOMIC(NAME, KIND) \
    void NAME() \
    { \
        emulator::Here().atomic.kind = static_cast<uint8_t>(emulator::ops::Atomic::KIND); \
    }

EMULATED_ATOMIC(set_atomic_add, ADD)
EMULATED_ATOMIC(set_atomic_max, MAX)
EMULATED_ATOMIC(set_atomic_min, MIN)

#undef EMULATED_ATOMIC

void set_atomic_none()
{
    emulator::Here().atomic = {};
}

#define EMULATED_ATOMIC_TYPE(NAME, KIND, TYPE) \
    void NAME() \
    { \
        emulator::intrinsics::OfCore().atomic = emulator::intrinsics::AtomicType::KIND; \
        emulator::Here().atomic.type = TYPE; \
    }

EMULATED_ATOMIC_TYPE(set_atomic_f32, FLOAT, "float")
EMULATED_ATOMIC_TYPE(set_atomic_f16, HALF, "half")
EMULATED_ATOMIC_TYPE(set_atomic_bf16, BFLOAT16, "bfloat16_t")
EMULATED_ATOMIC_TYPE(set_atomic_s32, INT32, "int32_t")
EMULATED_ATOMIC_TYPE(set_atomic_s16, INT16, "int16_t")
EMULATED_ATOMIC_TYPE(set_atomic_s8, INT8, "int8_t")

#undef EMULATED_ATOMIC_TYPE

#endif // EMULATOR_INTRINSICS_CONTROL_H

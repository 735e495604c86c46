// Kernels that call intrinsics of Ascend 950 themselves, as a toolkit's headers do for their API.
#include "core/machine.h"
#include "core/registry.h"

#include "stub_fun.h"

namespace {

constexpr uint32_t COUNT = 1000; // floats of a core
constexpr uint32_t BYTES = COUNT * sizeof(float);
constexpr uint16_t LANES = 64;
constexpr uint16_t REPEATS = (COUNT + LANES - 1) / LANES;
constexpr uint32_t PITCH = 4096; // bytes from one operand in UB to the next
constexpr DistVST STORE_B32 = static_cast<DistVST>(2);

float *Ub(uint32_t bytes)
{
    return reinterpret_cast<float *>(emulator::Here().In(emulator::Space::UB).Data() + bytes);
}

void Await(pipe_t from, pipe_t to)
{
    set_flag(from, to, EVENT_ID0);
    wait_flag(from, to, EVENT_ID0);
}

void Load(float *dst, uint8_t *src)
{
    copy_gm_to_ubuf_align_v2(reinterpret_cast<uint32_t *>(dst), reinterpret_cast<uint32_t *>(src + block_idx * BYTES), 0, 1,
        BYTES, 0, 0, false, 0, BYTES, BYTES);
}

void Store(uint8_t *dst, float *src)
{
    copy_ubuf_to_gm_align_v2(dst + block_idx * BYTES, src, 0, 1, BYTES, 0, BYTES, BYTES);
}

template <typename T>
__simd_vf__ inline void AddAll(T *z, T *x, T *y, uint32_t left)
{
    for (uint16_t i = 0; i < REPEATS; ++i) {
        const vector_bool mask = plt_b32(left, POST_UPDATE);
        vector_f32 a;
        vector_f32 b;
        vlds(a, x, i * LANES, DIST_NORM);
        vlds(b, y, i * LANES, DIST_NORM);
        vadd(a, a, b, mask, MODE_ZEROING);
        vsts(a, z, i * LANES, STORE_B32, mask); // store
    }
}

void Run(uint8_t *x, uint8_t *y, uint8_t *z, uint32_t count)
{
    Load(Ub(0), x);
    Load(Ub(PITCH), y);
    Await(PIPE_MTE2, PIPE_V);
    AddAll(Ub(2 * PITCH), Ub(0), Ub(PITCH), count);
    Await(PIPE_V, PIPE_MTE3);
    Store(z, Ub(2 * PITCH));
}

// The positive numbers, one behind the other, and how many there are as the bytes that they fill.
__simd_vf__ inline void KeepPositive(float *to, float *from)
{
    vector_align state;
    sprclr(SPR_AR_VALUE);
    for (uint16_t i = 0; i < REPEATS; ++i) {
        uint32_t left = COUNT - i * LANES;
        const vector_bool inside = plt_b32(left, POST_UPDATE);
        vector_f32 value;
        vector_bool positive;
        vlds(value, from, i * LANES, DIST_NORM);
        vcmps_gt(positive, value, 0.0F, inside);
        vsqz(value, value, positive, STORED);
        vstur(state, value, to, POST_UPDATE_VALUE);
    }
    vstar(state, to);
}

} // namespace

static const emulator::Registration addAll("add_all", [](uint8_t *const *tensors) { Run(tensors[0], tensors[1], tensors[2], COUNT); });

static const emulator::Registration addMore("add_more", [](uint8_t *const *tensors) { Run(tensors[0], tensors[1], tensors[2], COUNT + 1); });

static const emulator::Registration keepPositive("keep_positive", [](uint8_t *const *tensors) {
    Load(Ub(0), tensors[0]);
    Await(PIPE_MTE2, PIPE_V);
    KeepPositive(Ub(PITCH), Ub(0));
    Await(PIPE_V, PIPE_MTE3);
    copy_ubuf_to_gm_align_v2(tensors[1], Ub(PITCH), 0, 1, static_cast<uint32_t>(get_ar()), 0, BYTES, BYTES);
});

static const emulator::Registration other("other", [](uint8_t *const *) { vtranspose(Ub(0), Ub(PITCH)); });

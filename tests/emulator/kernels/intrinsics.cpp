// Kernels that call intrinsics themselves, as a toolkit's headers do for their API. Each has a model in vector.cpp or
// cube.cpp, or one fault. Lines that are named end in a mark.
#include "launch.h"

#include <csignal>
#include <cstdio>

#include "intrinsics/types.h"

void set_flag(pipe_t from, pipe_t to, event_t id);
void wait_flag(pipe_t from, pipe_t to, event_t id);
void pipe_barrier(pipe_t pipe);
void set_mask_count();
void set_mask_norm();
void set_vector_mask(uint64_t high, uint64_t low);
void set_nd_para(uint64_t value);
void copy_gm_to_ubuf(void *dst, void *src, uint8_t sid, uint16_t bursts, uint16_t length, uint16_t srcGap, uint16_t dstGap);
void copy_ubuf_to_gm(void *dst, void *src, uint8_t sid, uint16_t bursts, uint16_t length, uint16_t srcGap, uint16_t dstGap);
void copy_gm_to_cbuf_multi_nd2nz_b16(half *dst, half *src, uint8_t sid, uint16_t ndNum, uint16_t nValue, uint16_t dValue,
    uint16_t srcNdMatrixStride, uint16_t srcDValue, uint16_t dstNzC0Stride, uint16_t dstNzNStride, uint16_t dstNzMatrixStride);
void load_cbuf_to_ca(half *dst, half *src, uint16_t start, uint8_t repeat, uint16_t srcStride, uint16_t dstGap, uint8_t sid,
    bool transpose, addr_cal_mode_t mode);
void load_cbuf_to_cb(half *dst, half *src, uint16_t start, uint8_t repeat, uint16_t srcStride, uint16_t dstGap, uint8_t sid,
    bool transpose, addr_cal_mode_t mode);
void mad(float *c, half *a, half *b, uint16_t m, uint16_t k, uint16_t n, uint8_t unitFlag, bool wideK, bool fromBias, bool fromZero);
void copy_matrix_cc_to_gm(float *dst, float *src, uint8_t sid, uint16_t nSize, uint16_t mSize, uint32_t dstStride,
    uint16_t srcStride, uint8_t unitFlag, QuantMode_t quant, uint8_t relu, bool splitChannels, bool toNd);
void vadd(float *dst, float *src0, float *src1, uint8_t repeat, uint8_t dstBlock, uint8_t src0Block, uint8_t src1Block,
    uint8_t dstRepeat, uint8_t src0Repeat, uint8_t src1Repeat);
void vmul(float *dst, float *src0, float *src1, uint8_t repeat, uint8_t dstBlock, uint8_t src0Block, uint8_t src1Block,
    uint8_t dstRepeat, uint8_t src0Repeat, uint8_t src1Repeat);
void vbrcb(uint32_t *dst, uint32_t *src, uint16_t dstBlock, uint16_t dstRepeat, uint8_t repeat);
void vconv_s82f16(half *dst, int8_t *src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock, uint8_t dstRepeat, uint8_t srcRepeat);
void vconv_f162f32(float *dst, half *src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock, uint8_t dstRepeat, uint8_t srcRepeat);
void vconv_f322bf16r(bfloat16_t *dst, float *src, uint8_t repeat, uint16_t dstBlock, uint16_t srcBlock, uint16_t dstRepeat,
    uint16_t srcRepeat);
void AscendCBufInit(uint8_t position, uint8_t kind, uint8_t number, uint64_t address, uint64_t bytes);
void vnchwconv_of_another_chip(float *dst, float *src);

namespace {

template <typename T>
T *In(emulator::Space space, uint32_t bytes = 0)
{
    return reinterpret_cast<T *>(emulator::Here().In(space).Data() + bytes);
}

template <typename T>
T *Ub(uint32_t bytes)
{
    return In<T>(emulator::Space::UB, bytes);
}

void Order(pipe_t from, pipe_t to)
{
    set_flag(from, to, EVENT_ID0);
    wait_flag(from, to, EVENT_ID0);
}

constexpr uint32_t TILE = 256; // floats
constexpr uint32_t TILES = 4;
constexpr uint16_t TILE_BLOCKS = TILE * sizeof(float) / 32;

} // namespace

// As add_flags.
__global__ __aicore__ void add_flags(GM_ADDR x, GM_ADDR y, GM_ADDR z)
{
    constexpr uint32_t bytes = TILE * sizeof(float);
    const uint32_t first = emulator::Here().Index() * TILES * bytes;
    for (uint32_t i = 0; i < TILES; ++i) {
        const auto half = static_cast<event_t>(i % 2);
        auto *xIn = Ub<float>(i % 2 * 3 * bytes);
        float *yIn = xIn + TILE;
        float *zOut = yIn + TILE;
        if (i >= 2) {
            wait_flag(PIPE_V, PIPE_MTE2, half);
        }
        copy_gm_to_ubuf(xIn, x + first + i * bytes, 0, 1, TILE_BLOCKS, 0, 0);
        copy_gm_to_ubuf(yIn, y + first + i * bytes, 0, 1, TILE_BLOCKS, 0, 0);
        set_flag(PIPE_MTE2, PIPE_V, half);
        wait_flag(PIPE_MTE2, PIPE_V, half);
        if (i >= 2) {
            wait_flag(PIPE_MTE3, PIPE_V, half);
        }
        set_mask_count();
        set_vector_mask(0, TILE);
        vadd(zOut, xIn, yIn, 1, 1, 1, 1, 8, 8, 8);
        set_mask_norm();
        if (i + 2 < TILES) {
            set_flag(PIPE_V, PIPE_MTE2, half);
        }
        set_flag(PIPE_V, PIPE_MTE3, half);
        wait_flag(PIPE_V, PIPE_MTE3, half);
        copy_ubuf_to_gm(z + first + i * bytes, zOut, 0, 1, TILE_BLOCKS, 0, 0);
        if (i + 2 < TILES) {
            set_flag(PIPE_MTE3, PIPE_V, half);
        }
    }
    pipe_barrier(PIPE_ALL);
}
LAUNCHABLE(add_flags);

// As dequantise.
__global__ __aicore__ void dequantise(GM_ADDR x, GM_ADDR scales, GM_ADDR y)
{
    constexpr uint32_t rows = 16;
    constexpr uint32_t width = 128;
    auto *bytes = Ub<int8_t>(0);
    auto *halves = Ub<half>(rows * width);
    auto *floats = Ub<float>(3 * rows * width);
    auto *packed = Ub<uint32_t>(7 * rows * width);
    auto *blocks = Ub<float>(7 * rows * width + rows * sizeof(float));
    auto *result = Ub<bfloat16_t>(rows * width);
    copy_gm_to_ubuf(bytes, x, 0, 1, rows * width / 32, 0, 0);
    copy_gm_to_ubuf(packed, scales, 0, 1, rows * sizeof(float) / 32, 0, 0);
    Order(PIPE_MTE2, PIPE_V);
    set_vector_mask(~0ULL, ~0ULL);
    vconv_s82f16(halves, bytes, rows, 1, 1, 8, 4);
    vbrcb(reinterpret_cast<uint32_t *>(blocks), packed, 1, 8, rows / 8);
    pipe_barrier(PIPE_V);
    vconv_f162f32(floats, halves, 2 * rows, 1, 1, 8, 4);
    pipe_barrier(PIPE_V);
    vmul(floats, floats, blocks, rows, 1, 1, 0, 16, 16, 1);
    vmul(floats + 64, floats + 64, blocks, rows, 1, 1, 0, 16, 16, 1);
    pipe_barrier(PIPE_V);
    vconv_f322bf16r(result, floats, 2 * rows, 1, 1, 4, 8);
    Order(PIPE_V, PIPE_MTE3);
    copy_ubuf_to_gm(y, result, 0, 1, rows * width * sizeof(bfloat16_t) / 32, 0, 0);
    pipe_barrier(PIPE_ALL);
}
LAUNCHABLE(dequantise);

// As matmul: 32 × 64 times 64 × 48.
__global__ __aicore__ void matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c)
{
    using emulator::Space;
    constexpr uint16_t m = 32;
    constexpr uint16_t n = 48;
    constexpr uint16_t k = 64;
    constexpr uint16_t side = 16;
    constexpr uint32_t fractal = 256;
    for (const event_t id : {EVENT_ID0, EVENT_ID1, EVENT_ID2}) { // TPipe has them
        set_flag(PIPE_M, PIPE_MTE1, id);
    }
    auto *aL1 = In<half>(Space::L1);
    half *bL1 = aL1 + m * k;
    copy_gm_to_cbuf_multi_nd2nz_b16(aL1, reinterpret_cast<half *>(a), 0, 1, m, k, 0, k, m, 1, 0);
    copy_gm_to_cbuf_multi_nd2nz_b16(bL1, reinterpret_cast<half *>(b), 0, 1, k, n, 0, n, k, 1, 0);
    Order(PIPE_MTE2, PIPE_MTE1);
    for (uint16_t i = 0; i < m / side; ++i) {
        load_cbuf_to_ca(In<half>(Space::L0A) + i * (k / side) * fractal, aL1, i, k / side, m / side, 0, 0, false, inc);
    }
    for (uint16_t i = 0; i < k / side; ++i) {
        load_cbuf_to_cb(In<half>(Space::L0B) + i * (n / side) * fractal, bL1, i, n / side, k / side, 0, 0, true, inc);
    }
    Order(PIPE_MTE1, PIPE_M);
    mad(In<float>(Space::L0C), In<half>(Space::L0A), In<half>(Space::L0B), m, k, n, 0, false, false, true);
    Order(PIPE_M, PIPE_FIX);
    set_nd_para(1);
    pipe_barrier(PIPE_FIX);
    copy_matrix_cc_to_gm(reinterpret_cast<float *>(c), In<float>(Space::L0C), 0, n, m, n, m, 0, NoQuant, 0, false, true);
    for (const event_t id : {EVENT_ID0, EVENT_ID1, EVENT_ID2}) {
        wait_flag(PIPE_M, PIPE_MTE1, id);
    }
    pipe_barrier(PIPE_ALL);
}
LAUNCHABLE(matmul);

// Every core has its own global variables.
namespace {

uint32_t timesCalled = 0;

} // namespace

__global__ __aicore__ void own_globals(GM_ADDR z)
{
    ++timesCalled;
    reinterpret_cast<uint32_t *>(z)[emulator::Here().Index() * 16] = timesCalled;
}
LAUNCHABLE(own_globals);

// The numbers of x, summed by the scalar unit.
__global__ __aicore__ void scalar_sum(GM_ADDR x, GM_ADDR z)
{
    const auto *numbers = reinterpret_cast<const float *>(x);
    float sum = 0;
    for (int i = 0; i < 8; ++i) {
        sum += numbers[i];
    }
    *reinterpret_cast<float *>(z) = sum;
}
LAUNCHABLE(scalar_sum);

// ------------------------------------------------------------------ faults

__global__ __aicore__ void not_waited(GM_ADDR x, GM_ADDR z)
{
    copy_gm_to_ubuf(Ub<float>(0), x, 0, 1, 8, 0, 0); // copied
    set_vector_mask(0, ~0ULL);
    vadd(Ub<float>(256), Ub<float>(0), Ub<float>(0), 1, 1, 1, 1, 8, 8, 8); // not_waited
    Order(PIPE_V, PIPE_MTE3);
    copy_ubuf_to_gm(z, Ub<float>(256), 0, 1, 8, 0, 0);
}
LAUNCHABLE(not_waited);

// The scalar unit reads what the vector pipe still writes.
__global__ __aicore__ void read_too_early(GM_ADDR x, GM_ADDR z)
{
    copy_gm_to_ubuf(Ub<float>(0), x, 0, 1, 8, 0, 0);
    Order(PIPE_MTE2, PIPE_V);
    set_vector_mask(0, ~0ULL);
    vadd(Ub<float>(256), Ub<float>(0), Ub<float>(0), 1, 1, 1, 1, 8, 8, 8); // added
    *reinterpret_cast<float *>(z) = *Ub<float>(256); // read_too_early
}
LAUNCHABLE(read_too_early);

// A buffer that TPipe has told of ends before the instruction does.
__global__ __aicore__ void past_a_buffer(GM_ADDR x, GM_ADDR)
{
    AscendCBufInit(0, 1, 2, reinterpret_cast<uint64_t>(Ub<float>(512)), 128);
    copy_gm_to_ubuf(Ub<float>(640), x, 0, 1, 8, 0, 0); // past_a_buffer
}
LAUNCHABLE(past_a_buffer);

__global__ __aicore__ void not_emulated(GM_ADDR, GM_ADDR)
{
    vnchwconv_of_another_chip(Ub<float>(0), Ub<float>(0)); // not_emulated
}
LAUNCHABLE(not_emulated);

// As the headers refuse a parameter.
__global__ __aicore__ void refused(GM_ADDR, GM_ADDR)
{
    std::printf("[ERROR][Core_0][kernel_x.h:7][Add][99] the mask is %d\n", 0);
    raise(SIGABRT); // refused
}
LAUNCHABLE(refused);

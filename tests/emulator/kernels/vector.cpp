// Kernels of vector cores that are right.
#include "launch.h"

using namespace AscendC;

namespace {

constexpr uint32_t TILE = 256;
constexpr uint32_t TILES = 4;

} // namespace

// z = x + y, in tiles, with queues of two buffers. Each core takes TILES tiles.
__global__ __aicore__ void add_queues(GM_ADDR x, GM_ADDR y, GM_ADDR z)
{
    const uint64_t first = static_cast<uint64_t>(GetBlockIdx()) * TILES * TILE;
    GlobalTensor<float> xGm;
    GlobalTensor<float> yGm;
    GlobalTensor<float> zGm;
    xGm.SetGlobalBuffer((__gm__ float *)x + first, TILES * TILE);
    yGm.SetGlobalBuffer((__gm__ float *)y + first, TILES * TILE);
    zGm.SetGlobalBuffer((__gm__ float *)z + first, TILES * TILE);
    TPipe pipe;
    TQue<TPosition::VECIN, 2> xQueue;
    TQue<TPosition::VECIN, 2> yQueue;
    TQue<TPosition::VECOUT, 2> zQueue;
    pipe.InitBuffer(xQueue, 2, TILE * sizeof(float));
    pipe.InitBuffer(yQueue, 2, TILE * sizeof(float));
    pipe.InitBuffer(zQueue, 2, TILE * sizeof(float));
    for (uint32_t i = 0; i < TILES; ++i) {
        LocalTensor<float> xIn = xQueue.AllocTensor<float>();
        LocalTensor<float> yIn = yQueue.AllocTensor<float>();
        DataCopy(xIn, xGm[i * TILE], TILE);
        DataCopy(yIn, yGm[i * TILE], TILE);
        xQueue.EnQue(xIn);
        yQueue.EnQue(yIn);
        LocalTensor<float> xNow = xQueue.DeQue<float>();
        LocalTensor<float> yNow = yQueue.DeQue<float>();
        LocalTensor<float> zOut = zQueue.AllocTensor<float>();
        Add(zOut, xNow, yNow, TILE);
        zQueue.EnQue(zOut);
        xQueue.FreeTensor(xNow);
        yQueue.FreeTensor(yNow);
        LocalTensor<float> zNow = zQueue.DeQue<float>();
        DataCopy(zGm[i * TILE], zNow, TILE);
        zQueue.FreeTensor(zNow);
    }
}
LAUNCHABLE(add_queues);

// The same with flags and two halves of a buffer.
__global__ __aicore__ void add_flags(GM_ADDR x, GM_ADDR y, GM_ADDR z)
{
    const uint64_t first = static_cast<uint64_t>(GetBlockIdx()) * TILES * TILE;
    GlobalTensor<float> xGm;
    GlobalTensor<float> yGm;
    GlobalTensor<float> zGm;
    xGm.SetGlobalBuffer((__gm__ float *)x + first);
    yGm.SetGlobalBuffer((__gm__ float *)y + first);
    zGm.SetGlobalBuffer((__gm__ float *)z + first);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, 6 * TILE * sizeof(float));
    const LocalTensor<float> all = buffer.Get<float>();
    for (uint32_t i = 0; i < TILES; ++i) {
        const int32_t half = static_cast<int32_t>(i % 2);
        const LocalTensor<float> xIn = all[half * 3 * TILE];
        const LocalTensor<float> yIn = xIn[TILE];
        const LocalTensor<float> zOut = yIn[TILE];
        if (i >= 2) {
            WaitFlag<HardEvent::V_MTE2>(half);
        }
        DataCopy(xIn, xGm[i * TILE], TILE);
        DataCopy(yIn, yGm[i * TILE], TILE);
        SetFlag<HardEvent::MTE2_V>(half);
        WaitFlag<HardEvent::MTE2_V>(half);
        if (i >= 2) {
            WaitFlag<HardEvent::MTE3_V>(half);
        }
        Add(zOut, xIn, yIn, TILE);
        if (i + 2 < TILES) {
            SetFlag<HardEvent::V_MTE2>(half);
        }
        SetFlag<HardEvent::V_MTE3>(half);
        WaitFlag<HardEvent::V_MTE3>(half);
        DataCopy(zGm[i * TILE], zOut, TILE);
        if (i + 2 < TILES) {
            SetFlag<HardEvent::MTE3_V>(half);
        }
    }
}
LAUNCHABLE(add_flags);

// Each row of 64 becomes its softmax. One row a core and step.
__global__ __aicore__ void softmax_rows(GM_ADDR x, GM_ADDR y)
{
    constexpr uint32_t width = 64;
    constexpr uint32_t rows = 3;
    const uint64_t first = static_cast<uint64_t>(GetBlockIdx()) * rows * width;
    GlobalTensor<float> xGm;
    GlobalTensor<float> yGm;
    xGm.SetGlobalBuffer((__gm__ float *)x + first);
    yGm.SetGlobalBuffer((__gm__ float *)y + first);
    TPipe pipe;
    TBuf<TPosition::VECCALC> rowBuffer;
    TBuf<TPosition::VECCALC> smallBuffer;
    pipe.InitBuffer(rowBuffer, width * sizeof(float));
    pipe.InitBuffer(smallBuffer, 32);
    const LocalTensor<float> row = rowBuffer.Get<float>();
    const LocalTensor<float> small = smallBuffer.Get<float>();
    for (uint32_t i = 0; i < rows; ++i) {
        DataCopy(row, xGm[i * width], width);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WholeReduceMax(small, row, static_cast<int32_t>(width), 1, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
        SetFlag<HardEvent::V_S>(EVENT_ID0);
        WaitFlag<HardEvent::V_S>(EVENT_ID0);
        const float greatest = small.GetValue(0);
        SetFlag<HardEvent::S_V>(EVENT_ID0);
        WaitFlag<HardEvent::S_V>(EVENT_ID0);
        Adds(row, row, -greatest, width);
        PipeBarrier<PIPE_V>();
        Exp(row, row, width);
        PipeBarrier<PIPE_V>();
        WholeReduceSum(small, row, static_cast<int32_t>(width), 1, 1, 1, 8);
        SetFlag<HardEvent::V_S>(EVENT_ID0);
        WaitFlag<HardEvent::V_S>(EVENT_ID0);
        const float sum = small(0);
        SetFlag<HardEvent::S_V>(EVENT_ID0);
        WaitFlag<HardEvent::S_V>(EVENT_ID0);
        Muls(row, row, 1.0F / sum, width);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(yGm[i * width], row, width);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    }
}
LAUNCHABLE(softmax_rows);

// The positive numbers of 64, packed; how many there are; and all with the others replaced by −1.
__global__ __aicore__ void positive(GM_ADDR x, GM_ADDR packed, GM_ADDR count, GM_ADDR replaced)
{
    constexpr uint32_t width = 64;
    GlobalTensor<float> xGm;
    GlobalTensor<float> packedGm;
    GlobalTensor<uint32_t> countGm;
    GlobalTensor<float> replacedGm;
    xGm.SetGlobalBuffer((__gm__ float *)x);
    packedGm.SetGlobalBuffer((__gm__ float *)packed);
    countGm.SetGlobalBuffer((__gm__ uint32_t *)count);
    replacedGm.SetGlobalBuffer((__gm__ float *)replaced);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[4];
    for (auto &buffer : buffers) {
        pipe.InitBuffer(buffer, width * sizeof(float));
    }
    const LocalTensor<float> numbers = buffers[0].Get<float>();
    const LocalTensor<float> found = buffers[1].Get<float>();
    const LocalTensor<float> others = buffers[2].Get<float>();
    const LocalTensor<uint8_t> bits = buffers[3].Get<uint8_t>();
    DataCopy(numbers, xGm, width);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    CompareScalar(bits, numbers, 0.0F, CMPMODE::GT, width);
    Duplicate(found, 0.0F, width);
    PipeBarrier<PIPE_V>();
    uint64_t taken = 0;
    GatherMask(found, numbers, bits.ReinterpretCast<uint32_t>(), true, width, {1, 1, 8, 0}, taken);
    Select(others, bits, numbers, -1.0F, SELMODE::VSEL_TENSOR_SCALAR_MODE, width);
    countGm.SetValue(0, static_cast<uint32_t>(taken));
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(packedGm, found, width);
    DataCopy(replacedGm, others, width);
}
LAUNCHABLE(positive);

// 16 rows of 128 int8 and a scale each become half, float, times the scale, bfloat16, rows a block apart.
__global__ __aicore__ void dequantise(GM_ADDR x, GM_ADDR scales, GM_ADDR y)
{
    constexpr uint32_t rows = 16;
    constexpr uint32_t width = 128;
    GlobalTensor<int8_t> xGm;
    GlobalTensor<float> scalesGm;
    GlobalTensor<bfloat16_t> yGm;
    xGm.SetGlobalBuffer((__gm__ int8_t *)x);
    scalesGm.SetGlobalBuffer((__gm__ float *)scales);
    yGm.SetGlobalBuffer((__gm__ bfloat16_t *)y);
    TPipe pipe;
    TBuf<TPosition::VECCALC> bytesBuffer;
    TBuf<TPosition::VECCALC> halfBuffer;
    TBuf<TPosition::VECCALC> floatBuffer;
    TBuf<TPosition::VECCALC> scaleBuffer;
    TBuf<TPosition::VECCALC> blockBuffer;
    pipe.InitBuffer(bytesBuffer, rows * width);
    pipe.InitBuffer(halfBuffer, rows * width * sizeof(half));
    pipe.InitBuffer(floatBuffer, rows * width * sizeof(float));
    pipe.InitBuffer(scaleBuffer, rows * sizeof(float));
    pipe.InitBuffer(blockBuffer, rows * 32);
    const LocalTensor<half> halves = halfBuffer.Get<half>();
    const LocalTensor<float> floats = floatBuffer.Get<float>();
    const LocalTensor<float> blocks = blockBuffer.Get<float>();
    DataCopy(bytesBuffer.Get<int8_t>(), xGm, rows * width);
    DataCopy(scaleBuffer.Get<float>(), scalesGm, rows);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Cast(halves, bytesBuffer.Get<int8_t>(), RoundMode::CAST_NONE, width, rows, {1, 1, 8, 4});
    Brcb(blocks, scaleBuffer.Get<float>(), rows / 8, {1, 8});
    PipeBarrier<PIPE_V>();
    Cast(floats, halves, RoundMode::CAST_NONE, 64, 2 * rows, {1, 1, 8, 4});
    PipeBarrier<PIPE_V>();
    for (uint32_t side = 0; side < 2; ++side) { // the same block of scales for all blocks of a row
        Mul(floats[side * 64], floats[side * 64], blocks, 64, rows, {1, 1, 0, 16, 16, 1});
    }
    PipeBarrier<PIPE_V>();
    Cast(halves.ReinterpretCast<bfloat16_t>(), floats, RoundMode::CAST_RINT, 64, 2 * rows, {1, 1, 4, 8});
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(yGm, halves.ReinterpretCast<bfloat16_t>(), rows * width);
}
LAUNCHABLE(dequantise);

// A matrix of 16 × 16 halves, transposed in three ways.
__global__ __aicore__ void transposed(GM_ADDR x, GM_ADDR y)
{
    constexpr uint32_t side = 16;
    constexpr uint32_t count = side * side;
    GlobalTensor<half> xGm;
    GlobalTensor<half> yGm;
    xGm.SetGlobalBuffer((__gm__ half *)x);
    yGm.SetGlobalBuffer((__gm__ half *)y);
    TPipe pipe;
    TBuf<TPosition::VECCALC> inBuffer;
    TBuf<TPosition::VECCALC> outBuffer;
    pipe.InitBuffer(inBuffer, count * sizeof(half));
    pipe.InitBuffer(outBuffer, 3 * count * sizeof(half));
    const LocalTensor<half> in = inBuffer.Get<half>();
    const LocalTensor<half> out = outBuffer.Get<half>();
    LocalTensor<half> from[NCHW_CONV_ADDR_LIST_SIZE];
    LocalTensor<half> to[NCHW_CONV_ADDR_LIST_SIZE];
    uint64_t fromAddresses[NCHW_CONV_ADDR_LIST_SIZE];
    uint64_t toAddresses[NCHW_CONV_ADDR_LIST_SIZE];
    for (uint32_t i = 0; i < side; ++i) {
        from[i] = in[i * side];
        to[i] = out[count + i * side];
        fromAddresses[i] = (uint64_t)in[i * side].GetPhyAddr();
        toAddresses[i] = (uint64_t)out[2 * count + i * side].GetPhyAddr();
    }
    DataCopy(in, xGm, count);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Transpose(out, in);
    TransDataTo5HD(to, from, TransDataTo5HDParams(false, false, 1, 0, 0));
    TransDataTo5HD<half>(toAddresses, fromAddresses, TransDataTo5HDParams());
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(yGm, out, 3 * count);
}
LAUNCHABLE(transposed);

// y += 2 · x of the first lanes of rows that lie in every other block, in halves and floats; then y += x · x.
__global__ __aicore__ void products_added(GM_ADDR x, GM_ADDR y)
{
    constexpr uint32_t rows = 2;
    constexpr uint32_t lanes = 40;
    constexpr uint32_t width = 64;
    uint64_t all[] = {~0ULL, 0};
    GlobalTensor<half> xGm;
    GlobalTensor<float> yGm;
    xGm.SetGlobalBuffer((__gm__ half *)x);
    yGm.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<TPosition::VECCALC> xBuffer;
    TBuf<TPosition::VECCALC> yBuffer;
    pipe.InitBuffer(xBuffer, rows * width * sizeof(half));
    pipe.InitBuffer(yBuffer, 2 * rows * width * sizeof(float));
    const LocalTensor<half> in = xBuffer.Get<half>();
    const LocalTensor<float> sums = yBuffer.Get<float>();
    DataCopy(in, xGm, rows * width);
    Duplicate(sums, 1.0F, 2 * rows * width);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    PipeBarrier<PIPE_V>();
    Axpy(sums, in, half(2.0F), lanes, rows, {2, 1, 16, 4});
    PipeBarrier<PIPE_V>();
    MulAddDst(sums, in, in, all, rows, {2, 1, 1, 16, 4, 4});
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(yGm, sums, 2 * rows * width);
}
LAUNCHABLE(products_added);

// Elements of 2 repeats by a built-in pattern, by the bits of a tensor (the same for both), and by byte offsets.
__global__ __aicore__ void gathered(GM_ADDR x, GM_ADDR bits, GM_ADDR offsets, GM_ADDR y, GM_ADDR counts)
{
    constexpr uint32_t count = 128;
    constexpr uint32_t repeats = 2;
    constexpr uint32_t base = 64; // bytes
    uint64_t even[] = {0x5555555555555555, 0};
    GlobalTensor<float> xGm;
    GlobalTensor<uint32_t> bitsGm;
    GlobalTensor<uint32_t> offsetsGm;
    GlobalTensor<float> yGm;
    GlobalTensor<uint32_t> countsGm;
    xGm.SetGlobalBuffer((__gm__ float *)x);
    bitsGm.SetGlobalBuffer((__gm__ uint32_t *)bits);
    offsetsGm.SetGlobalBuffer((__gm__ uint32_t *)offsets);
    yGm.SetGlobalBuffer((__gm__ float *)y);
    countsGm.SetGlobalBuffer((__gm__ uint32_t *)counts);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[4];
    for (auto &buffer : buffers) {
        pipe.InitBuffer(buffer, 4 * count * sizeof(float));
    }
    const LocalTensor<float> in = buffers[0].Get<float>();
    const LocalTensor<uint32_t> pattern = buffers[1].Get<uint32_t>();
    const LocalTensor<uint32_t> places = buffers[2].Get<uint32_t>();
    const LocalTensor<float> out = buffers[3].Get<float>();
    DataCopy(in, xGm, count);
    DataCopy(pattern, bitsGm, 8);
    DataCopy(places, offsetsGm, count);
    Duplicate(out, 0.0F, 4 * count);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    PipeBarrier<PIPE_V>();
    uint64_t taken[2] = {};
    GatherMask(out, in, 3, false, 0, {1, repeats, 8, 0}, taken[0]);
    GatherMask(out[count], in, pattern, false, 0, {1, repeats, 8, 0}, taken[1]);
    Gather(out[2 * count], in, places, base, even, repeats, 8);
    Gather(out[3 * count], in, places, 0, 40, repeats, 8);
    for (uint32_t i = 0; i < 2; ++i) {
        countsGm.SetValue(i, static_cast<uint32_t>(taken[i]));
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(yGm, out, 4 * count);
}
LAUNCHABLE(gathered);

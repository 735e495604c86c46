// Right kernels of which one order can be left out: order number i (a flag with its wait, or a barrier) is there
// unless the first number of the tensor `without` is i. Each has as many as its constant says, from 1 on.
#include "launch.h"

using namespace AscendC;

namespace {

int32_t left = 0;

void Without(GM_ADDR without)
{
    left = *(__gm__ int32_t *)without;
}

template <HardEvent event>
void Order(int32_t number, Site site = Site::Here())
{
    if (number != left) {
        SetFlag<event>(number % 6, site);
        WaitFlag<event>(number % 6, site);
    }
}

template <HardEvent event>
void Set(int32_t number)
{
    if (number != left) {
        SetFlag<event>(number % 6);
    }
}

template <HardEvent event>
void Wait(int32_t number)
{
    if (number != left) {
        WaitFlag<event>(number % 6);
    }
}

void Barrier(int32_t number)
{
    if (number != left) {
        PipeBarrier<PIPE_V>();
    }
}

} // namespace

// y = exp(x + 1) · 2 in tiles, two buffers in turn: 9 orders.
__global__ __aicore__ void chain(GM_ADDR x, GM_ADDR y, GM_ADDR without)
{
    constexpr uint32_t tile = 64;
    constexpr int32_t tiles = 5;
    Without(without);
    GlobalTensor<float> xGm;
    GlobalTensor<float> yGm;
    xGm.SetGlobalBuffer((__gm__ float *)x);
    yGm.SetGlobalBuffer((__gm__ float *)y);
    TPipe pipe;
    TBuf<TPosition::VECCALC> inBuffer;
    TBuf<TPosition::VECCALC> outBuffer;
    TBuf<TPosition::VECCALC> sumBuffer;
    pipe.InitBuffer(inBuffer, 2 * tile * sizeof(float));
    pipe.InitBuffer(outBuffer, 2 * tile * sizeof(float));
    pipe.InitBuffer(sumBuffer, tile * sizeof(float));
    const LocalTensor<float> sum = sumBuffer.Get<float>();
    for (int32_t side = 0; side < 2; ++side) { // both are free at first
        Set<HardEvent::V_MTE2>(1 + side);
        Set<HardEvent::MTE3_V>(3 + side);
    }
    for (int32_t i = 0; i < tiles; ++i) {
        const int32_t side = i % 2;
        const LocalTensor<float> in = inBuffer.Get<float>()[static_cast<uint32_t>(side) * tile];
        const LocalTensor<float> out = outBuffer.Get<float>()[static_cast<uint32_t>(side) * tile];
        Wait<HardEvent::V_MTE2>(1 + side);
        DataCopy(in, xGm[static_cast<uint32_t>(i) * tile], tile);
        Order<HardEvent::MTE2_V>(5);
        Barrier(6);
        Adds(sum, in, 1.0F, tile);
        Set<HardEvent::V_MTE2>(1 + side);
        Barrier(7);
        Exp(sum, sum, tile);
        Barrier(8);
        Wait<HardEvent::MTE3_V>(3 + side);
        Muls(out, sum, 2.0F, tile);
        Order<HardEvent::V_MTE3>(9);
        DataCopy(yGm[static_cast<uint32_t>(i) * tile], out, tile);
        Set<HardEvent::MTE3_V>(3 + side);
    }
    for (int32_t side = 0; side < 2; ++side) {
        Wait<HardEvent::V_MTE2>(1 + side);
        Wait<HardEvent::MTE3_V>(3 + side);
    }
}
LAUNCHABLE(chain);

// out = relu(a · b) twice over, 16 × 16 each, through a tile in GM that is used again: 11 orders.
__global__ __aicore__ void ping_pong(GM_ADDR a, GM_ADDR b, GM_ADDR out, GM_ADDR workspace, GM_ADDR without)
{
    constexpr uint32_t side = 16;
    constexpr uint32_t count = side * side;
    constexpr uint32_t turns = 3;
    Without(without);
    GlobalTensor<float> tile;
    tile.SetGlobalBuffer((__gm__ float *)workspace);
    TPipe pipe;
    if ASCEND_IS_AIC {
        GlobalTensor<half> aGm;
        GlobalTensor<half> bGm;
        aGm.SetGlobalBuffer((__gm__ half *)a);
        bGm.SetGlobalBuffer((__gm__ half *)b);
        TBuf<TPosition::A1> aL1;
        TBuf<TPosition::B1> bL1;
        TBuf<TPosition::A2> aL0;
        TBuf<TPosition::B2> bL0;
        TBuf<TPosition::CO1> cL0;
        pipe.InitBuffer(aL1, count * sizeof(half));
        pipe.InitBuffer(bL1, count * sizeof(half));
        pipe.InitBuffer(aL0, count * sizeof(half));
        pipe.InitBuffer(bL0, count * sizeof(half));
        pipe.InitBuffer(cL0, count * sizeof(float));
        for (uint32_t i = 0; i < turns; ++i) {
            DataCopy(aL1.Get<half>(), aGm[i * count], Nd2NzParams(1, side, side, 0, side, side, 1, 0));
            DataCopy(bL1.Get<half>(), bGm[i * count], Nd2NzParams(1, side, side, 0, side, side, 1, 0));
            Order<HardEvent::MTE2_MTE1>(1);
            LoadData(aL0.Get<half>(), aL1.Get<half>(), LoadData2DParams(0, 1, 1, 0, 0, false, 0));
            LoadData(bL0.Get<half>(), bL1.Get<half>(), LoadData2DParams(0, 1, 1, 0, 0, true, 0));
            Order<HardEvent::MTE1_MTE2>(2);
            Order<HardEvent::MTE1_M>(3);
            Mmad(cL0.Get<float>(), aL0.Get<half>(), bL0.Get<half>(), MmadParams(side, side, side, 0, false, true));
            Order<HardEvent::M_MTE1>(4);
            Order<HardEvent::M_FIX>(5);
            if (i > 0 && left != 6) {
                CrossCoreWaitFlag(6);
            }
            Fixpipe(tile, cL0.Get<float>(), FixpipeParamsV220(side, side, side, side, false));
            Order<HardEvent::FIX_M>(7);
            if (left != 8) {
                CrossCoreSetFlag<2, PIPE_FIX>(8);
            }
        }
        return;
    }
    constexpr uint32_t mine = count / 2;
    const auto first = static_cast<uint32_t>(GetSubBlockIdx()) * mine;
    GlobalTensor<float> outGm;
    outGm.SetGlobalBuffer((__gm__ float *)out);
    TBuf<TPosition::VECCALC> rows;
    pipe.InitBuffer(rows, mine * sizeof(float));
    for (uint32_t i = 0; i < turns; ++i) {
        if (left != 8) {
            CrossCoreWaitFlag(8);
        }
        DataCopy(rows.Get<float>(), tile[first], mine);
        if (i + 1 < turns && left != 6) {
            CrossCoreSetFlag<2, PIPE_MTE2>(6);
        }
        Order<HardEvent::MTE2_V>(9);
        Relu(rows.Get<float>(), rows.Get<float>(), static_cast<int32_t>(mine));
        Order<HardEvent::V_MTE3>(10);
        DataCopy(outGm[i * count + first], rows.Get<float>(), mine);
        Order<HardEvent::MTE3_MTE2>(11);
    }
}
LAUNCHABLE(ping_pong);

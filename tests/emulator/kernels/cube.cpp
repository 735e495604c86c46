// Kernels of cube cores, alone and with their vector cores, and their faults. Lines that are named end in a mark.
#include "launch.h"

using namespace AscendC;

namespace {

constexpr uint32_t M = 32;
constexpr uint32_t N = 48;
constexpr uint32_t K = 64;
constexpr uint32_t SIDE = 16; // of a fractal
constexpr uint32_t M1 = M / SIDE;
constexpr uint32_t N1 = N / SIDE;
constexpr uint32_t K1 = K / SIDE;
constexpr uint32_t FRACTAL = SIDE * SIDE; // elements

// Buffers of a matmul of half ND matrices, whole in L0.
class Matmul {
public:
    Matmul(GM_ADDR a, GM_ADDR b)
    {
        aGm_.SetGlobalBuffer((__gm__ half *)a, M * K);
        bGm_.SetGlobalBuffer((__gm__ half *)b, K * N);
        pipe_.InitBuffer(aL1Buffer_, M * K * sizeof(half));
        pipe_.InitBuffer(bL1Buffer_, K * N * sizeof(half));
        pipe_.InitBuffer(aL0Buffer_, M * K * sizeof(half));
        pipe_.InitBuffer(bL0Buffer_, K * N * sizeof(half));
        pipe_.InitBuffer(cL0Buffer_, M * N * sizeof(float));
        c = cL0Buffer_.Get<float>();
    }

    void Load()
    {
        const LocalTensor<half> aL1 = aL1Buffer_.Get<half>();
        const LocalTensor<half> bL1 = bL1Buffer_.Get<half>();
        DataCopy(aL1, aGm_, Nd2NzParams(1, M, K, 0, K, M, 1, 0));
        DataCopy(bL1, bGm_, Nd2NzParams(1, K, N, 0, N, K, 1, 0));
        SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
        for (uint32_t m = 0; m < M1; ++m) {
            LoadData(aL0Buffer_.Get<half>()[m * K1 * FRACTAL], aL1, LoadData2DParams(m, K1, M1, 0, 0, false, 0));
        }
        for (uint32_t k = 0; k < K1; ++k) {
            LoadData(bL0Buffer_.Get<half>()[k * N1 * FRACTAL], bL1, LoadData2DParams(k, N1, K1, 0, 0, true, 0));
        }
    }

    // C = A · B.
    void Multiply()
    {
        SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
        WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
        Mmad(c, LeftL0(), RightL0(), MmadParams(M, N, K, 0, false, true));
    }

    void Wait()
    {
        SetFlag<HardEvent::M_FIX>(EVENT_ID0);
        WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    }

    void Out(const GlobalTensor<float> &to)
    {
        Fixpipe(to, c, FixpipeParamsV220(N, M, M, N, false)); // fixpipe
    }

    LocalTensor<half> LeftL0()
    {
        return aL0Buffer_.Get<half>();
    }

    LocalTensor<half> RightL0()
    {
        return bL0Buffer_.Get<half>();
    }

    LocalTensor<float> c;

private:
    TPipe pipe_;
    GlobalTensor<half> aGm_;
    GlobalTensor<half> bGm_;
    TBuf<TPosition::A1> aL1Buffer_;
    TBuf<TPosition::B1> bL1Buffer_;
    TBuf<TPosition::A2> aL0Buffer_;
    TBuf<TPosition::B2> bL0Buffer_;
    TBuf<TPosition::CO1> cL0Buffer_;
};

} // namespace

__global__ __aicore__ void matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c)
{
    GlobalTensor<float> cGm;
    cGm.SetGlobalBuffer((__gm__ float *)c, M * N);
    Matmul matmul(a, b);
    matmul.Load();
    matmul.Multiply();
    matmul.Wait();
    matmul.Out(cGm);
}
LAUNCHABLE(matmul);

// The right operand is what InitConstValue writes: 4 blocks of 2 fractals of ones, with gaps of threes.
__global__ __aicore__ void constants(GM_ADDR a, GM_ADDR b, GM_ADDR c)
{
    GlobalTensor<float> cGm;
    cGm.SetGlobalBuffer((__gm__ float *)c, M * N);
    Matmul matmul(a, b);
    matmul.Load();
    InitConstValue(matmul.RightL0(), InitConstValueParams<half>(1, K1 * N1, 0, half(3.0F)));
    PipeBarrier<PIPE_MTE1>();
    InitConstValue(matmul.RightL0(), InitConstValueParams<half>(K1, N1 - 1, 1, half(1.0F)));
    matmul.Multiply();
    matmul.Wait();
    matmul.Out(cGm);
}
LAUNCHABLE(constants);

// The product is twice added to what c holds.
__global__ __aicore__ void matmul_atomic(GM_ADDR a, GM_ADDR b, GM_ADDR c)
{
    GlobalTensor<float> cGm;
    cGm.SetGlobalBuffer((__gm__ float *)c, M * N);
    Matmul matmul(a, b);
    matmul.Load();
    matmul.Multiply();
    matmul.Wait();
    SetAtomicAdd<float>();
    matmul.Out(cGm);
    matmul.Out(cGm);
    SetAtomicNone();
}
LAUNCHABLE(matmul_atomic);

template <typename T>
void AddProduct(GM_ADDR a, GM_ADDR b, GM_ADDR c, QuantMode_t quant)
{
    GlobalTensor<T> cGm;
    cGm.SetGlobalBuffer((__gm__ T *)c, M * N);
    Matmul matmul(a, b);
    matmul.Load();
    matmul.Multiply();
    matmul.Wait();
    SetAtomicAdd<T>();
    Fixpipe(cGm, matmul.c, FixpipeParamsV220(N, M, M, N, false, quant, 0, 1, 0, 0, 0));
    SetAtomicNone();
}

__global__ __aicore__ void matmul_atomic_half(GM_ADDR a, GM_ADDR b, GM_ADDR c)
{
    AddProduct<half>(a, b, c, F322F16);
}
LAUNCHABLE(matmul_atomic_half);

__global__ __aicore__ void matmul_atomic_bfloat16(GM_ADDR a, GM_ADDR b, GM_ADDR c)
{
    AddProduct<bfloat16_t>(a, b, c, F322BF16);
}
LAUNCHABLE(matmul_atomic_bfloat16);

// relu(A · B), TURNS times: the cube core multiplies to the workspace, each vector core takes half of the rows.
// The workspace has one tile: the cube core waits until it has been read.
namespace {

constexpr uint32_t TURNS = 3;
constexpr uint16_t MADE = 0;
constexpr uint16_t TAKEN = 1;

void MultiplyTurns(GM_ADDR a, GM_ADDR b, GM_ADDR workspace, bool waits)
{
    GlobalTensor<float> tile;
    tile.SetGlobalBuffer((__gm__ float *)workspace, M * N);
    Matmul matmul(a, b);
    matmul.Load();
    matmul.Multiply();
    matmul.Wait();
    for (uint32_t i = 0; i < TURNS; ++i) {
        if (waits && i > 0) {
            CrossCoreWaitFlag(TAKEN);
        }
        matmul.Out(tile);
        CrossCoreSetFlag<2, PIPE_FIX>(MADE);
    }
    if (waits) {
        CrossCoreWaitFlag(TAKEN);
    }
}

void RectifyTurns(GM_ADDR workspace, GM_ADDR out, bool waits)
{
    constexpr uint32_t count = M / 2 * N;
    GlobalTensor<float> tile;
    GlobalTensor<float> outGm;
    const uint64_t first = static_cast<uint64_t>(GetSubBlockIdx()) * count;
    tile.SetGlobalBuffer((__gm__ float *)workspace + first, count);
    outGm.SetGlobalBuffer((__gm__ float *)out + first);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, count * sizeof(float));
    const LocalTensor<float> rows = buffer.Get<float>();
    for (uint32_t i = 0; i < TURNS; ++i) {
        CrossCoreWaitFlag(MADE);
        DataCopy(rows, tile, count); // taken
        if (waits) {
            CrossCoreSetFlag<2, PIPE_MTE2>(TAKEN);
        }
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
        Relu(rows, rows, static_cast<int32_t>(count));
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(outGm[i * M * N], rows, count);
        SetFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_MTE2>(EVENT_ID0);
    }
}

} // namespace

__global__ __aicore__ void matmul_relu(GM_ADDR a, GM_ADDR b, GM_ADDR out, GM_ADDR workspace)
{
    if ASCEND_IS_AIC {
        MultiplyTurns(a, b, workspace, true);
    } else {
        RectifyTurns(workspace, out, true);
    }
}
LAUNCHABLE(matmul_relu);

// All vector cores write a tensor; after SyncAll each reads what its neighbour wrote.
__global__ __aicore__ void neighbours(GM_ADDR out, GM_ADDR workspace)
{
    if ASCEND_IS_AIC {
        return;
    }
    constexpr uint32_t count = 8;
    const auto me = static_cast<uint32_t>(GetBlockIdx());
    const auto all = static_cast<uint32_t>(GetBlockNum() * GetSubBlockNum());
    GlobalTensor<float> shared;
    GlobalTensor<float> outGm;
    shared.SetGlobalBuffer((__gm__ float *)workspace);
    outGm.SetGlobalBuffer((__gm__ float *)out);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, count * sizeof(float));
    const LocalTensor<float> numbers = buffer.Get<float>();
    Duplicate(numbers, static_cast<float>(me), static_cast<int32_t>(count));
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(shared[me * count], numbers, count);
    SyncAll();
    DataCopy(numbers, shared[(me + 1) % all * count], count);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(outGm[me * count], numbers, count);
}
LAUNCHABLE(neighbours);

// ------------------------------------------------------------------ faults

// Nobody tells the cube core that the tile has been read.
__global__ __aicore__ void tile_overwritten(GM_ADDR a, GM_ADDR b, GM_ADDR out, GM_ADDR workspace)
{
    if ASCEND_IS_AIC {
        MultiplyTurns(a, b, workspace, false);
    } else {
        RectifyTurns(workspace, out, false);
    }
}
LAUNCHABLE(tile_overwritten);

__global__ __aicore__ void result_too_early(GM_ADDR a, GM_ADDR b, GM_ADDR c)
{
    GlobalTensor<float> cGm;
    cGm.SetGlobalBuffer((__gm__ float *)c, M * N);
    Matmul matmul(a, b);
    matmul.Load();
    matmul.Multiply();
    matmul.Out(cGm);
}
LAUNCHABLE(result_too_early);

// 2 · 3 fractals of C are too few for one Mmad to wait for the other by itself.
__global__ __aicore__ void small_products(GM_ADDR a, GM_ADDR b, GM_ADDR c)
{
    GlobalTensor<float> cGm;
    cGm.SetGlobalBuffer((__gm__ float *)c, M * N);
    Matmul matmul(a, b);
    matmul.Load();
    matmul.Multiply();
    Mmad(matmul.c, matmul.LeftL0(), matmul.RightL0(), MmadParams(M, N, K, 0, false, false)); // small_products
    matmul.Wait();
    matmul.Out(cGm);
}
LAUNCHABLE(small_products);

// On a cube core, barriers and events of the vector pipe are left out.
__global__ __aicore__ void cube_on_vector(GM_ADDR, GM_ADDR, GM_ADDR)
{
    PipeBarrier<PIPE_V>();
    if ASCEND_IS_AIV {
        PipeBarrier<PIPE_M>(); // cube_on_vector
    }
}
LAUNCHABLE(cube_on_vector);

__global__ __aicore__ void too_large_for_l0(GM_ADDR, GM_ADDR, GM_ADDR)
{
    TPipe pipe;
    TBuf<TPosition::A2> first;
    TBuf<TPosition::A2> second;
    pipe.InitBuffer(first, 32 * 1024);
    pipe.InitBuffer(second, 32 * 1024 + 512); // too_large_for_l0
}
LAUNCHABLE(too_large_for_l0);

// Only one of the two vector cores sets the flag.
__global__ __aicore__ void half_a_flag(GM_ADDR, GM_ADDR, GM_ADDR)
{
    if ASCEND_IS_AIC {
        CrossCoreWaitFlag(3); // half_a_flag
    } else if (GetSubBlockIdx() == 0) {
        CrossCoreSetFlag<2, PIPE_MTE3>(3);
    }
}
LAUNCHABLE(half_a_flag);

__global__ __aicore__ void flag_nobody_waits_for(GM_ADDR, GM_ADDR, GM_ADDR)
{
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<2, PIPE_FIX>(4); // flag_nobody_waits_for
    }
}
LAUNCHABLE(flag_nobody_waits_for);

__global__ __aicore__ void flag_overflow(GM_ADDR, GM_ADDR, GM_ADDR)
{
    for (int i = 0; i < 16; ++i) {
        if ASCEND_IS_AIC {
            CrossCoreSetFlag<2, PIPE_FIX>(4); // flag_overflow
        }
    }
    CrossCoreSetFlag<2, PIPE_MTE3>(5);
    CrossCoreWaitFlag(5);
    for (int i = 0; i < 16; ++i) {
        if ASCEND_IS_AIV {
            CrossCoreWaitFlag(4);
        }
    }
}
LAUNCHABLE(flag_overflow);

// ------------------------------------------------------------------ the scalar unit's cache

// Vector core 0 writes a number of GM by its scalar unit, and 1 reads it, which has read it before.
namespace {

void Meet()
{
    CrossCoreSetFlag<1, PIPE_MTE3>(6);
    CrossCoreWaitFlag(6);
}

void Exchange(GM_ADDR shared, bool writesBack, bool drops)
{
    if ASCEND_IS_AIC {
        return;
    }
    GlobalTensor<int32_t> number;
    number.SetGlobalBuffer((__gm__ int32_t *)shared);
    const bool reader = GetSubBlockIdx() == 1;
    if (reader) {
        (void)number.GetValue(0);
    }
    Meet();
    if (!reader) {
        number.SetValue(0, 5); // number_written
        if (writesBack) {
            DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE>(number);
        }
    }
    Meet();
    if (reader) {
        if (drops) {
            DataCacheCleanAndInvalid<int32_t, CacheLine::SINGLE_CACHE_LINE>(number);
        }
        number.SetValue(1, number.GetValue(0)); // number_read
    }
}

} // namespace

__global__ __aicore__ void number_passed(GM_ADDR shared)
{
    Exchange(shared, true, true);
}
LAUNCHABLE(number_passed);

__global__ __aicore__ void number_kept_back(GM_ADDR shared)
{
    Exchange(shared, false, true);
}
LAUNCHABLE(number_kept_back);

__global__ __aicore__ void number_stale(GM_ADDR shared)
{
    Exchange(shared, true, false);
}
LAUNCHABLE(number_stale);

// SyncAll of cube and vector cores: every vector core sees what its cube core has put out.
__global__ __aicore__ void matmul_then_all(GM_ADDR a, GM_ADDR b, GM_ADDR out, GM_ADDR workspace)
{
    GlobalTensor<float> tile;
    GlobalTensor<float> outGm;
    tile.SetGlobalBuffer((__gm__ float *)workspace);
    outGm.SetGlobalBuffer((__gm__ float *)out);
    if ASCEND_IS_AIC {
        Matmul matmul(a, b);
        matmul.Load();
        matmul.Multiply();
        matmul.Wait();
        matmul.Out(tile);
        SyncAll<false>();
        return;
    }
    constexpr uint32_t count = M * N / 2;
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, count * sizeof(float));
    SyncAll<false>();
    const auto first = static_cast<uint32_t>(GetSubBlockIdx()) * count;
    DataCopy(buffer.Get<float>(), tile[first], count);
    SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(outGm[first], buffer.Get<float>(), count);
}
LAUNCHABLE(matmul_then_all);

// The steps of sparse attention over a quantised cache, each in the strided forms that save passes over UB and L1.
#include "launch.h"

using namespace AscendC;

namespace {

constexpr uint32_t BLOCK = 32; // bytes
constexpr uint32_t FRACTAL = 256; // elements of 2 bytes
constexpr uint32_t NOPE = 512;
constexpr uint32_t ROPE = 64;
constexpr uint32_t COLUMNS = (NOPE + ROPE) / 16; // of 16 elements, of a slot
constexpr uint32_t SLOT = 64; // rows
constexpr uint32_t BATCH = 16; // rows that are dequantised at a time
constexpr uint32_t TILES = NOPE / 128; // each with a scale
constexpr uint32_t PITCH = 672; // bytes of a gathered row in UB: 512 codes, rope, 4 scales, 16 of padding
constexpr uint32_t ROW = 656; // bytes of a row in GM
constexpr uint32_t PITCH_BLOCKS = PITCH / BLOCK;

template <HardEvent event>
void Order(int32_t id = 0, Site site = Site::Here())
{
    SetFlag<event>(id, site);
    WaitFlag<event>(id, site);
}

// Codes of a batch → columns of 16 elements, a row each, as they lie in a slot.
template <typename T>
class Dequantiser {
public:
    Dequantiser()
    {
        pipe_.InitBuffer(gathered_, BATCH * PITCH);
        pipe_.InitBuffer(halves_, BATCH * NOPE * sizeof(half));
        pipe_.InitBuffer(floats_, BATCH * NOPE * sizeof(float));
        pipe_.InitBuffer(scales_, BATCH * BLOCK);
        pipe_.InitBuffer(blocks_, 2 * TILES * BATCH * BLOCK);
        pipe_.InitBuffer(rope_, BATCH * ROPE * sizeof(T));
    }

    void Gather(const GlobalTensor<uint8_t> &rows)
    {
        DataCopyPadExtParams<uint8_t> padding{true, 0, PITCH - ROW, 0};
        DataCopyPad(gathered_.Get<uint8_t>(), rows, {BATCH, ROW, 0, 0, 0}, padding);
        Order<HardEvent::MTE2_V>();
    }

    void Dequantise(RoundMode round)
    {
        const LocalTensor<uint8_t> rows = gathered_.Get<uint8_t>();
        const LocalTensor<half> halves = halves_.Get<half>();
        const LocalTensor<float> floats = floats_.Get<float>();
        const LocalTensor<float> blocks = blocks_.Get<float>();
        const LocalTensor<T> out = halves.template ReinterpretCast<T>();
        for (uint32_t tile = 0; tile < TILES; ++tile) {
            Cast(halves[tile * BATCH * 128], rows.ReinterpretCast<int8_t>()[tile * 128], RoundMode::CAST_NONE, 128, BATCH,
                {1, 1, 8, PITCH_BLOCKS});
        }
        Copy(scales_.Get<float>(), rows.ReinterpretCast<float>()[(NOPE + ROPE * sizeof(T)) / sizeof(float)], 64, BATCH / 8,
            {1, PITCH_BLOCKS, 8, 8 * PITCH_BLOCKS});
        for (uint32_t rows8 = 0; rows8 < BATCH / 8; ++rows8) {
            Copy(rope_.Get<T>()[rows8 * 8 * 16], rows.ReinterpretCast<T>()[(rows8 * 8 * PITCH + NOPE) / sizeof(T)], 128, 4,
                {1, PITCH_BLOCKS, BATCH, 1});
        }
        PipeBarrier<PIPE_V>();
        Cast(floats, halves, RoundMode::CAST_NONE, 64, 8 * BATCH, {1, 1, 8, 4});
        Brcb(blocks, scales_.Get<float>(), BATCH, {BATCH, 1});
        PipeBarrier<PIPE_V>();
        for (uint32_t side = 0; side < 2; ++side) { // rows of 16 blocks, all times the one block of their scale
            Mul(floats[side * 64], floats[side * 64], blocks, 64, TILES * BATCH, {1, 1, 0, 16, 16, 1});
        }
        PipeBarrier<PIPE_V>();
        for (uint32_t side = 0; side < 2; ++side) { // 64 elements go to 4 columns
            Cast(out[side * 4 * TILES * BATCH * 16], floats[side * 64], round, 64, TILES * BATCH, {TILES * BATCH, 1, 1, 16});
        }
        Order<HardEvent::V_MTE3>();
    }

    void Put(const GlobalTensor<T> &slot, uint32_t first)
    {
        constexpr uint32_t run = BATCH * BLOCK;
        const LocalTensor<T> out = halves_.Get<half>().template ReinterpretCast<T>();
        for (uint32_t tile = 0; tile < TILES; ++tile) {
            DataCopyPad(slot[(tile * 8 * SLOT + first) * 16], out[tile * BATCH * 16],
                DataCopyExtParams(8, run, (TILES - 1) * BATCH, (SLOT - BATCH) * BLOCK, 0));
        }
        DataCopyPad(slot[(NOPE / 16 * SLOT + first) * 16], rope_.Get<T>(), DataCopyExtParams(4, run, 0, (SLOT - BATCH) * BLOCK, 0));
        Order<HardEvent::MTE3_V>();
        Order<HardEvent::V_MTE2>();
    }

private:
    TPipe pipe_;
    TBuf<TPosition::VECCALC> gathered_;
    TBuf<TPosition::VECCALC> halves_;
    TBuf<TPosition::VECCALC> floats_;
    TBuf<TPosition::VECCALC> scales_;
    TBuf<TPosition::VECCALC> blocks_;
    TBuf<TPosition::VECCALC> rope_;
};

template <typename T>
void FillSlot(GM_ADDR rows, GM_ADDR slot, RoundMode round)
{
    GlobalTensor<uint8_t> rowsGm;
    GlobalTensor<T> slotGm;
    rowsGm.SetGlobalBuffer(rows);
    slotGm.SetGlobalBuffer((__gm__ T *)slot);
    Dequantiser<T> dequantiser;
    for (uint32_t first = 0; first < SLOT; first += BATCH) {
        dequantiser.Gather(rowsGm[static_cast<uint64_t>(first) * ROW]);
        dequantiser.Dequantise(round);
        dequantiser.Put(slotGm, first);
    }
}

} // namespace

__global__ __aicore__ void fill_half(GM_ADDR rows, GM_ADDR slot)
{
    FillSlot<half>(rows, slot, RoundMode::CAST_ROUND);
}
LAUNCHABLE(fill_half);

__global__ __aicore__ void fill_bfloat16(GM_ADDR rows, GM_ADDR slot)
{
    FillSlot<bfloat16_t>(rows, slot, RoundMode::CAST_RINT);
}
LAUNCHABLE(fill_bfloat16);

// ------------------------------------------------------------------ softmax of a tile

namespace {

constexpr uint32_t HEADS = 32;
constexpr uint32_t TILE = 128; // columns of scores

} // namespace

// Scores → exp(score · scale − max), in columns of 16 for the cube, with the maximum and the sum of each head.
__global__ __aicore__ void softmax_tile(GM_ADDR scores, GM_ADDR p, GM_ADDR maxima, GM_ADDR sums)
{
    constexpr float scale = 0.125F;
    GlobalTensor<float> scoresGm;
    GlobalTensor<half> pGm;
    GlobalTensor<float> maximaGm;
    GlobalTensor<float> sumsGm;
    scoresGm.SetGlobalBuffer((__gm__ float *)scores);
    pGm.SetGlobalBuffer((__gm__ half *)p);
    maximaGm.SetGlobalBuffer((__gm__ float *)maxima);
    sumsGm.SetGlobalBuffer((__gm__ float *)sums);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[7];
    const uint32_t bytes[] = {HEADS * TILE * 4, HEADS * TILE * 4, HEADS * 4, HEADS * 4, HEADS * BLOCK, BLOCK, HEADS * TILE * 2};
    for (uint32_t i = 0; i < 7; ++i) {
        pipe.InitBuffer(buffers[i], bytes[i]);
    }
    const LocalTensor<float> s = buffers[0].Get<float>();
    const LocalTensor<float> half2 = buffers[1].Get<float>(); // of each row, its halves made one
    const LocalTensor<float> most = buffers[2].Get<float>();
    const LocalTensor<float> sum = buffers[3].Get<float>();
    const LocalTensor<float> blocks = buffers[4].Get<float>();
    const LocalTensor<float> factor = buffers[5].Get<float>();
    const LocalTensor<half> out = buffers[6].Get<half>();
    DataCopy(s, scoresGm, HEADS * TILE);
    Order<HardEvent::MTE2_V>();
    Max(half2, s, s[64], 64, HEADS, {1, 1, 1, 8, 16, 16});
    Duplicate(factor, scale, 8);
    PipeBarrier<PIPE_V>();
    WholeReduceMax(most, half2, 64, HEADS, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    PipeBarrier<PIPE_V>();
    Muls(most, most, -scale, HEADS);
    PipeBarrier<PIPE_V>();
    Brcb(blocks, most, HEADS / 8, {1, 8});
    PipeBarrier<PIPE_V>();
    for (uint32_t side = 0; side < 2; ++side) { // s · scale − max
        FusedMulAdd(s[side * 64], factor, blocks, 64, HEADS, {1, 0, 0, 16, 0, 1});
    }
    PipeBarrier<PIPE_V>();
    Exp(s, s, HEADS * TILE);
    PipeBarrier<PIPE_V>();
    for (uint32_t side = 0; side < 2; ++side) { // 64 elements of a head go to 4 columns of all heads
        Cast(out[side * 4 * HEADS * 16], s[side * 64], RoundMode::CAST_RINT, 64, HEADS, {HEADS, 1, 1, 16});
    }
    Add(half2, s, s[64], 64, HEADS, {1, 1, 1, 8, 16, 16});
    PipeBarrier<PIPE_V>();
    WholeReduceSum(sum, half2, 64, HEADS, 1, 1, 8);
    Order<HardEvent::V_MTE3>();
    DataCopy(pGm, out, HEADS * TILE);
    DataCopy(maximaGm, most, HEADS);
    DataCopy(sumsGm, sum, HEADS);
}
LAUNCHABLE(softmax_tile);

// ------------------------------------------------------------------ products with a slot

namespace {

constexpr uint32_t QUERIES = 32;
constexpr uint32_t QUERY_FRACTALS = QUERIES / 16;
constexpr uint32_t SLOT_FRACTALS = SLOT / 16;
constexpr uint32_t CHUNK = 128; // columns of an L0 operand

// Q, P and a slot in L1. Both products read the one slot: for Q · Kᵀ as it is, for P · V transposed.
class Products {
public:
    Products(GM_ADDR q, GM_ADDR p, GM_ADDR slot)
    {
        GlobalTensor<half> qGm;
        GlobalTensor<half> pGm;
        GlobalTensor<half> slotGm;
        qGm.SetGlobalBuffer((__gm__ half *)q);
        pGm.SetGlobalBuffer((__gm__ half *)p);
        slotGm.SetGlobalBuffer((__gm__ half *)slot);
        pipe_.InitBuffer(q_, QUERIES * COLUMNS * BLOCK);
        pipe_.InitBuffer(p_, QUERIES * SLOT * sizeof(half));
        pipe_.InitBuffer(slot_, SLOT * COLUMNS * BLOCK);
        pipe_.InitBuffer(a_, 32 * 1024);
        pipe_.InitBuffer(b_, 32 * 1024);
        pipe_.InitBuffer(c_, 64 * 1024);
        DataCopy(q_.Get<half>(), qGm, Nd2NzParams(1, QUERIES, NOPE + ROPE, 0, NOPE + ROPE, QUERIES, 1, 0));
        DataCopy(p_.Get<half>(), pGm, QUERIES * SLOT);
        DataCopy(slot_.Get<half>(), slotGm, SLOT * COLUMNS * 16);
        Order<HardEvent::MTE2_MTE1>();
        c = c_.Get<float>();
    }

    // C = Q · Kᵀ
    void Scores()
    {
        for (uint32_t first = 0; first < NOPE + ROPE; first += CHUNK) {
            const uint32_t columns = std::min(CHUNK, NOPE + ROPE - first);
            const uint32_t fractals = columns / 16;
            for (uint32_t m = 0; m < QUERY_FRACTALS; ++m) {
                LoadData(A(m * fractals), q_.Get<half>()[first * QUERIES], LoadData2DParams(m, fractals, QUERY_FRACTALS, 0, 0, false, 0));
            }
            LoadData(B(0), slot_.Get<half>()[first * SLOT], LoadData2DParams(0, fractals * SLOT_FRACTALS, 1, 0, 0, false, 0));
            Multiply(QUERIES, SLOT, columns, first == 0);
        }
    }

    // Cᵀ = K · Qᵀ: the slot goes to L0A.
    void ScoresTurned()
    {
        for (uint32_t first = 0; first < NOPE + ROPE; first += CHUNK) {
            const uint32_t columns = std::min(CHUNK, NOPE + ROPE - first);
            LoadData(A(0), slot_.Get<half>()[first * SLOT], Image(columns, false));
            LoadData(B(0), q_.Get<half>()[first * QUERIES], LoadData2DParams(0, columns / 16 * QUERY_FRACTALS, 1, 0, 0, false, 0));
            Multiply(SLOT, QUERIES, columns, first == 0);
        }
    }

    // C = P · V of CHUNK columns, with V loaded in one instruction, or in one for each row of fractals.
    void Values(uint32_t first, bool byImage)
    {
        for (uint32_t m = 0; m < QUERY_FRACTALS; ++m) {
            LoadData(A(m * SLOT_FRACTALS), p_.Get<half>(), LoadData2DParams(m, SLOT_FRACTALS, QUERY_FRACTALS, 0, 0, false, 0));
        }
        const LocalTensor<half> columns = slot_.Get<half>()[first * SLOT];
        if (byImage) {
            LoadData(B(0), columns, Image(CHUNK, false));
        } else {
            for (uint32_t row = 0; row < SLOT_FRACTALS; ++row) {
                LoadData(B(row * CHUNK / 16), columns, LoadData2DParams(row, CHUNK / 16, SLOT_FRACTALS, 0, 0, true, 0));
            }
        }
        Multiply(QUERIES, CHUNK, SLOT, true);
    }

    // Cᵀ = Vᵀ · Pᵀ of CHUNK columns
    void ValuesTurned(uint32_t first)
    {
        const LocalTensor<half> columns = slot_.Get<half>()[first * SLOT];
        LoadData(A(0), columns, LoadData2DParams(0, CHUNK / 16 * SLOT_FRACTALS, 1, 0, 0, true, 0));
        LoadData(B(0), p_.Get<half>(), LoadData2DParams(0, SLOT_FRACTALS * QUERY_FRACTALS, 1, 0, 0, false, 0));
        Multiply(CHUNK, QUERIES, SLOT, true);
    }

    void Done()
    {
        Order<HardEvent::FIX_M>();
        Order<HardEvent::M_MTE1>(EVENT_ID3);
    }

    LocalTensor<float> c;

private:
    LocalTensor<half> A(uint32_t fractal)
    {
        return a_.Get<half>()[fractal * FRACTAL];
    }

    LocalTensor<half> B(uint32_t fractal)
    {
        return b_.Get<half>()[fractal * FRACTAL];
    }

    static LoadData3DParamsV2<half> Image(uint32_t columns, bool transpose)
    {
        const uint8_t padding[] = {0, 0, 0, 255};
        return LoadData3DParamsV2<half>(padding, SLOT_FRACTALS, 16, columns, columns, SLOT, 0, 0, 1, 1, 1, 1, 1, 1, transpose, false, 0);
    }

    void Multiply(uint32_t m, uint32_t n, uint32_t k, bool starts)
    {
        Order<HardEvent::MTE1_M>();
        Mmad(c, A(0), B(0), MmadParams(m, n, k, 0, false, starts));
        PipeBarrier<PIPE_M>();
        Order<HardEvent::M_MTE1>(EVENT_ID3);
        Order<HardEvent::M_FIX>();
    }

    TPipe pipe_;
    TBuf<TPosition::A1> q_;
    TBuf<TPosition::A1> p_;
    TBuf<TPosition::A1> slot_;
    TBuf<TPosition::A2> a_;
    TBuf<TPosition::B2> b_;
    TBuf<TPosition::CO1> c_;
};

} // namespace

__global__ __aicore__ void scores(GM_ADDR q, GM_ADDR p, GM_ADDR slot, GM_ADDR plain, GM_ADDR turned)
{
    GlobalTensor<float> plainGm;
    GlobalTensor<float> turnedGm;
    plainGm.SetGlobalBuffer((__gm__ float *)plain);
    turnedGm.SetGlobalBuffer((__gm__ float *)turned);
    Products products(q, p, slot);
    products.Scores();
    Fixpipe(plainGm, products.c, FixpipeParamsV220(SLOT, QUERIES, QUERIES, SLOT, false));
    products.Done();
    products.ScoresTurned();
    Fixpipe(turnedGm, products.c, FixpipeParamsV220(QUERIES, SLOT, SLOT, QUERIES, false));
}
LAUNCHABLE(scores);

// The values go to columns of 16 in GM, where the second way of loading V adds to what the first has left.
__global__ __aicore__ void values(GM_ADDR q, GM_ADDR p, GM_ADDR slot, GM_ADDR sums, GM_ADDR turned)
{
    GlobalTensor<float> sumsGm;
    GlobalTensor<float> turnedGm;
    sumsGm.SetGlobalBuffer((__gm__ float *)sums);
    turnedGm.SetGlobalBuffer((__gm__ float *)turned);
    Products products(q, p, slot);
    for (uint32_t first = 0; first < NOPE; first += CHUNK) {
        const FixpipeParamsV220 toColumns(CHUNK, QUERIES, QUERIES, QUERIES * 64 / BLOCK, false);
        products.Values(first, true);
        Fixpipe<float, float, CFG_NZ>(sumsGm[first * QUERIES], products.c, toColumns);
        PipeBarrier<PIPE_FIX>();
        products.Done();
        products.Values(first, false);
        SetAtomicAdd<float>();
        Fixpipe<float, float, CFG_NZ>(sumsGm[first * QUERIES], products.c, toColumns);
        SetAtomicNone();
        products.Done();
        products.ValuesTurned(first);
        Fixpipe(turnedGm[first * QUERIES], products.c, FixpipeParamsV220(QUERIES, CHUNK, CHUNK, QUERIES, false));
        products.Done();
    }
}
LAUNCHABLE(values);

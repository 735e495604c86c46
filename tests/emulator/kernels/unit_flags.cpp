// Mmad and Fixpipe that wait for each other by unit flags alone, and the faults of that. Lines that are named end in a mark.
#include "launch.h"

using namespace AscendC;

namespace {

constexpr uint32_t SIDE = 64; // of A, and of each turn's B and C
constexpr uint32_t COUNT = SIDE * SIDE;
constexpr uint32_t TURNS = 3;
constexpr uint8_t KEEPS = 2;
constexpr uint8_t FLIPS = 3;

// A and TURNS matrices B in L0. C of all turns is one tile of L0C.
class Products {
public:
    Products(GM_ADDR a, GM_ADDR b, GM_ADDR c)
    {
        aGm_.SetGlobalBuffer((__gm__ half *)a);
        bGm_.SetGlobalBuffer((__gm__ half *)b);
        cGm_.SetGlobalBuffer((__gm__ float *)c);
        pipe_.InitBuffer(aL1_, COUNT * sizeof(half));
        pipe_.InitBuffer(bL1_, TURNS * COUNT * sizeof(half));
        pipe_.InitBuffer(aL0_, COUNT * sizeof(half));
        pipe_.InitBuffer(bL0_, TURNS * COUNT * sizeof(half));
        pipe_.InitBuffer(cL0_, COUNT * sizeof(float));
        constexpr uint32_t fractals = COUNT / 256;
        DataCopy(aL1_.Get<half>(), aGm_, COUNT);
        DataCopy(bL1_.Get<half>(), bGm_, TURNS * COUNT);
        SetFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE1>(EVENT_ID0);
        LoadData(aL0_.Get<half>(), aL1_.Get<half>(), LoadData2DParams(0, fractals, 1, 0, 0, false, 0));
        LoadData(bL0_.Get<half>(), bL1_.Get<half>(), LoadData2DParams(0, TURNS * fractals, 1, 0, 0, false, 0));
        SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
        WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    }

    void Multiply(uint32_t turn, uint32_t rows, bool starts, uint8_t flag, Site site = Site::Here())
    {
        Mmad(cL0_.Get<float>(), aL0_.Get<half>(), bL0_.Get<half>()[turn * COUNT], MmadParams(rows, SIDE, SIDE, flag, false, starts), site);
    }

    // All of C, by the struct of Ascend 950.
    void PutOnArch35(uint32_t turn, uint8_t flag, Site site = Site::Here())
    {
        FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> params(SIDE, SIDE, SIDE, SIDE);
        params.params.ndNum = 1;
        params.unitFlag = flag;
        Fixpipe(cGm_[turn * COUNT], cL0_.Get<float>(), params, site);
    }

    // Columns first … first + count − 1 of C.
    void Put(uint32_t turn, uint32_t rows, uint32_t first, uint32_t count, uint8_t flag, Site site = Site::Here())
    {
        const uint32_t pitch = (rows + 15) / 16 * 16;
        FixpipeParamsV220 params(count, rows, pitch, SIDE, false);
        params.unitFlag = flag;
        Fixpipe(cGm_[turn * COUNT + first], cL0_.Get<float>()[first * pitch], params, site);
    }

private:
    TPipe pipe_;
    GlobalTensor<half> aGm_;
    GlobalTensor<half> bGm_;
    GlobalTensor<float> cGm_;
    TBuf<TPosition::A1> aL1_;
    TBuf<TPosition::B1> bL1_;
    TBuf<TPosition::A2> aL0_;
    TBuf<TPosition::B2> bL0_;
    TBuf<TPosition::CO1> cL0_;
};

} // namespace

// Each turn: A · B, once more added, put out in two halves. No event orders M and FIX.
__global__ __aicore__ void by_unit_flags(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR rows)
{
    const auto m = static_cast<uint32_t>(*(__gm__ int32_t *)rows);
    Products products(a, b, c);
    SetMMLayoutTransform(true);
    for (uint32_t turn = 0; turn < TURNS; ++turn) {
        products.Multiply(turn, m, true, KEEPS);
        PipeBarrier<PIPE_M>();
        products.Multiply(turn, m, false, FLIPS);
        products.Put(turn, m, 0, SIDE / 2, FLIPS);
        products.Put(turn, m, SIDE / 2, SIDE / 2, FLIPS);
    }
}
LAUNCHABLE(by_unit_flags);

__global__ __aicore__ void on_arch35(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR)
{
    Products products(a, b, c);
    for (uint32_t turn = 0; turn < TURNS; ++turn) {
        products.Multiply(turn, SIDE, true, FLIPS);
        products.PutOnArch35(turn, FLIPS);
    }
}
LAUNCHABLE(on_arch35);

// C is put out twice: the first Fixpipe leaves the flags set.
__global__ __aicore__ void put_twice(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR)
{
    Products products(a, b, c);
    products.Multiply(0, SIDE, true, FLIPS);
    products.Put(0, SIDE, 0, SIDE, KEEPS);
    products.Put(1, SIDE, 0, SIDE, FLIPS);
    products.Multiply(1, SIDE, true, FLIPS);
    products.Put(2, SIDE, 0, SIDE, FLIPS);
}
LAUNCHABLE(put_twice);

// ------------------------------------------------------------------ faults

// The second half of C is never put out, and nothing is multiplied behind it.
__global__ __aicore__ void half_is_left(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR)
{
    Products products(a, b, c);
    products.Multiply(0, SIDE, true, FLIPS); // half_is_left
    products.Put(0, SIDE, 0, SIDE / 2, FLIPS);
}
LAUNCHABLE(half_is_left);

// The same, and the next Mmad needs that half.
__global__ __aicore__ void half_is_needed(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR)
{
    Products products(a, b, c);
    products.Multiply(0, SIDE, true, FLIPS); // half_is_needed_first
    products.Put(0, SIDE, 0, SIDE / 2, FLIPS);
    products.Multiply(1, SIDE, true, FLIPS); // half_is_needed
}
LAUNCHABLE(half_is_needed);

// More is put out than was computed.
__global__ __aicore__ void too_much(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR)
{
    Products products(a, b, c);
    products.Multiply(0, SIDE / 2, true, FLIPS);
    products.Put(0, SIDE, 0, SIDE, FLIPS); // too_much
}
LAUNCHABLE(too_much);

// The last Mmad leaves the flags clear.
__global__ __aicore__ void never_flipped(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR)
{
    Products products(a, b, c);
    products.Multiply(0, SIDE, true, KEEPS);
    products.Put(0, SIDE, 0, SIDE, FLIPS); // never_flipped
}
LAUNCHABLE(never_flipped);

// Only Mmad has a flag: Fixpipe waits for nothing.
__global__ __aicore__ void one_sided(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR)
{
    Products products(a, b, c);
    products.Multiply(0, SIDE, true, FLIPS); // one_sided_first
    products.Put(0, SIDE, 0, SIDE, 0); // one_sided
}
LAUNCHABLE(one_sided);

__global__ __aicore__ void reserved(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR)
{
    Products products(a, b, c);
    products.Multiply(0, SIDE, true, 1); // reserved
}
LAUNCHABLE(reserved);

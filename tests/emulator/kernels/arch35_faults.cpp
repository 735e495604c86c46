// Kernels with exactly one fault that only Ascend 950 can have, or that it alone takes for one. The line that is to be
// named ends in a mark.
#include "launch.h"

using namespace AscendC;
using namespace AscendC::Reg;

namespace {

constexpr uint32_t LANES32 = VECTOR_REG_WIDTH / sizeof(float);
constexpr uint32_t COUNT = 4 * LANES32;
constexpr CastTrait SECOND_HALF = {RegLayout::ONE, SatMode::UNKNOWN, MaskMergeMode::ZEROING, RoundMode::UNKNOWN};

// A function of x and y, which have COUNT floats each: x is full but for its last 60, y is empty.
template <auto function>
__aicore__ inline void Run(GM_ADDR x, GM_ADDR z, Site site = Site::Here())
{
    GlobalTensor<float> xGm;
    GlobalTensor<float> zGm;
    xGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x));
    zGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(z));
    const LocalTensor<float> xUb(TPosition::VECIN, 1024, COUNT);
    const LocalTensor<float> yUb(TPosition::VECOUT, 1024 + COUNT * 4, COUNT);
    DataCopy(xUb, xGm, COUNT - 56);
    AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    VectorFunctionCall{site}.Start<function>((__ubuf__ float *)xUb.GetPhyAddr(), (__ubuf__ float *)yUb.GetPhyAddr());
}

} // namespace

// A kernel that calls the vector function of the same name.
#define CALLS(NAME) \
    namespace { \
    __global__ __aicore__ void run_##NAME(GM_ADDR x, GM_ADDR z) \
    { \
        Run<NAME>(x, z); \
    } \
    LAUNCHABLE(run_##NAME); \
    }

// ------------------------------------------------------------------ order inside a vector function

__simd_vf__ inline void load_behind_store(__ubuf__ float *x, __ubuf__ float *y)
{
    RegTensor<float> value;
    RegTensor<float> other;
    MaskReg all = CreateMask<float>();
    Reg::LoadAlign(value, x);
    Reg::StoreAlign(y, value, all); // load_behind_store_first
    Reg::LoadAlign(other, y); // load_behind_store
}
CALLS(load_behind_store)

__simd_vf__ inline void store_behind_load(__ubuf__ float *x, __ubuf__ float *)
{
    RegTensor<float> value;
    RegTensor<float> other;
    MaskReg all = CreateMask<float>();
    Reg::LoadAlign(value, x + LANES32);
    Reg::LoadAlign(other, x); // store_behind_load_first
    Reg::StoreAlign(x, value, all); // store_behind_load
}
CALLS(store_behind_load)

__simd_vf__ inline void store_behind_store(__ubuf__ float *x, __ubuf__ float *y)
{
    RegTensor<float> value;
    RegTensor<float> other;
    MaskReg all = CreateMask<float>();
    Reg::LoadAlign(value, x);
    Reg::LoadAlign(other, x + LANES32);
    Reg::StoreAlign(y, value, all); // store_behind_store_first
    Reg::StoreAlign(y + 8, other, all); // store_behind_store
}
CALLS(store_behind_store)

// All that is in order: through barriers, through what is stored, and in the next function.
__simd_vf__ inline void in_order(__ubuf__ float *x, __ubuf__ float *y)
{
    RegTensor<float> value;
    RegTensor<float> sum;
    MaskReg all = CreateMask<float>();
    Reg::Duplicate(sum, 0.0F);
    for (uint16_t i = 0; i < 3; ++i) {
        Reg::LoadAlign(value, x + i * LANES32);
        Reg::Add(sum, sum, value, all);
        Reg::StoreAlign(x + i * LANES32, sum, all); // of what was loaded there, and more
        Reg::StoreAlign(y, sum, all); // from the same register
    }
    Reg::LocalMemBar<MemType::VEC_STORE, MemType::VEC_LOAD>();
    Reg::LoadAlign(value, y);
    Reg::LoadAlign(sum, x);
    Reg::LocalMemBar<MemType::VEC_ALL, MemType::VEC_ALL>();
    Reg::StoreAlign(x, value, all);
    Reg::LocalMemBar<MemType::VEC_STORE, MemType::VEC_STORE>();
    Reg::StoreAlign(x, sum, all);
}

__simd_vf__ inline void next_function(__ubuf__ float *x, __ubuf__ float *y)
{
    RegTensor<float> value;
    MaskReg all = CreateMask<float>();
    Reg::LoadAlign(value, x);
    Reg::StoreAlign(y, value, all);
}

namespace {

__global__ __aicore__ void run_in_order(GM_ADDR x, GM_ADDR z)
{
    Run<in_order>(x, z);
    const LocalTensor<float> xUb(TPosition::VECIN, 1024, COUNT);
    const LocalTensor<float> yUb(TPosition::VECOUT, 1024 + COUNT * 4, COUNT);
    asc_vf_call<next_function>((__ubuf__ float *)xUb.GetPhyAddr(), (__ubuf__ float *)yUb.GetPhyAddr());
}
LAUNCHABLE(run_in_order);

} // namespace

// ------------------------------------------------------------------ registers without a value, masks of another width

__simd_vf__ inline void no_value(__ubuf__ float *x, __ubuf__ float *y)
{
    RegTensor<float> value;
    RegTensor<float> never;
    MaskReg all = CreateMask<float>();
    Reg::LoadAlign(value, x);
    Reg::Add(value, value, never, all); // no_value
    Reg::StoreAlign(y, value, all);
}
CALLS(no_value)

__simd_vf__ inline void no_bytes(__ubuf__ float *x, __ubuf__ float *y)
{
    RegTensor<float> value;
    MaskReg first = CreateMask<float, MaskPattern::VL8>();
    MaskReg all = CreateMask<float>();
    Reg::LoadAlign(value, x + 3 * LANES32);
    Reg::StoreAlign(y, value, first); // the elements that are there
    Reg::StoreAlign(y, value, all); // no_bytes
}
CALLS(no_bytes)

__simd_vf__ inline void no_mask(__ubuf__ float *x, __ubuf__ float *y)
{
    RegTensor<float> value;
    MaskReg never;
    Reg::LoadAlign(value, x);
    Reg::StoreAlign(y, value, never); // no_mask
}
CALLS(no_mask)

__simd_vf__ inline void wide_mask(__ubuf__ float *x, __ubuf__ float *)
{
    RegTensor<half> value;
    MaskReg floats = CreateMask<float>();
    Reg::LoadAlign(value, reinterpret_cast<__ubuf__ half *>(x));
    Reg::Abs(value, value, floats); // wide_mask
}
CALLS(wide_mask)

__simd_vf__ inline void wide_mask_of_cast(__ubuf__ float *x, __ubuf__ float *)
{
    RegTensor<half> value;
    RegTensor<float> wide;
    MaskReg floats = CreateMask<float>();
    MaskReg halves = CreateMask<half>();
    Reg::LoadAlign(value, reinterpret_cast<__ubuf__ half *>(x));
    Reg::Cast<float, half, SECOND_HALF>(wide, value, halves);
    Reg::Cast<float, half, SECOND_HALF>(wide, value, floats); // wide_mask_of_cast
}
CALLS(wide_mask_of_cast)

__simd_vf__ inline void too_large(__ubuf__ float *x, __ubuf__ float *)
{
    RegTensor<float> value;
    MaskReg all = CreateMask<float>();
    Reg::LoadAlign(value, x);
    Reg::Muls(value, value, 1e30F, all);
    Reg::Mul(value, value, value, all); // too_large
}
CALLS(too_large)

// ------------------------------------------------------------------ what ends a launch

__simd_vf__ inline void past_buffer(__ubuf__ float *x, __ubuf__ float *)
{
    RegTensor<float> value;
    Reg::LoadAlign(value, x + COUNT - LANES32 + 8); // past_buffer
}
CALLS(past_buffer)

__simd_vf__ inline void before_buffer(__ubuf__ float *x, __ubuf__ float *y)
{
    RegTensor<float> value;
    MaskReg all = CreateMask<float>();
    Reg::LoadAlign(value, x);
    Reg::StoreAlign(y - 8, value, all); // before_buffer
}
CALLS(before_buffer)

__simd_vf__ inline void before_memory(__ubuf__ float *x, __ubuf__ float *)
{
    RegTensor<float> value;
    Reg::LoadAlign(value, x - 512); // before_memory
}
CALLS(before_memory)

__simd_vf__ inline void unaligned(__ubuf__ float *x, __ubuf__ float *)
{
    RegTensor<float> value;
    Reg::LoadAlign<float, LoadDist::DIST_BRC_B32>(value, x + 1);
    Reg::LoadAlign(value, x + 1); // unaligned
}
CALLS(unaligned)

__simd_vf__ inline void far_blocks(__ubuf__ float *x, __ubuf__ float *)
{
    RegTensor<float> value;
    MaskReg all = CreateMask<float>();
    Reg::LoadAlign<float, DataCopyMode::DATA_BLOCK_COPY>(value, x, 65536, all); // far_blocks
}
CALLS(far_blocks)

__simd_vf__ inline void copies(__ubuf__ float *, __ubuf__ float *)
{
    const LocalTensor<float> xUb(TPosition::VECIN, 1024, COUNT);
    const LocalTensor<float> yUb(TPosition::VECOUT, 1024 + COUNT * 4, COUNT);
    AscendC::DataCopy(yUb, xUb, LANES32); // copies
}
CALLS(copies)

__simd_vf__ inline void reads_one(__ubuf__ float *, __ubuf__ float *)
{
    const LocalTensor<float> xUb(TPosition::VECIN, 1024, COUNT);
    static_cast<void>(xUb.GetValue(0)); // reads_one
}
CALLS(reads_one)

namespace {

__global__ __aicore__ void run_outside(GM_ADDR, GM_ADDR)
{
    const LocalTensor<float> xUb(TPosition::VECIN, 1024, COUNT);
    RegTensor<float> value;
    Reg::LoadAlign(value, (__ubuf__ float *)xUb.GetPhyAddr()); // outside
}
LAUNCHABLE(run_outside);

__global__ __aicore__ void run_called(GM_ADDR x, GM_ADDR z)
{
    Run<in_order>(x, z); // called
}
LAUNCHABLE(run_called);

__global__ __aicore__ void run_copies_in_scope(GM_ADDR, GM_ADDR)
{
    const LocalTensor<float> xUb(TPosition::VECIN, 1024, COUNT);
    __VEC_SCOPE__
    {
        AscendC::DataCopy(xUb[LANES32], xUb, LANES32); // copies_in_scope
    }
}
LAUNCHABLE(run_copies_in_scope);

__global__ __aicore__ void run_scope_too_early(GM_ADDR x, GM_ADDR)
{
    GlobalTensor<float> xGm;
    xGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x));
    const LocalTensor<float> xUb(TPosition::VECIN, 1024, COUNT);
    DataCopy(xUb, xGm, COUNT); // scope_too_early_first
    auto *from = (__ubuf__ float *)xUb.GetPhyAddr();
    __VEC_SCOPE__ // scope_too_early_scope
    {
        RegTensor<float> value;
        Reg::LoadAlign(value, from); // scope_too_early
    }
}
LAUNCHABLE(run_scope_too_early);

// ------------------------------------------------------------------ what the chip or the core lacks

const LocalTensor<half> OnL1(uint32_t address)
{
    return LocalTensor<half>(TPosition::A1, address, 1024);
}

__global__ __aicore__ void run_two_directions(GM_ADDR, GM_ADDR)
{
    LoadData(LocalTensor<half>(TPosition::A2, 0, 1024), OnL1(0), LoadData2DParamsV2(0, 0, 1, 1, 1, 1, false, 0)); // two_directions
}
LAUNCHABLE(run_two_directions);

__global__ __aicore__ void run_fill_l0a(GM_ADDR, GM_ADDR)
{
    Fill(LocalTensor<half>(TPosition::A2, 0, 1024), InitConstValueParams<half>(1, 2, 0, half(0.0F))); // fill_l0a
}
LAUNCHABLE(run_fill_l0a);

__global__ __aicore__ void run_transpose_to_l0a(GM_ADDR, GM_ADDR)
{
    LoadDataWithTranspose(LocalTensor<half>(TPosition::A2, 0, 1024), OnL1(0), LoadData2dTransposeParams(0, 1, 1, 0, 0)); // transpose_to_l0a
}
LAUNCHABLE(run_transpose_to_l0a);

__global__ __aicore__ void run_image_to_column(GM_ADDR, GM_ADDR)
{
    LoadData(LocalTensor<half>(TPosition::A2, 0, 1024), OnL1(0), LoadData3DParamsV2<half>()); // image_to_column
}
LAUNCHABLE(run_image_to_column);

__global__ __aicore__ void run_l1_to_gm(GM_ADDR, GM_ADDR z)
{
    GlobalTensor<half> zGm;
    zGm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(z));
    Fill(OnL1(0), InitConstValueParams<half>(1, 32, 0, half(0.0F)));
    AscendC::SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    AscendC::WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    DataCopy(zGm, OnL1(0), 256); // l1_to_gm
}
LAUNCHABLE(run_l1_to_gm);

__global__ __aicore__ void run_gm_to_ub_of_others(GM_ADDR x, GM_ADDR)
{
    if ASCEND_IS_AIC {
        GlobalTensor<float> xGm;
        xGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x));
        DataCopy(LocalTensor<float>(TPosition::VECIN, 0, COUNT), xGm, COUNT); // gm_to_ub_of_others
    }
}
LAUNCHABLE(run_gm_to_ub_of_others);

__global__ __aicore__ void run_gm_to_l1_of_others(GM_ADDR x, GM_ADDR)
{
    if ASCEND_IS_AIV {
        GlobalTensor<half> xGm;
        xGm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(x));
        DataCopy(OnL1(0), xGm, 256); // gm_to_l1_of_others
    }
}
LAUNCHABLE(run_gm_to_l1_of_others);

__global__ __aicore__ void run_scalar_of_others(GM_ADDR, GM_ADDR)
{
    if ASCEND_IS_AIC {
        static_cast<void>(LocalTensor<float>(TPosition::VECIN, 0, COUNT).GetValue(0)); // scalar_of_others
    }
}
LAUNCHABLE(run_scalar_of_others);

constexpr FixpipeConfig ROWS_TO_UB = {CO2Layout::ROW_MAJOR, true};
constexpr FixpipeConfig NZ_TO_UB = {CO2Layout::NZ, true};

template <const FixpipeConfig &config, CO2Layout layout>
__aicore__ inline void ToUb(uint16_t columns, uint16_t rows, uint8_t targets, Site site)
{
    if ASCEND_IS_AIC {
        FixpipeParamsArch3510<layout> params(columns, rows, 16, 512);
        params.dualDstCtl = targets;
        Fixpipe<float, float, config>(LocalTensor<float>(TPosition::VECIN, 0, COUNT), LocalTensor<float>(TPosition::CO1, 0, 256), params, site);
    }
}

__global__ __aicore__ void run_to_ub(GM_ADDR, GM_ADDR)
{
    ToUb<ROWS_TO_UB, CO2Layout::ROW_MAJOR>(16, 16, 1, Site::Here()); // to_ub
}
LAUNCHABLE(run_to_ub);

__global__ __aicore__ void run_odd_rows(GM_ADDR, GM_ADDR)
{
    ToUb<ROWS_TO_UB, CO2Layout::ROW_MAJOR>(16, 15, 1, Site::Here()); // odd_rows
}
LAUNCHABLE(run_odd_rows);

__global__ __aicore__ void run_odd_columns(GM_ADDR, GM_ADDR)
{
    ToUb<NZ_TO_UB, CO2Layout::NZ>(48, 16, 2, Site::Here()); // odd_columns
}
LAUNCHABLE(run_odd_columns);

__global__ __aicore__ void run_third_target(GM_ADDR, GM_ADDR)
{
    ToUb<NZ_TO_UB, CO2Layout::NZ>(32, 16, 3, Site::Here()); // third_target
}
LAUNCHABLE(run_third_target);

__global__ __aicore__ void run_ub_to_l1(GM_ADDR, GM_ADDR)
{
    if ASCEND_IS_AIV {
        const LocalTensor<half> part(TPosition::VECIN, 0, 256);
        Duplicate(part, half(0.0F), 256);
        AscendC::SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        AscendC::WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(OnL1(static_cast<uint32_t>(GetSubBlockIdx() * 512)), part, 256); // ub_to_l1
    }
}
LAUNCHABLE(run_ub_to_l1);

// ------------------------------------------------------------------ flags between a cube core and one vector core

__global__ __aicore__ void run_flag_of_mode_4(GM_ADDR, GM_ADDR)
{
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<4, PIPE_FIX>(16); // flag_of_mode_4
    } else if (GetSubBlockIdx() == 1) {
        CrossCoreWaitFlag<4, PIPE_V>(0);
    }
}
LAUNCHABLE(run_flag_of_mode_4);

__global__ __aicore__ void run_flag_11(GM_ADDR, GM_ADDR)
{
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<4, PIPE_FIX>(11); // flag_11
    }
}
LAUNCHABLE(run_flag_11);

__global__ __aicore__ void run_flag_of_the_other(GM_ADDR, GM_ADDR)
{
    if ASCEND_IS_AIV {
        CrossCoreWaitFlag<4, PIPE_V>(16); // flag_of_the_other
    }
}
LAUNCHABLE(run_flag_of_the_other);

// Flags of mode 2 and 4 with the same number are two flags.
__global__ __aicore__ void run_other_mode(GM_ADDR, GM_ADDR)
{
    if ASCEND_IS_AIC {
        CrossCoreSetFlag<2, PIPE_FIX>(3); // other_mode_set
    } else {
        CrossCoreWaitFlag<4, PIPE_MTE3>(3); // other_mode
    }
}
LAUNCHABLE(run_other_mode);

__global__ __aicore__ void run_flag_too_many(GM_ADDR, GM_ADDR)
{
    if ASCEND_IS_AIC {
        for (int i = 0; i < 16; ++i) {
            CrossCoreSetFlag<4, PIPE_S>(17); // flag_too_many
        }
    } else if (GetSubBlockIdx() == 1) {
        for (int i = 0; i < 16; ++i) {
            CrossCoreWaitFlag<4>(1);
        }
    }
}
LAUNCHABLE(run_flag_too_many);

__global__ __aicore__ void run_event_of_the_pipe(GM_ADDR, GM_ADDR)
{
    TPipe pipe;
    if ASCEND_IS_AIC {
        AscendC::SetFlag<HardEvent::M_MTE1>(EVENT_ID1); // event_of_the_pipe
        AscendC::WaitFlag<HardEvent::M_MTE1>(EVENT_ID1);
    }
}
LAUNCHABLE(run_event_of_the_pipe);

} // namespace

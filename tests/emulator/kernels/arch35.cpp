// Right kernels for Ascend 950: vector registers, and a cube core with its vector cores without GM between them.
#include "launch.h"

using namespace AscendC;
using namespace AscendC::Reg;

namespace {

constexpr uint32_t LANES32 = VECTOR_REG_WIDTH / sizeof(float);

// ------------------------------------------------------------------ vector add

constexpr uint32_t COUNT = 1000; // not whole registers
constexpr uint32_t ROOM = 1024;

__simd_vf__ inline void AddVF(__ubuf__ float *z, __ubuf__ float *x, __ubuf__ float *y, uint32_t count, uint16_t turns)
{
    RegTensor<float> left;
    RegTensor<float> right;
    MaskReg mask;
    for (uint16_t i = 0; i < turns; ++i) {
        mask = UpdateMask<float>(count);
        Reg::LoadAlign<float, PostLiteral::POST_MODE_UPDATE>(left, x, LANES32);
        Reg::LoadAlign(right, y + i * LANES32);
        Reg::Add(left, left, right, mask);
        Reg::StoreAlign(z + i * LANES32, left, mask);
    }
}

__global__ __aicore__ void add_registers(GM_ADDR x, GM_ADDR y, GM_ADDR z)
{
    GlobalTensor<float> xGm;
    GlobalTensor<float> yGm;
    GlobalTensor<float> zGm;
    xGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x) + GetBlockIdx() * COUNT);
    yGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(y) + GetBlockIdx() * COUNT);
    zGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(z) + GetBlockIdx() * COUNT);
    const LocalTensor<float> xUb(TPosition::VECIN, 0, ROOM);
    const LocalTensor<float> yUb(TPosition::VECIN, ROOM * 4, ROOM);
    const LocalTensor<float> zUb(TPosition::VECOUT, ROOM * 8, ROOM);
    DataCopy(xUb, xGm, COUNT);
    DataCopy(yUb, yGm, COUNT);
    AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    asc_vf_call<AddVF>((__ubuf__ float *)zUb.GetPhyAddr(), (__ubuf__ float *)xUb.GetPhyAddr(), (__ubuf__ float *)yUb.GetPhyAddr(),
        COUNT, ROOM / LANES32);
    AscendC::SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    AscendC::WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(zGm, zUb, COUNT);
}
LAUNCHABLE(add_registers);

// The same with the code in the kernel.
__global__ __aicore__ void add_in_scope(GM_ADDR x, GM_ADDR y, GM_ADDR z)
{
    GlobalTensor<float> xGm;
    GlobalTensor<float> yGm;
    GlobalTensor<float> zGm;
    xGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x) + GetBlockIdx() * COUNT);
    yGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(y) + GetBlockIdx() * COUNT);
    zGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(z) + GetBlockIdx() * COUNT);
    const LocalTensor<float> xUb(TPosition::VECIN, 0, ROOM);
    const LocalTensor<float> yUb(TPosition::VECIN, ROOM * 4, ROOM);
    const LocalTensor<float> zUb(TPosition::VECOUT, ROOM * 8, ROOM);
    DataCopy(xUb, xGm, COUNT);
    DataCopy(yUb, yGm, COUNT);
    AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    auto *left = (__ubuf__ float *)xUb.GetPhyAddr();
    auto *right = (__ubuf__ float *)yUb.GetPhyAddr();
    auto *sum = (__ubuf__ float *)zUb.GetPhyAddr();
    uint32_t count = COUNT;
    __VEC_SCOPE__
    {
        RegTensor<float> a;
        RegTensor<float> b;
        MaskReg mask;
        for (uint16_t i = 0; i < ROOM / LANES32; ++i) {
            mask = UpdateMask<float>(count);
            MicroAPI::DataCopy(a, left + i * LANES32);
            MicroAPI::DataCopy(b, right + i * LANES32);
            MicroAPI::Add(a, a, b, mask);
            MicroAPI::DataCopy(sum + i * LANES32, a, mask);
        }
    }
    AscendC::SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    AscendC::WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(zGm, zUb, COUNT);
}
LAUNCHABLE(add_in_scope);

// ------------------------------------------------------------------ dequantisation of rows

constexpr uint32_t ROW = 512;
constexpr uint32_t GROUP = 128; // elements of a scale
constexpr uint32_t PITCH = ROW + 32;
constexpr uint16_t ROWS = 8;

constexpr CastTrait WIDENS = {RegLayout::ZERO, SatMode::UNKNOWN, MaskMergeMode::ZEROING, RoundMode::UNKNOWN};
constexpr CastTrait TO_FLOAT = {RegLayout::UNKNOWN, SatMode::UNKNOWN, MaskMergeMode::ZEROING, RoundMode::CAST_RINT};
constexpr CastTrait NARROWS = {RegLayout::ZERO, SatMode::NO_SAT, MaskMergeMode::ZEROING, RoundMode::CAST_RINT};

template <typename T>
__simd_callee__ inline void ToFloat(RegTensor<float> &dst, RegTensor<T> &src, MaskReg &bytes, MaskReg &all)
{
    if constexpr (std::is_same<T, int8_t>::value) {
        RegTensor<int32_t> whole;
        Reg::Cast<int32_t, int8_t, WIDENS>(whole, src, bytes);
        Reg::Cast<float, int32_t, TO_FLOAT>(dst, whole, all);
    } else {
        Reg::Cast<float, T, WIDENS>(dst, src, bytes);
    }
}

template <typename T>
__simd_vf__ inline void DequantiseVF(__ubuf__ bfloat16_t *out, __ubuf__ T *rows, __ubuf__ float *scales, uint16_t count)
{
    RegTensor<T> packed;
    RegTensor<float> scale;
    RegTensor<float> value;
    RegTensor<bfloat16_t> narrow;
    MaskReg all = CreateMask<float>();
    MaskReg bytes = CreateMask<uint8_t>();
    for (uint16_t row = 0; row < count; ++row) {
        for (uint16_t part = 0; part < ROW / LANES32; ++part) {
            Reg::LoadAlign<T, LoadDist::DIST_UNPACK4_B8>(packed, rows + row * PITCH + part * LANES32);
            Reg::LoadAlign<float, LoadDist::DIST_BRC_B32>(scale, scales + row * (PITCH / 4) + part * LANES32 / GROUP);
            ToFloat(value, packed, bytes, all);
            Reg::Mul(value, value, scale, all);
            Reg::Cast<bfloat16_t, float, NARROWS>(narrow, value, all);
            Reg::StoreAlign<bfloat16_t, StoreDist::DIST_PACK_B32>(out + row * ROW + part * LANES32, narrow, all);
        }
    }
}

template <typename T, auto function>
__aicore__ inline void Dequantise(GM_ADDR x, GM_ADDR y)
{
    GlobalTensor<T> xGm;
    GlobalTensor<bfloat16_t> yGm;
    xGm.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(x));
    yGm.SetGlobalBuffer(reinterpret_cast<__gm__ bfloat16_t *>(y));
    const LocalTensor<T> rows(TPosition::VECIN, 0, ROWS * PITCH);
    const LocalTensor<float> scales(TPosition::VECIN, ROW, (ROWS * PITCH - ROW) / 4); // behind each row
    const LocalTensor<bfloat16_t> out(TPosition::VECOUT, ROWS * PITCH, ROWS * ROW);
    DataCopyPad(rows, xGm, DataCopyExtParams(ROWS, ROW + 16, 0, 0, 0), DataCopyPadExtParams<T>());
    AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    AscendC::VF_CALL<function>((__ubuf__ bfloat16_t *)out.GetPhyAddr(), (__ubuf__ T *)rows.GetPhyAddr(),
        (__ubuf__ float *)scales.GetPhyAddr(), ROWS);
    AscendC::SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    AscendC::WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(yGm, out, ROWS * ROW);
}

__global__ __aicore__ void dequantise_int8(GM_ADDR x, GM_ADDR y)
{
    Dequantise<int8_t, DequantiseVF<int8_t>>(x, y);
}
LAUNCHABLE(dequantise_int8);

__global__ __aicore__ void dequantise_float8_e4m3(GM_ADDR x, GM_ADDR y)
{
    Dequantise<fp8_e4m3fn_t, DequantiseVF<fp8_e4m3fn_t>>(x, y);
}
LAUNCHABLE(dequantise_float8_e4m3);

__global__ __aicore__ void dequantise_hifloat8(GM_ADDR x, GM_ADDR y)
{
    Dequantise<hifloat8_t, DequantiseVF<hifloat8_t>>(x, y);
}
LAUNCHABLE(dequantise_hifloat8);

// The same with whole registers of 8-bit numbers, to columns of 16 with all rows one below the other, as the cube wants them.

constexpr CastTrait WIDENS_1 = {RegLayout::ONE, SatMode::UNKNOWN, MaskMergeMode::ZEROING, RoundMode::UNKNOWN};
constexpr CastTrait WIDENS_2 = {RegLayout::TWO, SatMode::UNKNOWN, MaskMergeMode::ZEROING, RoundMode::UNKNOWN};
constexpr CastTrait WIDENS_3 = {RegLayout::THREE, SatMode::UNKNOWN, MaskMergeMode::ZEROING, RoundMode::UNKNOWN};
constexpr CastTrait NARROWS_ODD = {RegLayout::ONE, SatMode::NO_SAT, MaskMergeMode::ZEROING, RoundMode::CAST_RINT};

// Even and odd elements to 128 halves in order, and those to 8 blocks.
__simd_callee__ inline void StoreColumns(__ubuf__ bfloat16_t *out, RegTensor<float> &even, RegTensor<float> &odd, MaskReg &floats, MaskReg &halves)
{
    RegTensor<bfloat16_t> low;
    RegTensor<bfloat16_t> high;
    Reg::Cast<bfloat16_t, float, NARROWS>(low, even, floats);
    Reg::Cast<bfloat16_t, float, NARROWS_ODD>(high, odd, floats);
    Reg::Or((RegTensor<uint16_t> &)low, (RegTensor<uint16_t> &)low, (RegTensor<uint16_t> &)high, halves);
    Reg::StoreAlign<bfloat16_t, DataCopyMode::DATA_BLOCK_COPY>(out, low, ROWS, halves);
}

template <typename T>
__simd_vf__ inline void ColumnsVF(__ubuf__ bfloat16_t *out, __ubuf__ T *rows, __ubuf__ float *scales, uint16_t count)
{
    RegTensor<T> packed;
    RegTensor<float> first;
    RegTensor<float> second;
    RegTensor<float> scale;
    RegTensor<float> quarter[4];
    RegTensor<float> even[2];
    RegTensor<float> odd[2];
    MaskReg floats = CreateMask<float>();
    MaskReg halves = CreateMask<uint16_t>();
    MaskReg bytes = CreateMask<uint8_t>();
    MaskReg lower = CreateMask<float, MaskPattern::VL32>();
    for (uint16_t row = 0; row < count; ++row) {
        for (uint16_t part = 0; part < ROW / VECTOR_REG_WIDTH; ++part) {
            auto *to = out + row * 16 + part * VECTOR_REG_WIDTH * ROWS;
            Reg::LoadAlign(packed, rows + row * PITCH + part * VECTOR_REG_WIDTH);
            Reg::LoadAlign<float, LoadDist::DIST_BRC_B32>(first, scales + row * (PITCH / 4) + part * 2);
            Reg::LoadAlign<float, LoadDist::DIST_BRC_B32>(second, scales + row * (PITCH / 4) + part * 2 + 1);
            Reg::Select(scale, first, second, lower);
            Reg::Cast<float, T, WIDENS>(quarter[0], packed, bytes);
            Reg::Cast<float, T, WIDENS_1>(quarter[1], packed, bytes);
            Reg::Cast<float, T, WIDENS_2>(quarter[2], packed, bytes);
            Reg::Cast<float, T, WIDENS_3>(quarter[3], packed, bytes);
            for (uint16_t i = 0; i < 4; ++i) {
                Reg::Mul(quarter[i], quarter[i], scale, floats);
            }
            Reg::Interleave(even[0], even[1], quarter[0], quarter[2]);
            Reg::Interleave(odd[0], odd[1], quarter[1], quarter[3]);
            StoreColumns(to, even[0], odd[0], floats, halves);
            StoreColumns(to + GROUP * ROWS, even[1], odd[1], floats, halves);
        }
    }
}

__global__ __aicore__ void columns_float8_e4m3(GM_ADDR x, GM_ADDR y)
{
    Dequantise<fp8_e4m3fn_t, ColumnsVF<fp8_e4m3fn_t>>(x, y);
}
LAUNCHABLE(columns_float8_e4m3);

__global__ __aicore__ void columns_hifloat8(GM_ADDR x, GM_ADDR y)
{
    Dequantise<hifloat8_t, ColumnsVF<hifloat8_t>>(x, y);
}
LAUNCHABLE(columns_hifloat8);

// ------------------------------------------------------------------ relu(A · B) · D, with the middle in UB and L1

constexpr uint16_t M = 32;
constexpr uint16_t N = 48;
constexpr uint16_t K = 64;
constexpr uint16_t HALF_M = M / 2;
constexpr uint16_t TURNS = 3;

constexpr uint32_t A_L1 = 0;
constexpr uint32_t B_L1 = A_L1 + M * K * 2;
constexpr uint32_t D_L1 = B_L1 + K * N * 2;
constexpr uint32_t P_L1 = D_L1 + N * N * 2;
constexpr uint32_t S_UB = 0; // landing, a register longer than the rows
constexpr uint32_t P_UB = 4096;

constexpr FixpipeConfig ROWS_TO_UB = {CO2Layout::ROW_MAJOR, true};

// Flags of mode 4: one for each direction and buffer, and 16 more for the second vector core.
constexpr uint16_t S_READY = 0;
constexpr uint16_t S_FREE = 1;
constexpr uint16_t P_READY = 2;
constexpr uint16_t P_FREE = 3;
constexpr uint16_t SECOND = 16;

// The order that is left out of a launch: a flag between cores, or 100 and the number of an event; −1 for none.
int32_t leftOut = -1;

template <pipe_t pipe>
__aicore__ inline void Set(uint16_t flag)
{
    if (leftOut != flag % SECOND) {
        CrossCoreSetFlag<4, pipe>(flag);
    }
}

template <pipe_t pipe>
__aicore__ inline void Await(uint16_t flag)
{
    if (leftOut != flag % SECOND) {
        CrossCoreWaitFlag<4, pipe>(flag);
    }
}

template <pipe_t pipe>
__aicore__ inline void SetBoth(uint16_t flag)
{
    Set<pipe>(flag);
    Set<pipe>(flag + SECOND);
}

template <pipe_t pipe>
__aicore__ inline void AwaitBoth(uint16_t flag)
{
    Await<pipe>(flag);
    Await<pipe>(flag + SECOND);
}

template <HardEvent event>
__aicore__ inline void Set()
{
    if (leftOut != 100 + static_cast<int32_t>(event)) {
        AscendC::SetFlag<event>(EVENT_ID0);
    }
}

template <HardEvent event>
__aicore__ inline void Await()
{
    if (leftOut != 100 + static_cast<int32_t>(event)) {
        AscendC::WaitFlag<event>(EVENT_ID0);
    }
}

// What the one pipe does next comes after what the other has done.
template <HardEvent event>
__aicore__ inline void Order()
{
    Set<event>();
    Await<event>();
}

// Rows of floats to halves in NZ, with nothing below zero.
__simd_vf__ inline void ReluVF(__ubuf__ half *p, __ubuf__ float *s, uint16_t rows)
{
    RegTensor<float> value;
    RegTensor<half> apart;
    RegTensor<half> zeros;
    RegTensor<half> together;
    RegTensor<half> rest;
    uint32_t columns = N;
    uint32_t halves = N;
    MaskReg mask = UpdateMask<float>(columns);
    MaskReg packed = UpdateMask<half>(halves);
    Reg::Duplicate(zeros, half(0.0F));
    for (uint16_t row = 0; row < rows; ++row) {
        Reg::LoadAlign(value, s + row * N);
        Reg::Maxs(value, value, 0.0F, mask);
        Reg::Cast<half, float, NARROWS>(apart, value, mask);
        Reg::DeInterleave(together, rest, apart, zeros);
        Reg::StoreAlign<half, DataCopyMode::DATA_BLOCK_COPY>(p + row * 16, together, HALF_M, packed);
    }
}

__aicore__ inline void Activate()
{
    const auto rowOffset = static_cast<uint32_t>(GetSubBlockIdx() * HALF_M * 16);
    const LocalTensor<float> s(TPosition::VECIN, S_UB, 1024);
    const LocalTensor<half> p(TPosition::VECOUT, P_UB, HALF_M * N);
    const LocalTensor<half> pL1(TPosition::A1, P_L1, M * N);
    Set<PIPE_V>(S_FREE);
    Set<HardEvent::MTE3_V>();
    for (uint16_t turn = 0; turn < TURNS; ++turn) {
        Await<PIPE_V>(S_READY);
        Await<HardEvent::MTE3_V>();
        asc_vf_call<ReluVF>((__ubuf__ half *)p.GetPhyAddr(), (__ubuf__ float *)s.GetPhyAddr(), HALF_M);
        Set<PIPE_V>(S_FREE);
        Order<HardEvent::V_MTE3>();
        Await<PIPE_MTE3>(P_FREE);
        DataCopy(pL1[rowOffset], p, DataCopyParams(N / 16, HALF_M, 0, M - HALF_M));
        Set<PIPE_MTE3>(P_READY);
        Set<HardEvent::MTE3_V>();
    }
    Await<HardEvent::MTE3_V>();
    Await<PIPE_MTE3>(P_FREE);
}

__aicore__ inline void LoadInputs(GM_ADDR a, GM_ADDR b, GM_ADDR d)
{
    GlobalTensor<half> gm;
    gm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(a));
    DataCopy(LocalTensor<half>(TPosition::A1, A_L1, M * K), gm, Nd2NzParams(1, M, K, 0, K, M, 1, 0));
    gm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(b));
    DataCopy(LocalTensor<half>(TPosition::B1, B_L1, K * N), gm, Nd2NzParams(1, K, N, 0, N, K, 1, 0));
    gm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(d));
    DataCopy(LocalTensor<half>(TPosition::B1, D_L1, N * M), gm, Nd2NzParams(1, N, M, 0, M, N, 1, 0));
}

// left (rows × depth) · right (depth × columns), both NZ in L1, to the start of L0C.
__aicore__ inline void Product(uint32_t left, uint32_t right, uint16_t rows, uint16_t depth, uint16_t columns, uint8_t unitFlag = 0)
{
    const LocalTensor<half> a(TPosition::A2, 0, rows * depth);
    const LocalTensor<half> b(TPosition::B2, 0, depth * columns);
    const LocalTensor<float> c(TPosition::CO1, 0, rows * columns);
    Order<HardEvent::M_MTE1>();
    LoadData(a, LocalTensor<half>(TPosition::A1, left, rows * depth), LoadData2DParamsV2(0, 0, rows / 16, depth / 16, rows / 16, rows / 16, false, 0));
    LoadData(b, LocalTensor<half>(TPosition::B1, right, depth * columns),
        LoadData2DParamsV2(0, 0, depth / 16, columns / 16, depth / 16, columns / 16, true, 0));
    Order<HardEvent::MTE1_M>();
    MmadParams params;
    params.unitFlag = unitFlag;
    params.m = rows;
    params.n = columns;
    params.k = depth;
    if (unitFlag != 0) {
        Mmad(c, a, b, params);
        return;
    }
    Order<HardEvent::FIX_M>();
    Mmad(c, a, b, params);
    Order<HardEvent::M_FIX>();
}

__aicore__ inline void Multiply(GM_ADDR a, GM_ADDR b, GM_ADDR d, GM_ADDR c)
{
    LoadInputs(a, b, d);
    Order<HardEvent::MTE2_MTE1>();
    SetBoth<PIPE_MTE1>(P_FREE);
    for (uint16_t turn = 0; turn < TURNS; ++turn) {
        Product(A_L1, B_L1, M, K, N);
        FixpipeParamsArch3510<CO2Layout::ROW_MAJOR> toUb(N, M, M, N);
        toUb.dualDstCtl = 1;
        AwaitBoth<PIPE_FIX>(S_FREE);
        Fixpipe<float, float, ROWS_TO_UB>(LocalTensor<float>(TPosition::VECIN, S_UB, HALF_M * N), LocalTensor<float>(TPosition::CO1, 0, M * N), toUb);
        SetBoth<PIPE_FIX>(S_READY);
        AwaitBoth<PIPE_MTE1>(P_READY);
        Product(P_L1, D_L1, M, N, M);
        SetBoth<PIPE_MTE1>(P_FREE);
        GlobalTensor<float> out;
        out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(c) + turn * M * M);
        Fixpipe<float, float, CFG_ROW_MAJOR>(out, LocalTensor<float>(TPosition::CO1, 0, M * M), FixpipeParamsArch3510<>(M, M, M, M));
    }
    AwaitBoth<PIPE_FIX>(S_FREE);
}

__global__ __aicore__ void matmul_relu_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR d, GM_ADDR c, GM_ADDR without)
{
    GlobalTensor<int32_t> order;
    order.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(without));
    leftOut = order.GetValue(0);
    if ASCEND_IS_AIC {
        Multiply(a, b, d, c);
    } else {
        Activate();
    }
}
LAUNCHABLE(matmul_relu_matmul);

// ------------------------------------------------------------------ a part of A · B to the UB of vector cores

constexpr uint32_t LANDING = 16384; // bytes of UB that are given back, zero where nothing came

template <typename T, CO2Layout layout>
__aicore__ inline void PartToUb(GM_ADDR a, GM_ADDR b, GM_ADDR parts, GM_ADDR landing)
{
    static constexpr FixpipeConfig TO_UB = {layout, true};
    const LocalTensor<T> target(TPosition::VECIN, 0, LANDING / sizeof(T));
    if ASCEND_IS_AIV {
        GlobalTensor<T> out;
        out.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(landing + GetSubBlockIdx() * LANDING));
        Duplicate(target, T(0.0F), LANDING / sizeof(T));
        CrossCoreSetFlag<4, PIPE_V>(S_FREE);
        CrossCoreWaitFlag<4, PIPE_MTE3>(S_READY);
        DataCopy(out, target, LANDING / sizeof(T));
        return;
    }
    GlobalTensor<int32_t> part;
    part.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(parts));
    LoadInputs(a, b, b);
    Order<HardEvent::MTE2_MTE1>();
    const auto unitFlag = static_cast<uint8_t>(part.GetValue(6));
    Product(A_L1, B_L1, M, K, N, unitFlag);
    FixpipeParamsArch3510<layout> params(part.GetValue(0), part.GetValue(1), M, part.GetValue(2));
    params.dualDstCtl = part.GetValue(3);
    params.subBlockId = part.GetValue(4) != 0;
    params.reluEn = part.GetValue(5) != 0;
    params.unitFlag = unitFlag;
    params.quantPre = std::is_same<T, float>::value ? NoQuant : F322F16;
    AwaitBoth<PIPE_FIX>(S_FREE);
    Fixpipe<T, float, TO_UB>(target, LocalTensor<float>(TPosition::CO1, 0, M * N), params);
    SetBoth<PIPE_FIX>(S_READY);
}

__global__ __aicore__ void part_rows_float(GM_ADDR a, GM_ADDR b, GM_ADDR part, GM_ADDR landing)
{
    PartToUb<float, CO2Layout::ROW_MAJOR>(a, b, part, landing);
}
LAUNCHABLE(part_rows_float);

__global__ __aicore__ void part_nz_float(GM_ADDR a, GM_ADDR b, GM_ADDR part, GM_ADDR landing)
{
    PartToUb<float, CO2Layout::NZ>(a, b, part, landing);
}
LAUNCHABLE(part_nz_float);

__global__ __aicore__ void part_rows_half(GM_ADDR a, GM_ADDR b, GM_ADDR part, GM_ADDR landing)
{
    PartToUb<half, CO2Layout::ROW_MAJOR>(a, b, part, landing);
}
LAUNCHABLE(part_rows_half);

__global__ __aicore__ void part_nz_half(GM_ADDR a, GM_ADDR b, GM_ADDR part, GM_ADDR landing)
{
    PartToUb<half, CO2Layout::NZ>(a, b, part, landing);
}
LAUNCHABLE(part_nz_half);

} // namespace

// ------------------------------------------------------------------ buffers that both kinds of cores have from TPipe

namespace {

__global__ __aicore__ void shared_buffers(GM_ADDR x, GM_ADDR y)
{
    TPipe pipe;
    TBuf<TPosition::VECCALC> before;
    TBuf<TPosition::VECCALC> landing;
    TBuf<TPosition::A1> left;
    TBuf<TPosition::B1> right;
    pipe.InitBuffer(before, 1024);
    pipe.InitBuffer(landing, 1024);
    pipe.InitBuffer(left, 512);
    pipe.InitBuffer(right, 512);
    if ASCEND_IS_AIV {
        GlobalTensor<half> xGm;
        GlobalTensor<float> yGm;
        xGm.SetGlobalBuffer(reinterpret_cast<__gm__ half *>(x) + GetSubBlockIdx() * 256);
        yGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(y) + GetSubBlockIdx() * 128);
        DataCopy(before.Get<half>(), xGm, 256);
        AscendC::SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        AscendC::WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        DataCopy(GetSubBlockIdx() == 0 ? left.Get<half>() : right.Get<half>(), before.Get<half>(), 256);
        CrossCoreSetFlag<2, PIPE_MTE3>(0);
        CrossCoreWaitFlag<2, PIPE_MTE3>(1);
        DataCopy(yGm, landing.Get<float>(), 128);
        return;
    }
    TBuf<TPosition::A2> a;
    TBuf<TPosition::B2> b;
    TBuf<TPosition::CO1> c;
    pipe.InitBuffer(a, 512);
    pipe.InitBuffer(b, 512);
    pipe.InitBuffer(c, 1024);
    const LoadData2DParamsV2 one(0, 0, 1, 1, 1, 1, false, 0);
    CrossCoreWaitFlag<2, PIPE_MTE1>(0);
    LoadData(a.Get<half>(), left.Get<half>(), one);
    LoadData(b.Get<half>(), right.Get<half>(), one);
    AscendC::SetFlag<HardEvent::MTE1_M>(EVENT_ID0);
    AscendC::WaitFlag<HardEvent::MTE1_M>(EVENT_ID0);
    MmadParams params;
    params.m = params.n = params.k = 16;
    Mmad(c.Get<float>(), a.Get<half>(), b.Get<half>(), params);
    AscendC::SetFlag<HardEvent::M_FIX>(EVENT_ID0);
    AscendC::WaitFlag<HardEvent::M_FIX>(EVENT_ID0);
    FixpipeParamsArch3510<> toUb(16, 16, 16, 16);
    toUb.dualDstCtl = 1;
    Fixpipe<float, float, ROWS_TO_UB>(landing.Get<float>(), c.Get<float>(), toUb);
    CrossCoreSetFlag<2, PIPE_FIX>(1);
}
LAUNCHABLE(shared_buffers);

// Two vector instructions on memory, the second of what the first made.
__global__ __aicore__ void vector_order(GM_ADDR x, GM_ADDR y)
{
    GlobalTensor<float> xGm;
    GlobalTensor<float> yGm;
    xGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(x));
    yGm.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(y));
    const LocalTensor<float> value(TPosition::VECIN, 0, 256);
    DataCopy(value, xGm, 256);
    AscendC::SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    AscendC::WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    AscendC::Adds(value, value, 1.0F, 256);
    AscendC::Muls(value, value, 2.0F, 256); // vector_order
    AscendC::SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    AscendC::WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(yGm, value, 256);
}
LAUNCHABLE(vector_order);

} // namespace

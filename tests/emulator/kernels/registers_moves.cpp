// Loads and stores of vector registers in every distribution, and casts.
#include "registers.h"

namespace {

constexpr uint32_t WIDE = 1024; // bytes of a row, of which a load takes what it does

// ------------------------------------------------------------------ loads: the register as it is

template <typename T, LoadDist dist>
__simd_vf__ inline void LoadVF(__ubuf__ uint8_t *result, __ubuf__ uint8_t *source)
{
    RegTensor<T> value;
    MaskReg all = CreateMask<T>();
    Reg::LoadAlign<T, dist>(value, reinterpret_cast<__ubuf__ T *>(source));
    Reg::StoreAlign(reinterpret_cast<__ubuf__ T *>(result), value, all);
}

template <typename T, LoadDist dist>
__simd_vf__ inline void LoadApartVF(__ubuf__ uint8_t *result, __ubuf__ uint8_t *source)
{
    RegTensor<T> even;
    RegTensor<T> odd;
    MaskReg all = CreateMask<T>();
    Reg::LoadAlign<T, dist>(even, odd, reinterpret_cast<__ubuf__ T *>(source));
    Reg::StoreAlign(reinterpret_cast<__ubuf__ T *>(result), even, all);
    Reg::StoreAlign(reinterpret_cast<__ubuf__ T *>(result) + LANES<T>, odd, all);
}

// ------------------------------------------------------------------ stores: what they leave is zero

template <typename T>
__simd_callee__ inline void Clear(__ubuf__ uint8_t *result, uint16_t registers)
{
    RegTensor<T> zero;
    MaskReg all = CreateMask<T>();
    Reg::Duplicate(zero, T(0));
    for (uint16_t i = 0; i < registers; ++i) {
        Reg::StoreAlign(reinterpret_cast<__ubuf__ T *>(result) + i * LANES<T>, zero, all);
    }
    Reg::LocalMemBar<MemType::VEC_STORE, MemType::VEC_STORE>();
}

// `Element`: what the mask counts.
template <typename T, typename Element, StoreDist dist>
__simd_vf__ inline void StoreVF(__ubuf__ uint8_t *result, __ubuf__ uint8_t *source)
{
    RegTensor<T> value;
    MaskReg mask = registers::Row<Element>::MaskOf(source);
    Clear<uint8_t>(result, 1);
    Reg::LoadAlign(value, reinterpret_cast<__ubuf__ T *>(source));
    Reg::StoreAlign<T, dist>(reinterpret_cast<__ubuf__ T *>(result), value, mask);
}

template <typename T, StoreDist dist>
__simd_vf__ inline void StoreTogetherVF(__ubuf__ uint8_t *result, __ubuf__ uint8_t *source)
{
    registers::Row<T> row(source);
    Reg::StoreAlign<T, dist>(reinterpret_cast<__ubuf__ T *>(result), row.a, row.b, row.mask);
}

// ------------------------------------------------------------------ blocks with a stride

template <typename T, uint32_t stride>
__simd_vf__ inline void LoadBlocksVF(__ubuf__ uint8_t *result, __ubuf__ uint8_t *source)
{
    RegTensor<T> value;
    MaskReg all = CreateMask<T>();
    MaskReg mask = registers::Row<T>::MaskOf(source);
    Reg::LoadAlign<T, DataCopyMode::DATA_BLOCK_COPY>(value, reinterpret_cast<__ubuf__ T *>(source), stride, mask);
    Reg::StoreAlign(reinterpret_cast<__ubuf__ T *>(result), value, all);
}

template <typename T, uint32_t stride>
__simd_vf__ inline void StoreBlocksVF(__ubuf__ uint8_t *result, __ubuf__ uint8_t *source)
{
    RegTensor<T> value;
    MaskReg mask = registers::Row<T>::MaskOf(source);
    Clear<uint8_t>(result, WIDE / VECTOR_REG_WIDTH);
    Reg::LoadAlign(value, reinterpret_cast<__ubuf__ T *>(source));
    Reg::StoreAlign<T, DataCopyMode::DATA_BLOCK_COPY>(reinterpret_cast<__ubuf__ T *>(result), value, stride, mask);
}

// Addresses that are updated: three registers one behind the other, the middle one by blocks, to places 2, 0 and 1.
__simd_vf__ inline void UpdatesVF(__ubuf__ uint8_t *result, __ubuf__ uint8_t *source)
{
    auto *from = reinterpret_cast<__ubuf__ half *>(source);
    auto *to = reinterpret_cast<__ubuf__ half *>(result);
    RegTensor<half> value;
    MaskReg all = CreateMask<half>();
    auto *last = to + 2 * LANES<half>;
    Reg::LoadAlign<half, PostLiteral::POST_MODE_UPDATE>(value, from, LANES<half>);
    Reg::StoreAlign<half, PostLiteral::POST_MODE_UPDATE>(last, value, LANES<half>, all);
    Reg::LoadAlign<half, DataCopyMode::DATA_BLOCK_COPY, PostLiteral::POST_MODE_UPDATE>(value, from, 1, 8, all);
    Reg::StoreAlign<half, DataCopyMode::DATA_BLOCK_COPY, PostLiteral::POST_MODE_UPDATE>(to, value, 1, 8, all);
    Reg::LoadAlign(value, reinterpret_cast<__ubuf__ half *>(source), CreateAddrReg<half>(2, LANES<half>));
    Reg::StoreAlign(to, value, all);
    Reg::LoadAlign<half, DataCopyMode::DATA_BLOCK_COPY, PostLiteral::POST_MODE_NORMAL>(value, from, 1, 8, all);
    Reg::StoreAlign(last, value, all);
}

} // namespace

#define KERNEL(NAME, RESULT_BYTES, ...) \
    namespace { \
    __global__ __aicore__ void NAME(GM_ADDR rows, GM_ADDR results, GM_ADDR count) \
    { \
        registers::EachRow<__VA_ARGS__>(rows, results, count, RESULT_BYTES); \
    } \
    LAUNCHABLE(NAME); \
    }

#define LOAD(NAME, DIST, TYPE) KERNEL(load_##NAME##_##TYPE, registers::BYTES, LoadVF<TYPE, LoadDist::DIST>)
LOAD(norm, DIST_NORM, half)
LOAD(broadcast, DIST_BRC_B8, int8_t)
LOAD(broadcast, DIST_BRC_B16, bfloat16_t)
LOAD(broadcast, DIST_BRC_B32, float)
LOAD(twice, DIST_US_B8, uint8_t)
LOAD(twice, DIST_US_B16, half)
LOAD(every_other, DIST_DS_B8, uint8_t)
LOAD(every_other, DIST_DS_B16, half)
LOAD(unpack2, DIST_UNPACK_B8, uint8_t)
LOAD(unpack2, DIST_UNPACK_B16, half)
LOAD(unpack2, DIST_UNPACK_B32, float)
LOAD(unpack4, DIST_UNPACK4_B8, fp8_e4m3fn_t)
LOAD(block, DIST_BLK, float)
LOAD(to_blocks, DIST_E2B_B16, half)
LOAD(to_blocks, DIST_E2B_B32, float)

#define APART(NAME, DIST, TYPE) KERNEL(apart_##TYPE, 2 * registers::BYTES, LoadApartVF<TYPE, LoadDist::DIST>)
APART(apart, DIST_DINTLV_B8, uint8_t)
APART(apart, DIST_DINTLV_B16, half)
APART(apart, DIST_DINTLV_B32, float)

#define STORE(NAME, DIST, TYPE, ELEMENT) KERNEL(store_##NAME##_##TYPE, registers::BYTES, StoreVF<TYPE, ELEMENT, StoreDist::DIST>)
STORE(norm, DIST_NORM, uint8_t, uint8_t)
STORE(norm, DIST_NORM, half, half)
STORE(norm, DIST_NORM_B32, float, float)
STORE(first, DIST_FIRST_ELEMENT_B8, uint8_t, uint8_t)
STORE(first, DIST_FIRST_ELEMENT_B16, half, half)
STORE(first, DIST_FIRST_ELEMENT_B32, float, float)
STORE(pack2, DIST_PACK_B16, uint8_t, uint16_t)
STORE(pack2, DIST_PACK_B32, half, float)
STORE(pack4, DIST_PACK4_B32, uint8_t, float)

#define TOGETHER(NAME, DIST, TYPE) KERNEL(together_##TYPE, 2 * registers::BYTES, StoreTogetherVF<TYPE, StoreDist::DIST>)
TOGETHER(together, DIST_INTLV_B8, uint8_t)
TOGETHER(together, DIST_INTLV_B16, half)
TOGETHER(together, DIST_INTLV_B32, float)

#define BLOCKS(STRIDE, TYPE) \
    KERNEL(load_blocks_##STRIDE##_##TYPE, registers::BYTES, LoadBlocksVF<TYPE, STRIDE>) \
    KERNEL(store_blocks_##STRIDE##_##TYPE, WIDE, StoreBlocksVF<TYPE, STRIDE>)
BLOCKS(1, half)
BLOCKS(3, half)
BLOCKS(2, float)
BLOCKS(3, uint8_t)

KERNEL(updates, 4 * registers::BYTES, UpdatesVF)

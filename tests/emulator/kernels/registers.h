// Kernels that do one operation on vector registers, row by row: each row has a register for every source.
#ifndef TESTS_EMULATOR_REGISTERS_H
#define TESTS_EMULATOR_REGISTERS_H

#include "launch.h"

using namespace AscendC;
using namespace AscendC::Reg;

namespace registers {

constexpr uint32_t BYTES = VECTOR_REG_WIDTH;
constexpr uint32_t SOURCES = 4; // registers of a row: three operands, and one whose elements other than zero are the mask

// One row through a function that stores one or two registers of results.
template <auto function>
__aicore__ inline void EachRow(GM_ADDR rows, GM_ADDR results, GM_ADDR count, uint32_t resultBytes)
{
    GlobalTensor<uint8_t> in;
    GlobalTensor<uint8_t> out;
    GlobalTensor<int32_t> number;
    in.SetGlobalBuffer(rows);
    out.SetGlobalBuffer(results);
    number.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(count));
    const LocalTensor<uint8_t> source(TPosition::VECIN, 0, SOURCES * BYTES);
    const LocalTensor<uint8_t> result(TPosition::VECOUT, SOURCES * BYTES, resultBytes);
    const int32_t turns = number.GetValue(0);
    for (int32_t row = 0; row < turns; ++row) {
        DataCopy(source, in[row * SOURCES * BYTES], SOURCES * BYTES);
        PipeBarrier<PIPE_ALL>();
        asc_vf_call<function>((__ubuf__ uint8_t *)result.GetPhyAddr(), (__ubuf__ uint8_t *)source.GetPhyAddr());
        PipeBarrier<PIPE_ALL>();
        DataCopy(out[row * resultBytes], result, resultBytes);
        PipeBarrier<PIPE_ALL>();
    }
}

// The operands of a row, and its mask.
template <typename T>
struct Row {
    RegTensor<T> a;
    RegTensor<T> b;
    RegTensor<T> c;
    MaskReg mask;

    __simd_callee__ explicit Row(__ubuf__ uint8_t *source)
    {
        auto *elements = reinterpret_cast<__ubuf__ T *>(source);
        Reg::LoadAlign(a, elements);
        Reg::LoadAlign(b, elements + LANES<T>);
        Reg::LoadAlign(c, elements + 2 * LANES<T>);
        mask = MaskOf(source);
    }

    // Whole numbers as wide as T: NaN would be other than itself.
    __simd_callee__ static MaskReg MaskOf(__ubuf__ uint8_t *source)
    {
        using Whole = std::conditional_t<sizeof(T) == 1, uint8_t, std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>>;
        RegTensor<Whole> on;
        MaskReg all = CreateMask<Whole>();
        MaskReg made;
        Reg::LoadAlign(on, reinterpret_cast<__ubuf__ Whole *>(source) + 3 * LANES<T>);
        Reg::Compares<Whole, CMPMODE::NE>(made, on, 0, all);
        return made;
    }
};

template <typename Op, typename T>
__simd_vf__ inline void OneVF(__ubuf__ uint8_t *result, __ubuf__ uint8_t *source)
{
    Row<T> row(source);
    MaskReg all = CreateMask<T>();
    Op::Do(row);
    Reg::StoreAlign(reinterpret_cast<__ubuf__ T *>(result), row.c, all);
}

template <typename Op, typename T>
__aicore__ inline void One(GM_ADDR rows, GM_ADDR results, GM_ADDR count)
{
    EachRow<OneVF<Op, T>>(rows, results, count, BYTES);
}

} // namespace registers

// A kernel called NAME_TYPE that does an operation on the Row `r`; its result is r.c.
#define ELEMENTWISE(NAME, TYPE, ...) \
    namespace { \
    struct Do_##NAME##_##TYPE { \
        __simd_callee__ static void Do(registers::Row<TYPE> &r) \
        { \
            __VA_ARGS__; \
        } \
    }; \
    __global__ __aicore__ void NAME##_##TYPE(GM_ADDR rows, GM_ADDR results, GM_ADDR count) \
    { \
        registers::One<Do_##NAME##_##TYPE, TYPE>(rows, results, count); \
    } \
    LAUNCHABLE(NAME##_##TYPE); \
    }

#endif // TESTS_EMULATOR_REGISTERS_H

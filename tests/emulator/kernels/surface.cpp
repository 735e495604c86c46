// Every vector instruction of the API in its forms, on the same numbers: what comes out does not depend on the headers.
#include "launch.h"

using namespace AscendC;

namespace {

constexpr uint32_t BYTES = 1024; // of an operand

// Each step fills the destination with the third operand's bytes, calls one instruction, and puts the destination out.
class Bench {
public:
    Bench(GM_ADDR numbers, GM_ADDR out)
    {
        numbers_.SetGlobalBuffer((__gm__ uint8_t *)numbers);
        out_.SetGlobalBuffer((__gm__ uint8_t *)out);
        pipe_.InitBuffer(buffer_, 4 * BYTES);
    }

    // The operands: a, b and c of the numbers of one type; `kind` is which type.
    template <typename T, typename Call>
    void Step(uint32_t kind, const Call &call)
    {
        Run<T, T>(kind, call);
    }

    template <typename To, typename From, typename Call>
    void Run(uint32_t kind, const Call &call)
    {
        LocalTensor<uint8_t> all = buffer_.Get<uint8_t>();
        PipeBarrier<PIPE_ALL>();
        DataCopy(all, numbers_[kind * 3 * BYTES], 3 * BYTES);
        DataCopy(all[3 * BYTES], numbers_[kind * 3 * BYTES + 2 * BYTES], BYTES);
        PipeBarrier<PIPE_ALL>();
        call(all[3 * BYTES].ReinterpretCast<To>(), all.ReinterpretCast<From>(), all[BYTES].ReinterpretCast<From>());
        PipeBarrier<PIPE_ALL>();
        DataCopy(out_[step_ * BYTES], all[3 * BYTES], BYTES);
        ++step_;
    }

private:
    TPipe pipe_;
    TBuf<TPosition::VECCALC> buffer_;
    GlobalTensor<uint8_t> numbers_;
    GlobalTensor<uint8_t> out_;
    uint32_t step_ = 0;
};

// Which numbers stand in the input, in order.
enum Kind : uint32_t {
    FLOATS,
    HALVES,
    INTS,
    SHORTS,
    BYTE_INTS,
    BFLOATS,
    OFFSETS
};

template <typename T>
constexpr int32_t Count()
{
    return 3 * 256 / static_cast<int32_t>(sizeof(T)) - 5; // not whole repeats
}

template <typename T>
constexpr uint64_t Lanes()
{
    return 200 / sizeof(T);
}

#define EACH_FORM(NAME, PARAMS, ...) \
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, [[maybe_unused]] LocalTensor<T> b) { \
        NAME(d, __VA_ARGS__, Count<T>()); \
    }); \
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, [[maybe_unused]] LocalTensor<T> b) { \
        NAME(d, __VA_ARGS__, Lanes<T>(), 3, PARAMS); \
    }); \
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, [[maybe_unused]] LocalTensor<T> b) { \
        uint64_t mask[2] = {0xF0F0F0F0F0F0F0F5ULL, sizeof(T) == 4 ? 0ULL : 0x1234567ULL}; \
        NAME(d, __VA_ARGS__, mask, 2, PARAMS); \
    });

#define BINARY(NAME) EACH_FORM(NAME, BinaryRepeatParams(1, 1, 1, 8, 8, 8), a, b)
#define UNARY(NAME) EACH_FORM(NAME, UnaryRepeatParams(1, 1, 8, 8), a)
#define SCALAR(NAME) EACH_FORM(NAME, UnaryRepeatParams(1, 1, 8, 8), a, static_cast<T>(3))

template <typename T>
void Numbers(Bench &bench, uint32_t kind)
{
    BINARY(Add)
    BINARY(Sub)
    BINARY(Mul)
    BINARY(Max)
    BINARY(Min)
    SCALAR(Adds)
    SCALAR(Muls)
    SCALAR(Maxs)
    SCALAR(Mins)
}

template <typename T>
void Floats(Bench &bench, uint32_t kind)
{
    BINARY(Div)
    BINARY(AddRelu)
    BINARY(SubRelu)
    BINARY(FusedMulAdd)
    BINARY(FusedMulAddRelu)
    BINARY(MulAddDst)
    UNARY(Abs)
    UNARY(Relu)
    UNARY(Exp)
    UNARY(Ln)
    UNARY(Sqrt)
    UNARY(Rsqrt)
    UNARY(Reciprocal)
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T>) { Axpy(d, a, static_cast<T>(2), Count<T>()); });
}

template <typename T>
void Integers(Bench &bench, uint32_t kind)
{
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T>) { ShiftLeft(d, a, static_cast<T>(3), Count<T>()); });
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T>) { ShiftRight(d, a, static_cast<T>(3), Count<T>()); });
}

template <typename T>
void Reductions(Bench &bench, uint32_t kind)
{
    constexpr auto lanes = static_cast<int32_t>(Lanes<T>());
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T>) { WholeReduceSum(d, a, lanes, 3, 1, 1, 8); });
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T>) {
        WholeReduceMax(d, a, lanes, 3, 1, 1, 8, ReduceOrder::ORDER_ONLY_VALUE);
    });
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T>) {
        WholeReduceMin(d, a, lanes, 3, 1, 1, 8, ReduceOrder::ORDER_VALUE_INDEX);
    });
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T>) { BlockReduceSum(d, a, 2, lanes, 1, 1, 8); });
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T>) { BlockReduceMax(d, a, 2, lanes, 1, 1, 8); });
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T>) { BlockReduceMin(d, a, 2, lanes, 1, 1, 8); });
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T>) { PairReduceSum(d, a, 2, lanes, 1, 1, 8); });
}

template <typename T>
void Selections(Bench &bench, uint32_t kind)
{
    constexpr uint32_t count = 3 * 256 / sizeof(T);
    for (const CMPMODE mode : {CMPMODE::LT, CMPMODE::GT, CMPMODE::EQ, CMPMODE::LE, CMPMODE::GE, CMPMODE::NE}) {
        bench.Run<uint8_t, T>(kind, [mode](LocalTensor<uint8_t> d, LocalTensor<T> a, LocalTensor<T> b) { Compare(d, a, b, mode, count); });
        bench.Run<uint8_t, T>(kind, [mode](LocalTensor<uint8_t> d, LocalTensor<T> a, LocalTensor<T>) {
            CompareScalar(d, a, static_cast<T>(1), mode, count);
        });
    }
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T> b) {
        Select(d, b.template ReinterpretCast<uint8_t>(), a, static_cast<T>(-1), SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    });
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T> b) {
        Select(d, b.template ReinterpretCast<uint8_t>(), a, b, SELMODE::VSEL_TENSOR_TENSOR_MODE, count);
    });
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T> b) {
        Select(d, b.template ReinterpretCast<uint8_t>(), a, b, SELMODE::VSEL_CMPMASK_SPR, Lanes<T>(), 2,
            BinaryRepeatParams(1, 1, 1, 8, 8, 8));
    });
}

template <typename T>
void Moves(Bench &bench, uint32_t kind)
{
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T>, LocalTensor<T>) { Duplicate(d, static_cast<T>(7), Count<T>()); });
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T>, LocalTensor<T>) { Duplicate(d, static_cast<T>(7), Lanes<T>(), 2, 1, 8); });
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T>) {
        Copy(d, a, Lanes<T>(), 2, CopyRepeatParams(1, 1, 8, 8));
    });
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T>) { Brcb(d, a, 2, BrcbRepeatParams(1, 8)); });
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T>) { DataCopy(d, a, DataCopyParams(3, 2, 1, 4)); });
    bench.Step<T>(kind, [](LocalTensor<T> d, LocalTensor<T> a, LocalTensor<T>) {
        uint64_t taken = 0;
        GatherMask(d, a, static_cast<uint8_t>(2), false, 0, GatherMaskParams(1, 2, 8, 0), taken);
        d.SetValue(200, static_cast<T>(static_cast<int32_t>(taken)));
    });
}

template <typename To, typename From>
void Casts(Bench &bench, uint32_t kind, std::initializer_list<RoundMode> modes)
{
    constexpr uint32_t width = sizeof(To) > sizeof(From) ? sizeof(To) : sizeof(From);
    for (const RoundMode mode : modes) {
        bench.Run<To, From>(kind, [mode](LocalTensor<To> d, LocalTensor<From> a, LocalTensor<From>) { Cast(d, a, mode, 700 / width); });
        bench.Run<To, From>(kind, [mode](LocalTensor<To> d, LocalTensor<From> a, LocalTensor<From>) {
            Cast(d, a, mode, 200 / width, 2,
                UnaryRepeatParams(1, 1, static_cast<uint8_t>(8 * sizeof(To) / width), static_cast<uint8_t>(8 * sizeof(From) / width)));
        });
    }
}

constexpr auto NONE = RoundMode::CAST_NONE;
constexpr auto RINT = RoundMode::CAST_RINT;
constexpr auto FLOOR = RoundMode::CAST_FLOOR;
constexpr auto CEIL = RoundMode::CAST_CEIL;
constexpr auto ROUND = RoundMode::CAST_ROUND;
constexpr auto TRUNC = RoundMode::CAST_TRUNC;
constexpr auto ODD = RoundMode::CAST_ODD;

} // namespace

__global__ __aicore__ void surface_floats(GM_ADDR numbers, GM_ADDR out)
{
    Bench bench(numbers, out);
    Numbers<float>(bench, FLOATS);
    Floats<float>(bench, FLOATS);
    Reductions<float>(bench, FLOATS);
    Selections<float>(bench, FLOATS);
    Moves<float>(bench, FLOATS);
}
LAUNCHABLE(surface_floats);

__global__ __aicore__ void surface_halves(GM_ADDR numbers, GM_ADDR out)
{
    Bench bench(numbers, out);
    Numbers<half>(bench, HALVES);
    Floats<half>(bench, HALVES);
    Reductions<half>(bench, HALVES);
    Selections<half>(bench, HALVES);
    Moves<half>(bench, HALVES);
}
LAUNCHABLE(surface_halves);

__global__ __aicore__ void surface_integers(GM_ADDR numbers, GM_ADDR out)
{
    Bench bench(numbers, out);
    Numbers<int32_t>(bench, INTS);
    Numbers<int16_t>(bench, SHORTS);
    Integers<int32_t>(bench, INTS);
    Integers<int16_t>(bench, SHORTS);
    Moves<int32_t>(bench, INTS);
    Moves<int16_t>(bench, SHORTS);
    bench.Run<int32_t, int32_t>(OFFSETS, [](LocalTensor<int32_t> d, LocalTensor<int32_t> a, LocalTensor<int32_t> b) {
        Gather(d, a, b.ReinterpretCast<uint32_t>(), 0, static_cast<uint32_t>(100));
    });
    bench.Run<int16_t, int16_t>(SHORTS, [](LocalTensor<int16_t> d, LocalTensor<int16_t> a, LocalTensor<int16_t> b) { And(d, a, b, Count<int16_t>()); });
    bench.Run<int16_t, int16_t>(SHORTS, [](LocalTensor<int16_t> d, LocalTensor<int16_t> a, LocalTensor<int16_t> b) { Or(d, a, b, Count<int16_t>()); });
    bench.Run<int16_t, int16_t>(SHORTS, [](LocalTensor<int16_t> d, LocalTensor<int16_t> a, LocalTensor<int16_t>) { Not(d, a, Count<int16_t>()); });
}
LAUNCHABLE(surface_integers);

__global__ __aicore__ void surface_casts(GM_ADDR numbers, GM_ADDR out)
{
    Bench bench(numbers, out);
    Casts<float, half>(bench, HALVES, {NONE});
    Casts<half, float>(bench, FLOATS, {NONE, RINT, FLOOR, CEIL, ROUND, TRUNC, ODD});
    Casts<float, bfloat16_t>(bench, BFLOATS, {NONE});
    Casts<bfloat16_t, float>(bench, FLOATS, {RINT, FLOOR, CEIL, ROUND, TRUNC});
    Casts<half, int8_t>(bench, BYTE_INTS, {NONE});
    Casts<int8_t, half>(bench, HALVES, {NONE, RINT, FLOOR, CEIL, ROUND, TRUNC});
    Casts<float, int32_t>(bench, INTS, {NONE, RINT, FLOOR, CEIL, ROUND, TRUNC});
    Casts<int32_t, float>(bench, FLOATS, {RINT, FLOOR, CEIL, ROUND, TRUNC});
    Casts<int32_t, half>(bench, HALVES, {RINT, FLOOR, CEIL, ROUND, TRUNC});
    Casts<int16_t, half>(bench, HALVES, {RINT, FLOOR, CEIL, ROUND, TRUNC});
    Casts<half, int16_t>(bench, SHORTS, {NONE, RINT, FLOOR, CEIL, ROUND, TRUNC});
    Casts<float, int16_t>(bench, SHORTS, {NONE});
    Casts<int16_t, float>(bench, FLOATS, {RINT, FLOOR, CEIL, ROUND, TRUNC});
    Casts<float, float>(bench, FLOATS, {RINT, FLOOR, CEIL, ROUND, TRUNC});
    Casts<int16_t, int32_t>(bench, INTS, {NONE});
}
LAUNCHABLE(surface_casts);

__global__ __aicore__ void surface_indices(GM_ADDR numbers, GM_ADDR out)
{
    Bench bench(numbers, out);
    for (const uint32_t count : {16U, 20U, 64U, 100U, 200U}) {
        bench.Step<int32_t>(INTS, [count](LocalTensor<int32_t> d, LocalTensor<int32_t>, LocalTensor<int32_t>) {
            CreateVecIndex(d, static_cast<int32_t>(3), count);
        });
        bench.Step<float>(FLOATS, [count](LocalTensor<float> d, LocalTensor<float>, LocalTensor<float>) {
            CreateVecIndex(d, 0.1F, count);
        });
        bench.Step<int16_t>(SHORTS, [count](LocalTensor<int16_t> d, LocalTensor<int16_t>, LocalTensor<int16_t>) {
            CreateVecIndex(d, static_cast<int16_t>(-7), count);
        });
    }
}
LAUNCHABLE(surface_indices);

// All forms of Compare and Select, and their faults. Lines that are named end in a mark.
#include "launch.h"

using namespace AscendC;

namespace {

constexpr uint32_t WIDTH = 64; // floats of a repeat
constexpr uint32_t REPEATS = 3;
constexpr uint32_t COUNT = WIDTH * REPEATS;
constexpr float VALUE = 2.5F;

// x and y in UB, and buffers for bits and for one result.
struct Scene {
    Scene(GM_ADDR x, GM_ADDR y)
    {
        GlobalTensor<float> xGm;
        GlobalTensor<float> yGm;
        xGm.SetGlobalBuffer((__gm__ float *)x);
        yGm.SetGlobalBuffer((__gm__ float *)y);
        for (auto &buffer : buffers) {
            pipe.InitBuffer(buffer, COUNT * sizeof(float));
        }
        first = buffers[0].Get<float>();
        second = buffers[1].Get<float>();
        bits = buffers[2].Get<uint8_t>();
        result = buffers[3].Get<float>();
        DataCopy(first, xGm, COUNT);
        DataCopy(second, yGm, COUNT);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    }

    void Store(GM_ADDR out, uint32_t place)
    {
        GlobalTensor<float> outGm;
        outGm.SetGlobalBuffer((__gm__ float *)out);
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(outGm[place * COUNT], result, COUNT);
        SetFlag<HardEvent::MTE3_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE3_V>(EVENT_ID0);
    }

    TPipe pipe;
    TBuf<TPosition::VECCALC> buffers[4];
    LocalTensor<float> first;
    LocalTensor<float> second;
    LocalTensor<uint8_t> bits;
    LocalTensor<float> result;
};

const BinaryRepeatParams BINARY;
const UnaryRepeatParams UNARY;

} // namespace

// Results of COUNT floats each: those whose bits are of the first repeat, then those with all bits, then against VALUE.
__global__ __aicore__ void compare_forms(GM_ADDR x, GM_ADDR y, GM_ADDR out, GM_ADDR relation)
{
    const auto mode = static_cast<CMPMODE>(*(__gm__ int32_t *)relation);
    uint64_t all[] = {~0ULL, 0};
    Scene scene(x, y);
    Compare(scene.first, scene.second, mode, WIDTH, BINARY);
    PipeBarrier<PIPE_V>();
    SetVectorMask<float>(WIDTH);
    Select<float, SELMODE::VSEL_CMPMASK_SPR>(scene.result, scene.first, scene.second, REPEATS, BINARY);
    scene.Store(out, 0);

    GetCmpMask(scene.bits);
    PipeBarrier<PIPE_V>();
    Compare(scene.second, scene.first, mode, all, BINARY);
    PipeBarrier<PIPE_V>();
    SetCmpMask(scene.bits);
    PipeBarrier<PIPE_V>();
    Select<float, SELMODE::VSEL_CMPMASK_SPR>(scene.result, scene.first, scene.second, REPEATS, BINARY);
    scene.Store(out, 1);

    Compare(scene.bits, scene.first, scene.second, mode, WIDTH, REPEATS, BINARY);
    PipeBarrier<PIPE_V>();
    Select(scene.result, scene.bits, scene.first, scene.second, SELMODE::VSEL_CMPMASK_SPR, WIDTH, REPEATS, BINARY);
    scene.Store(out, 2);

    Select(scene.result, scene.bits, scene.first, scene.second, SELMODE::VSEL_TENSOR_TENSOR_MODE, all, REPEATS, BINARY);
    scene.Store(out, 3);

    Compare(scene.bits, scene.first, scene.second, mode, all, REPEATS, BINARY);
    PipeBarrier<PIPE_V>();
    Select(scene.result, scene.bits, scene.first, scene.second, SELMODE::VSEL_TENSOR_TENSOR_MODE, COUNT);
    scene.Store(out, 4);

    CompareScalar(scene.bits, scene.first, VALUE, mode, WIDTH, REPEATS, UNARY);
    PipeBarrier<PIPE_V>();
    Select(scene.result, scene.bits, scene.first, VALUE, SELMODE::VSEL_TENSOR_SCALAR_MODE, WIDTH, REPEATS, BINARY);
    scene.Store(out, 5);

    CompareScalar(scene.bits, scene.first, VALUE, mode, all, REPEATS, UNARY);
    PipeBarrier<PIPE_V>();
    Duplicate(scene.result, VALUE, WIDTH);
    PipeBarrier<PIPE_V>();
    SetCmpMask(scene.result);
    PipeBarrier<PIPE_V>();
    SetVectorMask<float>(WIDTH);
    Select(scene.result, scene.bits, scene.first, REPEATS, BINARY);
    scene.Store(out, 6);
}
LAUNCHABLE(compare_forms);

// ------------------------------------------------------------------ faults

__global__ __aicore__ void register_too_early(GM_ADDR x, GM_ADDR y, GM_ADDR out)
{
    Scene scene(x, y);
    Compare(scene.first, scene.second, CMPMODE::LT, WIDTH, BINARY); // register_too_early_first
    Select<float, SELMODE::VSEL_CMPMASK_SPR>(scene.result, scene.first, scene.second, REPEATS, BINARY); // register_too_early
    scene.Store(out, 0);
}
LAUNCHABLE(register_too_early);

__global__ __aicore__ void register_never_set(GM_ADDR x, GM_ADDR y, GM_ADDR out)
{
    Scene scene(x, y);
    Select<float, SELMODE::VSEL_CMPMASK_SPR>(scene.result, scene.first, scene.second, REPEATS, BINARY); // register_never_set
    scene.Store(out, 0);
}
LAUNCHABLE(register_never_set);

// 64 bits are compared, and a repeat of halves takes 128.
__global__ __aicore__ void register_half_set(GM_ADDR x, GM_ADDR y, GM_ADDR out)
{
    Scene scene(x, y);
    Compare(scene.first, scene.second, CMPMODE::LT, WIDTH, BINARY);
    PipeBarrier<PIPE_V>();
    SetVectorMask<half>(128);
    const LocalTensor<half> halves = scene.first.ReinterpretCast<half>();
    Select<half, SELMODE::VSEL_CMPMASK_SPR>(scene.result.ReinterpretCast<half>(), halves, halves, REPEATS, BINARY); // register_half_set
    scene.Store(out, 0);
}
LAUNCHABLE(register_half_set);

__global__ __aicore__ void integers_less(GM_ADDR x, GM_ADDR y, GM_ADDR)
{
    Scene scene(x, y);
    Compare(scene.bits, scene.first.ReinterpretCast<int32_t>(), scene.second.ReinterpretCast<int32_t>(), CMPMODE::LT, WIDTH); // integers_less
}
LAUNCHABLE(integers_less);

__global__ __aicore__ void lanes_while_counting(GM_ADDR x, GM_ADDR y, GM_ADDR)
{
    Scene scene(x, y);
    SetMaskCount();
    SetVectorMask<float, MaskMode::COUNTER>(COUNT);
    Add<float, false>(scene.result, scene.first, scene.second, MASK_PLACEHOLDER, 1, BINARY);
    PipeBarrier<PIPE_V>();
    Add(scene.result, scene.first, scene.second, WIDTH, REPEATS, BINARY); // lanes_while_counting
}
LAUNCHABLE(lanes_while_counting);

__global__ __aicore__ void no_such_pattern(GM_ADDR x, GM_ADDR y, GM_ADDR)
{
    Scene scene(x, y);
    uint64_t taken = 0;
    GatherMask(scene.result, scene.first, 8, false, 0, {1, 1, 8, 0}, taken); // no_such_pattern
}
LAUNCHABLE(no_such_pattern);

__global__ __aicore__ void nothing_counted(GM_ADDR x, GM_ADDR y, GM_ADDR)
{
    Scene scene(x, y);
    uint64_t taken = 0;
    GatherMask(scene.result, scene.first, 1, true, 0, {1, 1, 8, 0}, taken); // nothing_counted
}
LAUNCHABLE(nothing_counted);

// The mask register is what the call before has left there: 8 lanes, then all of them.
__global__ __aicore__ void mask_register(GM_ADDR x, GM_ADDR y, GM_ADDR out)
{
    Scene scene(x, y);
    Duplicate(scene.result, 0.0F, COUNT);
    PipeBarrier<PIPE_V>();
    Adds(scene.result, scene.first, 1.0F, 8, 1, UNARY);
    PipeBarrier<PIPE_V>();
    Adds<float, false>(scene.result[WIDTH], scene.first[WIDTH], 1.0F, MASK_PLACEHOLDER, 1, UNARY);
    Duplicate(scene.bits.ReinterpretCast<float>(), 0.0F, 8);
    Adds<float, false>(scene.result[2 * WIDTH], scene.first[2 * WIDTH], 1.0F, MASK_PLACEHOLDER, 1, UNARY);
    scene.Store(out, 0);
}
LAUNCHABLE(mask_register);

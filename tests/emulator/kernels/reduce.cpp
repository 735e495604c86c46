// ReduceMax, ReduceMin and ReduceSum of a tensor as the parameters say, and their faults.
#include "launch.h"

using namespace AscendC;

namespace {

constexpr uint32_t SOURCE = 96 * 1024;
constexpr uint32_t WORK = 32 * 1024;
constexpr uint32_t BLOCK = 32;

// Parameters of one call. Which form: by a count, by a number of lanes, by bits.
struct Parameters {
    int32_t reduction; // 0: max, 1: min, 2: sum
    int32_t form;
    int32_t count; // or repeats
    int32_t stride;
    int32_t withIndex;
    int32_t lanes;
    uint64_t bits[2];
    int32_t work; // bytes of the work tensor
};

template <typename T>
void Extreme(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, const Parameters &with)
{
    const bool index = with.withIndex != 0;
    if (with.reduction == 0) {
        if (with.form == 0) {
            ReduceMax(dst, src, work, with.count, index); // max
        } else if (with.form == 1) {
            ReduceMax(dst, src, work, with.lanes, with.count, with.stride, index);
        } else {
            ReduceMax(dst, src, work, with.bits, with.count, with.stride, index);
        }
    } else if (with.form == 0) {
        ReduceMin(dst, src, work, with.count, index);
    } else if (with.form == 1) {
        ReduceMin(dst, src, work, with.lanes, with.count, with.stride, index);
    } else {
        ReduceMin(dst, src, work, with.bits, with.count, with.stride, index);
    }
}

template <typename T>
void Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, const Parameters &with)
{
    if (with.form == 0) {
        ReduceSum(dst, src, work, with.count);
    } else if (with.form == 1) {
        ReduceSum(dst, src, work, with.lanes, with.count, with.stride);
    } else {
        ReduceSum(dst, src, work, with.bits, with.count, with.stride); // sum
    }
}

template <typename T>
void Reduce(GM_ADDR x, GM_ADDR parameters, GM_ADDR out)
{
    Parameters with;
    std::memcpy(&with, parameters, sizeof(with));
    GlobalTensor<T> xGm;
    GlobalTensor<T> outGm;
    xGm.SetGlobalBuffer((__gm__ T *)x);
    outGm.SetGlobalBuffer((__gm__ T *)out);
    TPipe pipe;
    TBuf<TPosition::VECCALC> source;
    TBuf<TPosition::VECCALC> work;
    TBuf<TPosition::VECCALC> result;
    pipe.InitBuffer(source, SOURCE);
    pipe.InitBuffer(work, static_cast<uint32_t>(with.work));
    pipe.InitBuffer(result, BLOCK);
    const LocalTensor<T> dst = result.Get<T>();
    DataCopy(source.Get<T>(), xGm, SOURCE / sizeof(T));
    Duplicate(dst, T(0.0F), BLOCK / sizeof(T));
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    PipeBarrier<PIPE_V>();
    if (with.reduction == 2) {
        Sum(dst, source.Get<T>(), work.Get<T>(), with);
    } else {
        Extreme(dst, source.Get<T>(), work.Get<T>(), with);
    }
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(outGm, dst, BLOCK / sizeof(T));
}

} // namespace

__global__ __aicore__ void reduce_half(GM_ADDR x, GM_ADDR parameters, GM_ADDR out)
{
    Reduce<half>(x, parameters, out);
}
LAUNCHABLE(reduce_half);

__global__ __aicore__ void reduce_float(GM_ADDR x, GM_ADDR parameters, GM_ADDR out)
{
    Reduce<float>(x, parameters, out);
}
LAUNCHABLE(reduce_float);

// ------------------------------------------------------------------ faults

__global__ __aicore__ void without_pipe(GM_ADDR, GM_ADDR, GM_ADDR)
{
    const LocalTensor<float> nothing;
    ReduceMax(nothing, nothing, nothing, 1); // without_pipe
}
LAUNCHABLE(without_pipe);

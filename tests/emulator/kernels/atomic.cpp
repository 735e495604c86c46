// Atomic writes of vector cores to GM, and their faults. Lines that are named end in a mark.
#include "launch.h"

using namespace AscendC;

namespace {

constexpr uint32_t COUNT = 64;
constexpr uint32_t ROWS = 3; // with a gap of a block in UB and of a row in GM
constexpr uint32_t BLOCK = 32;

// A row of x in UB, for MTE3.
template <typename T>
class Row {
public:
    explicit Row(GM_ADDR x)
    {
        GlobalTensor<T> xGm;
        xGm.SetGlobalBuffer((__gm__ T *)x + GetBlockIdx() * COUNT);
        pipe_.InitBuffer(buffer_, ROWS * (COUNT * sizeof(T) + BLOCK));
        row = buffer_.template Get<T>();
        for (uint32_t i = 0; i < ROWS; ++i) {
            DataCopy(row[i * (COUNT + BLOCK / sizeof(T))], xGm, COUNT);
        }
        SetFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_MTE3>(EVENT_ID0);
    }

    LocalTensor<T> row;

private:
    TPipe pipe_;
    TBuf<TPosition::VECCALC> buffer_;
};

// z takes the row of every core: once by DataCopy, and ROWS − 1 times by DataCopyPad.
template <typename T>
void Put(const Row<T> &from, GM_ADDR z)
{
    GlobalTensor<T> zGm;
    zGm.SetGlobalBuffer((__gm__ T *)z);
    DataCopy(zGm, from.row, COUNT);
    constexpr uint32_t bytes = COUNT * sizeof(T);
    DataCopyPad(zGm[2 * COUNT], from.row, DataCopyExtParams(ROWS - 1, bytes, 1, bytes, 0));
}

} // namespace

#define OF_TYPE(NAME, TYPE) \
    __global__ __aicore__ void add_##NAME(GM_ADDR x, GM_ADDR z) \
    { \
        const Row<TYPE> from(x); \
        SetAtomicAdd<TYPE>(); \
        Put(from, z); \
        SetAtomicNone(); \
    } \
    LAUNCHABLE(add_##NAME); \
\
    __global__ __aicore__ void max_##NAME(GM_ADDR x, GM_ADDR z) \
    { \
        const Row<TYPE> from(x); \
        SetAtomicMax<TYPE>(); \
        Put(from, z); \
    } \
    LAUNCHABLE(max_##NAME); \
\
    __global__ __aicore__ void min_##NAME(GM_ADDR x, GM_ADDR z) \
    { \
        const Row<TYPE> from(x); \
        SetAtomicMin<TYPE>(); \
        Put(from, z); \
    } \
    LAUNCHABLE(min_##NAME)

OF_TYPE(float, float);
OF_TYPE(half, half);
OF_TYPE(bfloat16, bfloat16_t);
OF_TYPE(int32, int32_t);
OF_TYPE(int16, int16_t);
OF_TYPE(int8, int8_t);

// ------------------------------------------------------------------ faults

__global__ __aicore__ void another_type(GM_ADDR x, GM_ADDR z)
{
    GlobalTensor<int32_t> zGm;
    zGm.SetGlobalBuffer((__gm__ int32_t *)z);
    const Row<int32_t> from(x);
    SetAtomicAdd<float>();
    DataCopy(zGm, from.row, COUNT); // another_type
}
LAUNCHABLE(another_type);

// Core 0 stores, the others add.
__global__ __aicore__ void stored_and_added(GM_ADDR x, GM_ADDR z)
{
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float *)z);
    const Row<float> from(x);
    if (GetBlockIdx() > 0) {
        SetAtomicAdd<float>();
    }
    DataCopy(zGm, from.row, COUNT); // stored_and_added
}
LAUNCHABLE(stored_and_added);

// All cores add. Core 0 reads the sum when core 1 has added, and knows nothing of core 2.
__global__ __aicore__ void read_before_all(GM_ADDR x, GM_ADDR z)
{
    if ASCEND_IS_AIC {
        return;
    }
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float *)z);
    const Row<float> from(x);
    SetAtomicAdd<float>();
    DataCopy(zGm, from.row, COUNT); // added
    SetAtomicNone();
    if (GetBlockIdx() >= 2) {
        return;
    }
    CrossCoreSetFlag<1, PIPE_MTE3>(0);
    CrossCoreWaitFlag(0);
    if (GetBlockIdx() == 0) {
        DataCopy(from.row, zGm, COUNT); // read_before_all
    }
}
LAUNCHABLE(read_before_all);

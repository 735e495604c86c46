// Kernels of one vector core, each with exactly one fault. The line that is to be named ends in a mark.
#include "launch.h"

using namespace AscendC;

namespace {

constexpr uint32_t COUNT = 64; // floats of a copy: 256 bytes
constexpr uint32_t BYTES = COUNT * sizeof(float);

// What all of them have: tensors x and z, and UB buffers for a, b and c.
struct Scene {
    Scene(GM_ADDR x, GM_ADDR z)
    {
        xGm.SetGlobalBuffer((__gm__ float *)x, COUNT);
        zGm.SetGlobalBuffer((__gm__ float *)z, COUNT);
        pipe.InitBuffer(aBuffer, BYTES);
        pipe.InitBuffer(bBuffer, BYTES);
        pipe.InitBuffer(cBuffer, BYTES);
        a = aBuffer.Get<float>();
        b = bBuffer.Get<float>();
        c = cBuffer.Get<float>();
    }

    // a = x, and V may use it.
    void Load()
    {
        DataCopy(a, xGm, COUNT);
        SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
        WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    }

    // z = tensor, which V has written.
    void Store(const LocalTensor<float> &tensor)
    {
        SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
        WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
        DataCopy(zGm, tensor, COUNT);
    }

    GlobalTensor<float> xGm;
    GlobalTensor<float> zGm;
    TPipe pipe;
    TBuf<TPosition::VECCALC> aBuffer;
    TBuf<TPosition::VECCALC> bBuffer;
    TBuf<TPosition::VECCALC> cBuffer;
    LocalTensor<float> a;
    LocalTensor<float> b;
    LocalTensor<float> c;
};

} // namespace

// ------------------------------------------------------------------ bounds

__global__ __aicore__ void past_tensor(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    DataCopy(scene.a, scene.xGm[8], COUNT); // past_tensor
}
LAUNCHABLE(past_tensor);

__global__ __aicore__ void before_tensor(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x - 32, z);
    DataCopy(scene.a, scene.xGm, COUNT); // before_tensor
}
LAUNCHABLE(before_tensor);

__global__ __aicore__ void far_from_tensor(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    DataCopy(scene.a, scene.xGm[1ULL << 34], COUNT); // far_from_tensor
}
LAUNCHABLE(far_from_tensor);

// Within UB, but past the buffer a.
__global__ __aicore__ void past_buffer(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    DataCopy(scene.a[8], scene.xGm, COUNT); // past_buffer
}
LAUNCHABLE(past_buffer);

__global__ __aicore__ void past_buffer_by_stride(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    Duplicate(scene.c, 1.0F, 64, 2, 1, 1); // past_buffer_by_stride
}
LAUNCHABLE(past_buffer_by_stride);

__global__ __aicore__ void past_buffer_by_scalar(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    scene.a.SetValue(COUNT, 1.0F); // past_buffer_by_scalar
}
LAUNCHABLE(past_buffer_by_scalar);

// The offsets of 64 elements are 256 bytes, which are all of a; the count is that of 16 MiB.
__global__ __aicore__ void past_offsets(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    Duplicate(scene.a.ReinterpretCast<uint32_t>(), 0U, COUNT);
    PipeBarrier<PIPE_V>();
    Gather(scene.b, scene.c, scene.a.ReinterpretCast<uint32_t>(), 0, 255U * 64U); // past_offsets
}
LAUNCHABLE(past_offsets);

// The bits of each repeat are 255 blocks further.
__global__ __aicore__ void past_bits(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    Duplicate(scene.c.ReinterpretCast<uint32_t>(), 0U, COUNT);
    PipeBarrier<PIPE_V>();
    uint64_t taken = 0;
    GatherMask(scene.b, scene.a, scene.c.ReinterpretCast<uint32_t>(), false, 0, {1, 65535, 0, 255}, taken); // past_bits
}
LAUNCHABLE(past_bits);

__global__ __aicore__ void past_by_offset(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    scene.Load();
    Duplicate(scene.c.ReinterpretCast<uint32_t>(), 0x7ffffff0U, COUNT);
    PipeBarrier<PIPE_V>();
    Gather(scene.b, scene.a, scene.c.ReinterpretCast<uint32_t>(), 0, COUNT); // past_by_offset
}
LAUNCHABLE(past_by_offset);

__global__ __aicore__ void input_written(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    Duplicate(scene.a, 0.0F, COUNT);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(scene.xGm, scene.a, COUNT); // input_written
}
LAUNCHABLE(input_written);

__global__ __aicore__ void misaligned(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    scene.Load();
    Adds(scene.b, scene.a[4], 1.0F, 32); // misaligned
}
LAUNCHABLE(misaligned);

__global__ __aicore__ void too_large(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    TBuf<TPosition::VECCALC> rest;
    scene.pipe.InitBuffer(rest, 192 * 1024); // too_large
}
LAUNCHABLE(too_large);

__global__ __aicore__ void half_block(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    DataCopy(scene.a, scene.xGm, 12); // half_block
}
LAUNCHABLE(half_block);

// ------------------------------------------------------------------ limits

__global__ __aicore__ void repeats(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    const uint32_t rows = 256;
    Duplicate(scene.c, 1.0F, 8, rows, 1, 0); // repeats
}
LAUNCHABLE(repeats);

__global__ __aicore__ void wide_mask(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    Duplicate(scene.c, 1.0F, 65, 1, 1, 8); // wide_mask
}
LAUNCHABLE(wide_mask);

__global__ __aicore__ void long_stride(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    scene.Load();
    const uint32_t stride = 300;
    BinaryRepeatParams params;
    params.src0RepStride = stride;
    Add(scene.b, scene.a, scene.a, 8, 1, params); // long_stride
}
LAUNCHABLE(long_stride);

__global__ __aicore__ void many_bursts(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    const uint32_t bursts = 65536;
    DataCopyPad(scene.a, scene.xGm, {bursts, 32, 0, 0, 0}, {false, 0, 0, 0}); // many_bursts
}
LAUNCHABLE(many_bursts);

// ------------------------------------------------------------------ bytes without a value

__global__ __aicore__ void never_written(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    Adds(scene.b, scene.a, 1.0F, COUNT); // never_written
    scene.Store(scene.b);
}
LAUNCHABLE(never_written);

// 60 floats are copied; the last 4 of the buffer stay as they were.
__global__ __aicore__ void tail_never_written(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    DataCopyPad(scene.a, scene.xGm, {1, 32 * sizeof(float), 0, 0, 0}, {false, 0, 0, 0});
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(scene.b, scene.a, 1.0F, 33); // tail_never_written
}
LAUNCHABLE(tail_never_written);

__global__ __aicore__ void padding_read(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    DataCopyPad(scene.a, scene.xGm, {1, 61 * sizeof(float), 0, 0, 0}, {false, 0, 0, 0}); // padding_written
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    Adds(scene.b, scene.a, 1.0F, 62); // padding_read
}
LAUNCHABLE(padding_read);

// ------------------------------------------------------------------ order

__global__ __aicore__ void no_flag(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    DataCopy(scene.a, scene.xGm, COUNT); // no_flag_first
    Adds(scene.b, scene.a, 1.0F, COUNT); // no_flag
    scene.Store(scene.b);
}
LAUNCHABLE(no_flag);

__global__ __aicore__ void no_vector_barrier(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    scene.Load();
    Adds(scene.b, scene.a, 1.0F, COUNT); // no_vector_barrier_first
    Muls(scene.c, scene.b, 2.0F, COUNT); // no_vector_barrier
    scene.Store(scene.c);
}
LAUNCHABLE(no_vector_barrier);

__global__ __aicore__ void two_copies_overlap(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    DataCopy(scene.a, scene.xGm, COUNT); // two_copies_overlap_first
    DataCopy(scene.a, scene.xGm, 8); // two_copies_overlap
}
LAUNCHABLE(two_copies_overlap);

// The buffer is filled again while it may still be read.
__global__ __aicore__ void written_while_read(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    scene.Load();
    Adds(scene.b, scene.a, 1.0F, COUNT); // written_while_read_first
    DataCopy(scene.a, scene.xGm, COUNT); // written_while_read
    scene.Store(scene.b);
}
LAUNCHABLE(written_while_read);

__global__ __aicore__ void scalar_too_early(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    scene.Load();
    Adds(scene.b, scene.a, 1.0F, COUNT);
    SetFlag<HardEvent::V_S>(EVENT_ID0);
    WaitFlag<HardEvent::V_S>(EVENT_ID0);
    (void)scene.b.GetValue(0);
    Adds(scene.c, scene.a, 2.0F, COUNT); // scalar_too_early_writes
    (void)scene.c.GetValue(0); // scalar_too_early
}
LAUNCHABLE(scalar_too_early);

// What the scalar unit stores in UB waits for a flag like everything else.
__global__ __aicore__ void store_too_late(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    scene.Load();
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    scene.a.SetValue(3, 7.0F); // store_too_late_first
    Adds(scene.b, scene.a, 1.0F, COUNT); // store_too_late
    scene.Store(scene.b);
}
LAUNCHABLE(store_too_late);

// V knows of the store, MTE3 does not.
__global__ __aicore__ void store_of_another_pipe(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    scene.Load();
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    scene.a.SetValue(3, 7.0F); // store_of_another_pipe_first
    SetFlag<HardEvent::S_V>(EVENT_ID0);
    WaitFlag<HardEvent::S_V>(EVENT_ID0);
    Adds(scene.b, scene.a, 1.0F, COUNT);
    DataCopy(scene.zGm, scene.a, COUNT); // store_of_another_pipe
}
LAUNCHABLE(store_of_another_pipe);

// Each way to wait for a store: S_V, then from V on to MTE3; S_MTE3; V_S for what V has waited for; a barrier of all.
__global__ __aicore__ void stores_in_order(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    scene.Load();
    SetFlag<HardEvent::MTE2_S>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_S>(EVENT_ID0);
    scene.a.SetValue(3, 7.0F);
    scene.a.SetValue(4, scene.a.GetValue(3) + 1.0F);
    SetFlag<HardEvent::S_V>(EVENT_ID0);
    WaitFlag<HardEvent::S_V>(EVENT_ID0);
    Adds(scene.b, scene.a, 1.0F, COUNT);
    Duplicate(scene.c, 0.0F, COUNT);
    SetFlag<HardEvent::V_S>(EVENT_ID0);
    WaitFlag<HardEvent::V_S>(EVENT_ID0);
    DataCopy(scene.zGm, scene.a, COUNT);
    scene.c.SetValue(0, scene.b.GetValue(3));
    PipeBarrier<PIPE_ALL>();
    DataCopy(scene.zGm, scene.c, 8);
    scene.b.SetValue(9, scene.b.GetValue(4));
    SetFlag<HardEvent::S_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::S_MTE3>(EVENT_ID0);
    DataCopy(scene.zGm[8], scene.b[8], 8);
}
LAUNCHABLE(stores_in_order);

// Two cores write the same tensor.
__global__ __aicore__ void two_cores(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    Duplicate(scene.b, 1.0F, COUNT);
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopy(scene.zGm, scene.b, COUNT); // two_cores
}
LAUNCHABLE(two_cores);

// ------------------------------------------------------------------ flags and queues

__global__ __aicore__ void flag_left(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    scene.Load();
    SetFlag<HardEvent::V_MTE2>(EVENT_ID1); // flag_left
}
LAUNCHABLE(flag_left);

__global__ __aicore__ void flag_twice(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0); // flag_twice
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
}
LAUNCHABLE(flag_twice);

__global__ __aicore__ void flag_number(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    SetFlag<HardEvent::MTE2_V>(8); // flag_number
}
LAUNCHABLE(flag_number);

__global__ __aicore__ void never_set(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    Duplicate(scene.b, 1.0F, COUNT);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID3); // never_set
    DataCopy(scene.zGm, scene.b, COUNT);
}
LAUNCHABLE(never_set);

__global__ __aicore__ void queue_left(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    TQue<TPosition::VECIN, 1> queue;
    scene.pipe.InitBuffer(queue, 1, BYTES);
    LocalTensor<float> tensor = queue.AllocTensor<float>(); // queue_left
    DataCopy(tensor, scene.xGm, COUNT);
}
LAUNCHABLE(queue_left);

__global__ __aicore__ void queue_full(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    TQue<TPosition::VECIN, 1> queue;
    scene.pipe.InitBuffer(queue, 1, BYTES);
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    LocalTensor<float> other = queue.AllocTensor<float>(); // queue_full
    (void)tensor;
    (void)other;
}
LAUNCHABLE(queue_full);

__global__ __aicore__ void queue_empty(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    TQue<TPosition::VECIN, 1> queue;
    scene.pipe.InitBuffer(queue, 1, BYTES);
    (void)queue.DeQue<float>(); // queue_empty
}
LAUNCHABLE(queue_empty);

// ------------------------------------------------------------------ numbers

__global__ __aicore__ void overflow(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    scene.Load();
    Exp(scene.b, scene.a, COUNT); // overflow
    scene.Store(scene.b);
}
LAUNCHABLE(overflow);

__global__ __aicore__ void wrong_pipe(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    PipeBarrier<PIPE_M>(); // wrong_pipe
}
LAUNCHABLE(wrong_pipe);

__global__ __aicore__ void half_of_z(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    scene.Load();
    SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
    DataCopyPad(scene.zGm, scene.a, {1, 33 * sizeof(float), 0, 0, 0});
}
LAUNCHABLE(half_of_z);

// ------------------------------------------------------------------ no answer

__global__ __aicore__ void crash(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    Duplicate(scene.a, 0.0F, COUNT); // crash
    *reinterpret_cast<volatile int *>(8) = 1;
}
LAUNCHABLE(crash);

__global__ __aicore__ void endless(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    Duplicate(scene.a, 0.0F, COUNT); // endless
    while (reinterpret_cast<volatile uint8_t *>(z)[0] != 0) {
    }
}
LAUNCHABLE(endless);

__global__ __aicore__ void endless_work(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    for (;;) {
        PipeBarrier<PIPE_V>();
        Duplicate(scene.a, 0.0F, COUNT); // endless_work
    }
}
LAUNCHABLE(endless_work);

__global__ __aicore__ void endless_behind_a_flag(GM_ADDR x, GM_ADDR z)
{
    Scene scene(x, z);
    WaitFlag<HardEvent::V_MTE3>(EVENT_ID3); // endless_behind_a_flag
    for (;;) {
        DataCopy(scene.zGm, scene.a, COUNT); // endless_copies
    }
}
LAUNCHABLE(endless_behind_a_flag);

// Runs a list of instructions that a tensor holds: groups of four numbers, the first says what to do.
#include "launch.h"

using namespace AscendC;

namespace {

constexpr uint32_t WORDS = 64; // floats of UB that are used
constexpr int32_t LONGEST = 40; // instructions

enum Step : int32_t {
    LOAD, // UB word a (of 8) from GM word b, c words, padded to blocks with zeros
    STORE, // GM word b from UB word a (of 8), c words
    COMPUTE, // UB word a from UB word b (both of 8), c words
    ORDER, // event a
    BARRIER, // of pipe a
    PUT, // UB word a by the scalar unit
    TAKE, // the same, read
    END,
};

template <HardEvent event>
void Order()
{
    SetFlag<event>(0);
    WaitFlag<event>(0);
}

void OrderBy(int32_t event)
{
    using Call = void (*)();
    constexpr Call calls[] = {Order<HardEvent::MTE2_V>, Order<HardEvent::V_MTE3>, Order<HardEvent::V_MTE2>,
        Order<HardEvent::MTE3_MTE2>, Order<HardEvent::MTE3_V>, Order<HardEvent::MTE2_MTE3>, Order<HardEvent::V_S>,
        Order<HardEvent::MTE2_S>, Order<HardEvent::MTE3_S>, Order<HardEvent::S_V>, Order<HardEvent::S_MTE2>,
        Order<HardEvent::S_MTE3>};
    calls[event]();
}

void Wall(int32_t pipe)
{
    if (pipe == 0) {
        PipeBarrier<PIPE_V>();
    } else if (pipe == 1) {
        PipeBarrier<PIPE_MTE2>();
    } else {
        PipeBarrier<PIPE_MTE3>();
    }
}

} // namespace

__global__ __aicore__ void script(GM_ADDR steps, GM_ADDR z)
{
    GlobalTensor<float> zGm;
    zGm.SetGlobalBuffer((__gm__ float *)z);
    TPipe pipe;
    TBuf<TPosition::VECCALC> buffer;
    pipe.InitBuffer(buffer, WORDS * sizeof(float));
    const LocalTensor<float> words = buffer.Get<float>();
    Duplicate(words, 0.0F, WORDS);
    PipeBarrier<PIPE_ALL>();
    const int32_t *step = (__gm__ int32_t *)steps;
    for (int32_t i = 0; i < LONGEST && step[0] != END; ++i, step += 4) {
        const auto a = static_cast<uint32_t>(step[1]);
        const auto b = static_cast<uint32_t>(step[2]);
        const auto c = static_cast<uint32_t>(step[3]);
        switch (step[0]) {
            case LOAD:
                DataCopyPad(words[a], zGm[b], {1, c * 4, 0, 0, 0}, {true, 0, static_cast<uint8_t>((8 - c % 8) % 8), 0.0F});
                break;
            case STORE:
                DataCopyPad(zGm[b], words[a], {1, c * 4, 0, 0, 0});
                break;
            case COMPUTE:
                Adds(words[a], words[b], 1.0F, static_cast<int32_t>(c));
                break;
            case ORDER:
                OrderBy(step[1]);
                break;
            case PUT:
                words.SetValue(a, 1.0F);
                break;
            case TAKE:
                (void)words.GetValue(a);
                break;
            default:
                Wall(step[1]);
                break;
        }
    }
}
LAUNCHABLE(script);

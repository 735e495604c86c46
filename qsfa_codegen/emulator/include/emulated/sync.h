// Flags and barriers, inside a core and between cores.
#ifndef EMULATED_SYNC_H
#define EMULATED_SYNC_H

#include "emulated/tensor.h"

namespace AscendC {

inline Pipe PipeOf(pipe_t pipe)
{
    switch (pipe) {
        case PIPE_V:
            return Pipe::V;
        case PIPE_M:
            return Pipe::M;
        case PIPE_MTE1:
            return Pipe::MTE1;
        case PIPE_MTE2:
            return Pipe::MTE2;
        case PIPE_MTE3:
            return Pipe::MTE3;
        case PIPE_FIX:
            return Pipe::FIX;
        default:
            return Pipe::S;
    }
}

// The two pipes of an event, in the order of HardEvent.
inline emulator::Event EventOf(HardEvent event, int32_t id)
{
    constexpr Pipe S = Pipe::S;
    constexpr Pipe V = Pipe::V;
    constexpr Pipe M = Pipe::M;
    constexpr Pipe MTE1 = Pipe::MTE1;
    constexpr Pipe MTE2 = Pipe::MTE2;
    constexpr Pipe MTE3 = Pipe::MTE3;
    constexpr Pipe FIX = Pipe::FIX;
    constexpr Pipe pairs[][2] = {{MTE2, MTE1}, {MTE1, MTE2}, {MTE1, M}, {M, MTE1}, {MTE2, V}, {V, MTE2}, {MTE3, V},
        {V, MTE3}, {M, V}, {V, M}, {V, V}, {MTE3, MTE1}, {MTE1, MTE3}, {MTE1, V}, {MTE2, M}, {M, MTE2}, {V, MTE1},
        {M, FIX}, {FIX, M}, {MTE3, MTE2}, {MTE2, MTE3}, {S, V}, {V, S}, {S, MTE2}, {MTE2, S}, {S, MTE3}, {MTE3, S},
        {MTE2, FIX}, {FIX, MTE2}, {FIX, S}, {M, S}, {FIX, MTE3}, {MTE1, FIX}, {FIX, MTE1}, {FIX, FIX}};
    static_assert(sizeof(pairs) / sizeof(pairs[0]) == static_cast<size_t>(HardEvent::MAX));
    const Pipe *pair = pairs[static_cast<size_t>(event)];
    return {pair[0], pair[1], static_cast<uint16_t>(id)};
}

// On a cube core, events of the vector pipe are left out, as in the real headers.
inline bool LeftOut(const emulator::Event &event)
{
    return emulator::Here().Cube() && (event.from == Pipe::V || event.to == Pipe::V);
}

template <HardEvent event>
void SetFlag(int32_t eventID, Site site = Site::Here())
{
    const emulator::Event pair = EventOf(event, eventID);
    if (!LeftOut(pair)) {
        emulator::Here().SetFlag(pair, site);
    }
}

template <HardEvent event>
void WaitFlag(int32_t eventID, Site site = Site::Here())
{
    const emulator::Event pair = EventOf(event, eventID);
    if (!LeftOut(pair)) {
        emulator::Here().WaitFlag(pair, site);
    }
}

template <pipe_t pipe>
void PipeBarrier(Site site = Site::Here())
{
    static_assert(pipe != PIPE_S, "the scalar pipe keeps its own order; there is no barrier for it");
    if (pipe == PIPE_ALL) {
        emulator::Here().BarrierAll(site);
    } else if (pipe != PIPE_V || !emulator::Here().Cube()) { // left out, as events of the vector pipe are
        emulator::Here().Barrier(PipeOf(pipe), site);
    }
}

template <uint8_t modeId, pipe_t pipe>
void CrossCoreSetFlag(uint16_t flagId, Site site = Site::Here())
{
    static_assert(pipe != PIPE_ALL && (pipe != PIPE_S || modeId == 4), "a cross-core flag is set by a pipe other than ALL and, but in mode 4, S");
    emulator::Here().SetCross(modeId, PipeOf(pipe), flagId, site);
}

// On arch22 the mode and pipe have no effect: all that follows waits. On arch35 the pipe alone waits.
template <uint8_t modeId = 0, pipe_t pipe = PIPE_S>
void CrossCoreWaitFlag(uint16_t flagId, Site site = Site::Here())
{
    emulator::Core &core = emulator::Here();
    const bool arch35 = core.Whole().OnChip().Arch35();
    core.WaitCross(arch35 ? modeId : 0, arch35 ? PipeOf(pipe) : Pipe::S, flagId, site);
}

// The flags that SyncAll uses for itself.
constexpr uint16_t SYNC_AIC = 11;
constexpr uint16_t SYNC_TO_AIC = 12;
constexpr uint16_t SYNC_TO_AIV = 13;
constexpr uint16_t SYNC_AIV = 14;

// With isAIVOnly all cores of the caller's kind wait for each other: it is meant for vector cores.
template <bool isAIVOnly = true>
void SyncAll(Site site = Site::Here())
{
    emulator::Core &core = emulator::Here();
    core.BarrierAll(site);
    if (isAIVOnly) {
        core.SetCross(0, Pipe::MTE3, SYNC_AIV, site);
        core.WaitCross(0, Pipe::S, SYNC_AIV, site);
        return;
    }
    if (core.Cube()) {
        core.WaitCross(0, Pipe::S, SYNC_TO_AIC, site);
        core.SetCross(0, Pipe::FIX, SYNC_AIC, site);
        core.WaitCross(0, Pipe::S, SYNC_AIC, site);
        core.SetCross(2, Pipe::MTE3, SYNC_TO_AIV, site);
    } else {
        core.SetCross(2, Pipe::MTE3, SYNC_TO_AIC, site);
        core.WaitCross(0, Pipe::S, SYNC_TO_AIV, site);
    }
}

} // namespace AscendC

#endif // EMULATED_SYNC_H

// What is known of a buffer of a queue, and which pipes it goes between.
#ifndef EMULATED_QUEUE_SLOT_H
#define EMULATED_QUEUE_SLOT_H

#include "emulated/tensor.h"

namespace AscendC {

// One buffer of a queue.
struct Slot {
    enum class State : uint8_t {
        FREE,
        TAKEN,
        QUEUED,
        OUT
    };

    Operand place;
    State state = State::FREE;
    int32_t full = -1; // event that says it is filled
    int32_t free = -1; // event that says it is read
    Site site; // of the last change
};

// Which pipe fills the buffers of a position, and which empties them.
constexpr Pipe FillerOf(TPosition position)
{
    switch (position) {
        case TPosition::VECIN:
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
            return Pipe::MTE2;
        case TPosition::A2:
        case TPosition::B2:
        case TPosition::C2:
            return Pipe::MTE1;
        case TPosition::CO1:
            return Pipe::M;
        default:
            return Pipe::V;
    }
}

constexpr Pipe EmptierOf(TPosition position)
{
    switch (position) {
        case TPosition::VECOUT:
            return Pipe::MTE3;
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
            return Pipe::MTE1;
        case TPosition::A2:
        case TPosition::B2:
        case TPosition::C2:
            return Pipe::M;
        case TPosition::CO1:
            return Pipe::FIX;
        default:
            return Pipe::V;
    }
}

} // namespace AscendC

#endif // EMULATED_QUEUE_SLOT_H

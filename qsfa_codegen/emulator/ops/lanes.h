// Which elements a vector instruction works on, and where they lie.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "access.h"

namespace emulator::ops {

// The mask register. Normal mode: bit i of {low, high} lets lane i of every repeat take part. Counter mode:
// `low` is the number of elements of the whole instruction, and the repeat count does not matter.
struct Mask {
    bool counter = false;
    uint64_t low = ~uint64_t(0);
    uint64_t high = ~uint64_t(0);

    static Mask Bits(uint64_t low, uint64_t high)
    {
        return {false, low, high};
    }
    static Mask Count(uint64_t elements)
    {
        return {true, elements, 0};
    }

    // The continuous form: the first `lanes` lanes of every repeat.
    static Mask First(uint32_t lanes)
    {
        const auto ones = [](uint32_t bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; };
        return {false, ones(lanes), lanes > 64 ? ones(lanes - 64) : 0};
    }
};

// In blocks of 32 bytes: between blocks of one repeat, and between repeats.
struct Strides {
    uint32_t block = 1;
    uint32_t repeat = 8;
};

// A half-open run of lanes of one repeat.
struct LaneRun {
    uint32_t begin;
    uint32_t end;
};

// The lanes of an instruction; `width` of them in a repeat.
class Lanes {
public:
    Lanes(const Mask &mask, uint32_t repeat, uint32_t width)
        : mask_(mask), repeat_(repeat), width_(width)
    {
    }

    uint32_t Repeats() const
    {
        return mask_.counter ? static_cast<uint32_t>(CeilDiv(mask_.low, width_)) : repeat_;
    }

    bool Active(uint32_t repeat, uint32_t lane) const
    {
        if (mask_.counter) {
            return uint64_t(repeat) * width_ + lane < mask_.low;
        }
        return ((lane < 64 ? mask_.low >> lane : mask_.high >> (lane - 64)) & 1) != 0;
    }

    // Calls visit(lane) for the lanes of a repeat that take part, in order.
    template <class Visit>
    void ForEach(uint32_t repeat, Visit visit) const
    {
        for (uint32_t lane = 0; lane < width_; ++lane) {
            if (Active(repeat, lane)) {
                visit(lane);
            }
        }
    }

    // The next run of lanes at or past `from` that take part; empty at the end of the repeat.
    LaneRun NextRun(uint32_t repeat, uint32_t from) const
    {
        while (from < width_ && !Active(repeat, from)) {
            ++from;
        }
        uint32_t end = from;
        while (end < width_ && Active(repeat, end)) {
            ++end;
        }
        return {from, end};
    }

    // Whether all repeats have the same lanes, and these are one run.
    bool OneRun(LaneRun &run) const
    {
        if (mask_.counter && mask_.low % width_ != 0) {
            return false;
        }
        run = NextRun(0, 0);
        return NextRun(0, run.end).begin >= width_;
    }

    uint32_t Width() const
    {
        return width_;
    }

private:
    Mask mask_;
    uint32_t repeat_;
    uint32_t width_;
};

inline uint64_t LaneOffset(Strides strides, uint32_t size, uint32_t repeat, uint32_t lane)
{
    const uint32_t perBlock = BLOCK / size;
    const uint64_t blocks = uint64_t(repeat) * strides.repeat + uint64_t(lane / perBlock) * strides.block;
    return blocks * BLOCK + uint64_t(lane % perBlock) * size;
}

// One run of lanes of one repeat. Blocks that are wholly taken go in one strided access.
template <class Visit>
void VisitRun(Access access, Strides strides, uint32_t size, uint32_t repeat, LaneRun run, Visit &visit)
{
    const uint32_t perBlock = BLOCK / size;
    const auto send = [&](uint32_t begin, uint32_t end, uint64_t count) {
        access.offset = LaneOffset(strides, size, repeat, begin);
        access.bytes = uint64_t(end - begin) * size;
        access.count = count;
        access.stride = count > 1 ? uint64_t(strides.block) * BLOCK : 0;
        visit(static_cast<const Access &>(access));
    };
    if (strides.block == 1) {
        send(run.begin, run.end, 1);
        return;
    }
    uint32_t begin = run.begin;
    if (begin % perBlock != 0) {
        const uint32_t end = std::min(run.end, (begin / perBlock + 1) * perBlock);
        send(begin, end, 1);
        begin = end;
    }
    const uint32_t whole = (run.end - begin) / perBlock;
    if (whole > 0) {
        send(begin, begin + perBlock, whole);
        begin += whole * perBlock;
    }
    if (begin < run.end) {
        send(begin, run.end, 1);
    }
}

// The bytes of the elements of `size` bytes that take part.
template <class Visit>
void VisitLanes(const Lanes &lanes, uint8_t operand, Touch touch, Strides strides, uint32_t size, Visit &visit)
{
    Access access{operand, touch, 0, 0};
    LaneRun run{};
    if (strides.block == 1 && lanes.OneRun(run)) {
        if (run.begin < run.end && lanes.Repeats() > 0) {
            access.offset = LaneOffset(strides, size, 0, run.begin);
            access.bytes = uint64_t(run.end - run.begin) * size;
            access.count = lanes.Repeats();
            access.stride = uint64_t(strides.repeat) * BLOCK;
            visit(static_cast<const Access &>(access));
        }
        return;
    }
    for (uint32_t repeat = 0; repeat < lanes.Repeats(); ++repeat) {
        for (run = lanes.NextRun(repeat, 0); run.begin < run.end; run = lanes.NextRun(repeat, run.end)) {
            VisitRun(access, strides, size, repeat, run, visit);
        }
    }
}

// Stores compute(repeat, lane) in all lanes that take part. A repeat reads all it needs before it writes.
template <class To, class Compute>
void FillLanes(const Lanes &lanes, Byte *to, Strides strides, Compute compute)
{
    std::array<To, REPEAT> results;
    for (uint32_t repeat = 0; repeat < lanes.Repeats(); ++repeat) {
        lanes.ForEach(repeat, [&](uint32_t lane) { results[lane] = compute(repeat, lane); });
        lanes.ForEach(repeat, [&](uint32_t lane) {
            Store(to + LaneOffset(strides, sizeof(To), repeat, lane), results[lane]);
        });
    }
}

template <class... Ts>
constexpr uint32_t RepeatWidth()
{
    constexpr uint32_t widest = std::max({static_cast<uint32_t>(sizeof(Ts))...});
    static_assert(widest >= 2, "the mask register has 128 bits");
    return REPEAT / widest;
}

// How many elements a repeat has when these types meet: the widest fills 256 bytes.
template <class... Ts>
constexpr uint32_t WIDTH = RepeatWidth<Ts...>();

} // namespace emulator::ops

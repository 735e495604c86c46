// Reductions of a repeat, of a block, and of neighbours.
//
// Sums add neighbours, then neighbours of the sums, and so on; each addition is rounded. Lanes that take no part
// count as 0. Of equal extremes the first one's index is given.
#pragma once

#include "arithmetic.h"

namespace emulator::ops {

enum class Reduction : uint8_t {
    SUM,
    MAX,
    MIN
};

// What WholeReduceMax and Min write; in the order of AscendC::ReduceOrder.
enum class Order : uint8_t {
    VALUE_INDEX,
    INDEX_VALUE,
    ONLY_VALUE,
    ONLY_INDEX
};

// The sum of `count` (a power of two) elements; `values` is used up.
template <class T>
T TreeSum(T *values, uint32_t count, Overflow overflow)
{
    for (; count > 1; count /= 2) {
        for (uint32_t i = 0; i < count / 2; ++i) {
            values[i] = Add::Of(values[2 * i], values[2 * i + 1], overflow);
        }
    }
    return values[0];
}

// One extreme of the lanes begin … end − 1 that take part; index is `end` when none does.
template <class T>
struct Extreme {
    T value{};
    uint32_t index;
};

template <class T, class Get>
Extreme<T> FindExtreme(const Lanes &lanes, uint32_t step, LaneRun within, bool greatest, Get get)
{
    Extreme<T> best{T{}, within.end};
    for (uint32_t lane = within.begin; lane < within.end; ++lane) {
        if (!lanes.Active(step, lane)) {
            continue;
        }
        const T value = get(lane);
        const bool better = greatest ? value > best.value : value < best.value;
        if (best.index == within.end || better || (IsNan(value) && !IsNan(best.value))) {
            best = {value, lane};
        }
    }
    return best;
}

template <class T, class Get>
T SumOf(const Lanes &lanes, uint32_t step, LaneRun within, Overflow overflow, Get get)
{
    T values[WIDTH<T>];
    for (uint32_t lane = within.begin; lane < within.end; ++lane) {
        values[lane - within.begin] = lanes.Active(step, lane) ? get(lane) : T(0);
    }
    return TreeSum(values, within.end - within.begin, overflow);
}

inline bool AnyActive(const Lanes &lanes, uint32_t step, LaneRun within)
{
    const LaneRun run = lanes.NextRun(step, within.begin);
    return run.begin < within.end && run.begin < run.end;
}

// WholeReduceSum, Max and Min. dstRepeat counts what one repeat writes: a value, a value with its index (as
// wide as the value), or an index of 4 bytes.
template <class T>
struct WholeReduce {
    Reduction reduction = Reduction::SUM;
    Order order = Order::VALUE_INDEX; // of maxima and minima
    Mask mask;
    uint32_t repeat = 1;
    uint32_t dstRepeat = 1;
    Strides src;
    Overflow overflow = Overflow::INF_NAN;

    uint32_t Alignment(uint32_t operand) const
    {
        return operand == 0 ? Unit() : BLOCK;
    }

    void Run(Operands at) const
    {
        const Lanes lanes = All();
        const LaneRun all{0, WIDTH<T>};
        for (uint32_t step = 0; step < lanes.Repeats(); ++step) {
            if (!AnyActive(lanes, step, all)) {
                continue;
            }
            const auto get = [&](uint32_t lane) { return Load<T>(at[1] + LaneOffset(src, sizeof(T), step, lane)); };
            Byte *to = at[0] + uint64_t(step) * dstRepeat * Unit();
            if (reduction == Reduction::SUM) {
                Store(to, SumOf<T>(lanes, step, all, overflow, get));
            } else {
                Put(to, FindExtreme<T>(lanes, step, all, reduction == Reduction::MAX, get));
            }
        }
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        const Lanes lanes = All();
        VisitLanes(lanes, 1, Touch::READ, src, sizeof(T), visit);
        for (uint32_t step = 0; step < lanes.Repeats(); ++step) {
            if (AnyActive(lanes, step, {0, WIDTH<T>})) {
                visit(Access{0, Touch::WRITE, uint64_t(step) * dstRepeat * Unit(), Unit()});
            }
        }
    }

private:
    using Index = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;

    Lanes All() const
    {
        return Lanes(mask, repeat, WIDTH<T>);
    }

    uint32_t Unit() const
    {
        if (reduction == Reduction::SUM || order == Order::ONLY_VALUE) {
            return sizeof(T);
        }
        return order == Order::ONLY_INDEX ? sizeof(uint32_t) : 2 * sizeof(T);
    }

    void Put(Byte *to, Extreme<T> extreme) const
    {
        const auto index = static_cast<Index>(extreme.index);
        switch (order) {
            case Order::VALUE_INDEX:
                Store(to, extreme.value);
                Store(to + sizeof(T), index);
                break;
            case Order::INDEX_VALUE:
                Store(to, index);
                Store(to + sizeof(T), extreme.value);
                break;
            case Order::ONLY_VALUE:
                Store(to, extreme.value);
                break;
            case Order::ONLY_INDEX:
                Store(to, extreme.index);
                break;
        }
    }
};

// The sum of all repeats in the accumulator register: that of each repeat is added in order. The only operand is the
// source.
template <class T>
struct Accumulate {
    Mask mask;
    uint32_t repeat = 1;
    Strides src;
    Overflow overflow = Overflow::INF_NAN;

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

    T Total(Operands at) const
    {
        const Lanes lanes(mask, repeat, WIDTH<T>);
        T total(0);
        for (uint32_t step = 0; step < lanes.Repeats(); ++step) {
            const auto get = [&](uint32_t lane) { return Load<T>(at[0] + LaneOffset(src, sizeof(T), step, lane)); };
            total = Add::Of(total, SumOf<T>(lanes, step, {0, WIDTH<T>}, overflow, get), overflow);
        }
        return total;
    }

    void Run(Operands) const
    {
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        VisitLanes(Lanes(mask, repeat, WIDTH<T>), 0, Touch::READ, src, sizeof(T), visit);
    }
};

// Results of the groups of lanes of a repeat, packed. Groups that take no part keep their old result.
template <class T, uint32_t group>
struct GroupReduce {
    static constexpr uint32_t GROUPS = WIDTH<T> / group;

    Reduction reduction = Reduction::SUM;
    Mask mask;
    uint32_t repeat = 1;
    uint32_t dstRepeat = 1; // counts what one repeat writes
    Strides src;
    Overflow overflow = Overflow::INF_NAN;

    static uint32_t Alignment(uint32_t operand)
    {
        return operand == 0 && group > 2 ? GROUPS * uint32_t(sizeof(T)) : BLOCK;
    }

    void Run(Operands at) const
    {
        const Lanes lanes = All();
        for (uint32_t step = 0; step < lanes.Repeats(); ++step) {
            const auto get = [&](uint32_t lane) { return Load<T>(at[1] + LaneOffset(src, sizeof(T), step, lane)); };
            T results[GROUPS];
            for (uint32_t i = 0; i < GROUPS; ++i) {
                const LaneRun within{i * group, (i + 1) * group};
                results[i] = reduction == Reduction::SUM
                    ? SumOf<T>(lanes, step, within, overflow, get)
                    : FindExtreme<T>(lanes, step, within, reduction == Reduction::MAX, get).value;
            }
            ForEachResult(lanes, step, [&](uint32_t i, uint64_t offset) { Store(at[0] + offset, results[i]); });
        }
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        const Lanes lanes = All();
        VisitLanes(lanes, 1, Touch::READ, src, sizeof(T), visit);
        for (uint32_t step = 0; step < lanes.Repeats(); ++step) {
            ForEachResult(lanes, step, [&](uint32_t, uint64_t offset) {
                visit(Access{0, Touch::WRITE, offset, sizeof(T)});
            });
        }
    }

private:
    Lanes All() const
    {
        return Lanes(mask, repeat, WIDTH<T>);
    }

    template <class Visit>
    void ForEachResult(const Lanes &lanes, uint32_t step, Visit visit) const
    {
        for (uint32_t i = 0; i < GROUPS; ++i) {
            if (AnyActive(lanes, step, {i * group, (i + 1) * group})) {
                visit(i, (uint64_t(step) * dstRepeat * GROUPS + i) * sizeof(T));
            }
        }
    }
};

// BlockReduceSum, Max, Min
template <class T>
using BlockReduce = GroupReduce<T, BLOCK / sizeof(T)>;

// PairReduceSum
template <class T>
using PairReduce = GroupReduce<T, 2>;

} // namespace emulator::ops

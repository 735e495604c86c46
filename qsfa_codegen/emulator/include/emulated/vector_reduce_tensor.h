// ReduceMax, ReduceMin and ReduceSum: a whole tensor to one element, in rounds over a work tensor.
//
// The rounds, barriers and flags are those of the real headers for arch22. The last step is the scalar unit's: it waits
// for V, writes the result, and lets V and MTE3 wait for it.
#ifndef EMULATED_VECTOR_REDUCE_TENSOR_H
#define EMULATED_VECTOR_REDUCE_TENSOR_H

#include "emulated/pipe.h"
#include "emulated/vector_reduce.h"

namespace AscendC {

// How a call reads its source.
struct ReducedSource {
    Mask mask;
    uint32_t repeats;
    Limited16 repeatStride;
};

// One call, while it is turned into instructions.
template <typename T>
class TensorReduction {
public:
    TensorReduction(const VectorCall &call, emulator::ops::Reduction reduction, const LocalTensor<T> &dst,
        const LocalTensor<T> &work)
        : call_(call), reduction_(reduction), dst_(dst), work_(work)
    {
        static_assert(std::is_same<T, half>::value || std::is_same<T, float>::value, "whole tensors of half and float are reduced");
        if (GetTPipePtr() == nullptr) {
            Refuse(call.name, call.site, "there is no TPipe, from which the call takes events");
        }
    }

    void Extreme(const LocalTensor<T> &src, const ReducedSource &from, bool withIndex)
    {
        if (withIndex) {
            ExtremeAndIndex(src, from);
        } else {
            ExtremeAlone(src, from);
        }
    }

    // The first `count` elements; what is left of them behind the whole repeats is compared at the end.
    void ExtremeOfFirst(const LocalTensor<T> &src, uint32_t count, bool withIndex)
    {
        const uint32_t whole = count / WIDTH;
        const uint32_t left = count % WIDTH;
        if (whole == 0 || left == 0) {
            Extreme(src, {Lanes(whole == 0 ? count : WIDTH), whole == 0 ? 1 : whole, 8}, withIndex);
            return;
        }
        Extreme(src, {Lanes(WIDTH), whole, 8}, withIndex);
        const Found body = Read(withIndex);
        Extreme(src[whole * WIDTH], {Lanes(left), 1, 8}, withIndex);
        const Found tail = Read(withIndex);
        work_.SetValue(0, body.value, call_.site);
        work_.SetValue(1, tail.value, call_.site);
        Hand<HardEvent::S_V>();
        Extreme(work_, {Lanes(2), 1, 8}, withIndex);
        if (withIndex) {
            const bool ofTail = Read(true).index == 1;
            SetIndex(ofTail ? whole * WIDTH + tail.index : body.index);
            Publish();
        }
    }

    void Sum(const LocalTensor<T> &src, const ReducedSource &from)
    {
        Round(work_, src, from);
        if (from.repeats == 1) {
            PutOut(work_);
            return;
        }
        Barrier();
        emulator::Here().mask = {false, from.repeats, 0};
        Round(work_, work_, {Mask::Count(from.repeats), 1, 8});
        Barrier();
        const uint32_t left = (from.repeats + WIDTH - 1) / WIDTH;
        if (left == 1) {
            PutOut(work_);
        } else {
            Round(dst_, work_, {Lanes(left), 1, 8});
        }
    }

    // By the register that adds up the repeats; the work tensor is not used.
    void SumOfFirst(const LocalTensor<T> &src, const Mask &mask)
    {
        emulator::ops::Accumulate<T> op;
        op.mask = mask;
        const Operand place = src.Place();
        Instruction instruction = MakeInstruction(Pipe::V, call_.name, call_.site, op, std::array<Operand, 1>{place});
        const auto total = std::make_shared<T>();
        instruction.work.repeats = AscendC::RepeatsOf(mask, 1, WIDTH);
        instruction.inOrder = emulator::Here().Whole().OnChip().VectorInOrder();
        instruction.execute = [op, place, total] {
            uint8_t *at[] = {place.memory->Data() + place.offset};
            *total = op.Total(at);
        };
        Issue(std::move(instruction));
        Hand<HardEvent::V_S>();
        dst_.SetValue(0, *total, call_.site);
        Publish();
    }

private:
    static constexpr uint32_t WIDTH = emulator::ops::WIDTH<T>;
    static constexpr uint32_t MOST = 255; // repeats of one instruction
    using Index = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;

    struct Found {
        T value{};
        uint32_t index = 0;
    };

    Mask Lanes(uint32_t count) const
    {
        return call_.Lanes(count, WIDTH);
    }

    // Lanes 0, 2, 4 …: the values among values with their indices.
    Mask Values(uint32_t pairs) const
    {
        const Mask all = Mask::First(2 * pairs);
        const uint64_t bits[] = {all.low & 0x5555555555555555, all.high & 0x5555555555555555};
        return call_.Lanes(bits, WIDTH);
    }

    // What a repeat gives: a value, or with its index a pair.
    uint32_t Unit() const
    {
        return reduction_ == emulator::ops::Reduction::SUM ? 1 : 2;
    }

    // `behind`: an instruction of the same round stands before it, over other parts of the work tensor.
    void Round(const LocalTensor<T> &to, const LocalTensor<T> &from, const ReducedSource &source, bool behind = false) const
    {
        const uint32_t stride = source.repeatStride.Wide() * (32 / sizeof(T));
        for (uint32_t first = 0; first < source.repeats; first += MOST) {
            emulator::ops::WholeReduce<T> op;
            op.reduction = reduction_;
            op.mask = source.mask;
            op.repeat = std::min(MOST, source.repeats - first);
            op.src.repeat = source.repeatStride.Wide();
            const std::array<Operand, 2> operands{to[first * Unit()].Place(), from[first * stride].Place()};
            IssueVector<T, T>(call_, op, AscendC::RepeatsOf(op.mask, op.repeat, WIDTH), operands, false, behind);
        }
    }

    // One round over pairs: the pairs that are left.
    uint32_t RoundOfPairs(const LocalTensor<T> &to, const LocalTensor<T> &from, uint32_t pairs) const
    {
        const uint32_t whole = 2 * pairs / WIDTH;
        const uint32_t left = pairs - whole * WIDTH / 2;
        if (whole > 0) {
            Round(to, from, {Values(WIDTH / 2), whole, 8});
        }
        if (left > 0) {
            Round(to[2 * whole], from[whole * WIDTH], {Values(left), 1, 8}, whole > 0);
        }
        return whole + (left > 0 ? 1 : 0);
    }

    void ExtremeAlone(const LocalTensor<T> &src, const ReducedSource &from)
    {
        Round(work_, src, from);
        if (from.repeats > 1) {
            uint32_t pairs = from.repeats;
            do {
                Barrier();
                pairs = RoundOfPairs(work_, work_, pairs);
            } while (2 * pairs > WIDTH);
            Barrier();
            Round(work_, work_, {Values(pairs), 1, 8});
        }
        PutOut(work_);
    }

    // Each round has a part of its own: the indices in all of them lead to the one in the source.
    void ExtremeAndIndex(const LocalTensor<T> &src, const ReducedSource &from)
    {
        if (from.repeats == 1) {
            Round(dst_, src, from);
            return;
        }
        std::vector<LocalTensor<T>> parts{work_};
        Round(work_, src, from);
        for (uint32_t pairs = from.repeats; pairs > 1;) {
            constexpr uint32_t block = 32 / sizeof(T);
            const LocalTensor<T> next = parts.back()[(2 * pairs + block - 1) / block * block];
            Barrier();
            pairs = RoundOfPairs(next, parts.back(), pairs);
            parts.push_back(next);
        }
        Hand<HardEvent::V_S>();
        uint32_t pair = 0;
        for (size_t i = parts.size() - 1; i > 0; --i) {
            pair = (pair * WIDTH + IndexAt(parts[i], pair)) / 2;
        }
        const uint32_t stride = from.repeatStride.Wide() * (32 / sizeof(T));
        const uint32_t index = pair * stride + IndexAt(work_, pair);
        dst_.SetValue(0, parts.back().GetValue(0, call_.site), call_.site);
        SetIndex(index);
        Publish();
    }

    uint32_t IndexAt(const LocalTensor<T> &pairs, uint32_t pair) const
    {
        return pairs.template ReinterpretCast<Index>().GetValue(2 * pair + 1, call_.site);
    }

    void SetIndex(uint32_t index) const
    {
        dst_.template ReinterpretCast<Index>().SetValue(1, static_cast<Index>(index), call_.site);
    }

    Found Read(bool withIndex) const
    {
        Hand<HardEvent::V_S>();
        return {dst_.GetValue(0, call_.site), withIndex ? IndexAt(dst_, 0) : 0};
    }

    void PutOut(const LocalTensor<T> &result) const
    {
        Hand<HardEvent::V_S>();
        dst_.SetValue(0, result.GetValue(0, call_.site), call_.site);
        Publish();
    }

    void Publish() const
    {
        Hand<HardEvent::S_V>();
        Hand<HardEvent::S_MTE3>();
    }

    template <HardEvent event>
    void Hand() const
    {
        const int32_t id = GetTPipePtr()->FetchEventID(event, call_.site);
        SetFlag<event>(id, call_.site);
        WaitFlag<event>(id, call_.site);
    }

    void Barrier() const
    {
        emulator::Here().Barrier(Pipe::V, call_.site);
    }

    VectorCall call_;
    emulator::ops::Reduction reduction_;
    LocalTensor<T> dst_;
    LocalTensor<T> work_;
};

// ------------------------------------------------------------------ the calls

inline uint32_t ReducedRepeats(const VectorCall &call, int32_t repeats)
{
    CheckRange(call.name, call.site, "repeatTime", repeats, 0, INT32_MAX);
    return static_cast<uint32_t>(repeats);
}

#define EMULATED_EXTREME_OF_TENSOR(NAME, REDUCTION) \
    template <typename T> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, const uint64_t mask[], \
        int32_t repeatTimes, int32_t srcRepStride, bool calIndex = false, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        const uint32_t repeats = ReducedRepeats(call, repeatTimes); \
        if (repeats > 0) { \
            TensorReduction<T>(call, emulator::ops::Reduction::REDUCTION, dst, work) \
                .Extreme(src, {call.Lanes(mask, emulator::ops::WIDTH<T>), repeats, srcRepStride}, calIndex); \
        } \
    } \
\
    template <typename T> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, int32_t mask, \
        int32_t repeatTimes, int32_t srcRepStride, bool calIndex = false, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        const uint32_t repeats = ReducedRepeats(call, repeatTimes); \
        if (repeats > 0) { \
            const auto lanes = static_cast<uint64_t>(mask); \
            TensorReduction<T>(call, emulator::ops::Reduction::REDUCTION, dst, work) \
                .Extreme(src, {call.Lanes(lanes, emulator::ops::WIDTH<T>), repeats, srcRepStride}, calIndex); \
        } \
    } \
\
    template <typename T> \
    void NAME(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, int32_t count, \
        bool calIndex = false, Site site = Site::Here()) \
    { \
        const VectorCall call{#NAME, site}; \
        CheckRange(#NAME, site, "count", count, 0, INT32_MAX); \
        if (count > 0) { \
            TensorReduction<T>(call, emulator::ops::Reduction::REDUCTION, dst, work) \
                .ExtremeOfFirst(src, static_cast<uint32_t>(count), calIndex); \
        } \
    }

EMULATED_EXTREME_OF_TENSOR(ReduceMax, MAX)
EMULATED_EXTREME_OF_TENSOR(ReduceMin, MIN)

#undef EMULATED_EXTREME_OF_TENSOR

template <typename T>
void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, const uint64_t mask[],
    int32_t repeatTimes, int32_t srcRepStride, Site site = Site::Here())
{
    const VectorCall call{"ReduceSum", site};
    const uint32_t repeats = ReducedRepeats(call, repeatTimes);
    if (repeats > 0) {
        TensorReduction<T>(call, emulator::ops::Reduction::SUM, dst, work)
            .Sum(src, {call.Lanes(mask, emulator::ops::WIDTH<T>), repeats, srcRepStride});
    }
}

template <typename T>
void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, int32_t mask,
    int32_t repeatTimes, int32_t srcRepStride, Site site = Site::Here())
{
    const VectorCall call{"ReduceSum", site};
    const uint32_t repeats = ReducedRepeats(call, repeatTimes);
    if (repeats > 0) {
        const auto lanes = static_cast<uint64_t>(mask);
        TensorReduction<T>(call, emulator::ops::Reduction::SUM, dst, work)
            .Sum(src, {call.Lanes(lanes, emulator::ops::WIDTH<T>), repeats, srcRepStride});
    }
}

// Without isSetMask the count is what SetVectorMask has set, under SetMaskCount.
template <typename T, bool isSetMask = true>
void ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &work, int32_t count,
    Site site = Site::Here())
{
    const VectorCall call{"ReduceSum", site};
    const Mask mask = isSetMask ? call.Count(count) : VectorCall::Register();
    if (RepeatsOf(mask, 1, emulator::ops::WIDTH<T>) > 0) {
        TensorReduction<T>(call, emulator::ops::Reduction::SUM, dst, work).SumOfFirst(src, mask);
    }
}

} // namespace AscendC

#endif // EMULATED_VECTOR_REDUCE_TENSOR_H

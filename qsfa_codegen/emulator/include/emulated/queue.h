// TQue and TQueBind: buffers that are handed from pipe to pipe with flags.
#ifndef EMULATED_QUEUE_H
#define EMULATED_QUEUE_H

#include <deque>

#include "emulated/pipe.h"

namespace AscendC {

template <TPosition src, TPosition dst, int32_t depth, auto mask = 0>
class TQueBind {
public:
    template <typename T>
    LocalTensor<T> AllocTensor(Site site = Site::Here());

    template <typename T>
    void FreeTensor(LocalTensor<T> &tensor, Site site = Site::Here());

    template <typename T>
    bool EnQue(const LocalTensor<T> &tensor, Site site = Site::Here());

    template <typename T>
    LocalTensor<T> DeQue(Site site = Site::Here());

    bool HasTensorInQue() const
    {
        return !queue_.empty();
    }

    int32_t GetTensorCountInQue() const
    {
        return static_cast<int32_t>(queue_.size());
    }

    bool VacantInQue() const
    {
        return queue_.size() < static_cast<size_t>(depth);
    }

    bool HasIdleBuffer() const
    {
        for (const Slot *slot : slots_) {
            if (slot->state == Slot::State::FREE) {
                return true;
            }
        }
        return false;
    }

private:
    friend class TPipe;

    static constexpr TPosition POSITION = src;
    static constexpr Pipe FILLS = src == TPosition::VECOUT && dst != TPosition::GM ? Pipe::V : FillerOf(src);
    static constexpr Pipe EMPTIES = EmptierOf(dst == TPosition::GM ? src : dst);

    template <typename T>
    LocalTensor<T> Tensor(const Slot &slot) const
    {
        return {src, slot.place, static_cast<uint32_t>((slot.place.high - slot.place.low) / sizeof(T))};
    }

    template <typename T>
    Slot &Find(const LocalTensor<T> &tensor, Slot::State wanted, const char *name, Site site);

    TPipe *pipe_ = nullptr;
    std::vector<Slot *> slots_;
    std::deque<Slot *> queue_;
    size_t next_ = 0;
};

// A queue of one position: GM stands for its other end, as the pipes follow from the position.
template <TPosition position, int32_t depth, auto mask = 0>
class TQue : public TQueBind<position, TPosition::GM, depth, mask> {
};

template <TPosition src, TPosition dst, int32_t depth, auto mask>
template <typename T>
Slot &TQueBind<src, dst, depth, mask>::Find(const LocalTensor<T> &tensor, Slot::State wanted, const char *name, Site site)
{
    for (Slot *slot : slots_) {
        if (slot->place.memory == tensor.Place().memory && slot->place.low == tensor.Place().low && slot->state == wanted) {
            return *slot;
        }
    }
    Refuse(name, site, "the tensor is not a buffer of this queue, or it is not its turn",
        "a buffer goes AllocTensor, EnQue, DeQue, FreeTensor");
    return *slots_.front();
}

template <TPosition src, TPosition dst, int32_t depth, auto mask>
template <typename T>
LocalTensor<T> TQueBind<src, dst, depth, mask>::AllocTensor(Site site)
{
    if (!HasIdleBuffer()) {
        Refuse("AllocTensor", site, emulator::Text("all %zu buffers of the queue are taken", slots_.size()),
            "free buffers with FreeTensor, or give InitBuffer a greater number");
    }
    while (slots_[next_]->state != Slot::State::FREE) {
        next_ = (next_ + 1) % slots_.size();
    }
    Slot &slot = *slots_[next_];
    next_ = (next_ + 1) % slots_.size();
    if (slot.free >= 0) {
        emulator::Here().WaitFlag({EMPTIES, FILLS, static_cast<uint16_t>(slot.free)}, site);
        pipe_->Events().Release(EMPTIES, FILLS, slot.free);
        slot.free = -1;
    }
    slot.state = Slot::State::TAKEN;
    slot.site = site;
    return Tensor<T>(slot);
}

template <TPosition src, TPosition dst, int32_t depth, auto mask>
template <typename T>
bool TQueBind<src, dst, depth, mask>::EnQue(const LocalTensor<T> &tensor, Site site)
{
    Slot &slot = Find(tensor, Slot::State::TAKEN, "EnQue", site);
    if (FILLS != EMPTIES) {
        slot.full = pipe_->Events().Take(FILLS, EMPTIES, site);
        emulator::Here().SetFlag({FILLS, EMPTIES, static_cast<uint16_t>(slot.full)}, site);
    }
    slot.state = Slot::State::QUEUED;
    slot.site = site;
    queue_.push_back(&slot);
    return true;
}

template <TPosition src, TPosition dst, int32_t depth, auto mask>
template <typename T>
LocalTensor<T> TQueBind<src, dst, depth, mask>::DeQue(Site site)
{
    if (queue_.empty()) {
        Refuse("DeQue", site, "the queue is empty", "EnQue a tensor first");
    }
    Slot &slot = *queue_.front();
    queue_.pop_front();
    if (slot.full >= 0) {
        emulator::Here().WaitFlag({FILLS, EMPTIES, static_cast<uint16_t>(slot.full)}, site);
        pipe_->Events().Release(FILLS, EMPTIES, slot.full);
        slot.full = -1;
    }
    slot.state = Slot::State::OUT;
    slot.site = site;
    return Tensor<T>(slot);
}

template <TPosition src, TPosition dst, int32_t depth, auto mask>
template <typename T>
void TQueBind<src, dst, depth, mask>::FreeTensor(LocalTensor<T> &tensor, Site site)
{
    for (Slot *slot : slots_) { // a buffer that was never enqueued may be freed too
        if (slot->state == Slot::State::TAKEN && slot->place.memory == tensor.Place().memory &&
            slot->place.low == tensor.Place().low) {
            slot->state = Slot::State::OUT;
        }
    }
    Slot &slot = Find(tensor, Slot::State::OUT, "FreeTensor", site);
    if (FILLS != EMPTIES) {
        slot.free = pipe_->Events().Take(EMPTIES, FILLS, site);
        emulator::Here().SetFlag({EMPTIES, FILLS, static_cast<uint16_t>(slot.free)}, site);
    }
    slot.state = Slot::State::FREE;
    slot.site = site;
}

} // namespace AscendC

#endif // EMULATED_QUEUE_H

// TPipe, TBuf and TQue: buffers, and the flags that hand them from pipe to pipe.
#ifndef EMULATED_RESOURCES_H
#define EMULATED_RESOURCES_H

#include <deque>
#include <list>
#include <map>

#include "emulated/sync.h"

namespace AscendC {

using TEventID = int8_t;

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

class TPipe;

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

template <TPosition position = TPosition::LCM>
class TBuf {
public:
    template <typename T>
    LocalTensor<T> Get() const
    {
        return {position, place_, static_cast<uint32_t>((place_.high - place_.low) / sizeof(T))};
    }

    template <typename T>
    LocalTensor<T> Get(uint32_t count) const
    {
        LocalTensor<T> tensor = Get<T>();
        tensor.SetSize(count);
        return tensor;
    }

    template <typename T>
    LocalTensor<T> GetWithOffset(uint32_t count, uint32_t bytes) const
    {
        Operand place = place_;
        place.offset += bytes;
        return {position, place, count};
    }

private:
    friend class TPipe;

    Operand place_;
};

class TPipe {
public:
    TPipe()
    {
        emulator::Here().api = this;
    }

    ~TPipe()
    {
        Destroy();
    }

    TPipe(const TPipe &) = delete;
    TPipe &operator=(const TPipe &) = delete;

    void Init()
    {
    }

    template <TPosition src, TPosition dst, int32_t depth, auto mask>
    bool InitBuffer(TQueBind<src, dst, depth, mask> &queue, uint8_t number, uint32_t bytes, Site site = Site::Here())
    {
        queue.pipe_ = this;
        for (uint8_t i = 0; i < number; ++i) {
            slots_.push_back({});
            slots_.back().place = Take(src, bytes, site);
            slots_.back().site = site;
            ends_.emplace_back(queue.FILLS, queue.EMPTIES);
            queue.slots_.push_back(&slots_.back());
        }
        return true;
    }

    template <TPosition position>
    bool InitBuffer(TBuf<position> &buffer, uint32_t bytes, Site site = Site::Here())
    {
        buffer.place_ = Take(position, bytes, site);
        return true;
    }

    template <HardEvent event>
    TEventID AllocEventID(Site site = Site::Here())
    {
        const emulator::Event pair = EventOf(event, 0);
        return static_cast<TEventID>(AllocEvent(pair.from, pair.to, site));
    }

    template <HardEvent event>
    void ReleaseEventID(TEventID id)
    {
        const emulator::Event pair = EventOf(event, 0);
        ReleaseEvent(pair.from, pair.to, id);
    }

    // An id that is free now, and stays so.
    template <HardEvent event>
    TEventID FetchEventID(Site site = Site::Here())
    {
        return FetchEventID(event, site);
    }

    TEventID FetchEventID(HardEvent event, Site site = Site::Here())
    {
        const emulator::Event pair = EventOf(event, 0);
        const int32_t id = AllocEvent(pair.from, pair.to, site);
        ReleaseEvent(pair.from, pair.to, id);
        return static_cast<TEventID>(id);
    }

    // Waits until all buffers are free again, and gives up all of them.
    void Reset(Site site = Site::Here())
    {
        auto end = ends_.begin();
        for (Slot &slot : slots_) {
            if (slot.free >= 0) {
                emulator::Here().WaitFlag({end->second, end->first, static_cast<uint16_t>(slot.free)}, site);
                ReleaseEvent(end->second, end->first, slot.free);
            }
            CheckDrained(slot);
            ++end;
        }
        slots_.clear();
        ends_.clear();
        used_.clear();
        emulator::Here().BarrierAll(site);
    }

    void Destroy()
    {
        Reset();
    }

    int32_t AllocEvent(Pipe from, Pipe to, Site site)
    {
        uint8_t &taken = events_[{from, to}];
        for (int32_t id = 0; id < 8; ++id) {
            if ((taken >> id & 1) == 0) {
                taken = static_cast<uint8_t>(taken | 1 << id);
                return id;
            }
        }
        Refuse("AllocEventID", site, emulator::Text("all 8 events of %s_%s are taken", Name(from), Name(to)),
            "release events, or give queues fewer buffers");
        return 0;
    }

    void ReleaseEvent(Pipe from, Pipe to, int32_t id)
    {
        uint8_t &taken = events_[{from, to}];
        taken = static_cast<uint8_t>(taken & ~(1 << id));
    }

private:
    Operand Take(TPosition position, uint32_t bytes, Site site)
    {
        const emulator::Space space = SpaceOf(position);
        emulator::Memory &memory = emulator::Here().In(space);
        const uint32_t unit = emulator::Alignment(space);
        std::vector<Given> &given = used_[space];
        const int64_t begin = given.empty() ? 0 : given.back().end;
        const int64_t end = begin + (static_cast<int64_t>(bytes) + unit - 1) / unit * unit;
        given.push_back({site, end});
        if (end > static_cast<int64_t>(memory.Bytes())) {
            Overflow(memory, given, bytes, site);
        }
        return {&memory, begin, begin, begin + bytes, 1};
    }

    struct Given {
        Site site;
        int64_t end;
    };

    static void Overflow(const emulator::Memory &memory, const std::vector<Given> &given, uint32_t bytes, Site site)
    {
        emulator::Finding finding;
        finding.code = "capacity";
        finding.severity = emulator::Severity::FATAL;
        finding.site = site;
        finding.instruction = "InitBuffer";
        finding.buffer = memory.Name();
        finding.offset = given.size() > 1 ? given[given.size() - 2].end : 0;
        finding.message = emulator::Text("a buffer of %u bytes does not fit %s: %lld of %llu bytes are given out", bytes,
            memory.Name().c_str(), static_cast<long long>(finding.offset), static_cast<unsigned long long>(memory.Bytes()));
        finding.help = "given out so far:";
        int64_t begin = 0;
        for (size_t i = 0; i + 1 < given.size(); ++i) {
            finding.help += emulator::Text(" %lld in line %d,", static_cast<long long>(given[i].end - begin), given[i].site.line);
            begin = given[i].end;
        }
        finding.help.pop_back();
        emulator::Here().Report(std::move(finding));
    }

    static void CheckDrained(const Slot &slot)
    {
        constexpr const char *states[] = {"", "is taken with AllocTensor and neither enqueued nor freed",
            "is still in its queue: EnQue without DeQue", "is dequeued and not freed: DeQue without FreeTensor"};
        if (slot.state == Slot::State::FREE) {
            return;
        }
        emulator::Finding finding;
        finding.code = "queue-not-drained";
        finding.site = slot.site;
        finding.instruction = "TQue";
        finding.buffer = slot.place.memory->Name();
        finding.offset = slot.place.low;
        finding.message = emulator::Text("at the end a buffer of a queue %s", states[static_cast<size_t>(slot.state)]);
        emulator::Here().Report(std::move(finding));
    }

    std::list<Slot> slots_;
    std::list<std::pair<Pipe, Pipe>> ends_; // of each slot: who fills it, who empties it
    std::map<emulator::Space, std::vector<Given>> used_;
    std::map<std::pair<Pipe, Pipe>, uint8_t> events_;
};

// ------------------------------------------------------------------ queues

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
        pipe_->ReleaseEvent(EMPTIES, FILLS, slot.free);
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
        slot.full = pipe_->AllocEvent(FILLS, EMPTIES, site);
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
        pipe_->ReleaseEvent(FILLS, EMPTIES, slot.full);
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
        slot.free = pipe_->AllocEvent(EMPTIES, FILLS, site);
        emulator::Here().SetFlag({EMPTIES, FILLS, static_cast<uint16_t>(slot.free)}, site);
    }
    slot.state = Slot::State::FREE;
    slot.site = site;
}

} // namespace AscendC

inline AscendC::TPipe *GetTPipePtr()
{
    return static_cast<AscendC::TPipe *>(emulator::Here().api);
}

#endif // EMULATED_RESOURCES_H

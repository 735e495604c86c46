// TPipe: gives out buffers and events of a core, and waits for its queues at the end.
#ifndef EMULATED_PIPE_H
#define EMULATED_PIPE_H

#include <list>

#include "emulated/allocation.h"
#include "emulated/event_ids.h"
#include "emulated/queue_slot.h"
#include "emulated/sync.h"

namespace AscendC {

template <TPosition src, TPosition dst, int32_t depth, auto mask>
class TQueBind;

template <TPosition position>
class TBuf;

class TPipe {
public:
    explicit TPipe(Site site = Site::Here())
    {
        emulator::Here().api = this;
        Start(site);
    }

    ~TPipe()
    {
        Destroy();
    }

    TPipe(const TPipe &) = delete;
    TPipe &operator=(const TPipe &) = delete;

    void Init(Site site = Site::Here())
    {
        Start(site);
    }

    template <TPosition src, TPosition dst, int32_t depth, auto mask>
    bool InitBuffer(TQueBind<src, dst, depth, mask> &queue, uint8_t number, uint32_t bytes, Site site = Site::Here())
    {
        queue.pipe_ = this;
        for (uint8_t i = 0; i < number; ++i) {
            slots_.push_back({});
            slots_.back().place = memory_.Take(src, bytes, site);
            slots_.back().site = site;
            ends_.emplace_back(queue.FILLS, queue.EMPTIES);
            queue.slots_.push_back(&slots_.back());
        }
        return true;
    }

    template <TPosition position>
    bool InitBuffer(TBuf<position> &buffer, uint32_t bytes, Site site = Site::Here())
    {
        buffer.place_ = memory_.Take(position, bytes, site);
        return true;
    }

    template <HardEvent event>
    TEventID AllocEventID(Site site = Site::Here())
    {
        const emulator::Event pair = EventOf(event, 0);
        return static_cast<TEventID>(events_.Take(pair.from, pair.to, site));
    }

    template <HardEvent event>
    void ReleaseEventID(TEventID id)
    {
        const emulator::Event pair = EventOf(event, 0);
        events_.Release(pair.from, pair.to, id);
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
        const int32_t id = events_.Take(pair.from, pair.to, site);
        events_.Release(pair.from, pair.to, id);
        return static_cast<TEventID>(id);
    }

    // Waits until all buffers are free again, and gives up all of them.
    void Reset(Site site = Site::Here())
    {
        DefaultRegisters();
        auto end = ends_.begin();
        for (Slot &slot : slots_) {
            if (slot.free >= 0) {
                emulator::Here().WaitFlag({end->second, end->first, static_cast<uint16_t>(slot.free)}, site);
                events_.Release(end->second, end->first, slot.free);
            }
            CheckDrained(slot);
            ++end;
        }
        slots_.clear();
        ends_.clear();
        memory_.Clear();
    }

    void Destroy(Site site = Site::Here())
    {
        if (destroyed_) {
            return;
        }
        destroyed_ = true;
        Reset(site);
        for (int32_t id = 0; id < OfMatmul(); ++id) {
            emulator::Here().WaitFlag({Pipe::M, Pipe::MTE1, static_cast<uint16_t>(id)}, site);
            events_.Release(Pipe::M, Pipe::MTE1, id);
        }
        emulator::Here().BarrierAll(site);
    }

    EventIds &Events()
    {
        return events_;
    }

private:
    // On a cube core, the first events of M_MTE1 belong to the Matmul of the high-level API: they are set from the
    // beginning, and waited for at the end.
    static int32_t OfMatmul()
    {
        return emulator::Here().Cube() ? 3 : 0;
    }

    static void DefaultRegisters()
    {
        emulator::Here().mask = {};
        emulator::Here().atomic = {};
    }

    void Start(Site site)
    {
        DefaultRegisters();
        for (int32_t id = 0; id < OfMatmul(); ++id) {
            const int32_t taken = events_.Take(Pipe::M, Pipe::MTE1, site);
            emulator::Here().SetFlag({Pipe::M, Pipe::MTE1, static_cast<uint16_t>(taken)}, site);
        }
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
    Allocation memory_;
    EventIds events_;
    bool destroyed_ = false;
};

} // namespace AscendC

inline AscendC::TPipe *GetTPipePtr()
{
    return static_cast<AscendC::TPipe *>(emulator::Here().api);
}

#endif // EMULATED_PIPE_H

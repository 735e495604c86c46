// The ids of the flags between two pipes, given to who asks for one.
#ifndef EMULATED_EVENT_IDS_H
#define EMULATED_EVENT_IDS_H

#include <map>
#include <utility>

#include "emulated/issue.h"

namespace AscendC {

using TEventID = int8_t;

class EventIds {
public:
    // An id that nobody has. Ends the launch where all are taken.
    int32_t Take(Pipe from, Pipe to, Site site)
    {
        uint8_t &taken = taken_[{from, to}];
        for (int32_t id = 0; id < COUNT; ++id) {
            if ((taken >> id & 1) == 0) {
                taken = static_cast<uint8_t>(taken | 1 << id);
                return id;
            }
        }
        Refuse("AllocEventID", site, emulator::Text("all %d events of %s_%s are taken", COUNT, Name(from), Name(to)),
            "release events, or give queues fewer buffers");
        return 0;
    }

    void Release(Pipe from, Pipe to, int32_t id)
    {
        uint8_t &taken = taken_[{from, to}];
        taken = static_cast<uint8_t>(taken & ~(1 << id));
    }

private:
    static constexpr int32_t COUNT = 8;

    std::map<std::pair<Pipe, Pipe>, uint8_t> taken_;
};

} // namespace AscendC

#endif // EMULATED_EVENT_IDS_H

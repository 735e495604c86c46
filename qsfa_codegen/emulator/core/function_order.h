// The order of loads and stores inside a vector function: they run beside each other, and only what LocalMemBar or the
// registers order is in order.
#ifndef EMULATOR_CORE_FUNCTION_ORDER_H
#define EMULATOR_CORE_FUNCTION_ORDER_H

#include <cstdint>
#include <vector>

#include "site.h"

namespace emulator {

// The loads that a register's content comes from: a store of it waits for them. What is more than 64 loads old is done.
class Origin {
public:
    Origin() = default;

    explicit Origin(uint32_t load)
        : newest_(load), bits_(1)
    {
    }

    void Join(const Origin &other)
    {
        if (other.newest_ > newest_) {
            bits_ = other.bits_ | Shifted(bits_, other.newest_ - newest_);
            newest_ = other.newest_;
        } else {
            bits_ |= Shifted(other.bits_, newest_ - other.newest_);
        }
    }

    bool Has(uint32_t load) const
    {
        return load <= newest_ && (newest_ - load >= 64 || (bits_ >> (newest_ - load) & 1) != 0);
    }

private:
    static uint64_t Shifted(uint64_t bits, uint32_t by)
    {
        return by >= 64 ? 0 : bits << by;
    }

    uint32_t newest_ = 0;
    uint64_t bits_ = 0; // bit i: the load i before the newest
};

// Two accesses of a vector function to a byte that nothing orders.
struct Unordered {
    bool found = false;
    uint64_t offset = 0;
    Site other;
    bool otherReads = false;
};

class FunctionOrder {
public:
    explicit FunctionOrder(uint64_t bytes)
        : stored_(bytes, 0), loaded_(bytes, 0)
    {
    }

    void Begin(); // the next vector function
    uint32_t BeginLoad(Site site); // its number
    Unordered Load(uint64_t begin, uint64_t end); // bytes of the load that was begun last
    void BeginStore(const void *registerOf, Site site);
    Unordered Store(uint64_t begin, uint64_t end, const Origin &origin); // likewise; whose content is stored

    // LocalMemBar: what is loaded or stored later waits for the stores or loads so far.
    void LoadsAfterStores()
    {
        loadsAfterStores_ = number_;
    }
    void StoresAfterLoads()
    {
        storesAfterLoads_ = number_;
    }
    void StoresAfterStores()
    {
        storesAfterStores_ = number_;
    }

private:
    struct Event {
        Site site;
        const void *registerOf = nullptr; // of a store
    };

    const Event &Of(uint32_t number) const
    {
        return events_[number - first_];
    }

    std::vector<uint32_t> stored_; // for each byte, the last store and load of it
    std::vector<uint32_t> loaded_;
    std::vector<Event> events_; // of this vector function
    uint32_t first_ = 1; // number of its first event
    uint32_t number_ = 0; // of the last event
    uint32_t loadsAfterStores_ = 0;
    uint32_t storesAfterLoads_ = 0;
    uint32_t storesAfterStores_ = 0;
};

} // namespace emulator

#endif // EMULATOR_CORE_FUNCTION_ORDER_H

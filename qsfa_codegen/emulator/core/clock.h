// What an observer knows to be complete: for each pipe of each core the number of its last such instruction.
#ifndef EMULATOR_CORE_CLOCK_H
#define EMULATOR_CORE_CLOCK_H

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

namespace emulator {

// A pipe of a core, counted over all cores of a launch.
using Thread = uint32_t;

class Clock {
public:
    explicit Clock(size_t threads)
        : seen_(threads, 0)
    {
    }

    uint64_t operator[](Thread thread) const
    {
        return seen_[thread];
    }

    void See(Thread thread, uint64_t number)
    {
        seen_[thread] = std::max(seen_[thread], number);
    }

    // Knows no more than so many.
    void Limit(Thread thread, uint64_t number)
    {
        seen_[thread] = std::min(seen_[thread], number);
    }

    void Join(const Clock &other)
    {
        for (size_t i = 0; i < seen_.size(); ++i) {
            seen_[i] = std::max(seen_[i], other.seen_[i]);
        }
    }

private:
    std::vector<uint64_t> seen_;
};

using ClockPointer = std::shared_ptr<const Clock>;

// What a flag carries from where it is set to where it is waited for.
struct Signal {
    ClockPointer clock;
    uint64_t time = 0; // cycles of the cost model
};

} // namespace emulator

#endif // EMULATOR_CORE_CLOCK_H

// The chip with its cores and tensors during one launch, and the scheduler.
#ifndef EMULATOR_CORE_MACHINE_H
#define EMULATOR_CORE_MACHINE_H

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "chip.h"
#include "core.h"
#include "finding.h"
#include "memory.h"

namespace emulator {

// What a kernel is launched with: MIX_1_2 has two vector cores beside each cube core, MIX_AIV_1_0 has vector cores alone,
// as AIV_ONLY has, but cores can wait for each other.
enum class KernelType : uint8_t {
    AIV_ONLY,
    AIC_ONLY,
    MIX_AIV_1_0,
    MIX_AIC_1_0,
    MIX_1_1,
    MIX_1_2
};

struct LaunchOptions {
    KernelType type = KernelType::MIX_1_2;
    uint32_t blockDim = 1;
    bool random = false; // otherwise one fixed order
    uint64_t seed = 0;
    bool trace = false;
    uint64_t mostSteps = 0;
};

class Machine {
public:
    Machine(Chip chip, LaunchOptions options);
    ~Machine();

    // Runs the kernel on all cores. `entry` is called once on each, with Here() being that core.
    void Run(void (*entry)());

    const Chip &OnChip() const
    {
        return chip_;
    }
    const LaunchOptions &Options() const
    {
        return options_;
    }
    GlobalMemory &Global()
    {
        return global_;
    }
    const GlobalMemory &Global() const
    {
        return global_;
    }
    Findings &Found()
    {
        return findings_;
    }
    Trace &Timeline()
    {
        return trace_;
    }
    const std::vector<std::unique_ptr<Core>> &Cores() const
    {
        return cores_;
    }
    size_t Threads() const
    {
        return threads_;
    }
    bool HasCubeCores() const;
    uint32_t VectorCoresOfGroup() const;
    bool CoresCanWait() const; // for each other

    void Stop()
    {
        stopped_ = true;
    }
    bool Stopped() const
    {
        return stopped_;
    }
    ucontext_t &Scheduler()
    {
        return scheduler_;
    }
    bool Chance(uint32_t oneOf); // in a random schedule; otherwise never

    // A thread's instructions by number, for findings about an earlier one.
    struct Origin {
        const char *name;
        Site site;
        uint64_t order; // of issue, on its core
        uint64_t step = 0; // of execution, in this run
    };

    void Remember(Thread thread, Origin origin);
    uint64_t Steps() const
    {
        return steps_;
    } // executed so far
    Origin Recall(Epoch epoch) const;
    std::string Describe(Epoch epoch) const; // as "DataCopy (kernel.h:12, MTE2 of aiv0)"

    void SetCross(Core &from, uint8_t mode, uint16_t id, Signal signal, Site site);

    std::string Report() const; // findings, counts and cycles as JSON

private:
    void InOrder();
    void Random();
    bool MakeRoom(); // where nothing can go on
    bool Done() const;
    void ReportDeadlock();
    void CheckOutputs();
    void Join(uint8_t mode, uint16_t id, const std::vector<Core *> &setters, const std::vector<Core *> &receivers);

    Chip chip_;
    LaunchOptions options_;
    size_t threads_ = 0;
    GlobalMemory global_;
    Findings findings_;
    Trace trace_;
    std::vector<std::unique_ptr<Core>> cores_;
    std::vector<std::vector<Origin>> origins_;
    // Set by some of the cores that must set it: by mode, id and core.
    std::map<std::pair<uint32_t, const Core *>, std::deque<SetFlagRecord>> partial_;
    ucontext_t scheduler_{};
    bool stopped_ = false;
    uint64_t steps_ = 0;
    std::mt19937_64 generator_;
};

// What the kernel has called last.
struct Moment {
    const Core *core = nullptr;
    const char *name = "";
    Site site;
};

extern Moment now;

// The core whose scalar unit runs; nullptr while the scheduler or a pipe does.
Core *Running();
void SetRunning(Core *core);

// The core that runs a vector function; nullptr while none does.
Core *FunctionOf();
void SetFunctionOf(Core *core);

inline Core &Here()
{
    return FunctionOf() != nullptr ? *FunctionOf() : *Running();
}

} // namespace emulator

#endif // EMULATOR_CORE_MACHINE_H

// One core: a scalar unit that runs the kernel's code, and pipes that run what it issues.
#ifndef EMULATOR_CORE_CORE_H
#define EMULATOR_CORE_CORE_H

#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <ucontext.h>
#include <vector>

#include "counts.h"
#include "finding.h"
#include "function_order.h"
#include "instruction.h"

namespace emulator {

class Machine;

// Which lanes vector instructions work on that are not given a mask.
struct MaskRegister {
    bool counter = false;
    uint64_t low = ~0ULL;
    uint64_t high = ~0ULL;
};

// What copies to GM do with what is there, in the API's numbers, and the API's name of the elements' type.
struct AtomicMode {
    uint8_t kind = 0;
    const char *type = nullptr;
};

enum class Wait : uint8_t {
    NOTHING,
    FLAG,
    CROSS_FLAG,
    ALL_PIPES,
    ONE_PIPE,
    ROOM,
    TURN
};

// The place of an event's flag among the flags of a core, and back.
uint32_t Key(Event event);
Event FromKey(uint32_t key);
std::string Spelt(Event event); // as in "MTE2_V 0"

// Thrown through a vector function that must not go on.
struct FunctionEnded {};

// The place of a cross-core flag among those of a core: mode 4 has flags of its own.
constexpr uint16_t CrossPlace(uint8_t mode, uint16_t id)
{
    return static_cast<uint16_t>(mode == 4 ? id + 32 : id);
}

std::string SpeltCross(uint16_t place); // as in "3" and "3 of mode 4"

// Instructions of a pipe that wait before the scalar unit lets others run: in a random order, and where the pipe waits
// itself. Where nobody can go on, the scalar unit may issue twice as many, until it is said to go on for ever.
constexpr size_t QUEUED = 512;
constexpr size_t QUEUED_BEHIND_A_FLAG = 1 << 15;
constexpr size_t MOST_QUEUED = 1 << 18;

// What is known of a flag that is set and not waited for yet.
struct SetFlagRecord {
    Signal signal;
    Site site;
};

// The state of a pipe between two instructions.
struct PipeState {
    PipeState(Thread thread, size_t threads)
        : thread(thread), clock(threads)
    {
    }

    Thread thread;
    Clock clock; // what the next instruction knows to be complete
    ClockPointer joined; // the last clock that was joined, to do it once
    uint64_t number = 0; // of the last instruction
    std::deque<Instruction> queue;
    uint64_t time = 0; // when the next instruction may start
    uint64_t done = 0; // when all instructions so far are complete
};

// The core of a thread, counted over all cores, and its pipe.
constexpr size_t CoreOf(Thread thread)
{
    return thread / THREADS;
}

constexpr Pipe PipeOfThread(Thread thread)
{
    return thread % THREADS == PIPES ? Pipe::S : static_cast<Pipe>(thread % THREADS);
}

class Core;

// A unit of a core that cannot go on: who waits where for what. `last`: not for a pipe that waits itself.
struct Waiter {
    const Core *core;
    Site site;
    std::string who;
    std::string what;
    bool last;
};

class Core {
public:
    Core(Machine &machine, bool cube, uint32_t index, uint32_t group, uint32_t sub);

    // ---- for the kernel's API: called while the scalar unit of this core runs
    void Issue(Instruction instruction);
    void SetFlag(Event event, Site site);
    void WaitFlag(Event event, Site site);
    void Barrier(Pipe pipe, Site site);
    void BarrierAll(Site site);
    void AwaitPipe(Pipe pipe, Site site); // until it is idle: a result goes to a register of the scalar unit
    void SetCross(uint8_t mode, Pipe pipe, uint16_t id, Site site);
    void WaitCross(uint8_t mode, Pipe pipe, uint16_t id, Site site); // S: all that is issued later waits
    void Scalar(Access access, const char *name, Site site); // before the bytes are read or written
    void FlushCache(const Memory *memory, int64_t offset); // the line of the byte; everything without a memory
    Memory &In(Space space);
    bool Sees(Space space) // has it, or the one of its neighbour
    {
        return Reach(space) != nullptr;
    }
    Core *Neighbour(uint32_t sub); // of this group and the other kind; nullptr where there is none
    void Report(Finding finding); // with this core's name filled in
    void BeginScope(Instruction instruction); // a vector function that the scalar unit runs itself
    void EndScope();

    // For the vector function that runs: bytes are checked and entered. Of those that are read, `known` is told which
    // have a value; no more is said of the others.
    void Touch(Access access, const char *name, Site site, bool *known = nullptr);
    void Operate() // counts an operation on registers
    {
        ++function_->work.registers;
    }
    FunctionOrder &OrderInFunction()
    {
        return *functionOrder_;
    }

    bool Cube() const
    {
        return cube_;
    }
    uint32_t Index() const
    {
        return index_;
    } // among the cores of its kind
    uint32_t Group() const
    {
        return group_;
    } // the AI Core that it is part of
    uint32_t Sub() const
    {
        return sub_;
    } // of the vector cores of its group
    const std::string &Name() const
    {
        return name_;
    }
    Machine &Whole()
    {
        return machine_;
    }

    // An address in UB as vector functions get it: the buffer that it belongs to stands in its upper half.
    uint64_t Marked(uint64_t address, int64_t low, int64_t high);
    Access FromMarked(uint64_t address) const; // of no bytes yet

    MaskRegister mask;
    AtomicMode atomic;
    void *api = nullptr; // what the kernel's API keeps for this core: its TPipe

    // ---- for the scheduler
    void Start(void (*entry)());
    bool ScalarCanRun() const;
    void RunScalar(); // until it waits or ends
    void RunPipes(); // in the order of issue, as far as they go
    bool MakeRoom(); // lets the scalar unit issue more to a pipe that waits; false if that is not what it waits for
    bool AnyPipeCanRun() const;
    bool PipeCanRun(Pipe pipe) const;
    void StepPipe(Pipe pipe);
    bool Finished() const;
    void ScalarEnded();
    void Leave(); // from the scalar unit to the scheduler, for ever
    std::vector<Waiter> Waiting() const; // the units that cannot go on
    void CheckEnd();
    uint64_t Cycles() const; // of the cost model, until all is complete

    // ---- for cross-core flags
    void Deliver(uint16_t id, Signal signal, Site site); // the place of the flag: see CrossPlace

    Counts counts;

private:
    PipeState &Of(Pipe pipe)
    {
        return pipes_[static_cast<size_t>(pipe)];
    }
    const PipeState &Of(Pipe pipe) const
    {
        return pipes_[static_cast<size_t>(pipe)];
    }
    Memory *Reach(Space space);
    void RefuseInFunction(const char *name, Site site);
    bool CheckReach(const Instruction &instruction, const Operand &operand);
    void Block(Wait wait, Site site, Event event = {});
    void Yield();
    void EnterScalar(const Instruction &instruction, PipeState &thread);
    void CheckCache(const Access &access, const char *name, Site site);
    bool Check(const Instruction &instruction);
    bool CheckOperand(const Instruction &instruction, const Operand &operand);
    bool CheckAccess(const Instruction &instruction, const Access &access);
    bool CheckPipe(Pipe pipe, const char *name, Site site);
    void JoinScalar(const Signal &signal);
    const ClockPointer &Snapshot();
    Signal ReleaseScalar();
    void Remember(Thread thread, const Instruction &instruction);
    void Execute(Instruction &instruction, PipeState &pipe);
    void Join(PipeState &pipe, const Instruction &instruction);
    void Charge(const Instruction &instruction, PipeState &pipe);
    void RunFunction(Instruction &instruction);
    void EnterFunction(Instruction &instruction);
    void LeaveFunction();
    static std::vector<Access> Known(const Access &access, bool *known);
    void Enter(const Instruction &instruction, const PipeState &pipe);
    enum class Entry : uint8_t {
        CHECKED, // what is wrong is told
        ENTERED,
        BOTH
    };

    void EnterAccess(const Instruction &instruction, const PipeState &pipe, const Access &access, Entry entry);
    void ReportConflict(const Instruction &instruction, const Access &access, const Conflict &conflict);
    Signal Release(const PipeState &pipe) const;
    std::deque<SetFlagRecord> &Flags(Event event);
    const std::deque<SetFlagRecord> *FindFlags(Event event) const;
    bool CrossFlagIsSet(uint16_t place) const;
    void CheckCross(const Instruction &instruction, bool pipeKnown);
    void CheckCanWait(const char *name, Site site);
    std::string Awaited(const Instruction &first) const;
    void CheckFlagOrder(Event event, int change, Site site);

    Machine &machine_;
    bool cube_;
    uint32_t index_;
    uint32_t group_;
    uint32_t sub_;
    std::string name_;
    std::vector<PipeState> pipes_;
    PipeState stores_; // by the scalar unit, to other memories than GM: done when a flag from S says so
    uint64_t storesDone_ = 0; // so many of them are known to all that is issued
    std::array<std::unique_ptr<Memory>, SPACES> memories_;
    std::map<uint32_t, std::deque<SetFlagRecord>> flags_;
    std::map<uint32_t, int> issuedFlags_; // set and not waited for, in the order of the program
    std::map<uint16_t, std::deque<SetFlagRecord>> crossFlags_;
    std::vector<std::pair<int64_t, int64_t>> buffers_; // that marked addresses belong to
    std::unique_ptr<FunctionOrder> functionOrder_;
    Instruction *function_ = nullptr; // a vector function while it runs
    Instruction scope_; // the vector function that the scalar unit runs
    UnitFlags unitFlags_;
    ClockPointer snapshot_;
    std::map<std::pair<Memory *, uint64_t>, uint64_t> cache_; // lines of GM: since which step
    uint64_t issued_ = 0; // instructions, in the order of the program
    // The scalar unit.
    ucontext_t context_{};
    std::vector<char> stack_;
    size_t room_ = QUEUED_BEHIND_A_FLAG;
    Wait wait_ = Wait::NOTHING;
    Event waitEvent_;
    Site waitSite_;
    bool ended_ = false;
};

} // namespace emulator

#endif // EMULATOR_CORE_CORE_H

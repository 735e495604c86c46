// The pipes of a core: what an instruction may touch, and what it does.
#include <algorithm>

#include "core.h"
#include "machine.h"

namespace emulator {
namespace {

const char *Verb(Mode mode)
{
    return mode == Mode::READ ? "reads" : "writes";
}

// One of two instructions that collide.
struct Racer {
    const char *name;
    Pipe pipe;
    Site site;
    bool reads;

    std::string Text() const
    {
        return emulator::Text("%s (line %d, %s)", name, site.line, Name(pipe));
    }
};

Finding Located(const Instruction &instruction, const Access &access, uint64_t offset)
{
    Finding finding;
    finding.site = instruction.site;
    finding.pipe = Name(instruction.pipe);
    finding.instruction = instruction.name;
    finding.buffer = access.memory->Name();
    finding.offset = static_cast<int64_t>(offset);
    return finding;
}

std::string Advice(Pipe earlier, Pipe later, bool sameCore)
{
    if (!sameCore) {
        return "order the two cores with CrossCoreSetFlag and CrossCoreWaitFlag, or SyncAll";
    }
    if (earlier == later) {
        return Text("put PipeBarrier<PIPE_%s>() between them", Name(later));
    }
    return Text("put SetFlag<HardEvent::%s_%s> behind the first and WaitFlag before the second", Name(earlier), Name(later));
}

} // namespace

// ------------------------------------------------------------------ before issue

bool Core::CheckPipe(Pipe pipe, const char *name, Site site)
{
    if (machine_.OnChip().Has(pipe, cube_)) {
        return true;
    }
    Finding finding;
    finding.code = "no-such-pipe";
    finding.severity = Severity::FATAL;
    finding.site = site;
    finding.pipe = emulator::Name(pipe);
    finding.instruction = name;
    finding.message = Text("%s is for pipe %s, which a %s core does not have", name, emulator::Name(pipe), cube_ ? "cube" : "vector");
    finding.help = "guard the code with ASCEND_IS_AIC or ASCEND_IS_AIV";
    Report(std::move(finding));
    return false;
}

// The memory of another core is for the two instructions alone that go there.
bool Core::CheckReach(const Instruction &instruction, const Operand &operand)
{
    const Space space = operand.memory->InSpace();
    const Route route = instruction.work.route;
    if (space == Space::GM || operand.memory == memories_[static_cast<size_t>(space)].get() || route == Route::UB_L1 || route == Route::L0C_UB) {
        return true;
    }
    Finding finding;
    finding.code = "no-such-memory";
    finding.severity = Severity::FATAL;
    finding.site = instruction.site;
    finding.pipe = emulator::Name(instruction.pipe);
    finding.instruction = instruction.name;
    finding.buffer = operand.memory->Name();
    finding.message = Text("%s has no way to %s from %s", instruction.name, operand.memory->Name().c_str(), name_.c_str());
    finding.help = "only Fixpipe goes from a cube core to the UB of its vector cores, and DataCopy from UB to L1 back";
    Report(std::move(finding));
    return false;
}

bool Core::CheckOperand(const Instruction &instruction, const Operand &operand)
{
    if (operand.offset % operand.alignment == 0) {
        return true;
    }
    Access access;
    access.memory = operand.memory;
    Finding finding = Located(instruction, access, static_cast<uint64_t>(operand.offset));
    finding.code = "misaligned";
    finding.severity = Severity::FATAL;
    finding.message = Text("an operand of %s begins at byte %lld of %s; expected: a multiple of %u", instruction.name,
        static_cast<long long>(operand.offset), operand.memory->Name().c_str(), operand.alignment);
    Report(std::move(finding));
    return false;
}

bool Core::Check(const Instruction &instruction)
{
    if (!std::all_of(instruction.operands.begin(), instruction.operands.end(),
            [&](const Operand &operand) { return CheckReach(instruction, operand) && CheckOperand(instruction, operand); })) {
        return false;
    }
    return std::all_of(instruction.accesses.begin(), instruction.accesses.end(),
        [&](const Access &access) { return access.Bytes() == 0 || CheckAccess(instruction, access); });
}

bool Core::CheckAccess(const Instruction &instruction, const Access &access)
{
    Finding finding = Located(instruction, access, static_cast<uint64_t>(access.offset));
    finding.severity = Severity::FATAL;
    const int64_t high = access.End();
    const std::string what = Text("%s %s bytes %lld to %lld of %s", instruction.name, Verb(access.mode),
        static_cast<long long>(access.First()), static_cast<long long>(access.Last() - 1), access.memory->Name().c_str());
    if (!access.Inside()) {
        finding.code = "out-of-bounds";
        finding.offset = access.First() < access.low ? access.First() : high;
        finding.message = what + Text("; the %s has bytes %lld to %lld", access.memory->InSpace() == Space::GM ? "tensor" : "buffer", static_cast<long long>(access.low), static_cast<long long>(high - 1));
        Report(std::move(finding));
        return false;
    }
    if (access.mode != Mode::READ && access.memory->ReadOnly()) {
        finding.code = "input-written";
        finding.message = what + ", which is an input";
        Report(std::move(finding));
        return false;
    }
    return true;
}

// ------------------------------------------------------------------ execution

Signal Core::Release(const PipeState &pipe) const
{
    auto clock = std::make_shared<Clock>(pipe.clock);
    clock->See(pipe.thread, pipe.number);
    return {std::move(clock), std::max(pipe.time, pipe.done)};
}

// What was complete when it was issued is so for it.
void Core::Join(PipeState &pipe, const Instruction &instruction)
{
    if (pipe.joined != instruction.issued) {
        pipe.joined = instruction.issued;
        pipe.clock.Join(*pipe.joined);
    }
    pipe.time = std::max(pipe.time, instruction.issueTime);
}

void Core::StepPipe(Pipe which)
{
    PipeState &pipe = Of(which);
    Instruction instruction = std::move(pipe.queue.front());
    pipe.queue.pop_front();
    Join(pipe, instruction);
    switch (instruction.kind) {
        case Kind::WORK:
            unitFlags_.Join(instruction.unitFlags, pipe.clock, pipe.time);
            Execute(instruction, pipe);
            unitFlags_.Flip(instruction.unitFlags, Release(pipe), instruction.site);
            break;
        case Kind::SET_FLAG:
            Flags(instruction.event).push_back({Release(pipe), instruction.site});
            break;
        case Kind::WAIT_FLAG: {
            const Signal signal = std::move(Flags(instruction.event).front().signal);
            Flags(instruction.event).pop_front();
            pipe.clock.Join(*signal.clock);
            pipe.time = std::max(pipe.time, signal.time);
            break;
        }
        case Kind::WAIT_CROSS: {
            std::deque<SetFlagRecord> &flags = crossFlags_[instruction.event.id];
            const Signal signal = std::move(flags.front().signal);
            flags.pop_front();
            pipe.clock.Join(*signal.clock);
            pipe.time = std::max(pipe.time, signal.time);
            break;
        }
        case Kind::BARRIER:
            pipe.clock.See(pipe.thread, pipe.number);
            pipe.time = std::max(pipe.time, pipe.done);
            break;
        case Kind::SET_CROSS:
            machine_.SetCross(*this, instruction.mode, instruction.event.id, Release(pipe), instruction.site);
            break;
    }
}

// A kernel that goes on for ever ends before what is remembered of it has filled the machine.
void Core::Remember(Thread thread, const Instruction &instruction)
{
    machine_.Remember(thread, {instruction.name, instruction.site, instruction.order, 0});
    if (machine_.Steps() < machine_.Options().mostSteps) {
        return;
    }
    Finding finding;
    finding.code = "limit";
    finding.severity = Severity::FATAL;
    finding.site = instruction.site;
    finding.pipe = emulator::Name(instruction.pipe);
    finding.instruction = instruction.name;
    finding.message = Text("%s is instruction %llu of the launch, more are not emulated", instruction.name, static_cast<unsigned long long>(machine_.Steps()));
    finding.help = "look for a loop without an end, or take a smaller call";
    Report(std::move(finding));
}

void Core::Execute(Instruction &instruction, PipeState &pipe)
{
    ++pipe.number;
    Remember(pipe.thread, instruction);
    if (instruction.late) {
        instruction.late(instruction.accesses);
        if (!Check(instruction)) {
            return;
        }
    }
    Enter(instruction, pipe);
    const uint64_t before = instruction.strange ? instruction.strange(instruction, false) : 0;
    if (instruction.work.function) {
        RunFunction(instruction);
    } else {
        instruction.execute();
    }
    if (instruction.strange && before == 0 && instruction.strange(instruction, true) != 0) {
        Finding finding;
        finding.code = "not-finite";
        finding.severity = Severity::WARNING;
        finding.site = instruction.site;
        finding.pipe = emulator::Name(instruction.pipe);
        finding.instruction = instruction.name;
        finding.message = Text("%s makes NaN or infinity of operands without any", instruction.name);
        Report(std::move(finding));
    }
    Charge(instruction, pipe);
}

void Core::Charge(const Instruction &instruction, PipeState &pipe)
{
    const Cost cost = CostOf(instruction, machine_.OnChip());
    if (machine_.Options().trace) {
        const auto core = static_cast<uint32_t>(CoreOf(pipe.thread));
        machine_.Timeline().Add(core, instruction.pipe, instruction, pipe.time, cost.busy);
    }
    pipe.time += cost.busy;
    pipe.done = std::max(pipe.done, pipe.time + cost.latency);
}

// The loads and stores of a vector function are known only while it runs.
void Core::RunFunction(Instruction &instruction)
{
    EnterFunction(instruction);
    try {
        instruction.execute();
    } catch (const FunctionEnded &) { // what is wrong is told
    }
    LeaveFunction();
}

void Core::EnterFunction(Instruction &instruction)
{
    function_ = &instruction;
    if (!functionOrder_) {
        functionOrder_ = std::make_unique<FunctionOrder>(In(Space::UB).Bytes());
    }
    functionOrder_->Begin();
    SetFunctionOf(this);
}

void Core::LeaveFunction()
{
    counts.CountRegisters(*function_);
    SetFunctionOf(nullptr);
    function_ = nullptr;
}

// The code of a scope stands in the kernel itself: the scalar unit runs it for V, when V has come to it.
void Core::BeginScope(Instruction instruction)
{
    RefuseInFunction(instruction.name, instruction.site);
    if (!CheckPipe(instruction.pipe, instruction.name, instruction.site)) {
        return;
    }
    PipeState &pipe = Of(Pipe::V);
    if (!pipe.queue.empty()) {
        Block(Wait::ONE_PIPE, instruction.site, {Pipe::V, Pipe::S, 0});
    }
    counts.Count(instruction, machine_.OnChip());
    instruction.issued = Snapshot();
    instruction.issueTime = ++Of(Pipe::S).time;
    instruction.order = ++issued_;
    Join(pipe, instruction);
    ++pipe.number;
    Remember(pipe.thread, instruction);
    scope_ = std::move(instruction);
    EnterFunction(scope_);
}

void Core::EndScope()
{
    LeaveFunction();
    Charge(scope_, Of(Pipe::V));
}

void Core::Touch(Access access, const char *name, Site site, bool *known)
{
    Instruction part;
    part.pipe = Pipe::V;
    part.name = name;
    part.site = site;
    part.order = function_->order;
    part.inOrder = true;
    part.accesses.push_back(access);
    if (!Check(part)) {
        return;
    }
    if (known != nullptr) {
        part.accesses = Known(access, known);
    }
    Enter(part, Of(Pipe::V));
}

// The bytes in runs that have a value, or have none.
std::vector<Access> Core::Known(const Access &access, bool *known)
{
    std::vector<Access> runs;
    for (uint32_t i = 0; i < access.length; ++i) {
        const Epoch writer = access.memory->Marks().Writer(static_cast<uint64_t>(access.offset) + i);
        known[i] = writer && !writer.Undefined();
        if (i == 0 || known[i] != known[i - 1]) {
            runs.push_back(access);
            runs.back().offset += i;
            runs.back().length = 0;
            runs.back().blind = !known[i];
        }
        ++runs.back().length;
    }
    return runs;
}

void Core::RefuseInFunction(const char *name, Site site)
{
    if (function_ == nullptr) {
        return;
    }
    Finding finding;
    finding.code = "inside-vector-function";
    finding.severity = Severity::FATAL;
    finding.site = site;
    finding.pipe = emulator::Name(Pipe::V);
    finding.instruction = name;
    finding.message = Text("%s inside a vector function, which has loads, stores and operations on registers alone", name);
    Report(std::move(finding));
}

void Core::Enter(const Instruction &instruction, const PipeState &pipe)
{
    const auto each = [&](bool reads, Entry entry) {
        for (const Access &access : instruction.accesses) {
            if ((access.mode == Mode::READ) == reads && access.Bytes() != 0 && !access.memory->ReadOnly()) {
                EnterAccess(instruction, pipe, access, entry);
            }
        }
    };
    // Writes are held against what others read before the instruction's own reads are entered.
    each(false, Entry::CHECKED);
    each(true, Entry::BOTH);
    each(false, Entry::ENTERED);
}

void Core::EnterAccess(const Instruction &instruction, const PipeState &pipe, const Access &access, Entry entry)
{
    const bool cached = instruction.pipe == Pipe::S && access.memory->InSpace() == Space::GM;
    const Epoch self(pipe.thread, pipe.number, access.undefined, access.mode == Mode::ATOMIC, cached);
    const Accessor accessor{pipe.clock, self, access.mode, instruction.inOrder};
    Shadow &marks = access.memory->Marks();
    Conflict worst;
    for (uint32_t outer = 0; outer < access.count[1]; ++outer) {
        for (uint32_t inner = 0; inner < access.count[0]; ++inner) {
            const auto begin = static_cast<uint64_t>(access.offset + outer * access.stride[1] + inner * access.stride[0]);
            const uint64_t end = begin + access.length;
            worst.Add(entry == Entry::CHECKED ? marks.Check(accessor, begin, end) : marks.Enter(accessor, begin, end));
        }
    }
    const bool expected = access.blind && (worst.hazard == Hazard::NEVER_WRITTEN || worst.hazard == Hazard::UNDEFINED);
    if (entry != Entry::ENTERED && worst.weight != Weight::NOTHING && !expected) {
        ReportConflict(instruction, access, worst);
    }
}

void Core::ReportConflict(const Instruction &instruction, const Access &access, const Conflict &conflict)
{
    Finding finding = Located(instruction, access, conflict.offset);
    const std::string where = Text("byte %llu of %s", static_cast<unsigned long long>(conflict.offset),
        access.memory->Name().c_str());
    if (conflict.hazard == Hazard::NEVER_WRITTEN) {
        finding.code = "uninitialised";
        finding.message = Text("%s reads %s, which nothing has written", instruction.name, where.c_str());
        Report(std::move(finding));
        return;
    }
    const Machine::Origin origin = machine_.Recall(conflict.other);
    const std::string other = machine_.Describe(conflict.other);
    finding.other = origin.site;
    if (conflict.hazard == Hazard::UNDEFINED) {
        finding.code = "undefined-padding";
        finding.severity = Severity::WARNING;
        finding.message = Text("%s reads %s, padding to which %s gives no value", instruction.name, where.c_str(), other.c_str());
        Report(std::move(finding));
        return;
    }
    if (conflict.hazard == Hazard::NOT_WRITTEN_BACK) {
        finding.code = "not-written-back";
        finding.message = Text("%s reads %s, which %s wrote to its cache", instruction.name, where.c_str(), other.c_str());
        finding.help = "call DataCacheCleanAndInvalid behind the write, before the flag that orders the two";
        Report(std::move(finding));
        return;
    }
    const Thread owner = conflict.other.Owner();
    const bool sameCore = CoreOf(owner) == CoreOf(Of(Pipe::S).thread);
    const auto pipe = PipeOfThread(owner);
    const bool otherReads = conflict.hazard == Hazard::WRITE_AFTER_READ;
    finding.code = "race";
    if (conflict.weight == Weight::DOUBTFUL) {
        finding.severity = Severity::WARNING; // the docs ask for a barrier; in-order issue may well be enough
    }
    Racer late{instruction.name, instruction.pipe, instruction.site, access.mode == Mode::READ};
    Racer early{origin.name, pipe, origin.site, otherReads};
    // What the program has later must wait, whichever came first in this run.
    if (sameCore && origin.order > instruction.order) {
        std::swap(late, early);
        finding.instruction = late.name;
        finding.pipe = emulator::Name(late.pipe);
        finding.site = late.site;
        finding.other = early.site;
    }
    const std::string before = sameCore ? early.Text() : other;
    finding.message = Text("%s %s %s, which %s %s, and nothing orders the two", late.name, late.reads ? "reads" : "writes",
        where.c_str(), before.c_str(), early.reads ? "reads" : "writes");
    finding.help = Advice(early.pipe, late.pipe, sameCore);
    Report(std::move(finding));
}

} // namespace emulator

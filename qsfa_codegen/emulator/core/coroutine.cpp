// The scalar unit as a coroutine: when it runs, what it waits for, and how it ends.
#include <algorithm>

#include "core.h"
#include "machine.h"

namespace emulator {
namespace {

constexpr size_t STACK = 1 << 20;

} // namespace

void Core::Start(void (*entry)())
{
    stack_.resize(STACK);
    getcontext(&context_);
    context_.uc_stack.ss_sp = stack_.data();
    context_.uc_stack.ss_size = stack_.size();
    context_.uc_link = nullptr;
    makecontext(&context_, entry, 0);
}

void Core::RunScalar()
{
    wait_ = Wait::NOTHING;
    SetRunning(this);
    swapcontext(&machine_.Scheduler(), &context_);
    SetRunning(nullptr);
}

void Core::Yield()
{
    swapcontext(&context_, &machine_.Scheduler());
}

void Core::Leave()
{
    ended_ = true;
    setcontext(&machine_.Scheduler());
}

void Core::ScalarEnded()
{
    Leave();
}

void Core::Block(Wait wait, Site site, Event event)
{
    wait_ = wait;
    waitSite_ = site;
    waitEvent_ = event;
    Yield();
}

bool Core::ScalarCanRun() const
{
    if (ended_) {
        return false;
    }
    switch (wait_) {
        case Wait::FLAG:
            return FindFlags(waitEvent_) != nullptr;
        case Wait::CROSS_FLAG:
            return CrossFlagIsSet(waitEvent_.id);
        case Wait::ALL_PIPES:
            return std::all_of(pipes_.begin(), pipes_.end(), [](const PipeState &pipe) { return pipe.queue.empty(); });
        case Wait::ONE_PIPE:
            return Of(waitEvent_.from).queue.empty();
        case Wait::ROOM: { // it runs on where the pipe cannot: the depth of queues is no cause of a deadlock here
            const size_t queued = Of(waitEvent_.to).queue.size();
            return queued < QUEUED / 2 || (queued < room_ && !PipeCanRun(waitEvent_.to));
        }
        default:
            return true;
    }
}

bool Core::MakeRoom()
{
    if (ended_ || wait_ != Wait::ROOM || room_ >= MOST_QUEUED) {
        return false;
    }
    room_ *= 2;
    return true;
}

bool Core::PipeCanRun(Pipe pipe) const
{
    const std::deque<Instruction> &queue = Of(pipe).queue;
    if (queue.empty()) {
        return false;
    }
    const Instruction &first = queue.front();
    if (first.kind == Kind::WAIT_CROSS) {
        return CrossFlagIsSet(first.event.id);
    }
    return first.kind == Kind::WAIT_FLAG ? FindFlags(first.event) != nullptr : unitFlags_.Ready(first.unitFlags);
}

bool Core::CrossFlagIsSet(uint16_t place) const
{
    const auto found = crossFlags_.find(place);
    return found != crossFlags_.end() && !found->second.empty();
}

bool Core::AnyPipeCanRun() const
{
    for (size_t i = 1; i < PIPES; ++i) {
        if (PipeCanRun(static_cast<Pipe>(i))) {
            return true;
        }
    }
    return false;
}

void Core::RunPipes()
{
    for (;;) {
        const PipeState *next = nullptr;
        for (size_t i = 1; i < PIPES; ++i) {
            const PipeState &pipe = pipes_[i];
            if (PipeCanRun(static_cast<Pipe>(i)) && (next == nullptr || pipe.queue.front().order < next->queue.front().order)) {
                next = &pipe;
            }
        }
        if (next == nullptr || machine_.Stopped()) {
            return;
        }
        StepPipe(static_cast<Pipe>(next - pipes_.data()));
    }
}

bool Core::Finished() const
{
    return ended_ && std::all_of(pipes_.begin(), pipes_.end(), [](const PipeState &pipe) { return pipe.queue.empty(); });
}

uint64_t Core::Cycles() const
{
    uint64_t last = 0;
    for (const PipeState &pipe : pipes_) {
        last = std::max({last, pipe.time, pipe.done});
    }
    return last;
}

// ------------------------------------------------------------------ the end

// What an instruction at the head of its queue waits for.
std::string Core::Awaited(const Instruction &first) const
{
    switch (first.kind) {
        case Kind::WAIT_FLAG:
            return "flag " + Spelt(first.event);
        case Kind::WAIT_CROSS:
            return "cross-core flag " + SpeltCross(first.event.id);
        default:
            return unitFlags_.Awaited(first.unitFlags);
    }
}

std::vector<Waiter> Core::Waiting() const
{
    std::vector<Waiter> found;
    const auto idle = [this](Pipe pipe) { return Of(pipe).queue.empty(); };
    if (!ended_) {
        switch (wait_) {
            case Wait::FLAG:
                found.push_back({this, waitSite_, name_ + " waits", "for flag " + Spelt(waitEvent_), idle(waitEvent_.from)});
                break;
            case Wait::CROSS_FLAG:
                found.push_back({this, waitSite_, name_ + " waits", "for cross-core flag " + SpeltCross(waitEvent_.id), true});
                break;
            case Wait::ALL_PIPES:
                found.push_back({this, waitSite_, name_ + " waits", "for all its pipes", false});
                break;
            case Wait::ONE_PIPE:
                found.push_back({this, waitSite_, name_ + " waits", Text("for its pipe %s", emulator::Name(waitEvent_.from)), false});
                break;
            case Wait::ROOM:
                found.push_back({this, waitSite_,
                    Text("%s has issued %zu instructions to its pipe %s, the last", name_.c_str(),
                        Of(waitEvent_.to).queue.size(), emulator::Name(waitEvent_.to)),
                    "", false});
                break;
            default:
                break;
        }
    }
    for (size_t i = 0; i < PIPES; ++i) {
        const auto pipe = static_cast<Pipe>(i);
        if (!idle(pipe)) {
            const Instruction &first = Of(pipe).queue.front();
            const bool last = first.kind != Kind::WAIT_FLAG || idle(first.event.from);
            found.push_back({this, first.site, Text("%s of %s waits", emulator::Name(pipe), name_.c_str()), "for " + Awaited(first), last});
        }
    }
    return found;
}

void Core::CheckEnd()
{
    if (cube_) {
        for (Finding &left : unitFlags_.Left(In(Space::L0C).Name())) {
            Report(std::move(left));
        }
    }
    Finding finding;
    finding.code = "unbalanced-flag";
    finding.help = "every flag that is set must be waited for: one that is left is seen by the next kernel";
    for (const auto &[key, records] : flags_) {
        if (!records.empty()) {
            finding.site = records.front().site;
            finding.pipe = emulator::Name(FromKey(key).from);
            finding.instruction = "SetFlag";
            finding.message = Text("flag %s is still set at the end of the kernel", Spelt(FromKey(key)).c_str());
            Report(finding);
        }
    }
    for (const auto &[id, records] : crossFlags_) {
        if (!records.empty()) {
            finding.site = records.front().site;
            finding.instruction = "CrossCoreSetFlag";
            finding.message = Text("cross-core flag %s of %s is still set %zu times at the end of the kernel",
                SpeltCross(id).c_str(), name_.c_str(), records.size());
            Report(finding);
        }
    }
}

} // namespace emulator

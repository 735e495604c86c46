// Flags and barriers, inside a core and between cores.
#include <algorithm>

#include "core.h"
#include "machine.h"

namespace emulator {
namespace {

constexpr int EVENT_IDS = 8;
constexpr int CROSS_IDS = 16;
constexpr int SINGLE_MOST = 10; // flags of mode 4
constexpr int SINGLE_SECOND = 16; // where a cube core has those of its second vector core
constexpr size_t CROSS_MOST = 15; // that the counter of a cross-core flag holds

Instruction Synchronisation(Kind kind, Pipe pipe, const char *name, Site site, Event event = {})
{
    Instruction instruction;
    instruction.kind = kind;
    instruction.pipe = pipe;
    instruction.name = name;
    instruction.site = site;
    instruction.event = event;
    return instruction;
}

} // namespace

uint32_t Key(Event event)
{
    return static_cast<uint32_t>(event.from) << 20 | static_cast<uint32_t>(event.to) << 16 | event.id;
}

Event FromKey(uint32_t key)
{
    return {static_cast<Pipe>(key >> 20), static_cast<Pipe>((key >> 16) & 15), static_cast<uint16_t>(key)};
}

std::string Spelt(Event event)
{
    return Text("%s_%s %u", Name(event.from), Name(event.to), event.id);
}

std::string SpeltCross(uint16_t place)
{
    return place < CrossPlace(4, 0) ? Text("%u", place) : Text("%u of mode 4", place - CrossPlace(4, 0));
}

std::deque<SetFlagRecord> &Core::Flags(Event event)
{
    return flags_[Key(event)];
}

const std::deque<SetFlagRecord> *Core::FindFlags(Event event) const
{
    const auto found = flags_.find(Key(event));
    return found == flags_.end() || found->second.empty() ? nullptr : &found->second;
}

// The documentation leaves open what a flag does that is set twice without a wait between, in the order of the program.
void Core::CheckFlagOrder(Event event, int change, Site site)
{
    Finding finding;
    finding.site = site;
    finding.pipe = emulator::Name(change > 0 ? event.from : event.to);
    finding.instruction = change > 0 ? "SetFlag" : "WaitFlag";
    if (event.id >= EVENT_IDS) {
        finding.code = "flag-range";
        finding.severity = Severity::FATAL;
        finding.message = Text("the event of %s is %u; expected: 0 to %d", finding.instruction.c_str(), event.id, EVENT_IDS - 1);
        Report(std::move(finding));
        return;
    }
    int &count = issuedFlags_[Key(event)];
    count += change;
    if (count > 1) {
        finding.code = "flag-set-twice";
        finding.message = Text("flag %s is set again before a WaitFlag of it", Spelt(event).c_str());
        finding.help = "what a flag does that is set twice is not documented; use another event id, or wait first";
        Report(std::move(finding));
    }
}

void Core::SetFlag(Event event, Site site)
{
    CheckFlagOrder(event, 1, site);
    if (event.from == Pipe::S) {
        ++counts.flags;
        Flags(event).push_back({ReleaseScalar(), site});
        return;
    }
    Issue(Synchronisation(Kind::SET_FLAG, event.from, "SetFlag", site, event));
}

void Core::WaitFlag(Event event, Site site)
{
    CheckFlagOrder(event, -1, site);
    if (event.to == Pipe::S) {
        ++counts.flags;
        if (FindFlags(event) == nullptr) {
            Block(Wait::FLAG, site, event);
        }
        JoinScalar(Flags(event).front().signal);
        Flags(event).pop_front();
        return;
    }
    Issue(Synchronisation(Kind::WAIT_FLAG, event.to, "WaitFlag", site, event));
}

void Core::Barrier(Pipe pipe, Site site)
{
    if (pipe != Pipe::S) {
        Issue(Synchronisation(Kind::BARRIER, pipe, "PipeBarrier", site));
    }
}

void Core::BarrierAll(Site site)
{
    ++counts.barriers;
    const auto busy = [](const PipeState &pipe) { return !pipe.queue.empty(); };
    if (std::any_of(pipes_.begin(), pipes_.end(), busy)) {
        Block(Wait::ALL_PIPES, site);
    }
    for (const PipeState &pipe : pipes_) {
        if (pipe.thread != Of(Pipe::S).thread) {
            JoinScalar(Release(pipe));
        }
    }
    storesDone_ = stores_.number;
}

void Core::AwaitPipe(Pipe pipe, Site site)
{
    if (!Of(pipe).queue.empty()) {
        Block(Wait::ONE_PIPE, site, {pipe, Pipe::S, 0});
    }
    JoinScalar(Release(Of(pipe)));
}

void Core::CheckCanWait(const char *name, Site site)
{
    if (machine_.CoresCanWait()) {
        return;
    }
    Finding finding;
    finding.code = "no-cross-core-flags";
    finding.severity = Severity::FATAL;
    finding.site = site;
    finding.instruction = name;
    finding.message = Text("%s in a kernel of type %s_ONLY, whose cores cannot wait for each other", name, cube_ ? "AIC" : "AIV");
    finding.help = Text("let the kernel be of type MIX_%s_1_0", cube_ ? "AIC" : "AIV");
    Report(std::move(finding));
}

void Core::SetCross(uint8_t mode, Pipe pipe, uint16_t id, Site site)
{
    CheckCanWait("CrossCoreSetFlag", site);
    Instruction instruction = Synchronisation(Kind::SET_CROSS, pipe, "CrossCoreSetFlag", site);
    instruction.mode = mode;
    instruction.event.id = id;
    CheckCross(instruction, pipe != Pipe::S || mode == 4);
    if (pipe == Pipe::S) {
        RefuseInFunction(instruction.name, site);
        ++counts.crossFlags;
        machine_.SetCross(*this, mode, id, ReleaseScalar(), site);
        return;
    }
    Issue(std::move(instruction));
}

// What the chip has of modes and flags. In mode 4 a cube core has those of its second vector core from 16 on.
void Core::CheckCross(const Instruction &instruction, bool pipeKnown)
{
    const bool single = instruction.mode == 4 && machine_.OnChip().Arch35();
    const uint16_t id = instruction.event.id;
    const bool known = single ? id <= SINGLE_MOST || (cube_ && id >= SINGLE_SECOND && id <= SINGLE_SECOND + SINGLE_MOST) : id < CROSS_IDS;
    const bool grouped = !single || machine_.Options().type == KernelType::MIX_1_2;
    if (known && grouped && pipeKnown && (single || instruction.mode <= 2)) {
        return;
    }
    Finding finding;
    finding.code = "flag-range";
    finding.severity = Severity::FATAL;
    finding.site = instruction.site;
    finding.pipe = emulator::Name(instruction.pipe);
    finding.instruction = instruction.name;
    finding.message = Text("%s of mode %u, pipe %s, flag %u; expected: ", instruction.name, instruction.mode, emulator::Name(instruction.pipe), id);
    if (single) {
        finding.message += Text("a kernel of type MIX_1_2, a flag of 0 to %d%s", SINGLE_MOST, cube_ ? " or 16 to 26" : "");
    } else {
        finding.message += Text("a mode of 0 to 2%s, a pipe other than S, a flag of 0 to %d",
            machine_.OnChip().Arch35() ? " or 4" : "", CROSS_IDS - 1);
    }
    Report(std::move(finding));
}

void Core::WaitCross(uint8_t mode, Pipe pipe, uint16_t id, Site site)
{
    CheckCanWait("CrossCoreWaitFlag", site);
    Instruction instruction = Synchronisation(Kind::WAIT_CROSS, pipe, "CrossCoreWaitFlag", site);
    instruction.mode = mode;
    instruction.event.id = id;
    CheckCross(instruction, true);
    instruction.event.id = CrossPlace(mode, id);
    if (pipe != Pipe::S) {
        Issue(std::move(instruction));
        return;
    }
    RefuseInFunction(instruction.name, site);
    ++counts.crossFlags;
    std::deque<SetFlagRecord> &flags = crossFlags_[instruction.event.id];
    if (flags.empty()) {
        Block(Wait::CROSS_FLAG, site, instruction.event);
    }
    JoinScalar(flags.front().signal);
    flags.pop_front();
}

void Core::Deliver(uint16_t id, Signal signal, Site site)
{
    std::deque<SetFlagRecord> &flags = crossFlags_[id];
    flags.push_back({std::move(signal), site});
    if (flags.size() > CROSS_MOST) {
        Finding finding;
        finding.code = "flag-overflow";
        finding.site = site;
        finding.instruction = "CrossCoreSetFlag";
        finding.message = Text("flag %s of %s is set %zu times without a wait; its counter holds %zu", SpeltCross(id).c_str(),
            name_.c_str(), flags.size(), CROSS_MOST);
        finding.help = "let the core that sets it wait for a flag of the other side now and then";
        Report(std::move(finding));
    }
}

} // namespace emulator

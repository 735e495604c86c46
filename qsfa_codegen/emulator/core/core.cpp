// A core: its memories, and the scalar unit that issues instructions and reads and writes single elements.
#include "core.h"

#include <algorithm>
#include <tuple>

#include "machine.h"

namespace emulator {
namespace {

constexpr int MARK_BITS = 32;
constexpr uint64_t LINE = 64; // bytes of a line of the scalar unit's cache

} // namespace

Core::Core(Machine &machine, bool cube, uint32_t index, uint32_t group, uint32_t sub)
    : machine_(machine), cube_(cube), index_(index), group_(group), sub_(sub),
      name_(Text("%s%u", cube ? "aic" : "aiv", index)),
      stores_(static_cast<Thread>(machine.Cores().size() * THREADS + PIPES), machine.Threads())
{
    const auto first = static_cast<Thread>(machine.Cores().size() * THREADS);
    for (size_t i = 0; i < PIPES; ++i) {
        pipes_.emplace_back(static_cast<Thread>(first + i), machine.Threads());
    }
    for (size_t i = 1; i < SPACES; ++i) {
        const auto space = static_cast<Space>(i);
        if (Chip::Has(space, cube)) {
            memories_[i] = std::make_unique<Memory>(space, Text("%s of %s", emulator::Name(space), name_.c_str()),
                machine.OnChip().bytes[i], Use::WORKSPACE);
        }
    }
}

Memory &Core::In(Space space)
{
    Memory *memory = Reach(space);
    if (memory == nullptr) {
        Finding finding;
        finding.code = "no-such-memory";
        finding.severity = Severity::FATAL;
        finding.message = Text("%s core %s has no %s", cube_ ? "cube" : "vector", name_.c_str(), emulator::Name(space));
        finding.help = "guard the code with ASCEND_IS_AIC or ASCEND_IS_AIV";
        Report(std::move(finding));
    }
    return *memory;
}

// On arch35 a vector core writes the L1 of its group's cube core, and a cube core the UB of its vector cores: it sees
// the one of the first, Fixpipe picks.
Memory *Core::Reach(Space space)
{
    Memory *own = memories_[static_cast<size_t>(space)].get();
    const bool shared = cube_ ? space == Space::UB : space == Space::L1;
    if (own != nullptr || !shared || !machine_.OnChip().Arch35()) {
        return own;
    }
    Core *other = Neighbour(0);
    return other == nullptr ? nullptr : other->memories_[static_cast<size_t>(space)].get();
}

uint64_t Core::Marked(uint64_t address, int64_t low, int64_t high)
{
    const std::pair<int64_t, int64_t> buffer{low, high};
    auto found = std::find(buffers_.begin(), buffers_.end(), buffer);
    if (found == buffers_.end()) {
        found = buffers_.insert(found, buffer);
    }
    const auto number = static_cast<uint64_t>(found - buffers_.begin()) + 1;
    return number << MARK_BITS | address;
}

// Without a mark it may be anywhere.
Access Core::FromMarked(uint64_t address) const
{
    Access access;
    access.memory = memories_[static_cast<size_t>(Space::UB)].get();
    access.offset = static_cast<int64_t>(static_cast<int32_t>(address)); // also before the start
    const uint64_t number = (address >> MARK_BITS) + (access.offset < 0 ? 1 : 0);
    if (number != 0 && number <= buffers_.size()) {
        std::tie(access.low, access.high) = buffers_[number - 1];
    }
    return access;
}

Core *Core::Neighbour(uint32_t sub)
{
    for (const std::unique_ptr<Core> &core : machine_.Cores()) {
        if (core->group_ == group_ && core->cube_ != cube_ && core->sub_ == sub) {
            return core.get();
        }
    }
    return nullptr;
}

void Core::Report(Finding finding)
{
    const bool fatal = finding.severity == Severity::FATAL;
    finding.core = name_;
    machine_.Found().Add(std::move(finding));
    if (fatal) {
        machine_.Stop();
        if (Running() == this) {
            Leave();
        }
        if (function_ != nullptr) {
            throw FunctionEnded();
        }
    }
}

// ------------------------------------------------------------------ issue

void Core::Issue(Instruction instruction)
{
    now = {this, instruction.name, instruction.site};
    RefuseInFunction(instruction.name, instruction.site);
    if (!CheckPipe(instruction.pipe, instruction.name, instruction.site) || !Check(instruction)) {
        return;
    }
    PipeState &scalar = Of(Pipe::S);
    counts.Count(instruction, machine_.OnChip());
    instruction.issued = Snapshot();
    instruction.issueTime = ++scalar.time;
    instruction.order = ++issued_;
    const Pipe pipe = instruction.pipe;
    Of(pipe).queue.push_back(std::move(instruction));
    if (!machine_.Options().random) {
        RunPipes();
    }
    if (Of(pipe).queue.size() >= (machine_.Options().random ? QUEUED : room_)) {
        Block(Wait::ROOM, Of(pipe).queue.back().site, {pipe, pipe, 0});
    } else if (machine_.Chance(4)) {
        Block(Wait::TURN, {});
    }
}

const ClockPointer &Core::Snapshot()
{
    PipeState &scalar = Of(Pipe::S);
    if (!snapshot_ || (*snapshot_)[scalar.thread] != scalar.number) {
        scalar.clock.See(scalar.thread, scalar.number);
        auto snapshot = std::make_shared<Clock>(scalar.clock);
        snapshot->Limit(stores_.thread, storesDone_);
        snapshot_ = std::move(snapshot);
    }
    return snapshot_;
}

// What a flag that the scalar unit sets carries: its stores too.
Signal Core::ReleaseScalar()
{
    PipeState &scalar = Of(Pipe::S);
    scalar.clock.See(scalar.thread, scalar.number);
    return {std::make_shared<const Clock>(scalar.clock), ++scalar.time};
}

void Core::JoinScalar(const Signal &signal)
{
    PipeState &scalar = Of(Pipe::S);
    scalar.clock.Join(*signal.clock);
    storesDone_ = std::max(storesDone_, (*signal.clock)[stores_.thread]); // who tells has waited for them
    scalar.time = std::max(scalar.time, signal.time);
    snapshot_.reset();
}

void Core::Scalar(Access access, const char *name, Site site)
{
    now = {this, name, site};
    RefuseInFunction(name, site);
    Instruction instruction;
    instruction.pipe = Pipe::S;
    instruction.name = name;
    instruction.site = site;
    instruction.inOrder = true;
    counts.scalarGmReads += access.memory != nullptr && access.memory->InSpace() == Space::GM ? 1 : 0;
    instruction.accesses.push_back(access);
    if (!CheckReach(instruction, {access.memory}) || !Check(instruction)) {
        return;
    }
    PipeState &scalar = Of(Pipe::S);
    counts.Count(instruction, machine_.OnChip());
    const bool stores = access.mode != Mode::READ && access.memory->InSpace() != Space::GM;
    PipeState &thread = stores ? stores_ : scalar;
    ++thread.number;
    ++scalar.time;
    instruction.order = ++issued_;
    Remember(thread.thread, instruction);
    EnterScalar(instruction, thread);
    if (access.memory->InSpace() == Space::GM && !access.memory->ReadOnly()) {
        CheckCache(access, name, site);
    }
}

// The scalar unit sees its own accesses in their order, whichever thread they are of.
void Core::EnterScalar(const Instruction &instruction, PipeState &thread)
{
    Clock &clock = Of(Pipe::S).clock;
    if (&thread == &stores_) {
        clock.See(Of(Pipe::S).thread, Of(Pipe::S).number);
        std::swap(stores_.clock, clock);
        Enter(instruction, stores_);
        std::swap(stores_.clock, clock);
    } else {
        Enter(instruction, thread);
    }
    clock.See(thread.thread, thread.number);
}

// A line that is in the cache does not change when others write to memory.
void Core::CheckCache(const Access &access, const char *name, Site site)
{
    const std::pair<Memory *, uint64_t> line{access.memory, static_cast<uint64_t>(access.offset) / LINE};
    const auto [known, isNew] = cache_.try_emplace(line, machine_.Steps());
    if (isNew || access.mode != Mode::READ) {
        return;
    }
    const Epoch writer = access.memory->Marks().Writer(static_cast<uint64_t>(access.offset));
    if (writer.Owner() == Of(Pipe::S).thread || machine_.Recall(writer).step <= known->second) {
        return;
    }
    Finding finding;
    finding.code = "stale-cache";
    finding.site = site;
    finding.other = machine_.Recall(writer).site;
    finding.pipe = emulator::Name(Pipe::S);
    finding.instruction = name;
    finding.buffer = access.memory->Name();
    finding.offset = access.offset;
    finding.message = Text("%s reads byte %lld of %s from a line that was read before %s wrote it", name,
        static_cast<long long>(access.offset), access.memory->Name().c_str(), machine_.Describe(writer).c_str());
    finding.help = "call DataCacheCleanAndInvalid for the line before it is read again";
    known->second = machine_.Steps();
    Report(std::move(finding));
}

void Core::FlushCache(const Memory *memory, int64_t offset)
{
    for (auto at = cache_.begin(); at != cache_.end();) {
        const auto [held, line] = at->first;
        if (memory == nullptr || (held == memory && line == static_cast<uint64_t>(offset) / LINE)) {
            const uint64_t begin = line * LINE;
            held->Marks().WriteBack(Of(Pipe::S).thread, begin, std::min(begin + LINE, held->Bytes()));
            at = cache_.erase(at);
        } else {
            ++at;
        }
    }
}

} // namespace emulator

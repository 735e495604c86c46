#include "machine.h"

#include <algorithm>
#include <cstring>

namespace emulator {
namespace {

constexpr uint16_t CROSS_OF_ONE = 16; // flags of mode 4 that a cube core has for each vector core

Core *running = nullptr;
Core *functionOf = nullptr;
void (*kernelEntry)() = nullptr;

void RunKernel()
{
    kernelEntry();
    Here().ScalarEnded();
}

const char *BaseName(const char *path)
{
    const char *slash = std::strrchr(path, '/');
    return slash == nullptr ? path : slash + 1;
}

} // namespace

Moment now;

Core *Running()
{
    return running;
}

void SetRunning(Core *core)
{
    running = core;
}

Core *FunctionOf()
{
    return functionOf;
}

void SetFunctionOf(Core *core)
{
    functionOf = core;
}

Machine::Machine(Chip chip, LaunchOptions options)
    : chip_(std::move(chip)), options_(options), generator_(options.seed)
{
    const bool cube = HasCubeCores();
    const uint32_t vectors = VectorCoresOfGroup();
    threads_ = options_.blockDim * ((cube ? 1 : 0) + vectors) * THREADS;
    origins_.resize(threads_);
    for (uint32_t group = 0; group < options_.blockDim; ++group) {
        if (cube) {
            cores_.push_back(std::make_unique<Core>(*this, true, group, group, 0));
        }
        for (uint32_t sub = 0; sub < vectors; ++sub) {
            cores_.push_back(std::make_unique<Core>(*this, false, group * vectors + sub, group, sub));
        }
    }
}

Machine::~Machine() = default;

bool Machine::HasCubeCores() const
{
    return options_.type != KernelType::AIV_ONLY && options_.type != KernelType::MIX_AIV_1_0;
}

uint32_t Machine::VectorCoresOfGroup() const
{
    switch (options_.type) {
        case KernelType::AIC_ONLY:
        case KernelType::MIX_AIC_1_0:
            return 0;
        case KernelType::MIX_1_2:
            return 2;
        default:
            return 1;
    }
}

bool Machine::CoresCanWait() const
{
    return options_.type != KernelType::AIV_ONLY && options_.type != KernelType::AIC_ONLY;
}

bool Machine::Chance(uint32_t oneOf)
{
    return options_.random && generator_() % oneOf == 0;
}

void Machine::Run(void (*entry)())
{
    kernelEntry = entry;
    for (const std::unique_ptr<Core> &core : cores_) {
        core->Start(RunKernel);
    }
    if (options_.random) {
        Random();
    } else {
        InOrder();
    }
    if (stopped_) {
        return;
    }
    if (!Done()) {
        ReportDeadlock();
        return;
    }
    for (const std::unique_ptr<Core> &core : cores_) {
        core->CheckEnd();
    }
    CheckOutputs();
}

bool Machine::Done() const
{
    return std::all_of(cores_.begin(), cores_.end(), [](const auto &core) { return core->Finished(); });
}

// Core by core; on each, in the order of the program as far as flags let it.
void Machine::InOrder()
{
    bool moved = true;
    while ((moved || MakeRoom()) && !stopped_) {
        moved = false;
        for (const std::unique_ptr<Core> &core : cores_) {
            if (core->AnyPipeCanRun()) { // a pipe that waited for another core
                core->RunPipes();
                moved = true;
            }
            if (core->ScalarCanRun()) {
                core->RunScalar();
                moved = true;
            }
            if (stopped_) {
                return;
            }
        }
    }
}

bool Machine::MakeRoom()
{
    return std::count_if(cores_.begin(), cores_.end(), [](const auto &core) { return core->MakeRoom(); }) > 0;
}

void Machine::Random()
{
    std::vector<std::pair<Core *, Pipe>> able;
    while (!stopped_) {
        able.clear();
        for (const std::unique_ptr<Core> &core : cores_) {
            if (core->ScalarCanRun()) {
                able.emplace_back(core.get(), Pipe::S);
            }
            for (size_t i = 1; i < PIPES; ++i) {
                if (core->PipeCanRun(static_cast<Pipe>(i))) {
                    able.emplace_back(core.get(), static_cast<Pipe>(i));
                }
            }
        }
        if (able.empty()) {
            if (MakeRoom()) {
                continue;
            }
            return;
        }
        const auto [core, pipe] = able[generator_() % able.size()];
        if (pipe == Pipe::S) {
            core->RunScalar();
        } else {
            core->StepPipe(pipe);
        }
    }
}

// Those come first for whom the others wait.
void Machine::ReportDeadlock()
{
    constexpr size_t most = 24;
    std::vector<Waiter> all;
    for (const std::unique_ptr<Core> &core : cores_) {
        for (Waiter &waiter : core->Waiting()) {
            all.push_back(std::move(waiter));
        }
    }
    std::stable_partition(all.begin(), all.end(), [](const Waiter &waiter) { return waiter.last; });
    Finding finding;
    finding.code = "deadlock";
    finding.severity = Severity::FATAL;
    finding.message = "nothing can go on: ";
    if (!all.empty()) {
        finding.site = all.front().site;
        finding.core = all.front().core->Name();
    }
    for (size_t i = 0; i < std::min(all.size(), most); ++i) {
        const Waiter &waiter = all[i];
        const std::string file = BaseName(waiter.site.file);
        finding.message += (i == 0 ? "" : "; ") + waiter.who + Text(" in line %d", waiter.site.line) +
            (file == BaseName(finding.site.file) ? "" : " of " + file) + (waiter.what.empty() ? "" : " ") + waiter.what;
    }
    if (all.size() > most) {
        finding.message += Text("; and %zu more", all.size() - most);
    }
    finding.help = "set each flag before it is waited for, and as often; a core that is done sets no more flags";
    findings_.Add(std::move(finding));
}

void Machine::CheckOutputs()
{
    for (const std::unique_ptr<Memory> &memory : global_.All()) {
        if (memory->UsedAs() != Use::OUT) {
            continue;
        }
        const uint64_t at = memory->Marks().FirstUnwritten(0, memory->Bytes());
        if (at != memory->Bytes()) {
            Finding finding;
            finding.code = "output-not-written";
            finding.buffer = memory->Name();
            finding.offset = static_cast<int64_t>(at);
            finding.message = Text("byte %llu of the output %s is not written", static_cast<unsigned long long>(at), memory->Name().c_str());
            findings_.Add(std::move(finding));
        }
    }
}

void Machine::Remember(Thread thread, Origin origin)
{
    origin.step = ++steps_;
    origins_[thread].push_back(origin);
}

Machine::Origin Machine::Recall(Epoch epoch) const
{
    if (!epoch || epoch.Owner() >= origins_.size() || epoch.Number() == 0) {
        return {"", {}, 0, 0};
    }
    return origins_[epoch.Owner()][epoch.Number() - 1];
}

std::string Machine::Describe(Epoch epoch) const
{
    const Origin origin = Recall(epoch);
    const Core &core = *cores_[CoreOf(epoch.Owner())];
    return Text("%s (%s:%d, %s of %s)", origin.name, BaseName(origin.site.file), origin.site.line,
        Name(PipeOfThread(epoch.Owner())), core.Name().c_str());
}

// Mode 0: all cores of a kind; 1: the vector cores of a group; 2: the cube core and the vector cores of a group; 4: the
// cube core and one of the vector cores, each alone.
void Machine::SetCross(Core &from, uint8_t mode, uint16_t id, Signal signal, Site site)
{
    if (mode == 4) {
        const uint32_t sub = from.Cube() ? id / CROSS_OF_ONE : 0;
        const auto place = static_cast<uint16_t>(from.Cube() ? id % CROSS_OF_ONE : id + from.Sub() * CROSS_OF_ONE);
        from.Neighbour(sub)->Deliver(CrossPlace(mode, place), std::move(signal), site);
        return;
    }
    std::vector<Core *> setters;
    std::vector<Core *> receivers;
    for (const std::unique_ptr<Core> &core : cores_) {
        const bool group = core->Group() == from.Group();
        const bool kind = core->Cube() == from.Cube();
        if (kind && (mode == 0 || (group && (mode == 1 || !from.Cube() || core.get() == &from)))) {
            setters.push_back(core.get());
        }
        if (mode == 2 ? group && !kind : kind && (mode == 0 || group)) {
            receivers.push_back(core.get());
        }
    }
    partial_[{mode * 16U + id, &from}].push_back({std::move(signal), site});
    Join(mode, id, setters, receivers);
}

void Machine::Join(uint8_t mode, uint16_t id, const std::vector<Core *> &setters, const std::vector<Core *> &receivers)
{
    const auto records = [this, mode, id](Core *core) -> std::deque<SetFlagRecord> & {
        return partial_[{mode * 16U + id, core}];
    };
    if (std::any_of(setters.begin(), setters.end(), [&](Core *core) { return records(core).empty(); })) {
        return;
    }
    auto clock = std::make_shared<Clock>(threads_);
    SetFlagRecord joined;
    for (Core *setter : setters) {
        std::deque<SetFlagRecord> &list = records(setter);
        clock->Join(*list.front().signal.clock);
        joined.signal.time = std::max(joined.signal.time, list.front().signal.time);
        joined.site = list.front().site;
        list.pop_front();
    }
    joined.signal.clock = std::move(clock);
    for (Core *receiver : receivers) {
        receiver->Deliver(id, joined.signal, joined.site);
    }
}

std::string Machine::Report() const
{
    std::string text = "{\"findings\":" + findings_.Json() + ",\"cores\":{";
    uint64_t cycles = 0;
    for (size_t i = 0; i < cores_.size(); ++i) {
        text += (i == 0 ? "" : ",") + Quoted(cores_[i]->Name()) + ":" + cores_[i]->counts.Json();
        cycles = std::max(cycles, cores_[i]->Cycles());
    }
    return text + Text("},\"complete\":%s,\"cycles\":%llu}", stopped_ || !Done() ? "false" : "true", static_cast<unsigned long long>(cycles));
}

} // namespace emulator

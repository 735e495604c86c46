#include "counts.h"

#include "finding.h"

namespace emulator {
namespace {

constexpr const char *ROUTE_NAMES[ROUTES] = {
    "none", "gm_ub", "ub_gm", "gm_l1", "l1_gm", "ub_ub", "l1_l0a", "l1_l0b", "l0c_gm", "l0c_l1",
    "l0c_ub", "ub_l1"};

constexpr uint64_t ISSUE = 1;
constexpr uint64_t DMA_HEAD = 20;
constexpr uint64_t DMA_RATE = 64; // bytes a cycle
constexpr uint64_t BURST = 4; // cycles that a burst takes at least
constexpr uint64_t READ_LATENCY = 400;
constexpr uint64_t WRITE_LATENCY = 200;
constexpr uint64_t L0A_RATE = 256;
constexpr uint64_t L0B_RATE = 128;
constexpr uint64_t ON_CHIP_RATE = 128; // UB → L1 and L0C → UB
constexpr uint64_t FIX_HEAD = 30;
constexpr uint64_t VECTOR_HEAD = 6;
constexpr uint64_t CUBE_HEAD = 10;

uint64_t Moving(const Work &work, uint64_t head, uint64_t rate)
{
    return head + std::max(work.bytes / rate, work.bursts * BURST);
}

std::string Field(const char *name, uint64_t value)
{
    return Text(",\"%s\":%llu", name, static_cast<unsigned long long>(value));
}

template <size_t N, typename NameOf>
std::string Object(const char *name, const std::array<uint64_t, N> &values, NameOf nameOf)
{
    std::string text;
    for (size_t i = 0; i < N; ++i) {
        if (values[i] != 0) {
            text += Field(nameOf(i), values[i]);
        }
    }
    return Text(",\"%s\":{", name) + (text.empty() ? text : text.substr(1)) + "}";
}

} // namespace

Cost CostOf(const Instruction &instruction, const Chip &chip)
{
    const Work &work = instruction.work;
    switch (work.route) {
        case Route::GM_UB:
        case Route::GM_L1:
            return {Moving(work, DMA_HEAD, DMA_RATE), READ_LATENCY};
        case Route::UB_GM:
        case Route::L1_GM:
            return {Moving(work, DMA_HEAD, DMA_RATE), WRITE_LATENCY};
        case Route::L0C_GM:
        case Route::L0C_L1:
            return {Moving(work, FIX_HEAD, DMA_RATE), WRITE_LATENCY};
        case Route::L0C_UB:
            return {FIX_HEAD + work.bytes / ON_CHIP_RATE, 0};
        case Route::UB_L1:
            return {DMA_HEAD + work.bytes / ON_CHIP_RATE, 0};
        case Route::L1_L0A:
            return {DMA_HEAD + work.bytes / L0A_RATE, 0};
        case Route::L1_L0B:
            return {DMA_HEAD + work.bytes / (chip.Arch35() ? L0A_RATE : L0B_RATE), 0};
        default:
            break;
    }
    if (work.beats != 0) {
        return {CUBE_HEAD + work.beats, 0};
    }
    if (work.function) {
        return {VECTOR_HEAD + work.registers, 0};
    }
    return {work.repeats == 0 ? ISSUE : VECTOR_HEAD + work.repeats, 0};
}

void Counts::Count(const Instruction &instruction, const Chip &chip)
{
    const auto pipe = static_cast<size_t>(instruction.pipe);
    switch (instruction.kind) {
        case Kind::SET_FLAG:
        case Kind::WAIT_FLAG:
            ++flags;
            return;
        case Kind::BARRIER:
            ++barriers;
            vectorBarriers += instruction.pipe == Pipe::V ? 1 : 0;
            return;
        case Kind::SET_CROSS:
        case Kind::WAIT_CROSS:
            ++crossFlags;
            return;
        case Kind::WORK:
            break;
    }
    const auto route = static_cast<size_t>(instruction.work.route);
    ++instructions[pipe];
    busy[pipe] += CostOf(instruction, chip).busy;
    bytes[route] += instruction.work.bytes;
    bursts[route] += instruction.work.bursts;
    moves[route] += instruction.work.route == Route::NONE ? 0 : 1;
    repeats += instruction.work.repeats;
    macs += instruction.work.macs;
}

void Counts::CountRegisters(const Instruction &function)
{
    registers += function.work.registers;
    busy[static_cast<size_t>(function.pipe)] += function.work.registers;
}

std::string Counts::Json() const
{
    const auto pipeName = [](size_t i) { return Name(static_cast<Pipe>(i)); };
    const auto routeName = [](size_t i) { return ROUTE_NAMES[i]; };
    std::string text = Object("instructions", instructions, pipeName) + Object("busy", busy, pipeName) +
        Object("bytes", bytes, routeName) + Object("moves", moves, routeName) +
        Object("bursts", bursts, routeName);
    text += Field("repeats", repeats) + Field("registers", registers) + Field("macs", macs) + Field("scalar_gm_reads", scalarGmReads);
    text += Field("flags", flags) + Field("barriers", barriers) + Field("vector_barriers", vectorBarriers);
    return "{" + text.substr(1) + Field("cross_flags", crossFlags) + "}";
}

void Trace::Add(uint32_t core, Pipe pipe, const Instruction &instruction, uint64_t start, uint64_t busy)
{
    const Access *global = nullptr;
    for (const Access &access : instruction.accesses) {
        if (global == nullptr && access.memory->InSpace() == Space::GM) {
            global = &access;
        }
    }
    items_.push_back({core, pipe, instruction.name, instruction.site, start, busy, instruction.work,
        global == nullptr ? nullptr : global->memory, global == nullptr ? 0 : global->First()});
}

// What an instruction moves or computes, beside its line.
std::string Trace::Details(const Item &item)
{
    std::string text;
    if (item.work.route != Route::NONE) {
        text += Text(",\"route\":\"%s\"", ROUTE_NAMES[static_cast<size_t>(item.work.route)]);
        text += Field("bytes", item.work.bytes);
    }
    if (item.tensor != nullptr) {
        text += Text(",\"tensor\":%s", Quoted(item.tensor->Name()).c_str());
        text += Field("offset", static_cast<uint64_t>(item.offset));
    }
    if (item.work.repeats != 0) {
        text += Field("repeats", item.work.repeats);
    }
    if (item.work.registers != 0) {
        text += Field("registers", item.work.registers);
    }
    return text;
}

std::string Trace::Json(const std::vector<std::string> &cores) const
{
    std::string text = "{\"traceEvents\":[";
    for (size_t core = 0; core < cores.size(); ++core) {
        text += Text("%s{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%zu,\"args\":{\"name\":%s}}",
            core == 0 ? "" : ",\n", core, Quoted(cores[core]).c_str());
        for (size_t pipe = 0; pipe < PIPES; ++pipe) {
            text += Text(",\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%zu,\"tid\":%zu,\"args\":{\"name\":\"%s\"}}",
                core, pipe, Name(static_cast<Pipe>(pipe)));
        }
    }
    for (const Item &item : items_) {
        text += Text(",\n{\"ph\":\"X\",\"name\":%s,\"pid\":%u,\"tid\":%u,\"ts\":%llu,\"dur\":%llu,\"args\":{\"at\":%s%s}}",
            Quoted(item.name).c_str(), item.core, static_cast<unsigned>(item.pipe),
            static_cast<unsigned long long>(item.start), static_cast<unsigned long long>(item.busy),
            Quoted(Text("%s:%d", item.site.file, item.site.line)).c_str(), Details(item).c_str());
    }
    return text + "]}\n";
}

} // namespace emulator

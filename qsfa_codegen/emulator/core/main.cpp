// Launches one kernel. Reads a request from stdin and answers on stdout:
//     chip NAME CCE_AICORE AIC AIV UB L1 L0A L0B L0C BT FB
//     launch KERNEL TYPE BLOCK_DIM RANDOM SEED TRACE
//     limits SECONDS INSTRUCTIONS
//     tensor NAME in|out|inout|workspace BYTES  for each argument of the kernel, in order
//     absent NAME                               for one that is not passed: its address is 0
//     run
//     the bytes of the tensors in and inout
// The answer: a line with the lengths of report and trace, then both, then the bytes of the tensors out and inout. When
// its time is over the program ends with TIME_OVER; then, and after a crash, stderr says where the kernel was.
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <sys/time.h>
#include <unistd.h>
#include <vector>

#include "loaded.h"
#include "machine.h"
#include "registry.h"

namespace {

struct Argument {
    std::string name;
    emulator::Use use = emulator::Use::IN;
    uint64_t bytes = 0;
    bool absent = false;
};

struct Request {
    emulator::Chip chip;
    emulator::LaunchOptions options;
    double seconds = 0;
    std::string kernel;
    std::vector<Argument> arguments;
};

std::map<const emulator::Core *, emulator::Launcher> launchers;
std::vector<uint8_t *> addresses;

void Entry()
{
    launchers.at(emulator::Running())(addresses.data());
}

constexpr int TIME_OVER = 3;
constexpr uint32_t MOST_GROUPS = emulator::Epoch::MOST_THREADS / (3 * emulator::THREADS);

// What the kernel has called last. This interrupts whatever is going on, and so may not allocate.
void TellPlace()
{
    char text[512];
    const emulator::Moment &now = emulator::now;
    const int length = now.core == nullptr ? 0 : std::snprintf(text, sizeof text, "%s had come to %s in line %d of %s\n",
        now.core->Name().c_str(), now.name, now.site.line, now.site.file);
    if (length > 0 && write(STDERR_FILENO, text, std::min(sizeof text - 1, static_cast<size_t>(length))) < 0) {
        _exit(1);
    }
}

void TimeIsOver(int)
{
    TellPlace();
    _exit(TIME_OVER);
}

void Crashed(int signal)
{
    TellPlace();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

// On a stack of its own: the kernel's may be full.
void CatchCrashes()
{
    static char stack[1 << 16];
    stack_t alternative{};
    alternative.ss_sp = stack;
    alternative.ss_size = sizeof stack;
    sigaltstack(&alternative, nullptr);
    struct sigaction action{};
    action.sa_handler = Crashed;
    action.sa_flags = SA_ONSTACK;
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        sigaction(signal, &action, nullptr);
    }
}

void EndAfter(double seconds)
{
    std::signal(SIGALRM, TimeIsOver);
    itimerval timer{};
    timer.it_value.tv_sec = static_cast<time_t>(seconds);
    timer.it_value.tv_usec = static_cast<suseconds_t>((seconds - std::floor(seconds)) * 1e6);
    setitimer(ITIMER_REAL, &timer, nullptr);
}

[[noreturn]] void Refuse(const std::string &reason)
{
    std::cerr << reason << '\n';
    std::exit(2);
}

void ReadChip(std::istream &words, emulator::Chip &chip)
{
    using emulator::Space;
    words >> chip.name >> chip.cceAicore >> chip.aic >> chip.aiv;
    for (const Space space : {Space::UB, Space::L1, Space::L0A, Space::L0B, Space::L0C, Space::BT, Space::FB}) {
        words >> chip.bytes[static_cast<size_t>(space)];
    }
}

emulator::KernelType TypeNamed(const std::string &name)
{
    using emulator::KernelType;
    const std::pair<const char *, KernelType> types[] = {{"aiv", KernelType::AIV_ONLY}, {"aic", KernelType::AIC_ONLY},
        {"mix_aiv_1_0", KernelType::MIX_AIV_1_0}, {"mix_aic_1_0", KernelType::MIX_AIC_1_0}, {"mix_1_1", KernelType::MIX_1_1},
        {"mix_1_2", KernelType::MIX_1_2}};
    for (const auto &[known, type] : types) {
        if (name == known) {
            return type;
        }
    }
    Refuse("there is no kernel type " + name);
}

emulator::Use UseNamed(const std::string &name)
{
    using emulator::Use;
    for (const auto &[known, use] : {std::pair("in", Use::IN), std::pair("out", Use::OUT), std::pair("inout", Use::INOUT),
             std::pair("workspace", Use::WORKSPACE)}) {
        if (name == known) {
            return use;
        }
    }
    Refuse("there is no use of a tensor called " + name);
}

Request ReadRequest()
{
    Request request;
    for (std::string line; std::getline(std::cin, line) && line != "run";) {
        std::istringstream words(line);
        std::string what;
        words >> what;
        if (what == "chip") {
            ReadChip(words, request.chip);
        } else if (what == "launch") {
            std::string type;
            words >> request.kernel >> type >> request.options.blockDim >> request.options.random >> request.options.seed >>
                request.options.trace;
            request.options.type = TypeNamed(type);
        } else if (what == "limits") {
            words >> request.seconds >> request.options.mostSteps;
        } else if (what == "tensor") {
            Argument argument;
            std::string use;
            words >> argument.name >> use >> argument.bytes;
            argument.use = UseNamed(use);
            request.arguments.push_back(argument);
        } else if (what == "absent") {
            Argument argument;
            words >> argument.name;
            argument.absent = true;
            request.arguments.push_back(argument);
        }
        if (!words) {
            Refuse("a request has the line '" + line + "'");
        }
    }
    return request;
}

void AddTensors(const Request &request, emulator::Machine &machine)
{
    std::vector<uint8_t> data;
    for (const Argument &argument : request.arguments) {
        if (argument.absent) {
            addresses.push_back(nullptr);
            continue;
        }
        emulator::Memory &memory = machine.Global().Add(argument.name, argument.bytes, argument.use);
        if (argument.use == emulator::Use::IN || argument.use == emulator::Use::INOUT) {
            data.resize(argument.bytes);
            if (!std::cin.read(reinterpret_cast<char *>(data.data()), static_cast<std::streamsize>(argument.bytes))) {
                Refuse("a request ends in the data of " + argument.name);
            }
            memory.Fill(data.data());
        }
        addresses.push_back(memory.Data());
    }
}

void Answer(const Request &request, const emulator::Machine &machine, const std::string &report, const std::string &trace)
{
    std::cout << report.size() << ' ' << trace.size() << '\n'
              << report << trace;
    auto next = machine.Global().All().begin();
    for (const Argument &argument : request.arguments) {
        if (argument.absent) {
            continue;
        }
        const emulator::Memory &memory = **next++;
        if (argument.use == emulator::Use::OUT || argument.use == emulator::Use::INOUT) {
            std::cout.write(reinterpret_cast<const char *>(memory.Data()), static_cast<std::streamsize>(memory.Bytes()));
        }
    }
    std::cout.flush();
}

// Of a program with an image, in a copy of its own.
emulator::Launcher FindKernel(const std::string &name)
{
    emulator::Launcher found = nullptr;
    if (emulator::HasImage()) {
        try {
            found = emulator::LoadKernel(name);
        } catch (const std::runtime_error &error) {
            Refuse(std::string("the kernel cannot be loaded: ") + error.what());
        }
    } else if (const auto at = emulator::Kernels().find(name); at != emulator::Kernels().end()) {
        found = at->second;
    }
    if (found == nullptr) {
        Refuse("there is no kernel " + name);
    }
    return found;
}

} // namespace

int main()
{
    std::ios::sync_with_stdio(false);
    const Request request = ReadRequest();
    EndAfter(request.seconds);
    CatchCrashes();
    if (request.options.blockDim > MOST_GROUPS) {
        Refuse("a launch has a block dimension of " + std::to_string(request.options.blockDim));
    }
    emulator::Machine machine(request.chip, request.options);
    for (const auto &core : machine.Cores()) {
        launchers[core.get()] = FindKernel(request.kernel);
    }
    AddTensors(request, machine);
    machine.Run(Entry);
    std::vector<std::string> names;
    for (const auto &core : machine.Cores()) {
        names.push_back(core->Name());
    }
    Answer(request, machine, machine.Report(), request.options.trace ? machine.Timeline().Json(names) : "");
    return 0;
}

// Launches one kernel. Reads a request from stdin and answers on stdout:
//     chip NAME CCE_AICORE AIC AIV UB L1 L0A L0B L0C BT FB
//     launch KERNEL TYPE BLOCK_DIM RANDOM SEED TRACE
//     tensor NAME in|out|inout|workspace BYTES  for each argument of the kernel, in order
//     absent NAME                               for one that is not passed: its address is 0
//     run
//     the bytes of the tensors in and inout
// The answer: a line with the lengths of report and trace, then both, then the bytes of the tensors out and inout.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
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
    std::string kernel;
    std::vector<Argument> arguments;
};

std::map<const emulator::Core *, emulator::Launcher> launchers;
std::vector<uint8_t *> addresses;

void Entry()
{
    launchers.at(emulator::Running())(addresses.data());
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

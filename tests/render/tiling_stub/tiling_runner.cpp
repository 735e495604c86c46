// Runs the one registered tiling function on calls from stdin, one a line:
//   npu_arch, aic, aiv, libapi bytes, ub bytes, SoC | inputs | attributes     (tabs between the parts)
// input: "-" (not passed) or dtype:dim,dim,...
// attribute: i<int> f<float> b<0 or 1> s<text> li<int,int,...> lb<0,1,...>
// Prints "ok key block_dim schedule_mode workspace bytes" or "rejected"; the reason and "--" go to stderr.
// With --count it prints how many machine instructions each call takes instead.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <iostream>
#include <sstream>
#include <string>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "register/op_impl_registry.h"

namespace {
// Instructions of the second call (the first one has resolved every symbol), counted by stepping through it.
long Instructions(gert::TilingContext &context)
{
    const pid_t child = fork();
    if (child == 0) {
        gert::RegisteredTiling().tiling(&context);
        ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
        raise(SIGSTOP);
        gert::RegisteredTiling().tiling(&context);
        raise(SIGSTOP);
        _exit(0);
    }
    int status = 0;
    long steps = 0;
    waitpid(child, &status, 0);
    do {
        ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr);
        waitpid(child, &status, 0);
        ++steps;
    } while (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
    ptrace(PTRACE_KILL, child, nullptr, nullptr);
    waitpid(child, &status, 0);
    return steps;
}

std::vector<std::string> Split(const std::string &text, char by)
{
    std::vector<std::string> parts;
    std::stringstream stream(text);
    for (std::string part; std::getline(stream, part, by);) parts.push_back(part);
    return parts;
}
struct Values {
    std::deque<int64_t> ints;
    std::deque<float> floats;
    std::deque<bool> bools;
    std::deque<std::string> texts;
    std::deque<gert::TypedContinuousVector<int64_t>> int_lists;
    std::deque<gert::TypedContinuousVector<bool>> bool_lists;
};
template <typename T> void List(const std::string &text, std::deque<gert::TypedContinuousVector<T>> &lists, gert::RuntimeAttrs &attrs)
{
    lists.emplace_back();
    for (const auto &item : Split(text, ',')) lists.back().data_.push_back(std::strtoll(item.c_str(), nullptr, 10));
    attrs.pointers_.push_back(&lists.back());
}
void Attribute(const std::string &text, Values &values, gert::RuntimeAttrs &attrs)
{
    const std::string value = text.substr(1);
    switch (text[0]) {
        case 'l':
            if (text[1] == 'i') {
                List(text.substr(2), values.int_lists, attrs);
            } else {
                List(text.substr(2), values.bool_lists, attrs);
            }
            break;
        case 'i': values.ints.push_back(std::strtoll(value.c_str(), nullptr, 10)); attrs.pointers_.push_back(&values.ints.back()); break;
        case 'f': values.floats.push_back(std::strtof(value.c_str(), nullptr)); attrs.pointers_.push_back(&values.floats.back()); break;
        case 'b': values.bools.push_back(value == "1"); attrs.pointers_.push_back(&values.bools.back()); break;
        default: values.texts.push_back(value); attrs.pointers_.push_back(values.texts.back().c_str());
    }
}
void Input(const std::string &text, gert::TilingContext &context)
{
    gert::StorageShape shape;
    gert::CompileTimeTensorDesc desc;
    context.present.push_back(text != "-");
    if (text != "-") {
        const size_t colon = text.find(':');
        desc.dtype = static_cast<ge::DataType>(std::atoi(text.substr(0, colon).c_str()));
        for (const auto &dim : Split(text.substr(colon + 1), ',')) {
            shape.MutableOriginShape().AppendDim(std::strtoll(dim.c_str(), nullptr, 10));
            shape.MutableStorageShape().AppendDim(std::strtoll(dim.c_str(), nullptr, 10));
        }
    }
    context.shapes.push_back(shape);
    context.descs.push_back(desc);
}
} // namespace

int main(int argc, char **argv)
{
    const bool counts = argc > 1 && std::strcmp(argv[1], "--count") == 0;
    for (std::string line; std::getline(std::cin, line);) {
        const auto groups = Split(line, '|');
        gert::TilingContext context;
        Values values;
        fe::PlatFormInfos platform;
        const auto facts = Split(groups.at(0), '\t');
        platform.arch = std::atoi(facts.at(0).c_str());
        platform.aic = std::atoi(facts.at(1).c_str());
        platform.aiv = std::atoi(facts.at(2).c_str());
        platform.libapi = std::strtoul(facts.at(3).c_str(), nullptr, 10);
        platform.ub = std::strtoull(facts.at(4).c_str(), nullptr, 10);
        platform.soc = facts.at(5);
        for (const auto &text : Split(groups.at(1), '\t')) Input(text, context);
        if (groups.size() > 2) {
            for (const auto &text : Split(groups.at(2), '\t')) Attribute(text, values, context.attrs);
        }
        auto &entry = gert::RegisteredTiling();
        void *info = entry.create();
        gert::TilingParseContext parse;
        parse.platform = &platform;
        parse.compiled = info;
        context.platform = &platform;
        context.compile_info = info;
        if (entry.parse(&parse) != ge::GRAPH_SUCCESS) { std::puts("unprepared"); continue; }
        if (counts) {
            std::printf("%ld\n", Instructions(context));
            continue;
        }
        const bool accepted = entry.tiling(&context) == ge::GRAPH_SUCCESS;
        std::fputs("--\n", stderr);
        if (!accepted) {
            std::puts("rejected");
            continue;
        }
        std::printf("ok %lu %u %u %zu ", context.key, context.block_dim, context.schedule_mode, context.workspace.at(0));
        const auto *bytes = static_cast<const uint8_t *>(context.data.GetData());
        for (size_t i = 0; i < context.data.GetDataSize(); ++i) std::printf("%02x", bytes[i]);
        std::puts("");
    }
}

// Runs the host functions of the operator that is linked to it.
//     program                      answers calls from stdin, one a line (call.h), each with a line (host.h)
//     program --definition         prints the operator's definition as JSON
//     program --repeat TIMES       reads one call and repeats its step, to be measured
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <unistd.h>

#include "definition.h"
#include "host.h"

namespace {

#if !defined(__SANITIZE_ADDRESS__)
// Says on stderr what was being done, then lets the signal end the program.
void Crashed(int number)
{
    const char *step = standin::CurrentStep();
    (void)!write(STDERR_FILENO, "in ", 3);
    (void)!write(STDERR_FILENO, step, std::strlen(step));
    (void)!write(STDERR_FILENO, "\n", 1);
    (void)std::raise(number);
}

void WatchSignals()
{
    static char stack[1 << 16]; // a stack that overflowed cannot run the handler
    stack_t other = {};
    other.ss_sp = stack;
    other.ss_size = sizeof(stack);
    sigaltstack(&other, nullptr);
    struct sigaction action = {};
    action.sa_handler = Crashed;
    action.sa_flags = static_cast<int>(SA_ONSTACK | SA_RESETHAND | SA_NODEFER);
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
        sigaction(number, &action, nullptr);
    }
}
#else
void WatchSignals()
{
    // The sanitizer reports crashes itself, with more to say.
}
#endif

void AnswerCalls(standin::Host &host)
{
    standin::Call call;
    for (std::string line; std::getline(std::cin, line);) {
        standin::Parse(line, call);
        const std::string answer = host.Answer(call) + '\n';
        std::fwrite(answer.data(), 1, answer.size(), stdout);
        std::fflush(stdout); // an answer must not be lost in the crash of a later call
    }
}

void Repeat(standin::Host &host, long times)
{
    standin::Call call;
    std::string line;
    std::getline(std::cin, line);
    standin::Parse(line, call);
    host.Repeat(call, times);
}

} // namespace

int main(int argc, char **argv)
{
    WatchSignals();
    std::ios::sync_with_stdio(false);
    standin::Host host;
    if (argc == 2 && std::strcmp(argv[1], "--definition") == 0) {
        std::puts(standin::Describe(host.Definition()).c_str());
    } else if (argc == 3 && std::strcmp(argv[1], "--repeat") == 0) {
        Repeat(host, std::atol(argv[2]));
    } else {
        AnswerCalls(host);
    }
    return 0;
}

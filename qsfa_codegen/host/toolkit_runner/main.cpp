// Runs the host functions of the operator in the shared library beside it, with the libraries of a toolkit.
//     program                      answers calls from stdin, one a line (runner/call.h), each with a line
//     program --definition         says that it is ready; the toolkit has the definition
#include <cstdio>
#include <cstring>
#include <iostream>

#include "host.h"

int main(int argc, char **argv)
{
    std::ios::sync_with_stdio(false);
    standin::Host host(std::string(argv[0]) + ".so");
    if (argc == 2 && std::strcmp(argv[1], "--definition") == 0) {
        std::puts("{}");
        return 0;
    }
    for (std::string line; std::getline(std::cin, line);) {
        standin::Request request = standin::Read(line);
        const std::string answer = host.Answer(request) + '\n';
        std::fwrite(answer.data(), 1, answer.size(), stdout);
        std::fflush(stdout); // an answer must not be lost in the crash of a later call
    }
    return 0;
}

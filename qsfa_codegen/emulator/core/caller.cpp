#include "caller.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <string>
#include <unistd.h>

#include "loaded.h"

namespace emulator {
namespace {

constexpr const char *KERNEL = "kernel:/"; // how the paths of the kernel's own sources begin in its debug information
constexpr const char *FILLS = "SetBufferCtx"; // the function of a toolkit's TPipe that gives its memories random values
constexpr int MOST_FRAMES = 64;

// What is known of an address in the code.
struct Line {
    Site site; // the innermost line of the kernel's sources; line 0: none
    bool fills = false;
};

// addr2line, which answers one address after the other.
class Lines {
public:
    explicit Lines(const std::string &file)
    {
        int questions[2];
        int answers[2];
        if (pipe(questions) != 0 || pipe(answers) != 0) {
            return;
        }
        const pid_t child = fork();
        if (child == 0) {
            dup2(questions[0], STDIN_FILENO);
            dup2(answers[1], STDOUT_FILENO);
            for (const int end : {questions[0], questions[1], answers[0], answers[1]}) {
                close(end);
            }
            execlp("addr2line", "addr2line", "-a", "-f", "-i", "-e", file.c_str(), static_cast<char *>(nullptr));
            _exit(127);
        }
        close(questions[0]);
        close(answers[1]);
        questions_ = fdopen(questions[1], "w");
        answers_ = fdopen(answers[0], "r");
    }

    Line Find(uintptr_t address)
    {
        Line found;
        if (questions_ == nullptr || answers_ == nullptr || failed_) {
            return found;
        }
        std::fprintf(questions_, "%#lx\n0x0\n", static_cast<unsigned long>(address));
        std::fflush(questions_);
        std::string text = Next();
        for (text = Next(); !failed_ && text.rfind("0x", 0) != 0; text = Next()) {
            if (found.site.line == 0 && text.rfind(KERNEL, 0) == 0) {
                found.site = Parse(text.substr(std::strlen(KERNEL)));
            }
            found.fills = found.fills || text.find(FILLS) != std::string::npos;
        }
        Next(); // the function at address 0, and its line
        Next();
        return found;
    }

private:
    std::string Next()
    {
        char line[4096];
        failed_ = failed_ || std::fgets(line, sizeof(line), answers_) == nullptr;
        return failed_ ? "" : line;
    }

    static Site Parse(const std::string &text)
    {
        static std::set<std::string> files;
        const size_t colon = text.rfind(':');
        std::string file = text.substr(0, colon);
        for (const std::string &head : {std::string("./"), std::string(KERNEL)}) {
            while (file.rfind(head, 0) == 0) {
                file.erase(0, head.size());
            }
        }
        return {files.insert(file).first->c_str(), std::atoi(text.c_str() + colon + 1)};
    }

    FILE *questions_ = nullptr;
    FILE *answers_ = nullptr;
    bool failed_ = false;
};

// All copies have the same lines.
Line LineAt(const LoadedCode &code, uintptr_t address)
{
    static std::map<uintptr_t, Line> known;
    static Lines lines(code.file);
    const uintptr_t inFile = address - code.base - 1; // within the call, not behind it
    const auto [at, isNew] = known.try_emplace(inFile);
    if (isNew) {
        at->second = lines.Find(inFile);
    }
    return at->second;
}

struct Frame {
    const Frame *caller;
    uintptr_t back;
};

// The first line of the kernel that calls `frame`, and whether it does so through the function that fills memories.
Line Above(const Frame *frame)
{
    Line found;
    for (int i = 0; i < MOST_FRAMES && found.site.line == 0; ++i, frame = frame->caller) {
        const LoadedCode *code = FindCode(frame->back);
        if (code == nullptr) {
            break;
        }
        const Line line = LineAt(*code, frame->back);
        found.site = line.site;
        found.fills = found.fills || line.fills;
    }
    return found;
}

} // namespace

Site Caller()
{
    return Above(static_cast<const Frame *>(__builtin_frame_address(0))).site;
}

bool CallerFillsMemories()
{
    return Above(static_cast<const Frame *>(__builtin_frame_address(0))).fills;
}

} // namespace emulator

// What a launch did wrong, in a form for people and for programs.
#ifndef EMULATOR_CORE_FINDING_H
#define EMULATOR_CORE_FINDING_H

#include <cstdint>
#include <string>
#include <vector>

#include "site.h"

namespace emulator {

enum class Severity : uint8_t {
    WARNING,
    ERROR,
    FATAL
}; // after a fatal one nothing more is run

struct Finding {
    const char *code = ""; // stable, as "race" or "out-of-bounds"
    Severity severity = Severity::ERROR;
    std::string message;
    std::string help;
    Site site;
    std::string core; // as "aic0" or "aiv3"
    const char *pipe = "";
    std::string instruction;
    std::string buffer;
    int64_t offset = -1; // byte in the buffer; -1: not about a byte
    Site other; // the other of two instructions that collide
    uint64_t times = 1;
};

// Findings of one launch. The same at the same place is counted, not repeated.
class Findings {
public:
    void Add(Finding finding);

    const std::vector<Finding> &All() const
    {
        return all_;
    }

    bool Has(Severity severity) const;
    std::string Json() const;

private:
    std::vector<Finding> all_;
};

std::string Text(const char *format, ...) __attribute__((format(printf, 1, 2)));
std::string Quoted(const std::string &text); // as JSON

} // namespace emulator

#endif // EMULATOR_CORE_FINDING_H

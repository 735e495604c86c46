// Gives out the memories of a core, each from its beginning on.
#ifndef EMULATED_ALLOCATION_H
#define EMULATED_ALLOCATION_H

#include <map>

#include "emulated/tensor.h"

namespace AscendC {

class Allocation {
public:
    // The next `bytes` bytes of the position's memory. Ends the launch where there are none left.
    Operand Take(TPosition position, uint32_t bytes, Site site)
    {
        const emulator::Space space = SpaceOf(position);
        emulator::Memory &memory = emulator::Here().In(space);
        const uint32_t unit = emulator::Alignment(space);
        std::vector<Given> &given = used_[space];
        const int64_t begin = given.empty() ? 0 : given.back().end;
        const int64_t end = begin + (static_cast<int64_t>(bytes) + unit - 1) / unit * unit;
        given.push_back({site, end});
        if (end > static_cast<int64_t>(memory.Bytes())) {
            Overflow(memory, given, bytes, site);
        }
        return {&memory, begin, begin, begin + bytes, 1};
    }

    void Clear()
    {
        used_.clear();
    }

private:
    struct Given {
        Site site;
        int64_t end;
    };

    static void Overflow(const emulator::Memory &memory, const std::vector<Given> &given, uint32_t bytes, Site site)
    {
        emulator::Finding finding;
        finding.code = "capacity";
        finding.severity = emulator::Severity::FATAL;
        finding.site = site;
        finding.instruction = "InitBuffer";
        finding.buffer = memory.Name();
        finding.offset = given.size() > 1 ? given[given.size() - 2].end : 0;
        finding.message = emulator::Text("a buffer of %u bytes does not fit %s: %lld of %llu bytes are given out", bytes,
            memory.Name().c_str(), static_cast<long long>(finding.offset), static_cast<unsigned long long>(memory.Bytes()));
        finding.help = "given out so far:";
        int64_t begin = 0;
        for (size_t i = 0; i + 1 < given.size(); ++i) {
            finding.help += emulator::Text(" %lld in line %d,", static_cast<long long>(given[i].end - begin), given[i].site.line);
            begin = given[i].end;
        }
        finding.help.pop_back();
        emulator::Here().Report(std::move(finding));
    }

    std::map<emulator::Space, std::vector<Given>> used_;
};

} // namespace AscendC

#endif // EMULATED_ALLOCATION_H

#include "unit_flags.h"

#include <algorithm>

namespace emulator {

void UnitFlagUse::Add(uint64_t begin, uint64_t end)
{
    for (uint64_t block = begin / BLOCK; block * BLOCK < end; ++block) {
        const auto known = std::lower_bound(blocks.begin(), blocks.end(), static_cast<uint32_t>(block));
        if (known == blocks.end() || *known != block) {
            blocks.insert(known, static_cast<uint32_t>(block));
        }
    }
}

bool UnitFlags::Ready(const UnitFlagUse &use) const
{
    return use.mode == UnitFlagUse::Mode::NONE || std::all_of(use.blocks.begin(), use.blocks.end(), [&](uint32_t block) {
        return (block < blocks_.size() && blocks_[block].set) == use.wanted;
    });
}

void UnitFlags::Join(const UnitFlagUse &use, Clock &clock, uint64_t &time) const
{
    if (use.mode == UnitFlagUse::Mode::NONE) {
        return;
    }
    const Clock *joined = nullptr;
    for (const uint32_t block : use.blocks) {
        if (block >= blocks_.size() || !blocks_[block].signal.clock) {
            continue;
        }
        const Signal &signal = blocks_[block].signal;
        if (signal.clock.get() != joined) {
            joined = signal.clock.get();
            clock.Join(*joined);
        }
        time = std::max(time, signal.time);
    }
}

void UnitFlags::Flip(const UnitFlagUse &use, const Signal &signal, Site site)
{
    if (use.mode != UnitFlagUse::Mode::FLIPPED || use.blocks.empty()) {
        return;
    }
    blocks_.resize(std::max<size_t>(blocks_.size(), use.blocks.back() + 1));
    for (const uint32_t block : use.blocks) {
        blocks_[block] = {!use.wanted, signal, site};
    }
}

std::string UnitFlags::Bytes(uint32_t block)
{
    return Text("bytes %u to %u", block * UnitFlagUse::BLOCK, (block + 1) * UnitFlagUse::BLOCK - 1);
}

std::string UnitFlags::Awaited(const UnitFlagUse &use) const
{
    const auto waits = [&](uint32_t block) { return (block < blocks_.size() && blocks_[block].set) != use.wanted; };
    const auto first = std::find_if(use.blocks.begin(), use.blocks.end(), waits);
    if (first == use.blocks.end()) {
        return "nothing";
    }
    return use.wanted ? "an Mmad that sets the unit flag of " + Bytes(*first) + " of L0C"
                      : "a Fixpipe that clears the unit flag of " + Bytes(*first) + " of L0C, set in line " +
            std::to_string(blocks_[*first].site.line);
}

std::vector<Finding> UnitFlags::Left(const std::string &memory) const
{
    std::vector<Finding> findings;
    Site told;
    for (uint32_t block = 0; block < blocks_.size(); ++block) {
        const bool again = !findings.empty() && blocks_[block].site == told;
        if (!blocks_[block].set || again) {
            continue;
        }
        told = blocks_[block].site;
        Finding finding;
        finding.code = "unbalanced-flag";
        finding.site = told;
        finding.pipe = "M";
        finding.instruction = "Mmad";
        finding.buffer = memory;
        finding.offset = static_cast<int64_t>(block) * UnitFlagUse::BLOCK;
        finding.message = "the unit flag of " + Bytes(block) + " of " + memory +
            " is still set at the end of the kernel: no Fixpipe with unitFlag 3 has put them out";
        finding.help = "what Mmad computes with unitFlag 3 and what Fixpipe puts out with it must be the same fractals";
        findings.push_back(std::move(finding));
    }
    return findings;
}

} // namespace emulator

#include "memory.h"

#include <algorithm>
#include <cstring>

namespace emulator {
namespace {

constexpr uint64_t ALIGNED = 512;

uint8_t *Aligned(uint8_t *address)
{
    const auto number = reinterpret_cast<uintptr_t>(address);
    return reinterpret_cast<uint8_t *>((number + ALIGNED - 1) / ALIGNED * ALIGNED);
}

} // namespace

Memory::Memory(Space space, std::string name, uint64_t bytes, Use use)
    : space_(space), name_(std::move(name)), bytes_(bytes), use_(use),
      storage_(bytes + 2 * GUARD + ALIGNED, RUBBISH), data_(Aligned(storage_.data() + GUARD)), shadow_(bytes)
{
}

void Memory::Fill(const uint8_t *source)
{
    std::memcpy(data_, source, bytes_);
    shadow_.Preset(0, bytes_);
}

int64_t Access::First() const
{
    int64_t first = offset;
    for (int i = 0; i < 2; ++i) {
        first += std::min<int64_t>(0, stride[i] * (static_cast<int64_t>(count[i]) - 1));
    }
    return first;
}

int64_t Access::Last() const
{
    int64_t last = offset + length;
    for (int i = 0; i < 2; ++i) {
        last += std::max<int64_t>(0, stride[i] * (static_cast<int64_t>(count[i]) - 1));
    }
    return last;
}

int64_t Access::End() const
{
    const auto size = static_cast<int64_t>(memory->Bytes());
    return high < 0 ? size : std::min(high, size);
}

bool Access::Inside() const
{
    return Bytes() == 0 || (First() >= low && Last() <= End());
}

void Access::Merge()
{
    for (int i = 0; i < 2; ++i) {
        const bool inner = i == 0 || count[0] == 1;
        if (inner && count[i] > 1 && stride[i] == static_cast<int64_t>(length)) {
            length *= count[i];
            count[i] = 1;
        }
    }
}

Memory &GlobalMemory::Add(std::string name, uint64_t bytes, Use use)
{
    all_.push_back(std::make_unique<Memory>(Space::GM, std::move(name), bytes, use));
    return *all_.back();
}

Memory *GlobalMemory::Find(const void *address) const
{
    const auto *at = static_cast<const uint8_t *>(address);
    for (const std::unique_ptr<Memory> &memory : all_) {
        if (memory->Near(at)) {
            return memory.get();
        }
    }
    return nullptr;
}

} // namespace emulator

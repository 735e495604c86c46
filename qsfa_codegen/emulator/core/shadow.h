// Beside every byte of a memory: who wrote it last, and who has read it since.
#ifndef EMULATOR_CORE_SHADOW_H
#define EMULATOR_CORE_SHADOW_H

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "clock.h"

namespace emulator {

// An access in one word: the thread, the number of its instruction there, and marks. Zero: none.
class Epoch {
public:
    static constexpr Thread MOST_THREADS = (1U << 16) - 1;

    constexpr Epoch() = default;

    constexpr Epoch(Thread thread, uint64_t number, bool undefined = false, bool atomic = false, bool cached = false)
        : word_((undefined ? UNDEFINED : 0) | (atomic ? ATOMIC : 0) | (cached ? CACHED : 0) |
              (static_cast<uint64_t>(thread + 1) << NUMBER_BITS) | number)
    {
    }

    explicit operator bool() const
    {
        return word_ != 0;
    }

    bool operator==(const Epoch &other) const
    {
        return word_ == other.word_;
    }

    Thread Owner() const
    {
        return static_cast<Thread>((word_ >> NUMBER_BITS) & THREAD_MASK) - 1;
    }

    uint64_t Number() const
    {
        return word_ & ((1ULL << NUMBER_BITS) - 1);
    }

    // The bytes hold what nobody has defined, as padding that an instruction leaves open.
    bool Undefined() const
    {
        return (word_ & UNDEFINED) != 0;
    }

    bool Atomic() const
    {
        return (word_ & ATOMIC) != 0;
    }

    // Written by a scalar unit, and still in its cache alone.
    bool Cached() const
    {
        return (word_ & CACHED) != 0;
    }

    Epoch WrittenBack() const
    {
        Epoch same = *this;
        same.word_ &= ~CACHED;
        return same;
    }

private:
    static constexpr int NUMBER_BITS = 40;
    static constexpr uint64_t THREAD_MASK = MOST_THREADS;
    static constexpr uint64_t UNDEFINED = 1ULL << 63;
    static constexpr uint64_t ATOMIC = 1ULL << 62;
    static constexpr uint64_t CACHED = 1ULL << 61;

    uint64_t word_ = 0;
};

enum class Mode : uint8_t {
    READ,
    WRITE,
    ATOMIC
};

enum class Hazard : uint8_t {
    NONE,
    NEVER_WRITTEN,
    UNDEFINED,
    NOT_WRITTEN_BACK,
    READ_AFTER_WRITE,
    WRITE_AFTER_READ,
    WRITE_AFTER_WRITE,
};

// How much a hazard weighs: what stands below is not told where something above is found.
enum class Weight : uint8_t {
    NOTHING,
    DOUBTFUL, // a write after a read on one pipe: it starts later, and is most likely done later
    WRONG
};

// A byte of an access that is wrong, and with whom it collides.
struct Conflict {
    Hazard hazard = Hazard::NONE;
    uint64_t offset = 0;
    Epoch other;
    Weight weight = Weight::NOTHING;

    // Of two, the graver one is kept; of equals, the first.
    void Add(const Conflict &next)
    {
        if (next.weight > weight) {
            *this = next;
        }
    }
};

// An access by an instruction that knows `clock`.
struct Accessor {
    const Clock &clock;
    Epoch self;
    Mode mode;
    bool inOrder; // the hardware completes this thread's earlier instructions before this one
};

class Shadow {
public:
    explicit Shadow(uint64_t bytes)
        : pages_((bytes + PAGE - 1) / PAGE)
    {
    }

    // Says what is wrong with the access to [begin, end), and enters it.
    Conflict Enter(const Accessor &access, uint64_t begin, uint64_t end);

    // Says what is wrong with a write, without entering it.
    Conflict Check(const Accessor &access, uint64_t begin, uint64_t end);

    // Bytes that hold data before the launch.
    void Preset(uint64_t begin, uint64_t end);

    // Who wrote the byte last.
    Epoch Writer(uint64_t offset) const;

    // The first byte of [begin, end) that nothing has written; `end` where all are.
    uint64_t FirstUnwritten(uint64_t begin, uint64_t end) const;

    // What the thread's cache holds of [begin, end) is in memory now.
    void WriteBack(Thread thread, uint64_t begin, uint64_t end);

private:
    static constexpr uint64_t GRANULE = 32;
    static constexpr uint64_t PAGE = 4096;

    struct Cell {
        Epoch write;
        Epoch read; // the only reader, or the last of one thread
        uint32_t readers = 0; // where there are several threads: 1 + their place in lists_
        uint32_t adders = 0; // atomic writes that `write` is not ordered behind: 1 + their place in lists_
    };

    using Bytes = std::array<Cell, GRANULE>;

    struct Granule {
        Cell whole;
        std::unique_ptr<Bytes> bytes; // where they differ
    };

    using Page = std::array<Granule, PAGE / GRANULE>;

    Granule &At(uint64_t offset);
    Conflict Walk(const Accessor &access, uint64_t begin, uint64_t end, bool enters);
    Conflict EnterCell(const Accessor &access, Cell &cell, uint64_t offset, bool enters);
    void EnterWrite(const Accessor &access, Cell &cell);
    Conflict CheckRead(const Accessor &access, const Cell &cell, uint64_t offset) const;
    void EnterRead(const Accessor &access, Cell &cell);
    Conflict CheckWrite(const Accessor &access, const Cell &cell, uint64_t offset) const;
    Conflict EnterGranule(const Accessor &access, Granule &granule, uint64_t begin, uint64_t end, bool enters);

    std::vector<std::unique_ptr<Page>> pages_;
    uint32_t NewList(std::vector<Epoch> epochs);
    void DropList(uint32_t &list);
    void CopyList(uint32_t &list); // so that a byte has one of its own
    void EnterAdder(const Accessor &access, Cell &cell);
    const std::vector<Epoch> &List(uint32_t list) const;

    std::vector<std::vector<Epoch>> lists_;
    std::vector<uint32_t> unused_;
};

} // namespace emulator

#endif // EMULATOR_CORE_SHADOW_H

#include "shadow.h"

#include <algorithm>

namespace emulator {
namespace {

// The owner of what was in memory before the launch: every clock knows it.
constexpr Thread HOST = 0xFFFE;

bool Ordered(const Accessor &access, Epoch earlier)
{
    const Thread owner = earlier.Owner();
    if (owner == HOST || (owner == access.self.Owner() && access.inOrder)) {
        return true;
    }
    return access.clock[owner] >= earlier.Number() || earlier == access.self;
}

// Bytes of one instruction are accessed again by itself: its own repeats are in order.
bool Same(Epoch one, Epoch other)
{
    return one.Owner() == other.Owner() && one.Number() == other.Number();
}

} // namespace

Shadow::Granule &Shadow::At(uint64_t offset)
{
    std::unique_ptr<Page> &page = pages_[offset / PAGE];
    if (!page) {
        page = std::make_unique<Page>();
    }
    return (*page)[offset % PAGE / GRANULE];
}

Epoch Shadow::Writer(uint64_t offset) const
{
    const std::unique_ptr<Page> &page = pages_[offset / PAGE];
    if (!page) {
        return {};
    }
    const Granule &granule = (*page)[offset % PAGE / GRANULE];
    return granule.bytes ? (*granule.bytes)[offset % GRANULE].write : granule.whole.write;
}

uint64_t Shadow::FirstUnwritten(uint64_t begin, uint64_t end) const
{
    for (uint64_t at = begin; at < end;) {
        const std::unique_ptr<Page> &page = pages_[at / PAGE];
        const Granule *granule = page ? &(*page)[at % PAGE / GRANULE] : nullptr;
        if (granule == nullptr || !Writer(at)) {
            return at;
        }
        at = granule->bytes ? at + 1 : (at / GRANULE + 1) * GRANULE;
    }
    return end;
}

void Shadow::WriteBack(Thread thread, uint64_t begin, uint64_t end)
{
    const auto clean = [thread](Cell &cell) {
        if (cell.write.Cached() && cell.write.Owner() == thread) {
            cell.write = cell.write.WrittenBack();
        }
    };
    for (uint64_t at = begin; at < end; at += GRANULE) {
        Granule &granule = At(at);
        clean(granule.whole);
        if (granule.bytes) {
            std::for_each(granule.bytes->begin(), granule.bytes->end(), clean);
        }
    }
}

void Shadow::Preset(uint64_t begin, uint64_t end)
{
    for (uint64_t at = begin; at < end; ++at) {
        Granule &granule = At(at);
        if (at % GRANULE == 0 && end - at >= GRANULE) {
            granule.whole.write = Epoch(HOST, 0);
            at += GRANULE - 1;
            continue;
        }
        if (!granule.bytes) {
            granule.bytes = std::make_unique<Bytes>();
        }
        (*granule.bytes)[at % GRANULE].write = Epoch(HOST, 0);
    }
}

Conflict Shadow::Enter(const Accessor &access, uint64_t begin, uint64_t end)
{
    return Walk(access, begin, end, true);
}

Conflict Shadow::Check(const Accessor &access, uint64_t begin, uint64_t end)
{
    return Walk(access, begin, end, false);
}

Conflict Shadow::Walk(const Accessor &access, uint64_t begin, uint64_t end, bool enters)
{
    Conflict worst;
    for (uint64_t at = begin; at < end;) {
        const uint64_t next = std::min(end, (at / GRANULE + 1) * GRANULE);
        worst.Add(EnterGranule(access, At(at), at, next, enters));
        at = next;
    }
    return worst;
}

Conflict Shadow::EnterGranule(const Accessor &access, Granule &granule, uint64_t begin, uint64_t end, bool enters)
{
    const bool all = end - begin == GRANULE;
    if (!granule.bytes && (all || !enters)) {
        return EnterCell(access, granule.whole, begin, enters);
    }
    if (!granule.bytes) {
        granule.bytes = std::make_unique<Bytes>();
        granule.bytes->fill(granule.whole);
        for (Cell &cell : *granule.bytes) {
            CopyList(cell.readers);
            CopyList(cell.adders);
        }
    }
    Conflict worst;
    for (uint64_t at = begin; at < end; ++at) {
        worst.Add(EnterCell(access, (*granule.bytes)[at % GRANULE], at, enters));
    }
    if (all && enters && access.mode == Mode::WRITE) { // all bytes are alike again
        granule.whole = granule.bytes->front();
        granule.bytes.reset();
    }
    return worst;
}

Conflict Shadow::EnterCell(const Accessor &access, Cell &cell, uint64_t offset, bool enters)
{
    if (access.mode == Mode::READ) {
        const Conflict conflict = CheckRead(access, cell, offset);
        EnterRead(access, cell);
        return conflict;
    }
    const Conflict conflict = CheckWrite(access, cell, offset);
    if (enters) {
        EnterWrite(access, cell);
    }
    return conflict;
}

const std::vector<Epoch> &Shadow::List(uint32_t list) const
{
    static const std::vector<Epoch> none;
    return list == 0 ? none : lists_[list - 1];
}

uint32_t Shadow::NewList(std::vector<Epoch> epochs)
{
    if (unused_.empty()) {
        lists_.emplace_back();
        unused_.push_back(static_cast<uint32_t>(lists_.size()));
    }
    const uint32_t list = unused_.back();
    unused_.pop_back();
    lists_[list - 1] = std::move(epochs);
    return list;
}

void Shadow::DropList(uint32_t &list)
{
    if (list != 0) {
        lists_[list - 1].clear();
        unused_.push_back(list);
        list = 0;
    }
}

void Shadow::CopyList(uint32_t &list)
{
    if (list != 0) {
        list = NewList(std::vector<Epoch>(lists_[list - 1]));
    }
}

Conflict Shadow::CheckRead(const Accessor &access, const Cell &cell, uint64_t offset) const
{
    const auto wrong = [&](Hazard hazard, Epoch other) { return Conflict{hazard, offset, other, Weight::WRONG}; };
    const auto collides = [&](Epoch writer) { return !Same(writer, access.self) && !Ordered(access, writer); };
    if (!cell.write) {
        return wrong(Hazard::NEVER_WRITTEN, cell.write);
    }
    if (collides(cell.write)) {
        return wrong(Hazard::READ_AFTER_WRITE, cell.write);
    }
    const std::vector<Epoch> &adders = List(cell.adders);
    const auto adder = std::find_if(adders.begin(), adders.end(), collides);
    if (adder != adders.end()) {
        return wrong(Hazard::READ_AFTER_WRITE, *adder);
    }
    if (cell.write.Undefined()) {
        return wrong(Hazard::UNDEFINED, cell.write);
    }
    if (cell.write.Cached() && cell.write.Owner() != access.self.Owner()) {
        return wrong(Hazard::NOT_WRITTEN_BACK, cell.write);
    }
    return {};
}

void Shadow::EnterWrite(const Accessor &access, Cell &cell)
{
    if (access.mode == Mode::ATOMIC && cell.write.Atomic()) {
        EnterAdder(access, cell);
    } else {
        DropList(cell.adders);
    }
    cell.write = access.self;
    cell.read = Epoch();
    DropList(cell.readers);
}

// The write before this one is kept unless it is known to be done; of the threads, the last one each.
void Shadow::EnterAdder(const Accessor &access, Cell &cell)
{
    if (Same(cell.write, access.self) || Ordered(access, cell.write) || cell.write.Owner() == access.self.Owner()) {
        return;
    }
    std::vector<Epoch> others = List(cell.adders);
    const auto replaced = [&](Epoch earlier) {
        return earlier.Owner() == cell.write.Owner() || earlier.Owner() == access.self.Owner();
    };
    others.erase(std::remove_if(others.begin(), others.end(), replaced), others.end());
    others.push_back(cell.write);
    DropList(cell.adders);
    cell.adders = NewList(std::move(others));
}

Conflict Shadow::CheckWrite(const Accessor &access, const Cell &cell, uint64_t offset) const
{
    if (access.mode == Mode::ATOMIC && !cell.write) {
        return {Hazard::NEVER_WRITTEN, offset, Epoch(), Weight::WRONG};
    }
    const auto collides = [&access](Epoch reader) {
        return !Same(reader, access.self) && !Ordered(access, reader);
    };
    // A reader on another pipe says most: the order that it needs is mostly all that is missing.
    const Epoch *first = cell.readers != 0 ? List(cell.readers).data() : &cell.read;
    const size_t count = cell.readers != 0 ? List(cell.readers).size() : (cell.read ? 1 : 0);
    Epoch ofOwnPipe;
    for (size_t i = 0; i < count; ++i) {
        if (collides(first[i])) {
            if (first[i].Owner() != access.self.Owner()) {
                return {Hazard::WRITE_AFTER_READ, offset, first[i], Weight::WRONG};
            }
            ofOwnPipe = first[i];
        }
    }
    if (cell.write && !(cell.write.Atomic() && access.mode == Mode::ATOMIC) && collides(cell.write)) {
        return {Hazard::WRITE_AFTER_WRITE, offset, cell.write, Weight::WRONG};
    }
    const std::vector<Epoch> &adders = List(access.mode == Mode::ATOMIC ? 0 : cell.adders);
    const auto adder = std::find_if(adders.begin(), adders.end(), collides);
    if (adder != adders.end()) {
        return {Hazard::WRITE_AFTER_WRITE, offset, *adder, Weight::WRONG};
    }
    if (ofOwnPipe) {
        return {Hazard::WRITE_AFTER_READ, offset, ofOwnPipe, Weight::DOUBTFUL};
    }
    return {};
}

void Shadow::EnterRead(const Accessor &access, Cell &cell)
{
    const Thread self = access.self.Owner();
    if (cell.readers == 0) {
        // One reader is enough where the earlier one is known to be done before the new one.
        if (!cell.read || cell.read.Owner() == self || access.clock[cell.read.Owner()] >= cell.read.Number()) {
            cell.read = access.self;
            return;
        }
        cell.readers = NewList({cell.read, access.self});
        return;
    }
    std::vector<Epoch> &readers = lists_[cell.readers - 1];
    const auto known = std::find_if(readers.begin(), readers.end(),
        [self](Epoch reader) { return reader.Owner() == self; });
    if (known == readers.end()) {
        readers.push_back(access.self);
    } else {
        *known = access.self;
    }
}

} // namespace emulator

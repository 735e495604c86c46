// LocalTensor and GlobalTensor: a typed place in a memory, with bounds.
#ifndef EMULATED_TENSOR_H
#define EMULATED_TENSOR_H

#include "emulated/arch.h"
#include "emulated/enums.h"
#include "emulated/keywords.h"

namespace AscendC {

constexpr emulator::Space SpaceOf(TPosition position)
{
    switch (position) {
        case TPosition::GM:
            return emulator::Space::GM;
        case TPosition::A1:
        case TPosition::B1:
        case TPosition::C1:
        case TPosition::TSCM:
            return emulator::Space::L1;
        case TPosition::A2:
            return emulator::Space::L0A;
        case TPosition::B2:
            return emulator::Space::L0B;
        case TPosition::C2:
            return emulator::Space::BT;
        case TPosition::CO1:
            return emulator::Space::L0C;
        case TPosition::C2PIPE2GM:
        case TPosition::C2PIPE2LOCAL:
            return emulator::Space::FB;
        default:
            return emulator::Space::UB;
    }
}

// One element of a tensor, read and written by the scalar unit.
template <typename Tensor, typename T>
class Element {
public:
    Element(Tensor tensor, uint64_t index, Site site)
        : tensor_(tensor), index_(index), site_(site)
    {
    }

    operator T() const
    {
        return tensor_.GetValue(index_, site_);
    }

    const Element &operator=(T value) const
    {
        tensor_.SetValue(index_, value, site_);
        return *this;
    }

private:
    Tensor tensor_;
    uint64_t index_;
    Site site_;
};

template <typename T>
T ReadScalar(const Operand &place, uint64_t index, const char *name, Site site)
{
    emulator::Access access{place.memory, place.offset + static_cast<int64_t>(index * sizeof(T)), emulator::Mode::READ,
        sizeof(T)};
    access.low = place.low;
    access.high = place.high;
    emulator::Here().Scalar(access, name, site);
    return emulator::ops::Load<T>(place.memory->Data() + access.offset);
}

template <typename T>
void WriteScalar(const Operand &place, uint64_t index, T value, const char *name, Site site)
{
    emulator::Access access{place.memory, place.offset + static_cast<int64_t>(index * sizeof(T)), emulator::Mode::WRITE,
        sizeof(T)};
    access.low = place.low;
    access.high = place.high;
    emulator::Here().Scalar(access, name, site);
    emulator::ops::Store<T>(place.memory->Data() + access.offset, value);
}

template <typename T>
class LocalTensor {
public:
    using PrimType = T;

    LocalTensor() = default;

    LocalTensor(TPosition position, const Operand &place, uint32_t size)
        : position_(position), place_(place), size_(size)
    {
    }

    // At an address of the memory that the position stands for.
    LocalTensor(TPosition position, uint32_t address, uint32_t size)
        : position_(position), size_(size)
    {
        place_.memory = &emulator::Here().In(SpaceOf(position));
        place_.offset = place_.low = address;
        place_.high = place_.low + static_cast<int64_t>(size) * static_cast<int64_t>(sizeof(T));
    }

    T GetValue(uint32_t index, Site site = Site::Here()) const
    {
        return ReadScalar<T>(place_, index, "GetValue", site);
    }

    template <typename U>
    void SetValue(uint32_t index, U value, Site site = Site::Here()) const
    {
        WriteScalar<T>(place_, index, static_cast<T>(value), "SetValue", site);
    }

    Element<LocalTensor, T> operator()(uint32_t index, Site site = Site::Here()) const
    {
        return {*this, index, site};
    }

    LocalTensor operator[](uint32_t offset) const
    {
        LocalTensor moved = *this;
        moved.place_.offset += static_cast<int64_t>(offset) * static_cast<int64_t>(sizeof(T));
        moved.size_ = offset < size_ ? size_ - offset : 0;
        return moved;
    }

    template <typename U>
    LocalTensor<U> ReinterpretCast() const
    {
        return {position_, place_, static_cast<uint32_t>(size_ * sizeof(T) / sizeof(U))};
    }

    uint64_t GetPhyAddr(uint32_t offset = 0) const
    {
        const uint64_t address = static_cast<uint64_t>(place_.offset) + offset * sizeof(T);
        return InSpace() == emulator::Space::UB && OnArch35() ? emulator::Here().Marked(address, place_.low, place_.high) : address;
    }

    int32_t GetPosition() const
    {
        return static_cast<int32_t>(position_);
    }

    uint32_t GetSize() const
    {
        return size_;
    }

    void SetSize(uint32_t size)
    {
        size_ = size;
    }

    const Operand &Place() const
    {
        return place_;
    }

    emulator::Space InSpace() const
    {
        return SpaceOf(position_);
    }

private:
    TPosition position_ = TPosition::MAX;
    Operand place_;
    uint32_t size_ = 0;
};

template <typename T>
class GlobalTensor {
public:
    using PrimType = T;

    void SetGlobalBuffer(T *buffer, uint64_t size)
    {
        address_ = buffer;
        size_ = size;
    }

    void SetGlobalBuffer(T *buffer)
    {
        SetGlobalBuffer(buffer, 0);
    }

    T GetValue(uint64_t index, Site site = Site::Here()) const
    {
        return ReadScalar<T>(Place("GetValue", site), index, "GetValue", site);
    }

    void SetValue(uint64_t index, T value, Site site = Site::Here()) const
    {
        WriteScalar<T>(Place("SetValue", site), index, value, "SetValue", site);
    }

    Element<GlobalTensor, T> operator()(uint64_t index, Site site = Site::Here()) const
    {
        return {*this, index, site};
    }

    GlobalTensor operator[](uint64_t offset) const
    {
        GlobalTensor moved = *this;
        moved.address_ += offset;
        moved.size_ = offset < size_ ? size_ - offset : 0;
        return moved;
    }

    const T *GetPhyAddr() const
    {
        return address_;
    }

    T *GetPhyAddr(uint64_t offset) const
    {
        return address_ + offset;
    }

    uint64_t GetSize() const
    {
        return size_;
    }

    void SetL2CacheHint(CacheMode)
    {
    }

    // Where the tensor is in GM; a launch that has no tensor near its address ends here.
    Operand Place(const char *name, Site site) const
    {
        return PlaceInGm(address_, name, site);
    }

private:
    T *address_ = nullptr;
    uint64_t size_ = 0;
};

} // namespace AscendC

#endif // EMULATED_TENSOR_H

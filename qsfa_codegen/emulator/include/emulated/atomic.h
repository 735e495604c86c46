// SetAtomicAdd, SetAtomicMax, SetAtomicMin: what copies to GM do with what is there.
#ifndef EMULATED_ATOMIC_H
#define EMULATED_ATOMIC_H

#include "emulated/issue.h"
#include "emulated/keywords.h"
#include "ops/move.h"

namespace AscendC {

template <typename T>
constexpr const char *NAME_OF_ATOMIC = nullptr; // of a type that cannot be added in GM

template <>
constexpr const char *NAME_OF_ATOMIC<float> = "float";
template <>
constexpr const char *NAME_OF_ATOMIC<half> = "half";
template <>
constexpr const char *NAME_OF_ATOMIC<bfloat16_t> = "bfloat16_t";
template <>
constexpr const char *NAME_OF_ATOMIC<int32_t> = "int32_t";
template <>
constexpr const char *NAME_OF_ATOMIC<int16_t> = "int16_t";
template <>
constexpr const char *NAME_OF_ATOMIC<int8_t> = "int8_t";

template <typename T>
void SetAtomicType()
{
    static_assert(NAME_OF_ATOMIC<T> != nullptr, "GM adds and compares half, bfloat16, float, int8, int16 and int32");
    emulator::Here().atomic.type = NAME_OF_ATOMIC<T>;
}

template <typename T>
void SetAtomic(emulator::ops::Atomic kind)
{
    emulator::Here().atomic.kind = static_cast<uint8_t>(kind);
    SetAtomicType<T>();
}

template <typename T>
void SetAtomicAdd()
{
    SetAtomic<T>(emulator::ops::Atomic::ADD);
}

template <typename T>
void SetAtomicMax()
{
    SetAtomic<T>(emulator::ops::Atomic::MAX);
}

template <typename T>
void SetAtomicMin()
{
    SetAtomic<T>(emulator::ops::Atomic::MIN);
}

inline void SetAtomicNone()
{
    emulator::Here().atomic = {};
}

inline void DisableDmaAtomic()
{
    SetAtomicNone();
}

// What a copy of elements of type T to GM does there. The type must be the one that was set.
template <typename T>
emulator::ops::Atomic AtomicOf(const char *name, Site site)
{
    const emulator::AtomicMode &mode = emulator::Here().atomic;
    const auto kind = static_cast<emulator::ops::Atomic>(mode.kind);
    if (kind != emulator::ops::Atomic::NONE && mode.type != NAME_OF_ATOMIC<T>) {
        Refuse(name, site, emulator::Text("elements of %zu bytes that are not %s, for which atomic writes are set", sizeof(T), mode.type), "give the type of the tensor to SetAtomicAdd, SetAtomicMax or SetAtomicMin, or call SetAtomicNone before");
    }
    return kind;
}

} // namespace AscendC

#endif // EMULATED_ATOMIC_H

// Reads and writes by the scalar unit: the compiler lets the kernel call these before each, as for a detector of races.
#ifndef EMULATOR_INTRINSICS_ACCESSES_H
#define EMULATOR_INTRINSICS_ACCESSES_H

#include "intrinsics/scalar_access.h"

extern "C" {

#define EMULATED_ACCESS(BYTES) \
    void __tsan_read##BYTES(void *address) \
    { \
        emulator::intrinsics::ScalarAccess(address, BYTES, emulator::Mode::READ); \
    } \
    void __tsan_write##BYTES(void *address) \
    { \
        emulator::intrinsics::ScalarAccess(address, BYTES, emulator::Mode::WRITE); \
    } \
    void __tsan_unaligned_read##BYTES(void *address) \
    { \
        emulator::intrinsics::ScalarAccess(address, BYTES, emulator::Mode::READ); \
    } \
    void __tsan_unaligned_write##BYTES(void *address) \
    { \
        emulator::intrinsics::ScalarAccess(address, BYTES, emulator::Mode::WRITE); \
    }

EMULATED_ACCESS(1)
EMULATED_ACCESS(2)
EMULATED_ACCESS(4)
EMULATED_ACCESS(8)
EMULATED_ACCESS(16)

#undef EMULATED_ACCESS

void __tsan_read_range(void *address, unsigned long bytes)
{
    emulator::intrinsics::ScalarAccess(address, static_cast<uint32_t>(bytes), emulator::Mode::READ);
}

void __tsan_write_range(void *address, unsigned long bytes)
{
    emulator::intrinsics::ScalarAccess(address, static_cast<uint32_t>(bytes), emulator::Mode::WRITE);
}

void __tsan_init()
{
}

void __tsan_func_entry(void *)
{
}

void __tsan_func_exit()
{
}

void __tsan_vptr_update(void **, void *)
{
}

void __tsan_vptr_read(void **)
{
}

// Of variables that are constructed at their first use; there is one thread.
unsigned char __tsan_atomic8_load(const volatile unsigned char *address, int)
{
    return *address;
}
}

#endif // EMULATOR_INTRINSICS_ACCESSES_H

// Registers a kernel of these tests under its own name.
#ifndef TESTS_EMULATOR_LAUNCH_H
#define TESTS_EMULATOR_LAUNCH_H

#include <cstddef>
#include <utility>

#include "core/registry.h"
#include "kernel_operator.h"

template <typename... Addresses, size_t... indexes>
void CallWith(void (*kernel)(Addresses...), uint8_t *const *arguments, std::index_sequence<indexes...>)
{
    kernel(arguments[indexes]...);
}

template <typename... Addresses>
void CallKernel(void (*kernel)(Addresses...), uint8_t *const *arguments)
{
    CallWith(kernel, arguments, std::index_sequence_for<Addresses...>());
}

#define LAUNCHABLE(KERNEL) \
    static const emulator::Registration launch_##KERNEL(#KERNEL, \
        [](uint8_t *const *arguments) { CallKernel(KERNEL, arguments); })

#endif // TESTS_EMULATOR_LAUNCH_H

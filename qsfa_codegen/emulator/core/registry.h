// The kernels of a program, by name.
#ifndef EMULATOR_CORE_REGISTRY_H
#define EMULATOR_CORE_REGISTRY_H

#include <cstdint>
#include <map>
#include <string>

namespace emulator {

// Calls a kernel with the addresses of its tensors.
using Launcher = void (*)(uint8_t *const *arguments);

inline std::map<std::string, Launcher> &Kernels()
{
    static std::map<std::string, Launcher> kernels;
    return kernels;
}

// Constructed once for each kernel, before main.
struct Registration {
    Registration(const char *name, Launcher launcher)
    {
        Kernels()[name] = launcher;
    }
};

} // namespace emulator

#endif // EMULATOR_CORE_REGISTRY_H

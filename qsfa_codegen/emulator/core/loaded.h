// Kernels that are loaded into the program, once for each core, so that each core has its own global variables.
#ifndef EMULATOR_CORE_LOADED_H
#define EMULATOR_CORE_LOADED_H

#include <cstdint>
#include <string>

#include "registry.h"

namespace emulator {

// The code of a copy, and of which file.
struct LoadedCode {
    uintptr_t begin = 0;
    uintptr_t end = 0;
    uintptr_t base = 0; // where the file's address 0 is
    std::string file;

    bool Has(uintptr_t address) const
    {
        return begin <= address && address < end;
    }
};

// Whether this program has its kernels in an image that is loaded.
bool HasImage();

// The kernel in a new copy of the image; nullptr where it has none of that name. Throws std::runtime_error where the
// image cannot be loaded.
Launcher LoadKernel(const std::string &name);

// The copy that has the code at the address; nullptr: none.
const LoadedCode *FindCode(uintptr_t address);

} // namespace emulator

#endif // EMULATOR_CORE_LOADED_H

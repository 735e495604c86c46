#include "loaded.h"

#include <dlfcn.h>
#include <link.h>
#include <memory>
#include <stdexcept>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

// The image, where the program is linked with one.
extern "C" {
extern const unsigned char emulator_image[] __attribute__((weak));
extern const unsigned char emulator_image_end[] __attribute__((weak));
}

namespace emulator {
namespace {

std::vector<std::unique_ptr<LoadedCode>> &Codes()
{
    static std::vector<std::unique_ptr<LoadedCode>> codes;
    return codes;
}

// A file in memory: two copies are two files, and are loaded twice.
int CopyOfImage()
{
    const int file = memfd_create("kernel", 0);
    const auto bytes = static_cast<size_t>(emulator_image_end - emulator_image);
    size_t written = 0;
    while (file >= 0 && written < bytes) {
        const ssize_t more = write(file, emulator_image + written, bytes - written);
        if (more <= 0) {
            throw std::runtime_error("there is no memory for a copy of the kernel");
        }
        written += static_cast<size_t>(more);
    }
    return file;
}

void Remember(void *handle, int file)
{
    link_map *map = nullptr;
    dlinfo(handle, RTLD_DI_LINKMAP, &map);
    auto code = std::make_unique<LoadedCode>();
    code->base = map->l_addr;
    code->file = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file);
    const auto *header = reinterpret_cast<const ElfW(Ehdr) *>(map->l_addr);
    const auto *segments = reinterpret_cast<const ElfW(Phdr) *>(map->l_addr + header->e_phoff);
    for (int i = 0; i < header->e_phnum; ++i) {
        if (segments[i].p_type == PT_LOAD && (segments[i].p_flags & PF_X) != 0) {
            code->begin = map->l_addr + segments[i].p_vaddr;
            code->end = code->begin + segments[i].p_memsz;
        }
    }
    Codes().push_back(std::move(code));
}

} // namespace

bool HasImage()
{
    return emulator_image != nullptr;
}

Launcher LoadKernel(const std::string &name)
{
    const int file = CopyOfImage();
    const std::string path = "/proc/self/fd/" + std::to_string(file);
    void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        throw std::runtime_error(dlerror());
    }
    Remember(handle, file);
    const auto find = reinterpret_cast<Launcher (*)(const char *)>(dlsym(handle, "EmulatorFindKernel"));
    return find(name.c_str());
}

const LoadedCode *FindCode(uintptr_t address)
{
    for (const std::unique_ptr<LoadedCode> &code : Codes()) {
        if (code->Has(address)) {
            return code.get();
        }
    }
    return nullptr;
}

} // namespace emulator

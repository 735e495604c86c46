// What one chip has and another lacks.
#ifndef EMULATED_ARCH_H
#define EMULATED_ARCH_H

#include "emulated/issue.h"

namespace AscendC {

inline bool OnArch35()
{
    return emulator::Here().Whole().OnChip().Arch35();
}

inline void RequireArch35(const char *name, Site site, const char *what)
{
    if (!OnArch35()) {
        Refuse(name, site, emulator::Text("%s is not there on %s", what, emulator::Here().Whole().OnChip().name.c_str()), "it came with arch35 (dav-3510)");
    }
}

inline void RefuseOnArch35(const char *name, Site site, const char *what, const char *help)
{
    if (OnArch35()) {
        Refuse(name, site, emulator::Text("%s is not there on %s", what, emulator::Here().Whole().OnChip().name.c_str()), help);
    }
}

} // namespace AscendC

#endif // EMULATED_ARCH_H

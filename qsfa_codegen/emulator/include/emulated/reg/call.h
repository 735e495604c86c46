// Calls of vector functions.
#ifndef EMULATED_REG_CALL_H
#define EMULATED_REG_CALL_H

#include <tuple>

#include "emulated/arch.h"
#include "emulated/reg/cast.h"
#include "emulated/reg/compute.h"
#include "emulated/reg/move.h"

namespace AscendC {

// A vector function is one instruction of the pipe V. It gets its arguments by value: pointers and numbers.
struct VectorFunctionCall {
    Site site;

    template <auto function, typename... Args>
    void Start(Args &&...args) const
    {
        static_assert(((std::is_arithmetic<std::decay_t<Args>>::value || std::is_pointer<std::decay_t<Args>>::value ||
                          std::is_enum<std::decay_t<Args>>::value || emulator::IS_FLOATING<std::decay_t<Args>>) && ...),
            "a vector function takes pointers and numbers alone");
        if (emulator::Here().Cube()) {
            return;
        }
        constexpr const char *name = "asc_vf_call";
        RequireArch35(name, site, "a vector function");
        Instruction instruction;
        instruction.pipe = Pipe::V;
        instruction.name = name;
        instruction.site = site;
        instruction.inOrder = true;
        instruction.work.function = true;
        instruction.execute = [values = std::tuple<std::decay_t<Args>...>(args...)]() mutable { std::apply(function, values); };
        Issue(std::move(instruction));
    }
};

} // namespace AscendC

// Macros, so that a finding knows the line of the call.
#define asc_vf_call AscendC::VectorFunctionCall{emulator::Site::Here()}.template Start
#define VF_CALL VectorFunctionCall{emulator::Site::Here()}.template Start

#endif // EMULATED_REG_CALL_H

// Calls of vector functions.
#ifndef EMULATED_REG_CALL_H
#define EMULATED_REG_CALL_H

#include <tuple>

#include "emulated/arch.h"
#include "emulated/reg/cast.h"
#include "emulated/reg/compute.h"
#include "emulated/reg/move.h"

namespace AscendC {

inline Instruction MakeFunction(const char *name, Site site)
{
    RequireArch35(name, site, "a vector function");
    Instruction instruction;
    instruction.pipe = Pipe::V;
    instruction.name = name;
    instruction.site = site;
    instruction.inOrder = true;
    instruction.work.function = true;
    return instruction;
}

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
        Instruction instruction = MakeFunction("asc_vf_call", site);
        instruction.execute = [values = std::tuple<std::decay_t<Args>...>(args...)]() mutable { std::apply(function, values); };
        Issue(std::move(instruction));
    }
};

// A vector function whose code stands in the kernel. What comes behind it is issued when it is done.
class VectorScope {
public:
    explicit VectorScope(Site site)
        : runs_(!emulator::Here().Cube())
    {
        if (runs_) {
            emulator::Here().BeginScope(MakeFunction("__VEC_SCOPE__", site));
        }
    }

    VectorScope(const VectorScope &) = delete;
    VectorScope &operator=(const VectorScope &) = delete;

    bool Runs() const
    {
        return runs_;
    }

    void End()
    {
        emulator::FunctionOf()->EndScope();
        runs_ = false;
    }

private:
    bool runs_;
};

} // namespace AscendC

#define __VEC_SCOPE__ for (AscendC::VectorScope vectorScope(emulator::Site::Here()); vectorScope.Runs(); vectorScope.End())

// Macros, so that a finding knows the line of the call.
#define asc_vf_call AscendC::VectorFunctionCall{emulator::Site::Here()}.template Start
#define VF_CALL VectorFunctionCall{emulator::Site::Here()}.template Start

#endif // EMULATED_REG_CALL_H

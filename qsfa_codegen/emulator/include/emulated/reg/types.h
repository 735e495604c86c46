// The vector registers of arch35: types, and what a call on them has in common.
#ifndef EMULATED_REG_TYPES_H
#define EMULATED_REG_TYPES_H

#include <cmath>

#include "emulated/reg/content.h"
#include "emulated/reg/enums.h"
#include "emulated/tensor.h"
#include "ops/register_arithmetic.h"

namespace AscendC {

constexpr uint32_t VECTOR_REG_WIDTH = emulator::ops::VECTOR;

constexpr uint32_t GetVecLen()
{
    return VECTOR_REG_WIDTH;
}

namespace Reg {

using emulator::ops::LANES;
using emulator::ops::Register;
using emulator::ops::VECTOR;

struct RegTrait {
    int REG_NUM = 1;
};

constexpr RegTrait RegTraitNumOne = {1};
constexpr RegTrait RegTraitNumTwo = {2};

using emulator::RegisterContent;
using MaskReg = emulator::MaskContent;

template <typename T, const RegTrait &regTrait = RegTraitNumOne>
struct RegTensor : RegisterContent {
    static_assert(regTrait.REG_NUM == 1, "pairs of registers are not modelled");
    using ActualT = T;
    static constexpr RegTrait trait = regTrait;
};

struct AddrReg {
    uint64_t elements = 0;
    uint32_t width = 1;
};

template <typename T>
AddrReg CreateAddrReg(uint16_t index, uint32_t stride)
{
    return {static_cast<uint64_t>(index) * stride, sizeof(T)};
}

template <typename T>
AddrReg CreateAddrReg(uint16_t index0, uint32_t stride0, uint16_t index1, uint32_t stride1)
{
    return {static_cast<uint64_t>(index0) * stride0 + static_cast<uint64_t>(index1) * stride1, sizeof(T)};
}

// The element type of a call, which is that of the register where it is given.
template <typename T, typename U>
struct CheckedElement {
    static_assert(std::is_same<T, DefaultType>::value || std::is_same<T, typename U::ActualT>::value,
        "the type of the call is not that of the register");
    using Type = typename U::ActualT;
};

template <typename T, typename U>
using ElementOf = typename CheckedElement<T, U>::Type;

// A call on registers. It is counted, and what is wrong with its operands is told once.
class RegisterCall {
public:
    RegisterCall(const char *name, Site site)
        : name_(name), site_(site)
    {
        if (emulator::FunctionOf() == nullptr) {
            Refuse(name, site, "registers are there in vector functions alone", "call the function with asc_vf_call");
        }
        Core().Operate();
    }

    static emulator::Core &Core()
    {
        return *emulator::FunctionOf();
    }

    const char *Name() const
    {
        return name_;
    }
    Site At() const
    {
        return site_;
    }

    template <typename T>
    void Need(const RegisterContent &source, uint32_t lane)
    {
        if (!source.content.Knows<T>(lane)) {
            Tell("uninitialised", emulator::Severity::ERROR, emulator::Text("%s takes element %u of a register, which has no value", name_, lane));
        }
    }

    // The bits of elements of so many bytes, each `step`th from the `first` on.
    void Need(const MaskReg &mask, uint32_t width, uint32_t first = 0, uint32_t step = 1)
    {
        const uint32_t made = mask.content.width;
        if (made == 0) {
            Tell("uninitialised", emulator::Severity::ERROR, emulator::Text("%s takes a mask register, which has no value", name_));
        } else if (first * width % made != 0 || (first + step) * width % made != 0) {
            Tell("undefined-mask", emulator::Severity::ERROR, emulator::Text("%s takes bits for elements of %u bytes of a mask that was made for elements of %u", name_, width, made));
        }
    }

    template <typename T>
    void Watch(T made, bool strange)
    {
        if constexpr (emulator::IS_FLOATING<T>) {
            if (!strange && !std::isfinite(static_cast<float>(made))) {
                Tell("not-finite", emulator::Severity::WARNING, emulator::Text("%s makes NaN or infinity of operands without any", name_));
            }
        }
    }

    void Tell(const char *code, emulator::Severity severity, std::string message, std::string help = "", Site other = {})
    {
        if (told_) {
            return;
        }
        told_ = true;
        emulator::Finding finding;
        finding.code = code;
        finding.severity = severity;
        finding.site = site_;
        finding.other = other;
        finding.pipe = Name(Pipe::V);
        finding.instruction = name_;
        finding.message = std::move(message);
        finding.help = std::move(help);
        Core().Report(std::move(finding));
    }

private:
    static const char *Name(Pipe pipe)
    {
        return emulator::Name(pipe);
    }

    const char *name_;
    Site site_;
    bool told_ = false;
};

template <typename T>
bool IsStrange(T value)
{
    if constexpr (emulator::IS_FLOATING<T>) {
        return !std::isfinite(static_cast<float>(value));
    } else {
        return false;
    }
}

// Makes the elements that the mask has on of those of registers; the others are zero or, merging, stay.
template <typename T, MaskMergeMode mode, typename Compute, typename... Sources>
void FillLanes(RegisterCall &call, RegisterContent &dst, const MaskReg &mask, bool strangeScalar, Compute compute, const Sources &...sources)
{
    constexpr bool merging = mode == MaskMergeMode::MERGING;
    call.Need(mask, sizeof(T));
    Register made = merging ? dst.content : Register::Zero();
    for (uint32_t lane = 0; lane < LANES<T>; ++lane) {
        if (!mask.content.template On<T>(lane)) {
            continue;
        }
        (call.template Need<T>(sources, lane), ...);
        const bool strange = strangeScalar || (IsStrange(sources.content.template Get<T>(lane)) || ...);
        const T value = compute(sources.content.template Get<T>(lane)...);
        call.Watch(value, strange);
        made.Set(lane, value);
    }
    emulator::Origin origin = mask.origin;
    (origin.Join(sources.origin), ...);
    if (merging) {
        origin.Join(dst.origin);
    }
    dst.content = made;
    dst.origin = origin;
}

} // namespace Reg

namespace MicroAPI = Reg;

} // namespace AscendC

#endif // EMULATED_REG_TYPES_H

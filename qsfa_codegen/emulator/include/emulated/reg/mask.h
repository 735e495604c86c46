// Mask registers.
#ifndef EMULATED_REG_MASK_H
#define EMULATED_REG_MASK_H

#include "emulated/reg/types.h"

namespace AscendC {
namespace Reg {

// How many elements a pattern has on, 0 for those that are not the first so many.
constexpr uint32_t CountOf(MaskPattern pattern, uint32_t lanes)
{
    constexpr uint32_t first[] = {0, 1, 2, 3, 4, 8, 16, 32, 64, 128};
    switch (pattern) {
        case MaskPattern::ALL:
            return lanes;
        case MaskPattern::H:
            return lanes / 2;
        case MaskPattern::Q:
            return lanes / 4;
        case MaskPattern::M3:
        case MaskPattern::M4:
        case MaskPattern::ALLF:
            return 0;
        default:
            return first[static_cast<size_t>(pattern)];
    }
}

template <typename T, MaskPattern mode = MaskPattern::ALL, const RegTrait &regTrait = RegTraitNumOne>
MaskReg CreateMask(Site site = Site::Here())
{
    using emulator::ops::Predicate;
    static_assert(CountOf(mode, LANES<T>) <= LANES<T>, "the pattern has more elements than a register");
    const RegisterCall call("CreateMask", site);
    MaskReg mask;
    if constexpr (mode == MaskPattern::M3 || mode == MaskPattern::M4) {
        mask.content = Predicate::Every(mode == MaskPattern::M3 ? 3 : 4, sizeof(T));
    } else {
        mask.content = Predicate::First(CountOf(mode, LANES<T>), sizeof(T));
    }
    return mask;
}

// The first `scalarValue` elements; it is less by a whole register afterwards.
template <typename T, const RegTrait &regTrait = RegTraitNumOne>
MaskReg UpdateMask(uint32_t &scalarValue, Site site = Site::Here())
{
    const RegisterCall call("UpdateMask", site);
    MaskReg mask;
    mask.content = emulator::ops::Predicate::First(scalarValue, sizeof(T));
    scalarValue = scalarValue < LANES<T> ? 0 : scalarValue - LANES<T>;
    return mask;
}

template <typename Function>
void CombineMasks(RegisterCall call, MaskReg &dst, const MaskReg &left, const MaskReg &right, const MaskReg &mask, Function function)
{
    const uint32_t width = std::max({left.content.width, right.content.width, mask.content.width});
    call.Need(left, width);
    call.Need(right, width);
    call.Need(mask, width);
    emulator::Origin origin = left.origin;
    origin.Join(right.origin);
    origin.Join(mask.origin);
    dst.content.bits = function(left.content.bits, right.content.bits) & mask.content.bits;
    dst.content.width = width;
    dst.origin = origin;
}

inline void And(MaskReg &dst, MaskReg &src0, MaskReg &src1, MaskReg &mask, Site site = Site::Here())
{
    CombineMasks({"And", site}, dst, src0, src1, mask, [](const auto &a, const auto &b) { return a & b; });
}

inline void Or(MaskReg &dst, MaskReg &src0, MaskReg &src1, MaskReg &mask, Site site = Site::Here())
{
    CombineMasks({"Or", site}, dst, src0, src1, mask, [](const auto &a, const auto &b) { return a | b; });
}

inline void Xor(MaskReg &dst, MaskReg &src0, MaskReg &src1, MaskReg &mask, Site site = Site::Here())
{
    CombineMasks({"Xor", site}, dst, src0, src1, mask, [](const auto &a, const auto &b) { return a ^ b; });
}

inline void Not(MaskReg &dst, MaskReg &src, MaskReg &mask, Site site = Site::Here())
{
    CombineMasks({"Not", site}, dst, src, src, mask, [](const auto &a, const auto &) { return ~a; });
}

template <typename T>
void Interleave(MaskReg &dst0, MaskReg &dst1, MaskReg &src0, MaskReg &src1, Site site = Site::Here())
{
    RegisterCall call("Interleave", site);
    call.Need(src0, sizeof(T));
    call.Need(src1, sizeof(T));
    emulator::Origin origin = src0.origin;
    origin.Join(src1.origin);
    emulator::ops::Interleave(dst0.content, dst1.content, src0.content, src1.content, sizeof(T));
    dst0.origin = dst1.origin = origin;
}

template <typename T>
void DeInterleave(MaskReg &dst0, MaskReg &dst1, MaskReg &src0, MaskReg &src1, Site site = Site::Here())
{
    RegisterCall call("DeInterleave", site);
    call.Need(src0, sizeof(T));
    call.Need(src1, sizeof(T));
    emulator::Origin origin = src0.origin;
    origin.Join(src1.origin);
    emulator::ops::DeInterleave(dst0.content, dst1.content, src0.content, src1.content, sizeof(T));
    dst0.origin = dst1.origin = origin;
}

} // namespace Reg
} // namespace AscendC

#endif // EMULATED_REG_MASK_H

// The cube path: L1 → L0A and L0B, Mmad, L0C → GM.
#ifndef EMULATED_CUBE_H
#define EMULATED_CUBE_H

#include "emulated/arch.h"
#include "emulated/atomic.h"
#include "emulated/cube_issue.h"
#include "emulated/cube_parameters.h"
#include "emulated/tensor.h"
#include "ops/load3d.h"

namespace AscendC {

// ------------------------------------------------------------------ L1 → L0A, L0B

template <typename T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &params, Site site = Site::Here())
{
    const LoadCall call{"LoadData", site, dst.InSpace(), src.InSpace()};
    if (params.ifTranspose && sizeof(T) != 2) {
        Refuse(call.name, site, "ifTranspose with elements other than 2 bytes wide", "use LoadDataWithTranspose");
    }
    emulator::ops::Load2D op;
    op.startIndex = params.startIndex.Wide();
    op.repeat = params.repeatTimes.Wide();
    op.srcStride = params.srcStride.Wide();
    op.dstGap = params.dstGap.Wide();
    op.transpose = params.ifTranspose;
    call.Do(op, dst.Place(), src.Place());
}

template <typename T>
void LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2dTransposeParams &params,
    Site site = Site::Here())
{
    const LoadCall call{"LoadDataWithTranspose", site, dst.InSpace(), src.InSpace()};
    if (call.to == emulator::Space::L0A) {
        RefuseOnArch35(call.name, site, "a way from L1 to L0A with LoadDataWithTranspose", "use LoadData with LoadData2DParamsV2");
    }
    emulator::ops::LoadTransposed op;
    op.elementSize = sizeof(T);
    op.startIndex = params.startIndex.Wide();
    op.repeat = params.repeatTimes.Wide();
    op.srcStride = params.srcStride.Wide();
    op.dstGap = params.dstGap.Wide();
    op.dstFracGap = params.dstFracGap.Wide();
    op.down = params.addrMode != 0;
    call.Do(op, dst.Place(), src.Place());
}

template <typename T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<T> &params, Site site = Site::Here())
{
    using emulator::ops::Layout3D;
    const LoadCall call{"LoadData", site, dst.InSpace(), src.InSpace()};
    RefuseOnArch35(call.name, site, "LoadData3DParamsV2 without SetLoadDataRepeat", "use LoadData2DParamsV2");
    emulator::ops::Load3D op;
    const bool right = dst.InSpace() == emulator::Space::L0B;
    op.layout = right ? Layout3D::ZN : params.enTranspose ? Layout3D::ZZ_TRANSPOSED
                                                          : Layout3D::ZZ;
    op.elementSize = sizeof(T);
    op.padLeft = params.padList[0];
    op.padRight = params.padList[1];
    op.padTop = params.padList[2];
    op.padBottom = params.padList[3];
    op.l1H = params.l1H.Wide();
    op.l1W = params.l1W.Wide();
    op.channelSize = params.channelSize.Wide();
    op.kExtension = params.kExtension.Wide();
    op.mExtension = params.mExtension.Wide();
    op.kStart = params.kStartPt.Wide();
    op.mStart = params.mStartPt.Wide();
    op.strideW = params.strideW.Wide();
    op.strideH = params.strideH.Wide();
    op.filterW = params.filterW + (params.filterSizeW ? 256U : 0U);
    op.filterH = params.filterH + (params.filterSizeH ? 256U : 0U);
    op.dilationW = params.dilationFilterW.Wide();
    op.dilationH = params.dilationFilterH.Wide();
    std::memcpy(&op.padValue, &params.padValue, sizeof(T));
    call.Do(op, dst.Place(), src.Place());
}

// ------------------------------------------------------------------ Mmad

// In which direction Mmad goes through C: it changes how well Fixpipe keeps up with unit flags, and no result.
inline void SetMMLayoutTransform(bool)
{
}

inline void SetMMColumnMajor()
{
}

inline void SetMMRowMajor()
{
}

template <typename C, typename A, typename B>
emulator::ops::Mmad<C, A, B> MakeMmad(const LocalTensor<C> &dst, const LocalTensor<A> &left, const LocalTensor<B> &right,
    const MmadParams &params, Site site)
{
    using emulator::Space;
    constexpr const char *name = "Mmad";
    CheckSpace(name, site, "the result", dst.InSpace(), Space::L0C);
    CheckSpace(name, site, "the left operand", left.InSpace(), Space::L0A);
    CheckSpace(name, site, "the right operand", right.InSpace(), Space::L0B);
    emulator::ops::Mmad<C, A, B> op;
    op.m = params.m.Wide();
    op.n = params.n.Wide();
    op.k = params.k.Wide();
    op.wideK = params.kDirectionAlign;
    op.nzA = OnArch35();
    op.disableGemv = params.disableGemv;
    if (params.disableGemv) {
        RequireArch35(name, site, "disableGemv");
    }
    if (params.kDirectionAlign) {
        RefuseOnArch35(name, site, "kDirectionAlign", "k is aligned to whole blocks there");
    }
    return op;
}

template <typename C, typename A, typename B>
void Mmad(const LocalTensor<C> &dst, const LocalTensor<A> &left, const LocalTensor<B> &right, const MmadParams &params,
    Site site = Site::Here())
{
    emulator::ops::Mmad<C, A, B> op = MakeMmad(dst, left, right, params, site);
    if (params.cmatrixSource) {
        Refuse("Mmad", site, "cmatrixSource without a tensor of the bias", "pass the bias as the fourth tensor");
    }
    const bool keeps = params.isBias || !params.cmatrixInitVal;
    op.start = keeps ? emulator::ops::Start::KEEP : emulator::ops::Start::ZERO;
    DoMmad(site, op, params.unitFlag, std::array<Operand, 3>{dst.Place(), left.Place(), right.Place()});
}

template <typename C, typename A, typename B>
void Mmad(const LocalTensor<C> &dst, const LocalTensor<A> &left, const LocalTensor<B> &right, const LocalTensor<C> &bias,
    const MmadParams &params, Site site = Site::Here())
{
    emulator::ops::Mmad<C, A, B> op = MakeMmad(dst, left, right, params, site);
    CheckSpace("Mmad", site, "the bias", bias.InSpace(), emulator::Space::BT);
    op.start = emulator::ops::Start::BIAS;
    DoMmad(site, op, params.unitFlag, std::array<Operand, 4>{dst.Place(), left.Place(), right.Place(), bias.Place()});
}

// ------------------------------------------------------------------ Fixpipe

template <typename To, typename From>
constexpr QuantMode_t QuantOf()
{
    if (std::is_same<To, From>::value) {
        return NoQuant;
    }
    return std::is_same<To, half>::value ? F322F16 : F322BF16;
}

template <typename To, typename From, const FixpipeConfig &config = CFG_ROW_MAJOR>
void Fixpipe(const GlobalTensor<To> &dst, const LocalTensor<From> &src, const FixpipeParamsV220 &params, Site site = Site::Here())
{
    static_assert(config.format != CO2Layout::COLUMN_MAJOR, "Fixpipe to columns is not modelled");
    constexpr const char *name = "Fixpipe";
    constexpr bool nz = config.format == CO2Layout::NZ;
    CheckSpace(name, site, "the source", src.InSpace(), emulator::Space::L0C);
    if (params.quantPre != (QuantOf<To, From>())) {
        Refuse(name, site, emulator::Text("quantPre is %d; expected: %d for these types", params.quantPre, QuantOf<To, From>()));
    }
    emulator::ops::Fixpipe<To, From> op;
    op.nz = nz;
    op.nSize = params.nSize.Wide();
    op.mSize = params.mSize.Wide();
    op.srcStride = params.srcStride.Wide();
    op.dstStride = static_cast<uint64_t>(params.dstStride.Given()) * (nz ? 32 : 1); // NZ: in blocks
    op.ndNum = params.ndNum.Wide();
    op.srcNdStride = params.srcNdStride.Wide();
    op.dstNdStride = params.dstNdStride.Wide();
    op.relu = params.reluEn;
    op.splitChannels = params.isChannelSplit;
    op.atomic = AtomicOf<To>(name, site);
    emulator::Here().Barrier(Pipe::FIX, site); // as in the real headers
    IssueFixpipe(name, site, op, dst.Place(name, site), src.Place(), params.unitFlag);
}

} // namespace AscendC

#endif // EMULATED_CUBE_H

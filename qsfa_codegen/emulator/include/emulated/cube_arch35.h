// The cube path of arch35: L1 → L0A and L0B in two directions, L0C → UB of the vector cores.
#ifndef EMULATED_CUBE_ARCH35_H
#define EMULATED_CUBE_ARCH35_H

#include "emulated/arch.h"
#include "emulated/cube.h"
#include "ops/load2dv2.h"

namespace AscendC {

struct LoadData2DParamsV2 {
    LoadData2DParamsV2() = default;

    LoadData2DParamsV2(Limited32 mStart, Limited32 kStart, Limited16 mCount, Limited16 kCount, Limited32 source,
        Limited16 destination, bool transpose, Limited8 reserved)
        : mStartPosition(mStart), kStartPosition(kStart), mStep(mCount), kStep(kCount), srcStride(source),
          dstStride(destination), ifTranspose(transpose), sid(reserved)
    {
    }

    Limited32 mStartPosition = 0; // 16 elements
    Limited32 kStartPosition = 0; // 32 bytes
    Limited16 mStep = 0;
    Limited16 kStep = 0;
    Limited32 srcStride = 0; // 512 bytes
    Limited16 dstStride = 0;
    bool ifTranspose = false;
    Limited8 sid = 0;
};

template <typename T>
void LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParamsV2 &params, Site site = Site::Here())
{
    const LoadCall call{"LoadData", site, dst.InSpace(), src.InSpace()};
    RequireArch35(call.name, site, "LoadData2DParamsV2");
    if (params.ifTranspose && sizeof(T) != 2) {
        Refuse(call.name, site, "ifTranspose of elements other than 2 bytes wide is not modelled");
    }
    emulator::ops::Load2DV2 op;
    op.mStart = params.mStartPosition.Wide();
    op.kStart = params.kStartPosition.Wide();
    op.mStep = params.mStep.Wide();
    op.kStep = params.kStep.Wide();
    op.srcStride = params.srcStride.Wide();
    op.dstStride = params.dstStride.Wide();
    op.transpose = params.ifTranspose;
    call.Do(op, dst.Place(), src.Place());
}

// ------------------------------------------------------------------ Fixpipe

struct Nz2NdParams {
    Limited16 ndNum = 1;
    Limited16 srcNdStride = 0;
    Limited32 dstNdStride = 0;
};

struct Nz2DnParams {
    Limited16 dnNum = 1;
    Limited16 srcNzMatrixStride = 0;
    Limited32 dstDnMatrixStride = 0;
    Limited16 srcNzC0Stride = 0;
};

template <CO2Layout format>
struct TransformParams;

template <>
struct TransformParams<CO2Layout::NZ> {
    using PARAMS = uint8_t;
};

template <>
struct TransformParams<CO2Layout::ROW_MAJOR> {
    using PARAMS = Nz2NdParams;
};

template <>
struct TransformParams<CO2Layout::COLUMN_MAJOR> {
    using PARAMS = Nz2DnParams;
};

template <CO2Layout format = CO2Layout::ROW_MAJOR>
struct FixpipeParamsArch3510 {
    FixpipeParamsArch3510() = default;

    FixpipeParamsArch3510(Limited16 columns, Limited16 rows, Limited16 source, Limited32 destination)
        : nSize(columns), mSize(rows), srcStride(source), dstStride(destination)
    {
    }

    Limited16 nSize = 0;
    Limited16 mSize = 0;
    Limited16 srcStride = 0;
    Limited32 dstStride = 0; // elements
    QuantMode_t quantPre = NoQuant;
    uint64_t deqScalar = 0;
    bool reluEn = false;
    Limited8 unitFlag = 0;
    Limited8 dualDstCtl = 0; // 0: the UB of subBlockId, 1: half of the rows to each UB, 2: half of the columns
    bool subBlockId = false;
    typename TransformParams<format>::PARAMS params{};
    bool isChannelSplit = false;
};

template <CO2Layout format = CO2Layout::ROW_MAJOR>
using FixpipeParamsC310 = FixpipeParamsArch3510<format>;

// A call of Fixpipe with FixpipeParamsArch3510 while its parameters are checked.
template <typename To, typename From, CO2Layout format>
struct FixpipeCall {
    static constexpr const char *NAME = "Fixpipe";
    static constexpr bool NZ = format == CO2Layout::NZ;
    static constexpr int64_t UB_BLOCK = 32;

    const FixpipeParamsArch3510<format> &params;
    Site site;

    void Check(emulator::Space source) const
    {
        RequireArch35(NAME, site, "FixpipeParamsArch3510");
        CheckSpace(NAME, site, "the source", source, emulator::Space::L0C);
        if (params.quantPre != (QuantOf<To, From>())) {
            Refuse(NAME, site, emulator::Text("quantPre is %d; expected: %d for these types", params.quantPre, QuantOf<To, From>()));
        }
        CheckRange(NAME, site, "dstStride", params.dstStride.Given(), 1, 0xffffffff);
        if constexpr (!NZ) {
            CheckRange(NAME, site, "ndNum", params.params.ndNum.Given(), 0, 1); // more are not modelled
        }
    }

    // Of a target in UB.
    void CheckTarget() const
    {
        const int64_t row = params.nSize.Given() * static_cast<int64_t>(sizeof(To));
        if (!NZ && row % UB_BLOCK != 0) {
            Refuse(NAME, site, emulator::Text("a row has %lld bytes; expected: a multiple of 32", static_cast<long long>(row)));
        }
        if (params.isChannelSplit) {
            Refuse(NAME, site, "isChannelSplit on the way to UB", "it is there on the way to GM alone");
        }
        CheckRange(NAME, site, "dualDstCtl", params.dualDstCtl.Given(), 0, 2);
        if (params.dualDstCtl.Given() == 0) {
            return;
        }
        const bool byRows = params.dualDstCtl.Given() == 1;
        const int64_t size = byRows ? params.mSize.Given() : params.nSize.Given();
        const int64_t unit = byRows ? 2 : 32;
        if (size % unit != 0) {
            Refuse(NAME, site, emulator::Text("%s is %lld; expected with dualDstCtl %d: a multiple of %lld", byRows ? "mSize" : "nSize", static_cast<long long>(size), byRows ? 1 : 2, static_cast<long long>(unit)));
        }
        if (params.quantPre != NoQuant || params.reluEn) {
            Refuse(NAME, site, "a conversion or ReLU with two targets");
        }
    }

    // The part of the matrix that has so many rows and columns.
    emulator::ops::Fixpipe<To, From> Part(uint32_t rows, uint32_t columns) const
    {
        emulator::ops::Fixpipe<To, From> op;
        op.nz = NZ;
        op.nSize = columns;
        op.mSize = rows;
        op.srcStride = params.srcStride.Wide();
        op.dstStride = static_cast<uint64_t>(params.dstStride.Given()) * (NZ ? sizeof(To) : 1);
        op.relu = params.reluEn;
        op.splitChannels = params.isChannelSplit;
        return op;
    }

    bool Nothing() const
    {
        if constexpr (!NZ) {
            if (params.params.ndNum.Given() == 0) {
                return true;
            }
        }
        return params.nSize.Given() == 0 || params.mSize.Given() == 0;
    }

    // What the whole matrix, which starts at `src`, adds to the instruction.
    void Complete(Instruction &instruction, Route route, const Operand &src) const
    {
        instruction.unitFlags = UnitFlagsOfAll({NAME, site, true}, params.unitFlag, src, Part(params.mSize.Wide(), params.nSize.Wide()));
        instruction.work.route = route;
        instruction.work.bytes = static_cast<uint64_t>(params.mSize) * params.nSize * sizeof(To);
        instruction.work.bursts = NZ ? (params.nSize + 15ULL) / 16 : params.mSize.Wide();
    }

    // The instruction that moves a part of the source to the UB of one vector core.
    Instruction ToUb(uint32_t sub, const Operand &dst, const Operand &src, const emulator::ops::Fixpipe<To, From> &part) const
    {
        emulator::Core *core = emulator::Here().Neighbour(sub);
        if (core == nullptr) {
            Refuse(NAME, site, emulator::Text("this cube core has no vector core %u", sub), "launch the kernel as MIX_1_2");
        }
        Operand target = dst;
        target.memory = &core->In(emulator::Space::UB);
        Instruction instruction = MakeInstruction(Pipe::FIX, NAME, site, part, std::array<Operand, 2>{target, src});
        instruction.operands.front().alignment = UB_BLOCK;
        return instruction;
    }
};

// One instruction that does what both do.
inline Instruction Together(Instruction one, const Instruction &other)
{
    one.operands.insert(one.operands.end(), other.operands.begin(), other.operands.end());
    one.accesses.insert(one.accesses.end(), other.accesses.begin(), other.accesses.end());
    one.execute = [first = std::move(one.execute), second = other.execute] {
        first();
        second();
    };
    return one;
}

// L0C → UB. The target has the same place in either UB.
template <typename To, typename From, CO2Layout format>
void FixpipeToUb(const FixpipeCall<To, From, format> &call, const Operand &dst, const Operand &src)
{
    call.CheckTarget();
    if (call.Nothing()) {
        return;
    }
    const FixpipeParamsArch3510<format> &params = call.params;
    const uint32_t rows = params.mSize.Wide();
    const uint32_t columns = params.nSize.Wide();
    Operand from = src;
    Instruction instruction;
    if (params.dualDstCtl.Given() == 0) {
        instruction = call.ToUb(params.subBlockId ? 1 : 0, dst, from, call.Part(rows, columns));
    } else {
        const bool byRows = params.dualDstCtl.Given() == 1;
        const auto half = byRows ? call.Part(rows / 2, columns) : call.Part(rows, columns / 2);
        const Instruction first = call.ToUb(0, dst, from, half);
        from.offset += byRows ? rows / 2 * half.SRC_ROW : uint64_t(columns / 2 / half.COLUMNS) * half.srcStride * half.SRC_ROW;
        instruction = Together(first, call.ToUb(1, dst, from, half));
    }
    call.Complete(instruction, Route::L0C_UB, src);
    Issue(std::move(instruction));
}

template <typename To, typename From, const FixpipeConfig &config = CFG_ROW_MAJOR, CO2Layout format>
void Fixpipe(const LocalTensor<To> &dst, const LocalTensor<From> &src, const FixpipeParamsArch3510<format> &params, Site site = Site::Here())
{
    static_assert(config.format == format, "the configuration and the parameters have different layouts");
    static_assert(config.isToUB, "a target in UB wants a configuration with isToUB");
    static_assert(format != CO2Layout::COLUMN_MAJOR, "Fixpipe to columns is not modelled");
    const FixpipeCall<To, From, format> call{params, site};
    call.Check(src.InSpace());
    CheckSpace(call.NAME, site, "the target", dst.InSpace(), emulator::Space::UB);
    FixpipeToUb(call, dst.Place(), src.Place());
}

// L0C → GM.
template <typename To, typename From, CO2Layout format>
void FixpipeToGm(const FixpipeCall<To, From, format> &call, const Operand &dst, const Operand &src, emulator::ops::Atomic atomic)
{
    const FixpipeParamsArch3510<format> &params = call.params;
    CheckRange(call.NAME, call.site, "dualDstCtl", params.dualDstCtl.Given(), 0, 0);
    if (call.Nothing()) {
        return;
    }
    emulator::ops::Fixpipe<To, From> op = call.Part(params.mSize.Wide(), params.nSize.Wide());
    op.atomic = atomic;
    Instruction instruction = MakeInstruction(Pipe::FIX, call.NAME, call.site, op, std::array<Operand, 2>{dst, src});
    if (op.atomic != emulator::ops::Atomic::NONE) {
        MakeAtomic(instruction, dst);
    }
    call.Complete(instruction, Route::L0C_GM, src);
    Issue(std::move(instruction));
}

template <typename To, typename From, const FixpipeConfig &config = CFG_ROW_MAJOR, CO2Layout format>
void Fixpipe(const GlobalTensor<To> &dst, const LocalTensor<From> &src, const FixpipeParamsArch3510<format> &params, Site site = Site::Here())
{
    static_assert(config.format == format, "the configuration and the parameters have different layouts");
    static_assert(!config.isToUB, "a configuration with isToUB wants a target in UB");
    static_assert(format != CO2Layout::COLUMN_MAJOR, "Fixpipe to columns is not modelled");
    const FixpipeCall<To, From, format> call{params, site};
    call.Check(src.InSpace());
    FixpipeToGm(call, dst.Place(call.NAME, site), src.Place(), AtomicOf<To>(call.NAME, site));
}

} // namespace AscendC

#endif // EMULATED_CUBE_ARCH35_H

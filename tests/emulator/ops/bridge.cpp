// The instructions by name, for Python. An instruction comes as a name and its fields as 64-bit integers, in the
// order in which Fill below reads them.
#include <algorithm>
#include <iterator>
#include <string>

#include "limits_move.h"
#include "load2dv2.h"

using namespace emulator;
using namespace emulator::ops;

namespace {

class Fields {
public:
    explicit Fields(const int64_t *next)
        : next_(next)
    {
    }

    template <class T>
    Fields &operator>>(T &field)
    {
        if constexpr (std::is_enum_v<T> || std::is_integral_v<T>) {
            field = static_cast<T>(*next_++);
        } else {
            std::memcpy(&field, next_++, sizeof(T)); // the bits of a number
        }
        return *this;
    }

    Fields &operator>>(Mask &mask)
    {
        return *this >> mask.counter >> mask.low >> mask.high;
    }
    Fields &operator>>(Strides &strides)
    {
        return *this >> strides.block >> strides.repeat;
    }

private:
    const int64_t *next_;
};

template <class Op, class T>
void Fill(Fields in, Unary<Op, T> &to)
{
    in >> to.mask >> to.repeat >> to.dst >> to.src >> to.overflow;
}

template <class To, class From>
void Fill(Fields in, Cast<To, From> &to)
{
    in >> to.mask >> to.repeat >> to.dst >> to.src >> to.round >> to.overflow;
}

template <class Op, class To, class From>
void Fill(Fields in, Binary<Op, To, From> &to)
{
    in >> to.mask >> to.repeat >> to.dst >> to.src0 >> to.src1 >> to.overflow;
}

template <class Op, class To, class From>
void Fill(Fields in, Scalar<Op, To, From> &to)
{
    in >> to.mask >> to.repeat >> to.dst >> to.src >> to.scalar >> to.overflow;
}

template <class T>
void Fill(Fields in, Shift<T> &to)
{
    in >> to.mask >> to.repeat >> to.dst >> to.src >> to.distance >> to.left >> to.roundUp;
}

template <class T>
void Fill(Fields in, Duplicate<T> &to)
{
    in >> to.mask >> to.repeat >> to.dst >> to.scalar;
}

template <class T>
void Fill(Fields in, ArithProgression<T> &to)
{
    in >> to.mask >> to.repeat >> to.dst >> to.first;
}

template <class T>
void Fill(Fields in, Copy<T> &to)
{
    in >> to.mask >> to.repeat >> to.dst >> to.src;
}

template <class T>
void Fill(Fields in, BroadcastBlocks<T> &to)
{
    in >> to.repeat >> to.dst;
}

template <class T>
void Fill(Fields in, Gather<T> &to)
{
    in >> to.mask >> to.repeat >> to.dstRepeat >> to.base;
}

template <class T>
void Fill(Fields in, GatherMask<T> &to)
{
    in >> to.pattern >> to.count >> to.repeat >> to.src >> to.patternRepeat;
}

void Fill(Fields, Transpose &)
{
}

template <class T>
void Fill(Fields in, TransposeBlocks<T> &to)
{
    in >> to.repeat >> to.dstRepeat >> to.srcRepeat >> to.dstHigh >> to.srcHigh;
}

template <class T>
void Fill(Fields in, Compare<T> &to)
{
    in >> to.relation >> to.repeat >> to.src0 >> to.src1 >> to.scalar >> to.value;
}

template <class T>
void Fill(Fields in, CompareToRegister<T> &to)
{
    in >> to.relation >> to.mask >> to.src0 >> to.src1;
}

template <class T>
void Fill(Fields in, Select<T> &to)
{
    in >> to.mask >> to.repeat >> to.dst >> to.src0 >> to.src1 >> to.sameBits >> to.scalar >> to.value;
}

template <class T>
void Fill(Fields in, WholeReduce<T> &to)
{
    in >> to.reduction >> to.order >> to.mask >> to.repeat >> to.dstRepeat >> to.src >> to.overflow;
}

template <class T>
void Fill(Fields in, Accumulate<T> &to)
{
    in >> to.mask >> to.repeat >> to.src >> to.overflow;
}

template <class T, uint32_t group>
void Fill(Fields in, GroupReduce<T, group> &to)
{
    in >> to.reduction >> to.mask >> to.repeat >> to.dstRepeat >> to.src >> to.overflow;
}

void Fill(Fields in, Move &to)
{
    in >> to.bursts >> to.length >> to.srcGap >> to.dstGap;
}

void Fill(Fields in, MovePadIn &to)
{
    in >> to.bursts >> to.length >> to.srcGap >> to.dstGap >> to.left >> to.right >> to.pad >> to.elementSize >>
        to.value;
}

template <class T>
void Fill(Fields in, MoveOut<T> &to)
{
    in >> to.bursts >> to.length >> to.srcGap >> to.dstGap >> to.atomic;
}

void Fill(Fields in, MoveNdToNz &to)
{
    in >> to.elementSize >> to.ndNum >> to.nValue >> to.dValue >> to.srcNdMatrixStride >> to.srcDValue >>
        to.dstNzC0Stride >> to.dstNzNStride >> to.dstNzMatrixStride;
}

void Fill(Fields in, Load2DV2 &to)
{
    in >> to.mStart >> to.kStart >> to.mStep >> to.kStep >> to.srcStride >> to.dstStride >> to.transpose;
}

void Fill(Fields in, Load2D &to)
{
    in >> to.startIndex >> to.repeat >> to.srcStride >> to.dstGap >> to.transpose;
}

void Fill(Fields in, LoadTransposed &to)
{
    in >> to.elementSize >> to.startIndex >> to.repeat >> to.srcStride >> to.dstGap >> to.dstFracGap >> to.down;
}

void Fill(Fields in, Load3D &to)
{
    in >> to.layout >> to.elementSize >> to.padLeft >> to.padRight >> to.padTop >> to.padBottom >> to.l1H >>
        to.l1W >> to.channelSize >> to.kExtension >> to.mExtension >> to.kStart >> to.mStart >> to.strideW >>
        to.strideH >> to.filterW >> to.filterH >> to.dilationW >> to.dilationH >> to.padValue;
}

template <class C, class A, class B>
void Fill(Fields in, Mmad<C, A, B> &to)
{
    in >> to.m >> to.n >> to.k >> to.start >> to.nzA >> to.disableGemv >> to.wideK;
}

template <class To, class From>
void Fill(Fields in, Fixpipe<To, From> &to)
{
    in >> to.nz >> to.nSize >> to.mSize >> to.srcStride >> to.dstStride >> to.ndNum >> to.srcNdStride >>
        to.dstNdStride >> to.relu >> to.splitChannels >> to.atomic >> to.overflow;
}

// Calls act(instruction) with the instruction of that name.
template <class Act>
class Find {
public:
    Find(const std::string &name, const int64_t *fields, Act &act)
        : name_(name), fields_(fields), act_(act)
    {
    }

    template <class Instruction>
    Find &Case(const std::string &name)
    {
        if (!found_ && name == name_) {
            found_ = true;
            Instruction instruction;
            Fill(Fields(fields_), instruction);
            act_(instruction);
        }
        return *this;
    }

    template <class T>
    Find &Float(const std::string &type)
    {
        Case<Unary<Abs, T>>("abs " + type).template Case<Unary<Relu, T>>("relu " + type);
        Case<Unary<Exp, T>>("exp " + type).template Case<Unary<Ln, T>>("ln " + type);
        Case<Unary<Sqrt, T>>("sqrt " + type).template Case<Unary<Rsqrt, T>>("rsqrt " + type);
        Case<Unary<Reciprocal, T>>("reciprocal " + type).template Case<Binary<Div, T>>("div " + type);
        Case<Binary<AddRelu, T>>("add_relu " + type).template Case<Binary<SubRelu, T>>("sub_relu " + type);
        Case<Binary<FusedMulAdd, T>>("fused_mul_add " + type);
        Case<Binary<FusedMulAddRelu, T>>("fused_mul_add_relu " + type);
        Case<Binary<MulAddDst, T>>("mul_add_dst " + type).template Case<Scalar<MulAddDst, T>>("axpy " + type);
        Case<Compare<T>>("compare " + type).template Case<Select<T>>("select " + type);
        Case<CompareToRegister<T>>("compare_to_register " + type);
        Case<WholeReduce<T>>("whole_reduce " + type).template Case<BlockReduce<T>>("block_reduce " + type);
        Case<Accumulate<T>>("accumulate " + type);
        return Case<PairReduce<T>>("pair_reduce " + type);
    }

    template <class T>
    Find &Number(const std::string &type)
    {
        Case<Binary<Add, T>>("add " + type).template Case<Binary<Sub, T>>("sub " + type);
        Case<Binary<Mul, T>>("mul " + type).template Case<Binary<Max, T>>("max " + type);
        Case<Binary<Min, T>>("min " + type).template Case<Scalar<Add, T>>("adds " + type);
        Case<Scalar<Mul, T>>("muls " + type).template Case<Scalar<Max, T>>("maxs " + type);
        return Case<Scalar<Min, T>>("mins " + type).template Case<ArithProgression<T>>("index " + type);
    }

    template <class T>
    Find &Bits(const std::string &type)
    {
        Case<Duplicate<T>>("duplicate " + type).template Case<Copy<T>>("copy " + type);
        Case<BroadcastBlocks<T>>("brcb " + type).template Case<Gather<T>>("gather " + type);
        return Case<GatherMask<T>>("gather_mask " + type);
    }

    template <class T>
    Find &Shifts(const std::string &type)
    {
        return Case<Shift<T>>("shift " + type);
    }

    template <class To, class From>
    Find &Pair(const std::string &types)
    {
        return Case<Cast<To, From>>("cast " + types);
    }

    bool Found() const
    {
        return found_;
    }

private:
    std::string name_;
    const int64_t *fields_;
    Act &act_;
    bool found_ = false;
};

// False when there is none.
template <class Act>
bool With(const std::string &name, const int64_t *fields, Act &act)
{
    Find<Act> find(name, fields, act);
    find.template Float<Half>("half").template Float<float>("float");
    find.template Number<Half>("half").template Number<float>("float").template Number<BFloat16>("bfloat16");
    find.template Number<int16_t>("int16").template Number<int32_t>("int32");
    find.template Case<Binary<MulAddDst, float, Half>>("mul_add_dst mixed");
    find.template Case<Scalar<MulAddDst, float, Half>>("axpy mixed");
    find.template Case<Unary<Not, uint16_t>>("not uint16").template Case<Binary<And, uint16_t>>("and uint16");
    find.template Case<Binary<Or, uint16_t>>("or uint16").template Case<Compare<int32_t>>("compare int32");
    find.template Case<Unary<Abs, int16_t>>("abs int16").template Case<Unary<Relu, int32_t>>("relu int32");
    find.template Bits<uint16_t>("uint16").template Bits<uint32_t>("uint32").template Case<Transpose>("transpose");
    find.template Case<TransposeBlocks<uint8_t>>("transpose_blocks uint8");
    find.template Case<TransposeBlocks<uint16_t>>("transpose_blocks uint16");
    find.template Case<TransposeBlocks<uint32_t>>("transpose_blocks uint32");
    find.template Shifts<uint16_t>("uint16").template Shifts<int16_t>("int16");
    find.template Shifts<uint32_t>("uint32").template Shifts<int32_t>("int32");
    find.template Pair<Half, int8_t>("int8 half").template Pair<Half, uint8_t>("uint8 half");
    find.template Pair<Half, int16_t>("int16 half").template Pair<float, int16_t>("int16 float");
    find.template Pair<int8_t, Half>("half int8").template Pair<uint8_t, Half>("half uint8");
    find.template Pair<int16_t, Half>("half int16").template Pair<int32_t, Half>("half int32");
    find.template Pair<float, Half>("half float").template Pair<int32_t, BFloat16>("bfloat16 int32");
    find.template Pair<float, BFloat16>("bfloat16 float").template Pair<int16_t, int32_t>("int32 int16");
    find.template Pair<float, int32_t>("int32 float").template Pair<int64_t, int32_t>("int32 int64");
    find.template Pair<int16_t, float>("float int16").template Pair<Half, float>("float half");
    find.template Pair<BFloat16, float>("float bfloat16").template Pair<int32_t, float>("float int32");
    find.template Pair<float, float>("float float").template Pair<int64_t, float>("float int64");
    find.template Pair<int32_t, int64_t>("int64 int32").template Pair<float, int64_t>("int64 float");
    find.template Pair<Float8E4M3, float>("float float8").template Pair<float, Float8E4M3>("float8 float");
    find.template Pair<BFloat16, Half>("half bfloat16").template Pair<Half, BFloat16>("bfloat16 half");
    find.template Case<Move>("move").template Case<MovePadIn>("move_pad_in").template Case<MoveNdToNz>("nd_to_nz");
    find.template Case<MoveOut<Half>>("move_out half").template Case<MoveOut<float>>("move_out float");
    find.template Case<MoveOut<int32_t>>("move_out int32");
    find.template Case<Load2D>("load2d").template Case<Load2DV2>("load2dv2").template Case<LoadTransposed>("load_transposed");
    find.template Case<Load3D>("load3d");
    find.template Case<Mmad<float, Half>>("mmad half").template Case<Mmad<float, BFloat16>>("mmad bfloat16");
    find.template Case<Mmad<float, float>>("mmad float").template Case<Mmad<int32_t, int8_t>>("mmad int8");
    find.template Case<Fixpipe<float, float>>("fixpipe float").template Case<Fixpipe<Half, float>>("fixpipe half");
    find.template Case<Fixpipe<BFloat16, float>>("fixpipe bfloat16");
    find.template Case<Fixpipe<int32_t, int32_t>>("fixpipe int32");
    return find.Found();
}

enum class Action {
    RUN,
    RANGES,
    ALIGNMENT,
    LIMITS
};

// What is asked of the instruction. Ranges gives six numbers for each access, up to `room` of them.
struct Question {
    Action action;
    Byte *const *operands;
    uint64_t *out;
    int64_t room;
    int64_t answer = 0; // RUN: elements taken (GatherMask) or the sum (Accumulate); RANGES: accesses; ALIGNMENT: bytes; LIMITS: limits

    void Put(const Access &access)
    {
        if (answer++ >= room) {
            return;
        }
        const uint64_t numbers[] = {access.operand, static_cast<uint64_t>(access.touch), access.offset,
            access.bytes, access.count, access.stride};
        out = std::copy(std::begin(numbers), std::end(numbers), out);
    }

    // Five numbers; the first is the address of the name.
    void Put(const Limit &limit)
    {
        ++answer;
        const uint64_t numbers[] = {reinterpret_cast<uint64_t>(limit.name), limit.least, limit.greatest,
            limit.multiple, limit.Kept()};
        out = std::copy(std::begin(numbers), std::end(numbers), out);
    }

    template <class Instruction>
    void operator()(const Instruction &instruction)
    {
        if (action == Action::RANGES) {
            instruction.Ranges(operands, [&](const Access &access) { Put(access); });
        } else if (action == Action::ALIGNMENT) {
            answer = instruction.Alignment(static_cast<uint32_t>(room));
        } else if (action == Action::LIMITS) {
            Limits(instruction, [&](const Limit &limit) { Put(limit); });
        } else {
            Run(instruction);
        }
    }

    template <class Instruction>
    void Run(const Instruction &instruction)
    {
        instruction.Run(operands);
    }

    template <class T>
    void Run(const Accumulate<T> &instruction)
    {
        const T total = instruction.Total(operands);
        std::memcpy(&answer, &total, sizeof(total));
    }

    template <class T>
    void Run(const GatherMask<T> &instruction)
    {
        answer = static_cast<int64_t>(instruction.Pack(operands));
    }
};

} // namespace

// The answer, or −1 when there is no such instruction. For the alignment, `room` is the operand.
extern "C" int64_t ask(int action, const char *name, const int64_t *fields, Byte *const *operands, uint64_t *out,
    int64_t room)
{
    Question question{static_cast<Action>(action), operands, out, room};
    return With(name, fields, question) ? question.answer : -1;
}

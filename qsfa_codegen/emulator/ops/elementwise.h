// The instructions that compute each destination element from the elements at the same place of the sources.
#pragma once

#include "arithmetic.h"
#include "convert.h"

namespace emulator::ops {

template <class Op, class T>
struct Unary {
    Mask mask;
    uint32_t repeat = 1;
    Strides dst;
    Strides src;
    Overflow overflow = Overflow::INF_NAN;

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

    void Run(Operands at) const
    {
        FillLanes<T>(All(), at[0], dst, [&](uint32_t step, uint32_t lane) {
            return Op::Of(Load<T>(at[1] + LaneOffset(src, sizeof(T), step, lane)), overflow);
        });
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        VisitLanes(All(), 1, Touch::READ, src, sizeof(T), visit);
        VisitLanes(All(), 0, Touch::WRITE, dst, sizeof(T), visit);
    }

private:
    Lanes All() const
    {
        return Lanes(mask, repeat, WIDTH<T>);
    }
};

// Cast. A repeat has as many elements as fit 256 bytes of the wider type.
template <class To, class From>
struct Cast {
    Mask mask;
    uint32_t repeat = 1;
    Strides dst;
    Strides src;
    Round round = Round::NONE;
    Overflow overflow = Overflow::INF_NAN;

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

    void Run(Operands at) const
    {
        FillLanes<To>(All(), at[0], dst, [&](uint32_t step, uint32_t lane) {
            return Convert<To>(Load<From>(at[1] + LaneOffset(src, sizeof(From), step, lane)), round, overflow);
        });
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        VisitLanes(All(), 1, Touch::READ, src, sizeof(From), visit);
        VisitLanes(All(), 0, Touch::WRITE, dst, sizeof(To), visit);
    }

private:
    Lanes All() const
    {
        return Lanes(mask, repeat, WIDTH<To, From>);
    }
};

template <class Op, class To, class From>
To Combine(const Byte *dst, From a, From b, Overflow overflow)
{
    if constexpr (Op::READS_DST) {
        return Op::Of(Load<To>(dst), a, b, overflow);
    } else {
        return Op::Of(a, b, overflow);
    }
}

template <class Op, class To, class From = To>
struct Binary {
    Mask mask;
    uint32_t repeat = 1;
    Strides dst;
    Strides src0;
    Strides src1;
    Overflow overflow = Overflow::INF_NAN;

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

    void Run(Operands at) const
    {
        FillLanes<To>(All(), at[0], dst, [&](uint32_t step, uint32_t lane) {
            const auto a = Load<From>(at[1] + LaneOffset(src0, sizeof(From), step, lane));
            const auto b = Load<From>(at[2] + LaneOffset(src1, sizeof(From), step, lane));
            return Combine<Op, To>(at[0] + LaneOffset(dst, sizeof(To), step, lane), a, b, overflow);
        });
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        VisitLanes(All(), 1, Touch::READ, src0, sizeof(From), visit);
        VisitLanes(All(), 2, Touch::READ, src1, sizeof(From), visit);
        if (Op::READS_DST) {
            VisitLanes(All(), 0, Touch::READ, dst, sizeof(To), visit);
        }
        VisitLanes(All(), 0, Touch::WRITE, dst, sizeof(To), visit);
    }

private:
    Lanes All() const
    {
        return Lanes(mask, repeat, WIDTH<To, From>);
    }
};

// The second operand is a scalar: Adds, Muls, Maxs, Mins, and Axpy (MulAddDst).
template <class Op, class To, class From = To>
struct Scalar {
    Mask mask;
    uint32_t repeat = 1;
    Strides dst;
    Strides src;
    From scalar{};
    Overflow overflow = Overflow::INF_NAN;

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

    void Run(Operands at) const
    {
        FillLanes<To>(All(), at[0], dst, [&](uint32_t step, uint32_t lane) {
            const auto a = Load<From>(at[1] + LaneOffset(src, sizeof(From), step, lane));
            return Combine<Op, To>(at[0] + LaneOffset(dst, sizeof(To), step, lane), a, scalar, overflow);
        });
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        VisitLanes(All(), 1, Touch::READ, src, sizeof(From), visit);
        if (Op::READS_DST) {
            VisitLanes(All(), 0, Touch::READ, dst, sizeof(To), visit);
        }
        VisitLanes(All(), 0, Touch::WRITE, dst, sizeof(To), visit);
    }

private:
    Lanes All() const
    {
        return Lanes(mask, repeat, WIDTH<To, From>);
    }
};

// ShiftLeft and ShiftRight by a scalar. Signed numbers keep their sign bit, in both directions; `roundUp` adds
// the last bit that is shifted out to the right.
template <class T>
struct Shift {
    Mask mask;
    uint32_t repeat = 1;
    Strides dst;
    Strides src;
    uint32_t distance = 0;
    bool left = false;
    bool roundUp = false;

    static uint32_t Alignment(uint32_t)
    {
        return BLOCK;
    }

    void Run(Operands at) const
    {
        FillLanes<T>(All(), at[0], dst, [&](uint32_t step, uint32_t lane) {
            return Shifted(Load<T>(at[1] + LaneOffset(src, sizeof(T), step, lane)));
        });
    }

    template <class Visit>
    void Ranges(Operands, Visit &&visit) const
    {
        VisitLanes(All(), 1, Touch::READ, src, sizeof(T), visit);
        VisitLanes(All(), 0, Touch::WRITE, dst, sizeof(T), visit);
    }

private:
    Lanes All() const
    {
        return Lanes(mask, repeat, WIDTH<T>);
    }

    T Shifted(T value) const
    {
        const auto wide = static_cast<int64_t>(value); // sign or zeros in front
        const uint32_t by = std::min<uint32_t>(distance, 63);
        if (left) {
            constexpr uint64_t sign = std::is_signed_v<T> ? uint64_t(1) << (8 * sizeof(T) - 1) : 0;
            const uint64_t moved = distance > 63 ? 0 : static_cast<uint64_t>(wide) << by;
            return static_cast<T>((moved & ~sign) | (static_cast<uint64_t>(wide) & sign));
        }
        const int64_t last = roundUp && by > 0 ? wide >> (by - 1) & 1 : 0;
        return static_cast<T>((wide >> by) + last);
    }
};

} // namespace emulator::ops

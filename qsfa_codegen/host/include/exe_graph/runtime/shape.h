// Stands in for exe_graph/runtime/shape.h. This one refuses to read an axis that the shape does not have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "standin/fail.h"

namespace gert {

struct Shape {
public:
    static constexpr size_t kMaxDimNum = 25;
    static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();

    Shape() = default;

    // As in the SDK, a copy has the axes that the other shape has and nothing behind them.
    Shape(const Shape &other)
    {
        *this = other;
    }

    Shape &operator=(const Shape &other)
    {
        dimNum_ = other.dimNum_;
        for (size_t i = 0; i < dimNum_; ++i) {
            dims_[i] = other.dims_[i];
        }
        return *this;
    }

    size_t GetDimNum() const
    {
        return dimNum_;
    }

    void SetDimNum(const size_t dim_num)
    {
        if (dim_num > kMaxDimNum) {
            standin::Fail("a shape gets %zu axes, it has room for %zu", dim_num, kMaxDimNum);
        }
        dimNum_ = dim_num;
    }

    int64_t GetDim(const size_t idx) const
    {
        if (idx >= dimNum_) {
            standin::Fail("axis %zu of a shape with %zu axes is read", idx, dimNum_);
        }
        return dims_[idx];
    }

    Shape &AppendDim(const int64_t value)
    {
        if (dimNum_ < kMaxDimNum) {
            dims_[dimNum_++] = value;
        }
        return *this;
    }

    // The number of elements; kInvalidDimValue where it overflows.
    int64_t GetShapeSize() const
    {
        int64_t size = 1;
        for (size_t i = 0; i < dimNum_; ++i) {
            if (__builtin_mul_overflow(size, dims_[i], &size)) {
                return kInvalidDimValue;
            }
        }
        return size;
    }

private:
    size_t dimNum_ = 0;
    int64_t dims_[kMaxDimNum] = {};
};

} // namespace gert

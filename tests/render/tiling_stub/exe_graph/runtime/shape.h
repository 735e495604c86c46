#pragma once
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
namespace gert {
struct Shape {
    static constexpr size_t kMaxDimNum = 25;
    static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();
    Shape() = default;
    Shape(const std::initializer_list<int64_t> &dims) { for (int64_t d : dims) AppendDim(d); }
    size_t GetDimNum() const { return num_; }
    int64_t GetDim(size_t i) const { return i < kMaxDimNum ? dims_[i] : kInvalidDimValue; }
    const int64_t &operator[](size_t i) const { return dims_[i]; }
    void SetDimNum(size_t n) { num_ = n; }
    void SetDim(size_t i, int64_t v) { if (i < kMaxDimNum) dims_[i] = v; }
    Shape &AppendDim(int64_t v) { if (num_ < kMaxDimNum) dims_[num_++] = v; return *this; }
    int64_t GetShapeSize() const
    {
        int64_t size = 1;
        for (size_t i = 0; i < num_; ++i) {
            if (__builtin_mul_overflow(size, dims_[i], &size)) return kInvalidDimValue;
        }
        return size;
    }
private:
    size_t num_ = 0;
    int64_t dims_[kMaxDimNum] = {};
};
} // namespace gert

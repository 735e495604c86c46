// What generated wrappers use of aclnn, with the same names; the rest of CANN is not here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <vector>

using aclnnStatus = int32_t;
using aclrtStream = void *;
struct aclOpExecutor;
enum aclDataType : int {};
enum aclFormat { ACL_FORMAT_ND = 2 };

namespace ge {
enum DataType : int {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_INT64 = 9,
    DT_BOOL = 12,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
    DT_HIFLOAT8 = 34,
    DT_FLOAT8_E5M2 = 35,
    DT_FLOAT8_E4M3FN = 36,
};

struct AscendString {
    std::string text;

    const char *GetString() const
    {
        return text.c_str();
    }
};
} // namespace ge

namespace gert {
// An axis that a shape does not have is a mistake of the code under test.
class Shape {
public:
    Shape() = default;
    Shape(std::initializer_list<int64_t> dims) : dims_(dims) {}
    explicit Shape(std::vector<int64_t> dims) : dims_(std::move(dims)) {}

    size_t GetDimNum() const
    {
        return dims_.size();
    }

    int64_t GetDim(size_t axis) const
    {
        return axis < dims_.size() ? dims_[axis] : (std::abort(), 0);
    }

    void AppendDim(int64_t dim)
    {
        dims_.push_back(dim);
    }

    int64_t GetShapeSize() const
    {
        int64_t size = 1;
        for (int64_t dim : dims_) {
            size *= dim;
        }
        return size;
    }

    bool operator==(const Shape &other) const
    {
        return dims_ == other.dims_;
    }

private:
    std::vector<int64_t> dims_;
};
} // namespace gert

class aclTensor {
public:
    aclTensor(gert::Shape shape, ge::DataType dtype) : shape_(std::move(shape)), dtype_(dtype) {}

    const gert::Shape &GetViewShape() const
    {
        return shape_;
    }

    ge::DataType GetDataType() const
    {
        return dtype_;
    }

private:
    gert::Shape shape_;
    ge::DataType dtype_;
};

class aclTensorList {
public:
    explicit aclTensorList(std::vector<const aclTensor *> tensors) : tensors_(std::move(tensors)) {}

    uint64_t Size() const
    {
        return tensors_.size();
    }

    const aclTensor *operator[](uint64_t index) const
    {
        return tensors_.at(index);
    }

private:
    std::vector<const aclTensor *> tensors_;
};

template <typename T> class Array {
public:
    Array(const T *values, uint64_t count) : values_(new T[count]), count_(count)
    {
        for (uint64_t index = 0; index < count; ++index) {
            values_[index] = values[index];
        }
    }

    ~Array()
    {
        delete[] values_;
    }

    Array(const Array &) = delete;
    Array &operator=(const Array &) = delete;

    const T *GetData() const
    {
        return values_;
    }

    uint64_t Size() const
    {
        return count_;
    }

private:
    T *values_;
    uint64_t count_;
};

class aclIntArray : public Array<int64_t> {
    using Array::Array;
};

class aclFloatArray : public Array<float> {
    using Array::Array;
};

class aclBoolArray : public Array<bool> {
    using Array::Array;
};

class aclScalar {
public:
    explicit aclScalar(ge::DataType dtype) : dtype_(dtype) {}

    ge::DataType GetDataType() const
    {
        return dtype_;
    }

private:
    ge::DataType dtype_;
};

// Tensors that the code under test made itself, and has not destroyed.
extern int g_living;

inline aclTensor *aclCreateTensor(const int64_t *dims, uint64_t rank, aclDataType dtype, const int64_t *, int64_t,
    aclFormat, const int64_t *, uint64_t, void *)
{
    ++g_living;
    gert::Shape shape(std::vector<int64_t>(dims, dims + rank));
    return new aclTensor(shape, static_cast<ge::DataType>(dtype));
}

inline aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
    --g_living;
    delete tensor;
    return 0;
}

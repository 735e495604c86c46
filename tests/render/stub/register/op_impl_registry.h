// A stand-in for CANN's header: what shape inference uses of it, over containers that a runner fills.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ge {
using graphStatus = uint32_t;
constexpr graphStatus GRAPH_SUCCESS = 0;
constexpr graphStatus GRAPH_FAILED = 0xFFFFFFFF;

enum DataType : int32_t {
    DT_FLOAT = 0,
    DT_FLOAT16 = 1,
    DT_INT8 = 2,
    DT_INT32 = 3,
    DT_INT64 = 9,
    DT_BF16 = 27,
    DT_UNDEFINED = 28,
    DT_INT4 = 29,
};
} // namespace ge

namespace gert {
class Shape {
public:
    size_t GetDimNum() const { return dims_.size(); }
    int64_t GetDim(size_t index) const { return dims_.at(index); }
    void SetDimNum(size_t count) { dims_.resize(count); }
    Shape &AppendDim(int64_t size)
    {
        dims_.push_back(size);
        return *this;
    }

private:
    std::vector<int64_t> dims_;
};

template <typename T>
class TypedContinuousVector {
public:
    explicit TypedContinuousVector(const std::vector<T> &values) : size_(values.size()), data_(new T[size_ + 1])
    {
        for (size_t i = 0; i < size_; ++i) {
            data_[i] = values[i];
        }
    }
    size_t GetSize() const { return size_; }
    const T *GetData() const { return data_; }

private:
    size_t size_;
    T *data_;
};

class RuntimeAttrs {
public:
    size_t GetAttrNum() const { return pointers.size(); }
    template <typename T>
    const T *GetAttrPointer(size_t index) const
    {
        return static_cast<const T *>(pointers.at(index));
    }

    std::vector<const void *> pointers;
};

class AnchorInstanceInfo {
public:
    size_t GetInstanceNum() const { return count; }

    size_t count = 0;
};

struct Tensor {
    ge::DataType dtype = ge::DT_UNDEFINED;
    Shape shape;
};

class Context {
public:
    const char *GetNodeName() const { return "node"; }
    const RuntimeAttrs *GetAttrs() const { return &attrs; }
    const AnchorInstanceInfo *GetIrInputInstanceInfo(size_t index) const { return &instances.at(index); }
    const Tensor *At(size_t index, size_t place) const
    {
        const std::vector<Tensor> &tensors = inputs.at(index);
        return place < tensors.size() ? &tensors[place] : nullptr;
    }

    std::vector<std::vector<Tensor>> inputs;
    std::vector<AnchorInstanceInfo> instances;
    RuntimeAttrs attrs;
};

class InferShapeContext : public Context {
public:
    const Shape *GetDynamicInputShape(size_t index, size_t place) const
    {
        const Tensor *tensor = At(index, place);
        return tensor == nullptr ? nullptr : &tensor->shape;
    }
    const Shape *GetRequiredInputShape(size_t index) const { return GetDynamicInputShape(index, 0); }
    const Shape *GetOptionalInputShape(size_t index) const { return GetDynamicInputShape(index, 0); }
    Shape *GetOutputShape(size_t index) { return index < outputs.size() ? &outputs[index] : nullptr; }

    std::vector<Shape> outputs;
};

class InferDataTypeContext : public Context {
public:
    ge::DataType GetDynamicInputDataType(size_t index, size_t place) const
    {
        const Tensor *tensor = At(index, place);
        return tensor == nullptr ? ge::DT_UNDEFINED : tensor->dtype;
    }
    ge::DataType GetRequiredInputDataType(size_t index) const { return GetDynamicInputDataType(index, 0); }
    ge::DataType GetOptionalInputDataType(size_t index) const { return GetDynamicInputDataType(index, 0); }
    ge::graphStatus SetOutputDataType(size_t index, ge::DataType dtype)
    {
        dtypes.at(index) = dtype;
        return ge::GRAPH_SUCCESS;
    }

    std::vector<ge::DataType> dtypes;
};

struct Registered {
    ge::graphStatus (*shape)(InferShapeContext *) = nullptr;
    ge::graphStatus (*dtype)(InferDataTypeContext *) = nullptr;

    Registered &InferShape(ge::graphStatus (*function)(InferShapeContext *))
    {
        shape = function;
        return *this;
    }
    Registered &InferDataType(ge::graphStatus (*function)(InferDataTypeContext *))
    {
        dtype = function;
        return *this;
    }
};

extern Registered g_registered;
} // namespace gert

#define IMPL_OP_INFERSHAPE(name) static gert::Registered &g_##name = gert::g_registered

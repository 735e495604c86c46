// EXEC_NPU_CMD that writes down what the aclnn function would get.
#pragma once

#include <string>

#include "ATen/ATen.h"

struct aclIntArray;
struct aclFloatArray;
struct aclBoolArray;

extern std::string g_command;

inline std::string Shown(const at::Tensor &tensor)
{
    if (!tensor.defined()) {
        return "nothing";
    }
    std::string text = c10::toString(tensor.scalar_type());
    for (int64_t size : tensor.sizes()) {
        text += " " + std::to_string(size);
    }
    return text;
}

enum aclDataType { ACL_DT_UNDEFINED = -1, ACL_HIFLOAT8 = 34 };

#ifndef GOES_BY_THE_TENSOR
// As in torch_npu: a tensor, and the dtype that aclnn is told.
struct TensorWrapper {
    const at::Tensor &tensor_;
    aclDataType dtype;
};

inline TensorWrapper make_wrapper(const at::Tensor &tensor, std::optional<int64_t>)
{
    return {tensor, ACL_DT_UNDEFINED};
}

inline std::string Shown(const TensorWrapper &wrapper)
{
    return (wrapper.dtype == ACL_HIFLOAT8 ? "HIFLOAT8 in " : "") + Shown(wrapper.tensor_);
}
#endif

inline std::string Shown(const std::optional<at::Tensor> &tensor)
{
    return tensor.has_value() ? Shown(*tensor) : "nothing";
}

inline std::string Shown(const at::TensorList &tensors)
{
    std::string text = "list";
    for (const at::Tensor &tensor : tensors) {
        text += " (" + Shown(tensor) + ")";
    }
    return text;
}

template <typename T> std::string Shown(const at::ArrayRef<T> &values)
{
    std::string text = "list";
    for (const T &value : values) {
        text += " " + std::to_string(value);
    }
    return text;
}

template <typename T> std::string Shown(const std::optional<at::ArrayRef<T>> &values)
{
    return values.has_value() ? Shown(*values) : "nothing";
}

inline std::string Shown(char *text)
{
    return text == nullptr ? "nothing" : std::string("'") + text + "'";
}

inline std::string Shown(aclIntArray *array)
{
    return array == nullptr ? "nothing" : "array";
}

inline std::string Shown(aclFloatArray *array)
{
    return array == nullptr ? "nothing" : "array";
}

inline std::string Shown(aclBoolArray *array)
{
    return array == nullptr ? "nothing" : "array";
}

inline std::string Shown(const int64_t &value)
{
    return std::to_string(value);
}

inline std::string Shown(const bool &value)
{
    return value ? "true" : "false";
}

inline std::string Shown(const double &value)
{
    return std::to_string(value);
}

// Every argument is an object that lives on: the real macro takes references.
template <typename... Args> void Command(const char *name, Args &...args)
{
    g_command = name;
    ((g_command += "; " + Shown(args)), ...);
}

#define EXEC_NPU_CMD(name, ...) Command(#name, __VA_ARGS__)

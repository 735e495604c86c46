// Runs the shape inference that is linked to it. Each line of the input is a call:
//     in=DTYPE:2,3;DTYPE:4,5   one for each input, its tensors; `in=` is an absent one
//     attr=KIND:VALUE          i, f, b, s, li, lb (lists with commas); only those that the graph has
//     out=N                    the number of outputs
// Each line of the output: `ok DTYPE:2,3 DTYPE:4,5` or `no`; messages go to stderr.
#include "register/op_impl_registry.h"

#include <cstdio>
#include <iostream>
#include <sstream>

gert::Registered gert::g_registered;

namespace {
std::vector<std::string> Split(const std::string &text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);) {
        parts.push_back(part);
    }
    return parts;
}

template <typename T>
std::vector<T> Numbers(const std::string &text)
{
    std::vector<T> numbers;
    for (const std::string &part : Split(text, ',')) {
        numbers.push_back(static_cast<T>(std::stoll(part)));
    }
    return numbers;
}

std::vector<gert::Tensor> Tensors(const std::string &text)
{
    std::vector<gert::Tensor> tensors;
    for (const std::string &part : Split(text, ';')) {
        const size_t colon = part.find(':');
        gert::Tensor tensor;
        tensor.dtype = static_cast<ge::DataType>(std::stoi(part.substr(0, colon)));
        for (const int64_t size : Numbers<int64_t>(part.substr(colon + 1))) {
            tensor.shape.AppendDim(size);
        }
        tensors.push_back(tensor);
    }
    return tensors;
}

const void *Attr(const std::string &kind, const std::string &text)
{
    if (kind == "i") {
        return new int64_t(std::stoll(text));
    }
    if (kind == "f") {
        return new float(std::stof(text));
    }
    if (kind == "b") {
        return new bool(text == "1");
    }
    if (kind == "li") {
        return new gert::TypedContinuousVector<int64_t>(Numbers<int64_t>(text));
    }
    if (kind == "lb") {
        return new gert::TypedContinuousVector<bool>(Numbers<bool>(text));
    }
    return (new std::string(text))->c_str();
}

void Fill(gert::Context &context, const std::string &key, const std::string &value)
{
    if (key == "in") {
        context.inputs.push_back(Tensors(value));
        context.instances.push_back({context.inputs.back().size()});
    } else if (key == "attr") {
        const size_t colon = value.find(':');
        context.attrs.pointers.push_back(Attr(value.substr(0, colon), value.substr(colon + 1)));
    }
}

std::string Answer(const gert::Shape &shape, ge::DataType dtype)
{
    std::string text = " " + std::to_string(dtype) + ":";
    for (size_t i = 0; i < shape.GetDimNum(); ++i) {
        text += (i == 0 ? "" : ",") + std::to_string(shape.GetDim(i));
    }
    return text;
}

std::string Run(const std::string &line)
{
    gert::InferShapeContext shapes;
    gert::InferDataTypeContext dtypes;
    for (const std::string &word : Split(line, ' ')) {
        const size_t equals = word.find('=');
        const std::string key = word.substr(0, equals);
        const std::string value = word.substr(equals + 1);
        Fill(shapes, key, value);
        Fill(dtypes, key, value);
        if (key == "out") {
            shapes.outputs.resize(std::stoul(value));
            dtypes.dtypes.resize(std::stoul(value), ge::DT_UNDEFINED);
        }
    }
    if (gert::g_registered.shape(&shapes) != ge::GRAPH_SUCCESS ||
        gert::g_registered.dtype(&dtypes) != ge::GRAPH_SUCCESS) {
        return "no";
    }
    std::string text = "ok";
    for (size_t i = 0; i < shapes.outputs.size(); ++i) {
        text += Answer(shapes.outputs[i], dtypes.dtypes[i]);
    }
    return text;
}
} // namespace

int main()
{
    for (std::string line; std::getline(std::cin, line);) {
        std::cout << Run(line) << std::endl;
        std::fputs("--\n", stderr);
    }
}

// Stands in for infer_datatype_context_faker.h of the test framework.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "exe_graph/runtime/infer_datatype_context.h"
#include "fake_node.h"

namespace gert {

// The context with all that it points to.
class InferDataTypeContextHolder {
public:
    void Make(const std::string &type, size_t outputs)
    {
        node_ = std::make_unique<standin::FakeNode>(type);
        types_ = std::make_unique<std::vector<ge::DataType>>(outputs, ge::DT_MAX);
    }

    standin::FakeNode &Node()
    {
        return *node_;
    }

    template <typename T>
    T *GetContext()
    {
        context_ = std::make_unique<T>(node_->Get(), *types_);
        return context_.get();
    }

private:
    std::unique_ptr<standin::FakeNode> node_;
    std::unique_ptr<std::vector<ge::DataType>> types_;
    std::unique_ptr<InferDataTypeContext> context_;
};

class InferDataTypeContextFaker {
public:
    InferDataTypeContextFaker &SetOpType(const std::string opType)
    {
        type_ = opType;
        return *this;
    }

    InferDataTypeContextFaker &IrInstanceNum(
        const std::vector<uint32_t> &inputInstanceNum, const std::vector<uint32_t> &outputInstanceNum)
    {
        holder_.Make(type_, outputInstanceNum.size());
        holder_.Node().Inputs(inputInstanceNum);
        return *this;
    }

    InferDataTypeContextFaker &NodeInputTd(int32_t, ge::DataType dtype, ge::Format format, ge::Format)
    {
        holder_.Node().Add(standin::FakeTensor(StorageShape(), dtype, format));
        return *this;
    }

    InferDataTypeContextFaker &NodeOutputTd(int32_t, ge::Format, ge::Format)
    {
        return *this;
    }

    InferDataTypeContextFaker &NodeAttrs(
        const std::vector<std::pair<std::string, Ops::Transformer::AnyValue>> &attrs)
    {
        for (const auto &attr : attrs) {
            holder_.Node().Add(attr.second);
        }
        return *this;
    }

    InferDataTypeContextHolder Build()
    {
        return std::move(holder_);
    }

private:
    std::string type_;
    InferDataTypeContextHolder holder_;
};

} // namespace gert

// No header of the test framework: the node of a call that a test describes.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "any_value.h"
#include "exe_graph/runtime/continuous_vector.h"
#include "graph/types.h"
#include "standin/fail.h"
#include "standin/node.h"

namespace standin {

// One tensor of a call, or one output.
struct FakeTensor {
    FakeTensor(const gert::StorageShape &shape, ge::DataType dtype, ge::Format format, bool isConst = false,
        void *constValue = nullptr)
        : shape_(shape), dtype_(dtype), format_(format), constValue_(isConst ? constValue : nullptr)
    {
    }

    gert::StorageShape shape_;
    ge::DataType dtype_;
    ge::Format format_;
    void *constValue_;
};

struct FakeAttr {
    FakeAttr(const std::string &name, const Ops::Transformer::AnyValue &value)
        : name_(name), value_(value)
    {
    }

    std::string name_;
    Ops::Transformer::AnyValue value_;
};

// A node and what its attributes point to: it must stay where it is.
class FakeNode {
public:
    explicit FakeNode(const std::string &type)
    {
        node_.type = type;
    }

    FakeNode(const FakeNode &) = delete;
    FakeNode &operator=(const FakeNode &) = delete;

    void Inputs(const std::vector<uint32_t> &counts)
    {
        uint32_t start = 0;
        for (const uint32_t count : counts) {
            node_.inputs.emplace_back(start, count);
            start += count;
        }
    }

    void Add(const FakeTensor &tensor)
    {
        node_.shapes.push_back(tensor.shape_);
        node_.descs.emplace_back().SetDataType(tensor.dtype_);
        node_.tensors.emplace_back(tensor.shape_, tensor.dtype_, tensor.constValue_);
    }

    void Add(const Ops::Transformer::AnyValue &value)
    {
        std::visit([this](const auto &held) { Append(held); }, values_.emplace_back(value).Get());
    }

    const Node &Get() const
    {
        if (!node_.inputs.empty()) {
            const gert::AnchorInstanceInfo &last = node_.inputs.back();
            if (last.GetInstanceStart() + last.GetInstanceNum() != node_.shapes.size()) {
                Fail("a test describes %zu tensors, but says that %zu are passed", node_.shapes.size(),
                    last.GetInstanceStart() + last.GetInstanceNum());
            }
        }
        return node_;
    }

private:
    template <typename T>
    void Append(const T &value)
    {
        node_.attrs.Append(&value);
    }

    void Append(const std::string &text)
    {
        node_.attrs.Append(text.c_str());
    }

    void Append(const std::vector<int64_t> &items)
    {
        node_.attrs.Append(&integers_.emplace_back(items.data(), items.size()));
    }

    void Append(const std::vector<float> &items)
    {
        node_.attrs.Append(&reals_.emplace_back(items.data(), items.size()));
    }

    void Append(const std::vector<bool> &items)
    {
        auto &kept = bools_.emplace_back(std::make_unique<bool[]>(items.size()));
        std::copy(items.begin(), items.end(), kept.get());
        node_.attrs.Append(&flags_.emplace_back(kept.get(), items.size()));
    }

    Node node_;
    std::deque<Ops::Transformer::AnyValue> values_;
    std::deque<gert::TypedContinuousVector<int64_t>> integers_;
    std::deque<gert::TypedContinuousVector<float>> reals_;
    std::deque<std::unique_ptr<bool[]>> bools_;
    std::deque<gert::TypedContinuousVector<bool>> flags_;
};

// What a test says of a call.
struct FakeCall {
    FakeCall(const std::string &opName, const std::vector<FakeTensor> &inputs,
        const std::vector<FakeTensor> &outputs, const std::vector<FakeAttr> &attrs,
        const std::vector<uint32_t> &inputCounts, const std::vector<uint32_t> &outputCounts)
        : opName_(opName), inputs_(inputs), outputs_(outputs), attrs_(attrs), inputCounts_(inputCounts),
          outputCounts_(outputCounts)
    {
    }

    void Describe(FakeNode &node) const
    {
        node.Inputs(inputCounts_);
        for (const FakeTensor &input : inputs_) {
            node.Add(input);
        }
        for (const FakeAttr &attr : attrs_) {
            node.Add(attr.value_);
        }
    }

    std::string opName_;
    std::vector<FakeTensor> inputs_;
    std::vector<FakeTensor> outputs_;
    std::vector<FakeAttr> attrs_;
    std::vector<uint32_t> inputCounts_;
    std::vector<uint32_t> outputCounts_;
};

} // namespace standin

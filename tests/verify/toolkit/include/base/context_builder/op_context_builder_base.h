// As a toolkit has it, around a node of the stand-in.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/context_builder/context_holder.h"
#include "exe_graph/runtime/continuous_vector.h"
#include "exe_graph/runtime/tiling_context.h"
#include "graph/ascend_string.h"
#include "register/op_impl_registry.h"
#include "standin/node.h"

namespace gert {

// All that a context refers to.
struct Parts {
    standin::Node node;
    std::vector<std::shared_ptr<void>> kept;
    std::vector<Shape> shapes;
    std::vector<ge::DataType> dtypes;
    standin::CompileInfo compileInfo;
    std::vector<uint8_t> buffer;
    standin::TilingAnswer answer{TilingData(nullptr, 0)};
};

template <typename T>
class OpContextBuilderBase {
public:
    T &OpType(const ge::AscendString &type)
    {
        parts_->node.type = type.GetString();
        return Self();
    }

    T &OpName(const ge::AscendString &)
    {
        return Self();
    }

    T &IOInstanceNum(const std::vector<uint32_t> &inputs, const std::vector<uint32_t> &outputs)
    {
        uint32_t start = 0;
        for (const uint32_t count : inputs) {
            parts_->node.inputs.emplace_back(start, count);
            start += count;
        }
        parts_->node.descs.resize(start);
        parts_->shapes.resize(outputs.size());
        parts_->dtypes.assign(outputs.size(), ge::DT_MAX);
        return Self();
    }

    T &AppendAttr(const ge::AscendString &attr)
    {
        parts_->node.attrs.Append(Keep(attr)->GetString());
        return Self();
    }

    template <typename Value>
    T &AppendAttr(const Value &attr)
    {
        parts_->node.attrs.Append(Keep(attr));
        return Self();
    }

    template <typename Item>
    T &AppendAttr(const std::vector<Item> &attr)
    {
        std::shared_ptr<Item[]> items(new Item[attr.size()]);
        std::copy(attr.begin(), attr.end(), items.get());
        parts_->kept.push_back(items);
        parts_->node.attrs.Append(Keep(TypedContinuousVector<Item>(items.get(), attr.size())));
        return Self();
    }

    T &InputTensorDesc(size_t index, ge::DataType dtype, ge::Format, ge::Format)
    {
        parts_->node.descs[index].SetDataType(dtype);
        return Self();
    }

    T &InputTensors(const std::vector<Tensor *> &inputs)
    {
        for (size_t i = 0; i < inputs.size(); ++i) {
            parts_->node.shapes.push_back(inputs[i]->GetShape());
            parts_->node.tensors.push_back(*inputs[i]);
            parts_->node.descs[i].SetDataType(inputs[i]->GetDataType());
        }
        return Self();
    }

protected:
    void SetCompileInfo(const void *info)
    {
        parts_->compileInfo = {const_cast<void *>(info), standin::Registered()[parts_->node.type].compileInfoType};
    }

    const std::shared_ptr<Parts> parts_ = std::make_shared<Parts>();

private:
    template <typename Value>
    const Value *Keep(const Value &value)
    {
        auto kept = std::make_shared<Value>(value);
        parts_->kept.push_back(kept);
        return kept.get();
    }

    T &Self()
    {
        return static_cast<T &>(*this);
    }
};

} // namespace gert

// Stands in for exe_graph/runtime/tiling_context.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/tiling_data.h"

namespace standin {

// What a tiling function hands over; a key or block dim that it does not set stays empty.
struct TilingAnswer {
    static constexpr size_t MAX_WORKSPACES = 16;

    explicit TilingAnswer(gert::TilingData buffer)
        : data(buffer)
    {
    }

    std::optional<uint64_t> key;
    std::optional<uint32_t> blockDim;
    uint32_t scheduleMode = 0;
    size_t workspaces[MAX_WORKSPACES] = {};
    size_t workspaceCount = 0;
    gert::TilingData data;
};

// What the operator's TilingParse function left for its Tiling function.
struct CompileInfo {
    void *info = nullptr;
    TypeTag type = nullptr;
};

} // namespace standin

namespace gert {

class TilingContext : public ExtendedKernelContext {
public:
    TilingContext(
        const standin::Node &node, const standin::CompileInfo &compile_info, standin::TilingAnswer &answer)
        : ExtendedKernelContext(node), compileInfo_(compile_info), answer_(answer)
    {
    }

    template <typename T>
    const T *GetCompileInfo() const
    {
        if (compileInfo_.info != nullptr && compileInfo_.type != standin::TagOf<T>()) {
            standin::Fail("tiling reads another compile info than the one it was registered with");
        }
        return static_cast<const T *>(compileInfo_.info);
    }

    const StorageShape *GetInputShape(const size_t index) const
    {
        return ShapeAt(index);
    }

    const StorageShape *GetRequiredInputShape(const size_t ir_index) const
    {
        return GetDynamicInputShape(ir_index, 0);
    }

    const StorageShape *GetOptionalInputShape(const size_t ir_index) const
    {
        return GetDynamicInputShape(ir_index, 0);
    }

    const StorageShape *GetDynamicInputShape(const size_t ir_index, const size_t relative_index) const
    {
        return ShapeOf(ir_index, relative_index);
    }

    const Tensor *GetInputTensor(const size_t index) const
    {
        return TensorAt(index);
    }

    const Tensor *GetRequiredInputTensor(const size_t ir_index) const
    {
        return GetDynamicInputTensor(ir_index, 0);
    }

    const Tensor *GetOptionalInputTensor(const size_t ir_index) const
    {
        return GetDynamicInputTensor(ir_index, 0);
    }

    const Tensor *GetDynamicInputTensor(const size_t ir_index, const size_t relative_index) const
    {
        return TensorAt(PlaceOf(ir_index, relative_index));
    }

    ge::graphStatus SetTilingKey(const uint64_t tiling_key)
    {
        answer_.key = tiling_key;
        return ge::GRAPH_SUCCESS;
    }

    ge::graphStatus SetBlockDim(const uint32_t block_dim)
    {
        answer_.blockDim = block_dim;
        return ge::GRAPH_SUCCESS;
    }

    ge::graphStatus SetScheduleMode(const uint32_t schedule_mode)
    {
        answer_.scheduleMode = schedule_mode;
        return ge::GRAPH_SUCCESS;
    }

    size_t *GetWorkspaceSizes(const size_t workspace_count)
    {
        if (workspace_count > standin::TilingAnswer::MAX_WORKSPACES) {
            return nullptr;
        }
        answer_.workspaceCount = workspace_count;
        return answer_.workspaces;
    }

    // What was set, for runners.
    uint64_t GetTilingKey() const
    {
        return answer_.key.value_or(0);
    }

    uint32_t GetBlockDim() const
    {
        return answer_.blockDim.value_or(0);
    }

    uint32_t GetScheduleMode() const
    {
        return answer_.scheduleMode;
    }

    size_t GetWorkspaceNum() const
    {
        return answer_.workspaceCount;
    }

    TilingData *GetRawTilingData()
    {
        return &answer_.data;
    }

    template <typename T>
    T *GetTilingData()
    {
        if (answer_.data.GetCapacity() < sizeof(T)) {
            return nullptr;
        }
        answer_.data.SetDataSize(sizeof(T));
        return static_cast<T *>(answer_.data.GetData());
    }

private:
    const standin::CompileInfo &compileInfo_;
    standin::TilingAnswer &answer_;
};

} // namespace gert

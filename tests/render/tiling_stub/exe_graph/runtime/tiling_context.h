#pragma once
#include <map>
#include <vector>
#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/storage_shape.h"
#include "graph/types.h"
#include "platform/platform_infos_def.h"
namespace gert {
class CompileTimeTensorDesc {
public:
    ge::DataType GetDataType() const { return dtype; }
    ge::DataType dtype = ge::DT_UNDEFINED;
};
class TilingData {
public:
    size_t GetCapacity() const { return sizeof(data_); }
    size_t GetDataSize() const { return size_; }
    void SetDataSize(size_t n) { size_ = n; }
    void *GetData() { return data_; }
private:
    size_t size_ = 0;
    alignas(8) uint8_t data_[4096] = {};
};
class TilingContext {
public:
    const StorageShape *GetInputShape(size_t i) const { return GetOptionalInputShape(i); }
    const CompileTimeTensorDesc *GetInputDesc(size_t i) const { return GetOptionalInputDesc(i); }
    const StorageShape *GetRequiredInputShape(size_t i) const { return GetOptionalInputShape(i); }
    const StorageShape *GetOptionalInputShape(size_t i) const
    {
        return i < shapes.size() && present[i] ? &shapes[i] : nullptr;
    }
    const CompileTimeTensorDesc *GetRequiredInputDesc(size_t i) const { return GetOptionalInputDesc(i); }
    const CompileTimeTensorDesc *GetOptionalInputDesc(size_t i) const
    {
        return i < descs.size() && present[i] ? &descs[i] : nullptr;
    }
    const RuntimeAttrs *GetAttrs() const { return &attrs; }
    const char *GetNodeName() const { return "node"; }
    const char *GetNodeType() const { return "type"; }
    fe::PlatFormInfos *GetPlatformInfo() const { return platform; }
    template <typename T> const T *GetCompileInfo() const { return static_cast<const T *>(compile_info); }
    template <typename T> T *GetTilingData()
    {
        data.SetDataSize(sizeof(T));
        return reinterpret_cast<T *>(data.GetData());
    }
    TilingData *GetRawTilingData() { return &data; }
    size_t *GetWorkspaceSizes(size_t n) { workspace.resize(n); return workspace.data(); }
    ge::graphStatus SetTilingKey(uint64_t k) { key = k; return ge::GRAPH_SUCCESS; }
    ge::graphStatus SetBlockDim(uint32_t n) { block_dim = n; return ge::GRAPH_SUCCESS; }
    ge::graphStatus SetScheduleMode(uint32_t m) { schedule_mode = m; return ge::GRAPH_SUCCESS; }

    std::vector<StorageShape> shapes;
    std::vector<CompileTimeTensorDesc> descs;
    std::vector<char> present;
    RuntimeAttrs attrs;
    fe::PlatFormInfos *platform = nullptr;
    const void *compile_info = nullptr;
    TilingData data;
    std::vector<size_t> workspace;
    uint64_t key = 0;
    uint32_t block_dim = 0, schedule_mode = 0;
};
} // namespace gert

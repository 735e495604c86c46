// Stands in for exe_graph/runtime/compute_node_info.h.
#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/types.h"

namespace gert {

// Which of a call's tensors stand at one input of the definition: none, one, or those of a list.
class AnchorInstanceInfo {
public:
    AnchorInstanceInfo(const uint32_t instance_start, const uint32_t instantiation_num)
        : start_(instance_start), count_(instantiation_num)
    {
    }

    size_t GetInstanceNum() const
    {
        return count_;
    }

    size_t GetInstanceStart() const
    {
        return start_;
    }

private:
    uint32_t start_;
    uint32_t count_;
};

class CompileTimeTensorDesc {
public:
    ge::DataType GetDataType() const
    {
        return dtype_;
    }

    void SetDataType(const ge::DataType data_type)
    {
        dtype_ = data_type;
    }

private:
    ge::DataType dtype_ = ge::DT_UNDEFINED;
};

} // namespace gert

// No header of the SDK: a call of an operator, which contexts show to host functions and the runner fills.
#pragma once

#include <string>
#include <vector>

#include "exe_graph/runtime/compute_node_info.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/storage_shape.h"
#include "exe_graph/runtime/tensor.h"

namespace standin {

struct Node {
    std::string type;
    std::vector<gert::AnchorInstanceInfo> inputs; // one for each input of the definition
    std::vector<gert::StorageShape> shapes; // of the tensors that are passed, in order
    std::vector<gert::CompileTimeTensorDesc> descs;
    std::vector<gert::Tensor> tensors;
    gert::RuntimeAttrs attrs;
};

} // namespace standin

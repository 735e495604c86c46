// A call as it is read from its line (runner/call.h has the grammar), before there is a context.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "exe_graph/runtime/tiling_context.h"
#include "graph/ascend_string.h"
#include "graph/types.h"

namespace standin {

struct Device {
    std::string soc; // ascend910b: the name of its configuration
    uint64_t arch = 0;
    uint64_t aic = 0;
    uint64_t aiv = 0;
    uint64_t ub = 0; // bytes

    bool operator==(const Device &other) const
    {
        return std::tie(soc, arch, aic, aiv, ub) ==
            std::tie(other.soc, other.arch, other.aic, other.aiv, other.ub);
    }
};

using Value = std::variant<bool, int64_t, float, ge::AscendString, std::vector<bool>, std::vector<int64_t>,
    std::vector<float>, std::vector<std::vector<int64_t>>>;

struct Request {
    char stage = 'a';
    Device device;
    std::vector<uint32_t> instances; // how many tensors stand at each input
    std::vector<gert::Tensor> tensors; // in order
    std::deque<std::vector<uint8_t>> data; // of the tensors that are given with data
    std::vector<Value> attrs;
};

Request Read(const std::string &line);

} // namespace standin

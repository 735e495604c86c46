// Stands in for tiling_case_executor.h of the test framework.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "register/op_impl_registry.h"
#include "tiling_context_faker.h"

struct TilingInfo {
    int64_t tilingKey = -1;
    std::vector<int64_t> workspaceSizes;
    std::unique_ptr<uint8_t[]> tilingData;
    size_t tilingDataSize = 0;
    size_t blockNum = 0;
};

inline bool ExecuteTiling(const gert::TilingContextPara &call, TilingInfo &info)
{
    constexpr int STALE = 0xA5; // what the buffer holds before host code fills it
    const standin::Functions &functions = standin::Registered().at(call.opName_);
    standin::FakeNode node(call.opName_);
    call.Describe(node);
    std::vector<uint8_t> buffer(call.tilingDataSize_, STALE);
    standin::TilingAnswer answer(gert::TilingData(buffer.data(), buffer.size()));
    const standin::CompileInfo compileInfo = {call.compileInfo_, functions.compileInfoType};
    gert::TilingContext context(node.Get(), compileInfo, answer);
    if (functions.tiling(&context) != ge::GRAPH_SUCCESS) {
        return false;
    }
    info.tilingKey = static_cast<int64_t>(answer.key.value_or(0));
    info.blockNum = answer.blockDim.value_or(0);
    info.workspaceSizes.assign(answer.workspaces, answer.workspaces + answer.workspaceCount);
    info.tilingDataSize = answer.data.GetDataSize();
    info.tilingData = std::make_unique<uint8_t[]>(info.tilingDataSize);
    std::memcpy(info.tilingData.get(), buffer.data(), info.tilingDataSize);
    return true;
}

inline void ExecuteTestCase(
    const gert::TilingContextPara &call, ge::graphStatus expectResult = ge::GRAPH_FAILED)
{
    TilingInfo info;
    ASSERT_EQ(ExecuteTiling(call, info) ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED, expectResult);
}

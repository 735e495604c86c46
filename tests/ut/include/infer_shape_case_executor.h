// Stands in for infer_shape_case_executor.h of the test framework.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "infer_shape_context_faker.h"
#include "register/op_impl_registry.h"

inline void ExecuteTestCase(gert::InfershapeContextPara &call,
    ge::graphStatus expectResult = ge::GRAPH_FAILED,
    const std::vector<std::vector<int64_t>> &expectOutputShape = {})
{
    standin::FakeNode node(call.opName_);
    call.Describe(node);
    std::vector<gert::Shape> outputs(call.outputs_.size());
    gert::InferShapeContext context(node.Get(), outputs);
    ASSERT_EQ(standin::Registered().at(call.opName_).inferShape(&context), expectResult);
    for (size_t i = 0; i < expectOutputShape.size(); ++i) {
        std::vector<int64_t> sizes;
        for (size_t axis = 0; axis < outputs[i].GetDimNum(); ++axis) {
            sizes.push_back(outputs[i].GetDim(axis));
        }
        EXPECT_EQ(sizes, expectOutputShape[i]);
    }
}

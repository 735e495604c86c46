// Stands in for infer_shape_context_faker.h of the test framework.
#pragma once

#include "fake_node.h"

namespace gert {

class InfershapeContextPara : public standin::FakeCall {
public:
    using TensorDescription = standin::FakeTensor;
    using OpAttr = standin::FakeAttr;
    using FakeCall::FakeCall;
};

} // namespace gert

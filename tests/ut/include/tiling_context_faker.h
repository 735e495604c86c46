// Stands in for tiling_context_faker.h of the test framework.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "fake_node.h"

namespace gert {

class TilingContextPara : public standin::FakeCall {
public:
    using TensorDescription = standin::FakeTensor;
    using OpAttr = standin::FakeAttr;

    // What a chip has is for the platform API alone, which tiling does not ask.
    TilingContextPara(const std::string &opName, const std::vector<TensorDescription> &inputTensorDesc,
        const std::vector<TensorDescription> &outputTensorDesc, const std::vector<OpAttr> &attrs,
        const std::vector<uint32_t> &inputInstanceNum, const std::vector<uint32_t> &outputInstanceNum,
        void *compileInfo = nullptr, const std::string & = "Ascend910B", uint64_t = 64, uint64_t = 262144,
        uint64_t tilingDataSize = 4096)
        : FakeCall(opName, inputTensorDesc, outputTensorDesc, attrs, inputInstanceNum, outputInstanceNum),
          compileInfo_(compileInfo), tilingDataSize_(tilingDataSize)
    {
    }

    void *compileInfo_;
    uint64_t tilingDataSize_;
};

} // namespace gert

// A call as a line of text, and the node that host functions see.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "exe_graph/runtime/continuous_vector.h"
#include "platform/platform_infos_def.h"
#include "standin/node.h"

namespace standin {

// What an attribute points to.
struct Value {
    int64_t integer = 0;
    float real = 0;
    bool flag = false;
    std::string text;
    std::vector<int64_t> integers;
    std::vector<float> reals;
    std::unique_ptr<bool[]> flags;
    gert::TypedContinuousVector<int64_t> integerList;
    gert::TypedContinuousVector<float> realList;
    gert::TypedContinuousVector<bool> flagList;
};

// The part of the host's work that is asked for: INFER, TILING and then outputs, or ALL in the host's order.
enum class Stage : char {
    INFER = 'i',
    TILING = 't',
    ALL = 'a',
};

struct Call {
    Stage stage = Stage::ALL;
    std::string deviceText; // tells devices apart
    Device device;
    Node node;
    std::vector<Value> values;
    std::vector<std::vector<uint8_t>> data; // of the inputs that are given with data
};

// Reads STAGE | SOC ARCH AIC AIV UB LIBAPI | INPUT … | ATTR …, with tabs where blanks stand here and
// without the blanks around the bars.
//
//     INPUT   - or the tensors at that input, each DTYPE:SIZE,SIZE… and `;` between them; behind one
//             whose data the host has, =NUMBER,NUMBER…
//     ATTR    - (no value) or a letter and the value: i integer, f float, b 0 or 1, s text, I F B lists
//             with commas, x of a type that host functions cannot read. Bars, tabs, line breaks and % in
//             text are %XX.
void Parse(const std::string &line, Call &call);

} // namespace standin

// The parts of an answer; host.h has the grammar.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

#include "exe_graph/runtime/shape.h"
#include "graph/types.h"

namespace standin {

inline constexpr uint8_t STALE = 0xA5; // what a buffer holds before host code fills it
inline constexpr int64_t STALE_SIZE = INT64_MIN + 1; // of an output before shape inference
inline constexpr const char *INFER_SHAPE = "shape inference";
inline constexpr const char *INFER_DATA_TYPE = "dtype inference";
inline constexpr const char *TILING_PARSE = "tiling parse";
inline constexpr const char *TILING = "tiling";
inline constexpr const char *FRAMEWORK = "framework";

// One line: what separates lines and parts becomes %XX.
inline std::string Escaped(const char *text)
{
    std::string escaped;
    for (; *text != '\0'; ++text) {
        char code[4] = {*text, '\0'};
        if (*text == '%' || static_cast<unsigned char>(*text) < ' ') {
            std::snprintf(code, sizeof(code), "%%%02X", static_cast<unsigned>(*text));
        }
        escaped += code;
    }
    return escaped;
}

inline std::string Said(const char *verdict, const char *step, const char *message)
{
    return std::string(verdict) + '\t' + step + '\t' + Escaped(message);
}

inline std::string Spelt(ge::DataType dtype, const gert::Shape &shape)
{
    std::string text = std::to_string(static_cast<int>(dtype)) + ':';
    for (size_t axis = 0; axis < shape.GetDimNum(); ++axis) {
        text += (axis == 0 ? "" : ",") + std::to_string(shape.GetDim(axis));
    }
    return text;
}

inline std::string Hexadecimal(const uint8_t *bytes, size_t count)
{
    constexpr char DIGITS[] = "0123456789abcdef";
    std::string text;
    for (size_t i = 0; i < count; ++i) {
        text += DIGITS[bytes[i] >> 4];
        text += DIGITS[bytes[i] & 0xF];
    }
    return text;
}

} // namespace standin

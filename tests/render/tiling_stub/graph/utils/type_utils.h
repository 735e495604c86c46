#pragma once
#include <string>
#include "graph/types.h"
namespace ge {
class AscendString {
public:
    explicit AscendString(std::string text) : text_(std::move(text)) {}
    const char *GetString() const { return text_.c_str(); }
private:
    std::string text_;
};
struct TypeUtils {
    static AscendString DataTypeToAscendString(const DataType &dtype)
    {
        switch (dtype) {
            case DT_FLOAT: return AscendString("DT_FLOAT");
            case DT_FLOAT16: return AscendString("DT_FLOAT16");
            case DT_BF16: return AscendString("DT_BF16");
            case DT_INT8: return AscendString("DT_INT8");
            case DT_INT32: return AscendString("DT_INT32");
            case DT_INT64: return AscendString("DT_INT64");
            default: return AscendString("DT_" + std::to_string(static_cast<int>(dtype)));
        }
    }
};
} // namespace ge

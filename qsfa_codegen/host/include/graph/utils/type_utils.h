// Stands in for graph/utils/type_utils.h.
#pragma once

#include "graph/ascend_string.h"
#include "graph/types.h"

namespace ge {

class TypeUtils {
public:
    static AscendString DataTypeToAscendString(const DataType &dtype)
    {
        for (const Name &known : NAMES) {
            if (known.dtype == dtype) {
                return known.name;
            }
        }
        return "UNDEFINED";
    }

private:
    struct Name {
        DataType dtype;
        const char_t *name;
    };

    static constexpr Name NAMES[] = {
        {DT_FLOAT, "DT_FLOAT"},
        {DT_FLOAT16, "DT_FLOAT16"},
        {DT_INT8, "DT_INT8"},
        {DT_INT32, "DT_INT32"},
        {DT_UINT8, "DT_UINT8"},
        {DT_INT16, "DT_INT16"},
        {DT_UINT16, "DT_UINT16"},
        {DT_UINT32, "DT_UINT32"},
        {DT_INT64, "DT_INT64"},
        {DT_UINT64, "DT_UINT64"},
        {DT_DOUBLE, "DT_DOUBLE"},
        {DT_BOOL, "DT_BOOL"},
        {DT_STRING, "DT_STRING"},
        {DT_COMPLEX64, "DT_COMPLEX64"},
        {DT_COMPLEX128, "DT_COMPLEX128"},
        {DT_BF16, "DT_BFLOAT16"},
        {DT_UNDEFINED, "DT_UNDEFINED"},
        {DT_INT4, "DT_INT4"},
        {DT_UINT1, "DT_UINT1"},
        {DT_INT2, "DT_INT2"},
        {DT_UINT2, "DT_UINT2"},
        {DT_COMPLEX32, "DT_COMPLEX32"},
        {DT_HIFLOAT8, "DT_HIFLOAT8"},
        {DT_FLOAT8_E5M2, "DT_FLOAT8_E5M2"},
        {DT_FLOAT8_E4M3FN, "DT_FLOAT8_E4M3FN"},
        {DT_FLOAT8_E8M0, "DT_FLOAT8_E8M0"},
        {DT_FLOAT6_E3M2, "DT_FLOAT6_E3M2"},
        {DT_FLOAT6_E2M3, "DT_FLOAT6_E2M3"},
        {DT_FLOAT4_E2M1, "DT_FLOAT4_E2M1"},
        {DT_FLOAT4_E1M2, "DT_FLOAT4_E1M2"},
        {DT_HIFLOAT4, "DT_HIFLOAT4"},
    };
};

} // namespace ge

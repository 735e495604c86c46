"""Every dtype that specs can name, with its spelling in each place that generated code needs."""

from __future__ import annotations

from msgspec import Struct


class Dtype(Struct, frozen=True):
    """One dtype. ``code`` is the value of ge::DataType; ``bits`` its size."""

    name: str
    bits: int
    code: int
    ge: str  # ge::DT_…
    kernel: str  # type in kernel code
    torch: str  # at::ScalarType, "" where torch has none

    @property
    def size(self) -> int:
        """Bytes of one element; a part of a byte counts as one."""
        return -(-self.bits // 8)


_TABLE = (
    Dtype("float32", 32, 0, "DT_FLOAT", "float", "Float"),
    Dtype("float16", 16, 1, "DT_FLOAT16", "half", "Half"),
    Dtype("int8", 8, 2, "DT_INT8", "int8_t", "Char"),
    Dtype("int32", 32, 3, "DT_INT32", "int32_t", "Int"),
    Dtype("uint8", 8, 4, "DT_UINT8", "uint8_t", "Byte"),
    Dtype("int16", 16, 6, "DT_INT16", "int16_t", "Short"),
    Dtype("uint16", 16, 7, "DT_UINT16", "uint16_t", "UInt16"),
    Dtype("uint32", 32, 8, "DT_UINT32", "uint32_t", "UInt32"),
    Dtype("int64", 64, 9, "DT_INT64", "int64_t", "Long"),
    Dtype("uint64", 64, 10, "DT_UINT64", "uint64_t", "UInt64"),
    Dtype("float64", 64, 11, "DT_DOUBLE", "double", "Double"),
    Dtype("bool", 8, 12, "DT_BOOL", "bool", "Bool"),
    Dtype("bfloat16", 16, 27, "DT_BF16", "bfloat16_t", "BFloat16"),
    Dtype("int4", 4, 29, "DT_INT4", "int4b_t", ""),
    Dtype("hifloat8", 8, 34, "DT_HIFLOAT8", "hifloat8_t", ""),
    Dtype("float8_e5m2", 8, 35, "DT_FLOAT8_E5M2", "fp8_e5m2_t", "Float8_e5m2"),
    Dtype("float8_e4m3fn", 8, 36, "DT_FLOAT8_E4M3FN", "fp8_e4m3fn_t", "Float8_e4m3fn"),
)

DTYPES: dict[str, Dtype] = {d.name: d for d in _TABLE}

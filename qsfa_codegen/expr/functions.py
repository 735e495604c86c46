"""The one table of functions: what each takes, gives and means.

Typing, evaluation, C++, prose and the language reference all read this table.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from qsfa_codegen.expr.nodes import BOOL, DTYPE, INT, Query, Type


class Arg(Enum):
    """What stands at an argument's place; the value is its name in messages."""

    INT = "an int64"
    FLOAT = "a float"
    NUMBER = "a number"
    ENUM = "an enum value"
    DTYPE = "a dtype or dtype column"
    SEQUENCE = "a list attribute or the dims of a `rest`"
    INTEGERS = "a list of int64 or the dims of a `rest`"
    PARAM = "an input"
    AXIS = "a constant axis"
    RECORD = "a record"
    FIELD = "a field of the record"


class Function(Struct, frozen=True):
    """A function of the language.

    ``group`` says where specs may call it: "core" anywhere, "contents", "tiling"; "internal"
    functions come from lowering shapes and cannot be written.
    ``result`` None: the type of the arguments. ``variadic``: the last argument may repeat.
    ``query``: the call is a fact about an input and becomes a ``ParamQuery``.
    ``least``: lowest result of an int64 function, where the function alone guarantees one.
    """

    name: str
    group: str
    args: tuple[Arg, ...]
    result: Type | None
    en: str
    zh: str
    variadic: bool = False
    query: Query | None = None
    least: int | None = None

    @property
    def signature(self) -> str:
        """How a call looks, for messages and the reference."""
        letters = iter("abcdef")
        names = {
            Arg.PARAM: "input",
            Arg.AXIS: "axis",
            Arg.RECORD: "record",
            Arg.FIELD: "field",
            Arg.SEQUENCE: "list",
            Arg.INTEGERS: "list",
            Arg.DTYPE: "dtype",
            Arg.ENUM: "value",
        }
        shown = ", ".join(names.get(arg) or next(letters) for arg in self.args)
        return f"{self.name}({shown}{', …' if self.variadic else ''})"


_INT_INT = (Arg.INT, Arg.INT)
_RUN = (Arg.SEQUENCE, Arg.SEQUENCE)
_IN_AXIS = (Arg.PARAM, Arg.AXIS)


def _fact(query: Query, result: Type, en: str, zh: str, args: tuple[Arg, ...] = (Arg.PARAM,)) -> Function:
    return Function(query.value, "core", args, result, en, zh, query=query)


_TABLE = (
    Function("ceil_div", "core", _INT_INT, INT, "a divided by b, rounded up", "a 除以 b，向上取整"),
    Function(
        "align_up",
        "core",
        _INT_INT,
        INT,
        "a rounded up to a multiple of b",
        "a 向上对齐到 b 的整数倍",
    ),
    Function("min", "core", (Arg.NUMBER, Arg.NUMBER), None, "the smallest", "最小值", variadic=True),
    Function("max", "core", (Arg.NUMBER, Arg.NUMBER), None, "the largest", "最大值", variadic=True),
    Function("abs", "core", (Arg.NUMBER,), None, "the absolute value", "绝对值"),
    Function("is_power_of_two", "core", (Arg.INT,), BOOL, "whether a is 1, 2, 4, 8, …", "a 是否为 2 的幂"),
    Function(
        "is_finite",
        "core",
        (Arg.FLOAT,),
        BOOL,
        "whether a is neither infinite nor NaN",
        "a 是否既非无穷也非 NaN",
    ),
    Function(
        "len",
        "core",
        (Arg.SEQUENCE,),
        INT,
        "number of elements of a list attribute, or of dims",
        "列表属性的元素个数，或维度个数",
        least=0,
    ),
    Function(
        "prod",
        "core",
        (Arg.INTEGERS,),
        INT,
        "product of the elements, from left to right; 1 when there are none",
        "各元素自左至右的乘积，为空时为 1",
    ),
    Function("code", "core", (Arg.ENUM,), INT, "integer code of an enum value", "枚举值的整数编码"),
    Function("sizeof", "core", (Arg.DTYPE,), INT, "bytes of one element", "一个元素的字节数", least=1),
    Function(
        "elements",
        "core",
        (Arg.RECORD,),
        INT,
        "size of a packed record, in elements of its unit",
        "打包记录的大小，以其单位类型的元素个数计",
        least=0,
    ),
    Function(
        "offset",
        "core",
        (Arg.RECORD, Arg.FIELD),
        INT,
        "byte offset of a field in its record",
        "字段在记录内的字节偏移",
        least=0,
    ),
    _fact(Query.PRESENT, BOOL, "whether the caller passes the input", "调用方是否传入该输入"),
    _fact(Query.RANK, INT, "number of dims of the input", "输入的维数"),
    _fact(
        Query.DIM,
        INT,
        "size of one axis of the input; negative axes count from the end",
        "输入某一轴的大小，负数轴自末尾计数",
        _IN_AXIS,
    ),
    _fact(Query.DTYPE, DTYPE, "dtype of the input", "输入的数据类型"),
    _fact(Query.NUMEL, INT, "number of elements of the input", "输入的元素总数"),
    _fact(Query.COUNT, INT, "number of tensors of a list input", "列表输入的 tensor 个数"),
    _fact(
        Query.STRIDE,
        INT,
        "stride of one axis of the tensor that a binding receives, in elements",
        "绑定层收到的 tensor 某一轴的步长，以元素个数计",
        _IN_AXIS,
    ),
    Function(
        "starts_with",
        "internal",
        _RUN,
        BOOL,
        "whether a run of dims begins with another one",
        "一组维度是否以另一组开头",
    ),
    Function(
        "ends_with",
        "internal",
        _RUN,
        BOOL,
        "whether a run of dims ends with another one",
        "一组维度是否以另一组结尾",
    ),
    Function(
        "all_between",
        "contents",
        (Arg.PARAM, Arg.INT, Arg.INT),
        BOOL,
        "whether every element is at least a and at most b",
        "所有元素是否都不小于 a 且不大于 b",
    ),
    Function(
        "non_decreasing",
        "contents",
        (Arg.PARAM,),
        BOOL,
        "whether no element is below the one before it",
        "元素是否单调不减",
    ),
    Function(
        "padded_with",
        "contents",
        (Arg.PARAM, Arg.INT),
        BOOL,
        "whether in every row of the last axis nothing but a follows the first a",
        "最后一维的每一行中，首个 a 之后是否全为 a",
    ),
    Function(
        "tsch_block_dim",
        "tiling",
        (Arg.INT, Arg.INT, Arg.INT),
        INT,
        "block dim for a slices on b cube and c vector cores",
        "a 个切片在 b 个 cube 核、c 个 vector 核上的 block dim",
    ),
)

FUNCTIONS: dict[str, Function] = {function.name: function for function in _TABLE}


class PlatformValue(Struct, frozen=True):
    """A number that is known when tiling runs."""

    name: str
    en: str
    zh: str


PLATFORM_VALUES: dict[str, PlatformValue] = {
    value.name: value
    for value in (
        PlatformValue("aic", "cube cores of the device", "设备的 cube 核数"),
        PlatformValue("aiv", "vector cores of the device", "设备的 vector 核数"),
        PlatformValue("ub_size", "bytes of unified buffer of a vector core", "一个 vector 核的 UB 字节数"),
        PlatformValue(
            "libapi_workspace", "bytes of workspace the library reserves", "库预留的 workspace 字节数"
        ),
    )
}

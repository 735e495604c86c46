"""The words that prose is made of, in both languages; ``{s}`` is the subject of a claim."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from qsfa_codegen.expr.floats import shortest
from qsfa_codegen.expr.limits import INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, UINT32_MAX


class Words:
    """Phrases of one language; predicates follow a subject.

    No dataclass: making one with this many fields takes longer than all the rest of the import.
    """

    equals: str
    differs: str
    is_: str
    is_not: str
    less: str
    at_most: str
    greater: str
    at_least: str
    between: str
    multiple: str
    not_multiple: str
    one_of: str
    none_of: str
    listed: str
    present: str
    absent: str
    power_of_two: str
    not_power_of_two: str
    finite: str
    not_finite: str
    every_element: str
    elements: str
    non_decreasing: str
    every_row: str
    padded: str
    begins_with: str
    ends_with: str
    not_so: str
    both: str
    either: str
    and_: str
    or_: str
    or_after_and: str
    exactly_when: str
    just_one: str
    more_and: str
    more_or: str
    open: str
    close: str
    when: str
    claim_if: str
    case_first: str
    case_next: str
    case_other: str
    case_join: str
    claim_join: str
    claim_case: str
    claim_other: str
    always: str
    chip: str
    arch: str
    rank: str
    dim: str
    dim_from_end: str
    last_dim: str
    dtype: str
    numel: str
    count: str
    stride: str
    stride_from_end: str
    length: str
    product: str
    code: str
    bytes: str
    record_size: str
    record_offset: str
    element: str
    shape: str
    shape_without_first: str
    shape_without_last: str
    shape_inner: str


class English(Words):
    """English phrases."""

    equals = "equals {}"
    differs = "differs from {}"
    is_ = "is {}"
    is_not = "is not {}"
    less = "is less than {}"
    at_most = "is at most {}"
    greater = "is greater than {}"
    at_least = "is at least {}"
    between = "is from {} to {}"
    multiple = "is a multiple of {}"
    not_multiple = "is not a multiple of {}"
    one_of = "is one of {}"
    none_of = "is none of {}"
    listed = ", "
    present = "is present"
    absent = "is absent"
    power_of_two = "is a power of two"
    not_power_of_two = "is not a power of two"
    finite = "is finite"
    not_finite = "is not finite"
    every_element = "every element of {}"
    elements = "the elements of {}"
    non_decreasing = "never decrease"
    every_row = "every row of {}"
    padded = "has nothing but {} after the first {}"
    begins_with = "begins with {}"
    ends_with = "ends with {}"
    not_so = "it does not hold that {}"
    both = "{} and {}"
    either = "{} or {}"
    and_ = " and "
    or_ = " or "
    or_after_and = ", or "
    exactly_when = "{} exactly when {}"
    just_one = "either {} or {}, but not both"
    more_and = ", "
    more_or = ", "
    open = "("
    close = ")"
    when = "when {}"
    claim_if = "if {test}, {then}; otherwise {other}"
    case_first = "{value} if {claim}"
    case_next = "{value} if it {claim}"
    case_other = "otherwise {value}"
    case_join = ", "
    claim_join = "; "
    claim_case = "if {claim}, {value}"
    claim_other = "otherwise {value}"
    always = "true"
    chip = "the chip"
    arch = "the architecture"
    rank = "the rank of {}"
    dim = "dim {axis} of {}"
    dim_from_end = "dim {axis} of {} from the end"
    last_dim = "the last dim of {}"
    dtype = "the dtype of {}"
    numel = "the number of elements of {}"
    count = "the number of tensors of {}"
    stride = "the stride of dim {axis} of {}"
    stride_from_end = "the stride of dim {axis} of {} from the end"
    length = "the length of {}"
    product = "the product of {}"
    code = "the code of {}"
    bytes = "the bytes of an element of {}"
    record_size = "the size of {}"
    record_offset = "the offset of {field} in {}"
    element = "element [{index}] of {}"
    shape = "the shape of {}"
    shape_without_first = "the shape of {} without the first {axis}"
    shape_without_last = "the shape of {} without the last {tail}"
    shape_inner = "the shape of {} without the first {axis} and the last {tail}"


EN = English()


class Chinese(Words):
    """Chinese phrases."""

    equals = "等于{}"
    differs = "不等于{}"
    is_ = "为{}"
    is_not = "不为{}"
    less = "小于{}"
    at_most = "不大于{}"
    greater = "大于{}"
    at_least = "不小于{}"
    between = "取值范围为[{}, {}]"
    multiple = "是{}的整数倍"
    not_multiple = "不是{}的整数倍"
    one_of = "为{}之一"
    none_of = "不为{}中的任何一个"
    listed = "、"
    present = "已传入"
    absent = "未传入"
    power_of_two = "是2的幂"
    not_power_of_two = "不是2的幂"
    finite = "为有限值"
    not_finite = "不为有限值"
    every_element = "{}的元素"
    elements = "{}的元素"
    non_decreasing = "单调不减"
    every_row = "{}的每一行"
    padded = "在首个{}之后均为{}"
    begins_with = "以{}开头"
    ends_with = "以{}结尾"
    not_so = "并非{}"
    both = "{}和{}"
    either = "{}或{}"
    and_ = "且"
    or_ = "或"
    or_after_and = "，或"
    exactly_when = "{}当且仅当{}"
    just_one = "{}与{}有且仅有一个成立"
    more_and = "，"
    more_or = "，或"
    open = "（"
    close = "）"
    when = "当{}时"
    claim_if = "若{test}，则{then}；否则{other}"
    case_first = "{claim}时为{value}"
    case_next = "{claim}时为{value}"
    case_other = "否则为{value}"
    case_join = "，"
    claim_join = "；"
    claim_case = "若{claim}，则{value}"
    claim_other = "否则{value}"
    always = "true"
    chip = "芯片"
    arch = "架构"
    rank = "{}的维数"
    dim = "{}的第{axis}维"
    dim_from_end = "{}的倒数第{axis}维"
    last_dim = "{}的最后一维"
    dtype = "{}的数据类型"
    numel = "{}的元素个数"
    count = "{}的tensor个数"
    stride = "{}第{axis}维的步长"
    stride_from_end = "{}倒数第{axis}维的步长"
    length = "{}的长度"
    product = "{}的乘积"
    code = "{}的编码"
    bytes = "{}每个元素的字节数"
    record_size = "{}的大小"
    record_offset = "{field}在{}内的偏移"
    element = "{}中下标为{index}的元素"
    shape = "{}的形状"
    shape_without_first = "{}去掉前{axis}维后的形状"
    shape_without_last = "{}去掉后{tail}维后的形状"
    shape_inner = "{}去掉前{axis}维和后{tail}维后的形状"


ZH = Chinese()

WORDS = {"en": EN, "zh": ZH}


class Symbols(Struct, frozen=True):
    """Mathematical signs."""

    minus: str
    times: str
    floor: str
    ceil: str


TYPOGRAPHIC = Symbols("−", "×", "⌊{}⌋", "⌈{}⌉")
ASCII = Symbols("-", "*", "floor({})", "ceil({})")

_POWERS = {
    INT64_MAX: "2^63{}1",
    INT64_MIN: "{}2^63",
    INT32_MAX: "2^31{}1",
    INT32_MIN: "{}2^31",
    UINT32_MAX: "2^32{}1",
}


def number(value: int | float, symbols: Symbols) -> str:
    """A number as people write it."""
    if isinstance(value, int) and value in _POWERS:
        return _POWERS[value].format(symbols.minus)
    text = str(shortest(value) if isinstance(value, float) else value).removesuffix(".0")
    return text.replace("-", symbols.minus, 1) if text.startswith("-") else text


def join_list(items: Sequence[str], separator: str, last: str) -> str:
    """``a, b and c``."""
    if len(items) < 2:
        return "".join(items)
    return separator.join(items[:-1]) + last + items[-1]


# A class of all Chinese characters takes longer to compile than all other patterns together.
_FOREIGN = r"[^\x00-\x7f]"
_BEFORE_LATIN = rf"(?<={_FOREIGN})(?=[A-Za-z0-9_`\"(\[⌈⌊|−-])"
_AFTER_LATIN = rf"(?<=[A-Za-z0-9_`\")\]⌉⌋|])(?={_FOREIGN})"
_EDGE = f"{_BEFORE_LATIN}|{_AFTER_LATIN}"


@lru_cache(maxsize=1 << 12)
def spaced(text: str) -> str:
    """Chinese text with a space wherever it meets Latin letters, digits or a name."""
    return re.sub(_EDGE, _space, text)


def _space(edge: re.Match[str]) -> str:
    neighbours = edge.string[edge.start() - 1 : edge.start() + 1]
    return " " if any("\u4e00" <= character <= "\u9fff" for character in neighbours) else ""

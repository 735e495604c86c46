"""What a torch binding leaves of an operator: pinned parameters, no chip, and only dtypes that torch has."""

from __future__ import annotations

from collections.abc import Callable

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.expr.prose import say
from qsfa_codegen.spec.bound import bound_operator
from qsfa_codegen.spec.failure import MessageNames
from qsfa_codegen.spec.load import analyse_text
from qsfa_codegen.spec.model import DimItem, Operator, Shape, Table

SPEC = """\
spec: 1
operator: {name: Blend, category: math, brief: {en: Blends., zh: 混合。}}
chips: [A2, A5]
dims:
  N: {values: {by: arch, of: {arch22: [8, 2], arch35: [4]}}, en: rows, zh: 行数}
  W: {max: 64, en: width, zh: 宽度}
dtypes:
  columns: [t, u]
  rows:
    arch22: [[float16, int8], [bfloat16, int8]]
    arch35: [[float16, hifloat8]]
  select: {u: kind}
inputs:
  data: {dtype: t, shape: [N, W], doc: {en: Rows., zh: 行。}}
  bias:
    dtype: t
    presence: {by: shifted, of: {"true": required, "false": optional}}
    shape: [W]
    doc: {en: Bias., zh: 偏置。}
attrs:
  mode: {type: int, default: 1, values: {plain: 1, shifted: 2}, doc: {en: Mode., zh: 模式。}}
  depth:
    type: int
    default: 3
    values: {by: arch, of: {arch22: [1, 3], arch35: [2, 3]}}
    doc: {en: Depth., zh: 深度。}
  kind: {type: dtype, default: int8, values: [int8, hifloat8], doc: {en: Kind., zh: 类。}}
  steps: {type: list_int, default: [5, 7], length: 2, doc: {en: Steps., zh: 步。}}
let:
  shifted: mode == 2
  both: present(bias) and shifted
outputs:
  result:
    dtype: u
    shape: {by: shifted, of: {"true": [N, "W + steps[1]"], "false": [N, W]}}
    doc: {en: Result., zh: 结果。}
constraints:
  - {id: wide, when: shifted, require: W >= len(steps)}
  - {id: biased, when: both, require: W >= 4}
  - {id: step, require: "steps[0] < W"}
  - {id: narrow, when: kind == hifloat8, require: W <= 32}
bindings:
  torch:
    library: _C_ascend
    name: npu_blend
    positional: [data]
    keyword: BOUND
    fixed: FIXED
    returns: [result]
"""
EVERYTHING = "[bias, mode, depth, kind, steps]"


def bound(
    keyword: str, fixed: str, has_dtype: Callable[[str], bool] = lambda _: True, text: str = SPEC
) -> Operator:
    sink = Sink()
    text = text.replace("BOUND", keyword).replace("FIXED", fixed)
    operator = analyse_text(text.encode(), "spec.yaml", sink)
    assert operator is not None, [d.message for d in sink]
    assert operator.torch is not None
    return bound_operator(operator, operator.torch, has_dtype)


def rules(operator: Operator, id: str) -> list[str]:
    """What checks of an id demand, in words."""
    names = MessageNames(operator)
    return [
        ("" if c.when is None else f"when {say(c.when, 'en', names, plain=True)}: ")
        + say(c.require, "en", names, plain=True)
        for c in operator.checks
        if c.id == id
    ]


def lets(operator: Operator) -> dict[str, str]:
    names = MessageNames(operator)
    return {let.name: say(let.value, "en", names, plain=True) for let in operator.lets}


def sizes(operator: Operator, shape: Shape | Table[Shape]) -> list[str]:
    """The sizes of a shape in words."""
    assert isinstance(shape, Shape)
    return [_size(operator, item) for item in shape.items if isinstance(item, DimItem)]


def _size(operator: Operator, item: DimItem) -> str:
    if item.dim is not None:
        return item.dim
    assert item.size is not None
    return say(item.size, "en", MessageNames(operator), plain=True)


# --------------------------------------------------------------------------- chips


def test_what_chips_differ_in_is_what_any_of_them_takes() -> None:
    operator = bound(EVERYTHING, "{}")
    assert rules(operator, "depth_value") == ["depth is one of 1, 2, 3"]
    assert rules(operator, "N_value")[0] == "N is one of 2, 4, 8"
    assert rules(operator, "data_dtype")[0] == "the dtype of data is float16 or bfloat16"


def test_what_chips_agree_in_is_as_it_was() -> None:
    assert rules(bound(EVERYTHING, "{}"), "W_value") == ["W is from 1 to 64"]
    assert rules(bound(EVERYTHING, "{}"), "wide") == [
        "when shifted is true: W is at least the length of steps"
    ]


def test_one_chip_must_take_the_whole_call() -> None:
    """A call is legal where depth, N and the dtype are those of A2 (arch22), or all those of A5 (arch35)."""
    operator = bound(EVERYTHING, "{}")
    assert rules(operator, "N_value")[1:] == [
        "when depth is none of 2, 3 or the dtype of data is not float16: N is 8 or 2",
        "when depth is none of 1, 3: N is 4",
    ]
    assert rules(operator, "data_dtype")[1:] == ["when depth is none of 1, 3: the dtype of data is float16"]


def alike(constraints: str) -> Operator:
    """An operator whose chips differ in nothing but ``constraints``."""
    text = SPEC.replace("{by: arch, of: {arch22: [1, 3], arch35: [2, 3]}}", "[1, 2, 3]")
    text = text.replace("values: {by: arch, of: {arch22: [8, 2], arch35: [4]}}, ", "")
    text = text.replace("arch35: [[float16, hifloat8]]", "arch35: [[float16, int8], [bfloat16, int8]]")
    text = text.replace("hifloat8", "int8").replace("values: [int8, int8]", "values: [int8]")
    return bound(EVERYTHING, "{}", text=text.replace("constraints:\n", f"constraints:\n{constraints}"))


def test_no_such_check_where_chips_differ_in_one_thing() -> None:
    operator = alike('  - {id: odd, require: W % 2 == 0 if arch == "arch22" else W % 3 == 0}\n')
    assert rules(operator, "odd") == ["W is a multiple of 2 or is a multiple of 3"]
    assert [let.name for let in operator.lets] == ["shifted", "both"]


def test_no_such_check_where_one_chip_takes_all() -> None:
    operator = alike(
        '  - {id: even, when: arch == "arch22", require: W % 2 == 0}\n'
        '  - {id: third, when: arch == "arch22", require: W % 3 == 0}\n'
    )
    assert rules(operator, "even") == []
    assert rules(operator, "third") == []


# --------------------------------------------------------------------------- pinned parameters


def test_a_pinned_attribute_is_a_constant() -> None:
    operator = bound("[bias, depth, kind, steps]", "{mode: 2}")
    assert rules(operator, "mode_value") == []
    assert rules(operator, "wide") == ["W is at least the length of steps"]
    assert rules(operator, "bias_presence") == ["bias is present"]
    assert lets(operator)["shifted"] == "true"
    assert sizes(operator, operator.outputs[0].shape) == ["N", "W + (element [1] of steps)"]


def test_pinned_to_nothing_is_pinned_to_the_default() -> None:
    operator = bound("[bias, depth, kind, steps]", "{mode: null}")
    assert rules(operator, "wide") == []  # it never applies
    assert rules(operator, "bias_presence") == []
    assert sizes(operator, operator.outputs[0].shape) == ["N", "W"]


def test_a_pinned_list() -> None:
    operator = bound("[bias, depth, kind, mode]", "{steps: [3, 9]}")
    assert rules(operator, "steps_value") == []
    assert rules(operator, "step") == ["W is greater than 3"]
    assert rules(operator, "wide") == ["when shifted is true: W is at least 2"]
    shape = operator.outputs[0].shape
    assert isinstance(shape, Table)
    assert sizes(operator, dict(shape.cases)["true"]) == ["N", "W + 9"]


def test_a_pinned_input_is_absent() -> None:
    operator = bound("[depth, kind, steps, mode]", "{bias: null}")
    assert lets(operator)["both"] == "false"
    assert rules(operator, "biased") == []
    assert rules(operator, "bias_dtype") == []
    assert rules(operator, "bias_shape") == []


def test_a_pinned_attribute_that_chooses_a_dtype() -> None:
    assert bound(EVERYTHING, "{}").outputs[0].dtype.column == "u"
    operator = bound("[bias, mode, depth, steps]", "{kind: hifloat8}")
    assert operator.outputs[0].dtype.fixed == "hifloat8"
    assert rules(operator, "narrow") == ["W is at most 32"]
    assert bound("[bias, mode, depth, steps]", "{kind: null}").outputs[0].dtype.fixed == "int8"


# --------------------------------------------------------------------------- foreign dtypes


def test_a_dtype_that_the_other_side_lacks_is_never_met() -> None:
    def known(name: str) -> bool:
        return name != "bfloat16"

    operator = bound(EVERYTHING, "{}", known)
    assert rules(operator, "data_dtype") == ["the dtype of data is float16"]
    assert rules(bound(EVERYTHING, "{}", lambda name: name != "hifloat8"), "narrow") == []


def test_no_call_is_legal_without_any_of_its_dtypes() -> None:
    assert rules(bound(EVERYTHING, "{}", lambda _: False), "data_dtype") == ["false"]

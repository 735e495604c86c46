"""One spec, changed in one place: what each rule says of its less usual cases."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from qsfa_codegen.contract.calls import Call, TensorArg
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.spec.load import analyse_text
from qsfa_codegen.spec.model import Operator

SOUND = (Path(__file__).parent / "gather_scale.yaml").read_text(encoding="utf-8")


def read(*changes: tuple[str, str]) -> tuple[Operator | None, list[str]]:
    """The operator of the sound spec with changes, and the code and message of what was found."""
    text = SOUND
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    sink = Sink()
    operator = analyse_text(text.encode(), "gather_scale.yaml", sink)
    return operator, [f"{found.code} {found.message}" for found in sink]


def test_the_sound_spec_is_sound() -> None:
    operator, found = read()
    assert operator is not None
    assert found == []


N = "  N: {en: rows, zh: 行数}"
MODE = "values: {fast: 1, exact: 2}"
NEW_ATTR = "  mode: {type: int"


@pytest.mark.parametrize(
    ("domain", "message"),
    [
        ("min: 5, max: 4", "'N' must be at least 5 and at most 4"),
        ("multiple_of: 0", "'N' must be a multiple of 0"),
        ("min: 5, max: 7, multiple_of: 4", "'N' has no multiple of 4 from 5 to 7"),
        ("min: -1", "'N' has the least size -1"),
        ("values: [64, WIDTH]", "'N' lists a size twice"),
        ("values: [4, -8]", "'N' lists the size -8"),
        ("min: N", "'N' is bounded by itself"),
        ("max: twice", "'N' is bounded by itself"),
        ("is: 0 - WIDTH", "'N' has the size -64"),
    ],
)
def test_sizes_that_cannot_be(domain: str, message: str) -> None:
    twice = ("let:\n  lanes", "let:\n  twice: N * 2\n  lanes")
    _, found = read((N, f"  N: {{{domain}, en: rows, zh: 行数}}"), twice)
    assert f"QS441 {message}" in found


@pytest.mark.parametrize(
    ("attr", "message"),
    [
        (
            "{type: list_int, default: [1, 2], length: 3}",
            "QS430 the default [1, 2] of 'extra' is not accepted on A2, A5",
        ),
        ("{type: int, default: 4, values: {min: 5, max: 4}}", "QS435 no value of 'extra' is accepted"),
        ("{type: int, default: 1, length: 2}", "QS436 'extra' is no list and has a `length`"),
        ("{type: float, default: 1.0e39}", "QS437 1e+39 does not fit type float"),
        ("{type: float, default: 1.0e-46}", "QS437 1e-46 does not fit type float"),
        ("{type: float, default: .inf}", "QS437 inf does not fit type float"),
        ("{type: list_float, default: [1.0, .nan]}", "QS437 [1.0, nan] does not fit type list_float"),
        ("{type: float, default: 0.1, values: [0.1, 0.100000001]}", "QS433 'extra' accepts 0.1 twice"),
        (
            "{type: int, required: true, chips: [A5]}",
            "QS432 'extra' has no default, which is all that A2 can be passed",
        ),
    ],
)
def test_attributes_that_cannot_be(attr: str, message: str) -> None:
    attr = attr.removesuffix("}") + ", doc: {en: E., zh: 戊。}}"
    _, found = read((NEW_ATTR, f"  extra: {attr}\n{NEW_ATTR}"), ("[index, layout", "[index, extra, layout"))
    assert message in found


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("declared: [1, 2]", "declared: [1, 2, 16]", "QS470 16 does not fit the 4 bits of 'MODE'"),
        (
            "legal: reachable",
            "legal: [[0, 1], [0, 2], [1, 3]]",
            "QS472 BLOCKED 1, MODE 3 has an undeclared value",
        ),
        ("name: GatherScale", "name: OpDef", "QS401 the host SDK has a class 'OpDef'"),
        ("name: GatherScale", "name: AA1aA", "QS403 'AA1aA' has no unambiguous snake_case form"),
        ("dtype: int32", "dtype: hifloat8", "QS410 A2 has no hifloat8"),
        ("block_dim: aiv", "block_dim: lanes - 2", "QS474 the kernel is launched with -1 blocks"),
        ("blockCount:", "errno:", "QS406 member 'errno' is a C++ macro"),
        ("enums:\n", "enums:\n  std: {A: {code: 0}}\n", "QS407 generated code has a type 'std' of its own"),
        ("    ROWS:", "    EOF: {code: 9}\n    ROWS:", "QS407 'EOF' is a macro in generated code"),
        (
            "consts:\n",
            "consts:\n  INT64_MAX: {value: 1, en: i, zh: i}\n",
            "QS407 generated code has constants like 'INT64_MAX' of its own",
        ),
        (
            "consts:\n",
            "consts:\n  int64_t: {value: 1, en: i, zh: i}\n",
            "QS407 generated code has constants like 'int64_t' of its own",
        ),
        (
            "attrs:\n",
            "  errno: {dtype: int32, presence: ignored}\nattrs:\n",
            "QS401 input 'errno' is 'errno' in generated C++, which is a macro there",
        ),
        ("  index:\n", "  _:\n", "QS154 '_' is not a name"),
        ("  N: {en", "  _1: {en", "QS154 '_1' is not a name"),
        ("returns: [out]", "returns: [out, out]", "QS493 'out' is returned twice"),
        ("UB: {total: 1024}", "UB: {total: 262144}", "QS481 the plan uses 262144 bytes of UB, A2 has 196352"),
        (
            "UB: {total: 1024}",
            "UB: {total: 1024, rows: {copies: 2, bytes: 100}}",
            "QS481 'rows' has 100 bytes, not a multiple of 32",
        ),
        (
            '    require: layout == "ROWS"',
            "    require: lanes > 0\n    blame: mode\n    at: infer",
            "QS464 'exact_rows' depends on the chip or a dtype",
        ),
    ],
)
def test_what_else_rules_see(old: str, new: str, message: str) -> None:
    _, found = read((old, new))
    assert message in found


def test_values_of_float_attributes_are_those_of_32_bits() -> None:
    domain = "type: float, default: 0.1, values: [0.1, 0.7]"
    tenth = f"  tenth: {{{domain}, chips: [A5], doc: {{en: T., zh: 己。}}}}"
    operator, found = read((NEW_ATTR, f"{tenth}\n{NEW_ATTR}"), ("[index, layout", "[index, tenth, layout"))
    assert found == []
    assert operator is not None
    evaluator = Evaluator(operator)
    data = {"data": TensorArg("float16", (2, 64))}

    def messages(chip: str, value: float) -> list[str]:
        result = evaluator.evaluate(Call("c", chip, data, {"tenth": value}))
        return [violation.message for violation in result.violations]

    nearest = struct.unpack("<f", struct.pack("<f", 0.1))[0]
    for chip in ("A2", "A5"):
        assert messages(chip, 0.1) == messages(chip, nearest) == []
    assert messages("A5", 0.7) == []
    assert len(messages("A5", 0.3)) == len(messages("A2", 0.7)) == 1


@pytest.mark.parametrize(
    ("said", "here", "nowhere"),
    [
        ("type: list_int, default: [4, 5], length: 2, values: {min: 1}", [4, 6], [4, 0]),
        ("type: list_int, default: [4, 5], length: 2", [4, 6], [4, 5, 6]),
        ("type: list_int, default: []", [4, 6], None),
        ("type: list_bool, default: [true, false]", [True, True], None),
        (
            "type: list_int, default: [], default_trap: {chips: [A5], en: E., zh: 空。}, length: 2",
            [4, 6],
            [4],
        ),
    ],
)
def test_a_list_is_held_to_its_default_on_chips_that_do_not_have_it(
    said: str, here: list[int], nowhere: list[int] | None
) -> None:
    sizes = f"  sizes: {{{said}, chips: [A5], doc: {{en: S., zh: 己。}}}}"
    operator, found = read((NEW_ATTR, f"{sizes}\n{NEW_ATTR}"), ("[index, layout", "[index, sizes, layout"))
    assert found == []
    assert operator is not None
    evaluator = Evaluator(operator)
    data = {"data": TensorArg("float16", (2, 64))}
    default = next(attr.default for attr in operator.attrs if attr.name == "sizes")

    def broken(chip: str, value: object) -> set[str]:
        assert isinstance(value, list | tuple)
        result = evaluator.evaluate(Call("c", chip, data, {"sizes": tuple(value)}))
        return {violation.constraint for violation in result.violations}

    assert broken("A2", default) == set()
    assert broken("A5", here) == set()
    assert broken("A2", here) == {"sizes_value"}
    for chip in ("A2", "A5") if nowhere is not None else ():
        assert broken(chip, nowhere) == {"sizes_value"}


def test_a_rule_about_the_data_of_a_reserved_input() -> None:
    rule = "contents:\n  - {id: c, predicate: a.b, names: [spare], doc: {en: C., zh: 丙。}}\ntiling:\n"
    spare = "  spare: {dtype: int32, presence: ignored, doc: {en: S., zh: 丁。}}\nattrs:\n"
    _, found = read(("tiling:\n", rule), ("attrs:\n", spare), ("[index, layout", "[index, spare, layout"))
    assert "QS465 'spare' is reserved and cannot be asked about" in found


# --------------------------------------------------------------------------- what is demanded of a call


def test_an_attribute_of_one_chip_keeps_its_default_on_the_others() -> None:
    operator, found = read(("mode: {type: int", "mode: {chips: [A5], type: int"))
    assert operator is not None
    evaluator = Evaluator(operator)
    data = {"data": TensorArg("float16", (2, 64))}

    def broken(chip: str, mode: int) -> list[str]:
        result = evaluator.evaluate(Call("c", chip, data, {"mode": mode}))
        return [violation.constraint for violation in result.violations]

    assert [broken("A2", mode) for mode in (1, 2, 3)] == [[], ["mode_value"], ["mode_value"]]
    assert [broken("A5", mode) for mode in (1, 2, 3)] == [[], [], ["mode_value"]]
    assert found == []


def test_elements_of_a_list_attribute_are_each_in_the_domain() -> None:
    domain = "type: list_int, length: 2, default: [0, 0], values: {min: 0, max: 3}"
    pads = f"  pads: {{{domain}, doc: {{en: P., zh: 垫。}}}}"
    operator, found = read((NEW_ATTR, f"{pads}\n{NEW_ATTR}"), ("[index, layout", "[index, pads, layout"))
    assert operator is not None
    evaluator = Evaluator(operator)
    data = {"data": TensorArg("float16", (2, 64))}
    verdicts = {
        pads: evaluator.evaluate(Call("c", "A2", data, {"pads": pads})).ok
        for pads in ((0, 3), (3, 0), (0, 4), (-1, 0), (0,), (0, 0, 0))
    }
    assert [pads for pads, ok in verdicts.items() if ok] == [(0, 3), (3, 0)]
    assert found == []

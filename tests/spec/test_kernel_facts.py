"""What a kernel knows of a call. The numbers and names are worked out by hand from `kernel_facts.yaml`."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import arith, call, dim, dtype_of, literal, ref, size_of, strip
from qsfa_codegen.expr.nodes import DTYPE, INT, Expr, Literal, RefKind
from qsfa_codegen.spec.kernel_facts import (
    KernelFacts,
    kernel_facts,
    kernel_uses,
    named_constants,
    named_functions,
    record_part,
)
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Attr, Let, Operator
from qsfa_codegen.spec.parameters import attr_ref

ROOT = Path(__file__).parents[2]
HERE = Span("here.yaml", 1, 1, 1, 2)


@pytest.fixture(scope="module")
def operator() -> Operator:
    return load(Path(__file__).with_name("kernel_facts.yaml"), ROOT / "spec" / "chips.yaml")


def facts(operator: Operator, arch: str = "arch22") -> KernelFacts:
    return kernel_facts(operator, arch)


def let(operator: Operator, name: str) -> Expr:
    return ref(RefKind.LET, name, operator.find(Let, name).value.type, HERE)


def number(expr: Expr) -> object:
    assert isinstance(expr, Literal)
    return expr.value


# --------------------------------------------------------------------------- parameters and what is told


def told(operator: Operator, arch: str) -> dict[str, str]:
    """For each thing that a kernel is written with where it comes from."""
    found: dict[str, str] = {}
    for use in kernel_uses(operator, arch):
        reads = facts(operator, arch).reads(use.expr)
        parts = [word for word, there in (("tiling", reads.tiling), ("key", reads.key)) if there]
        parts += [f"parameter {parameter.name}" for parameter in reads.parameters]
        assert reads.constant == (not parts)
        assert reads.beyond == ()
        found[use.what] = " and ".join(parts)
    return found


def test_where_each_architecture_has_its_numbers_from(operator: Operator) -> None:
    shared = {
        "the offset of 'body' in 'row'": "",  # the first field
        "the offset of 'tail' in 'row'": "key",  # behind 48 or 96 bytes, by the dtype that is compiled
        "the size of 'row'": "key and parameter width",  # the key tells 8 from the rest, not the width
        "role 'factor'": "parameter gain",  # stands in no field
    }
    assert told(operator, "arch22") == {
        "plan parameter 'tile'": "",
        "plan parameter 'depth'": "tiling",  # the field `rows`
        "plan parameter 'nested.k'": "",  # 16 * 7
        "the total of UB": "",
        "the copies of 'part'": "",
        "the bytes of 'part'": "",
        "the credits of flag 'ready'": "",
        **shared,
        "the size of workspace 'whole'": "tiling",  # twice `share` is a field
        "the size of workspace 'some'": "key",  # only its condition is of the call
    }
    assert told(operator, "arch35") == {"plan parameter 'tile'": "", "the total of UB": "", **shared}


def test_plan_numbers_are_needed_before_a_call_and_regions_from_what_is_told(operator: Operator) -> None:
    uses = list(kernel_uses(operator, "arch22"))
    assert {use.what for use in uses if use.constant} == {
        "the total of UB",
        "the copies of 'part'",
        "the bytes of 'part'",
        "the credits of flag 'ready'",
    }
    assert [use.what for use in uses if use.told] == [
        *["the size of workspace 'whole'"] * 2,
        *["the size of workspace 'some'"] * 2,
    ]


def test_without_kernel_or_tiling_nothing_is_used(operator: Operator) -> None:
    assert list(kernel_uses(replace(operator, kernel=None), "arch22")) == []
    assert list(kernel_uses(replace(operator, tiling=None), "arch22")) == []
    assert list(named_functions(replace(operator, kernel=None))) == []


# --------------------------------------------------------------------------- values


def test_what_has_one_value_is_that_value(operator: Operator) -> None:
    by_arch = {arch: facts(operator, arch).known(operator.find(Let, "step").value) for arch in operator.archs}
    assert {arch: number(expr) for arch, expr in by_arch.items()} == {"arch22": 16, "arch35": 64}
    fixed = operator.find(Attr, "fixed")
    assert number(facts(operator).known(attr_ref(fixed, HERE))) == 7
    width = attr_ref(operator.find(Attr, "width"), HERE)
    assert facts(operator).known(width) is width


def test_a_factor_of_one_is_left_out(operator: Operator) -> None:
    rows = dim("N", HERE)
    assert facts(operator).known(arith("*", rows, literal(1, HERE), HERE)) is rows


def test_a_field_or_an_argument_holds_a_whole_value(operator: Operator) -> None:
    here = facts(operator)
    rows = here.holder(let(operator, "rows_up"))
    assert rows is not None
    assert rows.argument is None
    assert rows.entry is not None
    assert (rows.entry.path, rows.entry.offset) == ("rows", 0)
    assert operator.tiling is not None
    assert operator.tiling.key is not None
    (wide,) = operator.tiling.key.args
    held = here.holder(wide.value)
    assert held is not None
    assert (held.argument, held.entry) == ("WIDE", None)
    assert here.holder(literal(6, HERE)) is None  # a number needs no field, though one has it
    assert here.holder(let(operator, "pitch")) is None


def test_a_field_with_the_code_of_a_label_tells_the_label(operator: Operator) -> None:
    here = facts(operator)
    source = here.named(RefKind.ATTR, "layout")
    assert source is not None
    assert source.entry is not None
    assert source.entry.path == "kind"
    reads = here.reads(attr_ref(operator.find(Attr, "layout"), HERE))
    assert (reads.tiling, reads.parameters) == (True, ())


def test_a_held_value_is_found_inside_another_one(operator: Operator) -> None:
    assert operator.tiling is not None
    assert operator.tiling.data is not None
    (share,) = (m for m in operator.tiling.data.root.members if m.name == "share")
    twice = share.value  # type: ignore[union-attr]
    reads = facts(operator).reads(arith("+", twice, literal(3, HERE), HERE))
    assert (reads.tiling, reads.parameters, reads.beyond) == (True, (), ())
    other = facts(operator).reads(arith("*", dim("M", HERE), literal(2, HERE), HERE))
    assert ([p.name for p in other.parameters], other.tiling) == (["M"], False)


@pytest.mark.parametrize(
    "expr",
    [
        size_of("data", 0, HERE),
        dtype_of("data", HERE),
        call("tsch_block_dim", (literal(2, HERE), literal(1, HERE), literal(2, HERE)), INT, HERE),
    ],
    ids=["size", "dtype", "host_function"],
)
def test_what_only_the_host_can_ask_is_beyond_a_kernel(operator: Operator, expr: Expr) -> None:
    reads = facts(operator).reads(expr)
    assert [strip(part) for part in reads.beyond] == [strip(expr)]
    assert not reads.constant


def test_sizes_of_the_compiled_dtype_belong_to_the_key(operator: Operator) -> None:
    column = ref(RefKind.COLUMN, "t", DTYPE, HERE)
    assert facts(operator).reads(call("sizeof", (column,), INT, HERE)).key


def test_parts_of_a_record(operator: Operator) -> None:
    (row,) = operator.records
    name = ref(RefKind.RECORD, "row", INT, HERE)
    assert record_part(operator, call("elements", (name,), INT, HERE)) is row.elements
    tail = call("offset", (name, literal("tail", HERE)), INT, HERE)
    assert record_part(operator, tail) is row.offsets[1]


# --------------------------------------------------------------------------- names in kernel code


def test_constants_of_each_architecture(operator: Operator) -> None:
    shared = ["WIDTH", "SLOTS", "STEP", "PITCH", "TILE"]
    names = {arch: [name for _, name, _ in named_constants(operator, arch)] for arch in operator.archs}
    assert names == {
        "arch22": [
            *shared,
            *("NESTED_K", "UB_BYTES", "UB_PART_COPIES", "UB_PART_BYTES"),
            *("FLAG_READY", "FLAG_READY_CREDITS", "FLAG_DONE", "FLAG_DONE_CREDITS"),
        ],
        "arch35": [*shared, "UB_BYTES"],
    }


def test_functions_of_the_kernel_class(operator: Operator) -> None:
    regions = [f"{region}{part}" for region in ("Whole", "Some") for part in ("Offset", "Bytes", "Share")]
    assert [name for _, name, _ in named_functions(operator)] == [
        *("Init", "Process", "Factor", "RowBodyOffset", "RowTailOffset", "RowBytes"),
        *("Tile", "Depth", "NestedK", "Tile"),
        *regions,
    ]

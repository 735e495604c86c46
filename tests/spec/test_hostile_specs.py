"""Specs that nobody would write by hand: too many, too deep, too long, and numbers from the edge."""

from __future__ import annotations

import itertools
import json
import time
from typing import Any

import pytest

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.spec.load import analyse_text

MAX_BYTES = 100_000
MAX_SECONDS = 3.0  # of the processor, on a slow and busy machine; what is wrong here takes minutes
Part = dict[str, Any]
DOC = {"en": "a", "zh": "b"}
DTYPES = ("float32", "float16", "bfloat16", "int8", "int32", "int64", "uint8", "bool", "int16")
ROWS = list(itertools.product(DTYPES, repeat=3))


def spec(**sections: Any) -> str:
    """A spec of one input and one output, with sections added or replaced; JSON is YAML too."""
    usual = {
        "spec": 1,
        "operator": {"name": "Odd", "category": "math", "brief": {"en": "Odd.", "zh": "奇。"}},
        "chips": ["A2", "A5"],
        "dims": {"N": {}},
        "inputs": {"x": tensor("N")},
        "outputs": {"out": tensor("N")},
    }
    return json.dumps({**usual, **sections}, ensure_ascii=False)


def tensor(*shape: Any, **more: Any) -> Part:
    return {"dtype": "int8", "shape": list(shape), **more}


def like(name: str) -> Part:
    return {"dtype": "int8", "shape": {"like": name}}


def number(default: Any = 0, *values: Any) -> Part:
    return {"type": "int", "default": default, **({"values": list(values)} if values else {})}


def flags(count: int) -> Part:
    return {f"a{i}": {"type": "bool", "default": False} for i in range(count)}


def labels(count: int) -> Part:
    """An enum of so many labels, and an attribute that has them all."""
    names = [f"L{i}" for i in range(count)]
    return {
        "enums": {"E": {name: {"code": i} for i, name in enumerate(names)}},
        "attrs": {"e": {"type": "str", "enum": "E", "default": "L0", "values": names}},
    }


def by_label(values: list[Any]) -> Part:
    return {"by": "e", "of": {f"L{i}": value for i, value in enumerate(values)}}


def rules(*requirements: str) -> list[Part]:
    return [{"id": f"c{i}", "blame": "x", "require": require} for i, require in enumerate(requirements)]


def nested(depth: int, value: Any) -> Any:
    """A table in a table in a table …"""
    table = value
    for _ in range(depth):
        table = {"by": "a0", "of": {"true": table, "false": value}}
    return table


def deep_lists(depth: int) -> Any:
    return [deep_lists(depth - 1)] if depth else []


def deep_structs(depth: int) -> Part:
    if not depth:
        return {"type": "int32", "value": 1}
    return {"struct": "S", "members": {"m": deep_structs(depth - 1)}}


# A spec, and codes that are among its errors; none: it is right.
HOSTILE: dict[str, tuple[str, set[str]]] = {
    "dims": (spec(dims={f"N{i}": {} for i in range(4000)}), {"QS157"}),
    "attributes": (spec(attrs={f"a{i}": {"type": "int"} for i in range(3000)}), {"QS157"}),
    "values": (spec(attrs={"a": number(1, *range(14_000))}), {"QS157"}),
    "values of two kinds": (
        spec(attrs={"a": number(1, *(v for i in range(5000) for v in (i, f"v{i}")))}),
        {"QS157"},
    ),
    "constraints": (spec(constraints=rules(*(f"N > {i}" for i in range(1500)))), {"QS157"}),
    "unknown keys": (spec(attrs={"a": {f"k{i}": 1 for i in range(7000)}}), {"QS150"}),
    "unknown sections": (spec(**{f"k{i}": 1 for i in range(7000)}), {"QS150"}),
    "wrong attributes": (
        spec(attrs={f"a{i}": {"typ": "imt", "defalt": [[1]], "values": [[]]} for i in range(150)}),
        {"QS150", "QS152"},
    ),
    "rows": (spec(dtypes={"columns": ["t", "u", "v"], "rows": {"all": ROWS}}), set()),
    "product of dtypes": (
        spec(dtypes={"columns": list("tuvw"), "product": {"all": dict.fromkeys("tuvw", DTYPES)}}),
        {"QS317"},
    ),
    "inputs with dims": (
        spec(
            dims={f"N{i}": {"min": 0} for i in range(200)},
            inputs={f"x{j}": tensor(*(f"N{(j * 8 + k) % 200}" for k in range(8))) for j in range(200)},
            outputs={"out": like("x0")},
        ),
        set(),
    ),
    "shapes by label": (
        spec(
            **labels(50),
            dims={f"N{i}": {} for i in range(200)},
            inputs={
                f"x{j}": {"dtype": "int8", "shape": by_label([[f"N{(i + j) % 200}"] for i in range(50)])}
                for j in range(28)
            },
            outputs={"out": tensor(1)},
        ),
        {"QS340"},
    ),
    "presence by label": (
        spec(
            **labels(50),
            inputs={
                "x": tensor("N"),
                **{f"x{j}": tensor("N", presence=by_label(["required", "absent"] * 25)) for j in range(45)},
            },
        ),
        set(),
    ),
    "a dim of many axes": (
        spec(
            **labels(30),
            dims={"N": {}, "M": {}},
            inputs={
                "x": {
                    "dtype": "int8",
                    "shape": by_label([{"by": "chip", "of": {"A2": ["N", "M"], "A5": ["M", 1, "N"]}}] * 30),
                }
            },
        ),
        {"QS307"},
    ),
    "constraints over one set of flags": (
        spec(
            attrs=flags(12),
            constraints=rules(*(f"{' or '.join(f'a{k}' for k in range(12))} or N > {i}" for i in range(300))),
        ),
        set(),
    ),
    "constraints over many flags": (
        spec(
            attrs=flags(200),
            constraints=rules(
                *(f"a{i % 200} or a{i * 7 % 200} or a{(i * 11 + 3) % 200}" for i in range(300))
            ),
        ),
        set(),
    ),
    "constraints over presence": (
        spec(
            inputs={"x": tensor("N"), **{f"x{i}": tensor("N", presence="optional") for i in range(199)}},
            constraints=rules(*(f"present(x{i % 199}) or present(x{i * 7 % 199})" for i in range(300))),
        ),
        set(),
    ),
    "unfinished tables": (
        spec(
            attrs=flags(20),
            let={f"l{i}": {"by": f"a{i % 20}", "of": {"true": "N"}} for i in range(400)},
            constraints=rules(*(f"l{i} > l{i * 7 % 400} if a{i % 20} else N > {i}" for i in range(300))),
        ),
        set(),
    ),
    "divisors": (
        spec(
            attrs={f"a{i}": number(0, 0, 1, 2, 3) for i in range(40)},
            let={f"l{i}": f"N // (a{i % 40} + a{(i + 1) % 40} * a{(i + 2) % 40})" for i in range(500)},
        ),
        {"QS444"},
    ),
    "a long chain": (
        spec(let={**{f"l{i + 1}": f"l{i} + 1" for i in reversed(range(499))}, "l0": "N"}),
        {"QS307"},
    ),
    "a chain that doubles": (
        spec(let={"l0": "N", **{f"l{i + 1}": f"l{i} + l{i}" for i in range(60)}}),
        {"QS307"},
    ),
    "a long ring": (spec(let={f"l{i}": f"l{(i + 1) % 500} + 1" for i in range(500)}), {"QS301"}),
    "a ring of deep expressions": (
        spec(let={f"l{i}": f"{'-' * 90}l{(i + 1) % 60}" for i in range(60)}),
        {"QS301"},
    ),
    "values called like inputs": (
        spec(
            inputs={f"x{i}": tensor("N") for i in range(60)},
            let={f"x{i}": f"{'-' * 90}x{i + 1}" for i in range(59)},
        ),
        {"QS307"},
    ),
    "a chain of dims": (
        spec(
            dims={"N0": {}, **{f"N{i + 1}": {"is": f"N{i} + 1"} for i in range(199)}},
            inputs={f"x{j}": tensor(*(f"N{j * 8 + k}" for k in range(8))) for j in range(25)},
            outputs={"out": tensor("N0")},
        ),
        {"QS307"},
    ),
    "dims that double": (
        spec(
            dims={"N0": {}, **{f"N{i + 1}": {"is": f"N{i} + N{i}"} for i in range(39)}},
            inputs={f"x{j}": tensor(*(f"N{j * 8 + k}" for k in range(8))) for j in range(5)},
            outputs={"out": tensor("N0")},
        ),
        {"QS307"},
    ),
    "values that double, first to last, in tiling": (
        spec(
            let={**{f"l{i + 1}": f"l{i} + l{i}" for i in reversed(range(39))}, "l0": "N + 1"},
            tiling={
                "block_dim": 1,
                "data": {"struct": "S", "fields": {"f": {"type": "int64", "value": "l39"}}},
            },
        ),
        {"QS307"},
    ),
    "shapes like shapes": (
        spec(outputs={**{f"o{i + 1}": like(f"o{i}") for i in reversed(range(198))}, "o0": like("x")}),
        {"QS307"},
    ),
    "shapes that double": (
        spec(
            attrs=flags(20),
            outputs={
                "o0": like("x"),
                **{
                    f"o{i + 1}": {
                        "dtype": "int8",
                        "shape": {
                            "by": f"a{i}",
                            "of": {"true": {"like": f"o{i}"}, "else": {"like": f"o{i}"}},
                        },
                    }
                    for i in range(20)
                },
            },
        ),
        {"QS307"},
    ),
    "dtypes that follow": (
        spec(
            inputs={
                **{f"x{i + 1}": tensor("N", dtype={"follow": f"x{i}"}) for i in reversed(range(190))},
                "x0": tensor("N"),
            },
        ),
        set(),
    ),
    "a record of itself": (
        spec(
            records={"r": {"unit": "int8", "fields": {"f": {"dtype": "int8", "count": "l"}}}},
            let={"l": "elements(r)"},
        ),
        {"QS301"},
    ),
    "a key of many flags": (
        spec(
            attrs=flags(60),
            tiling={
                "block_dim": 1,
                "key": {
                    "args": {
                        f"A{i}": {"kind": "bool", "declared": [0, 1], "value": f"a{i}"} for i in range(60)
                    }
                },
            },
        ),
        {"QS348"},
    ),
    "a deep table": (spec(attrs=flags(1), let={"v": nested(28, 1)}), set()),
    "a deep shape": (
        spec(attrs=flags(1), inputs={"x": {"dtype": "int8", "shape": nested(27, ["N"])}}),
        set(),
    ),
    "deep lists": (spec(emit=deep_lists(58)), {"QS152"}),
    "deep structs": (spec(tiling={"block_dim": 1, "data": deep_structs(26)}), {"QS406"}),
    "huge integers": (
        spec(constraints=rules(f"{'9' * 900} > N", "N > 9223372036854775808")),
        {"QS209"},
    ),
    "integers at the edge": (
        spec(
            attrs={"a": number(-(2**63))},
            constraints=rules("a // -1 > N", "-a > N", "abs(a) > N", "a * a > N"),
            tiling={
                "block_dim": "a * a",
                "data": {"struct": "S", "fields": {"f": {"type": "uint8", "value": "-a"}}},
            },
        ),
        set(),
    ),
    "no numbers": (
        spec(
            attrs={
                "a": {"type": "float", "default": "NAN", "values": "finite"},
                "b": {"type": "float", "default": "INF", "values": {"above": "NAN"}},
                "c": {"type": "list_float", "default": ["NAN", 1e308], "values": ["INF"]},
                "d": number("INF"),
            },
            constraints=rules("a * 1e308 > b"),
        )
        .replace('"NAN"', ".nan")
        .replace('"INF"', ".inf"),
        {"QS331"},
    ),
    "letters from elsewhere": (
        spec(dims={"Ñ": {}, "名": {}, "N": {"is": "Ｎ"}}, constraints=rules("N > ９")),
        {"QS154", "QS200"},
    ),
    "long texts": (
        spec(docs={"notes": [{"en": "`" * 3999, "zh": "`" * 3999}] * 12}),
        set(),
    ),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_ends_soon_and_in_diagnostics(name: str) -> None:
    text, codes = HOSTILE[name]
    data = text.encode()
    assert len(data) <= MAX_BYTES
    sink = Sink()
    start = time.process_time()
    operator = analyse_text(data, "spec.yaml", sink)
    assert time.process_time() - start < MAX_SECONDS
    assert (operator is None) is sink.failed
    assert codes <= {d.code for d in sink}
    assert bool(codes) is sink.failed

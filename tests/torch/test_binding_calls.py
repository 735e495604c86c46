"""Compiled bindings of all operators: schema, outputs and messages against the contract, on derived calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from qsfa_codegen.contract.calls import Call, Result
from qsfa_codegen.host.engine import HostEngine
from qsfa_codegen.spec.model import AttrType, Registered
from tests.host.programs import engine, evaluator
from tests.render.flash_calls import PAGED, TOKENS, tensor
from tests.render.torch_calls import Answer, comparable, spelt
from tests.torch.binding_build import QSFA, SPECS, operator
from tests.torch.compiled import Compiled

LEAST = {QSFA: 500, "lightning_indexer": 300, "add_rms_norm_bias": 50, "rms_norm_dynamic_quant": 45}


@pytest.fixture(scope="module")
def compiled(traced: str) -> dict[str, Compiled]:
    return {spec: Compiled(operator(spec), traced) for spec in SPECS}


# --------------------------------------------------------------------------- schema


def test_the_schema_of_the_first_operator_in_full(compiled: dict[str, Compiled], traced: str) -> None:
    assert str(compiled[QSFA].overload._schema) == (
        f"{traced}::npu_kv_quant_sparse_flash_attention(Tensor query, Tensor key, Tensor value, "
        "Tensor sparse_indices, float scale_value, *, int key_quant_mode=1, int value_quant_mode=1, "
        "Tensor? key_dequant_scale=None, Tensor? value_dequant_scale=None, Tensor? block_table=None, "
        "Tensor? actual_seq_lengths_query=None, Tensor? actual_seq_lengths_kv=None, "
        'int sparse_block_size=1, str layout_query="BSND", str layout_kv="BSND", int sparse_mode=3, '
        "int pre_tokens=9223372036854775807, int next_tokens=9223372036854775807, int attention_mode=2, "
        "int quant_scale_repo_mode=1, int tile_size=128, int rope_head_dim=64, "
        "bool return_softmax_lse=False) -> (Tensor attention_out, Tensor softmax_max, Tensor softmax_sum)"
    )


_TYPES = {
    AttrType.INT: "int",
    AttrType.DTYPE: "int",
    AttrType.FLOAT: "float",
    AttrType.BOOL: "bool",
    AttrType.STR: "str",
    AttrType.LIST_INT: "List[int]",
    AttrType.LIST_BOOL: "List[bool]",
}


@pytest.mark.parametrize("spec", SPECS)
def test_the_schema_is_the_contract(spec: str, compiled: dict[str, Compiled]) -> None:
    one = operator(spec)
    binding = one.torch
    assert binding is not None
    inputs, attrs = {p.name: p for p in one.inputs}, {p.name: p for p in one.attrs}
    expected: list[tuple[object, ...]] = []
    for bound in (*binding.positional, *binding.keyword):
        if bound.source in attrs:
            kind = _TYPES[attrs[bound.source].type]
        else:
            given = inputs.get(bound.source or "")
            optional = given is None or given.registered is Registered.OPTIONAL
            kind = "Optional[Tensor]" if optional else "Tensor"
        # A float of a schema has 64 bits, as one of Python.
        default = bound.default if bound.has_default else "none given"
        expected.append((bound.name, kind, default, bound in binding.keyword))
    schema = compiled[spec].overload._schema
    found = [
        (a.name, str(a.type), a.default_value if a.has_default_value() else "none given", a.kwarg_only)
        for a in schema.arguments
    ]
    assert found == expected
    assert [r.name for r in schema.returns] == [name for _, name in binding.returns]
    assert {str(r.type) for r in schema.returns} == {"Tensor"}
    assert not schema.is_mutable


# --------------------------------------------------------------------------- calls that are legal


def test_outputs_of_known_calls(compiled: dict[str, Compiled]) -> None:
    flash = compiled[QSFA]
    assert flash.call(PAGED).outputs == ("BFloat16 2 64 8 512", "Float 0", "Float 0")
    with_lse = flash.call(PAGED, {"return_softmax_lse": True})
    assert with_lse.outputs == ("BFloat16 2 64 8 512", "Float 2 1 64 8", "Float 2 1 64 8")
    with_lse = flash.call(TOKENS, {"return_softmax_lse": True})
    assert with_lse.outputs == ("Half 96 16 512", "Float 1 96 16", "Float 1 96 16")
    norm = Call("norm", "A2", {"x": tensor("bfloat16", 4, 3, 32), "gamma": tensor("bfloat16", 32)})
    assert compiled["rms_norm_dynamic_quant"].call(norm).outputs == ("Char 4 3 32", "Float 4 3")


def _inferred(host: HostEngine, calls: list[Call]) -> Iterator[Result]:
    for result in host.results(calls):
        assert result.fault == ""
        yield result


@pytest.mark.parametrize("spec", SPECS)
def test_outputs_are_those_of_the_contract_and_of_infershape(
    spec: str, compiled: dict[str, Compiled], host_cache: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(host_cache))
    one = compiled[spec]
    binding = operator(spec).torch
    assert binding is not None
    legal = [
        (call, next(r for r in results if r.ok).outputs)
        for call, results in comparable(operator(spec), one)
        if any(r.ok for r in results)
    ]
    assert len(legal) >= 8
    with engine(spec) as host:
        inferred = list(_inferred(host, [call for call, _ in legal]))
    for (call, expected), result in zip(legal, inferred, strict=True):
        outputs = one.call(call).outputs
        assert outputs == tuple(spelt(expected[name]) for name, _ in binding.returns), call.id
        if result.ok:  # not on a chip that takes less than others
            assert outputs == tuple(spelt(result.outputs[name]) for name, _ in binding.returns), call.id
    assert sum(result.ok for result in inferred) >= len(legal) // 2


# --------------------------------------------------------------------------- calls that are not


_MESSAGE = re.compile(r"(?P<given>.+); expected: (?P<allowed>.+) \[(?P<id>\w+)\]")
_PART = re.compile(r"-?[\w.^]+(?:-\d)?")
_FILLING = {
    "is",
    "the",
    "of",
    "at",
    "and",
    "or",
    "one",
    "from",
    "to",
    "a",
    "be",
    "must",
    "when",
    "if",
    "equals",
}


def _renamed(text: str, one: Compiled) -> str:
    for param in one.params:
        if param.bound.source not in (None, param.name):
            text = re.sub(rf"\b{param.bound.source}\b", param.name, text)
    return text


def _facts(given: str) -> set[str]:
    """``query: Q_N is 3, rope_head_dim is 64`` → both facts; floats as numbers are printed in C."""
    text = re.sub(r"^\w+: ", "", given)
    text = re.sub(r"(?<= )-?\d+\.\d+(?:e[+-]\d+)?(?![\w.])", lambda found: f"{float(found[0]):g}", text)
    return set(re.split(r", (?=[^\]]*(?:\[|$))", text))


def _parts(allowed: str) -> set[str]:
    return {part.rstrip(".") for part in _PART.findall(allowed)} - _FILLING


def _lacking(answer: Answer, results: list[Result], one: Compiled) -> str:
    """What the message of a rejected call lacks of what the contract says of it."""
    match = _MESSAGE.fullmatch(answer.message)
    if match is None:
        return "parts"
    same = [v for r in results for v in r.violations if v.constraint == match["id"]]
    if not same:
        return "a rule that the call breaks"
    if not re.search(rf"\b{_renamed(same[0].parameter, one)}\b", match["given"]):
        return "the parameter"
    for violation in same:
        theirs, allowed = _renamed(violation.message, one).split("expected: ")
        # The contract has no shapes in its messages, and says only what holds in the case of the call.
        facts = {fact for fact in _facts(match["given"]) if not fact.startswith("shape of ")}
        if not facts <= _facts(theirs.removesuffix("; ")):
            return f"the values of {theirs!r}"
        if not _parts(allowed) <= _parts(match["allowed"]):
            return f"what is allowed of {allowed!r}"
    return ""


@pytest.mark.parametrize("spec", SPECS)
def test_messages_name_the_parameter_its_value_and_what_is_allowed(
    spec: str, compiled: dict[str, Compiled]
) -> None:
    one, calls, found = compiled[spec], 0, []
    for call, results in comparable(operator(spec), one):
        calls += 1
        if any(result.ok for result in results):
            continue
        answer = one.call(call)
        assert answer.outputs is None, call.id
        lacking = _lacking(answer, results, one)
        if lacking:
            found.append(f"{call.id}: {answer.message!r} lacks {lacking}")
    assert found == []
    assert calls > LEAST[spec]


@pytest.mark.parametrize(
    ("given", "allowed", "id", "lacking"),
    [
        ("sparse_block_size is 3; ", "1, 2, 4, 8, 16", "sparse_block_size_value", ""),
        ("sparse_block_size is 3; ", "1, 2, 4, 8", "sparse_block_size_value", "what is allowed"),
        ("sparse_block_size is 5; ", "1, 2, 4, 8, 16", "sparse_block_size_value", "the values"),
        ("it is 3; ", "1, 2, 4, 8, 16", "sparse_block_size_value", "the parameter"),
        ("sparse_block_size is 3; ", "1, 2, 4, 8, 16", "tile_size_value", "a rule"),
        ("sparse_block_size: ", "1, 2, 4, 8, 16", "sparse_block_size_value", "parts"),
    ],
)
def test_a_message_that_says_too_little_is_found(
    given: str, allowed: str, id: str, lacking: str, compiled: dict[str, Compiled]
) -> None:
    message = f"{given}expected: sparse_block_size is one of {allowed} [{id}]"
    call = Call("three", "A2", PAGED.inputs, {**PAGED.attrs, "sparse_block_size": 3})
    found = _lacking(Answer(None, message, "", ()), [evaluator(QSFA).evaluate(call)], compiled[QSFA])
    assert found.startswith(lacking)
    assert bool(found) == bool(lacking)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"sparse_block_size": 3},
            "sparse_block_size is 3; expected: sparse_block_size is one of 1, 2, 4, 8, 16 "
            "[sparse_block_size_value]",
        ),
        (
            {"query": tensor("float32", 2, 64, 8, 576)},
            "dtype of query is float32; expected: the dtype of query is float16 or bfloat16 [query_dtype]",
        ),
        (
            {name: tensor("uint8", 32, 16, 1, 656) for name in ("key", "value")} | {"sparse_block_size": 1},
            "sparse_indices: sparse_size is 128; expected: sparse_size is 2048 when the dtype of key is "
            "hifloat8 (torch.uint8) [hifloat8_sparse_size]",
        ),
        (
            {"layout_kv": "PA_{BSND}%d" + "x" * 10000},
            f"layout_kv is PA_{{BSND}}%d{'x' * 53}; expected: layout_kv is one of BSND, TND, PA_BSND "
            "[layout_kv_value]",
        ),
        (
            {"block_table": tensor("int32", 3, 32)},
            "dim 0 of block_table is 3, B is 2; expected: dim 0 of block_table equals B [block_table_shape]",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_messages(compiled: dict[str, Compiled], changes: dict[str, object], message: str) -> None:
    answer = compiled[QSFA].call(PAGED, changes)
    assert (answer.outputs, answer.message) == (None, message)


def test_a_message_shows_whole_shapes(compiled: dict[str, Compiled]) -> None:
    call = Call("add", "A2", {"x1": tensor("float16", 4, 3, 32), "x2": tensor("float16", 4, 5, 32)})
    call = call.with_inputs({**call.inputs, "gamma": tensor("float16", 32)})
    assert compiled["add_rms_norm_bias"].call(call).message == (
        "shape of x2 is [4, 5, 32], shape of x1 is [4, 3, 32]; expected: the shape of x2 equals the shape of "
        "x1 [x2_shape]"
    )


def test_an_argument_of_another_type_is_refused_by_torch_itself(compiled: dict[str, Compiled]) -> None:
    given = compiled[QSFA].arguments(PAGED)
    with pytest.raises((RuntimeError, TypeError), match="tile_size"):
        compiled[QSFA].overload(**{**given, "tile_size": "128"})
    with pytest.raises((RuntimeError, TypeError), match="query"):
        compiled[QSFA].overload(**{**given, "query": None})

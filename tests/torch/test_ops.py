"""The registered operator: its schema, tracing, and what it does beside a library that came first."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import kv_quant_sparse_flash_attention as package
import pytest
import torch
from kv_quant_sparse_flash_attention import ops
from torch._subclasses.fake_tensor import FakeTensorMode

from qsfa_codegen.render.torch_schema import schema
from qsfa_codegen.spec.load import load
from tests.torch.problems import arguments, make

ROOT = Path(__file__).parents[2]
_NUMBERS = count()
run = torch.ops._C_ascend.npu_kv_quant_sparse_flash_attention
KINDS: list[dict[str, Any]] = [
    {},
    {"layout": "TND", "layout_kv": "TND"},
    {"layout": "TND", "rope": 0, "half": "float16"},
    {"layout_kv": "BSND", "block": 4, "causal": False},
    {"kind": "float8_e4m3fn"},
]


def lse_of(kind: dict[str, Any]) -> bool:
    return bool(kind.get("kind", "int8") == "int8")


def test_the_schema_is_that_of_the_compiled_registration() -> None:
    operator = load(ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml")
    assert operator.torch is not None
    assert schema(operator, operator.torch) == ops.SCHEMA
    expected = torch._C.parse_schema(f"_C_ascend::{ops.SCHEMA}")
    assert run.default._schema == expected


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_torch_finds_nothing_wrong_with_it(kind: dict[str, Any]) -> None:
    given = arguments(make(2, **kind), return_softmax_lse=lse_of(kind))
    positional = [given.pop(name) for name in ("query", "key", "value", "sparse_indices", "scale_value")]
    tests = ["test_faketensor", "test_autograd_registration"]
    if lse_of(kind):
        tests.append("test_schema")  # it calculates with inputs, which torch cannot do in 8-bit floats
    torch.library.opcheck(run.default, tuple(positional), given, test_utils=tests)


@pytest.mark.parametrize("lse", [False, True])
@pytest.mark.parametrize("kind", KINDS[:4], ids=str)
def test_fake_outputs_are_like_real_ones(kind: dict[str, Any], lse: bool) -> None:
    given = arguments(make(3, **kind), return_softmax_lse=lse)
    real = run(**given)
    with FakeTensorMode() as mode:
        fake = run(**{name: mode.from_tensor(v) if torch.is_tensor(v) else v for name, v in given.items()})
    for ours, theirs in zip(real, fake, strict=True):
        assert (ours.shape, ours.dtype, ours.stride()) == (theirs.shape, theirs.dtype, theirs.stride())


def test_a_traced_call_is_checked_too() -> None:
    given = arguments(make(3), sparse_block_size=3)
    meta = {name: v.to("meta") if torch.is_tensor(v) else v for name, v in given.items()}
    with pytest.raises(package.CallError, match="sparse_block_size is 3"):
        run(**meta)


class Attention(torch.nn.Module):
    """Q scaled, then the operator, as a model would have it."""

    def forward(self, query: torch.Tensor, cache: torch.Tensor, indices: torch.Tensor, table: torch.Tensor,
                q_lens: torch.Tensor, kv_lens: torch.Tensor) -> torch.Tensor:  # fmt: skip
        out, _, _ = torch.ops._C_ascend.npu_kv_quant_sparse_flash_attention(
            query * 2,
            cache,
            cache,
            indices,
            0.05,
            key_quant_mode=2,
            value_quant_mode=2,
            block_table=table,
            actual_seq_lengths_query=q_lens,
            actual_seq_lengths_kv=kv_lens,
            layout_query="TND",
            layout_kv="PA_BSND",
        )
        result: torch.Tensor = out + 1
        return result


def attention_inputs(seed: int, q: tuple[int, ...], kv: tuple[int, ...]) -> tuple[torch.Tensor, ...]:
    given = arguments(make(seed, layout="TND", q=q, kv=kv, size=6, used=(4,)))
    names = ("query", "key", "sparse_indices", "block_table")
    lengths = ("actual_seq_lengths_query", "actual_seq_lengths_kv")
    return tuple(given[name] for name in (*names, *lengths))


def test_export_with_dynamic_batches_tokens_and_blocks() -> None:
    dim = torch.export.Dim
    tokens, batches, blocks, table = dim("tokens"), dim("batches"), dim("blocks"), dim("table")
    shapes = ({0: tokens}, {0: blocks}, {0: tokens}, {0: batches, 1: table}, {0: batches}, {0: batches})
    exported = torch.export.export(
        Attention(), attention_inputs(1, (2, 1), (40, 20)), dynamic_shapes=shapes, strict=False
    )
    targets = [str(node.target) for node in exported.graph.nodes]
    assert "_C_ascend.npu_kv_quant_sparse_flash_attention.default" in targets
    other = attention_inputs(2, (1, 3, 2), (60, 5, 33))
    assert torch.equal(exported.module()(*other), Attention()(*other))


def test_compiled_code_is_used_again_when_the_cache_has_changed() -> None:
    compiled = torch.compile(Attention(), fullgraph=True, dynamic=True, backend="aot_eager")
    inputs = attention_inputs(4, (2, 1), (40, 20))
    before = compiled(*inputs)
    assert torch.equal(before, Attention()(*inputs))
    inputs[1][..., :512] = -inputs[1][..., :512].clamp(min=-127)
    after = compiled(*inputs)
    assert torch.equal(after, Attention()(*inputs))
    assert not torch.equal(after, before)
    other = attention_inputs(5, (3, 2), (60, 33))
    assert torch.equal(compiled(*other), Attention()(*other))


# --------------------------------------------------------------------------- beside what else torch does


def test_there_is_no_gradient_as_on_a_device() -> None:
    """Torch warns of an operator without a formula, and passes nothing on."""
    given = arguments(make(3), return_softmax_lse=True)
    plain = run(**given)
    given["query"].requires_grad_()
    outputs = run(**given)
    assert all(map(torch.equal, outputs, plain))
    with pytest.warns(UserWarning, match="an autograd kernel was not registered"):
        sum(output.float().sum() for output in outputs).backward()
    assert given["query"].grad is None


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")
def test_there_is_no_gradient_forward_either() -> None:
    given = arguments(make(3), return_softmax_lse=True)
    plain, query = run(**given), given["query"]
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(query, torch.ones_like(query))
        outputs = run(**{**given, "query": dual})
        assert [torch.autograd.forward_ad.unpack_dual(output).tangent for output in outputs] == [None] * 3
    assert all(map(torch.equal, outputs, plain))


def test_autocast_changes_nothing() -> None:
    given = arguments(make(3, half="float16"), return_softmax_lse=True)
    plain = run(**given)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert all(map(torch.equal, run(**given), plain))


def test_inference_mode_and_odd_defaults_change_nothing() -> None:
    given = arguments(make(3), return_softmax_lse=True)
    plain = run(**given)
    with torch.inference_mode(), torch.device("meta"):
        assert all(map(torch.equal, run(**given), plain))


def spread(tensor: torch.Tensor) -> torch.Tensor:
    """The same numbers, with others between them in memory."""
    wide = torch.empty((*tensor.shape, 2), dtype=tensor.dtype)
    wide[..., 0] = tensor
    return wide[..., 0]


@pytest.mark.parametrize(("layout", "layout_kv"), [("BSND", "PA_BSND"), ("BSND", "BSND"), ("TND", "TND")])
def test_tensors_need_not_be_contiguous(layout: str, layout_kv: str) -> None:
    given = arguments(make(3, layout=layout, layout_kv=layout_kv), return_softmax_lse=True)
    apart = {name: spread(value) if torch.is_tensor(value) else value for name, value in given.items()}
    assert not apart["key"].is_contiguous()
    assert all(map(torch.equal, run(**apart), run(**given)))


@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_vmap_runs_it_for_each() -> None:
    given = arguments(make(3), return_softmax_lse=True)
    queries = torch.stack([given["query"], -given["query"]])
    outputs = torch.vmap(lambda query: run(**{**given, "query": query}))(queries)
    for number, query in enumerate(queries):
        alone = run(**{**given, "query": query})
        assert all(map(torch.equal, (output[number] for output in outputs), alone))


@pytest.mark.parametrize(
    ("moved", "message"),
    [
        ("block_table", "device of block_table is meta, device of query is cpu; expected: one device"),
        ("query", "device of key is cpu, device of query is meta; expected: one device"),
    ],
)
def test_tensors_on_two_devices_are_refused(moved: str, message: str) -> None:
    given = arguments(make(3))
    with pytest.raises(package.CallError, match=message):
        run(**{**given, moved: given[moved].to("meta")})


# --------------------------------------------------------------------------- beside a compiled library


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a library that nothing is registered under, which the package takes for its own."""
    name = f"beside_{next(_NUMBERS)}"
    monkeypatch.setattr(ops, "LIBRARY", name)
    monkeypatch.setattr(ops, "_registrations", [])
    yield name
    for library in ops._registrations:
        library._destroy()


def has_kernel(library: str, key: str) -> bool:
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(f"{library}::{ops.NAME}", key))


def test_registering_again_changes_nothing(nowhere: str) -> None:
    ops.register()
    ops.register()
    assert len(ops._registrations) == 1
    given = arguments(make(1))
    operator = getattr(getattr(torch.ops, nowhere), ops.NAME)
    assert torch.equal(operator(**given)[0], run(**given)[0])


def test_what_a_library_has_registered_is_kept_and_the_rest_is_added(nowhere: str) -> None:
    library = torch.library.Library(nowhere, "FRAGMENT")
    library.define(ops.SCHEMA)
    library.impl(ops.NAME, lambda *args, **kwargs: tuple(t.new_empty(7) for t in args[:3]), "Meta")
    assert not has_kernel(nowhere, "CPU")
    ops.register()
    assert has_kernel(nowhere, "CPU")
    query = torch.zeros(1, 1, 1, 576, dtype=torch.half, device="meta")
    operator = getattr(getattr(torch.ops, nowhere), ops.NAME)
    assert operator(query, query, query, query, 1.0)[0].shape == (7,)
    library._destroy()


def test_a_library_with_another_schema_is_refused(nowhere: str) -> None:
    library = torch.library.Library(nowhere, "FRAGMENT")
    library.define(ops.SCHEMA.replace("int tile_size=128, ", ""))
    with pytest.raises(ImportError) as caught:
        ops.register()
    found, expected = str(caught.value).split("expected:")
    assert f"{nowhere}::{ops.NAME} is registered as" in found
    assert "int tile_size=128" not in found
    assert "int tile_size=128" in expected
    assert not has_kernel(nowhere, "CPU")
    library._destroy()


def test_the_program_itself_never_imports_torch() -> None:
    program = (
        "import sys; import qsfa_codegen.cli, qsfa_codegen.render.package; print('torch' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == "False\n"

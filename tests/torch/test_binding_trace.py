"""The compiled binding of the first operator in models: fake tensors, torch.compile and torch.export.

Numbers come from the CPU implementation of the Python package, beside the compiled schema and Meta function.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from kv_quant_sparse_flash_attention import ops
from torch._dynamo.testing import CompileCounterWithBackend
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from tests.torch.problems import arguments, make

KINDS: dict[str, dict[str, Any]] = {
    "paged": {},
    "padded": {"layout_kv": "BSND", "block": 4, "causal": False},
    "tokens": {"layout": "TND", "layout_kv": "TND"},
    "paged tokens": {"layout": "TND", "rope": 0, "half": "float16"},
}
TENSORS = (
    *("query", "key", "sparse_indices", "block_table"),
    *("actual_seq_lengths_query", "actual_seq_lengths_kv"),
)


@pytest.fixture(scope="module")
def operator(traced: str) -> Iterator[Any]:
    """The compiled operator with a CPU kernel."""
    library = torch.library.Library(traced, "IMPL")
    library.impl(ops.NAME, ops._on_cpu, "CPU")
    yield getattr(getattr(torch.ops, traced), ops.NAME).default
    library._destroy()


class Attention(torch.nn.Module):
    """A scaled query, then the operator, as a model would have them."""

    def __init__(self, operator: Any, given: dict[str, Any]) -> None:
        super().__init__()
        self.operator = operator
        self.settings = {name: v for name, v in given.items() if not torch.is_tensor(v) and v is not None}
        self.settings["return_softmax_lse"] = True

    def forward(
        self,
        query: torch.Tensor,
        key: torch.Tensor,
        sparse_indices: torch.Tensor,
        actual_seq_lengths_query: torch.Tensor,
        actual_seq_lengths_kv: torch.Tensor,
        block_table: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        out, softmax_max, softmax_sum = self.operator(
            query * 2,
            key,
            key,
            sparse_indices,
            block_table=block_table,
            actual_seq_lengths_query=actual_seq_lengths_query,
            actual_seq_lengths_kv=actual_seq_lengths_kv,
            **self.settings,
        )
        return out + 1, softmax_max + softmax_sum.log()


def sized(kind: str, seed: int, q: tuple[int, ...], kv: tuple[int, ...]) -> dict[str, Any]:
    return arguments(make(seed, q=q, kv=kv, **KINDS[kind]))


def tensors_of(given: dict[str, Any]) -> dict[str, torch.Tensor]:
    return {name: given[name] for name in TENSORS if given[name] is not None}


def same(one: tuple[torch.Tensor, ...], other: tuple[torch.Tensor, ...]) -> bool:
    return all(torch.equal(a, b) for a, b in zip(one, other, strict=True))


# --------------------------------------------------------------------------- fake tensors


@pytest.mark.parametrize("kind", KINDS)
def test_torch_finds_nothing_wrong_with_it(kind: str, operator: Any) -> None:
    given = sized(kind, 1, (2, 1), (20, 7))
    positional = [given.pop(name) for name in ("query", "key", "value", "sparse_indices", "scale_value")]
    tests = ["test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic"]
    outcomes = torch.library.opcheck(operator, tuple(positional), given, test_utils=tests)
    assert outcomes == dict.fromkeys(tests, "SUCCESS")


@pytest.mark.parametrize("lse", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_fake_outputs_are_like_real_ones(kind: str, lse: bool, operator: Any) -> None:
    given = {**sized(kind, 2, (2, 1), (20, 7)), "return_softmax_lse": lse}
    real = operator(**given)
    with FakeTensorMode() as mode:
        fake = operator(**{n: mode.from_tensor(v) if torch.is_tensor(v) else v for n, v in given.items()})
    for ours, theirs in zip(real, fake, strict=True):
        assert (ours.shape, ours.dtype, ours.stride()) == (theirs.shape, theirs.dtype, theirs.stride())
        assert theirs.device.type == "cpu"


@pytest.mark.parametrize("kind", KINDS)
def test_sizes_of_outputs_are_symbols_of_the_inputs_and_open(kind: str, operator: Any) -> None:
    given = {**sized(kind, 3, (2, 1, 2), (20, 7, 9)), "return_softmax_lse": True}
    env = ShapeEnv()
    with FakeTensorMode(shape_env=env) as mode:
        fake = {n: mode.from_tensor(v) if torch.is_tensor(v) else v for n, v in given.items()}
        out, softmax_max, softmax_sum = operator(**fake)
    query = fake["query"].shape
    assert all(isinstance(size, torch.SymInt) for size in query[:-2])
    assert str(out.shape[:-1]) == str(query[:-1])
    tokens = query[:-2]
    expected = (*tokens[:-1], fake["key"].shape[-2], tokens[-1], query[-2] // fake["key"].shape[-2])
    assert str(softmax_max.shape) == str(softmax_sum.shape) == str(torch.Size(expected))
    # Of the sizes only the head dim must be what it is in every call: as many elements as RoPE has, at least.
    assert {str(symbol) for guard in env.guards for symbol in guard.expr.free_symbols} <= {str(query[-1])}


def test_settings_of_a_traced_call_are_checked(operator: Any) -> None:
    given = {**sized("paged", 3, (2, 1), (20, 7)), "sparse_block_size": 3}
    with FakeTensorMode(shape_env=ShapeEnv()) as mode:
        fake = {n: mode.from_tensor(v) if torch.is_tensor(v) else v for n, v in given.items()}
        with pytest.raises(RuntimeError, match=r"sparse_block_size is 3; expected: .* one of 1, 2, 4, 8, 16"):
            operator(**fake)


# --------------------------------------------------------------------------- torch.compile


@pytest.fixture
def sizes_told_apart() -> Iterator[None]:
    """Sizes that are equal in the first call by accident are not taken for the same."""
    config: Any = torch.fx.experimental._config
    with config.patch(use_duck_shape=False):
        yield


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.usefixtures("sizes_told_apart")
def test_compiled_once_for_all_sizes(kind: str, backend: str, operator: Any) -> None:
    torch._dynamo.reset()
    counter = CompileCounterWithBackend(backend)
    model = Attention(operator, sized(kind, 4, (2, 1), (20, 7)))
    compiled = torch.compile(model, fullgraph=True, dynamic=True, backend=counter)
    graphs = []
    for seed, q, kv in ((4, (2, 1), (20, 7)), (5, (3, 2, 4), (33, 18, 40)), (6, (1, 5), (70, 16))):
        given = tensors_of(sized(kind, seed, q, kv))
        assert same(compiled(**given), model(**given))
        graphs.append(counter.frame_count)
    assert graphs[0] > 0
    assert graphs == graphs[:1] * 3


# --------------------------------------------------------------------------- torch.export


def dynamic(kind: str) -> dict[str, dict[int, Any]]:
    """Every size that a model may leave open, and how sizes hang together."""
    dim = torch.export.Dim
    batch, rows, tokens, pages, used = dim("B"), dim("Q_S"), dim("Q_T"), dim("block_num"), dim("max_blocks")
    by_token = "tokens" in kind
    lead = {0: tokens} if by_token else {0: batch, 1: rows}
    shapes: dict[str, dict[int, Any]] = {
        "query": lead,
        "sparse_indices": lead,
        "actual_seq_lengths_query": {0: batch},
        "actual_seq_lengths_kv": {0: batch},
    }
    if "paged" in kind:
        return {**shapes, "key": {0: pages}, "block_table": {0: batch, 1: used}}
    return {**shapes, "key": {0: dim("KV_T")} if by_token else {0: batch, 1: dim("KV_S")}}


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_exported_with_all_sizes_open(kind: str, strict: bool, operator: Any) -> None:
    given = sized(kind, 7, (2, 1), (20, 37))
    model = Attention(operator, given)
    exported = torch.export.export(model, (), tensors_of(given), dynamic_shapes=dynamic(kind), strict=strict)
    targets = [node.target for node in exported.graph.nodes if node.op == "call_function"]
    assert targets.count(operator) == 1
    for seed, q, kv in ((7, (2, 1), (20, 37)), (8, (3, 2, 4), (33, 18, 70)), (9, (1,), (5,))):
        other = tensors_of(sized(kind, seed, q, kv))
        assert same(exported.module()(**other), model(**other))


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize(
    ("name", "last", "message"),
    [
        ("query", (3, 576), r"Q_N is 3; expected: Q_N is one of 1, 2, 4"),
        ("query", (2, 575), r"Q_D is 575, rope_head_dim is 64; expected"),
        ("key", (16, 1, 655), r"KV_D is 655, rope_head_dim is 64; expected"),
        ("key", (24, 1, 656), r"block_size is 24; expected: block_size is from 16 to 1024"),
        ("sparse_indices", (2, 6), r"dim 2 of sparse_indices is 2, KV_N is 1; expected"),
    ],
)
def test_a_size_that_is_known_is_checked_beside_open_ones(
    name: str, last: tuple[int, ...], message: str, strict: bool, operator: Any
) -> None:
    given = sized("paged", 7, (2, 1), (20, 37))
    lead = given[name].shape[: given[name].dim() - len(last)]
    given[name] = torch.zeros(*lead, *last, dtype=given[name].dtype)
    model = Attention(operator, given)
    with pytest.raises(Exception, match=message):
        torch.export.export(model, (), tensors_of(given), dynamic_shapes=dynamic("paged"), strict=strict)


def test_what_is_exported_can_be_saved_and_loaded(operator: Any, tmp_path: Any) -> None:
    given = sized("paged", 10, (2, 1), (20, 37))
    model = Attention(operator, given)
    exported = torch.export.export(model, (), tensors_of(given), dynamic_shapes=dynamic("paged"))
    torch.export.save(exported, tmp_path / "model.pt2")
    loaded = torch.export.load(tmp_path / "model.pt2").module()
    other = tensors_of(sized("paged", 11, (3, 2, 4), (33, 18, 70)))
    assert same(loaded(**other), model(**other))

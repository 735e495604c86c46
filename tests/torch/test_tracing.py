"""Rules on sizes that a trace leaves open: what is known is checked, and nothing becomes a number."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import kv_quant_sparse_flash_attention as package
import pytest
import torch
from kv_quant_sparse_flash_attention.tracing import OpenSize, OpenSizeError, with_open_sizes
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.fx.experimental.symbolic_shapes import ShapeEnv

from tests.torch.problems import arguments, make

run = torch.ops._C_ascend.npu_kv_quant_sparse_flash_attention


@pytest.fixture
def shapes() -> ShapeEnv:
    return ShapeEnv()


@pytest.fixture
def size(shapes: ShapeEnv) -> Iterator[OpenSize]:
    """A size that is 48 in the example at hand and may be another."""
    (found,) = FakeTensorMode(shape_env=shapes).from_tensor(torch.empty(48)).shape
    yield OpenSize(found)
    assert shapes.guards == []


UNKNOWN: dict[str, Callable[[Any], object]] = {
    "==": lambda size: size == 48,
    "!=": lambda size: size != 48,
    "in": lambda size: size in (16, 48),
    "<": lambda size: size < 49,
    "other side": lambda size: 47 < size,  # noqa: SIM300
    "%": lambda size: size % 16 != 0,
    "min": lambda size: min(size, 3 * size - 90),
    "tuples": lambda size: (4, size) == (4, 48),
    "truth": lambda size: bool(size - 48),
}


@pytest.mark.parametrize("asked", UNKNOWN)
def test_what_depends_on_the_example_is_not_answered(asked: str, size: OpenSize) -> None:
    with pytest.raises(OpenSizeError):
        UNKNOWN[asked](size)


def test_what_holds_for_every_size_is_answered(size: Any) -> None:
    assert (size * 16) % 16 == 0
    assert 16 * size % 16 == 0
    assert size + 1 > size
    assert 5 - size <= 5
    assert not size < 0
    assert -size // 1 + size == 0
    assert (4, size) != (5, size)


def test_a_message_shows_the_symbol(size: Any) -> None:
    assert f"{size * 2}" == f"2*{size}"


def test_arguments_that_are_not_tensors_stay(size: Any) -> None:
    call = package.Call(**arguments(make(1)))
    seen = with_open_sizes(call)
    assert seen.scale_value == call.scale_value
    assert seen.query.dim() == 4
    assert seen.query.numel() == call.query.numel()
    assert seen.key_dequant_scale is None


# --------------------------------------------------------------------------- whole calls

KINDS: dict[str, dict[str, Any]] = {
    "paged": {},
    "padded": {"layout_kv": "BSND"},
    "tokens": {"layout": "TND", "layout_kv": "TND"},
}


class Attention(torch.nn.Module):
    """The operator, with everything that is no tensor kept."""

    def __init__(self, given: dict[str, Any]) -> None:
        super().__init__()
        self.settings = {name: v for name, v in given.items() if not torch.is_tensor(v) and v is not None}

    def forward(self, query: Any, key: Any, sparse_indices: Any, lengths: Any, kv_lengths: Any,
                block_table: Any = None) -> torch.Tensor:  # fmt: skip
        out: torch.Tensor = run(
            query,
            key,
            key,
            sparse_indices,
            block_table=block_table,
            actual_seq_lengths_query=lengths,
            actual_seq_lengths_kv=kv_lengths,
            **self.settings,
        )[0]
        return out


def exported(kind: str, **changes: torch.Tensor) -> torch.export.ExportedProgram:
    """The call with every size open that the contract leaves open."""
    given = {**arguments(make(1, **KINDS[kind])), **changes}
    tensors = {
        "query": given["query"],
        "key": given["key"],
        "sparse_indices": given["sparse_indices"],
        "lengths": given["actual_seq_lengths_query"],
        "kv_lengths": given["actual_seq_lengths_kv"],
    }
    dim = torch.export.Dim
    batch = dim("B")
    lead: dict[int, Any] = {0: dim("Q_T")} if kind == "tokens" else {0: batch, 1: dim("Q_S")}
    open_sizes = {"query": lead, "sparse_indices": lead, "lengths": {0: batch}, "kv_lengths": {0: batch}}
    open_sizes["key"] = {
        "paged": {0: dim("blocks")},
        "padded": {0: batch, 1: dim("KV_S")},
        "tokens": {0: dim("KV_T")},
    }[kind]
    if kind == "paged":
        tensors["block_table"] = given["block_table"]
        open_sizes["block_table"] = {0: batch, 1: dim("used")}
    return torch.export.export(Attention(given), (), tensors, dynamic_shapes=open_sizes, strict=False)


@pytest.mark.parametrize("kind", KINDS)
def test_a_legal_call_is_exported_with_its_sizes_open(kind: str) -> None:
    assert len(exported(kind).range_constraints) >= 3


def zeros(kind: str, name: str, last: tuple[int, ...]) -> torch.Tensor:
    """A tensor of the call with other last sizes."""
    tensor = arguments(make(1, **KINDS[kind]))[name]
    return torch.zeros(*tensor.shape[: tensor.dim() - len(last)], *last, dtype=tensor.dtype)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("name", "last", "message"),
    [
        ("query", (3, 576), "Q_N is 3; expected: Q_N is one of 1, 2, 4"),
        ("query", (2, 575), "Q_D is 575, rope_head_dim is 64; expected"),
        ("key", (1, 655), "KV_D is 655, rope_head_dim is 64; expected"),
        ("key", (2, 656), "KV_N is 2; expected: KV_N is 1"),
        ("sparse_indices", (1, 0), "sparse_size is 0; expected: sparse_size is at least 1"),
    ],
)
def test_a_size_that_is_known_is_checked_beside_open_ones(
    kind: str, name: str, last: tuple[int, ...], message: str
) -> None:
    with pytest.raises(package.CallError, match=message):
        exported(kind, **{name: zeros(kind, name, last)})


def test_a_known_page_is_checked() -> None:
    with pytest.raises(package.CallError, match="block_size is 24; expected: block_size is from 16 to 1024"):
        exported("paged", key=zeros("paged", "key", (24, 1, 656)))


def test_rules_that_ask_for_no_size_are_checked() -> None:
    call = {**arguments(make(1)), "layout_kv": "BSND", "block_table": None, "layout_query": "TND"}
    call["query"], call["sparse_indices"] = call["query"][0], call["sparse_indices"][0]
    with FakeTensorMode(shape_env=ShapeEnv()) as mode:
        fake = {name: mode.from_tensor(v) if torch.is_tensor(v) else v for name, v in call.items()}
        with pytest.raises(package.CallError, match="must equal layout_query unless it is PA_BSND"):
            run(**fake)

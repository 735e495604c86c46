"""Memory: pieces of work are bounded, whatever the sizes of the call."""

from __future__ import annotations

import weakref
from typing import Any

import pytest
import torch
from kv_quant_sparse_flash_attention import KvRow, cpu
from kv_quant_sparse_flash_attention.contract import Call
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Peak(TorchDispatchMode):
    """Bytes of all tensors that were made inside and still live, and the most that there were."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.most = 0
        self._known: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        given = {t.untyped_storage().data_ptr() for t in tree_leaves((args, kwargs)) if torch.is_tensor(t)}
        for tensor in tree_leaves(result):
            if torch.is_tensor(tensor):
                self._count(tensor, given)
        return result

    def _count(self, tensor: torch.Tensor, given: set[int]) -> None:
        storage = tensor.untyped_storage()
        place, size = storage.data_ptr(), storage.nbytes()
        if size == 0 or place in given or place in self._known:
            return
        self._known.add(place)
        self.now += size
        self.most = max(self.most, self.now)
        weakref.finalize(storage, self._forget, place, size)

    def _forget(self, place: int, size: int) -> None:
        self._known.discard(place)
        self.now -= size


def case(rows: int, tokens: int, selected: int, heads: int = 4, kv: torch.dtype = torch.int8) -> Call:
    """A paged call over one batch; contents do not matter, but that they are finite."""
    row = KvRow(kv=kv, q=torch.bfloat16)
    page = 256
    cache = torch.zeros(tokens // page, page, 1, row.size, dtype=torch.uint8).view(kv)
    indices = torch.arange(selected, dtype=torch.int32).expand(1, rows, 1, selected)
    return Call(
        torch.ones(1, rows, heads, 576).to(torch.bfloat16),
        cache,
        cache,
        indices.contiguous(),
        1.0,
        key_quant_mode=2,
        value_quant_mode=2,
        block_table=torch.arange(tokens // page, dtype=torch.int32).view(1, -1),
        actual_seq_lengths_kv=torch.tensor([tokens], dtype=torch.int32),
        layout_kv="PA_BSND",
        sparse_mode=0,
    )


def peak(call: Call) -> int:
    with Peak() as used:
        cpu.attend(call)
    return int(used.most)


def test_the_count_sees_what_lives_at_once() -> None:
    with Peak() as used:
        kept = torch.zeros(1000, dtype=torch.uint8)
        for _ in range(5):
            torch.ones(300, dtype=torch.uint8).view(3, 100).sum(dtype=torch.uint8)
    assert used.now == 1000
    assert used.most == 1301
    assert kept.numel() == 1000


@pytest.mark.parametrize("kv", [torch.int8, torch.float8_e4m3fn, torch.uint8])
@pytest.mark.parametrize(
    ("rows", "tokens", "selected", "heads"),
    [
        (1, 4096, 2048, 64),
        (4, 4096, 1024, 128),
        (16, 4096, 1024, 4),
        (64, 32768, 128, 1),
        (1, 32768, 32768, 16),
    ],
)
def test_work_stays_within_its_bound(
    rows: int, tokens: int, selected: int, heads: int, kv: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu, "WORK_BYTES", 1 << 22)
    call = case(rows, tokens, selected, heads, kv)
    outputs = call.query.numel() * 2
    lists = call.sparse_indices.numel()  # one byte each tells which are valid
    assert peak(call) < (1 << 22) + 4 * outputs + 2 * lists


def test_more_rows_and_tokens_need_no_more() -> None:
    small, large = peak(case(8, 4096, 512)), peak(case(64, 32768, 512))
    assert large < 2 * (1 << 26)
    assert small < large


def test_pieces_give_the_bits_of_the_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows apart from each other; tiles of tokens change the order of sums and are not asked here."""
    call = case(5, 512, 64)
    call.query.copy_(torch.randn(call.query.shape, generator=torch.Generator().manual_seed(0)))
    call.key[..., :512].random_(-100, 100, generator=torch.Generator().manual_seed(1))
    call.key.view(torch.float32)[..., 160:] = 0.01
    whole = cpu.attend(call)
    monkeypatch.setattr(cpu, "WORK_BYTES", 64 * cpu._token_bytes(call))
    assert torch.equal(cpu.attend(call).attention_out, whole.attention_out)


def test_a_query_that_requires_a_gradient_needs_no_more() -> None:
    without, wanted = case(64, 4096, 512), case(64, 4096, 512)
    wanted.query.requires_grad_()
    assert peak(wanted) == peak(without)

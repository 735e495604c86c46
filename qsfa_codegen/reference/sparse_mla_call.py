"""Calls of operators of the family sparse_mla: their tensors, and what must come out of them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from qsfa_codegen.contract.calls import TensorArg
from qsfa_codegen.reference import sparse_mla_data as data
from qsfa_codegen.reference.elements import Floats
from qsfa_codegen.reference.sparse_mla import Answer, Problem, Row, attend, kv_length, query_places
from qsfa_codegen.reference.sparse_mla_bound import max_bound, out_bound, sum_bound
from qsfa_codegen.reference.subject import Expected, Subject, given, numbers_of, stored
from qsfa_codegen.spec.families import plain_fields
from qsfa_codegen.spec.model import AttrValue, Record

_BATCHED, _JOINED = 4, 3
"""Ranks of Q and of an unpaged cache: batches side by side, batches one behind the other."""
_SOME = 8
"""Tokens that are worth a call."""
_NOTHING = 0xFF
"""Every byte of a row that no batch has: the scales are no numbers."""


class _View:
    """The call as the family sees it."""

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.query = subject.need("q")
        self.cache = subject.need("kv")
        self.indices = subject.need("indices")
        self.table = subject.tensor("table")
        self.joined = len(self.query.shape) == _JOINED
        self.joined_kv = len(self.cache.shape) == _JOINED
        self.q_lens, self.kv_lens = subject.tensor("q_lens"), subject.tensor("kv_lens")
        lengths = self.q_lens if self.joined else None
        self.batches = self.query.shape[0] if lengths is None else lengths.shape[0]
        block = subject.attr("block_tokens", 1)
        assert isinstance(block, int)
        self.block = block

    @property
    def page(self) -> int:
        """Tokens of a block of the paged cache."""
        return self.cache.shape[1]

    @property
    def room(self) -> int:
        """Tokens that a batch can have; of all batches together where they are joined."""
        if self.table is not None:
            return self.table.shape[1] * self.page if self.cache.shape[0] else 0
        return self.cache.shape[0] if self.joined_kv else self.cache.shape[1]

    def row(self) -> Row:
        """The packed row of this call."""
        subject = self.subject
        record = subject.operator.find(Record, str(subject.name("row")))
        assert record.dequant is not None
        counts = {part.name: part.count for part in record.fields}
        names = (record.dequant.field, plain_fields(record)[0], record.dequant.by)
        nope, rope, _ = (subject.value(counts[name]) for name in names)
        at = tuple(subject.value(record.offset(name)) for name in names)
        return Row(nope, subject.value(record.dequant.tile), rope, (at[0], at[1], at[2]))


# --------------------------------------------------------------------------- tensors


def fill(subject: Subject, random: np.random.Generator) -> Mapping[str, NDArray[Any]]:
    """The data of each tensor of the call, as it is stored. What the call gives itself stays."""
    return _Filler(subject, random).tensors()


class _Filler:
    def __init__(self, subject: Subject, random: np.random.Generator) -> None:
        self._subject = subject
        self._random = random
        self._view = _View(subject)

    def tensors(self) -> Mapping[str, NDArray[Any]]:
        view, made = self._view, dict[str, NDArray[Any]]()
        q_lens = self._lengths(view.q_lens, self._q_lengths)
        kv_lens = self._lengths(view.kv_lens, self._kv_lengths)
        table = self._one(view.table, lambda arg: self._page_table(arg, kv_lens))
        roles = {
            "q_lens": q_lens,
            "kv_lens": kv_lens,
            "table": table,
            "q": self._one(view.query, self._query),
            "indices": self._one(view.indices, lambda arg: self._lists(arg, q_lens, kv_lens)),
            "kv": self._one(view.cache, lambda arg: self._cache(arg, table, kv_lens)),
        }
        roles["v"] = self._one(self._subject.tensor("v"), lambda arg: self._value(arg, roles["kv"]))
        for role, array in roles.items():
            name = self._subject.name(role)
            if name is not None and array is not None:
                made[name] = array
        for name, arg in self._subject.call.inputs.items():
            if name not in made and isinstance(arg, TensorArg):
                made[name] = self._any(arg)
        return made

    def _one(self, arg: TensorArg | None, make: Any) -> NDArray[Any] | None:
        if arg is None:
            return None
        known = given(arg)
        return np.asarray(make(arg), dtype=stored(arg.dtype)).reshape(arg.shape) if known is None else known

    # ------------------------------------------------------------------ lengths

    def _lengths(self, arg: TensorArg | None, make: Any) -> NDArray[Any] | None:
        return self._one(arg, make)

    def _q_lengths(self, arg: TensorArg) -> list[int]:
        count, most = arg.shape[0], self._view.query.shape[0 if self._view.joined else 1]
        make = data.any_sums if self._view.joined else data.any_lengths
        return make(self._random, count, most)

    def _kv_lengths(self, arg: TensorArg) -> list[int]:
        make = data.any_sums if self._view.joined_kv and self._view.table is None else data.any_lengths
        return make(self._random, arg.shape[0], self._view.room)

    def _kv_length(self, kv_lens: NDArray[Any] | None, batch: int) -> int:
        if kv_lens is None:
            return self._view.room
        if self._summed():
            return int(kv_lens[batch]) - (int(kv_lens[batch - 1]) if batch else 0)
        return int(kv_lens[batch])

    def _summed(self) -> bool:
        return self._view.joined_kv and self._view.table is None

    # ------------------------------------------------------------------ lists and tables

    def _page_table(self, arg: TensorArg, kv_lens: NDArray[Any] | None) -> Any:
        lengths = [self._kv_length(kv_lens, batch) for batch in range(arg.shape[0])]
        return data.page_table(self._random, arg.shape, self._view.cache.shape[0], self._view.page, lengths)

    def _lists(self, arg: TensorArg, q_lens: NDArray[Any] | None, kv_lens: NDArray[Any] | None) -> Any:
        size = arg.shape[-1]
        rows = math.prod(arg.shape[:-1])
        found = np.full((rows, size), -1, dtype=np.int64)
        for place in range(rows):
            batch = self._batch_of(place, q_lens)
            tokens = self._kv_length(kv_lens, batch)
            found[place] = data.any_list(self._random, -(-tokens // self._view.block), size)
        return found

    def _batch_of(self, place: int, q_lens: NDArray[Any] | None) -> int:
        """The batch of a query row; rows behind the last batch count as its own."""
        if not self._view.joined:
            return place // self._view.query.shape[1]
        assert q_lens is not None
        return min(int(np.searchsorted(q_lens, place, side="right")), self._view.batches - 1)

    # ------------------------------------------------------------------ numbers

    def _query(self, arg: TensorArg) -> Any:
        return data.half_numbers(self._random, arg.dtype, *arg.shape)

    def _cache(self, arg: TensorArg, table: NDArray[Any] | None, kv_lens: NDArray[Any] | None) -> Any:
        """Rows of numbers; those that no batch has hold nothing that can be calculated with."""
        rows, row = math.prod(arg.shape[:-1]), self._view.row()
        made = data.random_rows(self._random, rows, arg.dtype, self._view.query.dtype, row)
        made[~self._held(rows, table, kv_lens)] = _NOTHING
        return made

    def _held(self, rows: int, table: NDArray[Any] | None, kv_lens: NDArray[Any] | None) -> NDArray[np.bool_]:
        """Which rows of the cache some batch has."""
        view, held = self._view, np.zeros(rows, dtype=bool)
        if table is not None:
            for batch in range(table.shape[0]):
                tokens = np.arange(self._kv_length(kv_lens, batch))
                places = table[batch, tokens // view.page].astype(np.int64) * view.page + tokens % view.page
                held[places[(places >= 0) & (places < rows)]] = True
        elif view.joined_kv:
            held[: 0 if kv_lens is None else int(kv_lens[-1])] = True
        else:
            for batch in range(view.cache.shape[0]):
                begin = batch * view.room
                held[begin : begin + self._kv_length(kv_lens, batch)] = True
        return held

    def _value(self, arg: TensorArg, cache: NDArray[Any] | None) -> Any:
        """V is read out of the rows of K: this is the same tensor, or one that no kernel looks at."""
        if cache is not None and cache.shape == arg.shape:
            return cache
        return self._any(arg)

    def _any(self, arg: TensorArg) -> NDArray[Any]:
        """Contents that do not matter."""
        size = math.prod(arg.shape) * stored(arg.dtype).itemsize
        return np.frombuffer(self._random.bytes(size), dtype=stored(arg.dtype)).reshape(arg.shape)


# --------------------------------------------------------------------------- results


def expected(subject: Subject, tensors: Mapping[str, NDArray[Any]]) -> Mapping[str, Expected]:
    """Every output by its name, also those that the call does not ask for."""
    asked = problem_of(subject, tensors)
    with np.errstate(over="ignore", invalid="ignore"):  # data may hold anything
        return _expected(subject, asked, attend(asked))


def _expected(subject: Subject, asked: Problem, answer: Answer) -> Mapping[str, Expected]:
    names = {role: name for role in ("out", "row_max", "row_sum") if (name := subject.name(role))}
    found = {names["out"]: Expected(answer.out, out_bound(asked, answer))}
    for role, values, bound in (
        ("row_max", np.where(np.isnan(answer.row_sum), 0.0, answer.row_max), max_bound(answer)),
        ("row_sum", answer.row_sum, sum_bound(answer)),
    ):
        if role in names:
            found[names[role]] = Expected(_kv_head_first(values), _kv_head_first(bound))
    return found


def _kv_head_first(values: Floats) -> Floats:
    """``[…, S, N]`` as ``[…, KV heads, S, heads of each]``: there is one KV head."""
    return values[..., None, :, :]


def problem_of(subject: Subject, tensors: Mapping[str, NDArray[Any]]) -> Problem:
    """The call with its data, as the reference takes it."""
    view, query = _View(subject), _View(subject).query

    def role(name: str) -> NDArray[Any] | None:
        return tensors.get(str(subject.name(name)))

    def listed(name: str) -> list[int] | None:
        found = role(name)
        return None if found is None else [int(n) for n in found]

    indices, cache, table = role("indices"), role("kv"), role("table")
    assert indices is not None
    assert cache is not None
    scale = subject.attr("scale", 1.0)
    assert isinstance(scale, int | float)
    return Problem(
        query=numbers_of(tensors[str(subject.name("q"))].tobytes(), query.dtype, query.shape),
        cache=cache.reshape(*cache.shape[:-2], cache.shape[-1]),
        indices=indices.reshape(*indices.shape[:-2], indices.shape[-1]),
        scale=float(scale),
        row=view.row(),
        kind=view.cache.dtype,
        half=query.dtype,
        block=view.block,
        causal=subject.truth("causal"),
        table=None if table is None else table.astype(np.int64),
        q_lens=listed("q_lens"),
        kv_lens=listed("kv_lens"),
    )


def used_blocks_in_cache(subject: Subject, tensors: Mapping[str, NDArray[Any]]) -> bool:
    """Whether each entry of the block table that a batch uses names a block of the cache."""
    asked = problem_of(subject, tensors)
    assert asked.table is not None
    blocks, page = asked.cache.shape[:2]
    for batch, row in enumerate(asked.table):
        used = row[: -(-kv_length(asked, batch) // page)]
        if ((used < 0) | (used >= blocks)).any():
            return False
    return True


def indices_below_kv_length(subject: Subject, tensors: Mapping[str, NDArray[Any]]) -> bool:
    """Whether each entry of a list is -1 or a block of its batch; of rows that some batch has."""
    asked = problem_of(subject, tensors)
    for place, batch, _ in query_places(asked):
        row = asked.indices[place]
        least, most = int(row.min(initial=-1)), int(row.max(initial=-1))
        if least < -1 or most * asked.block >= kv_length(asked, batch):
            return False
    return True


def work(subject: Subject) -> int:
    """Products of the call: query rows times heads times tokens times elements, twice."""
    view = _View(subject)
    rows = math.prod(view.query.shape[:-2])
    tokens = min(view.indices.shape[-1] * view.block, view.room)
    return 2 * rows * tokens * math.prod(view.query.shape[-2:])


def telling(subject: Subject) -> bool:
    """Whether query rows have tokens to attend to: with the causal mask those of a short cache have none."""
    view = _View(subject)
    rows = view.query.shape[0 if view.joined else 1]
    enough = view.room >= rows or not subject.truth("causal")
    return enough and min(view.room, view.indices.shape[-1] * view.block) >= _SOME


def usual(subject: Subject) -> Mapping[str, AttrValue]:
    """A scale with which logits of normal numbers are of about 1."""
    name = subject.name("scale")
    return {} if name is None else {name: float(np.float32(_View(subject).query.shape[-1] ** -0.5))}

"""What a family's tests and model side need of an operator beyond its roles: layouts, values, chips.

All of it follows from the shapes, domains and records of the spec; an operator in which one cannot be told
has no such files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from msgspec import Struct

from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.expr.nodes import INT, Compare, Expr, Literal, ParamQuery, Query, Ref, RefKind
from qsfa_codegen.expr.rewrite import bottom_up
from qsfa_codegen.expr.specialize import simplify, substitute
from qsfa_codegen.render.family_reading import FamilyError, by_case, dim_name, needed
from qsfa_codegen.render.python_contract import python_contract
from qsfa_codegen.render.python_names import torch_dtype
from qsfa_codegen.render.torch_schema import literal
from qsfa_codegen.spec.columns import all_dtypes, registered_dtypes
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.families import plain_fields
from qsfa_codegen.spec.model import (
    Attr,
    AttrScalar,
    AttrType,
    Const,
    Dim,
    Input,
    Let,
    Output,
    Presence,
    Record,
    Shape,
    Table,
)
from qsfa_codegen.spec.paths import at_chip
from qsfa_codegen.spec.world import attr_values

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Chip, Operator, Tolerance

T = TypeVar("T")
_BATCHED_RANK, _JOINED_RANK = 4, 3
_FEW_HEADS = 4
_HIFLOAT8 = "hifloat8"
_LARGE = 1 << 31
"""Attributes whose only value is a limit beyond this say that there is no limit: their default does."""


class ChipFacts(Struct, frozen=True):
    """What a chip takes: dtypes of the cache, query heads, tokens of an entry, whether it writes the softmax.

    ``caches`` are those of ``dtypes`` that rows can be computed in, as tensors have them. No ``heads`` are
    any number.
    """

    id: str
    soc: str
    dtypes: tuple[str, ...]
    caches: tuple[str, ...]
    heads: tuple[int, ...]
    blocks: tuple[int, ...]
    lse: bool


class LayoutFacts(Struct, frozen=True):
    """Arguments that choose layouts, and the words for batches side by side, in a row, and a paged cache."""

    query: str
    kv: str
    batched: str
    joined: str
    paged: str


class FamilyFacts(Struct, frozen=True):
    """Names are those of the torch operator's arguments; texts of values are Python."""

    layouts: LayoutFacts
    lse: str
    plain: str
    """The argument with the number of elements of the row's plain field."""
    plain_values: tuple[int, ...]
    mask: str
    mask_all: str
    mask_causal: str
    fixed: Mapping[str, str]
    """Arguments that have one accepted value, which every call passes: defaults are no promise."""
    quantised: int
    tile: int
    halves: tuple[str, ...]
    caches: tuple[str, ...]
    hifloat8: str
    """The dtype of tensors with the bits of hifloat8; empty when no chip takes such a cache."""
    demands: Mapping[str, Mapping[str, int]]
    """What a dtype of the cache demands: of `rope`, the plain elements, and of `entries`."""
    blocks: tuple[int, ...]
    """Tokens that an entry can stand for, when they are several."""
    heads: int
    """A few query heads that every chip takes."""
    chips: tuple[ChipFacts, ...]
    tolerances: Mapping[str, Tolerance]
    decode: Mapping[str, int]
    """Sizes of the usual decoding step: heads, tokens, page, entries."""
    decode_tolerance: Tolerance | None


def family_facts(operator: Operator) -> FamilyFacts | None:
    """The facts of an operator that is computed on the CPU; None where some cannot be told."""
    found = _facts(operator)
    return found if isinstance(found, FamilyFacts) else None


def lacking_fact(operator: Operator) -> str:
    """What the spec of an operator that is computed on the CPU lacks for these facts; empty for nothing."""
    found = _facts(operator)
    return found if isinstance(found, str) else ""


@once_an_operator
def _facts(operator: Operator) -> FamilyFacts | str:
    try:
        return _Reader(operator).facts()
    except FamilyError as error:
        return str(error)


class _Reader:
    def __init__(self, operator: Operator) -> None:
        assert operator.kernel is not None
        self._operator = operator
        self._targets = dict(operator.kernel.roles)
        self._params = python_contract(operator).by_source

    def facts(self) -> FamilyFacts:
        operator = self._operator
        record = operator.find(Record, self._role("row"))
        assert record.dequant is not None
        counts = {field.name: field.count for field in record.fields}
        field = plain_fields(record)[0]
        plain = self._attr_of(counts[field], f"the number of elements of '{field}'")
        mask_all, mask_causal = self._masks()
        lse = self._lse()
        reference = operator.reference
        assert reference is not None
        decode = reference.decode
        return FamilyFacts(
            layouts=self._layouts(),
            lse=self._argument(lse.name),
            plain=self._argument(plain.name),
            plain_values=self._values(plain),
            mask=self._argument(self._role("mask")),
            mask_all=mask_all,
            mask_causal=mask_causal,
            fixed=dict(self._fixed()),
            quantised=self._number(counts[record.dequant.field]),
            tile=self._number(record.dequant.tile),
            halves=self._dtypes("q"),
            caches=self._caches(all_dtypes(operator, self._input("kv").dtype)),
            hifloat8=self._hifloat8(),
            demands=dict(self._demands(plain)),
            blocks=tuple(n for n in self._values(self._attr("block_tokens")) if n > 1),
            heads=self._few_heads(),
            chips=tuple(self._chip(chip, lse) for chip in operator.chips),
            tolerances={torch_dtype(t.dtype): t for t in reference.tolerances if t.dtype},
            decode=self._sizes(dict(decode.sizes)) if decode is not None else {},
            decode_tolerance=decode.tolerance if decode is not None else None,
        )

    # ------------------------------------------------------------------ names

    def _role(self, role: str) -> str:
        return needed(self._targets.get(role), f"nothing plays the role '{role}'")

    def _argument(self, source: str) -> str:
        return needed(self._params.get(source), f"the torch operator has no argument for '{source}'").name

    def _attr(self, role: str) -> Attr:
        return self._operator.find(Attr, self._role(role))

    def _input(self, role: str) -> Input:
        return self._operator.find(Input, self._role(role))

    def _attr_of(self, expr: Expr, what: str) -> Attr:
        if not isinstance(expr, Ref) or expr.kind is not RefKind.ATTR:
            raise FamilyError(f"{what} is no attribute")
        return self._operator.find(Attr, expr.name)

    # ------------------------------------------------------------------ layouts

    def _layouts(self) -> LayoutFacts:
        query, kv = self._shapes("q"), self._shapes("kv")
        table = by_case(self._input("table").presence, f"the presence of '{self._role('table')}'")
        labels = {shape.rank: label for label, shape in query.items()}
        paged = [label for label, presence in table.items() if presence is Presence.REQUIRED]
        name = self._role("q")
        batched = needed(labels.get(_BATCHED_RANK), f"'{name}' has no layout with {_BATCHED_RANK} dims")
        joined = needed(labels.get(_JOINED_RANK), f"'{name}' has no layout with {_JOINED_RANK} dims")
        if len(paged) != 1:
            raise FamilyError(f"'{self._role('table')}' is not required in just one layout")
        for layout in (batched, joined, paged[0]):
            if layout not in kv:
                raise FamilyError(f"'{self._role('kv')}' has no layout {layout}")
        return LayoutFacts(
            query=self._argument(self._layout_of("q").name),
            kv=self._argument(self._layout_of("kv").name),
            batched=batched,
            joined=joined,
            paged=paged[0],
        )

    def _shapes(self, role: str) -> Mapping[str, Shape]:
        return by_case(self._input(role).shape, f"the shape of '{self._role(role)}'")

    def _layout_of(self, role: str) -> Attr:
        return self._selector(self._input(role).shape, f"the shape of '{self._role(role)}'")

    def _selector(self, choice: object, what: str) -> Attr:
        """The attribute that a choice goes by."""
        if not isinstance(choice, Table):
            raise FamilyError(f"{what} does not go by an attribute")
        return self._attr_of(choice.selector, f"what {what} goes by")

    def _sizes(self, given: Mapping[str, int]) -> Mapping[str, int]:
        """The sizes of a decoding step by what the family calls them."""
        layouts = self._layouts()
        names = {
            "heads": dim_name(self._shapes("q").get(layouts.batched), -2),
            "tokens": dim_name(self._shapes("kv").get(layouts.batched), 1),
            "page": dim_name(self._shapes("kv").get(layouts.paged), 1),
            "entries": dim_name(self._shapes("indices").get(layouts.batched), -1),
        }
        return {
            name: needed(given.get(dim), f"the sizes of `decode` lack {dim}") for name, dim in names.items()
        }

    # ------------------------------------------------------------------ switches and values

    def _lse(self) -> Attr:
        what = f"the shape of '{self._role('row_max')}'"
        attr = self._selector(self._operator.find(Output, self._role("row_max")).shape, what)
        if attr.type is not AttrType.BOOL:
            raise FamilyError(f"'{attr.name}', which {what} goes by, is no bool")
        return attr

    def _masks(self) -> tuple[str, str]:
        """The values of the mask's argument without and with the causal edge."""
        attr = self._attr("mask")
        causal = self._operator.find(Let, self._role("causal")).value
        found: dict[bool, str] = {}
        for value in self._values(attr):
            known = {(RefKind.ATTR, attr.name): Literal(INT, attr.span, value)}
            is_causal = simplify(substitute(causal, known))
            if isinstance(is_causal, Literal) and isinstance(is_causal.value, bool):
                found.setdefault(is_causal.value, self._text(attr, value))
        name, rule = attr.name, self._role("causal")
        return (
            needed(found.get(False), f"no value of '{name}' makes '{rule}' false"),
            needed(found.get(True), f"no value of '{name}' makes '{rule}' true"),
        )

    def _values(self, attr: Attr) -> tuple[int, ...]:
        """Every number that some chip takes."""
        return tuple(dict.fromkeys(v for chip in self._operator.chips for v in self._on(chip, attr)))

    def _on(self, chip: Chip, attr: Attr) -> tuple[int, ...]:
        """The numbers that a chip takes."""
        return tuple(v for v in _all(attr_values(attr, chip), attr) if isinstance(v, int))

    def _text(self, attr: Attr, value: AttrScalar) -> str:
        return literal(self._params[attr.name].bound, value, attr.type)

    def _fixed(self) -> Iterator[tuple[str, str]]:
        for attr in self._operator.attrs:
            param = self._params.get(attr.name)
            domain = [None if attr.domain is None else at_chip(attr.domain, c) for c in self._operator.chips]
            values = {v.value for d in domain if d is not None for v in d.values}
            if param is not None and all(domain) and len(values) == 1 and attr.type is AttrType.INT:
                (value,) = values
                if abs(int(value)) < _LARGE:
                    yield param.name, self._text(attr, value)

    # ------------------------------------------------------------------ numbers and chips

    def _number(self, expr: Expr) -> int:
        if isinstance(expr, Literal) and isinstance(expr.value, int):
            return expr.value
        if isinstance(expr, Ref) and expr.kind is RefKind.CONST:
            return self._operator.find(Const, expr.name).value
        attr = self._attr_of(expr, "a size of the row that is not a number")
        values = self._values(attr)
        if len(values) != 1:
            raise FamilyError(f"'{attr.name}' has more than one accepted value")
        return values[0]

    def _dtypes(self, role: str) -> tuple[str, ...]:
        return _in_torch(all_dtypes(self._operator, self._input(role).dtype))

    def _caches(self, names: Sequence[str]) -> tuple[str, ...]:
        """Dtypes of the cache that rows can be computed in, as tensors have them."""
        computed = [name for name in dict.fromkeys(names) if DTYPES[name].torch or name == _HIFLOAT8]
        return tuple(map(torch_dtype, computed))

    def _hifloat8(self) -> str:
        names = all_dtypes(self._operator, self._input("kv").dtype)
        return torch_dtype(_HIFLOAT8) if _HIFLOAT8 in names else ""

    def _demands(self, plain: Attr) -> Iterator[tuple[str, Mapping[str, int]]]:
        entries = dim_name(self._shapes("indices").get(self._layouts().batched), -1)
        wanted = {(RefKind.ATTR, plain.name): "rope", (RefKind.DIM, entries): "entries"}
        for dtype in dict.fromkeys(all_dtypes(self._operator, self._input("kv").dtype)):
            found = {
                wanted[rule.left.kind, rule.left.name]: self._number(rule.right)
                for rule in self._rules_of(dtype)
                if isinstance(rule.left, Ref) and (rule.left.kind, rule.left.name) in wanted
            }
            if found:
                yield torch_dtype(dtype), found

    def _rules_of(self, dtype: str) -> Iterator[Compare]:
        """Equations that hold when the cache has a dtype, and only then."""
        cache = self._role("kv")

        def known(node: Expr) -> Expr:
            if isinstance(node, ParamQuery) and (node.query, node.param) == (Query.DTYPE, cache):
                return Literal(node.type, node.span, dtype)
            return node

        for rule in self._operator.constraints:
            when = None if rule.when is None else simplify(bottom_up(rule.when, known))
            applies = isinstance(when, Literal) and when.value is True
            if applies and isinstance(rule.require, Compare) and rule.require.op == "==":
                yield rule.require

    def _few_heads(self) -> int:
        taken = [set(heads) for chip in self._operator.chips if (heads := self._heads(chip))]
        if not taken:
            return _FEW_HEADS
        return min(set.intersection(*taken), key=lambda count: abs(count - _FEW_HEADS))

    def _heads(self, chip: Chip) -> tuple[int, ...]:
        """Numbers of query heads that a chip takes; none where it takes any."""
        shape = self._shapes("q").get(self._layouts().batched)
        values = self._operator.find(Dim, dim_name(shape, -2)).values
        return () if values is None else tuple(needed(at_chip(values, chip), "a chip has no number of heads"))

    def _chip(self, chip: Chip, lse: Attr) -> ChipFacts:
        dtypes = tuple(dict.fromkeys(registered_dtypes(self._operator, self._input("kv").dtype, chip.id)))
        return ChipFacts(
            id=chip.id,
            soc=chip.soc,
            dtypes=dtypes,
            caches=self._caches(dtypes),
            heads=self._heads(chip),
            blocks=self._on(chip, self._attr("block_tokens")),
            lse=True in _all(attr_values(lse, chip), lse),
        )


def _in_torch(names: tuple[str, ...]) -> tuple[str, ...]:
    """Dtypes that torch has, as it calls them."""
    return tuple(torch_dtype(name) for name in dict.fromkeys(names) if DTYPES[name].torch)


def _all(values: Sequence[T] | None, attr: Attr) -> Sequence[T]:
    return needed(values, f"the accepted values of '{attr.name}' cannot be listed")

"""dims and rests: which input each size is observed at, and what it may be."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import TRUE, same, size_of
from qsfa_codegen.expr.nodes import BOOL, INT, Expr, ParamQuery, Query, Ref, RefKind, Select, walk
from qsfa_codegen.spec.model import (
    Attr,
    Case,
    Definer,
    Dim,
    DimItem,
    Input,
    InputKind,
    Output,
    Presence,
    Rest,
    RestItem,
    Shape,
)
from qsfa_codegen.spec.paths import (
    Path,
    accepted_labels,
    axes,
    compatible,
    condition,
    joined,
    merged,
    walk_choice,
)
from qsfa_codegen.spec.reader import Mapping, Node
from qsfa_codegen.spec.resolve.access import MalformedError, as_mapping, as_text, items, text_of
from qsfa_codegen.spec.resolve.attrs import AttrReader
from qsfa_codegen.spec.resolve.context import Context, unreadable

MAX_DEFINERS = 50


class Place(Struct, frozen=True):
    """An axis of an input on one path; ``axis`` None: the length of a list input."""

    path: Path
    input: Input
    axis: int | None
    item_span: Span

    @property
    def size(self) -> Expr:
        """The size observed there."""
        if self.axis is None:
            return ParamQuery(INT, self.item_span, Query.COUNT, self.input.name)
        return size_of(self.input.name, self.axis, self.item_span)


def resolve_dims(
    ctx: Context, reader: AttrReader, inputs: tuple[Input, ...], attrs: tuple[Attr, ...]
) -> tuple[Dim, ...]:
    """Dims in order, each with its definers."""

    def numbers(node: Node) -> tuple[int, ...]:
        return tuple(reader.integer(item) for item in items(node))

    finder = _Definers(ctx, inputs, attrs)

    def build(name: str, span: Span, node: Node) -> Dim | None:
        symbol = ctx.symbols.get(name)
        taken = symbol is None or symbol.kind is not RefKind.DIM
        return None if taken else _dim(ctx, finder, numbers, name, span, as_mapping(node))

    return tuple(
        dim for dim in ctx.section("dims", lambda node: ctx.each(node, build), ()) if dim is not None
    )


def _dim(
    ctx: Context,
    finder: _Definers,
    numbers: Callable[[Node], tuple[int, ...]],
    name: str,
    span: Span,
    node: Mapping,
) -> Dim:
    def bound(key: str) -> Expr | None:
        value = node.get(key)
        return None if value is None else ctx.expr(value, INT)

    derived = bound("is")
    minimum = bound("min")
    values = node.get("values")
    if minimum is None and derived is None and values is None:
        minimum = ctx.expr_of(1, span)
    places = finder.places(name, node.get("from"), span)
    return Dim(
        name=name,
        doc_name=text_of(node, "doc_name", name),
        doc=ctx.doc(node),
        value=observed(places, span),
        derived=derived,
        minimum=minimum,
        maximum=bound("max"),
        multiple_of=bound("multiple_of"),
        values=None if values is None else ctx.choice(values, numbers),
        definers=tuple(Definer(p.path, p.input.name, p.axis) for p in places),
        span=span,
    )


def observed(places: Sequence[Place], span: Span) -> Expr:
    """The size as an expression: a table where it depends on the case, unbound outside all cases."""
    first = places[0]
    if not first.path:
        return first.size
    selectors = [p.path[0].selector for p in places if len(p.path) == 1 and not p.path[0].negated]
    if len(selectors) == len(places) and all(same(s, selectors[0]) for s in selectors):
        cases = tuple((label, p.size) for p in places for label in p.path[0].labels)
        return Select(INT, span, selectors[0], cases, None)
    test = condition(first.path, span)
    assert test is not None
    rest = observed(places[1:], span) if len(places) > 1 else None
    return Select(INT, span, test, ((TRUE, first.size),), rest)


class _Definers:
    """Finds the one input that defines a dim in each case."""

    def __init__(self, ctx: Context, inputs: tuple[Input, ...], attrs: tuple[Attr, ...]) -> None:
        self._ctx = ctx
        self._places: dict[tuple[str, Presence], list[Place]] = defaultdict(list)
        for presence in (Presence.REQUIRED, Presence.OPTIONAL):
            for param in inputs:
                for place, name in places_of(param, presence):
                    self._places[name, presence].append(place)
        self._accepted: dict[str, frozenset[str] | None] = {a.name: accepted_labels(a) for a in attrs}
        self._accepted["chip"] = frozenset(ctx.chip_ids)
        self._accepted["arch"] = frozenset(ctx.archs)

    def places(self, name: str, source: Node | None, span: Span) -> tuple[Place, ...]:
        """Defining places in order; an error when there is none."""
        chosen = self._first_of(self._candidates(name)) if source is None else self._named(name, source)
        found = list(islice(chosen, MAX_DEFINERS + 1))
        if len(found) > MAX_DEFINERS:
            raise self._ctx.malformed(
                "QS307",
                span,
                f"'{name}' is observed at too many places",
                f"its cases lead to more than {MAX_DEFINERS} axes",
            )
        if found:
            return tuple(found if source is not None else self._without_full_cover(found))
        if source is not None:  # every case of the table is unknown, which is told
            raise unreadable(name, source.span)
        raise self._undefined(
            "QS340",
            span,
            f"no input defines dim '{name}'",
            "use it in the shape of an input that is always passed, or remove it",
        )

    def _undefined(self, code: str, span: Span, message: str, help: str) -> MalformedError:
        if "inputs" in self._ctx.lost:
            return MalformedError(span, message, told=True)
        return self._ctx.malformed(code, span, message, help)

    def _candidates(self, name: str) -> Iterator[Place]:
        """Axes of inputs that are always passed first."""
        yield from self._places[name, Presence.REQUIRED]
        yield from self._places[name, Presence.OPTIONAL]

    def _first_of(self, candidates: Iterable[Place]) -> Iterator[Place]:
        chosen: list[Place] = []
        for place in candidates:
            if not any(compatible(place.path, other.path) for other in chosen):
                chosen.append(place)
                yield place

    def _named(self, name: str, source: Node) -> Iterator[Place]:
        choice = self._ctx.choice(source, lambda leaf: (as_text(leaf), leaf.span))
        for path, (param, span) in walk_choice(choice):
            axes_here = (p for p in self._candidates(name) if p.input.name == param)
            found = next((place for place in axes_here if compatible(path, place.path)), None)
            if found is None:
                raise self._undefined(
                    "QS341", span, f"'{param}' has no axis '{name}' in this case", "name an input that has it"
                )
            yield Place(path or found.path, found.input, found.axis, span)

    def _without_full_cover(self, places: list[Place]) -> list[Place]:
        """One axis in every accepted case needs no path."""
        first = places[0]
        if any((p.input.name, p.axis) != (first.input.name, first.axis) for p in places):
            return places
        path = merged([p.path for p in places], self._accepted)
        return [Place((), first.input, first.axis, first.item_span)] if path == () else places


def places_of(param: Input, presence: Presence) -> Iterator[tuple[Place, str]]:
    """Every (place, dim name) of an input where it has this presence."""
    for presence_path, value in walk_choice(param.presence):
        if value is not presence:
            continue
        here = presence_path
        if presence is Presence.OPTIONAL:
            test = ParamQuery(BOOL, param.span, Query.PRESENT, param.name)
            here = (*here, Case(test, (TRUE,)))
        yield from _list_length(param, here)
        if param.shape is None:
            continue
        for shape_path, shape in walk_choice(param.shape):
            if not compatible(here, shape_path):
                continue
            path = joined((here, shape_path))
            for axis, item in axes(shape):
                if isinstance(item, DimItem) and item.dim is not None:
                    yield Place(path, param, axis, item.span), item.dim


def _list_length(param: Input, path: Path) -> Iterator[tuple[Place, str]]:
    if param.kind is InputKind.TENSOR_LIST and param.count is not None:
        name = getattr(param.count, "name", None)
        if isinstance(name, str):
            yield Place(path, param, None, param.span), name


# --------------------------------------------------------------------------- rings


def report_rings(ctx: Context, dims: tuple[Dim, ...]) -> None:
    """A ring of `is` demands says nothing, and evaluating one would not end."""
    demands = {d.name: _dims_behind(ctx, d) for d in dims}
    for dim in dims:
        ring = _ring(dim.name, demands)
        if ring is not None and min(ring) == dim.name:
            ctx.sink.error(
                "QS301",
                f"'{dim.name}' is derived from itself: {' → '.join((*ring, ring[0]))}",
                dim.span,
                help="let one of these dims be what its input has: remove its `is`",
            )


def _dims_behind(ctx: Context, dim: Dim) -> set[str]:
    pending: list[Expr] = [] if dim.derived is None else [dim.derived]
    seen: set[str] = set()
    found: set[str] = set()
    for expr in pending:
        for node in walk(expr):
            if isinstance(node, Ref) and node.kind is RefKind.DIM:
                found.add(node.name)
            elif isinstance(node, Ref) and node.kind is RefKind.LET and node.name not in seen:
                seen.add(node.name)
                let = ctx.lets.let(node.name)
                pending.extend(() if let is None else (let.value,))
    return found


def _ring(start: str, demands: dict[str, set[str]]) -> list[str] | None:
    """The way from a dim back to itself, when there is one."""
    came_from: dict[str, str] = {}
    pending = [start]
    for current in pending:
        for name in sorted(demands.get(current, ())):
            if name == start:
                return _way(start, current, came_from)
            if name not in came_from:
                came_from[name] = current
                pending.append(name)
    return None


def _way(start: str, end: str, came_from: dict[str, str]) -> list[str]:
    way = [end]
    while way[-1] != start:
        way.append(came_from[way[-1]])
    return way[::-1]


# --------------------------------------------------------------------------- rests


def resolve_rests(ctx: Context, inputs: tuple[Input, ...], outputs: tuple[Output, ...]) -> tuple[Rest, ...]:
    """Runs of axes, each at the first required input that leaves nothing else open."""
    found: dict[str, Rest] = {}
    pending = [(p, s) for p in inputs for s in _fixed_shapes(p)]
    for _ in range(2):
        for param, shape in pending:
            rest = _defined_here(param, shape, found)
            if rest is not None:
                found.setdefault(rest.name, rest)
    reported: set[str] = set()
    for item in () if "inputs" in ctx.lost else _rest_items(inputs, outputs):
        if item.name not in found and item.name not in reported:
            reported.add(item.name)
            ctx.sink.error(
                "QS342",
                f"nothing says how many axes '{item.name}' has",
                item.span,
                help="one always-passed input, whose shape is no table, must have it as its only open run",
            )
    return tuple(found.values())


def _rest_items(inputs: tuple[Input, ...], outputs: tuple[Output, ...]) -> Iterator[RestItem]:
    shapes = [*(i.shape for i in inputs if i.shape is not None), *(o.shape for o in outputs)]
    for choice in shapes:
        for _, shape in walk_choice(choice):
            yield from (item for item in shape.items if isinstance(item, RestItem))


def _fixed_shapes(param: Input) -> Iterator[Shape]:
    if param.presence is Presence.REQUIRED and isinstance(param.shape, Shape):
        yield param.shape


def _defined_here(param: Input, shape: Shape, found: dict[str, Rest]) -> Rest | None:
    rests = [i for i in shape.items if isinstance(i, RestItem)]
    unknown = [r for r in rests if r.name not in found]
    if len(unknown) != 1:
        return None
    item = unknown[0]
    position = shape.items.index(item)
    before, after = shape.items[:position], shape.items[position + 1 :]
    if any(isinstance(i, RestItem) for i in before):
        return None
    return Rest(
        name=item.name,
        input=param.name,
        fixed_before=len(before),
        fixed_after=sum(isinstance(i, DimItem) for i in after),
        rests_after=tuple(i.name for i in after if isinstance(i, RestItem)),
        min_rank=item.min_rank,
        max_rank=item.max_rank,
        span=item.span,
    )

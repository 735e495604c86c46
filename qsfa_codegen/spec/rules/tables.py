"""Tables: every case can happen, and every case that happens has a value."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.build import strip
from qsfa_codegen.expr.evaluate import EvalError, evaluate
from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.expr.nodes import Expr, Kind, Ref, RefKind, Select, walk
from qsfa_codegen.expr.values import UNBOUND
from qsfa_codegen.spec.model import Operator, Table
from qsfa_codegen.spec.rules.registry import Report, rule
from qsfa_codegen.spec.rules.usage import Site, sites
from qsfa_codegen.spec.world import World, attr_values, telling_chips, world_of

Branches = tuple[Expr, tuple[str, ...], bool, Span]


def declared_tables(operator: Operator) -> Iterator[Branches]:
    """(selector, labels, has else, place) of every table outside expressions; each must be exhaustive."""
    choices: list[object] = [*(i.presence for i in operator.inputs), *(i.shape for i in operator.inputs)]
    choices += [o.shape for o in operator.outputs]
    choices += [a.domain for a in operator.attrs]
    choices += [d.values for d in operator.dims]
    for choice in choices:
        yield from _branches(choice)


def _branches(choice: object) -> Iterator[Branches]:
    if not isinstance(choice, Table):
        return
    labels = tuple(label for label, _ in choice.cases)
    yield choice.selector, labels, choice.otherwise is not None, choice.span
    for _, value in choice.cases:
        yield from _branches(value)
    yield from _branches(choice.otherwise)


def selector_values(operator: Operator, selector: Expr) -> frozenset[str] | None:
    """Labels that a selector can have in a legal call; None where that is not listed."""
    kind = selector.type.kind
    if kind is Kind.CHIP:
        return frozenset(c.id for c in operator.chips)
    if kind is Kind.ARCH:
        return frozenset(operator.archs)
    if kind is Kind.BOOL and not isinstance(selector, Ref):
        return frozenset({"true", "false"})
    if isinstance(selector, Ref) and selector.kind is RefKind.ATTR:
        return _attr_labels(operator, selector.name)
    if kind is Kind.BOOL:
        return frozenset({"true", "false"})
    return None


@once_an_operator
def _attr_labels(operator: Operator, name: str) -> frozenset[str] | None:
    attr = next(a for a in operator.attrs if a.name == name)
    found: set[str] = set()
    for chip in operator.chips:
        values = attr_values(attr, chip)
        if values is None:
            return None
        found.update(str(v).lower() if isinstance(v, bool) else str(v) for v in values)
    return frozenset(found)


@rule(
    "QS450",
    "A table has a case that never happens",
    "A case for a value that no legal call has is dead: a reader would believe that the value is accepted.",
)
def dead_cases(operator: Operator, report: Report) -> None:
    """Each label is an accepted value of the selector, and `else` leaves something."""
    for selector, labels, has_else, span in _every_table(operator):
        possible = selector_values(operator, selector)
        if possible is None:
            continue
        for label in labels:
            if label not in possible:
                report(f"the case '{label}' can never happen", span, f"possible are {_listed(possible)}")
        if has_else and possible <= set(labels):
            report("`else` can never happen: every value has its own case", span, "remove `else`")


def _listed(labels: frozenset[str]) -> str:
    return ", ".join(sorted(labels))


def _every_table(operator: Operator) -> Iterator[Branches]:
    seen: set[Span] = set()
    for found in (*declared_tables(operator), *_expression_tables(operator)):
        if found[3] not in seen:
            seen.add(found[3])
            yield found


def _expression_tables(operator: Operator) -> Iterator[Branches]:
    for site in sites(operator):
        for node in walk(site.expr):
            if isinstance(node, Select):
                labels = tuple(label for label, _ in node.cases)
                yield node.selector, labels, node.otherwise is not None, node.span


@rule(
    "QS451",
    "A table leaves a case open",
    "Presence, shapes and accepted values must be said for every accepted value of what they go by.",
)
def open_cases(operator: Operator, report: Report) -> None:
    """Declared tables are exhaustive over the accepted values, or have `else`."""
    for selector, labels, has_else, span in declared_tables(operator):
        possible = selector_values(operator, selector)
        if possible is None and not has_else:
            report("the table has no `else` and its cases cannot be counted", span, "add `else`")
        elif possible is not None and not has_else and not possible <= set(labels):
            missing = _listed(possible - set(labels))
            report(f"the table says nothing for {missing}", span, "add the case, or `else`")


@rule(
    "QS452",
    "A value is used where it does not exist",
    "A dim or derived value that is defined only in some cases cannot be used in others.",
)
def unbound_use(operator: Operator, report: Report) -> None:
    """No expression can be evaluated in a case where something in it is unbound."""
    reported: set[Span] = set()
    wanted = [site for site in _distinct(sites(operator)) if not site.is_let and _has_names(site.expr)]
    for chip in telling_chips(operator):
        world = world_of(operator, chip)
        gaps = _Gaps(operator, world)
        open_sites = [s for s in wanted if s.expr.span not in reported and gaps.in_expr(s.expr)]
        for site in open_sites:
            found = _unbound(world, site, len(open_sites))
            if found is not None:
                reported.add(site.expr.span)
                report(
                    f"this is used when {found}, where part of it does not exist",
                    site.expr.span,
                    "use it under `when`, in a table with the same cases, or add the missing case",
                )


def _has_names(expr: Expr) -> bool:
    names = (RefKind.DIM, RefKind.LET, RefKind.TILING_LET)
    return any(isinstance(n, Select) or (isinstance(n, Ref) and n.kind in names) for n in walk(expr))


class _Gaps:
    """Finds what has no value for some accepted value of what it goes by."""

    def __init__(self, operator: Operator, world: World) -> None:
        self._operator = operator
        self._world = world
        self._names: dict[tuple[RefKind, str], bool] = {}

    def in_expr(self, expr: Expr) -> bool:
        """Whether the expression, or what its names stand for, has such a table."""
        return any(self._at(node) for node in walk(expr))

    def _at(self, node: Expr) -> bool:
        if isinstance(node, Select):
            possible = selector_values(self._operator, node.selector)
            labels = {label for label, _ in node.cases}
            return node.otherwise is None and (possible is None or not possible <= labels)
        return isinstance(node, Ref) and self._in_name(node)

    def _in_name(self, node: Ref) -> bool:
        name = (node.kind, node.name)
        if name not in self._names:
            self._names[name] = any(self.in_expr(expr) for expr in self._world.behind(node))
        return self._names[name]


def _distinct(found: Iterator[Site]) -> Iterator[Site]:
    """Sites that ask the same under the same conditions, once."""
    seen: set[object] = set()
    for site in found:
        key = (strip(site.expr), tuple(strip(g) for g in site.guard))
        if key not in seen:
            seen.add(key)
            yield site


def _unbound(world: World, site: Site, questions: int) -> str | None:
    deciding = [*site.guard, *world.case_tests([site.expr])]
    for point in world.points(deciding, questions, rules=True):
        world.move_to(point)
        if any(world.known(g, True) is not True for g in site.guard):
            continue
        try:
            evaluate(site.expr, world)
        except EvalError as error:
            if error.reason == UNBOUND and world.possible():  # asked last: it takes the longest
                return world.describe()
    return None


RULES = (dead_cases, open_cases, unbound_use)

"""Dtypes, rows and packed records."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from qsfa_codegen.diagnostics import Related, Span
from qsfa_codegen.expr.evaluate import UNKNOWN
from qsfa_codegen.expr.nodes import Expr, Ref, RefKind, walk
from qsfa_codegen.spec.columns import with_known_sizes
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Chip, DtypeRef, Operator, Presence, Record
from qsfa_codegen.spec.rules.registry import Report, rule
from qsfa_codegen.spec.rules.usage import asked
from qsfa_codegen.spec.world import Leaf, world_of


@rule(
    "QS410",
    "A chip does not have a dtype",
    "chips.yaml lists the dtypes of each chip; a kernel variant for another one could not be compiled.",
)
def chip_dtypes(operator: Operator, report: Report) -> None:
    """Every dtype of a chip's rows, and every fixed dtype, exists on the chip."""
    for chip in operator.chips:
        for row in operator.dtypes.rows_of(chip.id):
            for name in row.dtypes:
                if name not in chip.dtypes:
                    report(f"{chip.id} has no {name}", row.span, _help(chip))
        for name, span in _fixed(operator):
            if name not in chip.dtypes:
                report(f"{chip.id} has no {name}", span, _help(chip))


def _help(chip: Chip) -> str:
    return f"{chip.id} has {', '.join(chip.dtypes)}"


def _fixed(operator: Operator) -> Iterator[tuple[str, Span]]:
    declared = [(i.dtype.fixed, i.span) for i in operator.inputs]
    declared += [(o.dtype.fixed, o.span) for o in operator.outputs]
    yield from ((name, span) for name, span in declared if name is not None)


@rule(
    "QS411",
    "A dtype row stands twice",
    "Each row is one compiled kernel variant; a second one of the same dtypes could never be chosen.",
)
def duplicate_rows(operator: Operator, report: Report) -> None:
    """Rows of a chip are distinct."""
    reported: set[Span] = set()
    for chip, rows in operator.dtypes.rows:
        first: dict[tuple[str, ...], Span] = {}
        for row in rows:
            place = first.setdefault(row.dtypes, row.span)
            if place != row.span and row.span not in reported:
                reported.add(row.span)
                related = (Related(place, "first here"),)
                report(f"{chip} has the row {', '.join(row.dtypes)} twice", row.span, "remove one", related)


@rule(
    "QS413",
    "Nothing tells the dtype of a column",
    "A call's row is found from its inputs. A column that no always-passed input has and no dtype attribute "
    "selects must say in `unbound` which column it equals when its optional input is absent.",
)
def column_source(operator: Operator, report: Report) -> None:
    """Each column has an always-passed input, a selecting attribute, or an `unbound` entry."""
    matrix = operator.dtypes
    told = {i.dtype.column for i in operator.inputs if i.presence is Presence.REQUIRED}
    told |= {column for column, _ in (*matrix.select, *matrix.unbound)}
    used = {o.dtype.column: o.span for o in operator.outputs if o.dtype.column is not None}
    for expr in _dtype_readers(operator):
        for node in walk(with_known_sizes(operator, expr)):
            if isinstance(node, Ref) and node.kind is RefKind.COLUMN:
                used.setdefault(node.name, node.span)
    for column in matrix.columns:
        if column not in told and column in used:
            report(
                f"no input tells the dtype of column '{column}'",
                used[column],
                "give it an always-passed input, a `select` attribute, or an `unbound` column",
            )


def _dtype_readers(operator: Operator) -> Iterator[Expr]:
    """Expressions that may ask for the dtype of a column, sizes of records and workspace included."""
    yield from asked(operator)
    for record in operator.records:
        yield from (record.size, *record.offsets)
    for _, terms in operator.tiling.workspace if operator.tiling is not None else ():
        yield from (term.bytes for term in terms)


@rule(
    "QS414",
    "A column or its entry does not exist",
    "`select` names a dtype attribute for a column, `unbound` another column.",
)
def column_entries(operator: Operator, report: Report) -> None:
    """Names in `select` and `unbound` resolve."""
    attrs = {a.name for a in operator.attrs}
    for column, target in operator.dtypes.select:
        if column not in operator.dtypes.columns or target not in attrs:
            report(f"select {{{column}: {target}}} names no column and attribute", operator.dtypes.span)
    for column, target in operator.dtypes.unbound:
        if not {column, target} <= set(operator.dtypes.columns):
            report(f"unbound {{{column}: {target}}} names no two columns", operator.dtypes.span)


@rule(
    "QS415",
    "Following leads nowhere",
    "Follow copies the dtype of another input; that one must have a dtype of its own in the end.",
)
def follow_ends(operator: Operator, report: Report) -> None:
    """Chains of Follow end at an input with a dtype."""
    dtypes = {i.name: i.dtype for i in operator.inputs}
    for param in operator.inputs:
        seen = {param.name}
        current = param.dtype
        while current.follow is not None:
            if current.follow in seen:
                report(f"'{param.name}' follows itself", param.span, "give one of them a dtype")
                break
            seen.add(current.follow)
            current = dtypes.get(current.follow, DtypeRef(fixed=""))


@rule(
    "QS416",
    "A field of a packed row is misaligned",
    "The kernel reads fields with vector copies; a field whose offset is not a multiple of its alignment "
    "cannot be read that way.",
)
def record_alignment(operator: Operator, report: Report) -> None:
    """Offsets respect `align` for every accepted combination of attributes and dtypes."""
    for record in operator.records:
        for position, field in enumerate(record.fields):
            offsets = _values_of(operator, record, position)
            bad = next((o for o in offsets if o % field.align), None)
            if bad is not None:
                report(
                    f"field '{field.name}' can begin at byte {bad}, which is not a multiple of {field.align}",
                    field.span,
                    "reorder the fields or correct `align`",
                )


@rule(
    "QS417",
    "A packed row is not a whole number of its unit",
    "The last dim counts the row in elements of `unit`; a remainder would be cut off.",
)
def record_unit(operator: Operator, report: Report) -> None:
    """The row's bytes are divisible by the unit's size for every accepted combination."""
    for record in operator.records:
        for total in _values_of(operator, record, None):
            names = [record.unit.fixed] if record.unit.fixed else _column_dtypes(operator, record.unit)
            sizes = {max(DTYPES[name].bits // 8, 1) for name in names}
            if any(total % size for size in sizes):
                report(
                    f"{total} bytes are not a whole number of its unit", record.span, "choose another unit"
                )
                break


def _column_dtypes(operator: Operator, dtype: DtypeRef) -> list[str]:
    column = dtype.column or ""
    return [n for chip in operator.chips for n in operator.dtypes.column(column, chip.id)]


def _values_of(operator: Operator, record: Record, position: int | None) -> Iterator[int]:
    """Byte offsets of a field (or sizes of the row) over rows and accepted attributes, each once."""
    expr = record.size if position is None else record.offsets[position]
    columns = {n.name for n in walk(expr) if isinstance(n, Ref) and n.kind is RefKind.COLUMN}
    seen: set[int] = set()
    for chip in operator.chips:
        world = world_of(operator, chip)
        rows = _rows_of_sizes(operator, chip, columns)
        questions = len(rows) * sum(len(r.fields) for r in operator.records)
        for row, point in product(rows, tuple(world.points([expr], questions))):
            world.move_to({**row, **point})
            value = world.known(expr, UNKNOWN)
            if isinstance(value, int) and value not in seen and world.possible():
                seen.add(value)
                yield value


def _rows_of_sizes(operator: Operator, chip: Chip, columns: set[str]) -> list[dict[Leaf, str]]:
    """What the rows of a chip have in the columns, rows of the same sizes once."""
    found: dict[tuple[int, ...], dict[Leaf, str]] = {}
    for row in operator.dtypes.rows_of(chip.id):
        named = zip(operator.dtypes.columns, row.dtypes, strict=True)
        here = {Leaf(RefKind.COLUMN, column): dtype for column, dtype in named if column in columns}
        found.setdefault(tuple(DTYPES[dtype].size for dtype in here.values()), here)
    return list(found.values())


RULES = (
    chip_dtypes,
    duplicate_rows,
    column_source,
    column_entries,
    follow_ends,
    record_alignment,
    record_unit,
)

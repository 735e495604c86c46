"""How a packed row lies in memory: a layout for each combination of what its sizes depend on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.evaluate import UNKNOWN, Value
from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.expr.nodes import DTYPE, Expr, Literal, RefKind
from qsfa_codegen.expr.specialize import substitute
from qsfa_codegen.spec.columns import column_sizes, with_known_sizes
from qsfa_codegen.spec.world import Leaf, world_of

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Chip, DtypeRow, Operator, Record

_MOST = 8
"""More layouts than this are no table for people."""


class Layout(Struct, frozen=True):
    """A way in which a row lies in memory.

    ``values`` are the attributes and dims that tell it from the others, ``dtypes`` what its columns are in
    it, where that tells it too. ``offsets`` of the fields and ``size`` are bytes: how to work them out where
    they are no numbers before there is a call.
    """

    values: tuple[tuple[str, Value], ...]
    dtypes: tuple[tuple[str, tuple[str, ...]], ...]
    offsets: tuple[int | Expr, ...]
    size: int | Expr


class _Found(Struct):
    point: Mapping[Leaf, Value]
    numbers: tuple[int | Expr, ...]
    rows: list[tuple[str, ...]]


@once_an_operator
def layouts(operator: Operator, record: Record) -> tuple[Layout, ...]:
    """Every layout that the row has on some chip, each once; one that is open where there are too many."""
    found = list(_found(operator, record))
    if len(found) > _MOST:
        return (Layout((), (), record.offsets, record.size),)
    points = [each.point for each in found]
    return tuple(
        Layout(
            tuple((leaf.name, each.point[leaf]) for leaf in each.point if _tells(leaf, points)),
            _dtypes(operator, record, each, found),
            each.numbers[1:],
            each.numbers[0],
        )
        for each in found
    )


def _tells(leaf: Leaf, points: Sequence[Mapping[Leaf, Value]]) -> bool:
    return len({point.get(leaf) for point in points}) > 1


def _found(operator: Operator, record: Record) -> Iterator[_Found]:
    known: dict[object, _Found] = {}
    for chip in operator.chips:
        for row in operator.dtypes.rows_of(chip.id):
            for point, numbers in _numbers(operator, record, chip, row):
                key = (tuple(point.items()), numbers)
                known.setdefault(key, _Found(point, numbers, [])).rows.append(row.dtypes)
    yield from known.values()


def _numbers(
    operator: Operator, record: Record, chip: Chip, row: DtypeRow
) -> Iterator[tuple[Mapping[Leaf, Value], tuple[int | Expr, ...]]]:
    """Size and offsets of a dtype row's layout, point by point."""
    columns: dict[tuple[RefKind, str], Expr] = {
        (RefKind.COLUMN, column): Literal(DTYPE, record.span, name)
        for column, name in zip(operator.dtypes.columns, row.dtypes, strict=True)
    }
    world = world_of(operator, chip)
    exprs = [with_known_sizes(operator, substitute(expr, columns)) for expr in (record.size, *record.offsets)]
    for point in world.points(exprs):
        world.move_to(point)
        if world.possible():
            values = [(world.known(expr, UNKNOWN), expr) for expr in exprs]
            yield point, tuple(value if isinstance(value, int) else expr for value, expr in values)


def _dtypes(
    operator: Operator, record: Record, layout: _Found, found: Sequence[_Found]
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Dtypes of the columns that make this layout another one than those of the same point."""
    if sum(other.point == layout.point for other in found) == 1:
        return ()
    used = dict.fromkeys(field.dtype.column for field in record.fields if field.dtype.column is not None)
    varying = [column for column in used if len(column_sizes(operator, column)) > 1]
    places = [operator.dtypes.columns.index(column) for column in varying]
    return tuple(
        (column, tuple(dict.fromkeys(row[place] for row in layout.rows)))
        for column, place in zip(varying, places, strict=True)
    )

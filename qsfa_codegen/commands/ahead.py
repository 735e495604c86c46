"""What a second process does for the build of one spec: it reads the spec and answers what files ask."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from qsfa_codegen.diagnostics import Sink

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Operator


class Reading(NamedTuple):
    """A spec's operator, which no rule has looked at yet; None where ``sink`` has errors."""

    operator: Operator | None
    sink: Sink


def work(spec: Path) -> Iterator[object]:
    """A ``Reading``, then what files ask about its operator, in the order in which they need it."""
    found = _read(spec)
    yield found
    if found.operator is not None:
        from qsfa_codegen.render.answers import told
        from qsfa_codegen.render.asked import asked

        yield from told(found.operator, asked(found.operator))


def reading(spec: Path, values: Iterator[object]) -> Reading:
    """The first of ``values``, which come from ``work``; where none comes, the spec is read here."""
    found = next(values, None)
    return found if isinstance(found, Reading) else _read(spec)


def prepare() -> None:
    """Import what reading takes."""
    import_module("qsfa_codegen.spec.load")


def _read(spec: Path) -> Reading:
    from qsfa_codegen.spec.load import before_rules

    sink = Sink()
    return Reading(before_rules(spec, sink), sink)

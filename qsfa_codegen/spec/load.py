"""From a spec file to an operator: read, validate, resolve, check."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from qsfa_codegen.diagnostics import Sink, SpecError
from qsfa_codegen.resources import CHIPS, chips_of, resource
from qsfa_codegen.spec.chips import ChipSet, load_chips
from qsfa_codegen.spec.model import Operator, Source
from qsfa_codegen.spec.reader import read_text
from qsfa_codegen.spec.resolve import resolve
from qsfa_codegen.spec.schema import mend
from qsfa_codegen.spec.source_text import encodable, load_bytes


def load(path: Path | str, chips: Path | str | None = None) -> Operator:
    """The operator of a spec file.

    Raises SpecError with every diagnostic when there is an error; warnings alone do not raise.
    """
    sink = Sink()
    operator = analyse(path, sink, chips)
    if operator is None or sink.failed:
        raise SpecError(sink)
    return operator


def analyse(path: Path | str, sink: Sink, chips: Path | str | None = None) -> Operator | None:
    """The operator of a spec file, with errors and warnings in ``sink``; None when it has errors."""
    return _checked(before_rules(path, sink, chips), sink)


def before_rules(path: Path | str, sink: Sink, chips: Path | str | None = None) -> Operator | None:
    """As ``analyse``, but no rule has looked at the operator yet."""
    location = Path(path)
    data = load_bytes(location, location.as_posix(), sink)
    if data is None:
        return None
    return _before_rules(data, location.as_posix(), sink, chips or chips_of(location))


def analyse_text(data: bytes, name: str, sink: Sink, chips: Path | str | None = None) -> Operator | None:
    """As ``analyse``, for the bytes of a spec; ``name`` stands in diagnostics and generated headers."""
    return _checked(_before_rules(data, name, sink, chips), sink)


def _before_rules(data: bytes, name: str, sink: Sink, chips: Path | str | None) -> Operator | None:
    chip_set = load_chips(chips if chips is not None else resource(CHIPS), sink)
    operator = resolved(data, name, sink, chip_set)
    return None if sink.failed else operator


def _checked(operator: Operator | None, sink: Sink) -> Operator | None:
    if operator is None:
        return None
    from qsfa_codegen.spec.rules import check

    check(operator, sink)
    return None if sink.failed else operator


def resolved(data: bytes, name: str, sink: Sink, chips: ChipSet) -> Operator | None:
    """The operator of a spec that can be read, whatever rules say of it; None when it cannot be read."""
    tree = read_text(data, name, sink)
    if tree is None:
        return None
    tree, faulty = mend(tree, sink)
    if tree is None or not chips.by_id:
        return None
    return resolve(tree, chips, Source(encodable(name), sha256(data).hexdigest()), sink, faulty)

"""Two versions of a spec, compared."""

from __future__ import annotations

from pathlib import Path

from msgspec.structs import replace

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.review.changes import Change
from qsfa_codegen.review.compare import Review, compare, found_in, relation
from qsfa_codegen.review.files.packages import compare_packages
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.report.text import text
from qsfa_codegen.spec.chips import read_chips
from qsfa_codegen.spec.load import resolved
from qsfa_codegen.spec.model import Operator

HERE = Path(__file__).parent
CHIPS = HERE / "chips.yaml"
PREVIOUS, CURRENT = "previous.yaml", "current.yaml"


def operator(spec: str, name: str = CURRENT, chips: Path = CHIPS) -> Operator:
    """The operator of a spec that can be read, whatever rules say of it."""
    sink = Sink()
    found = resolved(spec.encode(), name, sink, read_chips(chips.read_bytes(), chips.name, sink))
    assert found is not None, [diagnostic.message for diagnostic in sink]
    return found


def changes(previous: str, current: str, *, prove: bool = False) -> tuple[Change, ...]:
    """What an edit did."""
    return compare(
        operator(previous, PREVIOUS),
        operator(current, CURRENT),
        {PREVIOUS: previous, CURRENT: current},
        prove=prove,
    )


def report(name: str, found: tuple[Change, ...]) -> str:
    """The review as the program prints it."""
    return text(Review(name, CURRENT, PREVIOUS, found)) + "\n"


def edited(spec: str, *edits: tuple[str, str]) -> str:
    """``spec`` with the first of each pair replaced by the second, each of which stands there once."""
    for old, new in edits:
        assert spec.count(old) == 1, f"{old!r} stands there {spec.count(old)} times"
        spec = spec.replace(old, new)
    return spec


def specs(rule: str) -> tuple[str, str]:
    """The two specs that show a rule of the review."""
    folder = HERE / "rules" / rule
    before, after = ((folder / name).read_text(encoding="utf-8") for name in (PREVIOUS, CURRENT))
    return before, after


def review(
    previous: str, current: str, *, name: str = CURRENT, was: str = PREVIOUS, base: str = "HEAD"
) -> Review:
    """A review as the command makes it, with generated files and texts; ``name`` is the spec's file."""
    pair = Pair(operator(previous, was), operator(current, name), {was: previous, name: current})
    found = found_in(pair)
    files = files_review(previous, current, name=name, was=was, base=base)
    return replace(files, changes=found, relation=relation(pair, found))


def files_review(
    previous: str, current: str, *, name: str = CURRENT, was: str = PREVIOUS, base: str = "HEAD"
) -> Review:
    """As ``review``, without changes of the contract, which take longer to find."""
    old, new = operator(previous, was), operator(current, name)
    files = compare_packages(old, new)
    return Review(new.snake, name, base, (), files=files, was=was, texts={was: previous, name: current})

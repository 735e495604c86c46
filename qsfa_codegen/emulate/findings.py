"""What the emulator and the comparison find, as diagnostics that know the line of the kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from qsfa_codegen.diagnostics import Diagnostic, Related, Severity, Span, split_lines
from qsfa_codegen.emulate.both_ways import Difference
from qsfa_codegen.emulate.judge import Worst
from qsfa_codegen.emulate.program import KernelSources
from qsfa_codegen.emulator.launch import Finding, Place

MISMATCH = "QS710"
DIFFERENCE = "QS711"
OTHER = "QS799"
CODES: Mapping[str, str] = {
    "out-of-bounds": "QS721",
    "input-written": "QS722",
    "misaligned": "QS723",
    "capacity": "QS724",
    "limit": "QS725",
    "flag-range": "QS726",
    "no-such-pipe": "QS727",
    "no-such-memory": "QS728",
    "deadlock": "QS729",
    "no-cross-core-flags": "QS730",
    "race": "QS731",
    "uninitialised": "QS732",
    "undefined-padding": "QS733",
    "not-written-back": "QS734",
    "stale-cache": "QS735",
    "unbalanced-flag": "QS736",
    "flag-set-twice": "QS737",
    "flag-overflow": "QS738",
    "queue-not-drained": "QS739",
    "output-not-written": "QS740",
    "not-finite": "QS741",
    "inside-vector-function": "QS742",
    "undefined-mask": "QS743",
}
"""The code of each kind of finding, by what the emulator calls it."""


class Seen(Struct):
    """Findings of one kind at one place, over all cases."""

    finding: Finding
    first: str
    cases: int = 1


class Findings:
    """Collects what the cases of a run found; the same at the same line is told once."""

    def __init__(self, sources: KernelSources, generated: Path) -> None:
        self._sources = sources
        self._generated = generated
        self._seen: dict[tuple[str, Place, Place], Seen] = {}

    def add(self, case: str, found: Iterable[Finding]) -> None:
        """Enter what the case ``case`` found."""
        for key in {(f.code, f.at, f.other): f for f in reversed(list(found))}.items():
            place, finding = key
            if place in self._seen:
                self._seen[place].cases += 1
            else:
                self._seen[place] = Seen(finding, case)

    def diagnostics(self, launched: int) -> Iterator[Diagnostic]:
        """A diagnostic for each kind and place, of ``launched`` cases in all."""
        for seen in self._seen.values():
            finding = seen.finding
            where = f"{finding.core}: " if finding.core else ""
            often = f"; in {seen.cases} of {launched} cases, first in {seen.first}" if launched > 1 else ""
            other = self._span(finding.other)
            yield Diagnostic(
                CODES.get(finding.code, OTHER),
                f"{where}{finding.message}{often}",
                self._span(finding.at),
                finding.help or None,
                Severity.WARNING if finding.severity == "warning" else Severity.ERROR,
                () if other is None else (Related(other, "the other access"),),
            )

    def texts(self) -> Mapping[str, str]:
        """The sources by the names that diagnostics have for them."""
        return {self._name(path): text for path, text in self._sources.files.items()}

    def _span(self, place: Place) -> Span | None:
        path = self._sources.path_of(Path(place.file).name) if place.line else None
        if path is None:
            return None
        lines = split_lines(self._sources.files[path])
        text = lines[place.line - 1] if place.line <= len(lines) else ""
        begin = len(text) - len(text.lstrip()) + 1
        return Span(self._name(path), place.line, begin, place.line, len(text) + 1)

    def _name(self, path: str) -> str:
        """The file as people find it: where they have it themselves, else in the generated package."""
        own = self._sources.own.get(path)
        return str(own) if own is not None else str(self._generated / self._sources.operator.snake / path)


def mismatch(case: str, worst: Worst) -> Diagnostic:
    """The finding for an output that is not what it should be."""
    place = ", ".join(map(str, worst.place))
    return Diagnostic(
        MISMATCH,
        f"{case}: {worst.output}[{place}] is {worst.got:.9g}; expected: {worst.want:.9g} ± "
        f"{worst.allowed:.2g}; {worst.wrong:,} of {worst.size:,} elements are wrong, the largest error is "
        f"{worst.error:.3g}",
    )


def difference(case: str, found: Difference) -> Diagnostic:
    """The finding for an output that is not the same through a toolkit's headers."""
    place = ", ".join(map(str, found.place))
    return Diagnostic(
        DIFFERENCE,
        f"{case}: {found.output}[{place}] is {found.toolkit:.9g} through the toolkit's headers and "
        f"{found.own:.9g} through the emulator's own; {found.different:,} of {found.size:,} elements differ",
    )

"""Every diagnostic code, what it means and how to mend it; ``explain`` and the docs come from here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

_FOLDER = Path(__file__).resolve().parent / "explanations"


class Entry(Struct, frozen=True):
    """One code, with a line and a text about it.

    ``wrong`` is an example that is reported under the code, and ``right`` what takes its place.
    """

    code: str
    title: str
    text: str
    wrong: str = ""
    right: str = ""

    @property
    def example(self) -> tuple[str, str]:
        """The example for people: what is wrong, and what is right unless that is just to leave it out."""
        if self.right in self.wrong:
            return self.wrong.replace(self.right, "").strip("\n"), ""
        return self.wrong, self.right


@cache
def entries() -> Mapping[str, Entry]:
    """The entries by code, in order of their codes."""
    found = {entry.code: entry for entry in (*_of_rules(), *_of_texts(), *_of_changes())}
    return dict(sorted(found.items()))


def titles() -> Mapping[str, str]:
    """The title of each code."""
    return {code: entry.title for code, entry in entries().items()}


def _of_rules() -> Iterator[Entry]:
    from qsfa_codegen.spec.rules import RULES

    for rule in RULES:
        yield Entry(rule.code, rule.title, rule.reason)


def _of_changes() -> Iterator[Entry]:
    from qsfa_codegen.review.rules import RULES

    for rule in RULES:
        yield Entry(rule.code, rule.title, f"Class: {rule.impact.value}. {rule.reason}")


def _of_texts() -> Iterator[Entry]:
    import tomllib

    for path in sorted(_FOLDER.glob("*.toml")):
        for code, fields in tomllib.loads(path.read_text(encoding="utf-8")).items():
            yield Entry(code, **{name: value.strip("\n") for name, value in fields.items()})

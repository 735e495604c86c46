"""Every diagnostic code, what it means and how to mend it; ``explain`` and the docs come from here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FOLDER = Path(__file__).resolve().parent / "explanations"


@dataclass(frozen=True, slots=True)
class Entry:
    """One code. ``text`` says what it means and what to do; ``example`` is wrong, and how it is put right."""

    code: str
    title: str
    text: str
    example: str


@cache
def entries() -> Mapping[str, Entry]:
    """The entries by code, in order of their codes."""
    import tomllib

    found: dict[str, Entry] = {}
    for path in sorted(_FOLDER.glob("*.toml")):
        for code, entry in tomllib.loads(path.read_text(encoding="utf-8")).items():
            found[code] = Entry(code, entry["title"], entry["text"].strip(), entry.get("example", "").strip())
    return dict(sorted(found.items()))


def titles() -> Mapping[str, str]:
    """The title of each code."""
    return {code: entry.title for code, entry in entries().items()}

"""Specs that somebody damaged: whatever was done to one, it ends in diagnostics and nothing else."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.spec.load import analyse_text

ROOT = Path(__file__).parents[2]
SPECS = sorted(p for p in (ROOT / "spec").glob("*.yaml") if p.name != "chips.yaml")
DRAFTS = sorted((ROOT / "tests" / "specs").glob("*.yaml"))
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*|\d+")
ODD = ("0", "-1", "null", "true", "''", "[]", "{}", "9223372036854775808", "1.5", "x", "{by: chip, of: {}}")


def damage(text: str, chance: random.Random) -> str:
    """One to three small accidents: a word swapped for another, a value replaced, a line lost or doubled."""
    for _ in range(chance.randint(1, 3)):
        lines = text.split("\n")
        at = chance.randrange(len(lines))
        match chance.randrange(5):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[chance.randrange(len(lines))])
            case 2:
                lines[at] = lines[at].replace("  ", "", 1)
            case _:
                lines[at] = swapped(lines[at], text, chance)
        text = "\n".join(lines)
    return text


def swapped(line: str, text: str, chance: random.Random) -> str:
    found = list(WORD.finditer(line))
    if not found:
        return line
    word = chance.choice(found)
    other = chance.choice(ODD) if chance.random() < 0.4 else chance.choice(WORD.findall(text))
    return line[: word.start()] + other + line[word.end() :]


@pytest.mark.parametrize("path", [*SPECS, *DRAFTS], ids=lambda p: p.stem)
def test_damage_ends_in_diagnostics(path: Path) -> None:
    original = path.read_text(encoding="utf-8")
    chance = random.Random(path.stem)
    for _ in range(60):
        text = damage(original, chance)
        sink = Sink()
        operator = analyse_text(text.encode(), path.name, sink)
        assert (operator is None) == sink.failed, text
        for diagnostic in sink:
            assert diagnostic.message
            assert diagnostic.span is None or diagnostic.span.file


def test_a_value_that_its_enum_lacks_in_a_tiling_key() -> None:
    """The keys that calls can reach are worked out before rules look at the values."""
    path = next(path for path in SPECS if path.stem == "kv_quant_sparse_flash_attention")
    text = path.read_text(encoding="utf-8").replace(
        "    values: [BSND, TND]\n", "    values: [ODD, TND]\n", 1
    )
    sink = Sink()
    assert analyse_text(text.encode(), path.name, sink) is None
    assert "Layout has no label 'ODD'" in [diagnostic.message for diagnostic in sink]

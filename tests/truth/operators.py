"""Operators that the project specifies, by file name, with the package generated for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from qsfa_codegen.render import package
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator

ROOT = Path(__file__).parents[2]
CHIPS = ROOT / "spec" / "chips.yaml"
SOC = "ascend910b"

SPECS = tuple(sorted(p.stem for p in (ROOT / "spec").glob("*.yaml") if p != CHIPS))
"""Specs of the project."""
FIXTURES = tuple(p.stem for p in sorted((ROOT / "tests" / "specs").glob("*.yaml")) if p.stem not in SPECS)
"""Further released operators whose contracts stand among the tests."""


@dataclass(frozen=True, slots=True)
class Package:
    """An operator and its generated files by path."""

    operator: Operator
    files: Mapping[str, str]


@cache
def generated(snake: str) -> Package:
    """The package of one operator, rendered once."""
    folder = ROOT / "spec" if snake in SPECS else ROOT / "tests" / "specs"
    operator = load(folder / f"{snake}.yaml", CHIPS)
    return Package(operator, package.render(operator))

"""What one generated file is: its group, its place in the package, and how its text is made."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Operator


def always(operator: Operator) -> bool:
    """Every operator has it."""
    return True


class Artefact(Struct, frozen=True):
    """One generated file.

    ``group`` is what a spec's ``emit`` names. ``path`` is relative to the package, with forward
    slashes. ``render`` gives the text without the header, which ``package.render`` puts first.
    ``applies`` says whether the operator has such a file at all.
    """

    group: str
    path: Callable[[Operator], str]
    render: Callable[[Operator, Templates], str]
    applies: Callable[[Operator], bool] = always

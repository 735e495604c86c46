"""One difference between two operators, and what it means for whom."""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from qsfa_codegen.contract.calls import Call
from qsfa_codegen.diagnostics import Span


class Impact(Enum):
    """The class of a change, the gravest first."""

    CALLERS = "breaking for callers"
    ARTEFACTS = "breaking for built artefacts"
    WIDENING = "widening"
    COMPATIBLE = "compatible"
    DOCS = "docs only"

    @property
    def breaks(self) -> bool:
        """Whether somebody has to act."""
        return self in (Impact.CALLERS, Impact.ARTEFACTS)


class Basis(Enum):
    """How sure it is what a change of rules means for calls."""

    SEARCHED = "searched"
    PROVED = "proved"


class Relation(Struct, frozen=True):
    """The calls that both contracts can be asked about: are some newly rejected, some newly accepted?"""

    narrower: bool
    wider: bool
    basis: Basis

    def __str__(self) -> str:
        match self.narrower, self.wider:
            case True, True:
                return "narrower and wider"
            case True, False:
                return "narrower"
            case False, True:
                return "wider"
        return "equivalent"


class Witness(Struct, frozen=True):
    """A call that the two contracts treat differently, in the names of the new one.

    ``call`` expects what the new contract says of it; ``before`` and ``after`` are that in words.
    """

    call: Call
    before: str
    after: str


class Found(Struct, frozen=True):
    """What a rule found. ``old`` and ``new`` are short texts, empty where there is nothing.

    ``before`` is a place in the base's spec, ``after`` one in the spec.
    """

    subject: str
    message: str
    old: str = ""
    new: str = ""
    before: Span | None = None
    after: Span | None = None
    witness: Witness | None = None
    basis: Basis | None = None


class Change(Struct, frozen=True):
    """A difference with its stable code; ``allowed`` is the reason for which a break is on purpose."""

    code: str
    impact: Impact
    title: str
    subject: str
    message: str
    old: str
    new: str
    before: Span | None
    after: Span | None
    witness: Witness | None
    basis: Basis | None
    allowed: str | None = None

    @property
    def breaks(self) -> bool:
        """Whether somebody has to act, and nobody has said that this is meant."""
        return self.impact.breaks and self.allowed is None

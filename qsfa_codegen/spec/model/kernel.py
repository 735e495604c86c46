"""The kernel family with its plans, and the reference that tells right from wrong."""

from __future__ import annotations

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.nodes import Expr
from qsfa_codegen.spec.model.choice import Text


class PlanBuffer(Struct, frozen=True):
    """A buffer of an on-chip space."""

    name: str
    copies: Expr
    bytes: Expr
    doc: Text | None
    span: Span


class PlanSpace(Struct, frozen=True):
    """What a plan uses of one on-chip space (UB, L1, L0A, L0B, L0C); ``total`` in bytes."""

    space: str
    total: Expr
    buffers: tuple[PlanBuffer, ...]
    span: Span


class PlanParameter(Struct, frozen=True):
    """A parameter of the kernel family; its name begins with those of its groups, joined by dots."""

    name: str
    value: Expr
    doc: Text | None


class PlanFlag(Struct, frozen=True):
    """A counting flag between cores; ``credits`` at the start, None for none."""

    name: str
    credits: Expr | None
    doc: Text | None


class KernelPlan(Struct, frozen=True):
    """What the kernel family needs to know for one architecture."""

    arch: str
    parameters: tuple[PlanParameter, ...]
    spaces: tuple[PlanSpace, ...]
    flags: tuple[PlanFlag, ...]
    span: Span


class Kernel(Struct, frozen=True):
    """Which kernel family, which role each parameter plays in it, and its plans."""

    family: str
    roles: tuple[tuple[str, str], ...]
    plans: tuple[KernelPlan, ...]
    task_type: str  # mix_aic_1_2, aiv, …
    span: Span


class Tolerance(Struct, frozen=True):
    """Accepted error of one dtype."""

    dtype: str
    rtol: float
    atol: float


class Decode(Struct, frozen=True):
    """The usual call of a decoding step: sizes by the names of dims, and the error accepted in it."""

    sizes: tuple[tuple[str, int], ...]
    tolerance: Tolerance


class Reference(Struct, frozen=True):
    """The registered reference implementation, its tolerances, and the call that it is tried on first."""

    python: str
    tolerances: tuple[Tolerance, ...]
    decode: Decode | None
    span: Span

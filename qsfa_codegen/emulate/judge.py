"""Whether the outputs of a launch are those that the reference computes."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from qsfa_codegen.contract.calls import TensorArg
from qsfa_codegen.reference.elements import Floats
from qsfa_codegen.reference.subject import Expected, numbers_of
from qsfa_codegen.spec.model import Tolerance


class Worst(Struct, frozen=True):
    """The element of an output that is furthest from what it should be, for what is allowed there.

    ``wrong`` counts elements that are too far off; ``error`` is the largest error of any element.
    """

    output: str
    place: tuple[int, ...]
    got: float
    want: float
    allowed: float
    error: float
    wrong: int
    size: int

    @property
    def share(self) -> float:
        """The error at ``place`` as a part of what is allowed; infinite where nothing is, or for NaN."""
        off = float(_off(np.array(self.got), np.array(self.want)))
        if off == 0 or self.allowed == float("inf"):
            return 0.0
        return off / self.allowed if self.allowed > 0 else float("inf")


def judge(
    outputs: Mapping[str, TensorArg],
    got: Mapping[str, bytes],
    expected: Mapping[str, Expected],
    tolerances: Mapping[str, Tolerance],
) -> tuple[Worst, ...]:
    """The worst element of each output that is not empty.

    An element is held to the bound of its rounding errors and, where its dtype has a tolerance, to that.
    Where an infinity or NaN must come out, that has to. With an infinite bound anything may.
    """
    found = []
    for name, tensor in outputs.items():
        if name in expected and 0 not in tensor.shape:
            values = numbers_of(got[name], tensor.dtype, tensor.shape)
            want, bound = (part.reshape(tensor.shape) for part in expected[name])
            tolerance = tolerances.get(tensor.dtype)
            if tolerance is not None:
                bound = np.minimum(bound, tolerance.atol + tolerance.rtol * np.abs(want))
            # A bound is NaN where a logit is infinite and all that it weighs is zero.
            allowed = np.where(np.isfinite(want), np.nan_to_num(bound, nan=0.0, posinf=np.inf), 0.0)
            found.append(_worst(name, values, want, allowed))
    return tuple(found)


def _off(got: Floats, want: Floats) -> Floats:
    """How far numbers are from what they should be: infinitely where one of the two alone is NaN."""
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    with np.errstate(invalid="ignore"):
        return np.where(same, 0.0, np.nan_to_num(np.abs(got - want), nan=np.inf, posinf=np.inf))


def _worst(name: str, got: Floats, want: Floats, allowed: Floats) -> Worst:
    off = _off(got, want)
    wrong = off > allowed
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where((off == 0) | np.isposinf(allowed), 0.0, off / allowed)
    place = np.unravel_index(int(np.argmax(share)), share.shape)
    return Worst(
        output=name,
        place=tuple(int(n) for n in place),
        got=float(got[place]),
        want=float(want[place]),
        allowed=float(allowed[place]),
        error=float(off.max()),
        wrong=int(wrong.sum()),
        size=int(off.size),
    )

"""How far a right kernel of the family sparse_mla may be from the reference: see docs/emulator.md."""

from __future__ import annotations

import numpy as np

from qsfa_codegen.reference.elements import LEAST, UNIT, Floats
from qsfa_codegen.reference.sparse_mla import Answer, Problem

_UNIT = UNIT["float32"]
_EXP = 8 * _UNIT
"""Relative error of an exponential in float32."""
LSE = 1e-5
"""Accepted relative error of the softmax outputs, where logits are not too large for it."""
_LOGIT = 8 * _UNIT
"""Error of a logit by its reach that is expected at most: rounding errors mostly cancel."""
_FLUSHED = 2.0**-126
"""Smaller numbers of float32 may be taken for zeros."""


def out_bound(problem: Problem, answer: Answer) -> Floats:
    """Largest error of each element of the output, from the roundings that the algorithm has.

    P and the result are rounded to the dtype of Q; K is rounded the same way here and there; products are
    exact and added in float32, in any order. A row of one token has just its V, for P is 1 then.
    """
    unit, least = UNIT[problem.half], max(LEAST[problem.half], _FLUSHED)
    width = problem.query.shape[-1]
    tokens = np.zeros(problem.query.shape[:-2])
    for place, listed in answer.tokens.items():
        tokens[place] = len(listed)
    logit = (width + 4) * _UNIT * answer.reach
    sums = _EXP + 2 * (tokens + 1)[..., None] * _UNIT
    weight = np.expm1(2 * (logit + sums))[..., None] + unit
    bound: Floats = (1 + weight) * unit * np.abs(answer.out) + weight * answer.weighed
    bound += least * (answer.plain[..., None, :] + 1)
    several, some = tokens[..., None, None] > 1, tokens[..., None, None] > 0
    return np.where(several, bound, np.where(some, _FLUSHED, 0.0))


def max_bound(answer: Answer) -> Floats:
    """Largest error of the maximum of logits. A row without tokens has exactly 0, one with NaN anything."""
    bound = np.maximum(LSE * np.abs(answer.row_max), _LOGIT * answer.reach) + _FLUSHED
    return np.where(np.isnan(answer.row_sum), np.inf, np.where(answer.row_sum > 0, bound, 0.0))


def sum_bound(answer: Answer) -> Floats:
    """Largest error of the sum of exponentials. A row without tokens has exactly 0."""
    return answer.row_sum * np.maximum(LSE, 2 * _LOGIT * answer.reach)

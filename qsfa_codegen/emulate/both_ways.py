"""Whether a launch through a toolkit's headers leaves the bytes that one through the emulator's own does."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec import Struct

from qsfa_codegen.contract.calls import TensorArg
from qsfa_codegen.reference.subject import numbers_of
from qsfa_codegen.spec.dtypes import DTYPES


class Difference(Struct, frozen=True):
    """The first element of an output that is not the same both ways, and how many of ``size`` are not."""

    output: str
    place: tuple[int, ...]
    toolkit: float
    own: float
    different: int
    size: int


def differences(
    outputs: Mapping[str, TensorArg], toolkit: Mapping[str, bytes], own: Mapping[str, bytes]
) -> tuple[Difference, ...]:
    """One for each output whose bytes, by name in ``toolkit`` and ``own``, are not the same."""
    return tuple(
        _difference(name, tensor, toolkit[name], own[name])
        for name, tensor in outputs.items()
        if toolkit[name] != own[name]
    )


def _difference(name: str, tensor: TensorArg, toolkit: bytes, own: bytes) -> Difference:
    size = DTYPES[tensor.dtype].size
    theirs, ours = (np.frombuffer(data, np.uint8).reshape(-1, size) for data in (toolkit, own))
    places = np.flatnonzero((theirs != ours).any(axis=1))
    first = tuple(int(n) for n in np.unravel_index(int(places[0]), tensor.shape))
    value, expected = (float(numbers_of(data, tensor.dtype, tensor.shape)[first]) for data in (toolkit, own))
    return Difference(name, first, value, expected, len(places), len(theirs))

"""What a family's reference offers to those that run kernels: tensors for a call, and what must come out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from qsfa_codegen.reference import sparse_mla_call
from qsfa_codegen.reference.subject import Expected, Subject
from qsfa_codegen.spec.model import AttrValue, Operator

Tensors = Mapping[str, NDArray[Any]]


class FamilyReference(NamedTuple):
    """The functions of one family.

    ``fill`` makes the data of each tensor that a call passes, the same for the same generator; what the
    call gives itself stays. ``expected`` is what must come out, ``work`` how many products that takes,
    ``usual`` the attributes with which random numbers give results worth looking at, ``telling`` whether
    the sizes of a call give much to look at. ``predicates`` are those that rules about data name.
    """

    fill: Callable[[Subject, np.random.Generator], Tensors]
    expected: Callable[[Subject, Tensors], Mapping[str, Expected]]
    work: Callable[[Subject], int]
    usual: Callable[[Subject], Mapping[str, AttrValue]]
    telling: Callable[[Subject], bool]
    predicates: Mapping[str, Callable[[Subject, Tensors], bool]]


_FAMILIES = {
    "sparse_mla.attend": FamilyReference(
        fill=sparse_mla_call.fill,
        expected=sparse_mla_call.expected,
        work=sparse_mla_call.work,
        usual=sparse_mla_call.usual,
        telling=sparse_mla_call.telling,
        predicates={
            "used_blocks_in_cache": sparse_mla_call.used_blocks_in_cache,
            "indices_below_kv_length": sparse_mla_call.indices_below_kv_length,
        },
    )
}


def reference_of(operator: Operator) -> FamilyReference | None:
    """The reference that the spec names; None where there is none, or none that is known here."""
    return None if operator.reference is None else _FAMILIES.get(operator.reference.python)

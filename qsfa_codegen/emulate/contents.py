"""The spec's rules about tensor data, on the data of a call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from qsfa_codegen.contract.calls import tensors as tensors_of
from qsfa_codegen.expr.evaluate import compiled
from qsfa_codegen.expr.values import EvalError
from qsfa_codegen.reference.subject import Subject, given, unstorable
from qsfa_codegen.spec.contents import content_text, data_inputs

if TYPE_CHECKING:
    from qsfa_codegen.contract.evaluate import Evaluator
    from qsfa_codegen.reference.families import FamilyReference, Tensors
    from qsfa_codegen.spec.model import Chip, ContentRule

_WHOLE = "iu"
"""Kinds of numpy's dtypes whose elements rules can be about."""


def gives_data(subject: Subject) -> bool:
    """Whether the call brings data of its own."""
    return any(tensor.data is not None for tensor in subject.tensors())


def unstorable_data(subject: Subject) -> str:
    """What is wrong with the first tensor whose data its dtype cannot store; empty when there is none."""
    for name, arg in subject.call.inputs.items():
        for tensor in tensors_of(arg):
            if wrong := unstorable(tensor):
                return f"{name}: {wrong}"
    return ""


def given_by(subject: Subject) -> Tensors:
    """The data that the call brings."""
    named = ((name, arg) for name, arg in subject.call.inputs.items() if not isinstance(arg, tuple))
    return {name: array for name, arg in named if (array := given(arg)) is not None}


def broken_rule(
    subject: Subject, tensors: Tensors, family: FamilyReference, evaluator: Evaluator, chip: Chip
) -> str:
    """What the first rule says that the data breaks; empty when there is none.

    Rules about tensors that are not among ``tensors`` are left out, and predicates unless all are there.
    """
    call = subject.call
    inputs = {
        name: replace(arg, data=tuple(tensors[name].ravel().tolist()))
        if not isinstance(arg, tuple) and name in tensors and tensors[name].dtype.kind in _WHOLE
        else arg
        for name, arg in call.inputs.items()
    }
    filled = replace(call, inputs=inputs)
    with_data = replace(subject, call=filled, env=evaluator.env(filled, chip)[0])
    for rule in subject.operator.contents:
        if not _holds(rule, with_data, tensors, family):
            return content_text(subject.operator, rule)
    return ""


def _holds(rule: ContentRule, subject: Subject, tensors: Tensors, family: FamilyReference) -> bool:
    try:
        if rule.when is not None and compiled(rule.when)(subject.env) is not True:
            return True
        if rule.require is not None:
            known = all(name in tensors for name in data_inputs(rule.require))
            return not known or compiled(rule.require)(subject.env) is not False
    except EvalError:
        return False
    predicate = family.predicates.get(str(rule.predicate).partition(".")[2])
    return (
        predicate is None or not tensors.keys() >= subject.call.inputs.keys() or predicate(subject, tensors)
    )

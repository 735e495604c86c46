"""What is said of a call that breaks a rule: what was given, then what is allowed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from qsfa_codegen.contract.calls import UNKNOWN_DIM, UNKNOWN_RANK, TensorArg, Violation
from qsfa_codegen.contract.env import CallEnv, SpoiltError
from qsfa_codegen.contract.tiling import Unfit
from qsfa_codegen.expr.evaluate import evaluate
from qsfa_codegen.expr.nodes import Expr, ParamQuery, Query, Ref, RefKind, Select
from qsfa_codegen.expr.values import UNKNOWN, EvalError, Value
from qsfa_codegen.spec.model import Attr, Check, ContentRule, Operator
from qsfa_codegen.spec.names import output_check

if TYPE_CHECKING:
    from qsfa_codegen.spec.failure import Failure, Given


class Messages:
    """Violations of one operator's rules, in words. Sentences are made when they are first needed."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self._failures: dict[tuple[int, int], Failure] = {}

    def broken(self, check: Check, error: EvalError | None, env: CallEnv) -> Violation:
        """A check that does not hold, or whose evaluation fails with ``error``."""
        require, cases = _case_of(check.require, env)
        failure = self._failure(check, require)
        given = [text for text in (_shown(given, env) for given in failure.givens) if text is not None]
        given += [failure.stated] if failure.stated else []
        parts = [", ".join((*cases, *given))] if cases or given else []
        if error is not None:
            parts.append(str(error))
        return Violation(check.id, check.parameter, "; ".join([*parts, f"expected: {failure.allowed}"]))

    def _failure(self, check: Check, require: Expr) -> Failure:
        """The check's sentence, said for the case of the call alone."""
        found = self._failures.get((id(check), id(require)))
        if found is None:
            from qsfa_codegen.spec.failure import failure

            found = failure(self._operator, replace(check, require=require))
            self._failures[(id(check), id(require))] = found
        return found

    def chip(self, name: str) -> Violation:
        """A chip that the operator does not support."""
        known = ", ".join(f"{chip.id} ({chip.soc})" for chip in self._operator.chips)
        return Violation("chip", "chip", f"chip is {name}; the operator supports {known}")

    def missing(self, attr: Attr, count: int | None) -> Violation:
        """A required attribute that the caller's graph does not supply."""
        if count is not None and attr.index >= count:
            reason = f"the graph supplies only the first {count} attributes"
        else:
            reason = "it is not given and nothing is registered as its default"
        return Violation(f"{attr.name}_presence", attr.name, f"{attr.name} is required, but {reason}")

    def content(self, rule: ContentRule, param: str, error: EvalError | None) -> Violation:
        """A rule about the data of ``param`` that does not hold."""
        return Violation(rule.id, param, self._content_text(rule, error))

    def _content_text(self, rule: ContentRule, error: EvalError | None) -> str:
        if error is not None:
            return str(error)
        from qsfa_codegen.spec.contents import content_text

        return content_text(self._operator, rule)

    def no_output(self, name: str, error: EvalError) -> Violation:
        """An output whose shape or dtype has no value."""
        return Violation(f"{name}_shape", name, f"{name} cannot be inferred: {error}")

    def other_dtype(self, name: str, inferred: TensorArg, allocated: TensorArg) -> Violation:
        """An output that the caller allocated with another dtype."""
        message = f"dtype of the allocated {name} is {allocated.dtype}; it must be {inferred.dtype}"
        return Violation(output_check(name, "dtype"), name, message)

    def other_shape(self, name: str, inferred: TensorArg, allocated: TensorArg) -> Violation:
        """An output that the caller allocated with another shape."""
        given, wanted = list(allocated.shape), list(inferred.shape)
        message = f"shape of the allocated {name} is {given}; it must be {wanted}"
        return Violation(output_check(name, "shape"), name, message)

    def unfit(self, unfit: Unfit) -> Violation:
        """A tiling value that its place cannot hold."""
        shown = "has no value" if unfit.value is None else f"is {unfit.value}"
        return Violation(unfit.id, unfit.parameter, f"{unfit.parameter} {shown}: {unfit.reason}")


def as_allocated(
    messages: Messages, name: str, inferred: TensorArg, allocated: TensorArg
) -> Iterator[Violation]:
    """What is wrong with an output that the caller allocated."""
    if allocated.dtype != inferred.dtype:
        yield messages.other_dtype(name, inferred, allocated)
    if not _could_be(inferred.shape, allocated.shape):
        yield messages.other_shape(name, inferred, allocated)


def _could_be(inferred: tuple[int, ...], allocated: tuple[int, ...]) -> bool:
    """Whether the shape of an allocated output is the inferred one, where that is known."""
    if UNKNOWN_RANK in (inferred, allocated):
        return True
    return len(inferred) == len(allocated) and all(
        have == want or UNKNOWN_DIM in (have, want) for have, want in zip(allocated, inferred, strict=True)
    )


def _case_of(require: Expr, env: CallEnv) -> tuple[Expr, list[str]]:
    """What is required in the case of the call, and the selectors that tell the case."""
    cases: list[str] = []
    while isinstance(require, Select):
        try:
            value = evaluate(require.selector, env)
        except (EvalError, SpoiltError):
            break
        label = _spelt(value)
        branch = dict(require.cases).get(label, require.otherwise)
        if branch is None:
            break
        cases += _selected(require.selector, label)
        require = branch
    return require, cases


def _selected(selector: Expr, label: str) -> list[str]:
    match selector:
        case Ref(kind=RefKind.ATTR, name=name):
            return [f"{name} is {label}"]
        case ParamQuery(query=Query.PRESENT, param=param):
            return [f"{param} is {'passed' if label == 'true' else 'absent'}"]
    return []


def _shown(given: Given, env: CallEnv) -> str | None:
    """What the call gives for one fact; None where that cannot be said."""
    try:
        value = evaluate(given.expr, env)
    except (EvalError, SpoiltError):
        return None
    if isinstance(given.expr, ParamQuery) and given.expr.query is Query.PRESENT:
        return f"{given.label} is {'passed' if value else 'absent'}"
    if value is UNKNOWN:
        return f"{given.label} is not known"
    return f"{given.label} is {_spelt(value)}"


def _spelt(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return "[" + ", ".join(_spelt(item) for item in value) + "]"
    return str(value)

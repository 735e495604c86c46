"""Is a call legal, and what comes out of it: the engine in Python.

``Evaluator`` compiles an operator once; after that a call costs little. It reports every rule that
a call breaks, except those that depend on a fact which is itself wrong.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from qsfa_codegen.contract.calls import (
    Call,
    InputArg,
    Result,
    Stage,
    TensorArg,
    Violation,
    tensors,
)
from qsfa_codegen.contract.env import CallEnv, Extern, OperatorTables, Run, SpoiltError
from qsfa_codegen.contract.infer import OutputRule, output_rule
from qsfa_codegen.contract.messages import Messages, as_allocated
from qsfa_codegen.contract.tiling import TilingRule
from qsfa_codegen.expr.evaluate import compiled
from qsfa_codegen.expr.floats import single_precision
from qsfa_codegen.expr.values import EvalError, Value
from qsfa_codegen.spec.contents import tiling_contents
from qsfa_codegen.spec.model import (
    Attr,
    AttrType,
    Check,
    CheckKind,
    Chip,
    ContentRule,
    Fact,
    Operator,
)
from qsfa_codegen.spec.uses import output_uses


class Rule(NamedTuple):
    """A check of the operator, ready to run; ``over`` is the list input whose tensors it runs over."""

    check: Check
    when: Run | None
    require: Run
    over: str | None

    def fails(self, env: CallEnv) -> bool:
        """Whether the call violates the rule. SpoiltError and EvalError pass."""
        if self.when is not None and self.when(env) is not True:
            return False
        return self.require(env) is False


class Broken(NamedTuple):
    """A rule that a call breaks; ``error`` says why it has no value, where that is the reason."""

    check: Check
    error: EvalError | None


class Bound(NamedTuple):
    """A call's attributes with defaults filled in, and those that the operator needs but does not get."""

    values: Mapping[str, Value]
    missing: tuple[Attr, ...]


class _Found(NamedTuple):
    """A violation, and whether shape inference alone finds it."""

    violation: Violation
    at_infer: bool


class BrokenContent(NamedTuple):
    """A rule about data that a call breaks, the input to blame, and why it has no value."""

    rule: ContentRule
    parameter: str
    error: EvalError | None


class ContentCheck(NamedTuple):
    """A rule about data that tiling checks where the data of ``inputs`` is given."""

    rule: ContentRule
    when: Run | None
    require: Run
    inputs: tuple[str, ...]


def evaluate(operator: Operator, call: Call, stage: Stage | None = None) -> Result:
    """The result of one call; see ``Evaluator.evaluate``."""
    return Evaluator(operator).evaluate(call, stage)


def _tiling_rule(operator: Operator, externs: Mapping[str, Extern]) -> TilingRule | None:
    tiling = operator.tiling
    if tiling is None or any(extern.name not in externs for extern in tiling.externs):
        return None
    return TilingRule(operator, tiling)


class Evaluator:
    """The contract of one operator, compiled.

    ``externs`` are the Python forms of the spec's extern functions, by name. A tiling that calls others
    is not worked out: results hold the outputs alone then.
    """

    def __init__(self, operator: Operator, externs: Mapping[str, Extern] | None = None) -> None:
        self.operator = operator
        self.tables = OperatorTables.of(operator, externs)
        self.rules = tuple(self._rule(check) for check in operator.checks)
        self.tiling_rule = _tiling_rule(operator, externs or {})
        self.messages = Messages(operator)
        self._infer_rules = tuple(rule for rule in self.rules if rule.check.at_infer)
        self._outputs: tuple[OutputRule, ...] = tuple(output_rule(o) for o in operator.outputs)
        self.contents = tuple(_contents(operator))
        self._chips = {name: c for c in operator.chips for name in (c.id, c.soc)}
        self._attrs = {a.name: a for a in operator.attrs}
        self._floats = frozenset(a.name for a in operator.attrs if a.type in _FLOATS)
        self._required = tuple(a for a in operator.attrs if a.required)
        self._defaults: dict[str, Value] = {
            a.name: _as_passed(a, a.default) for a in operator.attrs if a.default is not None
        }
        self._read_at_infer = output_uses(operator).attrs

    def _rule(self, check: Check) -> Rule:
        per_tensor = check.kind in (CheckKind.DTYPE, CheckKind.RANK, CheckKind.DIM)
        return Rule(
            check,
            None if check.when is None else compiled(check.when),
            compiled(check.require),
            check.parameter if per_tensor and check.parameter in self.tables.lists else None,
        )

    # ------------------------------------------------------------------ one call

    def evaluate(self, call: Call, stage: Stage | None = None) -> Result:
        """The result of ``call``; ``stage`` (else the call's own) runs a part alone.

        Without a stage both run: the rules of shape inference treat what is unknown as such, those
        of tiling see -1 and [-2] as ordinary numbers.
        """
        stage = stage or call.stage
        chip = self.chip(call.chip)
        if chip is None:
            violation = self.messages.chip(call.chip)
            return Result(call.id, stage=stage or Stage.INFER, violations=(violation,))
        if stage is Stage.INFER:
            return self._infer(call, chip)
        if stage is None and has_unknowns(call.inputs.values()):
            return _both(self._infer(call, chip), self._tile(call, chip, Stage.TILING))
        return self._tile(call, chip, stage)

    def chip(self, name: str) -> Chip | None:
        """The chip with this id or SoC config name; None when the operator does not support it."""
        return self._chips.get(name)

    def env(self, call: Call, chip: Chip, *, infer: bool = False) -> tuple[CallEnv, Bound]:
        """The environment of ``call``, in which attributes that are missing are spoilt."""
        bound = self.bind(call)
        names = self.tables.names_of(chip, call.platform)
        env = CallEnv(self.tables, names, bound.values, call.inputs, infer=infer)
        if bound.missing:
            env.spoil([Fact("attr", attr.name) for attr in bound.missing])
        return env, bound

    def bind(self, call: Call) -> Bound:
        """Attributes as the host sees them."""
        count = len(self._attrs) if call.attr_count is None else call.attr_count
        values = dict(self._defaults)
        for name, value in call.attrs.items():
            attr = self._attrs[name]
            if attr.index < count:
                values[name] = _as_passed(attr, value) if name in self._floats else value
        missing = tuple(a for a in self._required if a.index >= count or a.name not in values)
        return Bound(values, missing)

    # ------------------------------------------------------------------ rules

    def broken(self, env: CallEnv, rules: Iterable[Rule]) -> Iterator[Broken]:
        """The rules that the call breaks, each before it spoils its facts for those that follow."""
        for rule in rules:
            error: EvalError | None = None
            try:
                if rule.over is None:
                    if not rule.fails(env):
                        continue
                elif not self._any_tensor(rule, env, rule.over):
                    continue
            except SpoiltError:
                continue
            except EvalError as failed:
                error = failed
            yield Broken(rule.check, error)
            if rule.over is not None:
                env.select_item(rule.over, 0)
            env.spoil(rule.check.establishes)

    def _any_tensor(self, rule: Rule, env: CallEnv, name: str) -> bool:
        """Whether some tensor of the list breaks the rule; that one stays selected for the message."""
        if not env.count(name):
            return rule.fails(env)
        for index in range(env.count(name)):
            env.select_item(name, index)
            if rule.fails(env):
                return True
        env.select_item(name, 0)
        return False

    def _checked(self, call: Call, env: CallEnv, bound: Bound, rules: Sequence[Rule]) -> Iterator[_Found]:
        for attr in bound.missing:
            at_infer = attr.name in self._read_at_infer
            if at_infer or rules is not self._infer_rules:
                yield _Found(self.messages.missing(attr, call.attr_count), at_infer)
        for broken in self.broken(env, rules):
            yield _Found(self.messages.broken(broken.check, broken.error, env), broken.check.at_infer)

    def broken_contents(self, env: CallEnv) -> Iterator[BrokenContent]:
        """The rules about data that the call breaks, of those that tiling can see."""
        for content in self.contents:
            args = [env.arg(name) for name in content.inputs]
            if any(arg is None or arg.data is None for arg in args):
                continue
            error: EvalError | None = None
            try:
                applies = content.when is None or content.when(env) is True
                if not applies or content.require(env) is not False:
                    continue
            except SpoiltError:
                continue
            except EvalError as failed:
                error = failed
            yield BrokenContent(content.rule, content.inputs[0], error)

    # ------------------------------------------------------------------ stages

    def _infer(self, call: Call, chip: Chip) -> Result:
        env, bound = self.env(call, chip, infer=True)
        found = list(self._checked(call, env, bound, self._infer_rules))
        outputs = self._infer_outputs(call, env, found)
        if not found:
            return Result(call.id, outputs=outputs)
        return Result(call.id, stage=Stage.INFER, violations=tuple(f.violation for f in found))

    def _tile(self, call: Call, chip: Chip, stage: Stage | None) -> Result:
        env, bound = self.env(call, chip)
        found = list(self._checked(call, env, bound, self.rules))
        found.extend(_Found(self.messages.content(*broken), False) for broken in self.broken_contents(env))
        return self._answered(call, chip, env, found, stage)

    def answered(self, call: Call, chip: Chip, env: CallEnv) -> Result:
        """The result of a call that breaks no rule, as its caller knows, and whose data is open."""
        return self._answered(call, chip, env, [], None)

    def _answered(
        self, call: Call, chip: Chip, env: CallEnv, found: list[_Found], stage: Stage | None
    ) -> Result:
        outputs = self._infer_outputs(call, env, found)
        tiling = None if self.tiling_rule is None else self.tiling_rule.run(env, chip.arch)
        if isinstance(tiling, tuple):
            found.extend(_Found(self.messages.unfit(unfit), False) for unfit in tiling)
            tiling = None
        if not found:
            return Result(call.id, outputs=outputs, tiling=tiling)
        at_infer = stage is None and any(f.at_infer for f in found)
        return Result(
            call.id,
            stage=Stage.INFER if at_infer else Stage.TILING,
            violations=tuple(f.violation for f in found),
        )

    def _infer_outputs(self, call: Call, env: CallEnv, found: list[_Found]) -> Mapping[str, TensorArg]:
        """What can be inferred of the outputs; what is wrong with them goes to ``found``."""
        legal = not found
        outputs: dict[str, TensorArg] = {}
        for rule in self._outputs:
            allocated = call.outputs.get(rule.name)
            if not legal and allocated is None:
                continue
            try:
                outputs[rule.name] = inferred = rule.infer(env)
            except SpoiltError:
                continue
            except EvalError as error:
                found.append(_Found(self.messages.no_output(rule.name, error), True))
                continue
            if allocated is not None:
                found.extend(
                    _Found(violation, False)
                    for violation in as_allocated(self.messages, rule.name, inferred, allocated)
                )
        return outputs


def _both(infer: Result, tile: Result) -> Result:
    """The two stages of one call, each violation once."""
    if infer.ok:
        return tile
    seen = {(v.constraint, v.parameter) for v in infer.violations}
    more = (v for v in tile.violations if (v.constraint, v.parameter) not in seen)
    return Result(infer.id, stage=Stage.INFER, violations=(*infer.violations, *more))


def has_unknowns(inputs: Iterable[InputArg]) -> bool:
    """Whether some dim or rank is not known."""
    for arg in inputs:
        for tensor in tensors(arg):
            if min(tensor.shape, default=0) < 0:
                return True
    return False


_FLOATS = (AttrType.FLOAT, AttrType.LIST_FLOAT)


def _as_passed(attr: Attr, value: Value) -> Value:
    """An attribute's value as the host gets it: floats have 32 bits."""
    if attr.type is AttrType.FLOAT and isinstance(value, int | float):
        return single_precision(value)
    if attr.type is AttrType.LIST_FLOAT and isinstance(value, tuple):
        return tuple(single_precision(v) for v in value if isinstance(v, int | float))
    return value


def _contents(operator: Operator) -> Iterator[ContentCheck]:
    for content in tiling_contents(operator):
        when = None if content.rule.when is None else compiled(content.rule.when)
        yield ContentCheck(content.rule, when, compiled(content.require), content.inputs)

"""Which calls are legal: decided by calls that the two contracts treat differently, not by the text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from operator import attrgetter

from msgspec.structs import replace

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.review.changes import Basis, Found, Impact, Witness
from qsfa_codegen.review.evidence import Verdict
from qsfa_codegen.review.match import name_of
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import Look, Rule, rule
from qsfa_codegen.review.units import Unit, dim_of
from qsfa_codegen.spec.model import Check, CheckKind, Operator

ATTR, PRESENCE, DTYPE, SHAPE, SIZE, CONSTRAINT = (
    "attribute",
    "presence",
    "dtype",
    "shape",
    "size",
    "constraint",
)


DTYPE_ROW = "dtype_row"


def family(unit: Unit) -> str:
    """What a group of rules is about."""
    match unit.kind:
        case CheckKind.ATTR:
            return ATTR
        case CheckKind.PRESENCE:
            return PRESENCE
        case CheckKind.DTYPE:
            return DTYPE
        case CheckKind.CONSTRAINT:
            return CONSTRAINT
    return SHAPE if _dim(unit) is None else SIZE


def _dim(unit: Unit) -> str | None:
    return dim_of((*unit.after, *unit.before)[0])


def subject(unit: Unit) -> str:
    """What a reader knows the rules as."""
    if unit.id == DTYPE_ROW:
        return "dtypes"
    match family(unit):
        case "attribute":
            return f"attribute {unit.parameter}"
        case "constraint":
            return f"constraint {unit.id}"
        case "size":
            return f"dim {_dim(unit)}"
    return f"input {unit.parameter}"


_SAID = {
    ATTR: "accepted values of {name}",
    PRESENCE: "presence of {name}",
    DTYPE: "dtypes of {name}",
    SHAPE: "shapes of {name}",
    SIZE: "sizes of {name}",
    CONSTRAINT: "constraint {name}",
}


def _relevant(pair: Pair) -> Iterator[Unit]:
    """Groups that are not just those of a parameter that came or went."""
    gone = {name_of(thing) for thing in (*pair.inputs.removed, *pair.attrs.removed)}
    new = {name_of(thing) for thing in (*pair.inputs.added, *pair.attrs.added)}
    retyped = {new.name for old, new in pair.attrs.both if (old.type, old.enum) != (new.type, new.enum)}
    for unit in pair.evidence.units:
        if unit.kind is CheckKind.ATTR and unit.parameter in retyped:
            continue  # values of another type cannot be compared
        if unit.kind is CheckKind.CONSTRAINT or unit.parameter not in gone | new:
            yield unit


def _found(pair: Pair, unit: Unit, message: str, verdict: Verdict, witness: Witness | None) -> Found:
    return Found(
        subject(unit),
        message,
        *_texts(pair, unit),
        _place(pair.old, unit, unit.before),
        _place(pair.after, unit, unit.after),
        witness,
        None if witness is not None else verdict.basis,
    )


def _place(operator: Operator, unit: Unit, checks: tuple[Check, ...]) -> Span:
    if unit.id == DTYPE_ROW:
        return operator.dtypes.span
    return checks[0].span if checks else operator.name_span


def _texts(pair: Pair, unit: Unit) -> tuple[str, str]:
    """What is allowed: of shapes as it is written, of all else in words."""
    if unit.id == DTYPE_ROW:
        return "", ""  # a rule about rows names the row
    if family(unit) == SHAPE:
        written = [_shape(pair, operator, unit) for operator in (pair.before, pair.after)]
        if written[0] != written[1]:
            return written[0], written[1]
    return _said(pair.before, unit.before), _said(pair.after, unit.after)


def _shape(pair: Pair, operator: Operator, unit: Unit) -> str:
    param = next((i for i in operator.inputs if i.name == unit.parameter), None)
    return "" if param is None or param.shape is None else pair.quote(param.shape.span)


def _said(operator: Operator, checks: tuple[Check, ...]) -> str:
    """What is allowed, in words."""
    from qsfa_codegen.spec.failure import failure

    # The words of a rule's own message may have stayed while the rule changed.
    said = (failure(operator, _without_message(check)).allowed for check in checks)
    return "; ".join(dict.fromkeys(said))


def _without_message(check: Check) -> Check:
    return check if check.message is None else replace(check, message=None)


def _name(unit: Unit) -> str:
    return subject(unit).split(" ", 1)[-1]


def _judging(kind: str, witness_of: Callable[[Verdict], Witness | None], effect: str) -> Look:
    """Finds the groups of a kind with a witness of one side, which ``effect`` puts into words."""

    def look(pair: Pair) -> Iterator[Found]:
        for unit in _relevant(pair):
            if family(unit) != kind:
                continue
            verdict = pair.evidence.verdict(unit)
            witness = witness_of(verdict)
            if witness is not None:
                yield _found(pair, unit, f"{_what(kind, unit)}: {effect}", verdict, witness)

    return look


def _what(kind: str, unit: Unit) -> str:
    return "combinations of dtypes" if unit.id == DTYPE_ROW else _SAID[kind].format(name=_name(unit))


_NARROWER = (
    ("QD200", ATTR, "An attribute accepts fewer values"),
    ("QD201", PRESENCE, "An input must be passed or left out more often"),
    ("QD202", DTYPE, "An input has fewer dtypes"),
    ("QD203", SHAPE, "An input has fewer shapes"),
    ("QD204", SIZE, "A dim has fewer sizes"),
    ("QD205", CONSTRAINT, "A constraint rejects more calls"),
)
_WIDER = (
    ("QD210", ATTR, "An attribute accepts more values"),
    ("QD211", PRESENCE, "An input may be passed or left out more freely"),
    ("QD212", DTYPE, "An input has more dtypes"),
    ("QD213", SHAPE, "An input has more shapes"),
    ("QD214", SIZE, "A dim has more sizes"),
    ("QD215", CONSTRAINT, "A constraint rejects fewer calls"),
)
_SHOWN = "The call that is shown was run through both contracts."


def _judged() -> Iterator[Rule]:
    for code, kind, title in _NARROWER:
        reason = f"A call that was legal is rejected. {_SHOWN}"
        effect = "calls that were accepted are rejected"
        yield rule(code, Impact.CALLERS, title, reason)(_judging(kind, attrgetter("narrower"), effect))
    for code, kind, title in _WIDER:
        reason = f"More calls are legal, and those that were stay so. {_SHOWN}"
        effect = "calls that were rejected are accepted"
        yield rule(code, Impact.WIDENING, title, reason)(_judging(kind, attrgetter("wider"), effect))


@rule(
    "QD220",
    Impact.COMPATIBLE,
    "A rule is written in another way",
    "No call was found that the old and the new rule treat differently. Where it says `searched`, that is "
    "all that is known; where it says `proved`, there is none.",
)
def rewritten(pair: Pair) -> Iterator[Found]:
    """Groups whose text differs and whose meaning, as far as is known, does not."""
    for unit in _relevant(pair):
        verdict = pair.evidence.verdict(unit)
        if _is_judged(pair, verdict) and verdict.narrower is verdict.wider is None and unit.rewritten:
            message = f"{_what(family(unit), unit)}: no call is treated differently"
            yield _found(pair, unit, message, verdict, None)


def _is_judged(pair: Pair, verdict: Verdict) -> bool:
    """Whether there was anything to judge a rule by: a proof, or legal calls."""
    return verdict.basis is Basis.PROVED or not pair.evidence.blind


@rule(
    "QD225",
    Impact.CALLERS,
    "A rule changed, and there is no call to judge it by",
    "No legal call of the base was found, on some chip at least, so it is not known whether the rule rejects "
    "more. It counts as breaking until a proof or a look at the rule says otherwise.",
)
def unjudged(pair: Pair) -> Iterator[Found]:
    """Groups that no search could tell apart."""
    for unit in _relevant(pair):
        verdict = pair.evidence.verdict(unit)
        if not _is_judged(pair, verdict) and verdict.narrower is None:
            chips = ", ".join(pair.evidence.blind)
            message = (
                f"{_what(family(unit), unit)}: no legal call was found on {chips} to judge the change by"
            )
            yield _found(pair, unit, message, verdict, None)


@rule(
    "QD221",
    Impact.COMPATIBLE,
    "A rule is checked at another stage",
    "The same calls are rejected, at shape inference instead of at tiling or the other way round.",
)
def stage(pair: Pair) -> Iterator[Found]:
    """Whether shape inference checks it too."""
    old = {c.id: c.at_infer for c in pair.before.checks}
    for check in {c.id: c for c in pair.after.checks}.values():
        before = old.get(check.id)
        if before is None or before == check.at_infer:
            continue
        unit = Unit(check.id, check.kind, check.parameter, (), (check,), False)
        left, right = ("shape inference" if at else "tiling" for at in (before, check.at_infer))
        message = f"{check.id} is checked at {right}"
        yield Found(subject(unit), message, left, right, pair.old.name_span, check.span)


@rule(
    "QD222",
    Impact.COMPATIBLE,
    "A rule has another id",
    "The id stands in messages, documentation and expected results of call cases; what is legal does not "
    "change.",
)
def other_id(pair: Pair) -> Iterator[Found]:
    """Constraints and rules about data with another id and the same content."""
    spans = [("constraint", old.span, new.id, new.span) for old, new in pair.constraints.both]
    spans += [("rule about data", old.span, new.id, new.span) for old, new in pair.contents.both]
    for kind, before, id, after in spans:
        was = pair.old_name(kind, id)
        if was != id:
            yield Found(f"{kind} {id}", f"{was} is called {id}", was, id, before, after)


@rule(
    "QD223",
    Impact.COMPATIBLE,
    "Rules are checked in another order",
    "The same calls are rejected; host code reports the first rule that a call breaks, which may be "
    "another one.",
)
def order(pair: Pair) -> Iterator[Found]:
    """Constraints that moved."""
    for old, new in pair.constraints.moved:
        before = [c.id for c in pair.before.constraints].index(new.id) + 1
        after = [c.id for c in pair.after.constraints].index(new.id) + 1
        message = f"constraint {new.id} moved from place {before} to place {after}"
        yield Found(f"constraint {new.id}", message, str(before), str(after), old.span, new.span)


@rule(
    "QD224",
    Impact.COMPATIBLE,
    "A constraint blames another parameter",
    "The same calls are rejected; the message names another parameter.",
)
def blame(pair: Pair) -> Iterator[Found]:
    """The blamed parameter."""
    for old, new in pair.constraints.both:
        if old.blame != new.blame:
            message = f"constraint {new.id} blames {new.blame}"
            yield Found(f"constraint {new.id}", message, old.blame, new.blame, old.span, new.span)


RULES: tuple[Rule, ...] = (
    *_judged(),
    rewritten,
    stage,
    other_id,
    order,
    blame,
    unjudged,
)

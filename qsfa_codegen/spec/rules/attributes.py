"""Attributes: registered defaults against accepted values."""

from __future__ import annotations

import math

from qsfa_codegen.expr.floats import shortest, single_precision
from qsfa_codegen.expr.limits import INT64_MAX, INT64_MIN
from qsfa_codegen.expr.nodes import Kind, Ref, RefKind
from qsfa_codegen.spec.model import (
    Attr,
    AttrScalar,
    AttrType,
    AttrValue,
    Chip,
    Domain,
    NamedValue,
    Operator,
    Table,
    leaves,
)
from qsfa_codegen.spec.paths import at_chip
from qsfa_codegen.spec.rules.registry import WARNING, Report, rule
from qsfa_codegen.spec.rules.usage import used_names


def accepts(domain: Domain, value: AttrScalar) -> bool:
    """Whether a domain accepts a value."""
    if domain.values:
        held = _held(value)
        return any(_held(v.value) == held and type(v.value) is type(value) for v in domain.values)
    if not isinstance(value, int | float) or isinstance(value, bool):
        return True
    return (
        (not domain.finite or math.isfinite(value))
        and (domain.minimum is None or value >= domain.minimum)
        and (domain.maximum is None or value <= domain.maximum)
        and (domain.above is None or value > domain.above)
    )


def _held(value: AttrScalar) -> AttrScalar:
    """A value as an attribute holds it."""
    return single_precision(value) if isinstance(value, float) else value


def default_rejected(attr: Attr, chip: Chip) -> bool:
    """Whether a chip rejects the registered default of an attribute."""
    if attr.default is None or chip.id not in attr.chips:
        return False
    values = attr.default if isinstance(attr.default, tuple) else (attr.default,)
    if attr.lengths and isinstance(attr.default, tuple) and len(attr.default) not in attr.lengths:
        return True
    domain = None if attr.domain is None else at_chip(attr.domain, chip)
    return domain is not None and any(not isinstance(v, tuple) and not accepts(domain, v) for v in values)


@rule(
    "QS430",
    "The registered default is rejected and nobody says so",
    "A caller who leaves the attribute out gets the registered default and a rejected call. When that is on "
    "purpose the spec says so, and documentation warns.",
)
def unsaid_trap(operator: Operator, report: Report) -> None:
    """Every rejected default has a `default_trap` for the chips that reject it."""
    for attr in operator.attrs:
        said = attr.trap.chips if attr.trap is not None else ()
        missing = [c.id for c in operator.chips if default_rejected(attr, c) and c.id not in said]
        if missing:
            report(
                f"the default {show(attr.default)} of '{attr.name}' is not accepted on {', '.join(missing)}",
                attr.span,
                "accept it, register another default, or say `default_trap: {en: …, zh: …}`",
            )


@rule(
    "QS431",
    "A default trap is said where there is none",
    "The documentation would warn of a default that works.",
)
def false_trap(operator: Operator, report: Report) -> None:
    """`default_trap` only for chips that reject the default (a constraint may do so too)."""
    guarded = {c.parameter for c in operator.checks if c.when is not None or c.kind.value == "constraint"}
    for attr in operator.attrs:
        if attr.trap is None or attr.name in guarded:
            continue
        wrong = [c.id for c in operator.chips if c.id in attr.trap.chips and not default_rejected(attr, c)]
        if wrong:
            verb = "accepts" if len(wrong) == 1 else "accept"
            report(
                f"{', '.join(wrong)} {verb} the default {show(attr.default)} of '{attr.name}'",
                attr.trap.span,
                "remove `default_trap`, or limit it with `chips`",
            )


def show(value: AttrValue | None) -> str:
    """A value as the spec writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(show(v) for v in value)}]"
    return str(value)


@rule(
    "QS432",
    "An attribute that needs a default registers none",
    "A graph that leaves an optional attribute out takes its default, so there must be one. An attribute of "
    "some chips is registered on all of them: the others can be passed nothing but its default.",
)
def optional_default(operator: Operator, report: Report) -> None:
    """Optional attributes have a default, and those that some chips lack."""
    for attr in operator.attrs:
        if not attr.required and attr.default is None:
            report(
                f"optional attribute '{attr.name}' has no default",
                attr.span,
                "add `default`, or `required: true`",
            )
        elif attr.default is None and len(attr.chips) < len(operator.chips):
            others = ", ".join(chip.id for chip in operator.chips if chip.id not in attr.chips)
            report(
                f"'{attr.name}' has no default, which is all that {others} can be passed",
                attr.span,
                "add `default`, or remove `chips`",
            )


@rule(
    "QS433",
    "An accepted value or its name stands twice",
    "A repeated value is a slip of the pen; two names for one value cannot be told apart.",
)
def duplicate_values(operator: Operator, report: Report) -> None:
    """Values and names of a domain are distinct."""
    for attr in operator.attrs:
        for domain in _domains(attr):
            _report_duplicates(attr, domain.values, report)


def _domains(attr: Attr) -> list[Domain]:
    return [] if attr.domain is None else list(leaves(attr.domain))


def _report_duplicates(attr: Attr, values: tuple[NamedValue, ...], report: Report) -> None:
    plain = [_held(v.value) for v in values]
    repeated = next((v for i, v in enumerate(plain) if v in plain[:i]), None)
    if repeated is not None:
        shown = shortest(repeated) if isinstance(repeated, float) else repeated
        report(f"'{attr.name}' accepts {show(shown)} twice", attr.span, "remove one of them")


@rule(
    "QS434",
    "A value is not a label of the attribute's enum",
    "An attribute with an enum holds one of its labels.",
)
def enum_labels(operator: Operator, report: Report) -> None:
    """Accepted values and the default are labels."""
    enums = {e.name: [label.name for label in e.labels] for e in operator.enums}
    for attr in operator.attrs:
        if attr.enum is None:
            continue
        named = [v.value for domain in _domains(attr) for v in domain.values]
        for value in (*named, *(() if attr.default is None else (attr.default,))):
            if value not in enums[attr.enum]:
                known = ", ".join(enums[attr.enum])
                report(f"{attr.enum} has no label '{value}'", attr.span, f"its labels are {known}")


@rule(
    "QS435",
    "A domain accepts nothing",
    "Bounds that exclude each other, or an empty list, reject every call.",
)
def empty_domains(operator: Operator, report: Report) -> None:
    """Bounds leave at least one value."""
    for attr in operator.attrs:
        for domain in _domains(attr):
            if domain == Domain() or _crossed(domain):
                report(f"no value of '{attr.name}' is accepted", attr.span, "correct the bounds")


def _crossed(domain: Domain) -> bool:
    low, high, above = domain.minimum, domain.maximum, domain.above
    if high is None:
        return False
    return (low is not None and low > high) or (above is not None and above >= high)


@rule(
    "QS436",
    "Elements of a list of open length cannot be checked",
    "A domain on a list attribute is checked for each element; that needs a `length`.",
)
def list_domains(operator: Operator, report: Report) -> None:
    """A list attribute with a domain has lengths."""
    for attr in operator.attrs:
        is_list = attr.type.value.startswith("list")
        if is_list and attr.domain is not None and not attr.lengths:
            report(f"'{attr.name}' has accepted values but no `length`", attr.span, "add `length: n`")
        if not is_list and attr.lengths:
            report(f"'{attr.name}' is no list and has a `length`", attr.span, "remove `length`")


@rule(
    "QS437",
    "A number does not fit what an attribute can hold",
    "int attributes are 64-bit, float attributes 32-bit; infinity and NaN cannot be registered.",
)
def number_ranges(operator: Operator, report: Report) -> None:
    """Defaults and values are representable: not too large, and not so small that they would be 0."""
    for attr in operator.attrs:
        values: list[AttrValue] = [v.value for domain in _domains(attr) for v in domain.values]
        if attr.default is not None:
            values.append(attr.default)
        for value in values:
            if not _representable(value):
                report(f"{show(value)} does not fit type {attr.type.value}", attr.span)


def _representable(value: AttrValue) -> bool:
    if isinstance(value, tuple):
        return all(map(_representable, value))
    if isinstance(value, float):
        held = single_precision(value)
        return math.isfinite(held) and (held != 0) == (value != 0)
    return not isinstance(value, int) or INT64_MIN <= value <= INT64_MAX


@rule(
    "QS438",
    "Attribute values depend on something that is not a chip or an attribute",
    "Attributes are checked before inputs: their accepted values can only depend on what is known then.",
    WARNING,
)
def value_tables(operator: Operator, report: Report) -> None:
    """A table of values goes by chip, arch or an attribute."""
    for attr in operator.attrs:
        choice = attr.domain
        if isinstance(choice, Table):
            selector = choice.selector
            known = selector.type.kind in (Kind.CHIP, Kind.ARCH)
            if not known and not (isinstance(selector, Ref) and selector.kind is RefKind.ATTR):
                report(f"the values of '{attr.name}' go by something that is checked later", choice.span)


@rule(
    "QS439",
    "An attribute has a type that operators cannot have",
    "An operator definition registers lists of numbers and flags and lists of lists of integers, but no "
    "lists of strings; and host code has no view of a list of lists: it is handed on as it is.",
)
def registered_types(operator: Operator, report: Report) -> None:
    """No lists of strings; no rule, size or tiling value reads a list of lists."""
    read = {name for kind, name in used_names(operator) if kind is RefKind.ATTR}
    for attr in operator.attrs:
        if attr.type is AttrType.LIST_STR:
            report(f"'{attr.name}' is a list of strings", attr.span, "use a string, or integers with an enum")
        elif attr.type is AttrType.LIST_LIST_INT and attr.name in read:
            report(
                f"host code cannot read the list of lists '{attr.name}'",
                attr.span,
                "use `list_int`, or remove what is said of it: `length` or the rules that name it",
            )


RULES = (
    unsaid_trap,
    false_trap,
    optional_default,
    duplicate_values,
    enum_labels,
    empty_domains,
    list_domains,
    number_ranges,
    value_tables,
    registered_types,
)

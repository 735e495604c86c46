"""Names: they become identifiers in several languages and must stay apart there."""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator

from qsfa_codegen.diagnostics import Related, Span
from qsfa_codegen.spec import aclnn
from qsfa_codegen.spec.layout import structs
from qsfa_codegen.spec.model import Operator, TilingField
from qsfa_codegen.spec.names import camel, pascal, snake, words
from qsfa_codegen.spec.reserved import (
    ACLNN_RESERVED,
    C_FUNCTIONS,
    CPP_GLOBALS,
    CPP_KEYWORDS,
    CPP_MACROS,
    CPP_TYPES,
    GENERATED_PREFIXES,
    GENERATED_TYPES,
    SDK_CLASSES,
)
from qsfa_codegen.spec.rules.registry import Report, rule

_TAKEN = CPP_KEYWORDS | CPP_GLOBALS | CPP_TYPES | CPP_MACROS


def parameters(operator: Operator) -> Iterator[tuple[str, str, Span]]:
    """(kind, name, place) of every input, attribute and output."""
    for i in operator.inputs:
        yield "input", i.name, i.span
    for a in operator.attrs:
        yield "attribute", a.name, a.span
    for o in operator.outputs:
        yield "output", o.name, o.span


@rule(
    "QS400",
    "Two names become one after case conversion",
    "Parameters appear as camelCase variables and aclnn parameters, in snake_case files and CamelCase types. "
    "Two names that differ only in case or underscores would be one identifier there.",
)
def collisions(operator: Operator, report: Report) -> None:
    """Inputs and attributes share one scope, outputs another; dims and lets, those of tiling too, a third."""
    callers = [(n, s) for kind, n, s in parameters(operator) if kind != "output"]
    results = [(o.name, o.span) for o in operator.outputs]
    lets = (*operator.lets, *(() if operator.tiling is None else operator.tiling.lets))
    others = [*((d.name, d.span) for d in operator.dims), *((n.name, n.span) for n in lets)]
    for group in (callers, results, others):
        _report_collisions(group, report)


def _report_collisions(group: Iterable[tuple[str, Span]], report: Report) -> None:
    first: dict[tuple[str, ...], tuple[str, Span]] = {}
    for name, span in group:
        key = words(name)
        other, place = first.setdefault(key, (name, span))
        if place != span:
            report(
                f"'{name}' and '{other}' are both '{camel(name)}' in generated code",
                span,
                "rename one of them",
                (Related(place, f"'{other}' is here"),),
            )


@rule(
    "QS401",
    "A name is a keyword of C++ or Python, or taken by aclnn or the C library",
    "The name becomes an identifier in generated C++ and Python; a keyword, a parameter that every aclnn "
    "function already has, and for an operator with a generated kernel a function of the C library cannot be "
    "used: the kernel's entry is a C function with the operator's name in snake_case.",
)
def keywords(operator: Operator, report: Report) -> None:
    """Checks parameters, the operator, its torch names and kernel roles as generated code spells them."""
    for kind, name, span in parameters(operator):
        taken = _taken_in(name)
        if taken is not None:
            report(f"{kind} '{name}' {taken}", span, "choose another name")
    for kind, name, spelling, span in _cpp_names(operator):
        taken = _taken_in_cpp(spelling) or (None if kind == "role" else _taken_in_python(spelling))
        if taken is not None:
            report(f"{kind} '{name}' {taken}", span, "choose another name")
    if operator.name in SDK_CLASSES:
        report(f"the host SDK has a class '{operator.name}'", operator.name_span, "choose another name")
    if operator.kernel is not None and operator.snake in C_FUNCTIONS:
        message = f"the kernel of '{operator.name}' is '{operator.snake}', a function of the C library"
        report(message, operator.name_span, "choose another name, or leave `kernel` out and write it by hand")


def _cpp_names(operator: Operator) -> Iterator[tuple[str, str, str, Span]]:
    """(kind, name, spelling, place) of the names besides parameters that generated code declares."""
    yield "operator", operator.name, operator.snake, operator.name_span
    if operator.torch is not None:
        torch = operator.torch
        names = {torch.name: "name", torch.namespace: "namespace", torch.library: "library"}
        yield from ((f"torch {kind}", name, name, torch.span) for name, kind in names.items())
    if operator.kernel is not None:
        yield from (("role", role, camel(role), operator.kernel.span) for role, _ in operator.kernel.roles)


def _taken_in_cpp(spelling: str) -> str | None:
    if spelling in CPP_KEYWORDS:
        return f"is the C++ keyword '{spelling}'"
    if spelling in CPP_GLOBALS:
        return f"is '{spelling}' in generated C++, which has a meaning there already"
    return None


def _taken_in_python(spelling: str) -> str | None:
    return f"is the Python keyword '{spelling}'" if keyword.iskeyword(spelling) else None


def _taken_in(name: str) -> str | None:
    for spelling in (name, camel(name)):
        if spelling in CPP_KEYWORDS:
            return f"is the C++ keyword '{spelling}'"
        if spelling in CPP_MACROS:
            return f"is '{spelling}' in generated C++, which is a macro there"
        if python := _taken_in_python(spelling):
            return python
        if spelling in ACLNN_RESERVED:
            return f"is '{spelling}' in aclnn, which every aclnn function has already"
    return None


@rule(
    "QS402",
    "Two aclnn parameters have the same name",
    "aclnn adds suffixes: an optional input x is xOptional, an output x is xOut. Another parameter that "
    "is called so already collides with it.",
)
def aclnn_collisions(operator: Operator, report: Report) -> None:
    """Compares the full aclnn parameter list."""
    spans = {name: span for _, name, span in parameters(operator)}
    seen: dict[str, str] = {}
    for param in aclnn.signature(operator):
        other = seen.setdefault(param.name, param.source)
        if words(other) != words(param.source) and param.source in spans:
            report(
                f"'{param.source}' and '{other}' are both '{param.name}' in aclnn",
                spans[param.source],
                "rename one of them",
            )


@rule(
    "QS403",
    "The operator's name is not CamelCase",
    "The op type names classes, files and the aclnn functions; tools derive the snake_case name from it.",
)
def op_type(operator: Operator, report: Report) -> None:
    """The op type starts with a capital and survives conversion to snake_case."""
    name = operator.name
    if not name[:1].isupper() or "_" in name:
        report(f"'{name}' is not CamelCase", operator.name_span, f"write {pascal(name)}")
    elif snake(pascal(snake(name))) != snake(name):
        report(f"'{name}' has no unambiguous snake_case form", operator.name_span, "use plain words")


@rule(
    "QS404",
    "A constraint id is used twice or reserved",
    "Ids stand in error messages, tests and documentation. Rules at a parameter own the ids "
    "<attribute>_value, <input>_presence, _dtype, _rank, _shape and <dim>_value.",
)
def rule_ids(operator: Operator, report: Report) -> None:
    """Ids of constraints and content rules are unique and not reserved."""
    own = [(c.id, c.span) for c in operator.constraints]
    reserved = {c.id for c in operator.checks if (c.id, c.span) not in own}
    first: dict[str, Span] = {}
    for id, span in (*own, *((c.id, c.span) for c in operator.contents)):
        place = first.setdefault(id, span)
        if place != span:
            related = (Related(place, "first used here"),)
            report(f"the id '{id}' is used twice", span, "give each rule its own id", related)
        if id in reserved:
            report(f"the id '{id}' belongs to a rule at a parameter", span, "choose another id")


@rule(
    "QS405",
    "Two labels of an enum have one code",
    "Attributes, tiling fields and key arguments share the codes; two labels with one code are one.",
)
def enum_codes(operator: Operator, report: Report) -> None:
    """Codes are distinct; the schema bounds them."""
    for enum in operator.enums:
        first: dict[int, tuple[str, Span]] = {}
        for label in enum.labels:
            other, place = first.setdefault(label.code, (label.name, label.span))
            if place != label.span:
                report(
                    f"'{label.name}' and '{other}' of {enum.name} both have code {label.code}",
                    label.span,
                    "give each label its own code",
                    (Related(place, f"'{other}' is here"),),
                )


@rule(
    "QS406",
    "A tiling struct or field name collides or is a keyword",
    "Structs and fields are C++ names shared by host and kernel.",
)
def struct_names(operator: Operator, report: Report) -> None:
    """Struct types are distinct; so are the members of one struct; none is a keyword."""
    if operator.tiling is None or operator.tiling.data is None:
        return
    types: dict[str, Span] = {}
    for struct in structs(operator.tiling.data.root):
        _distinct(types, struct.type_name, struct.span, "struct", report)
        members: dict[str, Span] = {}
        for member in struct.members:
            span = member.span if isinstance(member, TilingField) else member.struct.span
            _distinct(members, member.name, span, "member", report)


@rule(
    "QS407",
    "A name is taken by generated code",
    "Enums become types and consts constants of generated C++, which has some of its own.",
)
def generated_names(operator: Operator, report: Report) -> None:
    """Enums, labels and consts stay clear of what every generated file may have."""
    for enum in operator.enums:
        if enum.name in GENERATED_TYPES or enum.name in _TAKEN - CPP_MACROS:
            report(f"generated code has a type '{enum.name}' of its own", enum.span, "rename the enum")
        for name, span in ((enum.name, enum.span), *((label.name, label.span) for label in enum.labels)):
            if name in CPP_MACROS:
                report(f"'{name}' is a macro in generated code", span, "choose another name")
    for const in operator.consts:
        if const.name.startswith(GENERATED_PREFIXES) or const.name in _TAKEN:
            report(f"generated code has constants like '{const.name}' of its own", const.span, "rename it")


def _distinct(seen: dict[str, Span], name: str, span: Span, kind: str, report: Report) -> None:
    place = seen.setdefault(name, span)
    if place != span:
        related = (Related(place, "first used here"),)
        report(f"there are two {kind}s called '{name}'", span, "rename one of them", related)
    if name in CPP_KEYWORDS:
        report(f"{kind} '{name}' is a C++ keyword", span, "choose another name")
    if name in CPP_MACROS:
        report(f"{kind} '{name}' is a C++ macro", span, "choose another name")


RULES = (collisions, keywords, aclnn_collisions, op_type, rule_ids, enum_codes, struct_names, generated_names)

"""Documentation: complete, and about things that exist."""

from __future__ import annotations

import re
from collections.abc import Iterator

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import (
    Attr,
    Const,
    Constraint,
    ContentRule,
    Dim,
    Input,
    Let,
    NamedValue,
    Operator,
    Output,
    Record,
    Text,
    leaves,
)
from qsfa_codegen.spec.rules.registry import WARNING, Report, rule

_QUOTED = re.compile(r"`([^`]+)`")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LANGUAGE_WORDS = frozenset({"None", "True", "False", "true", "false", "NaN", "inf", "nullptr"})


@rule(
    "QS500",
    "A parameter has no documentation",
    "Every table of the operator's page has a description for each parameter.",
    WARNING,
)
def undocumented(operator: Operator, report: Report) -> None:
    """Inputs, attributes, outputs and dims have a `doc`."""
    described: tuple[Input | Attr | Output | Dim, ...] = (
        *operator.inputs,
        *operator.attrs,
        *operator.outputs,
        *operator.dims,
    )
    for thing in described:
        if thing.doc is None:
            report(f"'{thing.name}' has no documentation", thing.span, "add `doc: {en: …, zh: …}`")


Documented = Input | Attr | Output | Dim | Const | Let | Record | Constraint | ContentRule


def documented(operator: Operator) -> Iterator[tuple[Text, Span]]:
    """Every text of a spec with a place."""
    things: tuple[Documented, ...] = (
        *operator.inputs,
        *operator.attrs,
        *operator.outputs,
        *operator.dims,
        *operator.consts,
        *operator.lets,
        *operator.records,
        *operator.constraints,
        *operator.contents,
    )
    for thing in things:
        if thing.doc is not None:
            yield thing.doc, thing.span
    for constraint in operator.constraints:
        if constraint.message is not None:
            yield constraint.message, constraint.span
    for attr in operator.attrs:
        if attr.trap is not None:
            yield attr.trap.doc, attr.trap.span
    yield from ((note, operator.name_span) for note in operator.notes)


def known_names(operator: Operator) -> frozenset[str]:
    """Identifiers that a text may cite in backticks."""
    groups = (
        operator.inputs,
        operator.attrs,
        operator.outputs,
        operator.dims,
        operator.rests,
        operator.consts,
        operator.lets,
        operator.records,
        operator.enums,
    )
    names = {thing.name for group in groups for thing in group}
    names |= {d.doc_name for d in operator.dims}
    names |= {label.name for enum in operator.enums for label in enum.labels}
    names |= {field.name for record in operator.records for field in record.fields}
    names |= {v.name for a in operator.attrs for v in _named_values(operator, a.name) if v.name}
    names |= {c.id for c in operator.constraints} | {c.id for c in operator.contents}
    names |= {c.id for c in operator.chips} | {operator.name, operator.snake, operator.aclnn.name}
    names |= set(operator.dtypes.columns) | _LANGUAGE_WORDS
    if operator.torch is not None:
        names.add(operator.torch.name)
    return frozenset(names)


def _named_values(operator: Operator, name: str) -> list[NamedValue]:
    attr = operator.find(Attr, name)
    return [] if attr.domain is None else [v for d in leaves(attr.domain) for v in d.values]


def cited(text: str) -> tuple[str, ...]:
    """Single identifiers in backticks; longer snippets of code are left alone."""
    return tuple(code for code in _QUOTED.findall(text) if _NAME.fullmatch(code))


@rule(
    "QS501",
    "Documentation cites a name that does not exist",
    "A name in backticks is a promise that the reader finds it; after a rename the text must follow.",
)
def citations(operator: Operator, report: Report) -> None:
    """Identifiers in backticks are names of the operator."""
    names = known_names(operator)
    for text, span in documented(operator):
        for name in dict.fromkeys((*cited(text.en), *cited(text.zh))):
            if name not in names and name not in DTYPES:
                report(
                    f"the text cites `{name}`, which does not exist",
                    span,
                    "correct it, or drop the backticks",
                )


@rule(
    "QS502",
    "The languages cite different names",
    "English and Chinese say the same; a name in one and not in the other is a missed translation.",
)
def translations(operator: Operator, report: Report) -> None:
    """Both languages cite the same identifiers."""
    for text, span in documented(operator):
        if text.en and text.zh and set(cited(text.en)) != set(cited(text.zh)):
            only_en = sorted(set(cited(text.en)) - set(cited(text.zh)))
            only_zh = sorted(set(cited(text.zh)) - set(cited(text.en)))
            parts = [f"en cites {', '.join(only_en)}"] if only_en else []
            parts += [f"zh cites {', '.join(only_zh)}"] if only_zh else []
            report("; ".join(parts) + " alone", span, "cite the same names in both")


RULES = (undocumented, citations, translations)

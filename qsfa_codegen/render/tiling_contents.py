"""Rules about tensor data in a tiling function: checked where the data is on the host."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from qsfa_codegen.expr.build import all_of, literal
from qsfa_codegen.expr.cpp_text import OR
from qsfa_codegen.expr.nodes import Expr, ParamQuery, Query
from qsfa_codegen.expr.rewrite import bottom_up
from qsfa_codegen.expr.specialize import negate, simplify
from qsfa_codegen.render.cpp import ge_dtype, variable
from qsfa_codegen.render.host_checks import SCREEN, CheckText, Group
from qsfa_codegen.render.host_text import condition
from qsfa_codegen.render.text import INDENT, broken, call_with_format
from qsfa_codegen.spec.columns import all_dtypes
from qsfa_codegen.spec.contents import content_text, tiling_contents
from qsfa_codegen.spec.model import CheckKind

if TYPE_CHECKING:
    from qsfa_codegen.render.host_text import HostText
    from qsfa_codegen.spec.contents import TilingContent
    from qsfa_codegen.spec.model import Operator

FUNCTIONS = {
    "all_between": "AllBetween",
    "non_decreasing": "NonDecreasing",
    "padded_with": "PaddedWith",
}
"""Helper functions of the generated code by the function of the language."""


def data_inputs(operator: Operator) -> frozenset[str]:
    """Inputs whose data is looked at."""
    return frozenset(name for content in tiling_contents(operator) for name in content.inputs)


def element_types(operator: Operator) -> list[tuple[str, str]]:
    """Dtype and C++ type of the elements that are looked at, each once."""
    names = data_inputs(operator)
    dtypes = (name for i in operator.inputs if i.name in names for name in all_dtypes(operator, i.dtype))
    return [(ge_dtype(name), "bool" if name == "bool" else f"{name}_t") for name in dict.fromkeys(dtypes)]


def content_groups(operator: Operator, text: HostText) -> list[Group]:
    """The rules as functions of about a screen."""
    contents = tiling_contents(operator)
    parts = [contents[start : start + SCREEN] for start in range(0, len(contents), SCREEN)]
    return [_group(operator, text, number, part) for number, part in enumerate(parts, 1)]


def _group(operator: Operator, text: HostText, number: int, part: Sequence[TilingContent]) -> Group:
    found = [_check(operator, text, content) for content in part]
    name = "CheckContents" if number == 1 else f"CheckContents{number}"
    return Group(name, CheckKind.CONSTRAINT, tuple(c for c, _ in found), any(f for _, f in found))


def _check(operator: Operator, text: HostText, content: TilingContent) -> tuple[CheckText, bool]:
    rule = content.rule
    parts = [f"inputs_.{variable(name)}.data != nullptr" for name in content.inputs]
    when = None if rule.when is None else text.cpp(_passed(rule.when, content.inputs))
    bad = negate(content.require)
    if rule.when is not None and when is not None and when.checked:
        bad = all_of([_passed(rule.when, content.inputs), bad], rule.span) or bad
    elif when is not None and when.text != "true":
        parts.append(_operand(when.text, when.precedence))
    cpp = text.cpp(bad)
    parts.append(_operand(condition(cpp), OR if cpp.checked else cpp.precedence))
    said = f"{content.inputs[0]}: {content_text(operator, rule)} [{rule.id}]".replace("%", "%%")
    reject = call_with_format("return Reject(", said, [], 2 * INDENT)
    return CheckText(rule.id, broken("if (", " && ".join(parts), ") {", INDENT), reject, None), cpp.checked


def _operand(text: str, precedence: int) -> str:
    return text if precedence > OR else f"({text})"


def _passed(expr: Expr, names: Sequence[str]) -> Expr:
    """``expr`` where these inputs are passed, as those are whose data is there."""

    def known(node: Expr) -> Expr:
        if isinstance(node, ParamQuery) and node.query is Query.PRESENT and node.param in names:
            return literal(True, node.span)
        return node

    return simplify(bottom_up(expr, known))

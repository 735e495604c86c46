"""What is left of an expression on one chip, and what an expression depends on."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Set as AbstractSet

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen.expr.constants import FOLDABLE_CALLS, const_int
from qsfa_codegen.expr.functions import FUNCTIONS, Arg
from qsfa_codegen.expr.memo import once_a_tree
from qsfa_codegen.expr.nodes import (
    ARCH,
    BOOL,
    CHIP,
    INT,
    Arith,
    Call,
    Compare,
    Conditional,
    Contains,
    Expr,
    Literal,
    Logic,
    Negate,
    Not,
    ParamQuery,
    Query,
    Ref,
    RefKind,
    Select,
    children,
    refs,
    walk,
)
from qsfa_codegen.expr.rewrite import bottom_up, negate, substitute

__all__ = [
    "Dependencies",
    "depends_on",
    "negate",
    "params",
    "refs",
    "simplify",
    "specialize",
    "substitute",
]


def specialize(expr: Expr, chip: str, arch: str) -> Expr:
    """``expr`` where the chip is ``chip``, of architecture ``arch``.

    It has the same value as ``expr`` on every call there, and fails where ``expr`` fails.
    """

    def change(node: Expr) -> Expr:
        if isinstance(node, Ref) and node.kind is RefKind.CHIP:
            return Literal(CHIP, node.span, chip)
        if isinstance(node, Ref) and node.kind is RefKind.ARCH:
            return Literal(ARCH, node.span, arch)
        return _simpler(node)

    named = any(kind in (RefKind.CHIP, RefKind.ARCH) for kind, _ in refs(expr))
    return bottom_up(expr, change) if named else simplify(expr)


@once_a_tree
def simplify(expr: Expr) -> Expr:
    """``expr`` with constants folded and branches that cannot be taken removed."""
    return bottom_up(expr, _simpler)


def _simpler(expr: Expr) -> Expr:
    """One node whose children are as simple as they get."""
    match expr:
        case Negate() | Arith() if expr.type == INT:
            return _arithmetic(expr)
        case Call(function=function) if expr.type == INT and function in FOLDABLE_CALLS:
            return _arithmetic(expr)
        case Not(operand=Literal() | Not() as operand):
            return negate(operand)
        case Compare(op=op, left=Literal() as left, right=Literal() as right):
            return Literal(BOOL, expr.span, _compared(op, left.value, right.value))
        case Contains():
            return _contained(expr)
        case Logic():
            return _logic(expr)
        case Conditional(test=Literal(value=value), then=then, otherwise=otherwise):
            return then if value else otherwise
        case Select(selector=Literal() as selector):
            return _selected(expr, selector)
    return expr


def _arithmetic(expr: Expr) -> Expr:
    value = const_int(expr)
    if value is not None:
        return Literal(INT, expr.span, value)
    if not isinstance(expr, Arith):
        return expr
    left, right = const_int(expr.left), const_int(expr.right)
    if (expr.op in ("+", "-") and right == 0) or (expr.op in ("*", "//") and right == 1):
        return expr.left
    if (expr.op == "+" and left == 0) or (expr.op == "*" and left == 1):
        return expr.right
    return expr


def _compared(op: str, a: int | float | str, b: int | float | str) -> bool:
    if isinstance(a, str) or isinstance(b, str) or op in ("==", "!="):
        return (a == b) is (op == "==")
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[op]


def _contained(expr: Contains) -> Expr:
    values = [option.value for option in expr.options if isinstance(option, Literal)]
    if len(values) < len(expr.options):
        return expr
    if isinstance(expr.item, Literal):
        return Literal(BOOL, expr.span, (expr.item.value in values) is not expr.negated)
    if expr.item.type == BOOL and {True, False} <= set(values) and _is_total(expr.item):
        return Literal(BOOL, expr.span, not expr.negated)
    return expr


def _logic(expr: Logic) -> Expr:
    decisive = expr.op == "or"
    kept: list[Expr] = []
    for operand in expr.operands:
        inner = operand.operands if isinstance(operand, Logic) and operand.op == expr.op else (operand,)
        kept.extend(part for part in inner if not (isinstance(part, Literal) and part.value is not decisive))
    constant = next((i for i, operand in enumerate(kept) if isinstance(operand, Literal)), None)
    if constant is not None:
        # What stands behind it is never evaluated; what stands before it is, and may fail.
        total = all(_is_total(operand) for operand in kept[:constant])
        kept = kept[constant if total else 0 : constant + 1]
    if len(kept) < 2:
        return kept[0] if kept else Literal(BOOL, expr.span, not decisive)
    return replace(expr, operands=tuple(kept))


def _is_total(expr: Expr) -> bool:
    """Whether evaluating ``expr`` cannot fail on any call."""
    match expr:
        case Literal():
            return True
        case Ref(kind=kind):
            return kind in (RefKind.CONST, RefKind.ATTR, RefKind.CHIP, RefKind.ARCH, RefKind.PLATFORM)
        case ParamQuery(query=query):
            return query is Query.PRESENT
        case Not() | Compare() | Contains() | Logic() | Conditional():
            return all(_is_total(child) for child in children(expr))
    return False


def _selected(expr: Select, selector: Literal) -> Expr:
    label = selector.value
    if isinstance(label, bool):
        label = "true" if label else "false"
    # Without such a case the value does not exist: evaluating the table says so.
    return next((value for case, value in expr.cases if case == label), expr.otherwise) or expr


@once_a_tree
def params(expr: Expr) -> AbstractSet[str]:
    """The inputs that ``expr`` asks about itself, in the order of ``nodes.walk``."""
    return dict.fromkeys(name for node in walk(expr) for name in _params_of(node)).keys()


def _params_of(node: Expr) -> tuple[str, ...]:
    if isinstance(node, ParamQuery):
        return (node.param,)
    if isinstance(node, Call) and node.function in FUNCTIONS and node.args:
        takes_input = FUNCTIONS[node.function].args[0] is Arg.PARAM
        name = node.args[0]
        return (str(name.value),) if takes_input and isinstance(name, Literal) else ()
    return ()


class Dependencies(Struct, frozen=True):
    """Names and inputs that an expression needs, those of its definitions included."""

    refs: AbstractSet[tuple[RefKind, str]]
    params: AbstractSet[str]


def depends_on(expr: Expr, expand: Callable[[RefKind, str], Expr | None]) -> Dependencies:
    """Everything that ``expr`` needs; ``expand`` gives the definition of a name, None for a given one."""
    found_refs: dict[tuple[RefKind, str], None] = {}
    found_params: dict[str, None] = {}
    pending: list[Expr] = [expr]
    for tree in pending:
        found_params.update(dict.fromkeys(params(tree)))
        for ref in refs(tree):
            if ref not in found_refs:
                found_refs[ref] = None
                definition = expand(*ref)
                if definition is not None:
                    pending.append(definition)
    return Dependencies(found_refs.keys(), found_params.keys())

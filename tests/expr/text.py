"""Trees written as the text of a spec, every operand in parentheses."""

from __future__ import annotations

from qsfa_codegen.expr.nodes import (
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
    Ref,
    Subscript,
)


def text_of(expr: Expr) -> str:
    """The text of ``expr``, which holds no table."""
    match expr:
        case Literal(value=value):
            return str(value)
        case Ref(name=name):
            return name
        case ParamQuery(query=query, param=param, axis=axis):
            return f"{query.value}({param}{'' if axis is None else f', {axis}'})"
        case Subscript(base=base, index=index):
            return f"{text_of(base)}[{index}]"
        case Negate(operand=operand):
            return f"-({text_of(operand)})"
        case Not(operand=operand):
            return f"not ({text_of(operand)})"
        case Arith(op=op, left=left, right=right) | Compare(op=op, left=left, right=right):
            return f"({text_of(left)}) {op} ({text_of(right)})"
        case Contains(item=item, options=options, negated=negated):
            listed = ", ".join(f"({text_of(option)})" for option in options)
            return f"({text_of(item)}) {'not in' if negated else 'in'} ({listed},)"
        case Logic(op=op, operands=operands):
            return f" {op} ".join(f"({text_of(operand)})" for operand in operands)
        case Conditional(test=test, then=then, otherwise=otherwise):
            return f"({text_of(then)}) if ({text_of(test)}) else ({text_of(otherwise)})"
        case Call(function=function, args=args):
            return f"{function}({', '.join(text_of(arg) for arg in args)})"
    raise AssertionError(expr)

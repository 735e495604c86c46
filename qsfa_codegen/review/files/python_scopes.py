"""The part of a Python module that a line belongs to."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence


def python_scopes(lines: Sequence[str]) -> Callable[[int], str]:
    """What each line belongs to: a function, class or constant; empty in what is no Python."""
    names = [""] * (len(lines) + 1)
    try:
        module = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError):
        return lambda _: ""
    for node, name in _named(module, ()):
        first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
        for number in range(first, (node.end_lineno or first) + 1):
            names[number] = name
    return lambda number: names[number] if 0 < number < len(names) else ""


def _named(node: ast.Module | ast.ClassDef, classes: tuple[str, ...]) -> Iterator[tuple[ast.stmt, str]]:
    """Everything with a name below ``node``, what is around before what is inside."""
    for child in node.body:
        if isinstance(child, ast.ClassDef):
            yield child, f"class {'.'.join((*classes, child.name))}"
            yield from _named(child, (*classes, child.name))
        elif isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            yield child, f"{'.'.join((*classes, child.name))}()"
        elif isinstance(child, ast.Assign | ast.AnnAssign) and not classes:
            target = child.targets[0] if isinstance(child, ast.Assign) else child.target
            if isinstance(target, ast.Name):
                yield child, f"constant {target.id}"

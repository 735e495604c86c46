"""Text of the spec → typed expression. The one entry to the language's front end."""

from __future__ import annotations

from qsfa_codegen.diagnostics import Sink, Span
from qsfa_codegen.expr.constants import const_int
from qsfa_codegen.expr.nodes import Expr, Type
from qsfa_codegen.expr.scope import Scope
from qsfa_codegen.expr.source import Source
from qsfa_codegen.expr.syntax import read
from qsfa_codegen.expr.typed import Typer

__all__ = ["const_int", "parse"]


def parse(text: str, span: Span, scope: Scope, sink: Sink, want: Type | None = None) -> Expr | None:
    """The typed tree of ``text``; None after at least one error in ``sink``.

    ``span`` is where the text stands in the file. ``want`` is the type that the place needs: a bool
    where int64 is wanted becomes 1 or 0, a label may stand bare where its enum is wanted.
    """
    source = Source(text, span)
    tree = read(source, sink)
    return None if tree is None else Typer(scope, sink, source).value(tree, want)

"""Sizes in the Python contract: how they are read from inputs, and those of outputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.build import TRUE, is_case, strip
from qsfa_codegen.expr.nodes import BOOL, Expr, Ref, RefKind, Select
from qsfa_codegen.render.python_text import statement
from qsfa_codegen.render.shape_text import Choice, merged_cases, shape_exprs, shape_key, size_expr
from qsfa_codegen.render.text import INDENT
from qsfa_codegen.spec.model import Attr, RestItem, Shape, Table
from qsfa_codegen.spec.names import snake
from qsfa_codegen.spec.paths import accepted_labels

if TYPE_CHECKING:
    from qsfa_codegen.render.python_names import PythonNames
    from qsfa_codegen.spec.model import Dim, Operator, Output


class BranchText(Struct, frozen=True):
    """Assignments of one case of the layout; ``head`` is empty for what is read in every case."""

    head: str
    assignments: tuple[str, ...]


class ShapeText(Struct, frozen=True):
    """The function that gives the sizes of the outputs named in ``names``."""

    function: str
    args: str
    names: str
    lines: tuple[str, ...]


class SizeText:
    """Spells the sizes of an operator, and of those of its outputs that a call allocates."""

    def __init__(self, operator: Operator, names: PythonNames, outputs: Sequence[Output]) -> None:
        self._operator = operator
        self._names = names
        self._outputs = outputs

    def branches(self, used: Set[str]) -> list[BranchText]:
        """How the dims in ``used`` are read, case by case."""
        always: list[str] = []
        tables: dict[object, tuple[Expr, dict[str, list[str]]]] = {}
        for dim in self._operator.dims:
            if dim.name not in used:
                continue
            value = dim.value
            if isinstance(value, Select) and value.otherwise is None:
                _, by_label = tables.setdefault(strip(value.selector), (value.selector, {}))
                for label, size in value.cases:
                    by_label.setdefault(label, []).append(self._assignment(dim, size, 2 * INDENT))
            else:
                always.append(self._assignment(dim, value, INDENT))
        first = [BranchText("", tuple(always))] if always else []
        return [*first, *(b for s, labels in tables.values() for b in self._cases(s, labels))]

    def _assignment(self, dim: Dim, size: Expr, indent: int) -> str:
        return statement(f"dims.{snake(dim.name)} = ", self._names.text(size), "", indent)

    def _cases(self, selector: Expr, by_label: dict[str, list[str]]) -> Iterator[BranchText]:
        total = self._labels(selector)
        complete = total is not None and total <= set(by_label) and len(by_label) > 1
        for number, (label, assignments) in enumerate(by_label.items()):
            test = self._names.text(is_case(selector, (label,), False, selector.span))
            head = statement("elif " if number else "if ", test, ":")
            if complete and number == len(by_label) - 1:
                head = "else:"
            yield BranchText(head, tuple(assignments))

    def _labels(self, selector: Expr) -> frozenset[str] | None:
        """Every value that the selector can have once the attributes are checked."""
        if selector.type == BOOL:
            return frozenset((TRUE, "false"))
        if isinstance(selector, Ref) and selector.kind is RefKind.ATTR:
            return accepted_labels(self._operator.find(Attr, selector.name))
        return None

    def args(self, output: Output) -> str:
        """What the function of an output's sizes takes."""
        return "call, dims" if self._names.reads_dims(*shape_exprs(output.shape)) else "call"

    def function(self, output: Output) -> str:
        """The function of an output's sizes."""
        first = next(o for o in self._outputs if shape_key(o.shape) == shape_key(output.shape))
        return f"_{snake(first.name)}_shape"

    def shapes(self) -> list[ShapeText]:
        """The functions of sizes; outputs with the same sizes share one."""
        same: dict[str, list[Output]] = {}
        for output in self._outputs:
            same.setdefault(self.function(output), []).append(output)
        return [
            ShapeText(
                name,
                self.args(found[0]),
                " and ".join(o.name for o in found),
                tuple(self._shape_lines(found[0].shape, INDENT)),
            )
            for name, found in same.items()
        ]

    def _shape_lines(self, choice: Choice, indent: int) -> Iterator[str]:
        if not isinstance(choice, Table):
            yield " " * indent + self._sizes(choice, indent)
            return
        branches = list(merged_cases(choice))
        for labels, value in branches[:-1]:
            test = self._names.text(is_case(choice.selector, labels, False, choice.span))
            yield " " * indent + statement("if ", test, ":", indent)
            yield from self._shape_lines(value, indent + INDENT)
        yield from self._shape_lines(branches[-1][1], indent)

    def _sizes(self, shape: Shape, indent: int) -> str:
        items: list[str] = []
        for item in shape.items:
            if not isinstance(item, RestItem):
                items.append(self._names.text(size_expr(item)))
                continue
            run = self._names.ref(RefKind.REST, item.name)
            items.append(f"*[1] * len({run})" if item.ones else f"*{run}")
        return statement("return ", f"[{', '.join(items)}]", "", indent)

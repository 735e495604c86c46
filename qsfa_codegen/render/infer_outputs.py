"""The functions of shape inference that set output shapes, and those that observe dims and runs of axes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.expr.build import is_case, literal, strip
from qsfa_codegen.expr.nodes import (
    DIMS,
    INT,
    Conditional,
    Expr,
    Literal,
    ParamQuery,
    Query,
    Ref,
    RefKind,
)
from qsfa_codegen.render.cpp import output_index, variable
from qsfa_codegen.render.infer_text import ARITH, local
from qsfa_codegen.render.text import INDENT, broken, cpp_format_string
from qsfa_codegen.render.unknowns import FALSE, TRUE, Condition, Test, broken_condition, line, some
from qsfa_codegen.spec.model import Output, RestItem, Shape, Table
from qsfa_codegen.spec.names import pascal

if TYPE_CHECKING:
    from qsfa_codegen.render.infer_text import InferText
    from qsfa_codegen.spec.model import Dim, Operator, Rest, ShapeItem


class Setter(Struct, frozen=True):
    """A function that sets the shape of the first of all outputs that have the same one."""

    name: str
    outputs: tuple[Output, ...]
    lines: tuple[str, ...]

    @property
    def uses_call(self) -> bool:
        """Whether the shape depends on the call at all."""
        return any("call" in line for line in self.lines)

    @property
    def call(self) -> str:
        """The call that sets the shape of the first output."""
        return f"{self.name}(call, {_shape_of(self.outputs[0])})"

    @property
    def copies(self) -> list[str]:
        """Statements that give the other outputs the same shape."""
        first, *others = self.outputs
        return [f"*{_shape_of(other)} = *{_shape_of(first)};" for other in others]


def _shape_of(output: Output) -> str:
    return f"outputs[{output_index(output)}]"


def setters(operator: Operator, text: InferText) -> list[Setter]:
    """Functions for every output, in output order."""
    groups: dict[object, list[Output]] = {}
    for output in operator.outputs:
        groups.setdefault(_key(output.shape), []).append(output)
    return [
        Setter(f"Set{pascal(same[0].name)}Shape", tuple(same), tuple(_SetterBody(text, same[0]).lines()))
        for same in groups.values()
    ]


def _key(choice: Shape | Table[Shape]) -> object:
    if isinstance(choice, Table):
        other = None if choice.otherwise is None else _key(choice.otherwise)
        return (strip(choice.selector), tuple((label, _key(value)) for label, value in choice.cases), other)
    return choice.like or tuple(_item_key(item) for item in choice.items)


def _item_key(item: ShapeItem) -> object:
    if isinstance(item, RestItem):
        return (item.name, item.ones)
    return (item.dim, None if item.size is None else strip(item.size))


# --------------------------------------------------------------------------- trees of shapes


class _Leaf(Struct, frozen=True):
    """A shape; ``unknown`` says when its rank is not known, ``computed`` are its sizes that need work."""

    shape: Shape
    unknown: Condition
    computed: tuple[tuple[object, Expr], ...]


class _Fork(Struct, frozen=True):
    test: Expr
    then: _Tree
    otherwise: _Tree


_Tree = _Leaf | _Fork


def _leaves(tree: _Tree) -> Iterator[_Leaf]:
    if isinstance(tree, _Leaf):
        yield tree
    else:
        yield from _leaves(tree.then)
        yield from _leaves(tree.otherwise)


class _SetterBody:
    """Writes one setter: what all branches below a point share is written at that point."""

    def __init__(self, text: InferText, output: Output) -> None:
        self._text = text
        self._output = output
        self._locals: dict[object, str] = {}
        # Sizes that are worked out stand beside the dims.
        self._names: dict[str, int] = {local(dim.name): 1 for dim in text.operator.dims}
        self._can_fail = False

    def lines(self) -> list[str]:
        with self._text.function():
            body = self._branch(self._tree(self._output.shape), [], INDENT)
        return [f"    Arith {ARITH};", *body] if f"{ARITH}." in "".join(body) else body

    def _tree(self, choice: Shape | Table[Shape]) -> _Tree:
        if not isinstance(choice, Table):
            return self._leaf(choice)
        groups: dict[object, tuple[list[str], Shape | Table[Shape]]] = {}
        for label, value in choice.cases:
            groups.setdefault(_key(value), ([], value))[0].append(label)
        if choice.otherwise is not None:
            groups.pop(_key(choice.otherwise), None)
            last = self._tree(choice.otherwise)
        else:
            last = self._tree(groups.popitem()[1][1])
        for labels, value in reversed(groups.values()):
            test = self._text.prepared(is_case(choice.selector, labels, False, choice.span))
            last = _Fork(test, self._tree(value), last)
        return last

    def _leaf(self, shape: Shape) -> _Leaf:
        if shape.like is not None:
            return _Leaf(shape, FALSE, ())
        exprs = [self._text.prepared(expr) for expr in map(_item_expr, shape.items)]
        unknown = self._text.in_order(some(self._text.rank_unknown(expr) for expr in exprs))
        computed = tuple((strip(e), e) for e in exprs if not isinstance(e, Ref) and not _is_constant(e))
        return _Leaf(shape, unknown, computed)

    def _branch(self, tree: _Tree, asked: Sequence[Condition], indent: int) -> list[str]:
        lines = self._shared(tree, asked, indent)
        asked = [*asked, *{leaf.unknown for leaf in _leaves(tree)}] if lines else asked
        if isinstance(tree, _Leaf):
            return [*lines, *self._set(tree, indent)]
        test = self._text.three_valued.is_true(tree.test)
        lines += self._declared(indent)
        head = broken_condition("if (", test, ") {", indent)
        with self._text.block():
            known = dict(self._locals)
            inside = self._branch(tree.then, asked, indent + INDENT)
            self._locals = known
        lines += [" " * indent + head, *inside, " " * indent + "}"]
        lines += self._undecided(tree.test, indent)
        return lines + self._branch(tree.otherwise, asked, indent)

    def _undecided(self, test: Expr, indent: int) -> list[str]:
        """A shape whose case is not known has no known rank either."""
        if self._text.known(test) == TRUE:
            return []
        no = self._text.three_valued.is_false(test)
        return self._return_unknown(Test(f"!({line(no)})"), indent)

    def _shared(self, tree: _Tree, asked: Sequence[Condition], indent: int) -> list[str]:
        """The question for unknown ranks and the sizes that every branch of ``tree`` needs."""
        leaves = list(_leaves(tree))
        unknown = leaves[0].unknown
        if any(leaf.unknown != unknown for leaf in leaves):
            return []
        lines: list[str] = []
        if unknown != FALSE and unknown not in asked:
            lines += self._return_unknown(unknown, indent)
        keys = [{key for key, _ in leaf.computed} for leaf in leaves]
        for key, expr in leaves[0].computed:
            if key not in self._locals and all(key in other for other in keys):
                lines += self._compute(key, expr, leaves[0].shape, indent)
        return lines

    def _return_unknown(self, condition: Condition, indent: int) -> list[str]:
        head = broken_condition("if (", condition, ") {", indent)
        return _indented([head, "    return SetUnknownRank(shape);", "}"], indent)

    def _compute(self, key: object, expr: Expr, shape: Shape, indent: int) -> list[str]:
        name = self._fresh(_name_of(shape, key, self._text))
        if isinstance(expr, Conditional) and self._text.is_split(expr):
            lines = [f"{' ' * indent}int64_t {name} = UNKNOWN_DIM;", *self._assign(name, expr, indent)]
        else:
            value = self._text.guarded(expr)
            lines = [" " * indent + broken(f"const int64_t {name} = ", value, ";", indent)]
        self._locals[key] = name
        self._can_fail = self._text.can_fail() or self._can_fail
        return [*self._declared(indent), *lines]

    def _assign(self, name: str, expr: Expr, indent: int) -> list[str]:
        """``name = expr`` as if and else where both sides ask what is known."""
        if not isinstance(expr, Conditional) or not self._text.is_split(expr):
            return [" " * indent + broken(f"{name} = ", self._text.guarded(expr), ";", indent)]
        then = self._assign(name, expr.then, indent + INDENT)
        other = self._assign(name, expr.otherwise, indent + INDENT)
        head = broken_condition("if (", self._text.three_valued.is_true(expr.test), ") {", indent)
        margin = " " * indent
        return [margin + head, *then, f"{margin}}} else {{", *other, f"{margin}}}"]

    def _fresh(self, name: str) -> str:
        count = self._names[name] = self._names.get(name, 0) + 1
        return name if count == 1 else f"{name}{count}"

    def _declared(self, indent: int) -> list[str]:
        return _indented(self._text.new_locals(), indent)

    def _set(self, leaf: _Leaf, indent: int) -> list[str]:
        lines = self._overflow(indent) if leaf.computed and self._can_fail else []
        items, like = leaf.shape.items, leaf.shape.like
        if like is not None:
            # A copy keeps unknown sizes and an unknown rank as they are.
            return _indented([f"*shape = *call.{variable(like)};", "return true;"], indent)
        if not any(isinstance(item, RestItem) for item in items):
            arguments = ", ".join(["shape", *(self._size(item) for item in items)])
            lines += self._declared(indent)
            return [*lines, *_indented([f"return SetShape({arguments});"], indent)]
        steps = [self._append(item) for item in items]
        lines += self._declared(indent)
        return [*lines, *_indented(["shape->SetDimNum(0);", *steps, "return true;"], indent)]

    def _overflow(self, indent: int) -> list[str]:
        name = self._output.name
        message = cpp_format_string(f"{name}: a size does not fit in 64 bits [{name}_shape]")
        head = f"if ({ARITH}.failed) {{"
        log = f"    OP_LOGE({self._text.node}, {message});"
        return _indented([head, log, "    return false;", "}"], indent)

    def _append(self, item: ShapeItem) -> str:
        if not isinstance(item, RestItem):
            return f"shape->AppendDim({self._size(item)});"
        run = self._text.ref(RefKind.REST, item.name)
        return f"AppendOnes(shape, {run}.count);" if item.ones else f"Append(shape, {run});"

    def _size(self, item: ShapeItem) -> str:
        expr = self._text.prepared(_item_expr(item))
        return self._locals.get(strip(expr)) or self._text.cpp(expr)


def _indented(lines: Sequence[str], indent: int) -> list[str]:
    return [" " * indent + line for line in lines]


def _item_expr(item: ShapeItem) -> Expr:
    if isinstance(item, RestItem):
        return Ref(DIMS, item.span, RefKind.REST, item.name)
    if item.dim is not None:
        return Ref(INT, item.span, RefKind.DIM, item.dim)
    assert item.size is not None
    return item.size


def _is_constant(expr: Expr) -> bool:
    return isinstance(expr, Literal)


def _name_of(shape: Shape, key: object, text: InferText) -> str:
    """The variable of a computed size: the derived value's name, or just ``size``."""
    for item in shape.items:
        expr = _item_expr(item)
        if isinstance(expr, Ref) and expr.kind is RefKind.LET and strip(text.prepared(expr)) == key:
            return variable(expr.name)
    return "size"


# --------------------------------------------------------------------------- observed sizes


def dim_value(dim: Dim, text: InferText) -> str:
    """The C++ that observes a dim at the inputs which shape inference takes it from."""
    value = text.observed(dim)
    axes = _axes(value)
    if axes is None:
        return text.cpp(value)
    param, axis = axes
    return f"Axis(call.{variable(param)}, {text.cpp(axis)})"


def _axes(value: Expr) -> tuple[str, Expr] | None:
    """The input and the axis of an observation that always looks at the same input."""
    if isinstance(value, ParamQuery) and value.query is Query.DIM:
        assert value.axis is not None
        return value.param, literal(value.axis, value.span)
    if not isinstance(value, Conditional):
        return None
    then, other = _axes(value.then), _axes(value.otherwise)
    if then is None or other is None or then[0] != other[0]:
        return None
    return then[0], Conditional(INT, value.span, value.test, then[1], other[1])


def rest_run(rest: Rest) -> str:
    """The C++ of the run of axes that a rest stands for."""
    behind = [str(rest.fixed_after)] if rest.fixed_after or not rest.rests_after else []
    behind += [f"{pascal(other)}Axes(call).count" for other in rest.rests_after]
    return f"AxesOf(call.{variable(rest.input)}, {rest.fixed_before}, {' + '.join(behind)})"

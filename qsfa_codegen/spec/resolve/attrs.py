"""Attributes: registered type and default, accepted values, default traps."""

from __future__ import annotations

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.expr.limits import NAMED_LIMITS
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import (
    Attr,
    AttrScalar,
    AttrType,
    AttrValue,
    Const,
    DefaultTrap,
    Domain,
    NamedValue,
    Table,
)
from qsfa_codegen.spec.reader import Mapping, Node, Scalar
from qsfa_codegen.spec.reader import Sequence as ListNode
from qsfa_codegen.spec.resolve.access import (
    MalformedError,
    as_int,
    as_mapping,
    as_member,
    as_text,
    entries,
    flag_of,
    keys,
    need,
    texts,
)
from qsfa_codegen.spec.resolve.context import Context, unreadable

_RANGE_KEYS = frozenset({"min", "max", "above"})
_SCALAR_OF = {
    AttrType.LIST_INT: AttrType.INT,
    AttrType.LIST_FLOAT: AttrType.FLOAT,
    AttrType.LIST_BOOL: AttrType.BOOL,
    AttrType.LIST_STR: AttrType.STR,
}


def element_type(type: AttrType) -> AttrType:
    """The type of one element of a list attribute, or the type itself."""
    return _SCALAR_OF.get(type, type)


class AttrReader:
    """Reads attributes; consts may stand wherever a number may."""

    def __init__(self, ctx: Context, consts: tuple[Const, ...]) -> None:
        self._ctx = ctx
        self._consts = {c.name: c.value for c in consts}
        self._lost_consts = set(keys(ctx.root.get("consts"))) - self._consts.keys()

    def all(self) -> tuple[Attr, ...]:
        """Attributes in order."""
        order = {key: index for index, key in enumerate(keys(self._ctx.root.get("attrs")))}

        def build(name: str, span: Span, node: Node) -> Attr:
            return self._attr(name, order[name], span, as_mapping(node))

        return self._ctx.section("attrs", lambda node: self._ctx.each(node, build), ())

    def _attr(self, name: str, index: int, span: Span, node: Mapping) -> Attr:
        type = as_member(need(node, "type"), AttrType)
        enum = node.get("enum")
        if enum is not None and as_text(enum) not in self._ctx.scope.enums:
            raise self._ctx.malformed("QS330", enum.span, f"there is no enum '{as_text(enum)}'")
        default = node.get("default")
        values = node.get("values")
        length = node.get("length")
        return Attr(
            name=name,
            index=index,
            type=type,
            required=flag_of(node, "required"),
            default=self.value(default, type) if default is not None else None,
            enum=as_text(enum) if enum is not None else None,
            domain=self._domain(values, element_type(type)) if values is not None else None,
            lengths=_lengths(length),
            trap=self._trap(node.get("default_trap")),
            chips=self._attr_chips(node.get("chips")),
            was=texts(node.get("was")),
            doc=self._ctx.doc(node),
            span=span,
        )

    def value(self, node: Node, type: AttrType) -> AttrValue:
        """A value of the attribute's type."""
        if type is AttrType.LIST_LIST_INT:
            rows = (self._list(row, AttrType.LIST_INT) for row in self._list(node, type))
            return tuple(tuple(self.integer(cell) for cell in row) for row in rows)
        inner = element_type(type)
        if inner is type:
            return self.scalar(node, type)
        return tuple(self.scalar(item, inner) for item in self._list(node, type))

    def _list(self, node: Node, type: AttrType) -> tuple[Node, ...]:
        if not isinstance(node, ListNode):
            raise self._misfit(node, type)
        return node.items

    def integer(self, node: Node) -> int:
        """An integer, or the name of a const."""
        value = self.scalar(node, AttrType.INT)
        assert isinstance(value, int)
        return value

    def scalar(self, node: Node, type: AttrType) -> AttrScalar:
        """One value of a scalar type, checked."""
        found = self._typed(node, type) if isinstance(node, Scalar) else None
        if found is None:
            raise self._misfit(node, type)
        return found

    def _misfit(self, node: Node, type: AttrType) -> MalformedError:
        text = node.text if isinstance(node, Scalar) else None
        if text in self._lost_consts:
            return unreadable(text, node.span)
        shown = "a list" if text is None else f"'{text}'"
        message = f"{shown} is not a value of type {type.value}"
        return self._ctx.malformed("QS331", node.span, message, _TYPE_HELP.get(type, "write a list"))

    def _typed(self, leaf: Scalar, type: AttrType) -> AttrScalar | None:
        match type:
            case AttrType.BOOL:
                return leaf.value if isinstance(leaf.value, bool) else None
            case AttrType.INT:
                number = self._number(leaf)
                return number if isinstance(number, int) else None
            case AttrType.FLOAT:
                number = self._number(leaf)
                return float(number) if number is not None else None
            case AttrType.DTYPE:
                return leaf.text if leaf.text in DTYPES else None
            case _:
                return leaf.text

    def _number(self, leaf: Scalar) -> int | float | None:
        if isinstance(leaf.value, bool):
            return None
        if isinstance(leaf.value, int | float):
            return leaf.value
        return self._consts.get(leaf.text, NAMED_LIMITS.get(leaf.text))

    def _domain(self, node: Node, type: AttrType) -> Domain | Table[Domain]:
        return self._ctx.choice(node, lambda leaf: self._domain_leaf(leaf, type))

    def _domain_leaf(self, node: Node, type: AttrType) -> Domain:
        if isinstance(node, ListNode):
            return Domain(values=tuple(self._value(item, type) for item in node.items))
        if isinstance(node, Scalar):
            if type is AttrType.FLOAT:
                return Domain(finite=True)
            raise self._ctx.malformed(
                "QS332",
                node.span,
                f"'{node.text}' is for floats, and this is of type {type.value}",
                "give a list, names with values, or bounds",
            )
        if _RANGE_KEYS.issuperset(node.keys()):
            return self._bounds(node, type)
        named = tuple(NamedValue(self.scalar(value, type), key) for key, _, value in entries(node))
        return Domain(values=named)

    def _value(self, node: Node, type: AttrType) -> NamedValue:
        written = node.text if isinstance(node, Scalar) else ""
        is_const = type is AttrType.INT and written in self._consts
        return NamedValue(self.scalar(node, type), None, written if is_const else None)

    def _bounds(self, node: Mapping, type: AttrType) -> Domain:
        found = {key: self.scalar(value, type) for key, _, value in entries(node)}
        numbers = {key: value for key, value in found.items() if isinstance(value, int | float)}
        return Domain(minimum=numbers.get("min"), maximum=numbers.get("max"), above=numbers.get("above"))

    def _trap(self, node: Node | None) -> DefaultTrap | None:
        if node is None:
            return None
        chips = as_mapping(node).get("chips")
        return DefaultTrap(self._attr_chips(chips), self._ctx.text(node), node.span)

    def _attr_chips(self, node: Node | None) -> tuple[str, ...]:
        """The chips something is limited to; all of the operator's when nothing is said."""
        return self._ctx.chips_named(node)


def _lengths(node: Node | None) -> tuple[int, ...]:
    if node is None:
        return ()
    if isinstance(node, ListNode):
        return tuple(as_int(item) for item in node.items)
    return (as_int(node),)


_TYPE_HELP = {
    AttrType.INT: "write an integer or the name of a const",
    AttrType.FLOAT: "write a number",
    AttrType.BOOL: "write true or false",
    AttrType.STR: "write a text",
    AttrType.DTYPE: f"dtypes are {', '.join(DTYPES)}",
    AttrType.LIST_LIST_INT: "write lists of integers",
}

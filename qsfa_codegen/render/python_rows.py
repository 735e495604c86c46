"""Packed rows as Python: layout, packing, and quantisation by tiles, from the records of the spec."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from qsfa_codegen.expr.nodes import Expr, Query, Ref, RefKind, walk
from qsfa_codegen.expr.python import emit
from qsfa_codegen.expr.rewrite import substitute
from qsfa_codegen.expr.specialize import simplify
from qsfa_codegen.render.python_names import torch_dtype
from qsfa_codegen.render.python_text import call, comment, statement, tuple_text
from qsfa_codegen.render.text import INDENT, one_line, python_string
from qsfa_codegen.render.torch_names import torch_type
from qsfa_codegen.spec.columns import all_dtypes, with_known_sizes
from qsfa_codegen.spec.model import Attr, Const, Dim, DtypeRef, Record
from qsfa_codegen.spec.names import pascal, snake

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Operator, RecordField

HIFLOAT8 = "hifloat8"
_NUMBERS = (RefKind.CONST, RefKind.ATTR, RefKind.DIM)
_MEMBERS = "dequantise elements field fields pack quantise read size unit unpack"


class RowParam(Struct, frozen=True):
    """What a row is made from: a number or a dtype; ``kind`` and ``source`` say what it is in the spec."""

    name: str
    kind: str  # "number", "column", "fixed"
    source: tuple[RefKind, str] | str
    declaration: str
    doc: str
    allowed: tuple[str, ...] = ()


def has_rows(operator: Operator) -> bool:
    """Whether the operator has records, all of which can be worked out without a call."""
    return bool(operator.records) and all(_is_plain(operator, record) for record in operator.records)


def record_class(record: Record) -> str:
    """The class of a record."""
    return pascal(record.name)


def row_params(operator: Operator, record: Record) -> list[RowParam]:
    """What a record's class takes, dtypes first."""
    return [*_dtype_params(operator, record), *_number_params(operator, record)]


def uses_hifloat8(operator: Operator) -> bool:
    """Whether the quantised field of some record can be hifloat8."""
    return any(
        HIFLOAT8 in all_dtypes(operator, field.dtype)
        for record in operator.records
        for field in record.fields
        if record.dequant is not None and field.name == record.dequant.field
    )


def _is_plain(operator: Operator, record: Record) -> bool:
    dtypes = [name for field in record.fields for name in all_dtypes(operator, field.dtype)]
    dtypes += all_dtypes(operator, record.unit)
    exprs = [_written(operator, record, expr) for expr in _exprs(record)]
    refs = [n for expr in exprs for n in walk(expr) if isinstance(n, Ref) or hasattr(n, "param")]
    return (
        bool(record.fields)
        and all(torch_type(name) is not None for name in dtypes)
        and all(isinstance(n, Ref) and n.kind in _NUMBERS for n in refs)
        and not any(isinstance(n, Ref) and _is_no_number(operator, n) for n in refs)
    )


def _is_no_number(operator: Operator, ref: Ref) -> bool:
    return ref.kind is RefKind.ATTR and operator.find(Attr, ref.name).type.value != "int"


def _exprs(record: Record) -> list[Expr]:
    tile = [record.dequant.tile] if record.dequant is not None else []
    return [*(field.count for field in record.fields), *tile]


def _written(operator: Operator, record: Record, expr: Expr) -> Expr:
    """An expression of a record with derived values written out."""
    lets = {(RefKind.LET, let.name): let.value for let in operator.lets}
    while (more := substitute(expr, lets)) is not expr:
        expr = more
    return simplify(with_known_sizes(operator, expr))


def _dtype_params(operator: Operator, record: Record) -> Iterator[RowParam]:
    seen: set[str] = set()
    for ref, field in [(record.unit, None), *((field.dtype, field) for field in record.fields)]:
        name = _dtype_param(ref, field)
        if name is None or name in seen:
            continue
        seen.add(name)
        dtypes = all_dtypes(operator, ref)
        kind = "column" if ref.column is not None else "fixed"
        default = f" = {torch_dtype(dtypes[0])}" if len(dtypes) == 1 else ""
        said = f"one of {', '.join(map(_with_carrier, dtypes))}" if len(dtypes) > 1 else ""
        allowed = tuple(dict.fromkeys(map(torch_dtype, dtypes)))
        yield RowParam(name, kind, ref.column or ref.fixed or "", f"torch.dtype{default}", said, allowed)


def _with_carrier(name: str) -> str:
    """A dtype; one that torch lacks with the dtype of the tensors that carry its bits."""
    carrier = torch_dtype(name)
    return name if carrier == f"torch.{name}" else f"{name} ({carrier})"


def _dtype_param(ref: DtypeRef, field: RecordField | None) -> str | None:
    """The parameter that holds a dtype; the unit's own dtype is fixed when no column names it."""
    if ref.column is not None:
        return _apart(snake(ref.column))
    return None if field is None else f"{snake(field.name)}_dtype"


def _number_params(operator: Operator, record: Record) -> Iterator[RowParam]:
    exprs = [_written(operator, record, expr) for expr in _exprs(record)]
    found = dict.fromkeys((n.kind, n.name) for e in exprs for n in walk(e) if isinstance(n, Ref))
    for kind, name in found:
        yield _number_param(operator, kind, name)


def _number_param(operator: Operator, kind: RefKind, name: str) -> RowParam:
    if kind is RefKind.CONST:
        const = operator.find(Const, name)
        return RowParam(_apart(snake(name)), "number", (kind, name), f"int = {name}", one_line(const.doc.en))
    if kind is RefKind.ATTR:
        attr = operator.find(Attr, name)
        default = f" = {attr.default}" if isinstance(attr.default, int) else ""
        return RowParam(_apart(snake(name)), "number", (kind, name), f"int{default}", "")
    doc = operator.find(Dim, name).doc
    return RowParam(_apart(snake(name)), "number", (kind, name), "int", one_line(doc.en) if doc else "")


def _apart(name: str) -> str:
    return f"{name}_" if name in _MEMBERS.split() else name


class _RowNames:
    """Leaves of a record's expressions: members of its class."""

    def __init__(self, params: list[RowParam]) -> None:
        self._members = {p.source: f"self.{p.name}" for p in params}

    def ref(self, kind: RefKind, name: str) -> str:
        return self._members[kind, name]

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> str:
        raise ValueError(f"a row knows no {param}")

    def present(self, param: str, *, passed: bool) -> tuple[str, int]:
        raise ValueError(f"a row knows no {param}")

    def label(self, enum: str, label: str) -> str:
        raise ValueError(f"a row knows no {enum}")

    def dtype(self, name: str) -> str:
        return torch_dtype(name)

    def call(self, function: str, args: tuple[str, ...]) -> str | None:
        return None


def _record_view(operator: Operator, record: Record) -> dict[str, Any]:
    params = row_params(operator, record)
    names = _RowNames(params)

    def text(expr: Expr) -> str:
        return emit(_written(operator, record, expr), names).text

    fields = [
        {
            "name": field.name,
            "doc": one_line(field.doc.en.replace("`", "``")) if field.doc is not None else "a field",
            "count": text(field.count).replace("self.", ""),
            "dtype": (_dtype_param(field.dtype, field) or ""),
            "dtype_text": f"self.{_dtype_param(field.dtype, field)}",
            "count_text": text(field.count),
            "align": field.align,
        }
        for field in record.fields
    ]
    dtypes = {str(field["name"]): str(field["dtype_text"]) for field in fields}
    view: dict[str, Any] = {
        "cls": record_class(record),
        "doc": _sentence(one_line(record.doc.en)) if record.doc is not None else f"The row ``{record.name}``",
        "fields": fields,
        "params": params,
        "unit": f"self.{_dtype_param(record.unit, None)}"
        if record.unit.column
        else torch_dtype(record.unit.fixed or ""),
        "unpacked": _unpacked([field.name for field in record.fields]),
        "dtypes": list(_checked_dtypes(record, params)),
        "dequant": None,
    }
    if record.dequant is not None:
        tile = emit(_written(operator, record, record.dequant.tile), names)
        view["dequant"] = {
            "field": record.dequant.field,
            "by": record.dequant.by,
            "field_dtype": dtypes[record.dequant.field],
            "by_dtype": dtypes[record.dequant.by],
            "tile": tile.text,
        }
    return view


def _checked_dtypes(record: Record, params: Sequence[RowParam]) -> Iterator[str]:
    """Statements that check dtypes: those that the operator takes, and for scales any that they can have."""
    by = "" if record.dequant is None else record.dequant.by
    scales = [_dtype_param(field.dtype, field) for field in record.fields if field.name == by]
    for param in params:
        if param.kind == "column":
            yield _dtype_check(param.name, f"self.{param.name}", tuple_text("", param.allowed), 2 * INDENT)
        elif param.name in scales:
            yield _dtype_check(param.name, f"self.{param.name}", "SCALES", 2 * INDENT)


def _dtype_check(name: str, given: str, allowed: str, indent: int) -> str:
    return call("_demand_dtype(", [python_string(name), given, allowed], ")", indent)


def _quantised_dtypes(operator: Operator) -> list[str]:
    """Dtypes of quantised fields, as torch calls them."""
    found = [
        torch_dtype(name)
        for record in operator.records
        for field in record.fields
        if record.dequant is not None and field.name == record.dequant.field
        for name in all_dtypes(operator, field.dtype)
    ]
    return list(dict.fromkeys(found))


def _unpacked(names: list[str]) -> str:
    reads = [f'self.read(rows, "{name}")' for name in names]
    return statement("", f"({', '.join(reads)}{',' if len(reads) == 1 else ''})", "", 2 * INDENT + 7)


def _sentence(text: str) -> str:
    text = text.rstrip(".")
    return text[:1].upper() + text[1:]


def render_rows(operator: Operator, templates: Templates) -> str:
    """The text of the module of packed rows."""
    records = [_record_view(operator, record) for record in operator.records]
    named = {
        p.source[1] for r in operator.records for p in row_params(operator, r) if isinstance(p.source, tuple)
    }
    return (
        templates.render(
            "python/rows.py.j2",
            records=records,
            consts=[(c.name, c.value, comment(c.doc.en)[0]) for c in operator.consts if c.name in named],
            quantises=any(record.dequant is not None for record in operator.records),
            dtype_check=_dtype_check("dtype", "dtype", tuple_text("", _quantised_dtypes(operator)), INDENT),
            hifloat8=uses_hifloat8(operator),
        ).rstrip("\n")
        + "\n"
    )


def render_hifloat8(operator: Operator, templates: Templates) -> str:
    """The text of the codec of HiFloat8."""
    return templates.render("python/hifloat8.py.j2")

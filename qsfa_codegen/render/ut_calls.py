"""Calls as C++ for the unit tests of op_host: each says what it changes in a call before it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from qsfa_codegen.contract.calls import Call, TensorArg, tensors
from qsfa_codegen.expr.floats import single_precision
from qsfa_codegen.render.cpp import bool_literal, ge_dtype, int_literal
from qsfa_codegen.render.text import INDENT, LINE_LIMIT, cpp_string, wrap_items
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import AttrType, AttrValue, Operator

Key = tuple[str, str]
Pieces = Mapping[Key, str]

_INPUT, _ATTR, _SUPPLY = "input", "attr", "supply"
_EXPECTED = "expected"
_MOST_CHANGES = 4  # of a call that differs in more, everything is said


class Said(Struct, frozen=True):
    """A call in full: a piece of text for each thing that it says, and what stands before it."""

    name: str
    chip: str
    pieces: Pieces
    inputs: frozenset[Key]
    asked: frozenset[tuple[Key, str]]
    """Every piece but what is expected."""

    @classmethod
    def of(cls, name: str, chip: str, pieces: Pieces) -> Said:
        """A call in full."""
        inputs = frozenset(key for key in pieces if key[0] == _INPUT)
        asked = frozenset(item for item in pieces.items() if item[0][0] != _EXPECTED)
        return cls(name, chip, pieces, inputs, asked)

    def distance(self, base: Said) -> int:
        """How many changes make this call of ``base``."""
        return len(self.asked - base.asked) + len(base.inputs - self.inputs)

    @property
    def may_be_base(self) -> bool:
        """A graph with fewer attributes is nothing to build on."""
        return (_SUPPLY, "") not in self.pieces


class CallTexts:
    """The calls of one test file, in order."""

    def __init__(self, operator: Operator) -> None:
        self._attrs = {attr.name: attr for attr in operator.attrs}
        self._all = len(operator.attrs)
        self._defaults: Pieces = {
            (_ATTR, a.name): _attr(a.name, a.type, a.default) for a in operator.attrs if a.default is not None
        }
        self._known: list[Said] = []

    def defaults(self) -> list[str]:
        """A piece for each attribute with a registered default, in order."""
        return list(self._defaults.values())

    def accepted(self, call: Call, chip: str, supplied: int, expected: Mapping[str, str]) -> str:
        """Text of an accepted call and a comma; ``expected`` has a piece for each part of the answer."""
        said = self._said(
            call, chip, supplied, {(_EXPECTED, name): piece for name, piece in expected.items()}
        )
        text = self._text(said)
        if said.may_be_base:
            self._known.append(said)
        return text

    def rejected(self, call: Call, chip: str, supplied: int) -> str:
        """Text of a rejected call."""
        return self._text(self._said(call, chip, supplied, {}))

    def _said(self, call: Call, chip: str, supplied: int, expected: Pieces) -> Said:
        pieces: dict[Key, str] = dict(self._defaults)
        for name, arg in call.inputs.items():
            pieces[_INPUT, name] = _input(name, tensors(arg), is_list=not isinstance(arg, TensorArg))
        for name, value in call.attrs.items():
            pieces[_ATTR, name] = _attr(name, self._attrs[name].type, value)
        if supplied < self._all:
            pieces[_SUPPLY, ""] = f".Supply({supplied})"
        return Said.of(call.id, chip, {**pieces, **expected})

    def _text(self, said: Said) -> str:
        chip = Said.of(said.chip, said.chip, self._defaults)
        near = [base for base in self._known if base.chip == said.chip]
        # Of several as near as each other the first: it is the plainest.
        base = min(near, key=said.distance, default=chip)
        expects = any(kind == _EXPECTED for kind, _ in said.pieces)
        most = _MOST_CHANGES if expects else said.distance(chip)
        if said.distance(base) > most:
            base = chip
        pieces = [f".On({cpp_string(said.chip)})"] if said.chip else []
        if base is not chip:
            pieces = [f".From({cpp_string(base.name)})"]
        pieces += [*_changes(said, base), *(_expectations(said, base) if expects else ())]
        parts = [part for piece in pieces for part in _parts(piece)]
        return wrap_items(f"Call({cpp_string(said.name)})", parts, ",", INDENT)


def _parts(piece: str) -> list[str]:
    """The piece as it is, or in parts where no line has room for it."""
    if len(piece) < LINE_LIMIT - 2 * INDENT:
        return [piece]
    *first, last = piece.split(", ")
    return [*(f"{part}, " for part in first), last]


def _changes(said: Said, base: Said) -> list[str]:
    pieces, before = said.pieces, base.pieces
    lost = [f".Without({cpp_string(n)})" for k, n in before if k == _INPUT and (k, n) not in pieces]
    return lost + [piece for key, piece in pieces.items() if key[0] != _EXPECTED and before.get(key) != piece]


def _expectations(said: Said, base: Said) -> list[str]:
    pieces = said.pieces.items()
    return [piece for key, piece in pieces if key[0] == _EXPECTED and base.pieces.get(key) != piece]


# --------------------------------------------------------------------------- pieces


def output_piece(name: str, tensor: TensorArg) -> str:
    """``.Output("y", ge::DT_FLOAT16, {2, 3})``."""
    return f".Output({cpp_string(name)}, {ge_dtype(tensor.dtype)}, {_ints(tensor.shape)})"


def number_piece(name: str, value: int | float) -> str:
    """``.Expect("rows", 2)``."""
    return f".Expect({cpp_string(name)}, {_number(value)})"


def _number(value: int | float) -> str:
    if isinstance(value, float):
        return _float(value)
    return f"{value}u" if value > 2**63 - 1 else int_literal(int(value))


def _input(name: str, args: Sequence[TensorArg], *, is_list: bool) -> str:
    if not is_list:
        return f".Input({cpp_string(name)}, {_tensor(args[0])})"
    return f".List({cpp_string(name)}, {{{', '.join(f'{{{_tensor(arg)}}}' for arg in args)}}})"


def _tensor(tensor: TensorArg) -> str:
    text = f"{ge_dtype(tensor.dtype)}, {_ints(tensor.shape)}"
    if tensor.data is None:
        return text
    element = "uint8_t" if tensor.dtype == "bool" else f"{tensor.dtype}_t"
    return f"{text}, Bytes<{element}>({_ints([int(n) for n in tensor.data])})"


def _ints(values: Sequence[int]) -> str:
    return "{" + ", ".join(int_literal(value) for value in values) + "}"


def _float(value: float) -> str:
    """A float literal that reads back as the single precision number next to ``value``."""
    value = single_precision(value)
    if math.isnan(value):
        return "std::numeric_limits<float>::quiet_NaN()"
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}std::numeric_limits<float>::infinity()"
    text = f"{value:.9g}"
    return f"{text}f" if set(text) & set(".e") else f"{text}.0f"


def _listed(spell: Callable[[AttrValue], str]) -> Callable[[AttrValue], str]:
    def spelt(value: AttrValue) -> str:
        assert isinstance(value, tuple)
        return "{" + ", ".join(spell(item) for item in value) + "}"

    return spelt


def _integer(value: AttrValue) -> str:
    assert isinstance(value, int)
    return int_literal(value)


def _real(value: AttrValue) -> str:
    assert isinstance(value, int | float)
    return _float(value)


def _flag(value: AttrValue) -> str:
    return bool_literal(bool(value))


_METHODS: dict[AttrType, tuple[str, Callable[[AttrValue], str]]] = {
    AttrType.INT: ("Int", _integer),
    AttrType.FLOAT: ("Float", _real),
    AttrType.BOOL: ("Bool", _flag),
    AttrType.STR: ("Str", lambda value: cpp_string(str(value))),
    AttrType.DTYPE: ("Int", lambda value: f"ge::{DTYPES[str(value)].ge}"),
    AttrType.LIST_INT: ("Ints", _listed(_integer)),
    AttrType.LIST_FLOAT: ("Floats", _listed(_real)),
    AttrType.LIST_BOOL: ("Bools", _listed(_flag)),
    AttrType.LIST_LIST_INT: ("IntLists", _listed(_listed(_integer))),
}


def _attr(name: str, kind: AttrType, value: AttrValue) -> str:
    method, spell = _METHODS[kind]
    return f".{method}({cpp_string(name)}, {spell(value)})"


def methods(text: str) -> frozenset[str]:
    """Names of the functions that the pieces in ``text`` call."""
    parts = text.replace("\n", " ").split(".")
    return frozenset(part.partition("(")[0] for part in parts if "(" in part)


ATTR_METHODS = (
    ("Int", "int64_t"),
    ("Float", "float"),
    ("Bool", "bool"),
    ("Str", "std::string"),
    ("Ints", "std::vector<int64_t>"),
    ("Floats", "std::vector<float>"),
    ("Bools", "std::vector<bool>"),
    ("IntLists", "std::vector<std::vector<int64_t>>"),
)
"""Each function that gives an attribute a value, and the C++ type that it takes."""

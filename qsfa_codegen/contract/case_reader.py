"""Call cases from JSON lines, with a located diagnostic for everything that is wrong with them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from msgspec import Struct

from qsfa_codegen.contract.calls import UNKNOWN_RANK, Call, InputArg, Number, Stage, TensorArg
from qsfa_codegen.contract.json_spans import JsonPath, locate
from qsfa_codegen.diagnostics import Sink, Span
from qsfa_codegen.expr.functions import PLATFORM_VALUES
from qsfa_codegen.expr.limits import UINT32_MAX
from qsfa_codegen.expr.suggest import did_you_mean
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, AttrScalar, AttrType, AttrValue, Input, InputKind, Operator
from qsfa_codegen.spec.source_text import not_utf8

T = TypeVar("T")

BAD_JSON = "QS601"
UNKNOWN_NAME = "QS602"
WRONG_TYPE = "QS603"
UNKNOWN_DTYPE = "QS604"
DUPLICATE_ID = "QS605"
OUT_OF_RANGE = "QS606"
MISSING_KEY = "QS607"
UNREADABLE = "QS608"
DATA_COUNT = "QS609"

_CASE_KEYS = (
    "id",
    "chip",
    "stage",
    "platform",
    "inputs",
    "outputs",
    "attrs",
    "attr_count",
    "expect",
)
_TENSOR_KEYS = ("dtype", "shape", "data")
_RESULT_KEYS = ("id", "status", "stage", "outputs", "tiling", "violations")
_FLOAT_NAMES = ("inf", "-inf", "nan")
_INT64_MIN, _INT64_MAX, _UINT64_MAX = -(2**63), 2**63 - 1, 2**64 - 1
MAX_BYTES = 2**27
MAX_LINE = 2**24
_MAX_RANK = 25  # that a shape of the host can hold


def read_cases(path: str, operator: Operator, sink: Sink) -> tuple[Call, ...]:
    """The cases of the JSONL file at ``path``, in file order; what is wrong with it goes to ``sink``.

    A case with an error is left out. Empty lines are skipped. At most ``MAX_BYTES`` are read.
    """
    try:
        with Path(path).open("rb") as stream:
            raw = stream.read(MAX_BYTES + 1)
        if len(raw) > MAX_BYTES:
            sink.error(UNREADABLE, f"cannot read {path}: it has more than {MAX_BYTES} bytes", None)
            return ()
        text = raw.decode("utf-8-sig").replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        reason, place = not_utf8(raw, error, path)
        sink.error(UNREADABLE, f"cannot read {path}: {reason}", place)
        return ()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not a file name"
        sink.error(UNREADABLE, f"cannot read {path}: {reason}", None)
        return ()
    return parse_cases(text.split("\n"), operator, sink, path)


def parse_cases(
    lines: Iterable[str], operator: Operator, sink: Sink, file: str = "<cases>"
) -> tuple[Call, ...]:
    """The cases in ``lines``; see ``read_cases``."""
    names = _Names.of(operator)
    calls: list[Call] = []
    first_use: dict[str, int] = {}
    for number, line in enumerate(lines, start=1):
        text = line.rstrip("\r\n")
        if not text.strip():
            continue
        reader = _CaseReader(names, sink, file, number, text)
        if len(text) > MAX_LINE:
            reader.error(UNREADABLE, f"the line has more than {MAX_LINE} characters", ())
            continue
        call = reader.read()
        if call is None:
            continue
        if call.id in first_use:
            reader.error(
                DUPLICATE_ID, f"the id '{call.id}' is already used on line {first_use[call.id]}", ("id",)
            )
            continue
        first_use[call.id] = number
        calls.append(call)
    return tuple(calls)


class _DuplicateKeyError(Exception):
    """An object of the line has a key twice."""


def _unique_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise _DuplicateKeyError(key)
        found[key] = value
    return found


class _Names(Struct, frozen=True):
    """The operator's names, looked up once for a file."""

    inputs: Mapping[str, Input]
    attrs: Mapping[str, Attr]
    outputs: tuple[str, ...]

    @classmethod
    def of(cls, operator: Operator) -> _Names:
        return cls(
            {i.name: i for i in operator.inputs},
            {a.name: a for a in operator.attrs},
            tuple(o.name for o in operator.outputs),
        )


class _Malformed(Exception):  # noqa: N818 - control flow: the diagnostic is already recorded
    """A part of the case cannot be read."""


class _CaseReader(Struct):
    """Reads the case on one line."""

    names: _Names
    sink: Sink
    file: str
    number: int
    text: str

    # ------------------------------------------------------------------ diagnostics

    def error(
        self, code: str, message: str, path: JsonPath, help: str | None = None, *, key: bool = False
    ) -> None:
        """Record a diagnostic at the value (or key) at ``path``."""
        self.sink.error(code, message, self._span(*locate(self.text, path, key=key)), help)

    def _fail(self, code: str, message: str, path: JsonPath, help: str | None = None) -> _Malformed:
        self.error(code, message, path, help)
        return _Malformed()

    def _span(self, start: int, end: int) -> Span:
        return Span(self.file, self.number, start + 1, self.number, max(end, start + 1) + 1)

    def _whole_line(self) -> Span:
        return self._span(0, len(self.text))

    # ------------------------------------------------------------------ the case

    def read(self) -> Call | None:
        """The call, or None when something is wrong with it."""
        case = self._object_of_line()
        if case is None:
            return None
        errors_before = len(self.sink)
        self._known_keys(case, _CASE_KEYS, ())
        call = Call(
            id=self._part(self._id, case, ""),
            chip=self._part(self._chip, case, ""),
            inputs=self._inputs(case),
            attrs=self._attrs(case),
            outputs=self._outputs(case),
            attr_count=self._part(self._attr_count, case, None),
            stage=self._part(self._stage, case, None),
            platform=self._platform(case),
            expect=self._part(self._expect, case, None),
            span=self._whole_line(),
        )
        return call if len(self.sink) == errors_before else None

    def _object_of_line(self) -> dict[str, object] | None:
        try:
            case = json.loads(self.text, object_pairs_hook=_unique_keys)
        except json.JSONDecodeError as error:
            self.sink.error(BAD_JSON, f"not valid JSON: {error.msg}", self._span(error.pos, error.pos + 1))
        except _DuplicateKeyError as error:
            self.sink.error(BAD_JSON, f"the key '{error}' stands twice in one object", self._whole_line())
        except RecursionError:
            self.sink.error(BAD_JSON, "not usable JSON: nested too deeply", self._whole_line())
        except ValueError:
            self.sink.error(OUT_OF_RANGE, "an integer has too many digits", self._whole_line())
        else:
            if isinstance(case, dict):
                return case
            self.sink.error(BAD_JSON, "a case must be a JSON object", self._whole_line())
        return None

    def _part(self, read: Callable[[Mapping[str, object]], T], case: Mapping[str, object], fallback: T) -> T:
        try:
            return read(case)
        except _Malformed:
            return fallback

    def _known_keys(self, found: Mapping[str, object], known: Iterable[str], path: JsonPath) -> None:
        allowed = tuple(known)
        for key in found:
            if key not in allowed:
                self._unknown("key", key, allowed, (*path, key))

    def _unknown(self, what: str, name: str, known: tuple[str, ...], path: JsonPath) -> None:
        help = did_you_mean(name, known) or "known: " + (", ".join(known) or "none")
        self.error(UNKNOWN_NAME, f"unknown {what} '{name}'", path, help, key=True)

    def _id(self, case: Mapping[str, object]) -> str:
        name = self._required_string(case, "id")
        if not name.isprintable():
            raise self._wrong(name, "text that can be printed", ("id",))
        return name

    def _chip(self, case: Mapping[str, object]) -> str:
        return self._required_string(case, "chip")

    def _required_string(self, case: Mapping[str, object], key: str) -> str:
        if key not in case:
            raise self._fail(MISSING_KEY, f"the case has no '{key}'", ())
        return self._string(case[key], (key,))

    def _stage(self, case: Mapping[str, object]) -> Stage | None:
        value = case.get("stage")
        if value is None or value == "all":
            return None
        if value not in ("infer", "tiling"):
            raise self._fail(WRONG_TYPE, '\'stage\' must be "infer", "tiling" or "all"', ("stage",))
        return Stage(value)

    def _attr_count(self, case: Mapping[str, object]) -> int | None:
        value = case.get("attr_count")
        if value is None:
            return None
        count = self._int(value, ("attr_count",))
        if not 0 <= count <= len(self.names.attrs):
            raise self._fail(
                OUT_OF_RANGE,
                f"'attr_count' is {count}, the operator has {len(self.names.attrs)} attributes",
                ("attr_count",),
            )
        return count

    def _platform(self, case: Mapping[str, object]) -> Mapping[str, int]:
        section = self._section(case, "platform", PLATFORM_VALUES, "platform value")
        found: dict[str, int] = {}
        for name, value in section.items():
            with suppress(_Malformed):
                found[name] = self._int(value, ("platform", name))
                if found[name] < 0:
                    self.error(OUT_OF_RANGE, f"'{name}' must not be negative", ("platform", name))
                elif found[name] > UINT32_MAX:
                    self.error(OUT_OF_RANGE, f"'{name}' must fit 32 bits", ("platform", name))
        return found

    def _expect(self, case: Mapping[str, object]) -> Mapping[str, object] | None:
        value = case.get("expect")
        if value is None:
            return None
        expected = self._mapping(value, ("expect",))
        self._known_keys(expected, _RESULT_KEYS, ("expect",))
        if expected.get("status", "ok") not in ("ok", "rejected"):
            raise self._fail(WRONG_TYPE, '\'status\' must be "ok" or "rejected"', ("expect", "status"))
        return expected

    # ------------------------------------------------------------------ tensors

    def _section(
        self, case: Mapping[str, object], key: str, known: Iterable[str], what: str
    ) -> Mapping[str, object]:
        """The members of the object ``case[key]`` that exist and are not null."""
        if case.get(key) is None:
            return {}
        try:
            section = self._mapping(case[key], (key,))
        except _Malformed:
            return {}
        allowed = tuple(known)
        for name in section:
            if name not in allowed:
                self._unknown(what, name, allowed, (key, name))
        return {name: section[name] for name in allowed if section.get(name) is not None}

    def _inputs(self, case: Mapping[str, object]) -> Mapping[str, InputArg]:
        found: dict[str, InputArg] = {}
        for name, value in self._section(case, "inputs", self.names.inputs, "input").items():
            kind = self.names.inputs[name].kind
            with suppress(_Malformed):
                found[name] = self._input(value, kind, ("inputs", name))
        return found

    def _input(self, value: object, kind: InputKind, path: JsonPath) -> InputArg:
        if kind is not InputKind.TENSOR_LIST:
            return self._tensor(value, path, scalar=kind is not InputKind.TENSOR)
        if not isinstance(value, list):
            raise self._fail(
                WRONG_TYPE, f"'{path[-1]}' is a list input: it takes a JSON list of tensors", path
            )
        return tuple(self._tensor(item, (*path, index), scalar=False) for index, item in enumerate(value))

    def _outputs(self, case: Mapping[str, object]) -> Mapping[str, TensorArg]:
        found: dict[str, TensorArg] = {}
        for name, value in self._section(case, "outputs", self.names.outputs, "output").items():
            with suppress(_Malformed):
                found[name] = self._tensor(value, ("outputs", name), scalar=False)
        return found

    def _tensor(self, value: object, path: JsonPath, *, scalar: bool) -> TensorArg:
        """One tensor; a scalar or scalar list may leave its shape out where its data tells it."""
        found = self._mapping(value, path)
        self._known_keys(found, _TENSOR_KEYS, path)
        if "dtype" not in found:
            raise self._fail(MISSING_KEY, f"'{path[-1]}' has no 'dtype'", path)
        dtype = self._dtype(found["dtype"], (*path, "dtype"))
        given = found.get("data")
        data = None if given is None else self._data(given, dtype, (*path, "data"))
        if "shape" in found:
            shape = self._shape(found["shape"], (*path, "shape"))
        elif scalar:
            shape = (len(given),) if isinstance(given, list) else ()
        else:
            raise self._fail(MISSING_KEY, f"'{path[-1]}' has no 'shape'", path)
        if data is not None and min(shape, default=0) >= 0 and len(data) != math.prod(shape):
            raise self._fail(
                DATA_COUNT,
                f"{len(data)} elements, but the shape {list(shape)} has {math.prod(shape)}",
                (*path, "data"),
            )
        return TensorArg(dtype, shape, data)

    def _shape(self, value: object, path: JsonPath) -> tuple[int, ...]:
        items = self._list(value, path)
        if len(items) > _MAX_RANK:
            raise self._fail(OUT_OF_RANGE, f"more than {_MAX_RANK} dims", path)
        shape = tuple(self._int(item, (*path, index)) for index, item in enumerate(items))
        if min(shape, default=0) < -1 and shape != UNKNOWN_RANK:
            raise self._fail(
                OUT_OF_RANGE, "a dim is at least 0, or -1 (unknown); a shape of unknown rank is [-2]", path
            )
        return shape

    def _data(self, value: object, dtype: str, path: JsonPath) -> tuple[Number, ...]:
        """The elements of a flat or nested list (or a single number), in row-major order."""
        whole = not dtype.startswith(("float", "bfloat", "hifloat"))
        flat: list[Number] = []
        waiting: list[object] = [value]
        while waiting:
            item = waiting.pop()
            if isinstance(item, list):
                waiting.extend(reversed(item))
                continue
            element = _element(item, whole=whole)
            if element is None:
                raise self._fail(WRONG_TYPE, f"{_shown(item)} is no element of {dtype} data", path)
            flat.append(element)
        return tuple(flat)

    # ------------------------------------------------------------------ attributes

    def _attrs(self, case: Mapping[str, object]) -> Mapping[str, AttrValue]:
        found: dict[str, AttrValue] = {}
        for name, value in self._section(case, "attrs", self.names.attrs, "attribute").items():
            kind = self.names.attrs[name].type
            with suppress(_Malformed):
                found[name] = self._attr(value, kind, ("attrs", name))
        return found

    def _attr(self, value: object, kind: AttrType, path: JsonPath) -> AttrValue:
        if kind is AttrType.LIST_LIST_INT:
            return tuple(
                tuple(self._int(item, (*path, row, index)) for index, item in enumerate(items))
                for row, items in enumerate(
                    self._list(items, (*path, row)) for row, items in enumerate(self._list(value, path))
                )
            )
        item_kind = _ITEM_KINDS.get(kind)
        if item_kind is None:
            return self._attr_scalar(value, kind, path)
        return tuple(
            self._attr_scalar(item, item_kind, (*path, index))
            for index, item in enumerate(self._list(value, path))
        )

    def _attr_scalar(self, value: object, kind: AttrType, path: JsonPath) -> AttrScalar:
        match kind:
            case AttrType.INT:
                return self._int(value, path)
            case AttrType.FLOAT:
                return self._float(value, path)
            case AttrType.DTYPE:
                return self._dtype(value, path)
            case AttrType.BOOL:
                if not isinstance(value, bool):
                    raise self._wrong(value, "true or false", path)
                return value
            case _:
                return self._text(value, path)

    def _text(self, value: object, path: JsonPath) -> str:
        text = self._string(value, path)
        if "\0" in text:
            raise self._fail(
                WRONG_TYPE, f"'{path[-1]}' has a NUL character, where the host ends a text", path
            )
        return text

    # ------------------------------------------------------------------ JSON types

    def _wrong(self, value: object, wanted: str, path: JsonPath) -> _Malformed:
        where = next((str(step) for step in reversed(path) if isinstance(step, str)), "the case")
        return self._fail(WRONG_TYPE, f"'{where}' must be {wanted}, not {_shown(value)}", path)

    def _string(self, value: object, path: JsonPath) -> str:
        if not isinstance(value, str):
            raise self._wrong(value, "a string", path)
        return value

    def _int(self, value: object, path: JsonPath) -> int:
        if not isinstance(value, int) or isinstance(value, bool):
            raise self._wrong(value, "an integer", path)
        if not _INT64_MIN <= value <= _INT64_MAX:
            raise self._fail(OUT_OF_RANGE, f"{value} does not fit a 64-bit integer", path)
        return value

    def _float(self, value: object, path: JsonPath) -> float:
        if isinstance(value, str) and value in _FLOAT_NAMES:
            return float(value)
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise self._wrong(value, "a number", path)
        try:
            return float(value)
        except OverflowError:
            raise self._fail(OUT_OF_RANGE, "the number is too large", path) from None

    def _dtype(self, value: object, path: JsonPath) -> str:
        name = self._string(value, path)
        if name not in DTYPES:
            help = did_you_mean(name, DTYPES) or "known: " + ", ".join(DTYPES)
            raise self._fail(UNKNOWN_DTYPE, f"unknown dtype '{name}'", path, help)
        return name

    def _list(self, value: object, path: JsonPath) -> list[object]:
        if not isinstance(value, list):
            raise self._wrong(value, "a list", path)
        return value

    def _mapping(self, value: object, path: JsonPath) -> dict[str, object]:
        if not isinstance(value, dict):
            raise self._wrong(value, "an object", path)
        return value


_ITEM_KINDS = {
    AttrType.LIST_INT: AttrType.INT,
    AttrType.LIST_FLOAT: AttrType.FLOAT,
    AttrType.LIST_BOOL: AttrType.BOOL,
    AttrType.LIST_STR: AttrType.STR,
}


def _element(item: object, *, whole: bool) -> Number | None:
    """One element of tensor data, None when the dtype cannot hold it."""
    if isinstance(item, bool):
        return item
    if isinstance(item, int) and _INT64_MIN <= item <= _UINT64_MAX:
        return item if whole else float(item)
    if isinstance(item, float) and not whole:
        return item
    if isinstance(item, str) and item in _FLOAT_NAMES and not whole:
        return float(item)
    return None


def _shown(value: object) -> str:
    """A JSON value for a message, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False).encode("utf-8", "backslashreplace").decode("utf-8")
    return text if len(text) <= 40 else text[:37] + "..."

"""What the host tells the kernel: tiling data, key, workspace and block dim of a call."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, cast

from qsfa_codegen.contract.calls import TilingResult
from qsfa_codegen.contract.env import CallEnv, SpoiltError
from qsfa_codegen.expr.evaluate import compiled
from qsfa_codegen.expr.floats import single_precision
from qsfa_codegen.expr.limits import INT64_MAX, UINT32_MAX
from qsfa_codegen.expr.nodes import Expr, Kind
from qsfa_codegen.expr.values import EvalError, Value
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.layout import KEY_BITS, CType, Packer, encode_key, library_structs
from qsfa_codegen.spec.model import Operator, Tiling, WorkspaceTerm

Number = int | float | bool


class Unfit(NamedTuple):
    """A value that its place in the tiling cannot hold, or (``value`` None) that has no value."""

    id: str
    parameter: str
    value: Number | None
    reason: str


class FieldRule(NamedTuple):
    """A stored value with the id of its check and the range of its place (None: a float, anything fits)."""

    id: str
    parameter: str
    run: Callable[[CallEnv], Number]
    low: int | None
    high: int | None
    value: Expr | None = None

    def store(self, env: CallEnv) -> Number | Unfit | None:
        """The value as it is stored; None when it depends on something that is already reported."""
        try:
            value = self.run(env)
        except SpoiltError:
            return None
        except EvalError as error:
            return Unfit(self.id, self.parameter, None, str(error))
        if self.low is None or self.high is None or self.low <= value <= self.high:
            return value
        return Unfit(self.id, self.parameter, value, f"not in {self.low} to {self.high}")


class TilingRule:
    """How tiling follows from a call; compiled once for an operator."""

    def __init__(self, operator: Operator, tiling: Tiling) -> None:
        self._tiling = tiling
        codes = {e.name: {label.name: label.code for label in e.labels} for e in operator.enums}
        self._packer = None if tiling.data is None else Packer(tiling.data)
        # What a library fills has bytes that nobody here knows.
        self._packs = tiling.data is not None and not library_structs(tiling.data)
        entries = () if self._packer is None else self._packer.layout.entries
        self.fields = tuple(
            _field(entry.field.name, entry.path, entry.field.value, entry.ctype, codes) for entry in entries
        )
        args = () if tiling.key is None else tiling.key.args
        self._key_args = tuple(
            FieldRule("key_fits", arg.name, _number(arg.value, codes), None, None) for arg in args
        )
        plain = None if tiling.key is None else tiling.key.plain
        self._plain_key = (
            None if plain is None else FieldRule("key_fits", "key", _number(plain, codes), 0, 2**KEY_BITS - 1)
        )
        self._workspace = {arch: _workspace(terms) for arch, terms in tiling.workspace}
        self._block_dim = (
            None
            if tiling.block_dim is None
            else FieldRule("block_dim_fits", "block_dim", _number(tiling.block_dim, codes), 0, UINT32_MAX)
        )

    def run(self, env: CallEnv, arch: str) -> TilingResult | tuple[Unfit, ...]:
        """The tiling, or everything that does not fit."""
        fields = [field.store(env) for field in self.fields]
        key = self._key(env)
        workspace = self._workspace.get(arch, _workspace(())).store(env)
        block_dim = None if self._block_dim is None else self._block_dim.store(env)
        found = [value for value in (*fields, key, workspace, block_dim) if isinstance(value, Unfit)]
        if found or workspace is None or None in fields:
            return tuple(found)
        numbers = [value for value in fields if value is not None and not isinstance(value, Unfit)]
        return TilingResult(
            key=None if key is None or isinstance(key, Unfit) else int(key),
            block_dim=None if block_dim is None or isinstance(block_dim, Unfit) else int(block_dim),
            schedule_mode=self._tiling.schedule_mode,
            workspace=() if isinstance(workspace, Unfit) else (int(workspace),),
            data=None if self._packer is None else self._packer.nested(numbers),
            bytes=self._packer.pack(numbers) if self._packer is not None and self._packs else None,
        )

    def _key(self, env: CallEnv) -> Number | Unfit | None:
        if self._plain_key is not None:
            return self._plain_key.store(env)
        if self._tiling.key is None:
            return None
        codes: list[int] = []
        for stored, arg in zip(self._key_args, self._tiling.key.args, strict=True):
            code = stored.store(env)
            if code is None or isinstance(code, Unfit):
                return code
            if code not in arg.declared:
                return Unfit("key_fits", arg.name, code, f"not one of {list(arg.declared)}")
            codes.append(int(code))
        return encode_key(self._tiling.key.args, codes)


_Codes = dict[str, dict[str, int]]


def _field(name: str, path: str, value: Expr, ctype: CType, codes: _Codes) -> FieldRule:
    number = _number(value, codes)
    if ctype.minimum is not None:
        run = number
    elif ctype.size == 4:
        run = lambda env: single_precision(number(env))  # noqa: E731
    else:
        run = lambda env: float(number(env))  # noqa: E731
    return FieldRule(f"{name}_fits", path, run, ctype.minimum, ctype.maximum, value)


def _number(value: Expr, codes: _Codes) -> Callable[[CallEnv], Number]:
    """The value as the number that is stored: enum labels and dtypes by their codes, bools as 0 and 1."""
    run = compiled(value)
    match value.type.kind:
        case Kind.ENUM:
            labels = codes[value.type.enum or ""]
            return lambda env: labels[str(run(env))]
        case Kind.DTYPE:
            return lambda env: DTYPES[str(run(env))].code
        case Kind.BOOL:
            return lambda env: 1 if run(env) else 0
        case _:
            return cast(Callable[[CallEnv], Number], run)  # what the parser says of its type


def _as_number(value: Value) -> Number:
    assert isinstance(value, int | float)
    return value


def _workspace(terms: tuple[WorkspaceTerm, ...]) -> FieldRule:
    """Bytes: what the library reserves, and every term that applies."""
    runs = [(None if term.when is None else compiled(term.when), compiled(term.bytes)) for term in terms]

    def sizes(env: CallEnv) -> Iterator[Number]:
        for when, size in runs:
            if when is None or when(env):
                yield _as_number(size(env))

    def total(env: CallEnv) -> Number:
        return env.platform("libapi_workspace") + sum(sizes(env))

    return FieldRule("workspace_fits", "workspace", total, 0, INT64_MAX)

"""A call as expressions see it: names, facts about inputs, and which facts are spoilt."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from qsfa_codegen.contract.calls import UNKNOWN_DIM, UNKNOWN_RANK, InputArg, TensorArg
from qsfa_codegen.expr import int64
from qsfa_codegen.expr.evaluate import compiled
from qsfa_codegen.expr.nodes import Query, RefKind
from qsfa_codegen.expr.values import OVERFLOW, UNBOUND, UNKNOWN, EvalError, Value
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Chip, Fact, InputKind, Operator, Presence, Rest

Run = Callable[["CallEnv"], Value]
Extern = Callable[..., Value]


# Members of an enum are slow to look up, and these are looked up for every node of every rule.
_COLUMN = RefKind.COLUMN
_PRESENT, _DTYPE, _DIM, _RANK = Query.PRESENT, Query.DTYPE, Query.DIM, Query.RANK


class SpoiltError(Exception):
    """An expression reads a fact that a violated check should have established."""


class _Column(NamedTuple):
    """Where a call's dtype of a column comes from: a choosing attribute, or the first passed input."""

    attr: str | None
    inputs: tuple[str, ...]
    fallback: str | None


class OperatorTables(NamedTuple):
    """What every call of an operator shares: names ready to evaluate."""

    derived: Mapping[str, Run]  # dims, lets and tiling lets
    dims: frozenset[str]
    rests: Mapping[str, Rest]
    records: Mapping[str, tuple[Run, Mapping[str, Run]]]  # elements, and the offset of each field
    columns: Mapping[str, _Column]
    codes: Mapping[str, Mapping[str, int]]
    by_chip: Mapping[str, Mapping[str, Value]]  # constants and facts of the platform
    externs: Mapping[str, Extern]
    lists: frozenset[str]
    empty_is_absent: frozenset[str]

    @classmethod
    def of(cls, operator: Operator, externs: Mapping[str, Extern] | None = None) -> OperatorTables:
        """The tables of ``operator``; ``externs`` are the Python forms of its extern functions."""
        lets = [*operator.lets, *(operator.tiling.lets if operator.tiling is not None else ())]
        return cls(
            derived={d.name: compiled(d.value) for d in operator.dims}
            | {let.name: compiled(let.value) for let in lets},
            dims=frozenset(d.name for d in operator.dims),
            rests={r.name: r for r in operator.rests},
            records={
                r.name: (
                    compiled(r.elements),
                    {f.name: compiled(at) for f, at in zip(r.fields, r.offsets, strict=True)},
                )
                for r in operator.records
            },
            columns={name: _column(operator, name) for name in operator.dtypes.columns},
            codes={e.name: {label.name: label.code for label in e.labels} for e in operator.enums},
            by_chip={chip.id: names_on(operator, chip) for chip in operator.chips},
            externs=externs or {},
            lists=frozenset(i.name for i in operator.inputs if i.kind is InputKind.TENSOR_LIST),
            empty_is_absent=frozenset(i.name for i in operator.inputs if i.empty_is_absent),
        )

    def names_of(self, chip: Chip, platform: Mapping[str, int]) -> Mapping[str, Value]:
        """Values that do not depend on the rest of the call."""
        usual = self.by_chip[chip.id]
        return {**usual, **platform} if platform else usual


def names_on(operator: Operator, chip: Chip) -> Mapping[str, Value]:
    """Constants, and what is known of a chip."""
    return {
        **{c.name: c.value for c in operator.consts},
        "chip": chip.id,
        "arch": chip.arch,
        "aic": chip.aic,
        "aiv": chip.aiv,
        "ub_size": chip.ub,
        "libapi_workspace": chip.libapi_workspace,
    }


def _column(operator: Operator, name: str) -> _Column:
    carriers = [i for i in operator.inputs if i.dtype.column == name]
    carriers.sort(key=lambda i: i.presence is not Presence.REQUIRED)
    return _Column(
        attr=dict(operator.dtypes.select).get(name),
        inputs=tuple(i.name for i in carriers),
        fallback=dict(operator.dtypes.unbound).get(name),
    )


class CallEnv:
    """The ``Env`` of one call.

    With ``infer`` a dim of -1 and everything about a shape of [-2] is UNKNOWN, and
    ``met_unknown_rank`` tells that such a shape was read. Without it they are ordinary numbers.
    """

    def __init__(
        self,
        tables: OperatorTables,
        names: Mapping[str, Value],
        attrs: Mapping[str, Value],
        inputs: Mapping[str, InputArg],
        *,
        infer: bool = False,
    ) -> None:
        self.met_unknown_rank = False
        self._tables = tables
        self._infer = infer
        self._names = names
        self._attrs = attrs
        self.values: dict[str, Value] = {**names, **attrs}
        self._lists: dict[str, tuple[TensorArg, ...]] = {}
        self._args: dict[str, TensorArg] = {}
        self._spoilt: set[tuple[str, str]] = set()
        self._item = ("", 0)
        for name, arg in inputs.items():
            self._pass(name, arg)

    def _pass(self, name: str, arg: InputArg) -> None:
        if isinstance(arg, tuple):
            self._lists[name] = arg
            if not arg:
                return
            arg = arg[0]
        if name not in self._tables.empty_is_absent or 0 not in arg.shape:
            self._args[name] = arg

    # ------------------------------------------------------------------ for the evaluator

    def arg(self, name: str) -> TensorArg | None:
        """The tensor at an input (the first one of a list); None when it is not passed."""
        return self._args.get(name)

    def forget(self) -> None:
        """Compute dims and lets anew when they are needed again."""
        self.values = {**self._names, **self._attrs}
        for kind, name in self._spoilt:
            if kind == "attr":
                self.values.pop(name, None)

    def spoil(self, facts: Sequence[Fact]) -> None:
        """From now on, whatever reads one of ``facts`` raises SpoiltError."""
        self._spoilt.update((fact.kind, fact.name) for fact in facts)
        self.forget()

    @property
    def infer(self) -> bool:
        """Whether unknown dims and ranks are UNKNOWN."""
        return self._infer

    def platform(self, name: str) -> int:
        """A fact about the device."""
        value = self._names[name]
        assert isinstance(value, int)
        return value

    def platform_name(self, name: str) -> str:
        """``chip`` or ``arch`` of the device."""
        return str(self._names[name])

    def count(self, name: str) -> int:
        """How many tensors a list input has."""
        return len(self._lists.get(name, ()))

    def select_item(self, name: str, index: int) -> None:
        """Let facts about the list input ``name`` mean its tensor ``index``; dims keep meaning the first."""
        self._item = (name, index)
        self._args[name] = self._lists[name][index]

    # ------------------------------------------------------------------ Env

    def ref(self, kind: RefKind, name: str) -> Value:
        """The value of a name."""
        if kind is _COLUMN:
            return self._dtype_of_column(name)
        try:
            return self.values[name]
        except KeyError:
            return self._compute(name)

    def _compute(self, name: str) -> Value:
        kind = "dim" if name in self._tables.dims else "attr"
        if (kind, name) in self._spoilt:
            raise SpoiltError(name)
        item = self._item
        if item[1]:
            self.select_item(item[0], 0)
        try:
            run = self._tables.derived.get(name)
            value = run(self) if run is not None else self._rest(name)
        finally:
            if item[1]:
                self.select_item(*item)
        self.values[name] = value
        return value

    def _rest(self, name: str) -> Value:
        rest = self._tables.rests.get(name)
        if rest is None:
            raise EvalError(UNBOUND, None, f"{name} has no value")
        tail = rest.fixed_after
        for other in rest.rests_after:
            length = self.ref(RefKind.REST, other)
            if not isinstance(length, tuple):
                return UNKNOWN
            tail += len(length)
        return self.query(Query.DIMS, rest.input, rest.fixed_before, tail)

    def _dtype_of_column(self, name: str) -> Value:
        column = self._tables.columns[name]
        if column.attr is not None:
            return self.ref(RefKind.ATTR, column.attr)
        for param in column.inputs:
            if self._spoilt:
                self._guard(Query.DTYPE, param)
            if param in self._args:
                return self._args[param].dtype
        if column.fallback is not None:
            return self._dtype_of_column(column.fallback)
        raise EvalError(UNBOUND, None, f"no input tells the dtype of column {name}")

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> Value:
        """A fact about an input."""
        if self._spoilt:
            self._guard(query, param)
        arg = self._args.get(param)
        if query is _PRESENT:
            return arg is not None
        if arg is None:
            if query is Query.COUNT and param in self._lists:
                return 0
            raise EvalError(UNBOUND, None, f"{param} is not passed")
        if query is _DTYPE:
            return arg.dtype
        if self._infer and arg.shape == UNKNOWN_RANK and query is not Query.COUNT:
            self.met_unknown_rank = True
            return UNKNOWN
        if query is _RANK:
            return len(arg.shape)
        if query is _DIM:
            return self._axis(arg.shape, axis)
        return self.count(param) if query is Query.COUNT else self._whole(query, arg.shape, axis, tail)

    def _axis(self, shape: tuple[int, ...], axis: int | None) -> Value:
        assert axis is not None
        try:
            size = shape[axis]
        except IndexError:
            raise EvalError(UNBOUND, None, f"there is no axis {axis}") from None
        return UNKNOWN if size == UNKNOWN_DIM and self._infer else size

    def _whole(self, query: Query, shape: tuple[int, ...], axis: int | None, tail: int) -> Value:
        dims = tuple(UNKNOWN if size == UNKNOWN_DIM and self._infer else size for size in shape)
        if query is Query.DIMS:
            return dims[axis or 0 : max(len(dims) - tail, 0)]
        if query is not Query.NUMEL:
            raise EvalError(UNBOUND, None, f"a call does not tell the {query.value}")
        if UNKNOWN in dims:
            return UNKNOWN
        try:
            return int64.product(shape)
        except OverflowError:
            raise EvalError(OVERFLOW) from None

    def _guard(self, query: Query, param: str) -> None:
        """Raise when the fact is spoilt: by the input's presence, and by what the query asks for."""
        kind = _FACT_OF_QUERY.get(query, "rank")
        if ("input", param) in self._spoilt or (kind, param) in self._spoilt:
            raise SpoiltError(param)

    def contents(self, param: str) -> Sequence[int]:
        """Every element of an input whose data the call gives."""
        arg = self._args.get(param)
        if arg is None or arg.data is None:
            raise EvalError(UNBOUND, None, f"the contents of {param} are not known")
        return [int(element) for element in arg.data]

    def call(self, function: str, args: tuple[Value, ...]) -> Value:
        """A function of the operator, the chip or the spec's externs."""
        match function, args:
            case "elements", (str(record),):
                return self._tables.records[record][0](self)
            case "offset", (str(record), str(field)):
                return self._tables.records[record][1][field](self)
            case "sizeof", (str(dtype),):
                return -(-DTYPES[dtype].bits // 8)
            case "code", (str(enum), str(label)):
                return self._code(enum, label)
            case "tsch_block_dim", (int(slices), int(aic), int(aiv)):
                return tsch_block_dim(slices, aic, aiv)
            case _ if function in self._tables.externs:
                return self._tables.externs[function](*args)
        raise EvalError(UNBOUND, None, f"{function} cannot be evaluated here")

    def _code(self, enum: str, label: str) -> int:
        codes = self._tables.codes[enum]
        if label not in codes:
            raise EvalError(UNBOUND, None, f"{enum} has no label {label}")
        return codes[label]


_FACT_OF_QUERY = {Query.PRESENT: "input", Query.COUNT: "input", Query.DTYPE: "dtype"}


def tsch_block_dim(slices: int, aic: int, aiv: int) -> int:
    """How many groups of cores the task scheduler starts for ``slices`` slices of work.

    A device with cube and vector cores starts groups of one cube core and aiv / aic vector cores, a
    slice for each vector core. The result is 0 when two vector cores stand by each cube core and the
    slices need more groups than there are cube cores.
    """
    if aic <= 0 or aiv <= 0 or aic > aiv:
        return slices
    vectors_per_group = aiv // aic
    groups = -(-slices // vectors_per_group)
    return 0 if vectors_per_group == 2 and groups > aic else groups

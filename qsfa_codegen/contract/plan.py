"""A call in terms of its degrees of freedom, and the concrete call that follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, NamedTuple

from qsfa_codegen.contract.calls import Call, InputArg, TensorArg
from qsfa_codegen.contract.domains import AttrDomain, Sizes, sizes_of
from qsfa_codegen.contract.env import CallEnv, OperatorTables
from qsfa_codegen.contract.infer import choice_run, sizes_run
from qsfa_codegen.contract.reads import ReadIndex
from qsfa_codegen.expr.evaluate import compiled
from qsfa_codegen.expr.nodes import Query, RefKind
from qsfa_codegen.expr.values import UNBOUND, EvalError, Value
from qsfa_codegen.spec.model import (
    AttrValue,
    Chip,
    Dim,
    DimItem,
    DtypeRef,
    Input,
    InputKind,
    Operator,
    Presence,
    Table,
    leaves,
)

_FIRST_SIZE = 2
_MAX_ITEMS = 64
_ENVS = 64
_NO_CHOICE: Mapping[str, Any] = MappingProxyType({})


class Plan(NamedTuple):
    """What a caller chooses. Names that are left out take their usual value.

    ``dims`` may also hold a derived dim, which then breaks its rule. ``passed`` overrides what the
    presence tables say; for an optional input that is a free choice. ``options`` is the number of the
    size that an input has where its shape offers several. ``resized`` changes one axis of an input by
    so much, after the rest of the plan gave its shape.
    """

    chip: Chip
    row: tuple[str, ...]
    attrs: Mapping[str, AttrValue] = _NO_CHOICE
    dims: Mapping[str, int] = _NO_CHOICE
    rests: Mapping[str, tuple[int, ...]] = _NO_CHOICE
    passed: Mapping[str, bool] = _NO_CHOICE
    platform: Mapping[str, int] = _NO_CHOICE
    options: Mapping[str, int] = _NO_CHOICE
    resized: Mapping[str, tuple[int, int]] = _NO_CHOICE

    def with_attr(self, name: str, value: AttrValue) -> Plan:
        """This plan with another attribute value."""
        return self._replace(attrs={**self.attrs, name: value})

    def with_dim(self, name: str, size: int) -> Plan:
        """This plan with another size of a dim, everywhere it stands."""
        return self._replace(dims={**self.dims, name: size})

    def with_rest(self, name: str, dims: tuple[int, ...]) -> Plan:
        """This plan with other dims of a rest."""
        return self._replace(rests={**self.rests, name: dims})

    def with_passed(self, name: str, passed: bool) -> Plan:
        """This plan with an input passed, or not."""
        return self._replace(passed={**self.passed, name: passed})

    def with_option(self, name: str, option: int) -> Plan:
        """This plan with another of the sizes that an input's shape offers."""
        return self._replace(options={**self.options, name: option})


class PlanEnv(CallEnv):
    """A plan as expressions see it: dims are chosen, and the inputs' shapes follow from them."""

    def __init__(self, builder: Builder, plan: Plan) -> None:
        tables = builder.tables
        super().__init__(tables, tables.names_of(plan.chip, plan.platform), builder.defaults, {})
        self._builder = builder
        self.plan = plan
        self.attrs = builder.attrs_of(plan, self)
        self.values.update(self.attrs)
        self.values.update(builder.sizes_of(plan, self))

    def _dtype_of_column(self, name: str) -> Value:
        return self.plan.row[self._builder.columns.index(name)]

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> Value:
        """A fact about an input that the plan implies."""
        if query is Query.PRESENT:
            return self._builder.passed(self._builder.inputs[param], self.plan, self)
        if param not in self._args:
            arg = self._builder.arg(self._builder.inputs[param], self)
            self._pass(param, arg)
            if param not in self._args:
                raise EvalError(UNBOUND, None, f"{param} is empty")
        return super().query(query, param, axis, tail)


class Builder:
    """Makes the calls of one operator from plans."""

    def __init__(self, operator: Operator, tables: OperatorTables, index: ReadIndex) -> None:
        self._operator = operator
        derived = {d.name: compiled(d.derived) for d in operator.dims if d.derived is not None}
        free = {d.name for d in operator.dims} - derived.keys()
        kept = {name: run for name, run in tables.derived.items() if name not in free}
        self.tables = tables._replace(derived={**kept, **derived}, rests={})
        self.columns = operator.dtypes.columns
        self.inputs = {i.name: i for i in operator.inputs}
        self.defaults: dict[str, Value] = {a.name: a.default for a in operator.attrs if a.default is not None}
        self.free_dims = tuple(d for d in operator.dims if d.derived is None)
        self._required = frozenset(a.name for a in operator.attrs if a.required)
        self._varying = frozenset(d.name for d in self.free_dims if _depends_on_call(d, index))
        self._envs: dict[int, PlanEnv] = {}
        self._usual: dict[str, dict[str, AttrValue]] = {}
        self._usual_sizes: dict[str, dict[str, Value]] = {}
        self._presence = {i.name: choice_run(i.presence, _itself) for i in operator.inputs}
        self.options = {i.name: _options(i) for i in operator.inputs}
        self._shapes = {
            (i.name, option): choice_run(i.shape, partial(sizes_run, option=option))
            for i in operator.inputs
            if i.shape is not None
            for option in range(self.options[i.name])
        }

    def env(self, plan: Plan) -> PlanEnv:
        """What expressions see of ``plan``; the last few are kept, since each is asked for several times."""
        env = self._envs.get(id(plan))
        if env is None:
            if len(self._envs) >= _ENVS:
                self._envs.clear()
            env = self._envs[id(plan)] = PlanEnv(self, plan)  # which holds the plan
        return env

    # ------------------------------------------------------------------ choices

    def attrs_of(self, plan: Plan, env: CallEnv) -> Mapping[str, AttrValue]:
        """Every attribute's value: chosen, by the dtype row, or its usual one."""
        usual = self._usual.get(plan.chip.id)
        if usual is None:
            usual = self._usual[plan.chip.id] = {}
            for attr in self._operator.attrs:
                value = AttrDomain(self._operator, attr, env).usual
                if value is not None:
                    usual[attr.name] = value
        by_row: dict[str, AttrValue] = {
            attr: plan.row[self.columns.index(column)] for column, attr in self._operator.dtypes.select
        }
        return {**usual, **by_row, **plan.attrs}

    def sizes_of(self, plan: Plan, env: CallEnv) -> Mapping[str, Value]:
        """Every dim's size: chosen, or a small one that differs from dim to dim."""
        usual = self._usual_sizes.get(plan.chip.id)
        if usual is None:
            usual = self._usual_sizes[plan.chip.id] = {
                **{d.name: self._usual_size(d, env) for d in self.free_dims if d.name not in self._varying},
                **self._usual_rests(),
            }
        varying = {
            d.name: self._usual_size(d, env)
            for d in self.free_dims
            if d.name in self._varying and d.name not in plan.dims
        }
        return {**usual, **varying, **plan.dims, **plan.rests}

    def _usual_size(self, dim: Dim, env: CallEnv) -> int:
        return sizes_of(dim, env).near(_FIRST_SIZE + self.free_dims.index(dim))

    def _usual_rests(self) -> Mapping[str, Value]:
        found: dict[str, Value] = {}
        for number, rest in enumerate(self._operator.rests):
            length = min(max(_FIRST_SIZE - number, rest.min_rank, 1), rest.max_rank)
            found[rest.name] = tuple(range(_FIRST_SIZE, _FIRST_SIZE + length))
        return found

    def domain(self, name: str, plan: Plan) -> Sizes:
        """What the dim ``name`` may be in the case of ``plan``."""
        dim = next(d for d in self._operator.dims if d.name == name)
        return sizes_of(dim, self.env(plan))

    def attr_domain(self, name: str, plan: Plan) -> AttrDomain:
        """What the attribute ``name`` accepts in the case of ``plan``."""
        attr = next(a for a in self._operator.attrs if a.name == name)
        return AttrDomain(self._operator, attr, self.env(plan))

    def presence(self, name: str, plan: Plan) -> Presence | None:
        """What is declared of an input's presence in the case of ``plan``."""
        return self._presence[name](self.env(plan))

    # ------------------------------------------------------------------ calls

    def call(self, plan: Plan) -> Call:
        """The call that ``plan`` describes."""
        env = self.env(plan)
        inputs = {
            name: self.arg(param, env) for name, param in self.inputs.items() if self.passed(param, plan, env)
        }
        names = (a.name for a in self._operator.attrs if a.name in env.attrs)
        attrs = {name: env.attrs[name] for name in names if self._told(name, env.attrs[name])}
        return Call(id="", chip=plan.chip.id, inputs=inputs, attrs=attrs, platform=dict(plan.platform))

    def _told(self, name: str, value: AttrValue) -> bool:
        """A caller says what the registered default does not say, and what is required."""
        return name in self._required or value != self.defaults.get(name)

    def passed(self, param: Input, plan: Plan, env: CallEnv) -> bool:
        """Whether the plan passes an input."""
        chosen = plan.passed.get(param.name)
        return self._presence[param.name](env) is Presence.REQUIRED if chosen is None else chosen

    def arg(self, param: Input, env: PlanEnv) -> InputArg:
        """What stands at an input."""
        dtype = self._dtype(param.dtype, env)
        if param.kind is InputKind.SCALAR:
            return TensorArg(dtype, ())
        tensor = TensorArg(dtype, self._shape(param, env))
        if param.kind is not InputKind.TENSOR_LIST:
            return tensor
        count = 1 if param.count is None else compiled(param.count)(env)
        if not isinstance(count, int) or not 0 <= count <= _MAX_ITEMS:
            raise EvalError(UNBOUND, None, f"{count} tensors are too many")
        return (tensor,) * count

    def _dtype(self, dtype: DtypeRef, env: CallEnv) -> str:
        while dtype.follow is not None:
            dtype = self.inputs[dtype.follow].dtype
        return dtype.fixed if dtype.fixed is not None else str(env.ref(RefKind.COLUMN, str(dtype.column)))

    def _shape(self, param: Input, env: PlanEnv) -> tuple[int, ...]:
        choose = self._shapes.get((param.name, env.plan.options.get(param.name, 0)))
        sizes_of_shape = None if choose is None else choose(env)
        if sizes_of_shape is None:
            return (1,)  # nothing is said about the shape
        shape = [size for size in sizes_of_shape(env) if isinstance(size, int)]
        axis, step = env.plan.resized.get(param.name, (0, 0))
        if step and -len(shape) <= axis < len(shape):
            shape[axis] += step
        return tuple(shape)


def _options(param: Input) -> int:
    """How many sizes the shape of an input offers for some axis."""
    shapes = leaves(param.shape) if param.shape is not None else ()
    items = (item for shape in shapes for item in shape.items)
    return max((len(item.options) for item in items if isinstance(item, DimItem)), default=0) or 1


def _depends_on_call(dim: Dim, index: ReadIndex) -> bool:
    """Whether the dim's domain depends on more than the chip."""
    selectors = []
    choice: object = dim.values
    while isinstance(choice, Table):
        selectors.append(choice.selector)
        choice = choice.cases[0][1]
    reads = index.of((dim.minimum, dim.maximum, dim.multiple_of, *selectors))
    return bool(reads.attrs or reads.dims or reads.inputs or reads.rests)


def _itself(presence: Presence) -> Presence:
    return presence

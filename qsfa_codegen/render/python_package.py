"""The operator as a Python package: its schema, checks and rows, and its family's computation on the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.expr.nodes import RefKind
from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.family_facts import family_facts
from qsfa_codegen.render.python_contents import render_contents
from qsfa_codegen.render.python_contract import python_contract, render_contract
from qsfa_codegen.render.python_names import let_function
from qsfa_codegen.render.python_rows import (
    RowParam,
    has_rows,
    record_class,
    render_hifloat8,
    render_rows,
    row_params,
    uses_hifloat8,
)
from qsfa_codegen.render.python_text import call, docstring, quoted
from qsfa_codegen.render.text import one_line, python_string
from qsfa_codegen.render.torch_schema import has_torch, schema_pieces
from qsfa_codegen.spec import families
from qsfa_codegen.spec.columns import column_dtype
from qsfa_codegen.spec.families import Kind
from qsfa_codegen.spec.model import Record

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.families import Family
    from qsfa_codegen.spec.model import Operator


@once_an_operator
def has_cpu(operator: Operator) -> bool:
    """Whether the operator is computed on the CPU: its reference is of a family that the program knows."""
    if not has_torch(operator) or not has_rows(operator):
        return False
    family = families.reference_family(operator)
    return family is not None and not list(families.problems(operator)) and not unbound_roles(operator)


def unbound_roles(operator: Operator) -> list[tuple[str, str]]:
    """Roles of the reference's family, with what plays them, that are no arguments of the torch operator."""
    family, bound = families.reference_family(operator), python_contract(operator).by_source
    if family is None:
        return []
    kinds = (Kind.INPUT, Kind.INT, Kind.FLOAT)
    return [(r, t) for r, t in _roles(operator) if family.roles.get(r) in kinds and t not in bound]


def _has_contents(operator: Operator) -> bool:
    return has_cpu(operator) and bool(operator.contents)


def _roles(operator: Operator) -> tuple[tuple[str, str], ...]:
    return operator.kernel.roles if operator.kernel is not None else ()


# --------------------------------------------------------------------------- a family's modules


class _FamilyView:
    """What the templates of a family read: roles under the names that they have in the operator."""

    def __init__(self, operator: Operator, family: Family) -> None:
        self._contract = python_contract(operator)
        self._operator = self._contract.operator
        self._family = family
        self._targets = dict(_roles(operator))

    def view(self) -> dict[str, Any]:
        causal = self._targets.get("causal")
        return {
            "binding": self._contract.binding,
            "roles": {role: self._named(role) for role in self._family.roles},
            "args": {role: self._argument(role) for role in self._family.roles},
            "stats": {"row_max", "row_sum"} <= self._targets.keys(),
            "causal": None if causal is None else self._contract.names.ref(RefKind.LET, causal),
            "causal_function": None if causal is None else let_function(causal),
            "causal_reads_dims": causal is not None and "dims" in self._contract.names.let_args(causal),
            "row": self._row(),
        }

    def _named(self, role: str) -> str:
        """A role's parameter for people, under the name that callers know."""
        target = self._targets.get(role, role)
        given = self._contract.by_source.get(target)
        return target if given is None else given.name

    def _argument(self, role: str) -> str:
        """The Python of a role's argument."""
        kind, target = self._family.roles[role], self._targets.get(role)
        if target is None:
            return "1" if kind is Kind.INT else "None"
        if kind is Kind.INT:
            return self._contract.names.ref(RefKind.ATTR, target)
        # Torch rounds a factor to 32 bits, as it is passed to the device.
        return self._contract.names.param(target) if kind in (Kind.INPUT, Kind.FLOAT) else ""

    def _row(self) -> dict[str, Any]:
        record = self._operator.find(Record, self._targets["row"])
        assert record.dequant is not None
        made = [
            f"{p.name}={text}" for p in row_params(self._operator, record) if (text := self._row_argument(p))
        ]
        plain = families.plain_fields(record)
        order = {record.dequant.field: "quantised", record.dequant.by: "scale"}
        return {
            "cls": record_class(record),
            "made": call(f"return {record_class(record)}(", made, ")"),
            "dequant": record.dequant.field,
            "plain": plain,
            "pack_args": ", ".join(order.get(f.name, "rotary.to(plain.dtype)") for f in record.fields),
        }

    def _row_argument(self, param: RowParam) -> str:
        """What a call has for a parameter of a row; empty for what is the same in every call."""
        span = self._operator.name_span
        if param.kind == "column":
            return self._contract.names.text(column_dtype(self._operator, str(param.source), span))
        if not isinstance(param.source, tuple) or param.source[0] is RefKind.CONST:
            return ""
        return self._contract.names.ref(*param.source)


def has_model(operator: Operator) -> bool:
    """Whether the package has a model side."""
    return operator.serving is not None and has_cpu(operator) and family_facts(operator) is not None


def family_view(operator: Operator) -> dict[str, Any]:
    """What templates of the operator's family read."""
    family = families.reference_family(operator)
    assert family is not None
    return _FamilyView(operator, family).view()


def _family_module(template: str) -> Callable[[Operator, Templates], str]:
    def render(operator: Operator, templates: Templates) -> str:
        family = families.reference_family(operator)
        assert family is not None
        return templates.render(f"python/{family.name}/{template}.py.j2", **family_view(operator))

    return render


# --------------------------------------------------------------------------- the package


def _render_contents(operator: Operator, templates: Templates) -> str:
    return render_contents(python_contract(operator), templates)


def _render_ops(operator: Operator, templates: Templates) -> str:
    contract, cpu = python_contract(operator), has_cpu(operator)
    names = ["Call", "check", *(["make_outputs"] if contract.outputs else [])]
    imports = [f"from .contract import {', '.join(names)}"]
    imports += ["from .cpu import attend"] if cpu else []
    imports += ["from .contents import check_contents"] if _has_contents(operator) else []
    results = contract.results()
    return templates.render(
        "python/ops.py.j2",
        binding=contract.binding,
        imports=sorted(imports),
        pieces=[quoted(piece) for piece in schema_pieces(operator, contract.binding)],
        cpu=cpu,
        contents=_has_contents(operator),
        allocates=bool(contract.outputs),
        returns=_returns(len(results)),
        results=", ".join(results),
    )


def _returns(count: int) -> str:
    return {0: "None", 1: "Tensor"}.get(count, f"tuple[{', '.join(['Tensor'] * count)}]")


def _render_init(operator: Operator, templates: Templates) -> str:
    contract, cpu = python_contract(operator), has_cpu(operator)
    modules = {"contract": ["Call", "CallError", "check"], "ops": ["register"]}
    if has_rows(operator):
        modules["rows"] = sorted(record_class(record) for record in operator.records)
    if has_model(operator):
        modules["chips"] = ["Chip"]
        modules[""] = ["model"]
    if cpu:
        modules["cpu"] = ["attend"]
        modules["cache"] = ["empty_cache", "gather", "norm_rope_pack", "store"]
    names = [name for found in modules.values() for name in found]
    return templates.render(
        "python/init.py.j2",
        operator=operator,
        binding=contract.binding,
        summary=docstring(f"{operator.name}: {operator.brief.en}", 0).removesuffix('"""').rstrip("\n"),
        cpu=cpu,
        imports=[f"from .{module} import {', '.join(modules[module])}" for module in sorted(modules)],
        names=call("__all__ = [", [python_string(name) for name in sorted(names)], "]", 0),
    )


def _render_project(operator: Operator, templates: Templates) -> str:
    return templates.render(
        "python/pyproject.toml.j2", operator=operator, summary=one_line(operator.brief.en).rstrip(".")
    )


def render_tracing(_: Operator, templates: Templates) -> str:
    """The text of the module about sizes that a trace leaves open."""
    return templates.render("python/tracing.py.j2")


def _path(name: str) -> Callable[[Operator], str]:
    return lambda operator: f"python/{operator.snake}/{name}.py"


def _has_hifloat8(operator: Operator) -> bool:
    return has_torch(operator) and has_rows(operator) and uses_hifloat8(operator)


def _has_rows(operator: Operator) -> bool:
    return has_torch(operator) and has_rows(operator)


ARTEFACTS = (
    Artefact("python", lambda operator: "python/pyproject.toml", _render_project, has_torch),
    Artefact("python", lambda operator: f"python/{operator.snake}/py.typed", lambda *_: "", has_torch),
    Artefact("python", _path("__init__"), _render_init, has_torch),
    Artefact("python", _path("ops"), _render_ops, has_torch),
    Artefact("python", _path("contract"), render_contract, has_torch),
    Artefact("python", _path("tracing"), render_tracing, has_torch),
    Artefact("python", _path("contents"), _render_contents, _has_contents),
    Artefact("python", _path("rows"), render_rows, _has_rows),
    Artefact("python", _path("hifloat8"), render_hifloat8, _has_hifloat8),
    Artefact("python", _path("cpu"), _family_module("cpu"), has_cpu),
    Artefact("python", _path("cache"), _family_module("cache"), has_cpu),
)

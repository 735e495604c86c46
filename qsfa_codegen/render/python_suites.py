"""Tests of the operator that its package brings along: they run on the CPU and, built, on a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from qsfa_codegen.expr.nodes import Ref
from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.family_facts import family_facts
from qsfa_codegen.render.python_package import family_view, has_cpu
from qsfa_codegen.render.python_rows import row_params
from qsfa_codegen.render.torch import library_module
from qsfa_codegen.spec import families
from qsfa_codegen.spec.model import Input, Record
from qsfa_codegen.spec.names import snake

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Operator


def has_suites(operator: Operator) -> bool:
    """Whether all is known that the suites of its family need, and the Python package is there too."""
    has_package = not operator.emit or "python" in operator.emit
    return has_package and has_cpu(operator) and family_facts(operator) is not None


def _has_decode(operator: Operator) -> bool:
    facts = family_facts(operator) if has_suites(operator) else None
    return facts is not None and facts.decode_tolerance is not None


def _row(operator: Operator) -> dict[str, Any]:
    """The row's fields in memory order, by what the suites call their contents, and how its class is made."""
    assert operator.kernel is not None
    record = operator.find(Record, dict(operator.kernel.roles)["row"])
    assert record.dequant is not None
    own = {record.dequant.field: "nope", record.dequant.by: "scale"}
    parts = [own.get(field.name, "rope") for field in record.fields]
    before = parts[: parts.index("scale")]
    return {
        "row_parts": parts,
        "fields": f"{', '.join(parts[:-1])} and {parts[-1]}, without gaps",
        "scale_begin": " + ".join({"nope": "NOPE", "rope": "2 * rope"}[part] for part in before) or "0",
        "made_with": _made_with(operator, record),
    }


def _made_with(operator: Operator, record: Record) -> dict[str, str]:
    """Parameters of the row's class: the dtypes of rows and of Q, and the number of plain elements."""
    assert operator.kernel is not None
    roles = dict(operator.kernel.roles)
    sources = {operator.find(Input, roles[role]).dtype.column: role for role in ("q", "kv")}
    (plain,) = families.plain_fields(record)
    counts = {field.name: field.count for field in record.fields}
    names = {sources.get(str(p.source)): p.name for p in row_params(operator, record)}
    for param in row_params(operator, record):
        count = counts[plain]
        if isinstance(count, Ref) and param.source == (count.kind, count.name):
            names["plain"] = param.name
    return {str(role): name for role, name in names.items()}


def _suite(template: str) -> Callable[[Operator, Templates], str]:
    def render(operator: Operator, templates: Templates) -> str:
        family = families.reference_family(operator)
        assert family is not None
        return templates.render(
            f"python/{family.name}/suites/{template}.py.j2",
            **family_view(operator),
            **_row(operator),
            facts=family_facts(operator),
            snake=operator.snake,
            library_module=library_module(operator),
        )

    return render


def _path(pattern: str) -> Callable[[Operator], str]:
    return lambda operator: f"tests/e2e/{pattern.format(operator.snake)}.py"


def _plain_path(operator: Operator) -> str:
    assert operator.kernel is not None
    (plain,) = families.plain_fields(operator.find(Record, dict(operator.kernel.roles)["row"]))
    return f"tests/e2e/test_{operator.snake}_{snake(plain)}0.py"


ARTEFACTS = (
    Artefact("tests", _path("conftest"), _suite("conftest"), has_suites),
    Artefact("tests", _path("suite"), _suite("suite"), has_suites),
    Artefact("tests", _path("test_{}"), _suite("decode"), _has_decode),
    Artefact("tests", _plain_path, _suite("plain0"), has_suites),
)

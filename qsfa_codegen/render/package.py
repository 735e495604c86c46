"""The operator package: which files there are, and their text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from qsfa_codegen.render import (
    aclnn,
    aclnn_example,
    cases,
    cmake,
    definition,
    docs,
    infershape,
    kernel,
    proto,
    python_model,
    python_package,
    python_suites,
    row_picture,
    tiling,
    tiling_key,
    tiling_struct,
    torch,
    unit_tests,
)
from qsfa_codegen.render.header import header
from qsfa_codegen.render.templates import Templates

if TYPE_CHECKING:
    from qsfa_codegen.render.artefact import Artefact
    from qsfa_codegen.spec.model import Operator

ARTEFACTS: tuple[Artefact, ...] = (
    *definition.ARTEFACTS,
    *proto.ARTEFACTS,
    *infershape.ARTEFACTS,
    *tiling.ARTEFACTS,
    *tiling_struct.ARTEFACTS,
    *tiling_key.ARTEFACTS,
    *kernel.ARTEFACTS,
    *aclnn.ARTEFACTS,
    *torch.ARTEFACTS,
    *python_package.ARTEFACTS,
    *python_model.ARTEFACTS,
    *python_suites.ARTEFACTS,
    *cmake.ARTEFACTS,
    *docs.ARTEFACTS,
    *row_picture.ARTEFACTS,
    *aclnn_example.ARTEFACTS,
    *cases.ARTEFACTS,
    *unit_tests.ARTEFACTS,
)
"""Every file a package can have. Each artefact module gives its own as ``ARTEFACTS``."""


def render(operator: Operator, templates: Templates | None = None) -> dict[str, str]:
    """Text of each file by its path in the package, for the groups in ``operator.emit`` (none: all).

    Pure: the same operator and templates give the same bytes.
    """
    wanted = [a for a in ARTEFACTS if not operator.emit or a.group in operator.emit]
    return render_these(operator, wanted, templates)


def render_these(
    operator: Operator, artefacts: Iterable[Artefact], templates: Templates | None = None
) -> dict[str, str]:
    """As ``render``, those of ``artefacts`` that apply to the operator."""
    templates = templates or Templates()
    files: dict[str, str] = {}
    for artefact in artefacts:
        if artefact.applies(operator):
            path = artefact.path(operator)
            if path in files:
                raise ValueError(f"two artefacts write {path}")
            files[path] = header(operator.source, path, operator.license) + artefact.render(
                operator, templates
            )
    return files


def groups() -> tuple[str, ...]:
    """What ``emit`` can name, in order."""
    return tuple(dict.fromkeys(artefact.group for artefact in ARTEFACTS))

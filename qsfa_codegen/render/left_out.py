"""Files of a kernel family that a package lacks, because the spec does not tell what they need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from qsfa_codegen.diagnostics import Diagnostic, Severity, Span
from qsfa_codegen.render.family_facts import lacking_fact
from qsfa_codegen.render.kernel_family import PARTS, lacking_in_kernel
from qsfa_codegen.render.python_package import has_cpu, unbound_roles
from qsfa_codegen.render.python_rows import has_rows
from qsfa_codegen.render.torch_schema import has_torch
from qsfa_codegen.spec import families

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Operator


def left_out(operator: Operator) -> Iterator[Diagnostic]:
    """Warnings, for an operator whose reference or kernel is of a family that the program knows."""
    lacking, files = _lacking(operator), list(_files(operator))
    if lacking and files and operator.reference is not None:
        message = f"{' and '.join(files)} {'are' if len(files) > 1 else 'is'} left out: {lacking}"
        yield _warning(message, operator.reference.span, "tell it in the spec, or leave out `reference`")
    yield from _kernels(operator)


def _kernels(operator: Operator) -> Iterator[Diagnostic]:
    kernel = operator.kernel
    if kernel is None or (operator.emit and "op_kernel" not in operator.emit):
        return
    for arch in operator.archs:
        lacking = lacking_in_kernel(operator, arch) if (kernel.family, arch) in PARTS else ""
        if lacking:
            message = f"the body of the kernel in op_kernel/{arch} is left out: {lacking}"
            yield _warning(message, kernel.span, "change the spec, or write the body by hand")


def _warning(message: str, span: Span, help: str) -> Diagnostic:
    return Diagnostic("QS916", message, span, help, Severity.WARNING)


def _lacking(operator: Operator) -> str:
    """What the spec lacks; empty when every file of the family can be made, or none is expected."""
    if families.reference_family(operator) is None or list(families.problems(operator)):
        return ""
    if not has_torch(operator):
        return "there is no torch binding whose outputs are single tensors"
    if not has_rows(operator):
        return "the size of a record depends on the call"
    for role, target in unbound_roles(operator):
        return f"the torch operator has no argument for '{target}', the role '{role}'"
    return lacking_fact(operator)


def _files(operator: Operator) -> Iterator[str]:
    """What is left out, where `emit` asks for it."""
    groups = operator.emit or ("python", "tests")
    if "python" in groups:
        module = f"python/{operator.snake}"
        if not has_cpu(operator):
            yield f"the computation in {module}"
        elif operator.serving is not None:
            yield f"the model side in {module}"
        if "tests" in groups:
            yield "tests/e2e"

"""The torch side of an operator: the drop-in adapter, the schema, and what tracing asks for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.cpp import standard_headers
from qsfa_codegen.render.python_text import text_call
from qsfa_codegen.render.text import INDENT, cpp_string, wrap_call
from qsfa_codegen.render.torch_calls import CARRIER, OUTPUTS, arguments
from qsfa_codegen.render.torch_contract import contract_namespace, render_contract, torch_binding
from qsfa_codegen.render.torch_schema import TorchParam, has_torch, parameters, schema_pieces
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Output
from qsfa_codegen.spec.names import upper

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Operator, TorchBinding


class Signature(Struct, frozen=True):
    """How the binding's function looks in C++."""

    type: str
    params: tuple[str, ...]
    call: str
    result: str

    def headers(self, *statements: str) -> list[str]:
        """The standard headers that the function needs, with ``statements`` in its body."""
        return standard_headers("\n".join((self.type, *self.params, *statements)))


def _signature(operator: Operator, indent: int) -> Signature:
    binding = torch_binding(operator)
    params = parameters(operator, binding)
    count = len(binding.returns)
    tensors = ", ".join(["at::Tensor"] * count)
    results = [_result(operator, name, params) for name, _ in binding.returns]
    joined = results[0] if count == 1 else f"{{{', '.join(results)}}}"
    return Signature(
        type={0: "void", 1: "at::Tensor"}.get(count, f"std::tuple<{tensors}>"),
        params=tuple(p.cpp for p in params),
        call=wrap_call(
            f"const {contract_namespace(operator)}::Call given{{", [p.name for p in params], "};", indent
        ),
        result="" if count == 0 else f"return {joined};",
    )


def _result(operator: Operator, name: str, params: Sequence[TorchParam]) -> str:
    """What stands for a returned output; one that the operator does not have is an empty tensor."""
    if not name:
        return "at::Tensor()"
    output = operator.find(Output, name)
    source = output.alias or output.name
    given = next((p.name for p in params if p.bound.source == source), None)
    return f"{OUTPUTS}.{name}" if given is None else given


def _render_adapter(operator: Operator, templates: Templates) -> str:
    binding = torch_binding(operator)
    made = arguments(operator, binding, contract_namespace(operator))
    statements = [line for argument in made for line in argument.statements]
    signature = _signature(operator, INDENT)
    return templates.render(
        "torch/adapter.h.j2",
        guard=f"{upper(operator.snake)}_TORCH_ADPT_H",
        contract=contract_namespace(operator),
        contract_file=_contract_path(operator),
        binding=binding,
        signature=signature,
        has_outputs=any(f"{OUTPUTS}." in text for a in made for text in (a.text, *a.statements)),
        carrier=CARRIER if any(CARRIER in line for line in statements) else "",
        headers=signature.headers(*statements),
        statements=statements,
        command=wrap_call("EXEC_NPU_CMD(", [operator.aclnn.name, *(a.text for a in made)], ");", INDENT),
    )


def _render_registration(operator: Operator, templates: Templates) -> str:
    binding, signature = torch_binding(operator), _signature(operator, INDENT)
    # A name of its own: libraries compile several such files as one.
    function = f"{binding.name}_meta"
    return templates.render(
        "torch/register.cpp.j2",
        contract=contract_namespace(operator),
        contract_file=_contract_path(operator).removeprefix("torch/"),
        binding=binding,
        signature=signature,
        function=function,
        has_outputs=f"{OUTPUTS}." in signature.result,
        implementation=_implementation(binding, function),
        headers=signature.headers(),
        pieces=[cpp_string(piece) for piece in schema_pieces(operator, binding)],
    )


def _render_npu(operator: Operator, templates: Templates) -> str:
    binding = torch_binding(operator)
    return templates.render(
        "torch/npu.cpp.j2",
        adapter_file=_adapter_path(operator),
        binding=binding,
        implementation=_implementation(binding, f"{binding.namespace}::{binding.name}"),
    )


def _render_command(_: Operator, templates: Templates) -> str:
    named = [(f"at::k{d.torch}", d.ge.replace("DT_", "ACL_", 1)) for d in DTYPES.values() if d.torch]
    return templates.render("torch/exec_npu_cmd.h.j2", dtypes=named)


def _render_setup(operator: Operator, templates: Templates) -> str:
    return templates.render(
        "torch/setup.py.j2",
        module=library_module(operator),
        description=f"{operator.name} for torch",
        registration=PurePosixPath(_registration_path(operator)).name,
        device=PurePosixPath(_npu_path(operator)).name,
        contract_header=PurePosixPath(_contract_path(operator)).name,
        adapter_header=f"../{_adapter_path(operator)}",
    )


def _render_module(operator: Operator, templates: Templates) -> str:
    binding = torch_binding(operator)
    message = (
        f"{binding.library}::{binding.name} is registered already, without this library; expected: "
        f"`import {library_module(operator)}` before `import {operator.snake}` and any other library that "
        "has the operator"
    )
    refuse = text_call("raise ImportError(", message, (), 2 * INDENT)
    return templates.render("torch/init.py.j2", binding=binding, refuse=refuse)


def _implementation(binding: TorchBinding, function: str) -> str:
    return wrap_call("library.impl(", [cpp_string(binding.name), f"&{function}"], ");", INDENT)


def _contract_path(operator: Operator) -> str:
    return f"torch/{operator.snake}_contract.h"


def _adapter_path(operator: Operator) -> str:
    return f"{operator.snake}_torch_adpt.h"


def _registration_path(operator: Operator) -> str:
    return f"torch/{operator.snake}_register.cpp"


def _npu_path(operator: Operator) -> str:
    return f"torch/{operator.snake}_npu.cpp"


def library_module(operator: Operator) -> str:
    """The Python module that loads the libraries; the Python package has the plain name."""
    return f"{operator.snake}_torch"


def _module_path(operator: Operator) -> str:
    return f"torch/{library_module(operator)}/__init__.py"


ARTEFACTS = (
    Artefact("torch", _adapter_path, _render_adapter, has_torch),
    Artefact("torch", _contract_path, render_contract, has_torch),
    Artefact("torch", _registration_path, _render_registration, has_torch),
    Artefact("torch", _npu_path, _render_npu, has_torch),
    Artefact("torch", lambda operator: "torch/exec_npu_cmd.h", _render_command, has_torch),
    Artefact("torch", lambda operator: "torch/setup.py", _render_setup, has_torch),
    Artefact("torch", _module_path, _render_module, has_torch),
)

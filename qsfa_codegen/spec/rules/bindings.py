"""Bindings: every parameter arrives, in an order that the target language allows."""

from __future__ import annotations

import keyword
from collections import Counter

from qsfa_codegen.spec.aclnn import AclnnParam, Role, inner_signature, unsupported_attrs
from qsfa_codegen.spec.model import BoundParam, Input, InputKind, Operator, Registered, ValueDepend
from qsfa_codegen.spec.names import camel
from qsfa_codegen.spec.reserved import ACLNN_RESERVED, CPP_KEYWORDS
from qsfa_codegen.spec.rules.registry import Report, rule


@rule(
    "QS490",
    "A parameter is missing from the torch binding, or stands in it twice",
    "Every input and attribute must reach the operator: as an argument, or pinned in `fixed`.",
)
def torch_complete(operator: Operator, report: Report) -> None:
    """Each input and attribute is bound exactly once."""
    torch = operator.torch
    if torch is None:
        return
    bound = Counter(p.source for p in (*torch.positional, *torch.keyword) if p.source is not None)
    bound.update(name for name, _ in torch.fixed)
    for name in (*(i.name for i in operator.inputs), *(a.name for a in operator.attrs)):
        if bound[name] == 0:
            report(f"torch does not pass '{name}'", torch.span, "add it to positional, keyword or fixed")
        elif bound[name] > 1:
            report(f"torch passes '{name}' twice", torch.span, "remove one")


@rule(
    "QS491",
    "Two torch arguments have one name",
    "Argument names are keywords of the call.",
)
def torch_names(operator: Operator, report: Report) -> None:
    """Names in the schema are distinct."""
    seen: set[str] = set()
    for param in _torch_params(operator):
        if param.name in seen:
            report(f"there are two arguments '{param.name}'", param.span, "rename one of them")
        seen.add(param.name)


@rule(
    "QS492",
    "An input that is registered as required has a default in torch",
    "Leaving it out would call the operator without it.",
)
def torch_defaults(operator: Operator, report: Report) -> None:
    """Only inputs that are registered as optional default to None."""
    inputs = {i.name: i for i in operator.inputs}
    for param in _torch_params(operator):
        source = inputs.get(param.source or "")
        if source is not None and source.registered is Registered.REQUIRED and param.has_default:
            report(f"'{param.name}' is always needed and has a default", param.span, "make it positional")


@rule(
    "QS493",
    "torch returns something that is no output",
    "`returns` lists outputs in the order of the returned tuple.",
)
def torch_returns(operator: Operator, report: Report) -> None:
    """Returned names are outputs, each once."""
    if operator.torch is None:
        return
    outputs = {o.name for o in operator.outputs}
    counts = Counter(name for name, _ in operator.torch.returns if name)
    for name, count in counts.items():
        if name not in outputs:
            report(f"'{name}' is no output", operator.torch.span, f"outputs are {', '.join(sorted(outputs))}")
        elif count > 1:
            report(f"'{name}' is returned twice", operator.torch.span, "remove one")


@rule(
    "QS494",
    "A wrapper wraps itself",
    "The generated aclnn interface calls an inner one, so the two need different names.",
)
def aclnn_names(operator: Operator, report: Report) -> None:
    """The inner interface has a name of its own."""
    binding = operator.aclnn
    if binding.name == binding.inner:
        report("the wrapper has the name of what it wraps", binding.span, "give `inner` another name")


@rule(
    "QS495",
    "A wrapper with parameters of its own must be handwritten",
    "The generated wrapper passes the operator's parameters in their order.",
)
def aclnn_parameters(operator: Operator, report: Report) -> None:
    """`parameters` and `derived` only with style handwritten."""
    binding = operator.aclnn
    if (binding.parameters or binding.derived) and binding.style != "handwritten":
        report("this signature is not the operator's own", binding.span, "use `style: handwritten`")


@rule(
    "QS496",
    "An optional output is not possible here",
    "aclnn and torch always pass every output; one that does not exist in a case has an empty shape.",
)
def outputs_required(operator: Operator, report: Report) -> None:
    """Outputs are registered as REQUIRED (or DYNAMIC)."""
    for output in operator.outputs:
        if output.registered is Registered.OPTIONAL:
            report(
                f"output '{output.name}' is registered as optional", output.span, "register it as required"
            )


# C types for which torch has no conversion that aclnn takes.
_NOT_FROM_TORCH = ("aclFloatArray", "aclScalar", "aclScalarList")


@rule(
    "QS497",
    "A parameter has a type that its interface does not have",
    "aclnn takes numbers, flags, one string, and lists of numbers or flags. torch hands its arguments to "
    "aclnn, and has no conversion for scalar inputs and lists of floats.",
)
def interface_types(operator: Operator, report: Report) -> None:
    """Parameters can be passed in the interfaces that are generated."""
    foreign = {a.name for a in unsupported_attrs(operator)}
    if operator.aclnn.style != "handwritten":
        for attr in operator.attrs:
            if attr.name in foreign:
                report(f"aclnn has no type for '{attr.name}'", attr.span, "use `style: handwritten`")
    foreign |= {p.source for p in inner_signature(operator) if _is_foreign_to_torch(p)}
    for param in _torch_params(operator):
        if param.source in foreign:
            report(
                f"torch cannot pass '{param.source}' to aclnn", param.span, "leave it out or change its type"
            )


def _is_foreign_to_torch(param: AclnnParam) -> bool:
    is_flags = param.role is Role.INPUT and "aclBoolArray" in param.ctype
    return is_flags or any(name in param.ctype.split() for name in _NOT_FROM_TORCH)


# What stands beside the parameters in the generated function and in the macro that calls aclnn.
_TORCH_LOCALS = frozenset(
    {
        "given",
        "checked",
        "outputs",
        "call",
        "acl_stream",
        "converted_params",
        "executor",
        "executor_addr",
        "workspace_size",
        "workspace_size_addr",
    }
)
_TORCH_COPIES = ("text", "chars", "flags", "array", "value", "values")


@rule(
    "QS498",
    "A torch argument has a name that generated code cannot use",
    "Arguments are variables of a C++ function and keywords of a Python call; the function has variables "
    "of its own beside them.",
)
def torch_identifiers(operator: Operator, report: Report) -> None:
    """Argument names are no keywords, no locals of the function and not those of other parameters."""
    params = _torch_params(operator)
    copies = {f"{param.name}_{copy}" for param in params for copy in _TORCH_COPIES}
    others = {i.name for i in operator.inputs} | {a.name for a in operator.attrs}
    others -= {param.source for param in params if param.name == param.source}
    for param in params:
        renamed = param.name != param.source
        if renamed and (param.name in CPP_KEYWORDS or keyword.iskeyword(param.name)):
            report(f"'{param.name}' is a keyword", param.span, "choose another name")
        elif param.name in _TORCH_LOCALS | copies and (renamed or camel(param.name) not in ACLNN_RESERVED):
            report(f"generated code has its own '{param.name}'", param.span, "choose another name")
        elif renamed and param.name in others:
            report(f"'{param.name}' is another parameter", param.span, "choose another name")


@rule(
    "QS499",
    "Outputs of the torch operator have no device",
    "They are made on the device of the first tensor that a call always has.",
)
def torch_device(operator: Operator, report: Report) -> None:
    """Where torch makes outputs, some argument is a tensor that always comes."""
    torch = operator.torch
    if torch is None or not any(o.alias is None for o in operator.outputs):
        return
    bound = {p.source for p in _torch_params(operator)}
    if not any(_is_tensor(i) for i in operator.inputs if i.name in bound):
        report("no argument is a tensor that always comes", torch.span, "bind an input that is required")


def _is_tensor(parameter: Input) -> bool:
    required = parameter.registered is Registered.REQUIRED and parameter.kind is InputKind.TENSOR
    return required and parameter.value_depend is ValueDepend.NONE


def _torch_params(operator: Operator) -> tuple[BoundParam, ...]:
    torch = operator.torch
    return () if torch is None else (*torch.positional, *torch.keyword)


RULES = (
    torch_complete,
    torch_names,
    torch_defaults,
    torch_returns,
    aclnn_names,
    aclnn_parameters,
    outputs_required,
    interface_types,
    torch_identifiers,
    torch_device,
)

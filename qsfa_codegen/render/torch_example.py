"""A Python program that calls the torch operator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from qsfa_codegen.contract.calls import InputArg, TensorArg, tensors
from qsfa_codegen.render.answers import Answer
from qsfa_codegen.render.legal_call import LegalCall, legal_call
from qsfa_codegen.render.torch_schema import Source, TorchParam, has_torch, literal, parameters
from qsfa_codegen.spec.dtypes import DTYPES

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Operator, TorchBinding

_IMPORTS = """\
import torch
import torch_npu
from vllm_ascend.utils import enable_custom_op

enable_custom_op()  # {reason}
"""
_REASON = {"en": "loads the library with the operator", "zh": "加载算子所在的扩展库"}


def torch_example(operator: Operator, language: str) -> str:
    """The program; empty where there is no binding, or no legal call that can be made through it."""
    binding, legal = operator.torch, torch_call(operator)
    return "" if binding is None or legal is None else _program(operator, binding, legal, language)


@Answer
def torch_call(operator: Operator) -> LegalCall | None:
    """The call that the program makes; None where there is no binding, or no call that it can make."""
    binding = operator.torch
    if binding is None or not has_torch(operator):
        return None
    return legal_call(operator, lambda found: _fits(operator, binding, found))


def _fits(operator: Operator, binding: TorchBinding, legal: LegalCall) -> bool:
    """Whether the torch operator can make a call: it has each input, and pins attributes to what it says."""
    sources = {param.source for param in (*binding.positional, *binding.keyword)}
    args = legal.call.inputs
    if not set(args) <= sources or not all(_has_dtype(arg) for arg in args.values()):
        return False
    pinned = {name: value for name, value in binding.fixed if value is not None}
    others = [attr for attr in operator.attrs if attr.name not in sources]
    return all(legal.attrs.get(a.name) == pinned.get(a.name, a.default) for a in others)


def _has_dtype(arg: InputArg) -> bool:
    return all(DTYPES[tensor.dtype].torch for tensor in tensors(arg))


def _program(operator: Operator, binding: TorchBinding, legal: LegalCall, language: str) -> str:
    params = parameters(operator, binding)
    made = [line for p in params for line in _made(p, legal)]
    lines = [_IMPORTS.format(reason=_REASON[language]), *made, *([""] if made else [])]
    returns = ", ".join(name for _, name in binding.returns)
    call = f"torch.ops.{binding.library}.{binding.name}("
    lines += [f"{returns} = {call}" if returns else call, *_arguments(params, legal), ")"]
    return "\n".join(lines)


def _made(param: TorchParam, legal: LegalCall) -> Iterator[str]:
    """The line that makes an input."""
    arg = legal.call.inputs.get(param.bound.source or "") if param.source is Source.INPUT else None
    if isinstance(arg, TensorArg):
        yield f"{param.name} = {_numbers(arg) if param.kind == 'int[]' else _tensor(arg)}"
    elif arg is not None:
        yield f"{param.name} = [{', '.join(_tensor(tensor) for tensor in arg)}]"


def _tensor(arg: TensorArg) -> str:
    size, dtype = list(arg.shape), f"dtype=torch.{arg.dtype}"
    if arg.data is not None:
        return f'torch.tensor({list(arg.data)}, {dtype}, device="npu").reshape({size})'
    # A quantised value can be made of zeros on every version of torch, of ones it cannot.
    filled = "ones" if arg.dtype in ("float16", "bfloat16", "float32", "float64") else "zeros"
    return f'torch.{filled}({size}, {dtype}, device="npu")'


def _numbers(arg: TensorArg) -> str:
    count = arg.shape[0] if arg.shape else 1
    return str(list(arg.data) if arg.data is not None else [0] * count)


def _arguments(params: tuple[TorchParam, ...], legal: LegalCall) -> Iterator[str]:
    """What is passed: the required by place, of the rest what differs from its default by name."""
    by_name = False
    for param in params:
        value = _value(param, legal)
        by_name = by_name or param.keyword or value is None
        if value is not None:
            yield f"    {param.name}={value}," if by_name else f"    {value},"


def _value(param: TorchParam, legal: LegalCall) -> str | None:
    source = param.bound.source or ""
    if param.source is Source.INPUT and source in legal.call.inputs:
        return param.name
    if param.source is Source.ATTR and source in legal.attrs:
        value = literal(param.bound, legal.attrs[source], param.attr_type)
        return None if value == param.default else value
    return None if param.default is not None or not param.optional else "None"

"""The kernel: its entry with the dispatch, and a header per architecture for the body."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.cpp import variable
from qsfa_codegen.render.kernel_arch import arch_parts
from qsfa_codegen.render.kernel_family import (
    COMMON,
    COMMON_PARTS,
    PARTS,
    family_numbers,
    family_parts,
    part_template,
)
from qsfa_codegen.render.kernel_named import called_parts
from qsfa_codegen.render.kernel_text import column_type
from qsfa_codegen.render.text import INDENT, wrap_call
from qsfa_codegen.render.tiling_key import has_template_key, key_file, tiling_key
from qsfa_codegen.render.tiling_struct import NAMESPACE, PLAIN, has_struct_file, struct_file, tiling_data
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.layout import library_structs
from qsfa_codegen.spec.model import DtypeRef
from qsfa_codegen.spec.names import upper

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Input, Kernel, Operator, Output

_ARCHS_AT_MOST = 8
_TASK_TYPES = {"aiv": "AIV_ONLY", "aic": "AIC_ONLY"}


class Include(Struct, frozen=True):
    """The header of one architecture; ``guard`` is its preprocessor test, empty when there is just one."""

    arch: str
    guard: str


def has_kernel(operator: Operator) -> bool:
    """Whether the operator's kernel can be written: it gets its sizes from the tiling data."""
    data = tiling_data(operator)
    return operator.kernel is not None and data is not None and not library_structs(data)


def kernel_namespace(operator: Operator) -> str:
    """Where the per-architecture code stands; one architecture is compiled at a time."""
    return f"{operator.name}Kernel"


def tiling_type(operator: Operator) -> str:
    """The kernel's name of the tiling data; in the macro style the toolkit writes it into no namespace."""
    data = tiling_data(operator)
    assert data is not None
    return f"{NAMESPACE}::{data.root.type_name}" if data.style == PLAIN else data.root.type_name


def key_arguments(operator: Operator) -> list[str]:
    """Names of the key's template arguments."""
    key = tiling_key(operator)
    return [arg.name for arg in key.args] if key is not None else []


def _class_parameters(operator: Operator) -> tuple[list[str], list[str]]:
    """Parameters of the template of the kernel class: types of the dtype columns, arguments of the key."""
    types = [f"typename {column_type(column)}" for column in operator.dtypes.columns]
    return types, [f"int {name}" for name in key_arguments(operator)]


# --------------------------------------------------------------------------- header of an architecture


def _render_arch(number: int, operator: Operator, templates: Templates) -> str:
    arch = operator.archs[number]
    types, numbers = _class_parameters(operator)
    parts = arch_parts(operator, arch)
    if parts["family"] is not None:
        parts = called_parts(parts, _body(operator, arch, templates))
    return templates.render(
        "op_kernel/arch/op_kernel.h.j2",
        guard=f"{upper(operator.name)}_{upper(arch)}_KERNEL_H",
        snake=operator.snake,
        namespace=kernel_namespace(operator),
        struct_file=struct_file(operator) if has_struct_file(operator) else None,
        tiling_type=tiling_type(operator),
        template=wrap_call("template <", [*types, *numbers], ">"),
        **parts,
    )


def _body(operator: Operator, arch: str, templates: Templates) -> str:
    family = _kernel(operator).family
    names = [part_template(family, arch, part) for part in family_parts(operator, arch)]
    names += (part_template(family, COMMON, part) for part in COMMON_PARTS[family])
    return "\n".join(map(templates.source, names))


# --------------------------------------------------------------------------- the parts of its body


def _render_part(arch: str, part: str, operator: Operator, templates: Templates) -> str:
    kernel = _kernel(operator)
    types, numbers = _class_parameters(operator)
    arguments = [*map(column_type, operator.dtypes.columns), *key_arguments(operator)]
    return templates.render(
        part_template(kernel.family, arch, part),
        guard=f"{upper(operator.name)}_{upper(arch)}_{upper(part)}_H",
        snake=operator.snake,
        namespace=kernel_namespace(operator),
        template=wrap_call("template <", [*types, *numbers], ">"),
        member=lambda name: wrap_call("__aicore__ inline void Kernel<", arguments, f">::{name}"),
        **family_numbers(operator, arch),
    )


def _render_common(part: str, operator: Operator, templates: Templates) -> str:
    return templates.render(
        part_template(_kernel(operator).family, COMMON, part),
        guard=f"{upper(operator.name)}_{upper(COMMON)}_{upper(part)}_H",
        snake=operator.snake,
        namespace=kernel_namespace(operator),
        includes=list(_includes(operator, archs_with_body(operator))),
    )


def _part_path(folder: str, part: str, operator: Operator) -> str:
    return f"op_kernel/{folder}/{operator.snake}_{part}.h"


def _has_part(arch: str, part: str, operator: Operator) -> bool:
    return arch in archs_with_body(operator) and part in family_parts(operator, arch)


def _has_common(part: str, operator: Operator) -> bool:
    return bool(archs_with_body(operator)) and part in COMMON_PARTS[_kernel(operator).family]


def archs_with_body(operator: Operator) -> tuple[str, ...]:
    """Those for which the package has the whole kernel; for others the body is the user's to write."""
    archs = operator.archs if has_kernel(operator) else ()
    return tuple(arch for arch in archs if family_parts(operator, arch))


# --------------------------------------------------------------------------- the entry


def _render_entry(operator: Operator, templates: Templates) -> str:
    kernel = _kernel(operator)
    names = _pointer_names(operator)
    data = tiling_data(operator)
    assert data is not None
    numbers = key_arguments(operator)
    parameters = [f"GM_ADDR {name}" for name in (*names.values(), "workspace", "tiling")]
    handed = [names[target] for role, target in kernel.roles if target in names]
    return templates.render(
        "op_kernel/op.cpp.j2",
        snake=operator.snake,
        namespace=kernel_namespace(operator),
        key_file=key_file(operator) if has_template_key(operator) else None,
        includes=list(_includes(operator, operator.archs)),
        tiling_type=tiling_type(operator),
        registers=data.style == PLAIN,
        task_type=f"KERNEL_TYPE_{_TASK_TYPES.get(kernel.task_type, upper(kernel.task_type))}",
        entry_template=wrap_call("template <", [f"int {name}" for name in numbers], ">") if numbers else "",
        entry=wrap_call(f"{_linkage(numbers)}__global__ __aicore__ void {operator.snake}(", parameters, ")"),
        body=wrap_call("using Body = Kernel<", [*_dtype_macros(operator), *numbers], ">;", INDENT),
        arguments=wrap_call(
            "const Arguments arguments{",
            [*handed, "AscendC::GetUserWorkspace(workspace)"],
            "};",
            INDENT,
        ),
    )


def _linkage(key_arguments: Sequence[str]) -> str:
    """A kernel that is no template is found by its plain name."""
    return "" if key_arguments else 'extern "C" '


def _kernel(operator: Operator) -> Kernel:
    assert operator.kernel is not None
    return operator.kernel


def _pointer_names(operator: Operator) -> dict[str, str]:
    """Parameters of the entry in the order of the ABI, by the name of the input or output.

    An output that is written in place has its input's name; the role then means the memory of both.
    """
    inputs = {param.name: variable(param.name) for param in operator.inputs}
    outputs = {
        output.name if output.name not in inputs else f"{output.name} out": (
            variable(output.name) + ("Out" if output.name in inputs else "")
        )
        for output in operator.outputs
    }
    return {**inputs, **outputs}


def _includes(operator: Operator, archs: Sequence[str]) -> Iterator[Include]:
    for number, arch in enumerate(archs):
        chip = next(chip for chip in operator.chips if chip.arch == arch)
        several = len(operator.archs) > 1
        guard = f"#{'el' if number else ''}if __CCE_AICORE__ == {chip.cce_aicore}" if several else ""
        yield Include(arch, guard)


def _dtype_macros(operator: Operator) -> Iterator[str]:
    """The type of each dtype column: a row is compiled by itself, with its parameters' types as macros.

    A column that no parameter has is the same type in every row.
    """
    for number, column in enumerate(operator.dtypes.columns):
        carrier = _carrier(operator, column)
        if carrier is not None:
            yield f"DTYPE_{carrier.name.upper()}"
        else:
            yield DTYPES[operator.dtypes.rows[0][1][0].dtypes[number]].kernel


def _carrier(operator: Operator, column: str) -> Input | Output | None:
    """The parameter whose dtype macro tells the row: every variant is compiled with all of them."""
    params: tuple[Input | Output, ...] = (*operator.inputs, *operator.outputs)
    return next((param for param in params if param.dtype == DtypeRef(column=column)), None)


def _arch_path(number: int, operator: Operator) -> str:
    return f"op_kernel/{operator.archs[number]}/{operator.snake}_kernel.h"


def _has_arch(number: int, operator: Operator) -> bool:
    return has_kernel(operator) and number < len(operator.archs)


ARTEFACTS = (
    Artefact("op_kernel", lambda operator: f"op_kernel/{operator.snake}.cpp", _render_entry, has_kernel),
    *(
        Artefact("op_kernel", partial(_arch_path, n), partial(_render_arch, n), partial(_has_arch, n))
        for n in range(_ARCHS_AT_MOST)
    ),
    *(
        Artefact(
            "op_kernel",
            partial(_part_path, arch, p),
            partial(_render_part, arch, p),
            partial(_has_part, arch, p),
        )
        for arch, p in dict.fromkeys((arch, p) for (_, arch), parts in PARTS.items() for p in parts)
    ),
    *(
        Artefact(
            "op_kernel", partial(_part_path, COMMON, p), partial(_render_common, p), partial(_has_common, p)
        )
        for p in dict.fromkeys(p for parts in COMMON_PARTS.values() for p in parts)
    ),
)

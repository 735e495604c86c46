"""The tiling function: reads a call, checks every rule of the contract, and tells the kernel what to do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from qsfa_codegen.expr.arith import arith_struct
from qsfa_codegen.expr.bounds import fits
from qsfa_codegen.expr.build import all_of
from qsfa_codegen.expr.nodes import ARCH, Compare, Expr, Kind, Literal, Ref, RefKind
from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.cpp import constants, enum_class, enum_parser, enums, index_constants
from qsfa_codegen.render.needs import Needs, needs
from qsfa_codegen.render.ranges import UINT32_MAX
from qsfa_codegen.render.text import INDENT, cpp_comment, wrap_items
from qsfa_codegen.render.tiling_answers import (
    BLOCK_DIM,
    KEY,
    WORKSPACE,
    FillText,
    WorkspaceText,
    fills,
    key_call,
    workspaces,
)
from qsfa_codegen.render.tiling_checks import Group, groups
from qsfa_codegen.render.tiling_key import has_template_key, key_file
from qsfa_codegen.render.tiling_names import PLATFORM_MEMBERS
from qsfa_codegen.render.tiling_reads import attrs, default_constants, dim_branches, ends_block, inputs
from qsfa_codegen.render.tiling_struct import MACRO, NAMESPACE, has_struct_file, macro_views, struct_file
from qsfa_codegen.render.tiling_text import LetText, TilingText, broken, exprs_of
from qsfa_codegen.spec.layout import struct_layout
from qsfa_codegen.spec.model import CheckKind
from qsfa_codegen.spec.names import pascal, upper

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Operator, Tiling

_LET_TYPES = {Kind.INT: "int64_t", Kind.FLOAT: "double", Kind.BOOL: "bool", Kind.DTYPE: "ge::DataType"}
_PLATFORM_CALLS = {
    "aic": "platform.GetCoreNumAic()",
    "aiv": "platform.GetCoreNumAiv()",
    "libapiWorkspace": "platform.GetLibApiWorkSpaceSize()",
}
_HEADERS = {
    "algorithm": ("std::min<", "std::max<"),
    "cmath": ("std::isfinite(",),
    "cstdarg": ("va_list",),
    "cstdio": ("std::vsnprintf(",),
    "cstdlib": ("std::abs(",),
    "cstring": ("std::strcmp(",),
    "initializer_list": ("std::initializer_list",),
    "iterator": ("std::size(",),
    "limits": ("std::numeric_limits",),
    "string": ("std::string ",),
    "string_view": ("std::string_view",),
    "strings.h": ("strcasecmp(",),
    "type_traits": ("std::is_unsigned_v",),
}
_HELPERS = {
    "Read": "Supplied<",
    "ReadOr": "ReadOr(",
    "ReadTextOr": "ReadTextOr(",
}


@dataclass(frozen=True, slots=True)
class LetView:
    """A derived value as a member function: ``parameters`` is empty when it cannot fail."""

    name: str
    type: str
    function: str
    fallible: bool
    body: str
    comment: str


def has_tiling(operator: Operator) -> bool:
    """Whether the operator has a tiling function."""
    return operator.tiling is not None


def compile_info(operator: Operator) -> str:
    """The struct that keeps what tiling needs to know of the chip."""
    return f"{operator.name}CompileInfo"


def tiling_exprs(tiling: Tiling) -> Iterator[Expr]:
    """Everything that tiling computes once a call is accepted."""
    if tiling.data is not None:
        from qsfa_codegen.spec.layout import struct_layout

        yield from (entry.field.value for entry in struct_layout(tiling.data).entries)
    if tiling.key is not None:
        yield from (arg.value for arg in tiling.key.args)
        if tiling.key.plain is not None:
            yield tiling.key.plain
    for _, terms in tiling.workspace:
        for term in terms:
            yield term.bytes
            if term.when is not None:
                yield term.when
    if tiling.block_dim is not None:
        yield tiling.block_dim


def used_exprs(operator: Operator) -> list[Expr]:
    """Every expression of the tiling function."""
    assert operator.tiling is not None
    checked = (expr for check in operator.checks for expr in exprs_of(check))
    return [*checked, *tiling_exprs(operator.tiling)]


def _render_header(operator: Operator, templates: Templates) -> str:
    used = _all_needs(operator)
    data = operator.tiling.data if operator.tiling else None
    is_macro = data is not None and data.style == MACRO
    return templates.render(
        "op_host/op_tiling.h.j2",
        guard=f"{upper(operator.name)}_TILING_H",
        namespace=NAMESPACE,
        struct_file=struct_file(operator) if has_struct_file(operator) else None,
        macros=macro_views(operator, data) if data is not None and is_macro else [],
        compile_info=compile_info(operator),
        platform=_platform_members(used),
        distinguishes_chips=_distinguishes_chips(used),
        chips=[chip.id for chip in operator.chips],
    )


def _render_source(operator: Operator, templates: Templates) -> str:
    tiling = operator.tiling
    assert tiling is not None
    used = _all_needs(operator)
    exprs = _closed(operator, used)
    text = TilingText(operator)
    lets = [_let_view(let) for let in text.lets(used.names(RefKind.LET, RefKind.TILING_LET))]
    checks = groups(operator, text)
    attr_texts = attrs(operator, used.names(RefKind.ATTR))
    input_texts = inputs(operator, used.inputs)
    branches = dim_branches(operator, text, used.names(RefKind.DIM))
    filled = fills(tiling.data.root, text) if tiling.data is not None else []
    launch = _launch(operator, text)
    space = workspaces(operator, text)
    enum_defs = enums(operator, exprs)
    written = [*text.written, *(line for view in lets for line in (view.body,)), "arith.Add("]
    joined = "\n".join([*written, str(launch), str(space)])
    return templates.render(
        "op_host/op_tiling.cpp.j2",
        operator=operator.name,
        snake=operator.snake,
        namespace=NAMESPACE,
        compile_info=compile_info(operator),
        key_file=key_file(operator) if has_template_key(operator) else None,
        standard_headers=sorted({header for call, header in _STANDARD_HEADERS if call in joined}),
        externs=tiling.externs,
        indices=index_constants(operator, used.inputs, used.names(RefKind.ATTR)),
        constants=constants(operator, exprs),
        defaults=default_constants(operator, used.names(RefKind.ATTR)),
        enums=[enum_class(enum) for enum in enum_defs],
        parsers=[enum_parser(enum) for enum in enum_defs if enum.name in {a.type for a in attr_texts}],
        attrs=attr_texts,
        inputs=input_texts,
        dims=[
            text.names.ref(RefKind.DIM, d.name).removeprefix("dims_.")
            for d in operator.dims
            if d.name in used.names(RefKind.DIM)
        ],
        branches=[(branch, ends_block(branches, number)) for number, branch in enumerate(branches)],
        lets=lets,
        groups=checks,
        steps=_steps(checks, bool(branches), filled),
        fills=filled,
        style=tiling.data.style if tiling.data is not None else "",
        launch=launch,
        schedule_mode=tiling.schedule_mode,
        workspaces=space,
        npu_archs={chip.arch: chip.npu_arch for chip in operator.chips},
        platform=_platform_members(used),
        distinguishes_chips=_distinguishes_chips(used),
        chips=operator.chips,
        arith=arith_struct(written).rstrip("\n"),
        helpers=_helpers(joined, attr_texts),
        key_fits=KEY_FITS,
        block_dim_fits=BLOCK_DIM_FITS,
        workspace_fits=WORKSPACE_FITS,
    )

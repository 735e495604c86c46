"""The tiling function: reads a call, checks every rule of the contract, and tells the kernel what to do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from qsfa_codegen.expr.arith import arith_struct
from qsfa_codegen.expr.build import all_of
from qsfa_codegen.expr.nodes import ARCH, BOOL, Compare, Kind, Literal, Ref, RefKind
from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.cpp import (
    ATTR_READS,
    constants,
    enum_class,
    enum_parser,
    enums,
    index_constants,
    standard_headers,
    variable,
)
from qsfa_codegen.render.host_checks import Group, called, groups
from qsfa_codegen.render.host_names import dtype_sizes
from qsfa_codegen.render.host_text import HostText
from qsfa_codegen.render.presence import told_apart
from qsfa_codegen.render.text import INDENT, broken, wrap_call, wrap_items
from qsfa_codegen.render.tiling_answers import (
    BLOCK_DIM,
    WORKSPACE,
    FillText,
    fills,
    key_statements,
    store_statements,
    workspaces,
)
from qsfa_codegen.render.tiling_contents import content_groups, data_inputs, element_types
from qsfa_codegen.render.tiling_key import has_template_key, key_file
from qsfa_codegen.render.tiling_names import TilingNames
from qsfa_codegen.render.tiling_reads import attrs, default_constants, dim_branches, ends_block, inputs
from qsfa_codegen.render.tiling_struct import (
    MACRO,
    NAMESPACE,
    has_struct_file,
    macro_views,
    struct_file,
)
from qsfa_codegen.render.tiling_uses import TilingUses, compile_info, has_tiling, tiling_of, tiling_uses
from qsfa_codegen.render.words import words
from qsfa_codegen.spec.failure import MessageNames
from qsfa_codegen.spec.model import CheckKind
from qsfa_codegen.spec.names import upper

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Operator

_FALLIBLE_STORE = re.compile(r"Store\(.*\barith,\s", re.DOTALL)
_LET_TYPES = {Kind.INT: "int64_t", Kind.FLOAT: "double", Kind.BOOL: "bool", Kind.DTYPE: "ge::DataType"}
_PLATFORM_CALLS = {
    "aic": "platform.GetCoreNumAic()",
    "aiv": "platform.GetCoreNumAiv()",
    "libapiWorkspace": "platform.GetLibApiWorkSpaceSize()",
}


class Stages(Struct, frozen=True):
    """The statements of ``DoTiling`` around the reading of inputs and dims."""

    attributes: str
    inputs: str
    answers: str


class Launch(Struct, frozen=True):
    """The statements that set the key and the launch, and whether they need the arithmetic object."""

    statements: tuple[str, ...]
    set: str
    fallible: bool


# --------------------------------------------------------------------------- header


def _render_header(operator: Operator, templates: Templates) -> str:
    used = tiling_uses(operator)
    data = tiling_of(operator).data
    is_macro = data is not None and data.style == MACRO
    return templates.render(
        "op_host/op_tiling.h.j2",
        guard=f"{upper(operator.name)}_TILING_H",
        namespace=NAMESPACE,
        struct_file=struct_file(operator) if has_struct_file(operator) else None,
        macros=macro_views(operator, data) if data is not None and is_macro else [],
        compile_info=compile_info(operator),
        platform=used.platform,
        chips=[chip.id for chip in operator.chips] if used.chips else [],
    )


# --------------------------------------------------------------------------- source


def _render_source(operator: Operator, templates: Templates) -> str:
    used = tiling_uses(operator)
    text = HostText(operator, TilingNames(operator))
    lets = text.lets(used.lets)
    view: dict[str, Any] = {
        "operator": operator.name,
        "snake": operator.snake,
        "namespace": NAMESPACE,
        "compile_info": compile_info(operator),
        "key_file": key_file(operator) if has_template_key(operator) else None,
        "externs": tiling_of(operator).externs,
        "indices": index_constants(operator, used.inputs, used.attrs),
        "defaults": default_constants(operator, used.attrs),
        "lets": lets,
        **_reads(operator, used, text),
        **_answers(operator, text),
        **_platform(operator, used, text),
        **_store_definitions(operator),
    }
    steps = templates.render("op_host/op_tiling_steps.cpp.j2", **view)
    named = words(steps)
    # Folding makes some of the constants disappear from the text.
    multiplies = any(call in steps for call in (".Elements(", "Product("))
    arith = arith_struct([steps, "arith.Mul(" if multiplies else ""])
    view["constants"] = constants(operator, named)
    view["attr_reads"] = [name for name in ATTR_READS if name in named]
    view["arith"] = arith.rstrip("\n")
    tools = templates.render("op_host/op_tiling_tools.cpp.j2", steps=steps, **view)
    whole = tools + steps
    headers = [header for header in standard_headers(whole) if header != "cstdint"]  # its own header has that
    return templates.render(
        "op_host/op_tiling.cpp.j2",
        steps=steps,
        tools=tools,
        headers=headers,
        names_dtypes="DtypeName(" in steps,
        **view,
    )


def _reads(operator: Operator, used: TilingUses, text: HostText) -> dict[str, Any]:
    rules = tuple(told_apart(operator.checks, MessageNames(operator)))
    checked = [*groups(operator, text, checks=rules), *content_groups(operator, text)]
    attributes = attrs(operator, used.attrs)
    defined = enums(operator, used.exprs)
    parsed = {attr.type for attr in attributes if attr.kind == "enum"}
    branches = dim_branches(operator, text, used.dims)
    tiling = tiling_of(operator)
    read = inputs(operator, used.inputs)
    return {
        "attrs": attributes,
        "enums": [enum_class(enum) for enum in defined],
        "parsers": [enum_parser(enum) for enum in defined if enum.name in parsed],
        "inputs": read,
        "with_data": data_inputs(operator),
        "element_types": element_types(operator),
        "sizes": dtype_sizes(operator),
        "has_lists": any(attr.kind == "list" for attr in attributes),
        "from_origin": any(param.storage is not None for param in operator.inputs),
        "dims": [variable(dim.name) for dim in operator.dims if dim.name in used.dims],
        "branches": [(branch, ends_block(branches, n)) for n, branch in enumerate(branches)],
        "groups": checked,
        "stages": _stages(checked, bool(attributes), tiling.data is not None),
    }


def _stages(checked: Sequence[Group], has_attrs: bool, has_data: bool) -> Stages:
    first = (CheckKind.CHIP, CheckKind.ATTR)
    second = (CheckKind.PRESENCE, CheckKind.DTYPE, CheckKind.RANK)
    attributes = ["ReadPlatform", *(["ReadAttributes"] if has_attrs else []), *_named(checked, first)]
    middle = _named(checked, second)
    last = called(group for group in checked if group.kind not in (*first, *second))
    last += [*(["FillTilingData"] if has_data else []), "SetWorkspace", "SetLaunch"]
    return Stages(
        attributes=_unless(attributes),
        inputs=_unless(middle) if middle else "",
        answers=_all("const bool done = ", last, ";"),
    )


def _named(checked: Sequence[Group], kinds: Sequence[CheckKind]) -> list[str]:
    return called(group for group in checked if group.kind in kinds)


def _unless(steps: Sequence[str]) -> str:
    if len(steps) == 1:
        return f"if (!{steps[0]}()) {{"
    return _all("if (!(", steps, ")) {")


def _all(head: str, steps: Sequence[str], tail: str) -> str:
    pieces = [f"{step}() && " for step in steps[:-1]] + [f"{steps[-1]}()"]
    return wrap_items(head, pieces, tail, INDENT)


def _answers(operator: Operator, text: HostText) -> dict[str, Any]:
    tiling = tiling_of(operator)
    filled = fills(tiling.data, text) if tiling.data else []
    launch, spaces = _launch(operator, text), workspaces(operator, text)
    stores = [line for fill in filled for line in fill.stores]
    stores += [line for line in launch.statements if "Store(" in line]
    return {
        "fills": filled,
        "is_macro": tiling.data is not None and tiling.data.style == MACRO,
        "stores": bool(stores),
        "stores_fallible": any(_FALLIBLE_STORE.search(line) for line in stores),
        "signatures": _signatures(operator, filled),
        "launch": launch,
        "workspaces": spaces,
        "dispatches_workspace": len(spaces) > 1 and any(space.terms for space in spaces),
        "workspace": WORKSPACE,
        "library_bytes": text.names.platform("libapi_workspace"),
    }


def _store_definitions(operator: Operator) -> dict[str, str]:
    """First lines of the overloads that store a value into a field or through a setter."""
    value, arith = ["const char *field", "int64_t value"], ["const Arith &arith"]
    setter = ["P &params", "void (P::*set)(T)"]

    def definition(parameters: Sequence[str]) -> str:
        return wrap_call(f"bool {operator.name}Tiling::Store(", parameters, ") const")

    return {
        "store_definition": definition([*value, *arith, "T &target"]),
        "setter_definition": definition([*value, *setter]),
        "setter_definition_checked": definition([*value, *arith, *setter]),
    }


def _signatures(operator: Operator, filled: Sequence[FillText]) -> dict[str, tuple[str, str]]:
    """Declaration and definition of each function that fills a struct."""
    found = {}
    for number, fill in enumerate(filled):
        params = [f"{fill.type} &params"] if number else []
        declared = wrap_call(f"bool {fill.function}(", params, ") const;", INDENT)
        found[fill.function] = (
            declared,
            wrap_call(f"bool {operator.name}Tiling::{fill.function}(", params, ") const"),
        )
    return found


def _launch(operator: Operator, text: HostText) -> Launch:
    tiling = tiling_of(operator)
    statements: list[str] = []
    fallible = False
    if tiling.key is not None:
        key = key_statements(tiling.key, text)
        statements += key.statements
        fallible = key.fallible
    calls = [f"context_->SetTilingKey({'key' if tiling.key is not None else '0'})"]
    if tiling.block_dim is not None:
        block_dim = text.cpp(tiling.block_dim)
        fallible = fallible or block_dim.checked
        statements += store_statements(BLOCK_DIM, "uint32_t", tiling.block_dim, text)
        calls.append("context_->SetBlockDim(blockDim)")
    if tiling.schedule_mode:
        calls.append(f"context_->SetScheduleMode({tiling.schedule_mode})")
    tests = [f"{call} == ge::GRAPH_SUCCESS && " for call in calls[:-1]] + [
        f"{calls[-1]} == ge::GRAPH_SUCCESS"
    ]
    return Launch(tuple(statements), wrap_items("const bool set = ", tests, ";", INDENT), fallible)


def _platform(operator: Operator, used: TilingUses, text: HostText) -> dict[str, Any]:
    span = operator.checks[0].span
    unknown = [
        Compare(BOOL, span, "!=", Ref(ARCH, span, RefKind.ARCH, "arch"), Literal(ARCH, span, arch))
        for arch in operator.archs
    ]
    test = all_of(unknown, span)
    assert test is not None
    names = [chip.soc for chip in operator.chips] if used.chips else [c.npu_arch for c in operator.chips]
    return {
        "platform_members": used.platform,
        "platform_calls": [(m, c) for m, c in _PLATFORM_CALLS.items() if m in used.platform],
        "chips": operator.chips if used.chips else (),
        "chip_test": broken("if (", text.cpp(test).text, ") {", INDENT),
        "supported": " or ".join(dict.fromkeys(names)),
    }


ARTEFACTS = (
    Artefact("op_host", lambda o: f"op_host/{o.snake}_tiling.h", _render_header, has_tiling),
    Artefact("op_host", lambda o: f"op_host/{o.snake}_tiling.cpp", _render_source, has_tiling),
)

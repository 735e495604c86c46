"""Tiling data, keys and workspace."""

from __future__ import annotations

from qsfa_codegen.expr.evaluate import UNKNOWN
from qsfa_codegen.expr.limits import UINT32_MAX
from qsfa_codegen.expr.nodes import Expr
from qsfa_codegen.spec.layout import CTYPES, library_structs, structs
from qsfa_codegen.spec.model import KeyArg, Operator, TilingField
from qsfa_codegen.spec.reach import reachable_keys
from qsfa_codegen.spec.rules.registry import WARNING, Report, rule
from qsfa_codegen.spec.world import ANYWHERE, telling_chips, world_of

KEY_BITS = 64


def _args(operator: Operator) -> tuple[KeyArg, ...]:
    tiling = operator.tiling
    return tiling.key.args if tiling is not None and tiling.key is not None else ()


def _reached(operator: Operator) -> tuple[tuple[int, ...], ...]:
    """Combinations that legal calls reach; they are the legal ones unless the spec lists its own."""
    key = operator.tiling.key if operator.tiling is not None else None
    if key is None:
        return ()
    return reachable_keys(operator) or () if key.listed else key.legal


@rule(
    "QS470",
    "A tiling key argument does not fit its bits",
    "The key packs every argument into its own bits; a code beyond them would spill into the next one.",
)
def key_bits(operator: Operator, report: Report) -> None:
    """Declared codes fit, and all arguments fit into 64 bits."""
    total = 0
    for arg in _args(operator):
        total += arg.bits
        limit = 2 if arg.kind == "bool" else 2**arg.bits
        wrong = [code for code in arg.declared if not 0 <= code < limit]
        if wrong:
            report(
                f"{wrong[0]} does not fit the {arg.bits} bits of '{arg.name}'", arg.span, "give it more bits"
            )
        if total > KEY_BITS:
            report(f"the key has more than {KEY_BITS} bits up to '{arg.name}'", arg.span, "use fewer bits")


@rule(
    "QS471",
    "A tiling key argument can have an undeclared value",
    "Only declared values are compiled: a legal call with another one would find no kernel.",
)
def key_values(operator: Operator, report: Report) -> None:
    """Every reachable code of an argument is declared."""
    args = _args(operator)
    reached = _reached(operator)
    enums = {e.name: {label.code: label.name for label in e.labels} for e in operator.enums}
    for position, arg in enumerate(args):
        missing = sorted({codes[position] for codes in reached} - set(arg.declared))
        if missing:
            shown = enums[arg.enum].get(missing[0], missing[0]) if arg.enum else missing[0]
            report(f"'{arg.name}' can be {shown}, which is not declared", arg.span, "add it to `declared`")


@rule(
    "QS472",
    "The listed tiling key combinations are wrong",
    "A combination that legal calls reach and the list lacks has no kernel; one with an undeclared "
    "value cannot be compiled.",
)
def key_combinations(operator: Operator, report: Report) -> None:
    """An explicit list has every reachable combination, and only declared values."""
    args = _args(operator)
    if not args or operator.tiling is None or operator.tiling.key is None:
        return
    key = operator.tiling.key
    listed = set(key.legal)
    if not key.listed:
        return
    for codes in _reached(operator):
        if codes not in listed and all(c in a.declared for c, a in zip(codes, args, strict=True)):
            report(
                f"legal calls reach {_named(args, codes)}, which is not listed", key.span, "add it to `legal`"
            )
    for codes in key.legal:
        if any(c not in a.declared for c, a in zip(codes, args, strict=True)):
            report(f"{_named(args, codes)} has an undeclared value", key.span, "remove it from `legal`")


def _named(args: tuple[KeyArg, ...], codes: tuple[int, ...]) -> str:
    return ", ".join(f"{a.name} {c}" for a, c in zip(args, codes, strict=True))


def _fields(operator: Operator) -> list[TilingField]:
    data = operator.tiling.data if operator.tiling is not None else None
    if data is None:
        return []
    return [m for s in structs(data.root) for m in s.members if isinstance(m, TilingField)]


@rule(
    "QS474",
    "A constant does not fit its tiling field or the launch",
    "A value that is out of the field's range is rejected at run time, and a launch has at least one block; "
    "this one is wrong for every call.",
)
def field_ranges(operator: Operator, report: Report) -> None:
    """A field value that is known for every call on a chip is inside the field's range."""
    for field in _fields(operator):
        ctype = CTYPES.get(field.ctype)
        if ctype is None or ctype.minimum is None or ctype.maximum is None:
            continue
        value = _value_outside(operator, field.value, ctype.minimum, ctype.maximum)
        if value is not None:
            report(f"{value} does not fit {field.ctype} '{field.name}'", field.span, "use a wider type")
    blocks = operator.tiling.block_dim if operator.tiling is not None else None
    value = None if blocks is None else _value_outside(operator, blocks, 1, UINT32_MAX)
    if blocks is not None and value is not None:
        report(f"the kernel is launched with {value} blocks", blocks.span, "launch at least 1")


def _value_outside(operator: Operator, expr: Expr, low: int, high: int) -> int | None:
    """A value that an expression has in every call on some chip, if it is not from ``low`` to ``high``."""
    for chip in telling_chips(operator):
        world = world_of(operator, chip)
        world.move_to(ANYWHERE)
        value = world.known(expr, UNKNOWN)
        if isinstance(value, int) and not low <= value <= high:
            return value
    return None


@rule(
    "QS475",
    "A tiling struct is empty",
    "A struct without members carries nothing, and C and C++ disagree about its size.",
)
def struct_form(operator: Operator, report: Report) -> None:
    """Structs have members, unless a library call fills them."""
    data = operator.tiling.data if operator.tiling is not None else None
    if data is None:
        return
    for struct in structs(data.root):
        if not struct.members and struct.library is None:
            report(f"struct '{struct.type_name}' has no members", struct.span, "add `fields` or `members`")


@rule(
    "QS476",
    "An architecture has no workspace",
    "Where one architecture lists workspace terms, one without any is more likely forgotten than empty.",
    WARNING,
)
def workspace_archs(operator: Operator, report: Report) -> None:
    """Every architecture has workspace terms, or none has."""
    tiling = operator.tiling
    if tiling is None or not tiling.workspace:
        return
    given = {arch for arch, _ in tiling.workspace}
    for arch in operator.archs:
        if arch not in given:
            report(f"{arch} has no workspace terms", tiling.span, f"add `{arch}: {{}}` when it needs none")


@rule(
    "QS477",
    "A kernel cannot be launched",
    "The launch needs to say how many blocks run.",
    WARNING,
)
def launch(operator: Operator, report: Report) -> None:
    """An operator with tiling data says its block dim."""
    tiling = operator.tiling
    if tiling is not None and tiling.data is not None and tiling.block_dim is None:
        report("tiling has data but no `block_dim`", tiling.span, "add block_dim, for example `aiv`")


@rule(
    "QS478",
    "The package has no tiling, because a library fills a part of its data",
    "A struct that a library of the toolkit defines and fills has no members here, so neither its bytes nor "
    "the call that fills it are known: the package has no tiling function, no tiling struct and no kernel.",
    WARNING,
)
def library_data(operator: Operator, report: Report) -> None:
    """Says so at each struct of the tiling data that comes `from` a library."""
    data = operator.tiling.data if operator.tiling is not None else None
    for struct in library_structs(data) if data is not None else ():
        report(
            f"no tiling and kernel files are generated: {struct.library} fills '{struct.type_name}'",
            struct.span,
            "write them by hand, or list the members of the struct instead of `from`",
        )


@rule(
    "QS479",
    "The tiling function needs a file that the package does not have",
    "A function under `extern` is written by hand: the generated tiling function includes its header and "
    "calls it.",
    WARNING,
)
def extern_headers(operator: Operator, report: Report) -> None:
    """Says which headers a package needs beside its own files."""
    tiling = operator.tiling
    if tiling is None or (tiling.data is not None and library_structs(tiling.data)):
        return
    for extern in tiling.externs:
        report(
            f'the tiling function includes "{extern.cpp}", which is not generated',
            extern.span,
            f"put it on the include path of the build, with {extern.name}({', '.join(extern.args)}) in it",
        )


RULES = (
    key_bits,
    key_values,
    key_combinations,
    field_ranges,
    struct_form,
    workspace_archs,
    launch,
    library_data,
    extern_headers,
)

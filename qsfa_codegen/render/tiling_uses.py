"""What a tiling function computes and reads, and what it has to know of the chip."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from qsfa_codegen.expr.memo import once_an_operator
from qsfa_codegen.expr.nodes import Expr, RefKind
from qsfa_codegen.render.needs import Needs, exprs_of, needs
from qsfa_codegen.spec.contents import content_exprs
from qsfa_codegen.spec.layout import library_structs, struct_layout

if TYPE_CHECKING:
    from qsfa_codegen.spec.model import Operator, Tiling

PLATFORM_MEMBERS = {
    "aic": "aic",
    "aiv": "aiv",
    "libapi_workspace": "libapiWorkspace",
    "ub_size": "ubSize",
}
"""Members of the compile info by the platform value that they hold."""


def has_tiling(operator: Operator) -> bool:
    """Whether the operator has a tiling function that can be written.

    A struct that a library call fills cannot: what the call takes stands in no spec.
    """
    tiling = operator.tiling
    if tiling is None:
        return False
    return tiling.data is None or not library_structs(tiling.data)


def compile_info(operator: Operator) -> str:
    """The struct that keeps what tiling needs to know of the chip."""
    return f"{operator.name}CompileInfo"


def tiling_of(operator: Operator) -> Tiling:
    """The tiling of an operator that has one."""
    assert operator.tiling is not None
    return operator.tiling


def _answer_exprs(tiling: Tiling) -> Iterator[Expr]:
    if tiling.data is not None:
        yield from (entry.field.value for entry in struct_layout(tiling.data).entries)
    if tiling.key is not None:
        yield from (arg.value for arg in tiling.key.args)
        yield from (value for value in (tiling.key.plain,) if value is not None)
    for _, terms in tiling.workspace:
        for term in terms:
            yield from (part for part in (term.bytes, term.when) if part is not None)
    if tiling.block_dim is not None:
        yield tiling.block_dim


class TilingUses:
    """Everything that the function computes and reads."""

    def __init__(self, operator: Operator) -> None:
        tiling = tiling_of(operator)
        checked = [expr for check in operator.checks for expr in exprs_of(check)]
        roots = [*checked, *content_exprs(operator), *_answer_exprs(tiling)]
        self.needs: Needs = needs(operator, roots)
        self.attrs = self.needs.names(RefKind.ATTR)
        self.dims = self.needs.names(RefKind.DIM)
        self.lets = self.needs.names(RefKind.LET, RefKind.TILING_LET)
        self.inputs = self.needs.inputs
        values = [let.value for let in (*operator.lets, *tiling.lets) if let.name in self.lets]
        sizes = [dim.value for dim in operator.dims if dim.name in self.dims]
        records = [r for r in operator.records if r.name in self.needs.names(RefKind.RECORD)]
        sizes += [expr for record in records for expr in (record.elements, *record.offsets)]
        self.exprs = [*roots, *values, *sizes]

    @property
    def chips(self) -> bool:
        """Whether chips of one architecture are told apart."""
        return bool(self.needs.names(RefKind.CHIP))

    @property
    def platform(self) -> list[str]:
        """Members of the compile info, in a fixed order."""
        names = self.needs.names(RefKind.PLATFORM) | {"libapi_workspace"}
        return [member for name, member in PLATFORM_MEMBERS.items() if name in names]


@once_an_operator
def tiling_uses(operator: Operator) -> TilingUses:
    """All of that, found once."""
    return TilingUses(operator)


def compile_info_members(operator: Operator) -> tuple[bool, list[str]]:
    """Whether the compile info tells chips of one architecture apart, and its members behind ``arch``."""
    used = tiling_uses(operator)
    return used.chips, used.platform

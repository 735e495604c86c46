"""What models of a serving framework pass must be what the operator takes."""

from __future__ import annotations

from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, Operator
from qsfa_codegen.spec.rules.registry import Report, rule
from qsfa_codegen.spec.world import attr_values


@rule(
    "QS445",
    "The serving section does not fit the operator",
    "Models pass the attributes under `passes` in every call and route caches by their dtypes: the values "
    "must be accepted on every chip, and the dtypes must be some that exist.",
)
def serving(operator: Operator, report: Report) -> None:
    """Values that each chip accepts, dtypes that are known."""
    found = operator.serving
    if found is None:
        return
    for name, value in found.passes:
        attr = operator.find(Attr, name)
        for chip in operator.chips:
            values = attr_values(attr, chip)
            if values is not None and value not in values:
                expected = ", ".join(map(str, values))
                report(
                    f"models pass {name} {value}, which {chip.id} does not take",
                    found.span,
                    f"it takes {expected}",
                )
                break
    for dtype in found.caches:
        if dtype not in DTYPES:
            report(f"'{dtype}' under `caches` is no dtype", found.span)


RULES = (serving,)

"""What models of a serving framework pass must be what the operator takes."""

from __future__ import annotations

import keyword

from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr, Operator, Serving
from qsfa_codegen.spec.rules.registry import Report, rule
from qsfa_codegen.spec.world import attr_values

_BITS_OF_AN_ELEMENT = 8
_ARGUMENTS = ("cache_dtype", "kind", "chip")
_OTHER_MODELS = "other"


@rule(
    "QS445",
    "The serving section does not fit the operator",
    "Models pass the attributes under `passes` in every call and route caches by their dtypes: the values "
    "must be accepted on every chip, and the dtypes must be some that exist. A word of the cache's dtype "
    "means one of them, or that there is no such cache.",
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
        elif DTYPES[dtype].bits < _BITS_OF_AN_ELEMENT:
            report(f"'{dtype}' under `caches` is smaller than an element of a torch tensor", found.span)
    for word, dtype in found.words:
        if dtype not in found.caches:
            expected = f"`caches` has {', '.join(found.caches)}"
            report(f"the word '{word}' means '{dtype}', which is not under `caches`", found.span, expected)
        if word in found.off:
            report(f"the word '{word}' is under `on_for` and under `off_for`", found.span, "keep one")
    _names(found, report)


def _names(found: Serving, report: Report) -> None:
    """Names become arguments and values of the module ``model``, which has some of its own."""
    names = [found.switch, *(name for name, _ in found.excludes)]
    for name in dict.fromkeys(names):
        if name in _ARGUMENTS or names.count(name) > 1 or keyword.iskeyword(name):
            report(
                f"no setting can be called '{name}' here",
                found.span,
                "another name: the module `model` has this one",
            )
    if _OTHER_MODELS in found.models:
        report(f"'{_OTHER_MODELS}' under `models` stands for every other kind", found.span, "leave it out")


RULES = (serving,)

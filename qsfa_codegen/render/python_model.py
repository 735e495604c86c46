"""The model side of the Python package, from the serving section of the spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.family_facts import FamilyFacts, family_facts
from qsfa_codegen.render.python_contract import python_contract
from qsfa_codegen.render.python_names import torch_dtype
from qsfa_codegen.render.python_package import family_view, has_model
from qsfa_codegen.render.python_text import tuple_text
from qsfa_codegen.render.text import INDENT, python_string
from qsfa_codegen.render.torch_schema import literal
from qsfa_codegen.spec import families
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Attr

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Operator, Serving


def _render(operator: Operator, templates: Templates) -> str:
    family, facts, serving = families.reference_family(operator), family_facts(operator), operator.serving
    assert family is not None
    assert facts is not None
    assert serving is not None
    return templates.render(
        f"python/{family.name}/model.py.j2",
        **family_view(operator),
        facts=facts,
        serving=serving,
        passed=_passed(operator, facts, serving),
        caches={name: torch_dtype(name) for name in serving.caches},
        off_words=tuple_text("OFF_WORDS = ", map(python_string, serving.off)),
        **_carried(serving),
    )


def _passed(operator: Operator, facts: FamilyFacts, serving: Serving) -> dict[str, str]:
    """Arguments that a model's calls have in common, as Python."""
    params = python_contract(operator).by_source
    chosen = {
        params[name].name: literal(params[name].bound, value, operator.find(Attr, name).type)
        for name, value in serving.passes
        if name in params
    }
    return {**facts.fixed, **chosen}


def _carried(serving: Serving) -> dict[str, str]:
    """What docstrings say of caches whose tensors have another dtype."""
    carried = {name: torch_dtype(name) for name in serving.caches if not DTYPES[name].torch}
    carriers = " and ".join(dict.fromkeys(f"``{carrier}``" for carrier in carried.values()))
    example = ", ".join(f"``{name}`` in ``{carrier}``" for name, carrier in carried.items())
    return {
        "carried_text": f", and for {carriers}, which says nothing of the bits" if carried else "",
        "carried_example": f": {example}" if carried else "",
    }


def _render_chips(operator: Operator, templates: Templates) -> str:
    family, facts = families.reference_family(operator), family_facts(operator)
    assert family is not None
    assert facts is not None
    return templates.render(
        f"python/{family.name}/chips.py.j2",
        facts=facts,
        takes={
            chip.id: {
                "caches": tuple_text("caches=", map(python_string, chip.dtypes), ",", 2 * INDENT),
                "heads": tuple_text("heads=", map(str, chip.heads), ",", 2 * INDENT),
            }
            for chip in facts.chips
        },
        all_heads=all(chip.heads for chip in facts.chips),
    )


ARTEFACTS = (
    Artefact("python", lambda operator: f"python/{operator.snake}/chips.py", _render_chips, has_model),
    Artefact("python", lambda operator: f"python/{operator.snake}/model.py", _render, has_model),
)

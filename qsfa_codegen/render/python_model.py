"""The model side of the Python package, from the serving section of the spec."""

from __future__ import annotations

from typing import TYPE_CHECKING

from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.family_facts import FamilyFacts, family_facts
from qsfa_codegen.render.python_contract import python_contract
from qsfa_codegen.render.python_names import torch_dtype
from qsfa_codegen.render.python_package import family_view, has_model
from qsfa_codegen.render.text import python_string
from qsfa_codegen.render.torch_schema import literal
from qsfa_codegen.spec import families
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
        caches=", ".join(torch_dtype(name) for name in serving.caches),
        no_lse=", ".join(f"Chip.{chip.id}" for chip in facts.chips if not chip.lse),
        words=", ".join(map(python_string, serving.words)),
        words_text=" or ".join(f"``{word}``" for word in serving.words),
        excluded=", ".join(f"{python_string(a)}: {python_string(b)}" for a, b in serving.excludes),
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


ARTEFACTS = (Artefact("python", lambda operator: f"python/{operator.snake}/model.py", _render, has_model),)

"""The generated host code says of made-up calls what the contract says."""

from __future__ import annotations

import pytest

from qsfa_codegen.verify.disagree import tally
from qsfa_codegen.verify.generate import Calls
from tests.host.programs import QSFA, SPECS, engine, evaluator, operator


@pytest.mark.parametrize(("name", "count"), [(name, 20_000 if name == QSFA else 2_000) for name in SPECS])
def test_engines_agree(name: str, count: int) -> None:
    calls = Calls(evaluator(name)).calls(0, range(count))
    with engine(name) as host:
        found = tally(evaluator(name), host, calls)
    assert [(d.says, d.call) for d in found.disagreements] == []
    assert found.calls == count
    assert found.legal > count / 3
    # Pages are multiples of 16 tokens, which every accepted sparse block divides.
    assert {check.id for check in operator(name).checks} - set(found.broken) <= {"paging_divides"}

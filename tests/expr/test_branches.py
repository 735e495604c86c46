"""Which names an expression reads whatever their values are."""

import pytest

from qsfa_codegen.expr.branches import always_read
from tests.expr.world import typed

ALWAYS = [
    ("A + B * 2", {"A", "B"}),
    ("min(A, 3)", {"A"}),
    ("A if flag else B", {"flag"}),
    ("A + 1 if flag else A // step", {"flag", "A"}),
    ("A if A > 0 else 5", {"A"}),
    ("flag and A > 0", {"flag"}),
    ("A > 0 or flag", {"A"}),
    ("A in (1, B)", {"A"}),
    ("not (flag and wide)", {"flag"}),
    ("3", set()),
]


@pytest.mark.parametrize(("text", "names"), ALWAYS)
def test_names_that_are_always_read(text: str, names: set[str]) -> None:
    assert always_read(typed(text)) == names

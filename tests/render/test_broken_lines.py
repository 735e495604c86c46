"""Long statements: where they are broken, which is where the formatter leaves them."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsfa_codegen.render.text import LINE_LIMIT, broken
from tests.render.style import complaints

SUM = "arith.Add(arith.Mul(arith.Mul(arith.AlignUp(dims_.d, 32), 2), inputs_.beta.Passed() ? 4 : 3), 768)"
STATEMENTS = {
    "return": ("return ", f"platform_->ubSize - {SUM}", ";"),
    "assignment": ("const int64_t rows = ", f"platform_->ubSize - {SUM}", ";"),
    "argument": (
        "return ",
        f"arith.Div(platform_->ubSize - {SUM}, arith.Add(arith.Mul(16, dims_.width), 8))",
        ";",
    ),
    "condition": ("if (", f"dims_.width > 0 && platform_->ubSize < {SUM}", ") {\n        return;\n    }"),
    "group": (
        "if (",
        f"!(dims_.width == 8 || {SUM} == 16) && dims_.width > 0",
        ") {\n        return;\n    }",
    ),
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_a_long_statement_is_broken_as_the_formatter_would(name: str, tmp_path: Path) -> None:
    head, text, tail = STATEMENTS[name]
    statement = broken(head, text, tail, 4)
    assert complaints({"a.cpp": f"void Call()\n{{\n    {statement}\n}}\n"}, tmp_path) == []
    assert "".join(statement.split()) == "".join(f"{head}{text}{tail}".split())


def test_an_operand_that_fits_no_line_is_one_of_its_own() -> None:
    head, text, tail = STATEMENTS["return"]
    assert broken(head, text, tail, 4).splitlines() == ["return platform_->ubSize -", f"        {SUM};"]


def test_what_fits_stays_on_its_line() -> None:
    short = "a && b ? c : d"
    assert broken("return ", short, ";", 4) == f"return {short};"
    full = "a" * (LINE_LIMIT - len("return ;"))
    assert "\n" not in broken("return ", full, ";", 0)

"""Host code in which every check can be turned off, so that one program serves to remove each of them.

``REMOVED_CHECK`` in the environment names the check that the program does without.
"""

from __future__ import annotations

import re
from typing import NamedTuple

REJECTION = re.compile(r"\b(?:return Reject|OP_LOGE)\(")
RULE = re.compile(r"\[(\w+)\]")
SWITCH = """
#include <cstdlib>
#include <cstring>

static bool IsKept(const char *check)
{
    const char *removed = std::getenv("REMOVED_CHECK");
    return removed == nullptr || std::strcmp(removed, check) != 0;
}

"""


class Switched(NamedTuple):
    """A source in which checks have switches, and what each switch is called: rule, file and number."""

    text: str
    checks: tuple[tuple[str, str], ...]


def switched(text: str, file: str) -> Switched:
    """The source with `&& IsKept(…)` in each condition of a rejection that names a rule."""
    checks: list[tuple[str, str]] = []
    parts: list[str] = []
    end = 0
    for found in REJECTION.finditer(text):
        statement = text[found.start() : text.index(";\n", found.start())]
        rule = RULE.search(statement)
        opening = text.rfind("if (", 0, found.start())
        brace = text.rfind(") {\n", 0, found.start())
        if rule is None or opening < end:
            continue
        assert text[brace + 4 : found.start()].strip() == ""
        name = f"{file}:{len(checks)}:{rule[1]}"
        checks.append((rule[1], name))
        parts += [text[end : opening + 4], f'IsKept("{name}") && (', text[opening + 4 : brace], ")"]
        end = brace
    parts.append(text[end:])
    fits = {"value < low || value > high": "value", "arith.failed": "arith"}
    joined = "".join(parts)
    for condition, what in fits.items():
        assert condition in joined or "::Store(" not in joined
        joined = joined.replace(
            f'    if ({condition}) {{\n        return Reject("%s',
            f'    if (IsKept((std::string(field) + "_fits:{what}").c_str()) && ({condition})) {{\n'
            '        return Reject("%s',
        )
    before = joined.index("namespace ")
    return Switched(f"{joined[:before]}#include <string>\n{SWITCH}{joined[before:]}", tuple(checks))

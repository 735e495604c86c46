"""Blocks of code in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence


def fence(lines: Sequence[str]) -> str:
    """A fence longer than any run of backticks in ``lines``."""
    longest = max((len(run) for line in lines for run in re.findall("`+", line)), default=0)
    return "`" * max(3, longest + 1)

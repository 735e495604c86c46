"""The words of generated code, from which files tell what they need to define."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")
_NO_WORD = {code: " " for code in range(1 << 7) if not _WORD.match(chr(code))}


def words(code: str) -> set[str]:
    """Every name, keyword and number in ``code``, those in comments and literals too."""
    if code.isascii():  # many times as fast as the pattern
        return set(code.translate(_NO_WORD).split())
    return set(_WORD.findall(code))

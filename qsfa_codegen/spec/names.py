"""How one name is spelt in C++, aclnn, files and macros: the only place that converts case."""

from __future__ import annotations

import re
from functools import lru_cache

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+[0-9]*|[0-9]+")


@lru_cache(maxsize=1 << 12)
def words(name: str) -> tuple[str, ...]:
    """The words of a snake_case, camelCase or CamelCase name, lower case.

    >>> words("FillKVCache"), words("KV_ROWS"), words("row_mask_out")
    (('fill', 'kv', 'cache'), ('kv', 'rows'), ('row', 'mask', 'out'))
    """
    return tuple(w.lower() for part in name.split("_") for w in _WORD.findall(part))


@lru_cache(maxsize=1 << 12)
def snake(name: str) -> str:
    """``FusedRowScan`` → ``fused_row_scan``."""
    return "_".join(words(name))


def upper(name: str) -> str:
    """Macro spelling: ``FUSED_ROW_SCAN``."""
    return snake(name).upper()


@lru_cache(maxsize=1 << 12)
def camel(name: str) -> str:
    """Variable spelling: ``row_block_size`` → ``rowBlockSize``, ``KV_ROWS`` → ``kvRows``."""
    first, *rest = words(name)
    return first + "".join(w[:1].upper() + w[1:] for w in rest)


@lru_cache(maxsize=1 << 12)
def pascal(name: str) -> str:
    """Type spelling: ``row_block`` → ``RowBlock``."""
    return "".join(w[:1].upper() + w[1:] for w in words(name))


def output_check(output: str, what: str) -> str:
    """The id of a check of an allocated output: ``row_sum``, ``shape`` → ``row_sum_out_shape``."""
    return f"{output}_{what}" if words(output)[-1:] == ("out",) else f"{output}_out_{what}"


def api_camel(name: str) -> str:
    """Spelling of an aclnn parameter: ``row_mask`` → ``rowMask``, ``PageIDs`` → ``pageIDs``.

    As CANN's generator does it: unlike ``camel`` it leaves capitals inside a word as they are.
    """
    joined = re.sub("_(.?)", lambda match: match[1].upper(), name)
    return joined[:1].lower() + joined[1:]

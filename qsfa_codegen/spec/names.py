"""How one name is spelt in C++, aclnn, files and macros: the only place that converts case."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+[0-9]*|[0-9]+")


def words(name: str) -> tuple[str, ...]:
    """The words of a snake_case, camelCase or CamelCase name, lower case.

    >>> words("StoreKVBlock"), words("KV_N"), words("actual_seq_lengths_kv")
    (('store', 'kv', 'block'), ('kv', 'n'), ('actual', 'seq', 'lengths', 'kv'))
    """
    return tuple(w.lower() for part in name.split("_") for w in _WORD.findall(part))


def snake(name: str) -> str:
    """``KvQuantSparseFlashAttention`` → ``kv_quant_sparse_flash_attention``."""
    return "_".join(words(name))


def upper(name: str) -> str:
    """Macro spelling: ``KV_QUANT_SPARSE_FLASH_ATTENTION``."""
    return snake(name).upper()


def camel(name: str) -> str:
    """Variable spelling: ``sparse_block_size`` → ``sparseBlockSize``, ``KV_N`` → ``kvN``."""
    first, *rest = words(name)
    return first + "".join(w[:1].upper() + w[1:] for w in rest)


def pascal(name: str) -> str:
    """Type spelling: ``right_down_causal`` → ``RightDownCausal``."""
    return "".join(w[:1].upper() + w[1:] for w in words(name))


def api_camel(name: str) -> str:
    """Spelling of an aclnn parameter: ``block_table`` → ``blockTable``, ``KCache`` → ``kCache``.

    As CANN's generator does it: unlike ``camel`` it leaves capitals inside a word as they are.
    """
    joined = re.sub("_(.?)", lambda match: match[1].upper(), name)
    return joined[:1].lower() + joined[1:]

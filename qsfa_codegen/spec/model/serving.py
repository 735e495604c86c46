"""How models of a serving framework come to the operator."""

from __future__ import annotations

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.spec.model.attrs import AttrValue


class Serving(Struct, frozen=True):
    """What a framework's own settings say, and what its calls pass.

    ``passes`` are attributes with the value that models choose. A cache tensor of one of the dtypes
    ``caches`` goes to this operator, any other to the one called ``otherwise``. ``switch`` is the setting
    that gives a model such a cache: on by itself where the setting of the cache's dtype is one of ``words``,
    each with the dtype that it means, and the model is of one of the kinds ``models``. Other words of that
    setting are ``off``. ``excludes`` are settings that do not go with it, each
    with the one to turn on in its place.
    """

    passes: tuple[tuple[str, AttrValue], ...]
    caches: tuple[str, ...]
    otherwise: str
    switch: str
    words: tuple[tuple[str, str], ...]
    models: tuple[str, ...]
    off: tuple[str, ...]
    excludes: tuple[tuple[str, str], ...]
    span: Span

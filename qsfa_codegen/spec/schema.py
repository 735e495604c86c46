"""Checks a tree against the JSON Schema that editors use, and says what is wrong where."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.spec.misfits import report_misfits
from qsfa_codegen.spec.quick_fit import QuickFit
from qsfa_codegen.spec.tree import Node, to_plain

if TYPE_CHECKING:
    from jsonschema import ValidationError
    from jsonschema.protocols import Validator

Kind = Literal["operator", "chips"]
Schema = dict[str, Any]

_LARGE = 50  # greater limits are there so that every spec is read soon
_FOLDER = Path(__file__).with_name("schema")


def schema_text(kind: Kind = "operator") -> str:
    """The schema file as it is."""
    return (_FOLDER / f"{kind}.schema.json").read_text(encoding="utf-8")


@functools.cache
def _schema(kind: Kind) -> Schema:
    return cast(Schema, json.loads(schema_text(kind)))


def operator_schema() -> Schema:
    """The schema of operator specs; shared, so not to be changed."""
    return _schema("operator")


@functools.cache
def _quick_fit(kind: Kind) -> QuickFit:
    return QuickFit(_schema(kind))


@functools.cache
def _validator(kind: Kind) -> Validator:
    # Only for a spec with errors: the library takes longer to import than it takes to read one.
    from qsfa_codegen.spec.schema_keywords import validator_class

    schema = _schema(kind)
    return validator_class(schema["$defs"])(schema)


def validate(tree: Node, sink: Sink, kind: Kind = "operator") -> bool:
    """Record every misfit of ``tree``; True when there is none."""
    return not mend(tree, sink, kind)[1]


def mend(tree: Node, sink: Sink, kind: Kind = "operator") -> tuple[Node | None, frozenset[str]]:
    """As ``validate``, for stages that read on after an error.

    Returns the tree with misspelt keys as they were meant, and the sections that do not fit; the
    file itself is section "". The tree is None when it is larger than any spec needs to be.
    """
    plain = to_plain(tree)
    if _quick_fit(kind).fits(plain):
        return tree, frozenset()
    errors = list(_validator(kind).iter_errors(plain))
    faulty = frozenset(str(error.path[0]) if error.path else "" for error in errors)
    mended = report_misfits(errors, tree, _schema(kind)["$defs"], sink)
    return None if any(map(_is_about_size, errors)) else mended, faulty


def _is_about_size(error: ValidationError) -> bool:
    return error.validator in ("maxItems", "maxProperties") and cast(int, error.validator_value) >= _LARGE

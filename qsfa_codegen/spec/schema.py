"""Checks a tree against the JSON Schema that editors use, and says what is wrong where."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.spec.misfits import report_misfits
from qsfa_codegen.spec.tree import Node, to_plain

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

Kind = Literal["operator", "chips"]
Schema = dict[str, Any]

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
def _validator(kind: Kind) -> Validator:
    # Most commands end without a spec to validate, and the library takes longer to import than they run.
    from qsfa_codegen.spec.schema_keywords import validator_class

    schema = _schema(kind)
    return validator_class(schema["$defs"])(schema)


def validate(tree: Node, sink: Sink, kind: Kind = "operator") -> bool:
    """Record every misfit of ``tree``; True when there is none."""
    return not mend(tree, sink, kind)[1]


def mend(tree: Node, sink: Sink, kind: Kind = "operator") -> tuple[Node, frozenset[str]]:
    """As ``validate``, for stages that read on after an error.

    Returns the tree with misspelt keys as they were meant, and the sections that do not fit; the
    file itself is section "".
    """
    errors = list(_validator(kind).iter_errors(to_plain(tree)))
    faulty = frozenset(str(error.path[0]) if error.path else "" for error in errors)
    return report_misfits(errors, tree, _schema(kind)["$defs"], sink), faulty

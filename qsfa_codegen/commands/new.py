"""``new``: a small spec to start from."""

from __future__ import annotations

import os
import re
from pathlib import Path

from qsfa_codegen.commands.status import BadUsageError
from qsfa_codegen.spec import names

_TEMPLATE = Path(__file__).with_name("new_spec.yaml")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_MAX_LENGTH = 64
_SCHEMA_HINT = "\n# Editors complete keys with that file: qsfa-codegen schema > {path}"
_SCHEMA_IN_TREE = Path("qsfa_codegen/spec/schema/operator.schema.json")


def new(name: str, folder: Path) -> Path:
    """Write a spec of an operator called ``name`` (AddExample or add_example) and return its path.

    Raises BadUsageError when the name cannot be an operator's, or the file exists.
    """
    operator = _operator_name(name)
    path = folder / f"{names.snake(operator)}.yaml"
    folder.mkdir(parents=True, exist_ok=True)
    text = _TEMPLATE.read_text(encoding="utf-8")
    schema = _schema(folder)
    hint = "" if (folder / schema).exists() else _SCHEMA_HINT.format(path=(folder / schema).as_posix())
    text = text.replace("@NAME@", operator).replace("@SCHEMA_HINT@", hint).replace("@SCHEMA@", schema)
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise BadUsageError(f"{path} exists: choose another name, or edit that file") from None
    return path


def _operator_name(name: str) -> str:
    if not _NAME.fullmatch(name) or len(name) > _MAX_LENGTH:
        raise BadUsageError(
            f"{name!r} cannot be an operator's name: it needs a letter, then letters, digits and "
            f"underscores, {_MAX_LENGTH} at most"
        )
    return name if name[0].isupper() and "_" not in name else names.pascal(name)


def _schema(folder: Path) -> str:
    """Where an editor finds the schema: in this source tree, else beside the spec."""
    if _SCHEMA_IN_TREE.is_file():
        return Path(os.path.relpath(_SCHEMA_IN_TREE, folder)).as_posix()
    return _SCHEMA_IN_TREE.name

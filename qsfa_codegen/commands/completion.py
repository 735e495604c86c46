"""``completion``: scripts for shells."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


def script(program: click.Command, name: str, shell: str) -> str:
    """The script that makes ``shell`` ask the program itself for completions."""
    variable = f"_{name.replace('-', '_').upper()}_COMPLETE"
    completion = get_completion_class(shell)
    assert completion is not None
    return completion(program, {}, name, variable).source()

"""A project in a git repository, and edits of its spec."""

from __future__ import annotations

import subprocess
from pathlib import Path

SPEC = Path("spec/add_example.yaml")
TIGHTER = ("max: 8192", "max: 4096")
WIDER = ("max: 8192", "max: 16384")
WORDS = ("Rows to scale.", "The rows to scale.")


def git(*arguments: str) -> None:
    """Run git in the current folder."""
    settings = ["-c", "user.name=A", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *settings, *arguments], check=True, capture_output=True)


def edit(old: str, new: str, path: Path = SPEC) -> None:
    """Replace ``old``, which stands in the file, by ``new``."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")

"""Whether generated C++ is formatted: the formatter changes nothing, and lines are short enough."""

from __future__ import annotations

import subprocess
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from qsfa_codegen.render.text import LINE_LIMIT

STYLE = Path(__file__).parents[2] / "generated" / ".clang-format"
CLANG_FORMAT = Path(sysconfig.get_path("scripts")) / "clang-format"
SUFFIXES = (".h", ".cpp")


def complaints(files: Mapping[str, str], folder: Path) -> list[str]:
    """What is wrong with the C++ among ``files``, which are written below ``folder``."""
    sources = {path: text for path, text in files.items() if path.endswith(SUFFIXES)}
    for path, text in sources.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    command = [str(CLANG_FORMAT), f"--style=file:{STYLE}", "--dry-run", "--Werror", *sources]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    found = ran.stderr.splitlines() if ran.returncode else []
    return found + [
        f"{path}:{number}: {len(line)} columns"
        for path, text in sources.items()
        for number, line in enumerate(text.splitlines(), 1)
        if len(line) > LINE_LIMIT
    ]

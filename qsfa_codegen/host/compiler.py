"""The C++ compiler of this machine."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess

from msgspec import Struct

from qsfa_codegen.diagnostics import Diagnostic
from qsfa_codegen.host.errors import NO_COMPILER, HostError

KNOWN = ("g++", "clang++")
VARIABLE = "CXX"
_HELP = (
    f"install {KNOWN[0]} (Debian: apt-get install g++) or {KNOWN[1]}, or name another compiler "
    f"in {VARIABLE}; the engine python needs none"
)


class Compiler(Struct, frozen=True):
    """A command with its first arguments, and what it says of its version."""

    command: tuple[str, ...]
    version: str


def find() -> Compiler:
    """The compiler that CXX names, else the first known one on the PATH. HostError when there is none."""
    given = os.environ.get(VARIABLE, "")
    try:
        named = shlex.split(given)
    except ValueError as error:
        reason = f"{VARIABLE} is {given}, which is no command: {str(error).lower()}"
        raise HostError(Diagnostic(NO_COMPILER, reason, help=_HELP)) from error
    if named:
        return _compiler(named, f"{VARIABLE} is '{shlex.join(named)}'")
    found = next((name for name in KNOWN if shutil.which(name)), None)
    if found is None:
        reason = f"there is no C++ compiler: neither {' nor '.join(KNOWN)} is on the PATH"
        raise HostError(Diagnostic(NO_COMPILER, reason, help=_HELP))
    return _compiler([found], f"{found} is on the PATH")


def _compiler(command: list[str], origin: str) -> Compiler:
    try:
        asked = subprocess.run([*command, "--version"], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        reason = f"{origin}, but '{shlex.join(command)} --version' fails"
        raise HostError(Diagnostic(NO_COMPILER, reason, help=_HELP), str(error)) from error
    return Compiler(tuple(command), asked.stdout)

"""What earlier builds into a folder were made from, so that a build with nothing to do is over at once.

A spec is current when its bytes, the program and the templates are those of its last build, and the
package on disk is exactly what that build wrote. Deciding it needs no YAML and no template.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Set
from functools import cache
from pathlib import Path

from msgspec import Struct
from msgspec.structs import asdict

from qsfa_codegen import manifest, user_cache, writer


class Entry(Struct, frozen=True):
    """The last build of one spec: sha256 of the spec and of the manifest, and the package's folder name."""

    spec_sha256: str
    package: str
    manifest_sha256: str


class Stamp:
    """The entries of one output folder. Entries of another program or other templates do not count.

    ``toolchain`` tells which these are. It takes time, and is called where an entry needs it, once.
    """

    def __init__(self, out: Path, toolchain: Callable[[], str]) -> None:
        self._out = out
        self._name = f"builds/{manifest.digest(os.fsencode(out.resolve()))[:32]}.json"
        self._made_with, self._entries = _decode(user_cache.read(self._name))
        self.toolchain = cache(toolchain)
        self._dirty = False

    def current(self, spec: Path) -> tuple[str, int] | None:
        """Folder name and number of files of the spec's package when there is nothing to do, else None."""
        entry = self._entries.get(_key(spec))
        if entry is None or not self._counts():
            return None
        try:
            if manifest.digest(spec.read_bytes()) != entry.spec_sha256:
                return None
            count = writer.intact(self._out / entry.package, entry.manifest_sha256)
        except OSError:
            return None
        return (entry.package, count) if count else None

    def _counts(self) -> bool:
        """Whether the entries are of this program and these templates."""
        return self._made_with == self.toolchain()

    def record(self, spec: Path, entry: Entry) -> None:
        """Remember a build."""
        if not self._counts():
            self._made_with, self._entries = self.toolchain(), {}
        if self._entries.get(_key(spec)) != entry:
            self._entries[_key(spec)] = entry
            self._dirty = True

    def save(self) -> None:
        """Keep the entries for the next build, those of deleted specs left out."""
        if self._dirty:
            entries = {spec: asdict(entry) for spec, entry in self._entries.items() if os.path.exists(spec)}
            document = {"toolchain": self.toolchain(), "specs": entries}
            user_cache.write(self._name, json.dumps(document).encode())


def _key(spec: Path) -> str:
    return str(spec.resolve())


def _decode(data: bytes | None) -> tuple[str, dict[str, Entry]]:
    """What the entries were made with, and the entries by spec."""
    try:
        document = json.loads(data or b"")
        return document["toolchain"], {spec: Entry(**entry) for spec, entry in document["specs"].items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        return "", {}


def toolchain(roots: Iterable[Path], apart: Iterable[Path] = ()) -> str:
    """A digest of what decides the output besides a spec: the interpreter and each file under ``roots``.

    Folders ``apart`` do not count.
    """
    skipped = set(map(os.fspath, apart))
    total = hashlib.sha256(sys.version.encode())
    for root in map(os.fspath, roots):
        for path in _files(root, skipped):
            total.update(os.fsencode(path.removeprefix(root)) + b"\0")
            with open(path, "rb", buffering=0) as file:
                total.update(hashlib.sha256(file.read()).digest())
        total.update(b"\1")
    return total.hexdigest()


def _files(root: str, skipped: Set[str]) -> Iterator[str]:
    """The files below ``root`` in order (itself when it is one), compiled and hidden ones left out."""
    if os.path.isfile(root):
        yield root
        return
    for folder, folders, names in os.walk(root):
        names_below = (name for name in folders if name != "__pycache__" and not name.startswith("."))
        folders[:] = sorted(name for name in names_below if f"{folder}{os.sep}{name}" not in skipped)
        for name in sorted(names):
            if not name.endswith(".pyc"):
                yield f"{folder}{os.sep}{name}"

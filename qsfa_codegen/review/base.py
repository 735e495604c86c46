"""The specs that an edit is compared with: of a revision of the git repository, or of a folder."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from qsfa_codegen.resources import CHIPS, resource, spec_folders

if TYPE_CHECKING:
    from qsfa_codegen.diagnostics import Sink
    from qsfa_codegen.spec.model import Operator


class BaseError(Exception):
    """The base is not there, or cannot be read; the message says what it is."""


class BaseSpec(Struct, frozen=True):
    """The bytes of a spec in the base, and of the chips beside it; names as they stand in places."""

    name: str
    data: bytes
    chips_name: str
    chips: bytes

    @property
    def operator(self) -> str | None:
        """The operator that it is about, if that can be told."""
        return operator_name(self.data.decode("utf-8", "replace"))


class Base(Protocol):
    """Where specs are looked up."""

    @property
    def label(self) -> str:
        """What a reader knows it as."""

    def names(self, folder: Path) -> Sequence[str]:
        """The specs that it has in and below the place of ``folder``, as paths from there."""

    def read(self, folder: Path, name: str) -> bytes | None:
        """The bytes of a file where ``folder`` is; None when there is none."""

    def shown(self, folder: Path, name: str) -> str:
        """How the file is called in places."""


def base_of(choice: str | None, spec: Path) -> Base:
    """The base for a spec: ``choice`` is a folder or a revision; None is HEAD."""
    if choice is not None and Path(choice).is_dir():
        return _Folder(Path(choice))
    return _Revision.of(choice or "HEAD", spec.parent)


def find(base: Base, spec: Path, text: str) -> BaseSpec | None:
    """The spec in the base, under its own name or, where that is new, that of the same operator."""
    folder, name = spec.parent, spec.name
    data = base.read(folder, name)
    if data is None:
        *_, folder = spec_folders(spec)
        name = next(iter(_same_operator(base, folder, text)), "")
        data = base.read(folder, name) if name else None
    if data is None:
        return None
    chips_name, chips = _chips(base, folder / name)
    return BaseSpec(base.shown(folder, name), data, chips_name, chips)


def _chips(base: Base, spec: Path) -> tuple[str, bytes]:
    """The description of chips that goes with a spec of the base."""
    for folder in spec_folders(spec):
        chips = base.read(folder, CHIPS)
        if chips is not None:
            return base.shown(folder, CHIPS), chips
    known = resource(CHIPS)
    return known.as_posix(), known.read_bytes()


def operator_of(found: BaseSpec, sink: Sink) -> Operator | None:
    """The operator of a spec, if that can be read; rules of today do not matter."""
    from qsfa_codegen.spec.chips import read_chips
    from qsfa_codegen.spec.load import resolved

    chips = read_chips(found.chips, found.chips_name, sink)
    return resolved(found.data, found.name, sink, chips)


_OPERATOR = re.compile(r"^operator:\s*\n(?:[ \t#].*\n|\n)*?[ \t]+name:[ \t]*([A-Za-z_]\w*)", re.MULTILINE)


def operator_name(text: str) -> str | None:
    """The operator that a spec is about, told without reading it as a whole."""
    found = _OPERATOR.search(text)
    return None if found is None else found[1]


def _same_operator(base: Base, folder: Path, text: str) -> Iterator[str]:
    wanted = operator_name(text)
    for name in base.names(folder):
        if wanted is None or (folder / name).exists():
            continue
        data = base.read(folder, name)
        if data is not None and operator_name(data.decode("utf-8", "replace")) == wanted:
            yield name


def removed(base: Base, folder: Path) -> Iterator[tuple[str, str]]:
    """Specs that only the base has, with their operator."""
    for name in base.names(folder):
        if (folder / name).exists():
            continue
        data = base.read(folder, name)
        operator = None if data is None else operator_name(data.decode("utf-8", "replace"))
        if operator is not None:
            yield base.shown(folder, name), operator


def _may_be_spec(name: str) -> bool:
    path = PurePosixPath(name)
    hidden = any(part.startswith(".") for part in path.parts)
    return path.suffix in (".yaml", ".yml") and path.name != CHIPS and not hidden


class _Folder:
    """A folder with specs, or with the folder that the specs are in."""

    def __init__(self, root: Path) -> None:
        self._root = root

    @property
    def label(self) -> str:
        return self._root.as_posix()

    def names(self, folder: Path) -> Sequence[str]:
        place = self._place(folder)
        found = (path.relative_to(place).as_posix() for path in place.rglob("*") if path.is_file())
        return sorted(filter(_may_be_spec, found))

    def read(self, folder: Path, name: str) -> bytes | None:
        path = self._place(folder) / name
        return path.read_bytes() if path.is_file() else None

    def shown(self, folder: Path, name: str) -> str:
        return (self._place(folder) / name).as_posix()

    def _place(self, folder: Path) -> Path:
        inner = self._root / folder
        return inner if not folder.is_absolute() and inner.is_dir() else self._root


class _Revision:
    """A commit of the repository that a folder is in."""

    def __init__(self, label: str, commit: str) -> None:
        self.label = label
        self._commit = commit

    @classmethod
    def of(cls, revision: str, folder: Path) -> _Revision:
        """The revision as the repository of ``folder`` knows it; BaseError when it does not."""
        if _git(folder, "rev-parse", "--show-prefix") is None:
            raise BaseError(f"{folder} is in no git repository: choose what to compare with, with --base DIR")
        found = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if found is None:
            what = "has no commit yet" if revision == "HEAD" else f"has no revision {revision}"
            raise BaseError(f"the repository of {folder} {what}, and there is no such folder")
        return cls(revision, found.decode().strip())

    def names(self, folder: Path) -> Sequence[str]:
        listed = _git(folder, "ls-tree", "-r", "-z", "--name-only", self._commit, "./")
        found = [] if listed is None else listed.decode("utf-8", "replace").split("\0")
        return sorted(filter(_may_be_spec, found))

    def read(self, folder: Path, name: str) -> bytes | None:
        return _git(folder, "cat-file", "blob", f"{self._commit}:./{name}")

    def shown(self, folder: Path, name: str) -> str:
        return f"{self.label}:{(folder / name).as_posix()}"


def _git(folder: Path, *arguments: str) -> bytes | None:
    """What git prints; None when it fails."""
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment,
            check=False,
        )
    except FileNotFoundError:
        raise BaseError("git is not installed: choose what to compare with, with --base DIR") from None
    return done.stdout if done.returncode == 0 else None

"""The specs that an edit is compared with: of a revision of the git repository, or of a folder."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Collection, Iterator, Sequence
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
        return _operator_in(self.data)


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
    if choice is None:
        return _Revision.of("HEAD", spec.parent)
    if not choice:
        raise BaseError("--base is empty: choose a revision or a folder")
    if Path(choice).is_dir():
        return _Folder(Path(choice))
    if Path(choice).is_file():
        raise BaseError(f"{choice} is a file: choose the folder that the older spec is in, or a revision")
    return _Revision.of(choice, spec.parent)


def find(base: Base, spec: Path, text: str) -> BaseSpec | None:
    """The spec of the same operator in the base, under its own name if it can be.

    Where the base has none, an operator of that file was given another name, unless another file has
    it now.
    """
    *_, top = spec_folders(spec)
    folder, name, wanted = spec.parent, spec.name, operator_name(text)
    data = base.read(folder, name)
    was = None if data is None else _operator_in(data)
    if data is None or was != wanted:
        other = next(iter(_same_operator(base, top, wanted)), None)
        if other is not None:
            folder, (name, data) = top, other
        elif was is not None and _has(top, was, spec):
            return None
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


def _operator_in(data: bytes) -> str | None:
    return operator_name(data.decode("utf-8", "replace"))


def _operator_at(path: Path) -> str | None:
    """The operator of a spec as it is now; None where there is none."""
    return _operator_in(path.read_bytes()) if path.is_file() else None


def _has(folder: Path, operator: str, besides: Path) -> bool:
    """Whether another spec below the folder has the operator now."""
    paths = (path for path in folder.rglob("*.y*ml") if _may_be_spec(path.relative_to(folder).as_posix()))
    return any(_operator_at(path) == operator and not path.samefile(besides) for path in paths)


def _same_operator(base: Base, folder: Path, wanted: str | None) -> Iterator[tuple[str, bytes]]:
    """Specs of the base with an operator that is in another file now."""
    for name in base.names(folder):
        if wanted is None or _operator_at(folder / name) == wanted:
            continue
        data = base.read(folder, name)
        if data is not None and _operator_in(data) == wanted:
            yield name, data


def removed(base: Base, folder: Path, matched: Collection[str]) -> Iterator[tuple[str, str]]:
    """Specs that only the base has, with their operator; ``matched`` are those that were compared."""
    for name in base.names(folder):
        shown = base.shown(folder, name)
        if shown in matched:
            continue
        data = base.read(folder, name)
        operator = None if data is None else _operator_in(data)
        if operator is not None:
            yield shown, operator


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
        specs = sorted(filter(_may_be_spec, found))
        if not specs:
            raise BaseError(f"{place} has no spec to compare with")
        return specs

    def read(self, folder: Path, name: str) -> bytes | None:
        path, own = self._place(folder) / name, folder / name
        if not path.is_file():
            if os.path.lexists(path):
                raise BaseError(f"{path} is no file that can be read")
            return None
        if own.exists() and path.samefile(own):
            raise BaseError(
                f"{path} is what it would be compared with: choose the folder of an older version"
            )
        return path.read_bytes()

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
        place = _run_git(folder, "rev-parse", "--show-prefix")
        if place.returncode:
            raise BaseError(_no_repository(folder, place.stderr.decode("utf-8", "replace")))
        verify = ("rev-parse", "--verify", "--quiet", "--end-of-options")
        found = _git(folder, *verify, f"{revision}^{{commit}}")
        if found is not None:
            return cls(revision, found.decode().strip())
        if _git(folder, *verify, revision) is not None:
            raise BaseError(f"{revision} in the repository of {folder} is no commit that git can read")
        what = "has no commit yet" if revision == "HEAD" else f"has no revision {revision}"
        shallow = _git(folder, "rev-parse", "--is-shallow-repository") == b"true\n"
        advice = (
            "; it has only a part of the history: `git fetch --unshallow` gets the rest" if shallow else ""
        )
        raise BaseError(f"the repository of {folder} {what}, and there is no such folder{advice}")

    def names(self, folder: Path) -> Sequence[str]:
        listed = _git(folder, "ls-tree", "-r", "-z", "--name-only", self._commit, "./")
        found = [] if listed is None else listed.decode("utf-8", "replace").split("\0")
        return sorted(filter(_may_be_spec, found))

    def read(self, folder: Path, name: str) -> bytes | None:
        data = _git(folder, "cat-file", "blob", f"{self._commit}:./{name}")
        if data is None and _git(folder, "ls-tree", "-z", self._commit, f"./{name}") != b"":
            raise BaseError(f"{self.shown(folder, name)} is there, and git cannot read it")
        return data

    def shown(self, folder: Path, name: str) -> str:
        return f"{self.label}:{(folder / name).as_posix()}"


_NO_REPOSITORY = "choose what to compare with, with --base DIR"


def _no_repository(folder: Path, said: str) -> str:
    """Why git finds no repository: most often there is none."""
    if "not a git repository (or any" in said:
        return f"{folder} is in no git repository: {_NO_REPOSITORY}"
    return f"git does not read the repository of {folder}: {said.strip().removeprefix('fatal: ')}"


def _git(folder: Path, *arguments: str) -> bytes | None:
    """What git prints; None when it fails."""
    done = _run_git(folder, *arguments)
    return done.stdout if done.returncode == 0 else None


def _run_git(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0"}
    try:
        return subprocess.run(
            ["git", "-C", str(folder), *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment,
            check=False,
        )
    except FileNotFoundError:
        raise BaseError(f"git is not installed: {_NO_REPOSITORY}") from None

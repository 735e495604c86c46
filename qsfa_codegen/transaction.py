"""Changes to a folder that happen together or not at all, one build at a time."""

from __future__ import annotations

import fcntl
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from qsfa_codegen import manifest

STAGING = ".qsfa-codegen.tmp"
_MODE = 0o644


class WriteError(Exception):
    """The disk did not cooperate; nothing was changed, unless the message says otherwise."""


class Transaction:
    """Changes to one folder that are undone, last first, unless the block ends without an exception.

    New and old bytes pass through a staging folder inside the package, which is on the same file
    system, so that each change is one rename. The new manifest keeps its name there: should the
    process be killed, the next build knows both the old hashes and the new ones.
    """

    def __init__(self, package: Path) -> None:
        self._package = package
        self._staging = package / STAGING
        self._count = 0
        self._moved: list[tuple[str, Path | None]] = []  # changed path, where its old bytes are
        self._folders: list[Path] = []

    def __enter__(self) -> Transaction:
        discard(self._staging)
        self._staging.mkdir()
        return self

    def __exit__(self, failure: type[BaseException] | None, *_: object) -> None:
        if failure is not None:
            self._undo()
        with suppress(OSError):  # the package is as it should be; the next build removes what is left here
            discard(self._staging)

    def stage(self, path: str, data: bytes) -> Path:
        """Write the coming bytes of ``path`` where they are in no one's way."""
        staged = self._staging / (path if path == manifest.NAME else self._fresh_name("new"))
        with os.fdopen(os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE), "wb") as file:
            file.write(data)
        return staged

    def _fresh_name(self, kind: str) -> str:
        self._count += 1
        return f"{self._count}.{kind}"

    def remove(self, path: str) -> None:
        """Take a file out of the package."""
        kept = self._staging / self._fresh_name("old")
        self._moved.append((path, kept))
        os.replace(self._package / path, kept)

    def install(self, path: str, new: Path) -> None:
        """Put a staged file in its place, with the mode of the file it replaces."""
        target = self._package / path
        found = lstat(target)
        kept = None
        if found is None:
            self._make_folders(path)
        else:
            kept = self._keep(target)
            os.chmod(new, stat.S_IMODE(found.st_mode))
        self._moved.append((path, kept))
        os.replace(new, target)

    def _keep(self, target: Path) -> Path:
        """A second name for the bytes of ``target``; a copy where the file system has no hard links."""
        kept = self._staging / self._fresh_name("old")
        try:
            os.link(target, kept)
        except OSError:
            kept.write_bytes(target.read_bytes())
            os.chmod(kept, stat.S_IMODE(target.stat().st_mode))
        return kept

    def _make_folders(self, path: str) -> None:
        for folder in parents(path):
            if lstat(self._package / folder) is None:
                (self._package / folder).mkdir()
                self._folders.append(self._package / folder)

    def _undo(self) -> None:
        """Put old bytes back; the last change may not have happened yet."""
        lost: list[str] = []
        for path, kept in reversed(self._moved):
            try:
                if kept is None:
                    (self._package / path).unlink(missing_ok=True)
                elif kept.exists():
                    os.replace(kept, self._package / path)
            except OSError:
                lost.append(path)
        for folder in reversed(self._folders):
            with suppress(OSError):
                folder.rmdir()
        if lost:
            raise WriteError(
                f"writing failed, and so did undoing it: see {self._staging} for {', '.join(lost)}"
            )


def discard(staging: Path) -> None:
    """Remove a staging folder, also one that a killed build left behind."""
    found = lstat(staging)
    if found is None:
        return
    if not stat.S_ISDIR(found.st_mode):
        raise NotADirectoryError(20, f"{kind(found)} stands where the staging folder must go", str(staging))
    for entry in staging.iterdir():
        entry.unlink()
    staging.rmdir()


def prune(root: Path, path: str) -> None:
    """Remove the folders of a removed file that it leaves empty, up to ``root``."""
    for folder in reversed(list(parents(path))):
        try:
            (root / folder).rmdir()
        except OSError:
            return


@contextmanager
def locked(package: Path) -> Iterator[None]:
    """Keep other builds out of the package, which is created and, when left empty, removed again."""
    made = _missing_folders(package)
    try:
        descriptor = _lock(package)
        try:
            yield
        finally:
            os.close(descriptor)
    finally:
        for folder in made:
            with suppress(OSError):
                folder.rmdir()


def _lock(package: Path) -> int:
    """An open descriptor of the folder that holds its lock, once no other build does.

    Where the file system has no locks, the last build to rename a file wins.
    """
    while True:
        package.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(package, os.O_RDONLY | os.O_DIRECTORY)
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        with suppress(FileNotFoundError):
            if os.path.samestat(package.stat(), os.fstat(descriptor)):
                return descriptor
        os.close(descriptor)  # the build that held the lock removed the folder


def _missing_folders(package: Path) -> list[Path]:
    """The folders that creating ``package`` creates, innermost first."""
    missing: list[Path] = []
    for folder in (package, *package.parents):
        if folder.exists():
            break
        missing.append(folder)
    return missing


def parents(path: str) -> Iterator[str]:
    """The folders of a relative path, outermost first."""
    parts = path.split("/")
    for length in range(1, len(parts)):
        yield "/".join(parts[:length])


def lstat(path: Path) -> os.stat_result | None:
    """What stands at ``path``, a link itself rather than what it leads to; None when nothing does."""
    try:
        return path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return None


def kind(found: os.stat_result) -> str:
    """What sort of thing ``lstat`` found, for a message."""
    if stat.S_ISLNK(found.st_mode):
        return "a symbolic link"
    if stat.S_ISDIR(found.st_mode):
        return "a folder"
    return "a file" if stat.S_ISREG(found.st_mode) else "a device, pipe or socket"

"""Writes a rendered package into its folder: all of it or nothing, and never over a person's work.

``update`` is the whole of it: ``plan`` compares, ``apply`` writes. Files that the manifest does not
list are not looked at, unless one stands where a generated file must go.
"""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from enum import Enum
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from qsfa_codegen import manifest
from qsfa_codegen.differences import parting, unified
from qsfa_codegen.manifest import Manifest, Provenance
from qsfa_codegen.transaction import (
    STAGING,
    Transaction,
    WriteError,
    discard,
    kind,
    locked,
    lstat,
    parents,
    prune,
)


class Obstacle(Enum):
    """Why a file is not written or removed, as what is said of the file."""

    EDITED = "was edited by hand since it was generated"
    FOREIGN = "was not written by this program"
    BLOCKED = "is no regular file in a regular folder"


class Refusal(Struct, frozen=True):
    """A file that must not be touched; ``detail`` is the diff from it to the new text, or what blocks it.

    ``line`` is where the two part, from 1.
    """

    path: str
    obstacle: Obstacle
    detail: str
    line: int = 1


class Change(Struct, frozen=True):
    """What a package was made from before, where that is something else now: a spec, an overlay, or none."""

    of_spec: bool
    before: str
    now: str | None


class Plan(Struct, frozen=True):
    """What bringing a package up to date would do; paths are relative to it, in order.

    ``contents`` holds the bytes of every file of the package, the manifest included. ``overridden``
    are the paths that only ``force`` lets it change. ``origin`` is what keeps it from being written
    unless ``take_over`` allows it.
    """

    package: Path
    provenance: Provenance
    created: tuple[str, ...]
    changed: tuple[str, ...]
    unchanged: tuple[str, ...]
    stale: tuple[str, ...]
    hand_edited: tuple[Refusal, ...]
    overridden: tuple[str, ...]
    contents: Mapping[str, bytes]
    origin: tuple[Change, ...] = ()

    @property
    def idle(self) -> bool:
        """True when the folder already is what it should be."""
        return not (self.created or self.changed or self.stale or self.refused)

    @property
    def refused(self) -> bool:
        """True when nothing may be written."""
        return bool(self.hand_edited or self.origin)


class UnsafePathError(Exception):
    """A file name that must not be written; the message says why."""


class RefusedError(Exception):
    """Nothing was written because of files that are not the tool's, or a package of another origin."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        reasons = (*(r.path for r in plan.hand_edited), *(change.before for change in plan.origin))
        super().__init__(", ".join(reasons))


# --------------------------------------------------------------------------- entry points


def update(
    package: Path,
    files: Mapping[str, str],
    provenance: Provenance,
    *,
    force: bool = False,
    take_over: bool = False,
) -> Plan:
    """Make ``package`` hold exactly ``files`` (and what people put beside them), or change nothing.

    No file at all removes the package. Raises ``RefusedError``, ``UnsafePathError`` or ``WriteError``.
    """
    contents = _contents(files, provenance)
    first = _planned(package, contents, provenance, force, take_over)
    if first.idle and lstat(package / STAGING) is None:
        return first
    try:  # again, under the lock: another build may have been at work
        with locked(package):
            current = _planned(package, contents, provenance, force, take_over)
            apply(current)
            return current
    except OSError as error:
        raise WriteError(_describe(error)) from error


def plan(package: Path, files: Mapping[str, str], provenance: Provenance, *, force: bool = False) -> Plan:
    """Compare ``files`` (path → text) with the folder; writes nothing.

    Raises ``UnsafePathError`` or ``WriteError`` (the folder cannot be read).
    """
    return _planned(package, _contents(files, provenance), provenance, force, take_over=False)


def _contents(files: Mapping[str, str], provenance: Provenance) -> dict[str, bytes]:
    """The bytes of every file of the package, the manifest included; nothing when there are none."""
    _require_safe(files)
    contents = {path: _encode(path, text) for path, text in files.items()}
    if contents:
        contents[manifest.NAME] = manifest.encode(provenance, contents)
    return contents


def _planned(
    package: Path, contents: Mapping[str, bytes], provenance: Provenance, force: bool, take_over: bool
) -> Plan:
    try:
        found = _compare(package, contents, provenance, force)
        return found if take_over or not contents else replace(found, origin=tuple(_origin(found)))
    except OSError as error:
        raise WriteError(_describe(error)) from error


def apply(plan: Plan) -> None:
    """Carry a plan out: everything or nothing. Raises ``RefusedError``, or OSError after undoing its work."""
    if plan.refused:
        raise RefusedError(plan)
    if plan.idle:
        discard(plan.package / STAGING)
        return
    with Transaction(plan.package) as transaction:
        written = sorted((*plan.created, *plan.changed), key=_manifest_last)
        staged = {path: transaction.stage(path, plan.contents[path]) for path in written}
        for path in sorted(plan.stale, key=_manifest_last):
            transaction.remove(path)
        for path, new in staged.items():
            transaction.install(path, new)
    for path in plan.stale:
        prune(plan.package, path)
    if not plan.contents:
        with suppress(OSError):
            plan.package.rmdir()


def _manifest_last(path: str) -> bool:
    """Sort key: a build that is killed leaves the manifest that is true of what it did not reach."""
    return path == manifest.NAME


def intact(package: Path, manifest_sha256: str) -> int:
    """How many files the package has if it is untouched since the manifest with that hash, else 0."""
    data = _read_or_none(package, manifest.NAME)
    if data is None or manifest.digest(data) != manifest_sha256 or lstat(package / STAGING) is not None:
        return 0
    files = manifest.decode(data).files
    for path, value in files.items():
        found = _read_or_none(package, path)
        if found is None or manifest.digest(found) != value:
            return 0
    return len(files) + 1


# --------------------------------------------------------------------------- names


def _require_safe(paths: Mapping[str, str]) -> None:
    """Refuse names that leave the package, that are reserved, or that some file system merges."""
    seen: dict[str, str] = {}
    for path in paths:
        _require_safe_name(path)
        other = seen.setdefault(path.casefold(), path)
        if other != path:
            raise UnsafePathError(f"{path} and {other} are one file where case does not count")
    for path in seen:
        for parent in parents(path):
            if parent in seen:
                raise UnsafePathError(f"{seen[parent]} is a file and the folder of {seen[path]}")


def _require_safe_name(path: str) -> None:
    parts = path.split("/")
    if not path or path.startswith("/") or any(part in ("", ".", "..") for part in parts):
        raise UnsafePathError(f"{path!r} is not a relative path inside the package")
    if any(char in '\\:*?"<>|' or ord(char) < 32 for char in path):
        raise UnsafePathError(f"{path!r} has a character that file systems do not agree on")
    if parts[0].casefold() in (manifest.NAME, STAGING):
        raise UnsafePathError(f"{path!r} is a name that the writer keeps for itself")


def _encode(path: str, text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise UnsafePathError(f"{path} has a character that UTF-8 cannot hold (at {error.start})") from error


# --------------------------------------------------------------------------- comparing


_Known = dict[str, set[str]]  # path → every hash that an earlier build's file may have


def _known(package: Path) -> _Known:
    """What the manifest lists, and that of a build that was killed between its first and last rename."""
    known: _Known = {}
    for listing in (manifest.NAME, f"{STAGING}/{manifest.NAME}"):
        found = listed(package, listing)
        for path, value in found.files.items() if found else ():
            with suppress(UnsafePathError):
                _require_safe_name(path)
                known.setdefault(path, set()).add(value)
    return known


def listed(package: Path, path: str = manifest.NAME) -> Manifest | None:
    """What the manifest of a package says; None when it has no usable one."""
    data = _read_or_none(package, path)
    with suppress(manifest.DamagedError):
        return None if data is None else manifest.decode(data)
    return None


def _origin(plan: Plan) -> Iterator[Change]:
    """What the package was made from and is not any more: the spec, and templates of the user's."""
    found = listed(plan.package)
    if found is None:
        return
    if not found.is_of(plan.provenance.spec):
        yield Change(of_spec=True, before=found.spec, now=plan.provenance.spec)
    if found.templates is not None and plan.provenance.templates is None:
        yield Change(of_spec=False, before=found.templates, now=None)


def _compare(package: Path, contents: Mapping[str, bytes], provenance: Provenance, force: bool) -> Plan:
    known = _known(package)
    lists: dict[str, list[str]] = {state: [] for state in ("created", "changed", "unchanged", "stale")}
    refusals: list[Refusal] = []
    overridden: list[str] = []
    found = lstat(package) is not None  # a package that is not there need not be asked for each file
    for path in sorted(contents.keys() | known.keys() | {manifest.NAME}):
        new = contents.get(path)
        try:
            old = _read(package, path) if found else None
        except _NotRegularError as error:
            if new is not None:
                refusals.append(Refusal(path, Obstacle.BLOCKED, f"{error}\n"))
            continue
        obstacle = _obstacle(known, path, old, new)
        if obstacle and not force:
            diff, line = unified(path, old or b"", new), parting(old or b"", new)
            refusals.append(Refusal(path, obstacle, diff, line if obstacle is Obstacle.EDITED else 1))
        elif state := _state(old, new):
            lists[state].append(path)
            overridden += [path] if obstacle else []
    return Plan(
        package=package,
        provenance=provenance,
        created=tuple(lists["created"]),
        changed=tuple(lists["changed"]),
        unchanged=tuple(lists["unchanged"]),
        stale=tuple(lists["stale"]),
        hand_edited=tuple(refusals),
        overridden=tuple(overridden),
        contents=contents,
    )


def _state(old: bytes | None, new: bytes | None) -> str | None:
    """The list of a Plan that a file belongs to; None when there is nothing to say."""
    if old is None:
        return None if new is None else "created"
    if new is None:
        return "stale"
    return "unchanged" if old == new else "changed"


def _obstacle(known: _Known, path: str, old: bytes | None, new: bytes | None) -> Obstacle | None:
    """Why the file on disk may not become ``new`` (None: be removed), if it may not."""
    if path == manifest.NAME or old is None or _unix(old) == new:
        return None
    if not known.get(path, set()).isdisjoint((manifest.digest(old), manifest.digest(_unix(old)))):
        return None
    return Obstacle.EDITED if path in known else Obstacle.FOREIGN


def _unix(data: bytes) -> bytes:
    """``data`` as it was before a checkout turned its line ends into CRLF."""
    return data.replace(b"\r\n", b"\n")


class _NotRegularError(Exception):
    """Something stands at a path that is no regular file, or in a folder's place."""


def _read(package: Path, path: str) -> bytes | None:
    """The bytes of a file of the package; None when there is none. Follows no link inside it."""
    for folder in parents(path):
        found = lstat(package / folder)
        if found is None:
            return None
        if not stat.S_ISDIR(found.st_mode):
            raise _NotRegularError(f"{folder} is {kind(found)} where a folder must be")
    found = lstat(package / path)
    if found is None:
        return None
    if not stat.S_ISREG(found.st_mode):
        raise _NotRegularError(f"{path} is {kind(found)} where a file must be")
    return (package / path).read_bytes()


def _read_or_none(package: Path, path: str) -> bytes | None:
    try:
        return _read(package, path)
    except _NotRegularError:
        return None


def _describe(error: OSError) -> str:
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}"

"""The list of its generated files that a package keeps, so that a rebuild can tell what a person changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import asdict

NAME = ".manifest.json"
_FORMAT = 2
_WITHOUT_FOLDERS = 1
"""The format that named a spec by its file name alone."""


class Overlay(Struct, frozen=True):
    """A folder of templates that replaced built-in ones: its name, and the digest of what is in it."""

    name: str
    sha256: str


class Provenance(Struct, frozen=True):
    """What a package was made from: enough to know it again. ``spec`` is as ``resources.name_of`` says."""

    generator: str
    spec: str
    spec_sha256: str
    templates: Overlay | None = None


class Manifest(Struct, frozen=True):
    """What a manifest on disk says: where the package came from, and path → sha256 of each file.

    ``templates`` is the name of the overlay's folder, if there was one.
    """

    spec: str
    files: Mapping[str, str]
    templates: str | None = None
    format: int = _FORMAT

    def is_of(self, spec: str) -> bool:
        """Whether the package came from ``spec``, as far as the manifest tells."""
        return self.spec == (spec.rpartition("/")[2] if self.format == _WITHOUT_FOLDERS else spec)


class DamagedError(Exception):
    """A manifest that cannot be relied on."""


def digest(data: bytes) -> str:
    """The sha256 of ``data`` in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def encode(provenance: Provenance, files: Mapping[str, bytes]) -> bytes:
    """The manifest of ``files``; equal input gives equal bytes."""
    document = {
        "format": _FORMAT,
        "generator": provenance.generator,
        "spec": {"path": provenance.spec, "sha256": provenance.spec_sha256},
        "templates": provenance.templates and asdict(provenance.templates),
        "files": {path: digest(files[path]) for path in sorted(files)},
    }
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode()


def decode(data: bytes) -> Manifest:
    """Read a manifest; raises ``DamagedError`` when it does not have the expected form."""
    try:
        document = json.loads(data)
        spec, files, overlay = document["spec"]["path"], document["files"], document.get("templates")
        templates = None if overlay is None else overlay["name"]
        format = document["format"]
        usable = format in (_WITHOUT_FOLDERS, _FORMAT) and isinstance(spec, str) and isinstance(files, dict)
        usable = usable and isinstance(templates, str | None)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise DamagedError(str(error)) from error
    if not usable or not all(isinstance(value, str) for value in files.values()):
        raise DamagedError("not a manifest")
    return Manifest(spec, files, templates, format)

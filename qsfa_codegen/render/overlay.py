"""A user's folder of templates: whatever is wrong with it, before a template of it is used."""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from qsfa_codegen.diagnostics import Diagnostic, Sink, Span
from qsfa_codegen.resources import TEMPLATES, resource
from qsfa_codegen.spec.source_text import file_start, not_utf8

if TYPE_CHECKING:
    from jinja2 import Environment

FAILED, UNUSED, IRREGULAR = "QS908", "QS914", "QS915"
_SUFFIX = ".j2"


class OverlayError(Exception):
    """The folder cannot be used; carries every diagnostic."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__("; ".join(found.message for found in self.diagnostics))


def template_files(folder: Path) -> dict[str, Path]:
    """The files of an overlay by template name, hidden ones left out.

    Raises OverlayError when something in it is neither a file nor a folder: opening it could wait for
    ever, and a link to a folder could lead in a circle.
    """
    sink = Sink()
    files: dict[str, Path] = {}
    for place, folders, names in os.walk(folder, onerror=lambda error: _unreadable(error, sink)):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(name for name in names if not name.startswith(".")):
            path = Path(place, name)
            if _is_file(path, sink):
                files[path.relative_to(folder).as_posix()] = path
        for name in folders:
            path = Path(place, name)
            if path.is_symlink():
                sink.error(IRREGULAR, f"{path} is a link to a folder, which is not followed", None)
    if len(sink):
        raise OverlayError(sink)
    return files


def _is_file(path: Path, sink: Sink) -> bool:
    try:
        if stat.S_ISREG(path.stat().st_mode):
            return True
        problem = "is not a regular file"
    except OSError as error:
        problem = f"cannot be read: {(error.strerror or str(error)).lower()}"
    sink.error(IRREGULAR, f"{path} {problem}", None)
    return False


def _unreadable(error: OSError, sink: Sink) -> None:
    sink.error(IRREGULAR, f"{error.filename} cannot be read: {(error.strerror or str(error)).lower()}", None)


def check(folder: Path, environment: Environment) -> None:
    """Read every template of an overlay; raises OverlayError with all that is wrong with them."""
    sink = Sink()
    files = template_files(folder)
    texts = {name: _text(path, sink) for name, path in files.items() if name.endswith(_SUFFIX)}
    used: set[str] = set()
    for name, text in texts.items():
        if text is not None:
            used |= _references(text, files[name], environment, sink)
    _report_unused(folder, files, used, sink)
    if len(sink):
        raise OverlayError(sink)


def _text(path: Path, sink: Sink) -> str | None:
    try:
        data = path.read_bytes()
    except OSError as error:
        _unreadable(error, sink)
        return None
    if data.startswith(codecs.BOM_UTF8):
        sink.error(
            FAILED,
            "the template starts with a byte-order mark, which would stand in what is generated",
            file_start(str(path)),
            "save it as UTF-8 without a byte-order mark",
        )
        return None
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        message, span = not_utf8(data, error, str(path))
        sink.error(FAILED, f"the template cannot be read: {message}", span, "save the file as UTF-8")
        return None


def _references(text: str, path: Path, environment: Environment, sink: Sink) -> set[str]:
    """Names of templates that ``text`` includes, imports or extends."""
    from jinja2 import TemplateSyntaxError, meta

    try:
        environment.compile(text, filename=str(path))
        return {name for name in meta.find_referenced_templates(environment.parse(text)) if name}
    except TemplateSyntaxError as error:
        sink.error(FAILED, f"the template failed: {error.message}", Span(str(path), *(error.lineno, 1) * 2))
        return set()


def _report_unused(folder: Path, files: Mapping[str, Path], used: set[str], sink: Sink) -> None:
    """A template that replaces none and that none of the overlay asks for was meant to be another."""
    from qsfa_codegen.expr.suggest import did_you_mean

    own = resource(TEMPLATES)
    known = {path.relative_to(own).as_posix() for path in own.rglob(f"*{_SUFFIX}")}
    for name, path in files.items():
        meant = name if name.endswith(_SUFFIX) else f"{name}{_SUFFIX}"
        if name in known | used or (meant != name and meant not in known):
            continue
        near = f"did you mean `{meant}`?" if meant in known else did_you_mean(name, known)
        sink.error(
            UNUSED,
            f"no built-in template is called {name}, and no template of {folder} uses it",
            file_start(str(path)),
            near or f"the built-in ones are in {own}",
        )

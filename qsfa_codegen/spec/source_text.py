"""From a file to text that is safe to read and to show."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from qsfa_codegen.diagnostics import Sink, Span, split_lines

MAX_BYTES = 1 << 20

# What no spec needs and a reader of generated code could be misled by: C0 and C1 controls, Unicode
# line separators, direction marks and overrides, byte-order marks, surrogates and non-characters.
FORBIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)


def encodable(name: str) -> str:
    """The name of a file as it can be written: bytes that are not UTF-8 become question marks."""
    return name.encode("utf-8", "replace").decode()


def file_start(name: str) -> Span:
    """The place of a finding about a whole file."""
    return Span(name, 1, 1, 1, 1)


def load_bytes(path: Path, name: str, sink: Sink) -> bytes | None:
    """The bytes of a file, one more than ``MAX_BYTES`` at most; None and an error where it cannot be read."""
    problem = None
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISREG(mode):
            with open(path, "rb") as file:
                return file.read(MAX_BYTES + 1)
        # Opening a pipe or a device could wait for ever.
        problem = "is a folder, not a file" if stat.S_ISDIR(mode) else "is not a regular file"
    except OSError as failure:
        problem = f"cannot be read: {(failure.strerror or 'unknown reason').lower()}"
    except ValueError:
        problem = "is not a file name"
    sink.error("QS100", f"'{name}' {problem}", file_start(name))
    return None


def clean_text(source: str | bytes, name: str, sink: Sink) -> str | None:
    """The source as text; None and an error when it is too large, not UTF-8 or has forbidden characters."""
    if len(source) > MAX_BYTES or (isinstance(source, str) and _utf8_size(source) > MAX_BYTES):
        sink.error("QS101", f"the file is larger than {MAX_BYTES} bytes", file_start(name))
        return None
    text = source if isinstance(source, str) else _decode(source, name, sink)
    return text if text is not None and _is_clean(text, name, sink) else None


def _utf8_size(text: str) -> int:
    return len(text.encode("utf-8", "surrogatepass"))


def _decode(data: bytes, name: str, sink: Sink) -> str | None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        sink.error("QS102", "the file is UTF-16", file_start(name), "save it as UTF-8")
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as failure:
        message, span = not_utf8(data, failure, name)
        sink.error("QS102", message, span, "save the file as UTF-8")
        return None


def not_utf8(data: bytes, failure: UnicodeDecodeError, name: str) -> tuple[str, Span]:
    """What is wrong with a file called ``name`` that cannot be decoded, and where."""
    before = data[: failure.start].decode("utf-8")
    return f"byte 0x{data[failure.start]:02x} is not UTF-8", _place(name, before)


def _is_clean(text: str, name: str, sink: Sink) -> bool:
    if text.startswith("\ufeff"):
        sink.error(
            "QS103",
            "the file starts with a byte-order mark",
            file_start(name),
            "save it as UTF-8 without a byte-order mark",
        )
        return False
    if found := FORBIDDEN.search(text):
        sink.error(
            "QS104",
            f"character U+{ord(found.group()):04X} is not allowed",
            _place(name, text[: found.start()]),
            "remove it: control, line-separator and direction characters do not show what they do",
        )
        return False
    return True


def _place(name: str, before: str) -> Span:
    """The character after ``before``."""
    lines = split_lines(before)
    line, column = len(lines), len(lines[-1]) + 1
    return Span(name, line, column, line, column + 1)

"""The jinja2 environment: where templates are found, what they may use, and their compiled form on disk."""

from __future__ import annotations

import marshal
import zlib
from contextlib import suppress
from functools import cache
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qsfa_codegen import __version__, user_cache
from qsfa_codegen.render import text
from qsfa_codegen.resources import TEMPLATES, resource
from qsfa_codegen.spec import names

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment

_SETTINGS: dict[str, Any] = {
    "trim_blocks": True,
    "lstrip_blocks": True,
    "keep_trailing_newline": True,
    "autoescape": False,
    "auto_reload": False,
}
_FILTERS = {
    "cpp_string": text.cpp_string,
    "cpp_format_string": text.cpp_format_string,
    "cpp_comment": text.cpp_comment,
    "cmake_string": text.cmake_string,
    "cmake_comment": text.cmake_comment,
    "python_string": text.python_string,
    "markdown_text": text.markdown_text,
    "markdown_cell": text.markdown_cell,
    "markdown_code": text.markdown_code,
    "markdown_block": text.markdown_block,
    "one_line": text.one_line,
    "snake": names.snake,
    "upper_snake": names.upper,
    "camel": names.camel,
    "pascal": names.pascal,
}


class Templates:
    """Templates by name (``op_host/op_def.cpp.j2``); one that ``overlay`` has wins over the project's own."""

    def __init__(self, overlay: Path | None = None) -> None:
        self._overlay = overlay
        self._folders = ([overlay] if overlay else []) + [resource(TEMPLATES)]
        self._made: Environment | None = None

    def environment(self) -> Environment:
        """What jinja2 needs to know; the first call imports it."""
        if self._made is None:
            self._made = _environment(self._folders)
        return self._made

    def check(self) -> None:
        """Raises OverlayError when a template of the overlay cannot be used, or never is."""
        if self._overlay:
            from qsfa_codegen.render import overlay

            overlay.check(self._overlay, self.environment())

    def render(self, template: str, /, **view: object) -> str:
        """The text of ``template`` filled with ``view``; an undefined name in it is an error."""
        return self.environment().get_template(template).render(view)

    def source(self, template: str) -> str:
        """The text of ``template`` as it stands in its file."""
        environment = self.environment()
        assert environment.loader is not None
        return environment.loader.get_source(environment, template)[0]


def render(template: str, /, **view: object) -> str:
    """As ``Templates.render``, from the project's own templates."""
    return _default().render(template, **view)


@cache
def _default() -> Templates:
    return Templates()


def _environment(folders: list[Path]) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader([str(folder) for folder in folders]),
        undefined=StrictUndefined,
        bytecode_cache=_bytecode_cache(),
        **_SETTINGS,
    )
    environment.filters.update(_FILTERS)
    return environment


def _bytecode_cache() -> BytecodeCache:
    """Compiling the templates is most of a cold run, so their compiled form is kept; failing is harmless."""
    from jinja2 import BytecodeCache
    from jinja2.bccache import Bucket, bc_magic

    # Compiled templates depend on the settings too, which jinja2 does not see.
    made_with = (__version__, bc_magic, MAGIC_NUMBER, sorted(_SETTINGS.items()))
    folder = f"templates-{zlib.crc32(repr(made_with).encode()):08x}"

    class CompiledTemplates(BytecodeCache):
        """As jinja2's own cache of files, but reads each at once: that one asks for a few bytes at a time."""

        def get_cache_key(self, name: str, filename: str | None = None) -> str:
            # File names may hold bytes that are not UTF-8.
            return super().get_cache_key(name, filename and ascii(filename))

        def load_bytecode(self, bucket: Bucket) -> None:
            data = user_cache.read(f"{folder}/{bucket.key}.cache") or b""
            checksum = bucket.checksum.encode()
            if data.startswith(checksum):
                with suppress(EOFError, ValueError, TypeError):
                    bucket.code = marshal.loads(data[len(checksum) :])

        def dump_bytecode(self, bucket: Bucket) -> None:
            data = bucket.checksum.encode() + marshal.dumps(bucket.code)
            user_cache.write(f"{folder}/{bucket.key}.cache", data)

    return CompiledTemplates()

"""The jinja2 environment: where templates are found, what they may use, and their compiled form on disk."""

from __future__ import annotations

import zlib
from functools import cache
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
        self._folders = ([overlay] if overlay else []) + [resource(TEMPLATES)]
        self._environment: Environment | None = None

    def render(self, template: str, /, **view: object) -> str:
        """The text of ``template`` filled with ``view``; an undefined name in it is an error."""
        if self._environment is None:
            self._environment = _environment(self._folders)
        return self._environment.get_template(template).render(view)


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


def _cache_folder() -> Path | None:
    root = user_cache.folder()
    # Compiled templates depend on the settings too, which jinja2 does not see.
    settings = zlib.crc32(repr(sorted(_SETTINGS.items())).encode())
    return root / f"templates-{__version__}-{settings:08x}" if root else None


def _bytecode_cache() -> BytecodeCache | None:
    """Compiling the templates is most of a cold run, so their compiled form is kept; failing is harmless."""
    folder = _cache_folder()
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    from jinja2 import FileSystemBytecodeCache
    from jinja2.bccache import Bucket

    class HarmlessCache(FileSystemBytecodeCache):
        def dump_bytecode(self, bucket: Bucket) -> None:
            try:
                super().dump_bytecode(bucket)
            except OSError:
                return

        def load_bytecode(self, bucket: Bucket) -> None:
            try:
                super().load_bytecode(bucket)
            except (OSError, EOFError, ValueError, TypeError):
                bucket.reset()

    return HarmlessCache(str(folder))

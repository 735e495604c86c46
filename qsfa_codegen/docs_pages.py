"""What docs/ has from the program and from specs: `python -m qsfa_codegen.docs_pages docs spec` writes it."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from inspect import cleandoc
from itertools import groupby
from pathlib import Path

import click

from qsfa_codegen.catalogue import Entry, entries
from qsfa_codegen.cli import PROGRAM, cli
from qsfa_codegen.docs_tools import spec_reference
from qsfa_codegen.render.package import render_these
from qsfa_codegen.render.row_picture import ARTEFACTS, picture_path
from qsfa_codegen.resources import CHIPS
from qsfa_codegen.spec.buffer_plan import buffer_plan, kernel_room, table
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.schema import operator_schema

_DIAGNOSTICS = """\
<!-- Made from the rules and from qsfa_codegen/explanations/ by `make docs`. -->

# Diagnostics

Every message has a code that stays the same from version to version. `qsfa-codegen explain CODE` prints what
stands here. An error keeps the package from being generated, a warning does not.

Codes that begin with QD are of changes that `qsfa-codegen diff` reports, see
[Reviewing a spec change](review.md).
"""

_GROUPS = {
    "QS1": "Reading a spec",
    "QS2": "Expressions",
    "QS3": "Names, tables and references",
    "QS4": "Rules of operators",
    "QS5": "What no call can meet",
    "QS6": "Call cases",
    "QS7": "Running kernels",
    "QS9": "Writing packages",
    "QD1": "Changes of the operator and its parameters",
    "QD2": "Changes of what is legal, and of data",
    "QD3": "Changes of tiling, kernels and names inside",
    "QD4": "Changes of interfaces",
    "QD5": "Changes of the documentation",
}

_COMMAND_LINE = """\
<!-- Made from the program itself by `make docs`. -->

# Command line

## Streams and formats

As text, diagnostics go to stderr and results to stdout. With `--format json`, `sarif` or `github`, stdout
holds one document with all diagnostics and nothing else: JSON for scripts, SARIF 2.1.0 for code-scanning
pages, workflow commands that GitHub shows as annotations.

Colour is used on terminals. `--color always` and `--color never` decide; otherwise `NO_COLOR` turns it off
and `FORCE_COLOR` on, when they are not empty (`FORCE_COLOR=0` turns it off too).

A run over many specs uses all cores and says on stderr how far it is: on a terminal once it takes longer
than a second, in a log every ten seconds. Results come in the order of the specs, whatever finishes first.

## Exit statuses

| status | meaning |
|---|---|
| 0 | done, nothing found |
| 1 | findings: errors in a spec, a package out of date or edited by hand, an unexpected result of a call |
| 2 | the command line is wrong |
| 3 | the disk or the program failed |
| 100 | `diff` found that something breaks |
| 130 | interrupted |
| 141 | the reader of the output went away |

## Files

A package is a folder below `--out`, named after the operator. Its `.manifest.json` lists each generated file
with its hash, the spec, a folder of templates if there was one, and the program's version. A build compares:
files that are as they should be are not touched, files no longer generated are removed, files that a person
edited are shown and kept, and files that are not listed are left alone. A package of another spec, or one
generated with templates that are not given now, is left as it is unless `--take-over` says otherwise. All
changes of a package happen, or none.

`$XDG_CACHE_HOME/qsfa-codegen` (or `~/.cache/qsfa-codegen`) holds what only saves time: compiled templates,
and what each package was built from. It can be deleted at any time.

## Commands

`--help` prints what stands here. `--debug`, before the command or after it, shows the traceback when the
program itself fails; `--version` prints the version.
"""


def pages() -> Mapping[str, str]:
    """The text of each page by its name in docs/."""
    return {
        "cli.md": _command_line(),
        "diagnostics.md": _diagnostics(),
        "spec-reference.md": spec_reference(operator_schema()),
    }


def pictures(specs: Path) -> Mapping[str, str]:
    """Packed rows of operators by the picture's name in docs/: that of the package, in English."""
    found: dict[str, str] = {}
    for path in sorted(path for path in specs.glob("*.yaml") if path.name != CHIPS):
        operator = load(path)
        drawn = render_these(operator, ARTEFACTS).get(picture_path("en"))
        if drawn is not None:
            found[f"images/{operator.snake}_rows.svg"] = drawn
    return found


def _command_line() -> str:
    parts = [_COMMAND_LINE]
    for name, command in sorted(cli.commands.items()):
        arguments = [_argument(param) for param in command.params if isinstance(param, click.Argument)]
        usage = " ".join([PROGRAM, name, "[OPTIONS]", *arguments])
        shown = [param for param in command.params if isinstance(param, click.Option) and not param.hidden]
        options = list(map(_option, shown))
        examples = cleandoc(command.epilog or "").replace("\b\n", "")
        parts += [f"### {name}\n", f"```text\n{usage}\n```\n", f"{cleandoc(command.help or '')}\n"]
        parts += ["| option | meaning | default |\n|---|---|---|\n" + "".join(options)] if options else []
        parts += [f"```text\n{examples}\n```\n"]
    return "\n".join(parts)


def _argument(param: click.Argument) -> str:
    if isinstance(param.type, click.Choice):
        shown = "|".join(map(str, param.type.choices))
        return f"{{{shown}}}" if param.required else f"[{shown}]"
    shown = param.metavar or str(param.name).upper()
    return shown if param.required or param.metavar else f"[{shown}]"


def _option(param: click.Option) -> str:
    if isinstance(param.type, click.Choice):
        value = " " + "\\|".join(map(str, param.type.choices))
    else:
        value = "" if param.is_flag else f" {param.metavar or param.type.name.upper()}"
    meaning, _, default = (param.help or "").partition("  [default: ")
    if param.show_default:
        default = str(param.default)
    return f"| `{', '.join(param.opts)}{value}` | {meaning} | {default.rstrip(']')} |\n"


def _diagnostics() -> str:
    parts = [_DIAGNOSTICS]
    for start, group in groupby(
        sorted(entries().values(), key=_of_changes), key=lambda entry: entry.code[:3]
    ):
        parts.append(f"## {_GROUPS[start]}\n")
        for entry in group:
            parts += _entry(entry)
    return "\n".join(parts)


def _of_changes(entry: Entry) -> bool:
    """Codes of changes come behind those of mistakes."""
    return entry.code.startswith("QD")


def _entry(entry: Entry) -> Iterator[str]:
    yield f"### {entry.code}: {entry.title}\n"
    yield f"{entry.text}\n"
    if not entry.wrong:
        return
    wrong, right = entry.example
    yield f"```yaml\n{wrong}\n```\n"
    if right:
        yield f"could be\n\n```yaml\n{right}\n```\n"


KERNEL_PAGE = "kernel.md"
_BUFFERS = re.compile(r"(?<=<!-- buffers -->\n).*?(?=<!-- end -->)", re.DOTALL)


def kernel_page(page: str, specs: Path) -> str:
    """The page about the kernel, with the buffers of the first operator that has one filled in."""
    operators = (load(path) for path in sorted(specs.glob("*.yaml")) if path.name != CHIPS)
    planned = (
        (buffer_plan(one, chip.arch), kernel_room(one, chip)) for one in operators for chip in one.chips
    )
    parts, room = next((parts, room) for parts, room in planned if parts)
    rows = ("| " + " | ".join(row) + " |\n" for row in table(parts, room))
    head = "| memory | buffer | copies | bytes | in all |\n|---|---|---|---|---|\n"
    return _BUFFERS.sub(head + "".join(rows), page)


def main(folder: str, specs: str) -> None:
    """Write every page and picture."""
    for name, text in {**pages(), **pictures(Path(specs))}.items():
        Path(folder, name).write_text(text, encoding="utf-8")
    page = Path(folder, KERNEL_PAGE)
    page.write_text(kernel_page(page.read_text(encoding="utf-8"), Path(specs)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""The command line: parses arguments, calls one function, prints."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

import click
from msgspec import Struct

from qsfa_codegen import __version__
from qsfa_codegen.commands import specs as spec_files
from qsfa_codegen.commands import status
from qsfa_codegen.commands.terminal import COLOURS, FORMATS, Console

PROGRAM = "qsfa-codegen"


class Settings(Struct):
    """What holds for every command."""

    debug: bool = False


class _Program(click.Group):
    """A reader that goes away, as ``head`` does, ends the program without a word."""

    def make_context(self, *arguments: Any, **extra: Any) -> click.Context:
        with _quiet_when_unread():
            return super().make_context(*arguments, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        with _quiet_when_unread():
            return super().invoke(ctx)


@contextmanager
def _quiet_when_unread() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise click.exceptions.Exit(status.BROKEN_PIPE) from None


_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)

_specs = click.argument("specs", nargs=-1, type=_FILE, metavar="[SPEC]...")
_spec = click.argument("spec", type=_FILE)
_color = click.option(
    "--color",
    type=click.Choice(COLOURS),
    default="auto",
    show_default=True,
    help="Colour the output; auto obeys NO_COLOR and FORCE_COLOR.",
)
_format = click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="Form of the diagnostics. All but text go to stdout, as one document.",
)
_jobs = click.option(
    "--jobs", "-j", type=click.IntRange(min=1), metavar="N", help="Processes to use.  [default: all cores]"
)
_quiet = click.option("--quiet", "-q", is_flag=True, help="Print nothing but diagnostics.")


def _examples(*lines: str) -> str:
    return "\b\nExamples:\n" + "\n".join(f"  {PROGRAM} {line}" for line in lines)


_EXIT_STATUSES = """\b
Exit status:
  0    done, nothing found
  1    findings: errors in a spec, a package that is not up to date or was edited by hand,
       a case that did not turn out as expected
  2    the command line is wrong
  3    the disk or the program failed
  130  interrupted
  141  the reader of the output went away
"""


_VERIFY_STATUSES = """\b
Exit status:
  0  the engines agree about every call, and the toolkit's headers are content
  1  they disagree, host code crashes, or the toolkit's headers refuse it
  2  the command line is wrong, or DIR is no toolkit
  3  host code cannot be compiled or run here"""


@click.group(
    cls=_Program,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog=_EXIT_STATUSES,
)
@click.version_option(__version__, "--version", "-V", prog_name=PROGRAM, message="%(prog)s %(version)s")
@click.option("--debug", is_flag=True, help="Show the traceback when the program itself fails.")
@click.pass_obj
def cli(settings: Settings, debug: bool) -> None:
    """Compile operator specs into whole Ascend operator packages.

    `qsfa-codegen COMMAND --help` explains a command and has examples.
    """
    settings.debug = debug


def _debugged(context: click.Context, _: click.Parameter, given: bool) -> None:
    if given:
        context.find_root().obj.debug = True


@cli.command(
    epilog=_examples(
        "validate",
        "validate spec/my_operator.yaml",
        "validate --format sarif > findings.sarif",
    )
)
@_specs
@_format
@_color
@_jobs
@_quiet
@click.pass_obj
def validate(
    settings: Settings, specs: tuple[Path, ...], form: str, color: str, jobs: int | None, quiet: bool
) -> int:
    """Report everything that is wrong with specs.

    Without SPEC, all in and below spec/ are checked.
    """
    from qsfa_codegen.commands import validate as command

    console = Console(form, color, quiet=quiet, debug=settings.debug)
    return command.run(spec_files.chosen(specs), jobs, console)


@cli.command(
    epilog=_examples(
        "build",
        "build spec/my_operator.yaml --out /tmp/generated",
        "build --check                       # in CI: fails when a package is out of date",
        "build --templates my_templates      # files there replace the built-in ones of the same name",
        "build --watch                       # again after each edit, until Ctrl-C",
    )
)
@_specs
@click.option(
    "--out", type=_FOLDER, default=Path("generated"), show_default=True, help="Folder of the packages."
)
@click.option("--check", is_flag=True, help="Write nothing; fail and list what would change.")
@click.option("--force", is_flag=True, help="Overwrite files that were edited by hand.")
@click.option("--prune", is_flag=True, help="Remove packages that no spec generates any more.")
@click.option(
    "--take-over",
    is_flag=True,
    help="Write packages also where another spec, or templates that are missing now, generated them.",
)
@click.option(
    "--templates",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of templates that replace the built-in ones.",
)
@click.option(
    "--watch",
    is_flag=True,
    help="Build again whenever specs, chips.yaml or templates change, and say what that does to callers.",
)
@_format
@_color
@_jobs
@_quiet
@click.pass_obj
def build(
    settings: Settings, /, specs: tuple[Path, ...], form: str, color: str, quiet: bool, **options: Any
) -> int:
    """Generate the packages of specs.

    Without SPEC, all in and below spec/ are built. A package is written whole or not at all. Files that
    are not this program's are left alone, and generated files that were edited by hand are shown and
    kept, unless --force is given.
    """
    from qsfa_codegen.commands import build_report
    from qsfa_codegen.commands.build import Request

    watch = options.pop("watch")
    _refuse_contradictions(specs, options)
    if watch:
        _refuse_to_watch(options["check"], form)
    request = Request(specs=spec_files.operators(specs), every=not specs, **options)
    console = Console(form, color, quiet=quiet, debug=settings.debug)
    for path in spec_files.chosen(specs):
        if path not in request.specs:
            console.note(f"{path} describes chips: skipped")
    if watch:
        from qsfa_codegen.commands import watch as watching

        return watching.run(specs, request, lambda: Console(form, color, quiet=quiet, debug=settings.debug))
    return build_report.run(request, console)


def _refuse_to_watch(check: bool, form: str) -> None:
    if check:
        raise status.BadUsageError("--check looks once and writes nothing: leave out --watch")
    if form != "text":
        raise status.BadUsageError(f"--watch has no end, where the document of --format {form} would come")


def _refuse_contradictions(specs: tuple[Path, ...], options: Mapping[str, Any]) -> None:
    given = [f"--{name.replace('_', '-')}" for name in ("force", "prune", "take_over") if options[name]]
    if options["check"] and given:
        raise status.BadUsageError(f"--check writes nothing: leave out {' and '.join(given)}")
    if options["prune"] and specs:
        raise status.BadUsageError("--prune needs to know all specs: name none, and all of spec/ are built")


@cli.command(
    epilog=_examples(
        "show spec/my_operator.yaml",
        "show spec/my_operator.yaml --chip A2 --lang zh | less",
    )
)
@_spec
@click.option("--chip", metavar="ID", help="One chip, by id or SoC config name.  [default: all]")
@click.option("--lang", type=click.Choice(["en", "zh"]), default="en", show_default=True, help="Language.")
@_color
@click.pass_obj
def show(settings: Settings, spec: Path, chip: str | None, lang: str, color: str) -> int:
    """Show an operator's contract as tables, chip by chip.

    The tables go to stdout: on a terminal in its width, in a pipe without limit. Diagnostics of the
    spec go to stderr.
    """
    from qsfa_codegen.commands import show_report

    return show_report.run(spec, chip, lang, Console(color=color, debug=settings.debug))


@cli.command(
    epilog=_examples(
        "call spec/my_operator.yaml cases.jsonl",
        "call spec/my_operator.yaml cases.jsonl --stage infer --format text",
        "call spec/my_operator.yaml - < cases.jsonl | jq .status",
        "call spec/my_operator.yaml cases.jsonl --engine both       # needs g++ or clang++",
    )
)
@_spec
@click.argument("cases", type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path))
@click.option(
    "--engine",
    type=click.Choice(["python", "cpp", "both"]),
    default="python",
    show_default=True,
    help="What runs calls.  python: the contract.  cpp: the generated host code, compiled for this machine.  "
    "both: the contract, and where the host code says something else.",
)
@click.option("--sanitize", is_flag=True, help="Compile host code with address and undefined sanitizers.")
@click.option(
    "--stage",
    type=click.Choice(["all", "infer", "tiling"]),
    default="all",
    show_default=True,
    help="Part of what the host does with a call.  all: what each case says, else everything.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    help="Form of the results.  [default: text on a terminal, json elsewhere]",
)
@_color
@click.pass_obj
def call(settings: Settings, /, color: str, **options: Any) -> int:
    """Say whether calls are legal and what comes out of them.

    CASES is a file of JSON lines, one call each; - reads stdin. A result is one line: outputs and
    tiling, or every violation of the contract (the engine cpp stops at the first). A case with
    "expect" is a test: the exit status is 1 when one of them did not come out as expected, when
    engines disagree and when host code crashes, and 2 when CASES is malformed.
    """
    from qsfa_codegen.commands import call as command

    return command.run(command.Request(**options), Console(color=color, debug=settings.debug))


@cli.command(
    epilog=_examples(
        "verify",
        "verify spec/my_operator.yaml --count 100000 --seed 7",
        "verify --sanitize --count 2000",
        "verify spec/my_operator.yaml | grep '^{' >> cases.jsonl    # keep what was found",
        "verify --toolkit /usr/local/Ascend/ascend-toolkit/latest",
    )
    + "\n\n"
    + _VERIFY_STATUSES
)
@_specs
@click.option(
    "--count",
    type=click.IntRange(min=1),
    default=20000,
    show_default=True,
    metavar="N",
    help="Calls of each spec.",
)
@click.option(
    "--seed", type=int, default=0, show_default=True, metavar="N", help="Another seed, other calls."
)
@click.option("--sanitize", is_flag=True, help="Compile host code with address and undefined sanitizers.")
@click.option(
    "--toolkit",
    type=_FOLDER,
    envvar="ASCEND_HOME_PATH",
    metavar="DIR",
    help="Compile host code with the headers of this CANN installation too and, where its libraries can "
    "be loaded, run it with them.  [default: $ASCEND_HOME_PATH]",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Form of the results.  json: an object for each spec and engine, on a line of its own.",
)
@_color
@_jobs
@click.pass_obj
def verify(settings: Settings, /, specs: tuple[Path, ...], color: str, **options: Any) -> int:
    """Hold the generated host code against the contract.

    Derives calls from each spec (legal ones, ones with a rule broken, values at the edges of types,
    inputs and attributes left out, unknown sizes and ranks), and runs each through the contract and
    through the host code, compiled for this machine with g++ or clang++. Where they disagree, a small
    call is searched about which they disagree in the same way, and printed as a call case.

    Without SPEC, all in and below spec/ are verified. The same seed makes the same calls.
    """
    from qsfa_codegen.commands import verify as command

    return command.run(
        command.Request(spec_files.chosen(specs), **options), Console(color=color, debug=settings.debug)
    )


_EMULATE_STATUSES = """\b
Exit status:
  0  every case that was launched is right
  1  outputs are wrong, or the emulator found what would go wrong on hardware
  2  the command line or CASES is wrong
  3  the kernel cannot be compiled or run here: there is none for the chip, or no compiler"""


@cli.command(
    epilog=_examples(
        "emulate spec/my_operator.yaml",
        "emulate spec/my_operator.yaml --derived 1000 --seed 7 --schedule random",
        "emulate spec/my_operator.yaml cases.jsonl --only long_decode --counts --trace decode.json",
        "emulate spec/my_operator.yaml cases.jsonl --cores 1 --format json",
        "emulate spec/my_operator.yaml --kernel my_kernel    # with files of your own in op_kernel",
    )
    + "\n\n"
    + _EMULATE_STATUSES
)
@_spec
@click.argument(
    "cases", required=False, type=click.Path(exists=True, dir_okay=False, allow_dash=True, path_type=Path)
)
@click.option(
    "--derived",
    type=click.IntRange(min=1),
    metavar="N",
    help="Run N small calls that the spec implies, over its whole contract.  [default: 20 without CASES]",
)
@click.option("--chip", metavar="ID", help="The chip that is emulated.  [default: the first of the spec]")
@click.option("--only", multiple=True, metavar="CASE", help="Run the case of this id alone; may be repeated.")
@click.option(
    "--cores",
    type=click.IntRange(min=1),
    metavar="N",
    help="A chip with N cube cores.  [default: the chip's]",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Another seed, other calls, data and orders.",
)
@click.option(
    "--schedule",
    type=click.Choice(["fixed", "random"]),
    default="fixed",
    show_default=True,
    help="Order in which pipes and cores run.  random: a different one for each seed.",
)
@click.option(
    "--kernel",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Files that are added to op_kernel, or replace those of the same name.",
)
@click.option(
    "--toolkit",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Compile the kernel with the Ascend C headers of the CANN toolkit in DIR too, and hold what it "
    "does through them against what it does through the emulator's own.",
)
@click.option("--counts", is_flag=True, help="Show what each core did: instructions, bytes by route, flags.")
@click.option(
    "--trace",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write a timeline of the first case, in Chrome's trace format.",
)
@click.option(
    "--limit",
    type=float,
    default=600.0,
    show_default=True,
    metavar="SECONDS",
    help="Time that a case may take.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="Form of the results.  json: an object for each case, on a line of its own.  sarif, github: "
    "findings alone.",
)
@_color
@_jobs
@click.pass_obj
def emulate(settings: Settings, /, color: str, **options: Any) -> int:
    """Run the generated kernel on this machine, one hardware instruction at a time.

    Tiling comes from the generated host code, tensors are made up, and outputs are compared with a
    reference in float64. What would go wrong on hardware (accesses out of bounds or without
    synchronisation, bytes that nothing has written, deadlocks) is found with the line of the kernel.

    CASES is a file of JSON lines, one call each, as for `call`; - reads stdin. Data that a case gives is
    used, the rest depends on the seed and on the id of the case alone.
    """
    from qsfa_codegen.commands import emulate as command

    request = command.Request(**options)
    form = request.form if request.form != "json" else "text"
    return command.run(request, Console(form, color, quiet=request.form == "json", debug=settings.debug))


_DIFF_STATUSES = """\b
Exit status:
  0    nothing breaks, or only what is allowed
  1    a spec, or the base's, has errors
  2    the command line is wrong, or there is no such base
  100  something breaks"""


@cli.command(
    epilog=_examples(
        "diff                                   # what was not committed yet",
        "diff spec/my_operator.yaml --base origin/main",
        "diff --base v1.0 --format markdown > review.md",
        "diff --base origin/main --html review.html",
        "diff --base ../released/spec",
        "diff --allow QD127",
    )
    + "\n\n"
    + _DIFF_STATUSES
)
@_specs
@click.option(
    "--base",
    metavar="REV|DIR",
    help="What to compare with: a revision of the git repository that the spec is in, or a folder.  "
    "[default: HEAD]",
)
@click.option("--contract/--no-contract", default=True, help="Show what changed.  [default: shown]")
@click.option(
    "--witness/--no-witness",
    default=True,
    help="Show calls that the two contracts treat differently.  [default: shown]",
)
@click.option(
    "--files/--no-files",
    "shows_files",
    default=None,
    help="Show what changed in generated files.  [default: only in the page of --html]",
)
@click.option(
    "--html",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write all of it as one page for a browser, too.",
)
@click.option(
    "--prove", is_flag=True, help="Decide changes of rules for all calls; needs qsfa-codegen[prove]."
)
@click.option(
    "--allow",
    multiple=True,
    metavar="CODE",
    help="A change that breaks something on purpose; may be repeated.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "markdown", "json", "github"]),
    default="text",
    show_default=True,
    help="Form of the review.  markdown: for a comment on a pull request.",
)
@_color
@click.pass_obj
def diff(
    settings: Settings, /, specs: tuple[Path, ...], color: str, allow: tuple[str, ...], **options: Any
) -> int:
    """Review an edit of specs: what does it do to callers and to what was built before?

    Compares each spec with the one in the base. Every change has a code, for `explain CODE`, and a
    class: breaking for callers, breaking for built artefacts, widening, compatible, docs only. What a
    change of rules does is found out by running calls through both contracts, and shown by a call.

    Without SPEC, all in spec/ are compared, and specs that are gone are reported.
    """
    from qsfa_codegen.commands import diff as command

    codes = tuple(code.upper() for code in allow)
    request = command.Request(spec_files.operators(specs), not specs, allow=codes, **options)
    return command.run(request, Console(color=color, debug=settings.debug))


@cli.command(epilog=_examples("new AddExample", "new add_example --folder my_specs"))
@click.argument("name")
@click.option(
    "--folder", type=_FOLDER, default=spec_files.FOLDER, show_default=True, help="Where the spec goes."
)
def new(name: str, folder: Path) -> int:
    """Write a small commented spec to start from.

    NAME is the operator's, as AddExample or add_example.
    """
    from qsfa_codegen.commands import new as command

    path = command.new(name, folder)
    click.echo(f"{path}: written; next: {PROGRAM} build {path}")
    return status.OK


@cli.command(epilog=_examples("schema > spec/operator.schema.json", "schema chips"))
@click.argument("kind", type=click.Choice(["operator", "chips"]), default="operator")
def schema(kind: Literal["operator", "chips"]) -> int:
    """Print the JSON Schema of operator specs, or of chips.yaml."""
    from qsfa_codegen.spec.schema import schema_text

    click.echo(schema_text(kind), nl=False)
    return status.OK


@cli.command(epilog=_examples("explain QS101", "explain                             # lists all codes"))
@click.argument("code", required=False)
@_color
def explain(code: str | None, color: str) -> int:
    """Say what a diagnostic CODE means, and how to mend it."""
    from qsfa_codegen.commands import explain as command

    click.echo(command.explain(code, color), color=True)
    return status.OK


@cli.command(
    epilog=_examples(
        "completion bash > ~/.local/share/bash-completion/completions/qsfa-codegen",
        "completion zsh > ~/.zfunc/_qsfa-codegen",
        "completion fish > ~/.config/fish/completions/qsfa-codegen.fish",
    )
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the completion script of a SHELL."""
    from qsfa_codegen.commands.completion import script

    click.echo(script(cli, PROGRAM, shell))
    return status.OK


for _command in cli.commands.values():  # people add it where the failure was: at the end of the line
    _command.params.append(
        click.Option(["--debug"], is_flag=True, hidden=True, expose_value=False, callback=_debugged)
    )

"""Entry point of the program: exit statuses, and what to say when something unforeseen happens."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from qsfa_codegen.commands import status

if TYPE_CHECKING:
    from qsfa_codegen.cli import Settings

# Before the imports: they make many objects and hardly any garbage, and looking for it takes time.
gc.set_threshold(100_000, 20, 20)


def main() -> None:
    """Run the command line and exit with its status."""
    try:
        _open_streams()
        code = _flushed(run(sys.argv[1:]))
    except KeyboardInterrupt:  # while the program starts, or when it is nearly done
        code = status.INTERRUPTED
    _leave(code)


def _open_streams() -> None:
    """Let the standard streams take everything: any character, and all of it where one is closed."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            stream = open(os.devnull, mode, encoding="utf-8")  # noqa: SIM115 - open as long as the process
            os.set_inheritable(stream.fileno(), True)
            setattr(sys, name, stream)
    for output in (sys.stdout, sys.stderr):
        reconfigure = getattr(output, "reconfigure", None)
        if reconfigure:  # a terminal that cannot show a character gets its escape, not a traceback
            reconfigure(errors="backslashreplace")


def run(arguments: list[str]) -> int:
    """The exit status of the command line ``arguments``; whatever happens is said on stderr."""
    import click

    from qsfa_codegen.cli import PROGRAM, Settings, cli

    settings = Settings()
    try:
        result = cli.main(arguments, PROGRAM, standalone_mode=False, obj=settings)
        return result if isinstance(result, int) else status.OK
    except click.ClickException as error:
        error.show()
        return status.USAGE
    except status.BadUsageError as error:
        click.echo(f"Error: {error}", err=True)
        return status.USAGE
    except (click.Abort, KeyboardInterrupt):
        return status.INTERRUPTED
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        return _failed(settings, f"{place}{error.strerror or error}")
    except Exception as error:
        from qsfa_codegen.commands.faults import ADVICE

        return _failed(settings, f"{type(error).__name__}: {error}\n{ADVICE}")


def _failed(settings: Settings, message: str) -> int:
    if settings.debug:
        import traceback

        traceback.print_exc()
    import click

    from qsfa_codegen.cli import PROGRAM

    click.echo(f"{PROGRAM}: {message}", err=True)
    return status.BROKEN


def _flushed(code: int) -> int:
    """The status, once all output has left; a reader that went away is no reason for a message."""
    try:
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return status.BROKEN_PIPE


def _leave(code: int) -> NoReturn:
    """End the process; its memory goes with it, and is not taken apart first, as that takes its time."""
    atexit._run_exitfuncs()
    for output in (sys.stdout, sys.stderr):
        with suppress(OSError):
            output.flush()
    os._exit(code)


if __name__ == "__main__":
    main()

"""Streams, colour, exit statuses: what scripts and terminals rely on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from qsfa_codegen import __version__
from qsfa_codegen.cli import cli
from qsfa_codegen.commands.new import new
from tests.cli_tools import ROOT, Done, Program, process

SPEC = Path("spec/add_example.yaml")
COMMANDS = sorted(cli.commands)


@pytest.fixture
def broken(project: Path) -> Path:
    """The project's spec, with one error."""
    SPEC.write_text(SPEC.read_text().replace("when: mode == 1", "when: modus == 1"))
    return SPEC


# --------------------------------------------------------------------------- help


def test_version(program: Program) -> None:
    assert program("--version").out == f"qsfa-codegen {__version__}\n"
    assert program("-V").out == f"qsfa-codegen {__version__}\n"


def test_help_lists_commands_and_exit_statuses(program: Program) -> None:
    done = program("--help")
    assert done.status == 0
    for name in COMMANDS:
        assert f"\n  {name} " in done.out
    assert "130  interrupted" in done.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(program: Program, command: str) -> None:
    done = program(command, "--help")
    assert done.status == 0
    assert f"\n    qsfa-codegen {command}" in done.out


def test_nothing_to_do_shows_the_help(program: Program) -> None:
    done = program()
    assert done.status == 2
    assert "Commands:" in done.err + done.out


# --------------------------------------------------------------------------- exit statuses


@pytest.mark.parametrize(
    "arguments",
    [
        ["no-such-command"],
        ["build", "--no-such-option"],
        ["build", "spec/nowhere.yaml"],
        ["build", "spec"],
        ["build", "--jobs", "0"],
        ["validate", "--format", "xml"],
        ["show"],
        ["show", SPEC, "--chip", "A9"],
        ["new", "1st"],
        ["explain", "QS000"],
        ["schema", "planes"],
        ["completion", "tcsh"],
    ],
)
def test_usage_errors(project: Path, program: Program, arguments: list[str]) -> None:
    done = program(*arguments)
    assert (done.status, done.out) == (2, "")
    assert "Error: " in done.err
    assert "Traceback" not in done.err


def test_a_valid_spec(project: Path, program: Program) -> None:
    done = program("validate")
    assert (done.status, done.out, done.err) == (0, "1 spec: no problems\n", "")


def test_a_spec_with_an_error(broken: Path, program: Program) -> None:
    for command in ("validate", "build", "show"):
        done = program(command, broken)
        assert done.status == 1
        assert done.err.startswith("spec/add_example.yaml:")
        assert "error[QS202]: there is no `modus` here" in done.err
    assert program("validate").out == "1 spec: 1 error\n"


def test_chips_among_the_specs(project: Path, program: Program) -> None:
    chips = Path("spec/chips.yaml")
    chips.write_bytes((ROOT / "spec" / "chips.yaml").read_bytes())
    assert program("validate", SPEC, chips) == Done(0, "2 specs: no problems\n", "")
    done = program("build", SPEC, chips)
    assert (done.status, done.err) == (0, "spec/chips.yaml describes chips: skipped\n")
    assert done.out.endswith("1 package: 1 written\n")
    assert program("build", "--quiet", chips, SPEC) == Done(0, "", "")
    assert program("build", chips) == Done(
        2, "", "Error: spec/chips.yaml describes chips: it has no operator\n"
    )


def test_an_error_in_chips_is_found_by_validate(project: Path, program: Program) -> None:
    chips = Path("spec/chips.yaml")
    chips.write_text("chips: 3\n")
    done = program("validate", chips)
    assert (done.status, done.out) == (1, "1 spec: 1 error\n")
    assert done.err.startswith("spec/chips.yaml:1:8: error[")


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("command", ["validate", "build"])
def test_an_error_in_chips_is_reported_once(project: Path, program: Program, command: str, jobs: str) -> None:
    new("Other", Path("spec"))
    Path("spec/chips.yaml").write_text("chips: 3\n")
    done = program(command, "--jobs", jobs)
    assert done.status == 1
    assert done.err.count("error[") == 1
    found = json.loads(program(command, "--jobs", jobs, "--format", "json").out)
    assert found["errors"] == len(found["diagnostics"]) == 1
    assert program("validate").out == "2 specs: 1 error\n"


@pytest.mark.parametrize("command", ["show", "verify"])
def test_chips_have_no_operator(project: Path, program: Program, command: str) -> None:
    chips = Path("spec/chips.yaml")
    chips.write_bytes((ROOT / "spec" / "chips.yaml").read_bytes())
    message = "Error: spec/chips.yaml describes chips: it has no operator\n"
    assert program(command, chips) == Done(2, "", message)


@pytest.mark.parametrize(
    ("old", "new_text", "messages"),
    [
        ("zh: 行数", 'zh: ""', ["29: error[QS155]: 'dims.N.zh' must not be empty"]),
        ("zh: 行数", 'zh: " "', ["29: error[QS310]: the text has no 'zh'"]),
        ("default: 1.0", "default: 1e400", ["14: error[QS117]: number '1e400' is out of range"]),
    ],
)
def test_one_fault_is_one_message(
    project: Path, program: Program, old: str, new_text: str, messages: list[str]
) -> None:
    SPEC.write_text(SPEC.read_text().replace(old, new_text, 1))
    done = program("validate")
    found = [line.split(":", 2)[2] for line in done.err.splitlines() if "error[" in line]
    assert found == messages
    if "QS117" in done.err:
        assert (
            "  = help: the largest finite float is about 1.8e308, and infinity is written .inf;" in done.err
        )


def test_a_file_that_cannot_be_read(project: Path, program: Program) -> None:
    SPEC.write_bytes(b"spec: 1\xff")
    done = program("validate")
    assert (done.status, "error[QS102]" in done.err) == (1, True)


def test_a_failure_of_the_program(project: Path, program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("by zero")

    monkeypatch.setattr("qsfa_codegen.commands.new.new", fail)
    done = program("new", "Other")
    assert (done.status, done.out) == (3, "")
    assert done.err.startswith("qsfa-codegen: ZeroDivisionError: by zero\n")
    assert "please report it" in done.err
    assert "what the same command prints with --debug" in done.err
    assert "Traceback" not in done.err
    assert "Traceback" in program("--debug", "new", "Other").err
    assert "Traceback" in program("new", "Other", "--debug").err


def test_a_failure_of_the_disk(project: Path, program: Program) -> None:
    done = program("new", "Other", "--folder", "/dev/null/specs")
    assert (done.status, done.err) == (3, "qsfa-codegen: /dev/null/specs: Not a directory\n")


# --------------------------------------------------------------------------- formats


def test_json(broken: Path, program: Program) -> None:
    done = program("validate", "--format", "json")
    document = json.loads(done.out)
    assert (done.status, done.err, document["errors"]) == (1, "", 1)
    found = document["diagnostics"][0]
    assert (found["code"], found["location"]["file"]) == ("QS202", "spec/add_example.yaml")
    line = SPEC.read_text().splitlines()[found["location"]["line"] - 1]
    assert line[found["location"]["column"] - 1 : found["location"]["endColumn"] - 1] == "modus"


def test_sarif_has_titles(broken: Path, program: Program) -> None:
    run = json.loads(program("validate", "--format", "sarif").out)["runs"][0]
    assert run["results"][0]["ruleId"] == "QS202"
    assert run["tool"]["driver"]["rules"][0]["shortDescription"]["text"] == "An unknown name"


def test_github(broken: Path, program: Program) -> None:
    done = program("validate", "--format", "github")
    assert done.out.startswith("::error file=spec/add_example.yaml,line=")


def test_programs_get_a_document_when_all_is_well(project: Path, program: Program) -> None:
    assert json.loads(program("build", "--format", "json").out)["diagnostics"] == []
    assert json.loads(program("build", "--format", "sarif").out)["runs"][0]["results"] == []
    assert program("build", "--format", "github").out == ""


# --------------------------------------------------------------------------- colour


@pytest.mark.parametrize(
    ("arguments", "env", "coloured"),
    [
        ([], {}, False),
        (["--color", "always"], {}, True),
        (["--color", "never"], {"FORCE_COLOR": "1"}, False),
        ([], {"FORCE_COLOR": "1"}, True),
        ([], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour(broken: Path, arguments: list[str], env: dict[str, str], coloured: bool) -> None:
    done = process("validate", *arguments, env=env)
    assert ("\x1b[" in done.err) is coloured
    assert "\x1b[" not in done.out


def test_a_terminal_is_coloured(broken: Path) -> None:
    import pty

    reader, writer = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"}
    command = [sys.executable, "-m", "qsfa_codegen", "validate"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=writer, env=env) as child:
        os.close(writer)
        text = b""
        try:
            while block := os.read(reader, 4096):
                text += block
        except OSError:  # the terminal's other side is closed
            pass
        os.close(reader)
    assert child.returncode == 1
    assert b"\x1b[1;31merror[QS202]\x1b[0m" in text


# --------------------------------------------------------------------------- readers and interruptions


def _open(*arguments: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "qsfa_codegen", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize("arguments", [["show", str(SPEC)], ["schema"], ["--help"], ["explain"]])
def test_a_reader_that_goes_away_is_no_error(project: Path, arguments: list[str]) -> None:
    with _open(*arguments) as child:
        assert child.stdout is not None
        child.stdout.close()
        assert child.stderr is not None
        assert child.stderr.read() == b""
    assert child.returncode in (0, 141)  # 0: it had finished writing before


def test_an_interruption_is_no_failure(project: Path) -> None:
    program = (
        "import sys, time\n"
        "from qsfa_codegen import __main__\n"
        "from qsfa_codegen.commands import new\n"
        "def wait(*_): print('waiting', flush=True); time.sleep(60)\n"
        "new.new = wait\n"
        "sys.argv[1:] = ['new', 'Other']\n"
        "__main__.main()\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == b"waiting\n"
    child.send_signal(signal.SIGINT)
    _, err = child.communicate(timeout=20)
    assert child.returncode == 130
    assert b"Traceback" not in err


def test_an_interruption_while_the_program_starts_is_no_failure(project: Path) -> None:
    program = (
        "import os, signal, sys\n"
        "from qsfa_codegen import __main__\n"
        "class Finder:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'qsfa_codegen.cli': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Finder())\n"
        "sys.argv[1:] = ['--version']\n"
        "__main__.main()\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=env, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, b"", b"")


def test_what_is_registered_for_the_end_runs_though_the_process_leaves_at_once(project: Path) -> None:
    program = (
        "import atexit, sys\n"
        "from qsfa_codegen import __main__\n"
        "atexit.register(print, 'last words')\n"
        "sys.argv[1:] = ['explain', 'QS000']\n"
        "__main__.main()\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=env, check=False)
    assert done.returncode == 2
    assert b"QS000" in done.stderr
    assert done.stdout == b"last words\n"


def _closed(redirection: str, *arguments: str | Path) -> Done:
    """The program, started by a shell with a stream closed."""
    done = subprocess.run(
        ["sh", "-c", f'exec "$@" {redirection}', "sh", sys.executable, "-m", "qsfa_codegen", *arguments],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=False,
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["schema"], 0),
        (["show", SPEC], 0),
        (["explain"], 0),
        (["call", SPEC, "/dev/null"], 0),
        (["completion", "bash"], 0),
        (["--help"], 0),
        (["validate", "--format", "json"], 0),
        (["build", "--check"], 1),
    ],
)
def test_a_closed_stdout_changes_nothing_else(project: Path, arguments: list[str], status: int) -> None:
    open_err = process(*arguments).err
    assert _closed(">&-", *arguments) == Done(status, "", open_err)
    assert _closed("<&- >&- 2>&-", *arguments) == Done(status, "", "")


def test_a_closed_stderr_changes_nothing_else(broken: Path) -> None:
    assert _closed("2>&-", "build") == Done(1, "1 package: 1 failed\n", "")
    assert _closed("2>&-", "no-such-command") == Done(2, "", "")


def test_a_terminal_that_lacks_characters_gets_escapes(project: Path) -> None:
    done = process("show", SPEC, "--lang", "zh", env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"})
    assert (done.status, done.err) == (0, "")
    assert "\\u8f93\\u5165" in done.out


def test_output_that_cannot_be_written(project: Path) -> None:
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "qsfa_codegen", "schema"],
            stdout=full,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            check=False,
        )
    assert done.returncode == 3
    assert done.stderr == b"qsfa-codegen: No space left on device\n"

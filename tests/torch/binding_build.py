"""Generated torch bindings compiled against torch and the headers of torch_npu, once for the same content."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import time
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import torch

from qsfa_codegen.host import compiler
from qsfa_codegen.render.package import render
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator
from tests.released import CACHE, TORCH_NPU, VLLM_ASCEND
from tests.truth.aclnn_header import Parameter, functions
from tests.truth.wheel import Wheel

ROOT = Path(__file__).parents[2]
DEVICE = Path(__file__).parent / "device"
QSFA = "kv_quant_sparse_flash_attention"
SPECS = (QSFA, "lightning_indexer", "add_rms_norm_bias", "rms_norm_dynamic_quant")

# The Python packages register the operators too, in this process: libraries of tests have other namespaces.
TRACED = "traced_in_tests"
LAUNCHED = "launched_in_tests"

_TORCH = Path(torch.__file__).parent
_FLAGS = ("-std=c++20", "-O0", "-fPIC", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function")
_KEPT = ROOT / ".cache" / "torch"
_UNUSED_SECONDS = 30 * 24 * 3600


@cache
def operator(name: str) -> Operator:
    return load(ROOT / "spec" / f"{name}.yaml")


@cache
def torch_files(name: str) -> Mapping[str, str]:
    """The torch side of a package, as it is generated now."""
    files = render(operator(name))
    return {path: text for path, text in files.items() if path.startswith("torch/") or "_torch_adpt" in path}


@cache
def npu() -> Path:
    """The headers and the library of the released torch_npu, where its package has them."""
    target = CACHE / TORCH_NPU.requirement
    if not target.is_dir():
        passing = target.with_name(f"{target.name}.{os.getpid()}")
        with zipfile.ZipFile(TORCH_NPU.fetch()) as wheel:
            kept = ("torch_npu/include/", "torch_npu/lib/libtorch_npu.so")
            wheel.extractall(passing, [name for name in wheel.namelist() if name.startswith(kept)])
        (passing / "torch_npu" / "__init__.py").write_text("raise ImportError('only for the compiler')\n")
        with suppress(OSError):
            passing.rename(target)
    return target / "torch_npu"


# --------------------------------------------------------------------------- results by content


def _kept(name: str, parts: Sequence[str], make: Callable[[Path], None]) -> Path:
    """A folder that ``make`` fills, or one that it has filled for the same parts."""
    tools = (compiler.find().version, torch.__version__, sys.version)
    digest = hashlib.sha256(repr((*parts, *tools)).encode()).hexdigest()
    target = _KEPT / f"{name}-{digest[:24]}"
    if not target.is_dir():
        _remove_unused()
        passing = target.with_name(f"{target.name}.{os.getpid()}")
        passing.mkdir(parents=True)
        try:
            make(passing)
            with suppress(OSError):
                passing.rename(target)
        finally:
            shutil.rmtree(passing, ignore_errors=True)
    os.utime(target)
    return target


def _remove_unused() -> None:
    oldest = time.time() - _UNUSED_SECONDS
    for path in _KEPT.glob("*"):
        if path.stat().st_mtime < oldest:
            shutil.rmtree(path, ignore_errors=True)


def _run(command: Sequence[object], folder: Path, **environment: str) -> None:
    ran = subprocess.run(
        [str(part) for part in command],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, f"{ran.stdout}\n{ran.stderr}"


def _write(folder: Path, names: Sequence[str]) -> None:
    for name in names:
        for path, text in torch_files(name).items():
            (folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / name / path).write_text(text, encoding="utf-8")


def _library(name: str, source: str, flags: Sequence[str], linked: Sequence[str]) -> Path:
    """A shared library of one file, which sees the torch side of each operator in a folder of its own.

    Whatever it calls has to be in what it is linked with.
    """

    def make(folder: Path) -> None:
        _write(folder, SPECS)
        (folder / "source.cpp").write_text(source, encoding="utf-8")
        systems = [_TORCH / "include", _TORCH / "include/torch/csrc/api/include"]
        includes = [part for path in systems for part in ("-isystem", path)]
        command = [*compiler.find().command, *_FLAGS, *flags, *includes, f"-I{folder}", f"-I{DEVICE}"]
        link = ["-shared", "-Wl,-z,defs", f"-L{_TORCH / 'lib'}", *linked]
        _run([*command, folder / "source.cpp", *link, "-o", folder / "library.so"], folder)

    texts = [f"{path}\n{text}" for spec in SPECS for path, text in torch_files(spec).items()]
    texts += [path.read_text(encoding="utf-8") for path in sorted(DEVICE.iterdir())]
    return _kept(name, (source, *_FLAGS, *flags, *linked, *texts), make) / "library.so"


# --------------------------------------------------------------------------- what is built


def traced() -> Path:
    """The schemas and Meta functions of all operators, in the namespace ``TRACED``."""
    source = "".join(f'#include "{spec}/torch/{spec}_register.cpp"\n' for spec in SPECS)
    libraries = {binding.library for spec in SPECS if (binding := operator(spec).torch)}
    flags = [f"-D{library}={TRACED}" for library in libraries]
    return _library("traced", source, flags, ("-lc10", "-ltorch_cpu"))


def launched() -> Path:
    """The adapters of all operators as CPU kernels in the namespace ``LAUNCHED``, on recorded functions.

    The functions of aclnn have the signatures of the released headers.
    """
    wheel = Wheel(VLLM_ASCEND.fetch())
    parts = ['#include "recorder.h"\n#include <torch/library.h>\n']
    parts += [f'#include "{spec}/torch/exec_npu_cmd.h"\n' for spec in SPECS[:1]]
    parts += [f'#include "{spec}/{spec}_torch_adpt.h"\n' for spec in SPECS]
    registered: list[str] = []
    for spec in SPECS:
        name, binding = operator(spec).aclnn.name, operator(spec).torch
        assert binding is not None
        first = f"{name}GetWorkspaceSize"
        parts.append(_recorded(first, functions(wheel.aclnn_header(spec))[first]))
        registered += [
            f'    recorder::g_functions["{first}"] = reinterpret_cast<void *>(&Fake_{first});\n',
            f'    recorder::g_functions["{name}"] = reinterpret_cast<void *>(&recorder::Launch);\n',
            f'    library.impl("{binding.name}", &{binding.namespace}::{binding.name});\n',
        ]
    parts += [f"TORCH_LIBRARY_IMPL({LAUNCHED}, CPU, library)\n{{\n", *registered, "}\n"]
    return _library("launched", "".join(parts), _npu_flags(), ("-lc10", "-ltorch_cpu"))


def _recorded(name: str, parameters: Sequence[Parameter]) -> str:
    """A function that writes down its arguments under their names."""
    listed = ", ".join(f"{p.ctype} {p.name}" for p in parameters)
    written = "".join(f'    recorder::Write("{p.name}", {p.name});\n' for p in parameters[:-2])
    size, executor = (p.name for p in parameters[-2:])
    return f"int Fake_{name}({listed})\n{{\n{written}    return recorder::Prepared({size}, {executor});\n}}\n"


def _npu_flags() -> list[str]:
    systems = [npu() / "include", Path(sysconfig.get_path("include"))]
    return [part for path in systems for part in ("-isystem", str(path))]


def adapters_beside_op_plugin() -> Path:
    """The adapters with the EXEC_NPU_CMD of torch_npu's own headers, as far as an object file."""
    source = """\
#include <torch/version.h>
#define OP_PLUGIN_VERSION(major, minor) V##major##R##minor
#define OP_PLUGIN_VERSION_OF(major, minor) OP_PLUGIN_VERSION(major, minor)
#define CURRENT_VERSION OP_PLUGIN_VERSION_OF(TORCH_VERSION_MAJOR, TORCH_VERSION_MINOR)
#include "op_plugin/utils/op_api_common.h"
"""
    source += "".join(f'#include "{spec}/{spec}_torch_adpt.h"\n' for spec in SPECS)
    flags = [*_npu_flags(), "-isystem", str(npu() / "include/third_party/op-plugin"), "-fsyntax-only"]
    return _library("adapters", source, flags, ())


def built_by_setup() -> Path:
    """What the generated setup.py builds of the first operator, for a device too, where Python finds it."""

    def make(folder: Path) -> None:
        _write(folder, [QSFA])
        _run(
            [
                sys.executable,
                "setup.py",
                "-q",
                "build",
                "--build-lib",
                folder / "lib",
                "--build-temp",
                folder,
            ],
            folder / QSFA / "torch",
            PYTHONPATH=str(npu().parent),
            CFLAGS="-O0",
            # The libraries of CANN, which that of torch_npu needs, are not here.
            LDFLAGS="-Wl,-z,defs -Wl,--allow-shlib-undefined",
        )

    texts = [f"{path}\n{text}" for path, text in torch_files(QSFA).items()]
    return _kept("setup", texts, make) / "lib"

"""The kernel of a spec with the Ascend C headers of a toolkit: the emulator's own, in a toolkit's folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.emulate import typecheck
from qsfa_codegen.emulate.program import KernelSources, kernel_sources
from qsfa_codegen.emulate.typecheck import REFUSED, checked_chips, checks, refusals
from qsfa_codegen.emulator.toolkit import NO_HEADERS, KernelHeaders
from qsfa_codegen.host.errors import HostError
from tests.emulate.calls import HEADER, NAIVE, operator
from tests.emulator.through import TOOLKIT, with_toolkit_for

STUBS = ("stub_def.h", "stub_fun.h")
A2, A5 = checked_chips(operator())


def toolkit(root: Path, *stubs: str, before: str = "") -> Path:
    kernel, debug = root / "tikcpp/tikcfw", root / "tools/tikicpulib/lib/include"
    for folder in (kernel, debug):
        folder.mkdir(parents=True)
    text = f'#pragma once\n{before}\n#include "include/kernel_operator.h"\n'
    (kernel / "kernel_operator.h").write_text(text)
    for name in stubs:
        (debug / name).write_text("")
    return root


def naive(folder: Path) -> KernelSources:
    return kernel_sources(operator(), operator().chips[0], folder)


def test_what_the_headers_accept(tmp_path: Path) -> None:
    headers = KernelHeaders.at(toolkit(tmp_path, *STUBS), A2)
    found = list(refusals(naive(NAIVE), headers))
    assert [check for check, _ in found] == list(checks(naive(NAIVE)))
    assert {check.name for check, _ in found} == {
        f"{core} cores, {dtype}" for core in ("cube", "vector") for dtype in ("float16", "bfloat16")
    }
    assert {check.keys for check, _ in found} == {8}
    assert all(refusal is None for _, refusal in found)


def test_what_they_refuse_has_the_line_of_the_kernel(tmp_path: Path) -> None:
    headers = KernelHeaders.at(toolkit(tmp_path / "toolkit", *STUBS), A2)
    own = tmp_path / "own" / HEADER
    own.parent.mkdir(parents=True)
    text = (NAIVE / HEADER).read_text()
    at = text.count("\n") + 1
    own.write_text(f'{text}static_assert(false, "refused");\n')
    for check, refusal in refusals(naive(tmp_path / "own"), headers):
        assert refusal is not None
        assert refusal.diagnostic.code == REFUSED
        place = f"op_kernel/{HEADER}:{at} does not compile with the headers"
        assert refusal.diagnostic.message.startswith(place)
        assert f"for {check.name}: " in refusal.diagnostic.message


@pytest.mark.parametrize("missing", STUBS)
def test_a_header_that_is_missing(missing: str, tmp_path: Path) -> None:
    root = toolkit(tmp_path, *(name for name in STUBS if name != missing))
    with pytest.raises(HostError) as caught:
        KernelHeaders.at(root, A2)
    assert caught.value.diagnostic.code == NO_HEADERS
    assert f"lacks {missing}" in caught.value.diagnostic.message


def of_ascend_950(root: Path) -> Path:
    """A toolkit that has what the kernel for Ascend 950 is compiled with, empty."""
    for path in (
        "asc/include/kernel_operator.h",
        "asc/impl/basic_api/dav_3510/kernel_operator_common_impl.h",
        "include/ascendc/highlevel_api/kernel_tiling/kernel_tiling.h",
    ):
        (root / path).parent.mkdir(parents=True)
        (root / path).touch()
    return root


def test_the_stub_headers_for_ascend_950_are_the_emulators_own(tmp_path: Path) -> None:
    assert KernelHeaders.at(of_ascend_950(tmp_path), A5).root == tmp_path


@pytest.mark.parametrize("missing", ["kernel_operator.h", "kernel_operator_common_impl.h", "kernel_tiling.h"])
def test_a_toolkit_that_does_not_know_ascend_950(missing: str, tmp_path: Path) -> None:
    (path,) = of_ascend_950(tmp_path).rglob(missing)
    path.unlink()
    with pytest.raises(HostError) as caught:
        KernelHeaders.at(tmp_path, A5)
    message = caught.value.diagnostic.message
    assert caught.value.diagnostic.code == NO_HEADERS
    assert message.startswith(f"the toolkit in {tmp_path} lacks ")
    assert missing in message
    assert message.endswith("; A5 needs it")
    assert "ASCEND_HOME_PATH" in (caught.value.diagnostic.help or "")


# --------------------------------------------------------------------------- a toolkit that is installed


def accepted(sources: KernelSources) -> None:
    assert TOOLKIT is not None
    found = list(refusals(sources, KernelHeaders.at(Path(TOOLKIT), sources.chip)))
    assert [refusal and refusal.diagnostic.message for _, refusal in found] == [None] * len(found)
    rows = operator().dtypes.rows_of(sources.chip.id)
    assert len(found) == 2 * len(rows)


@with_toolkit_for("A2")
def test_the_generated_kernel_for_atlas_a2() -> None:
    accepted(kernel_sources(operator(), A2))


@with_toolkit_for("A5")
def test_the_generated_kernel_for_ascend_950() -> None:
    accepted(kernel_sources(operator(), A5))


MISTAKES = {
    "no such distribution for one register": ("dequant", "DIST_UNPACK_B8", "DIST_DINTLV_B8"),
    "mask before the operand": ("dequant", "even, even, scale, floats", "even, even, floats, scale"),
    "stride behind the mask": ("dequant", "low, STAGE_PITCH, halves", "low, halves, STAGE_PITCH"),
    "no such name": ("softmax", "DIST_FIRST_ELEMENT_B32", "DIST_FIRST_ELEMENT"),
    "a missing operand": ("softmax", "Exp(factor, factor, all)", "Exp(factor, all)"),
    "parameters of another architecture": ("cube", "FixpipeParamsArch3510<", "FixpipeParamsV220<"),
    "no such field": ("cube", "dualDstCtl", "dualDst"),
    "mode behind the pipe": ("flags", "CrossCoreSetFlag<PAIR, pipe>", "CrossCoreSetFlag<pipe, PAIR>"),
    "no such position": ("softmax", "TPosition::VECCALC", "TPosition::VECIN2"),
}


@with_toolkit_for("A5")
@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_in_it_is_refused_at_its_line(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert TOOLKIT is not None
    file, right, wrong = MISTAKES[mistake]
    sources = kernel_sources(operator(), A5)
    one = checks(sources)[-1:]
    monkeypatch.setattr(typecheck, "checks", lambda _: one)
    path = f"op_kernel/{A5.arch}/{operator().snake}_{file}.h"
    text = sources.files[path]
    at = text[: text.index(right)].count("\n") + 1
    faulty = replace(sources, files={**sources.files, path: text.replace(right, wrong, 1)})
    ((_, refusal),) = refusals(faulty, KernelHeaders.at(Path(TOOLKIT), A5))
    assert refusal is not None
    told, line = refusal.diagnostic.message.split(" ")[0].split(":")
    assert told == path
    assert at - 2 <= int(line) <= at + 6  # the call may begin before it, or use what it declares

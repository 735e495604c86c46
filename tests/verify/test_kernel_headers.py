"""The kernel of a spec with the Ascend C headers of a toolkit: the emulator's own, in a toolkit's folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsfa_codegen.emulate.program import KernelSources, kernel_sources
from qsfa_codegen.emulate.typecheck import REFUSED, checks, refusals
from qsfa_codegen.emulator.toolkit import NO_HEADERS, KernelHeaders
from qsfa_codegen.host.errors import HostError
from tests.emulate.calls import HEADER, NAIVE, operator

STUBS = ("stub_def.h", "stub_fun.h")


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
    headers = KernelHeaders.at(toolkit(tmp_path, *STUBS))
    found = list(refusals(naive(NAIVE), headers))
    assert [check for check, _ in found] == list(checks(naive(NAIVE)))
    assert {check.name for check, _ in found} == {
        f"{core} cores, {dtype}" for core in ("cube", "vector") for dtype in ("float16", "bfloat16")
    }
    assert {check.keys for check, _ in found} == {8}
    assert all(refusal is None for _, refusal in found)


def test_what_they_refuse_has_the_line_of_the_kernel(tmp_path: Path) -> None:
    headers = KernelHeaders.at(toolkit(tmp_path / "toolkit", *STUBS))
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
        KernelHeaders.at(root)
    assert caught.value.diagnostic.code == NO_HEADERS
    assert f"lacks {missing}" in caught.value.diagnostic.message

"""The structs of the tiling data: a compiler confirms the layout, and no byte is left unnamed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.render.package import render
from qsfa_codegen.render.tiling_struct import struct_views, structs
from qsfa_codegen.spec.layout import struct_layout
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator, TilingData, TilingField

ROOT = Path(__file__).parents[2]
FLASH = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"


@pytest.fixture(scope="module")
def flash() -> Operator:
    return load(FLASH)


@pytest.fixture(scope="module")
def data(flash: Operator) -> TilingData:
    assert flash.tiling is not None
    assert flash.tiling.data is not None
    return flash.tiling.data


def compiles(text: str, folder: Path) -> bool:
    (folder / "data.h").write_text(text, encoding="utf-8")
    (folder / "data.cpp").write_text('#include "data.h"\n', encoding="utf-8")
    command = ["g++", "-std=c++17", "-Wall", "-Wextra", "-Wpadded", "-Werror", "-fsyntax-only", "data.cpp"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False).returncode == 0


def header(operator: Operator) -> str:
    return render(operator)[f"op_kernel/{operator.snake}_tiling_data.h"]


def test_a_compiler_confirms_the_layout_and_pads_nothing(flash: Operator, tmp_path: Path) -> None:
    assert compiles(header(flash), tmp_path)


def test_a_compiler_notices_a_field_that_moved(flash: Operator, tmp_path: Path) -> None:
    wider = header(flash).replace("uint32_t seqSize;", "uint64_t seqSize;")
    assert not compiles(wider, tmp_path)


def test_every_field_has_its_offset_asserted(flash: Operator, data: TilingData) -> None:
    text = header(flash)
    for view in struct_views(flash, data):
        assert f"static_assert(sizeof({view.name}) == {view.size});" in text
        for name, offset in view.offsets:
            assert f"static_assert(offsetof({view.name}, {name}) == {offset});" in text
    assert sum(len(view.offsets) for view in struct_views(flash, data)) == len(re.findall("offsetof", text))


def test_fields_stand_in_the_order_and_types_of_the_spec(flash: Operator, data: TilingData) -> None:
    text = header(flash)
    for structure in structs(data.root):
        body = text[text.index(f"struct {structure.type_name} {{") :].partition("};")[0]
        declared = re.findall(r"^    (\w+) (\w+)(?:\[\d+\])?;", body, re.MULTILINE)
        assert [name for _, name in declared if not name.startswith("padding")] == [
            member.name for member in structure.members
        ]


def test_a_nested_struct_is_defined_before_what_contains_it(data: TilingData) -> None:
    names = [structure.type_name for structure in structs(data.root)]
    assert names[-1] == data.root.type_name == "KvQuantSparseFlashAttentionTilingDataMla"
    assert len(names) == len(set(names)) == 6


def test_another_alignment_moves_the_nested_structs(
    flash: Operator, data: TilingData, tmp_path: Path
) -> None:
    assert flash.tiling is not None
    wide = replace(data, align=16)
    operator = replace(flash, tiling=replace(flash.tiling, data=wide))
    assert compiles(header(operator), tmp_path)
    assert struct_layout(wide).size > struct_layout(data).size == 136


def test_a_field_that_no_kernel_reads_says_so(flash: Operator, data: TilingData) -> None:
    unused = [
        member.name
        for structure in structs(data.root)
        for member in structure.members
        if isinstance(member, TilingField) and member.unused
    ]
    marked = r"(\w+); // reserved: the kernels of this package do not read it"
    assert re.findall(marked, header(flash)) == unused
    assert unused


def test_a_field_says_what_the_host_writes(flash: Operator) -> None:
    text = header(flash)
    assert "    uint32_t batchSize; // B: batch size\n" in text
    assert "    uint32_t qSeqSize; // Q_S if layout_query is BSND, Q_T if it is TND\n" in text
    assert "    uint32_t usedCoreNum; // aic: cube cores of the device\n" in text
    assert (
        "    // KV_S if layout_kv is BSND, KV_T if it is TND, max_blocks * block_size if it is PA_BSND\n"
        "    uint32_t seqSize;\n"
    ) in text

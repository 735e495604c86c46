"""The unit tests of op_host as text: form, names, and operators with what the four specs have not."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.render import cases, package, unit_tests
from qsfa_codegen.render.package import render_these
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import AttrType, Operator
from tests.render.style import complaints

ROOT = Path(__file__).parents[2]
FLASH = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"
SPECS = [
    *sorted((ROOT / "spec").glob("*_*.yaml")),
    *sorted((ROOT / "tests" / "specs").glob("*.yaml")),
    ROOT / "tests" / "host" / "data_rules.yaml",
    ROOT / "tests" / "render" / "odd_parameters.yaml",
]
FOLDER = "tests/ut/op_host"


def rendered(operator: Operator) -> Mapping[str, str]:
    return render_these(operator, unit_tests.ARTEFACTS)


def tables(text: str) -> dict[str, list[str]]:
    """The calls of each table: the text of a call, on one line."""
    found = re.findall(r"^const std::vector<Call> (\w+) = \{\n(.*?)^\};", text, re.M | re.S)
    return {name: re.split(r",\n    (?=Call\()", body.strip().rstrip(",")) for name, body in found}


def name_of(call: str) -> str:
    return call.split('"')[1]


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.parent.name + "-" + path.stem)
def test_every_file_is_formatted_and_names_are_unique(spec: Path, tmp_path: Path) -> None:
    operator = load(spec)
    files = rendered(operator)
    assert complaints(files, tmp_path) == []
    derived = {json.loads(line)["id"] for line in cases.ARTEFACTS[0].render(operator, None).splitlines()}  # type: ignore[arg-type]
    for path, text in files.items():
        if path.endswith(".cpp"):
            names = [name_of(call) for calls in tables(text).values() for call in calls]
            assert len(set(names)) == len(names) > 0
            assert set(names) <= derived


def test_files_of_an_operator_with_and_without_tiling() -> None:
    flash = rendered(load(FLASH))
    common = ["tests/CMakeLists.txt", "tests/ut/CMakeLists.txt", f"{FOLDER}/CMakeLists.txt"]
    snake = FLASH.stem
    own = [f"{snake}_param.h", f"test_{snake}_infershape.cpp", f"test_{snake}_tiling.cpp"]
    assert list(flash) == [*common, *(f"{FOLDER}/{name}" for name in own)]
    norm = rendered(load(ROOT / "spec" / "add_rms_norm_bias.yaml"))
    assert [Path(path).name for path in norm if path.endswith(".cpp")] == [
        "test_add_rms_norm_bias_infershape.cpp"
    ]
    assert "TILING" not in norm[f"{FOLDER}/CMakeLists.txt"]


def test_every_dtype_row_and_layout_of_every_device_is_accepted_and_every_rule_is_broken() -> None:
    operator = load(FLASH)
    text = rendered(operator)[f"{FOLDER}/test_{operator.snake}_tiling.cpp"]
    found = tables(text)
    accepted = {name_of(call) for call in found["ACCEPTED"]}
    for chip in ("A2", "A5"):  # A3 is as A2
        for row in operator.dtypes.rows_of(chip):
            for layouts in ("bsnd_bsnd", "bsnd_pa_bsnd", "tnd_tnd", "tnd_pa_bsnd"):
                assert f"{chip.lower()}_ok_{'_'.join(row.dtypes)}_{layouts}" in accepted
    rejected = "\n".join(name_of(call) for call in found["REJECTED"])
    unbroken = {check.id for check in operator.checks if f"breaks_{check.id.lower()}" not in rejected}
    assert unbroken == {"paging_divides"}


def test_a_call_says_what_it_changes() -> None:
    operator = load(FLASH)
    text = rendered(operator)[f"{FOLDER}/test_{operator.snake}_tiling.cpp"]
    calls = {name_of(call): " ".join(call.split()) for table in tables(text).values() for call in table}
    assert calls["a2_breaks_q_n_value_0_bsnd_bsnd"] == (
        'Call("a2_breaks_q_n_value_0_bsnd_bsnd").From("a2_ok_float16_int8_bsnd_bsnd") '
        '.Input("query", ge::DT_FLOAT16, {2, 3, 0, 576})'
    )
    assert calls["a2_ok_sparse_mode_0"].endswith(
        '.From("a2_ok_float16_int8_bsnd_bsnd").Int("sparse_mode", 0) .Expect("sparseMode", 0)'
    )
    assert calls["breaks_chip_atlas_200i_500_a2_inference"].startswith(
        'Call("breaks_chip_atlas_200i_500_a2_inference").On("atlas_200i_500_a2_inference")'
    )


def test_data_that_tiling_reads_is_given() -> None:
    operator = load(ROOT / "tests" / "host" / "data_rules.yaml")
    text = rendered(operator)[f"{FOLDER}/test_{operator.snake}_tiling.cpp"]
    assert '.Input("ends", ge::DT_INT64, {3}, Bytes<int64_t>({3, 2, 1}))' in text
    assert '.Input("keep", ge::DT_BOOL, {3}, Bytes<uint8_t>({1, 1, 1}))' in text


def test_fields_of_macro_structs_are_read_at_their_offsets() -> None:
    flash = load(FLASH)
    assert flash.tiling is not None
    assert flash.tiling.data is not None
    macro = replace(flash, tiling=replace(flash.tiling, data=replace(flash.tiling.data, style="macro")))
    text = rendered(macro)[f"{FOLDER}/test_{flash.snake}_tiling.cpp"]
    assert 'numbers["blockSize"] = At<int64_t>(info, 16);' in text
    assert "EXPECT_EQ(info.tilingDataSize, 136u);" in text


def test_an_operator_that_contexts_cannot_hold_has_none() -> None:
    flash = load(FLASH)
    attr = replace(flash.attrs[-1], type=AttrType.LIST_STR, default=())
    assert rendered(replace(flash, attrs=(*flash.attrs[:-1], attr))) == {}


def test_a_spec_can_leave_them_out() -> None:
    files = package.render(replace(load(FLASH), emit=("op_host",)))
    assert not any(path.startswith("tests/") for path in files)

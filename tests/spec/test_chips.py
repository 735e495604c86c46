"""chips.yaml: facts against public platform configurations, and what is wrong with others."""

from __future__ import annotations

from pathlib import Path

import pytest

from qsfa_codegen.diagnostics import Sink
from qsfa_codegen.spec.chips import ChipSet, load_chips
from qsfa_codegen.spec.dtypes import DTYPES

CHIPS = Path(__file__).parents[2] / "spec" / "chips.yaml"

ONE_CHIP = """\
chips:
  X1:
    soc: ascendx1
    arch: arch99
    npu_arch: DAV_9901
    cce_aicore: 990
    product: {en: X, zh: 某}
    cores: {aic: 1, aiv: 2}
    memory: {ub: 1024, l1: 2048, l0a: 64, l0b: 65, l0c: 66}
    libapi_workspace: 0
    dtypes: [float16]
"""


def loaded(text: str, tmp_path: Path) -> tuple[ChipSet, Sink]:
    path = tmp_path / "chips.yaml"
    path.write_text(text, encoding="utf-8")
    sink = Sink()
    return load_chips(path, sink), sink


@pytest.fixture(scope="module")
def real() -> ChipSet:
    sink = Sink()
    chips = load_chips(CHIPS, sink)
    assert not len(sink)
    return chips


def test_ids_and_configurations(real: ChipSet) -> None:
    assert list(real.by_id) == ["A2", "A3", "A5", "A310P"]
    assert {soc: chip.id for soc, chip in real.by_soc.items()} == {
        "ascend910b": "A2",
        "ascend910_93": "A3",
        "ascend950": "A5",
        "ascend310p": "A310P",
    }


KIB = 1024
RESERVED = 256  # of UB and of L1 on arch22: the platform API does not report them


@pytest.mark.parametrize(
    ("id", "arch", "npu_arch", "cce", "cores", "memory", "libapi"),
    [
        ("A2", "arch22", "DAV_2201", 220, (24, 48), (192, 512, 64, 64, 128, 1, 2 + 1 + 2 + 2), 16),
        ("A3", "arch22", "DAV_2201", 220, (24, 48), (192, 512, 64, 64, 128, 1, 2 + 1 + 2 + 2), 16),
        ("A5", "arch35", "DAV_3510", 310, (32, 64), (248, 512, 64, 64, 256, 4, 4 + 2), 16),
        ("A310P", "arch20", "DAV_2002", 200, (8, 8), (256, 1024, 64, 64, 256, 0, 0), 2),
    ],
)
def test_facts(
    real: ChipSet,
    id: str,
    arch: str,
    npu_arch: str,
    cce: int,
    cores: tuple[int, int],
    memory: tuple[int, ...],
    libapi: int,
) -> None:
    chip = real.by_id[id]
    assert (chip.arch, chip.npu_arch, chip.cce_aicore) == (arch, npu_arch, cce)
    assert (chip.aic, chip.aiv) == cores
    reserved = RESERVED if arch == "arch22" else 0
    assert (chip.ub + reserved, chip.l1 + reserved) == tuple(size * KIB for size in memory[:2])
    rest = (chip.l0a, chip.l0b, chip.l0c, chip.bt, chip.fb)
    assert rest == tuple(size * KIB for size in memory[2:])
    assert chip.libapi_workspace == libapi * KIB * KIB


def test_dtypes_of_chips(real: ChipSet) -> None:
    eight_bit_floats = {"float8_e4m3fn", "float8_e5m2", "hifloat8"}
    assert set(real.by_id["A5"].dtypes) == set(DTYPES)
    for id in ("A2", "A3"):
        assert set(DTYPES) - set(real.by_id[id].dtypes) == eight_bit_floats
    assert set(DTYPES) - set(real.by_id["A310P"].dtypes) == {"bfloat16", "float64"} | eight_bit_floats


def test_product_names(real: ChipSet) -> None:
    assert real.by_id["A3"].product.zh == "Atlas A3 训练系列产品/Atlas A3 推理系列产品"
    assert real.by_id["A3"].product.en == "Atlas A3 training products/Atlas A3 inference products"
    assert real.by_id["A5"].product.zh == "Ascend 950PR/Ascend 950DT"
    names = {id: product.name.zh for id, product in real.products.items()}
    assert names["atlas_200i_500_a2_inference"] == "Atlas 200I/500 A2 推理产品"
    assert names["atlas_inference_cards"] == "Atlas 推理系列加速卡产品"
    assert names["atlas_training"] == "Atlas 训练系列产品"
    assert all(id == product.id for id, product in real.products.items())


def test_one_chip(tmp_path: Path) -> None:
    chips, sink = loaded(ONE_CHIP, tmp_path)
    assert not len(sink)
    chip = chips.by_soc["ascendx1"]
    assert (chip.id, chip.aic, chip.aiv) == ("X1", 1, 2)
    assert (chip.ub, chip.l1, chip.l0a, chip.l0b, chip.l0c) == (1024, 2048, 64, 65, 66)
    assert (chip.bt, chip.fb) == (0, 0)
    assert (chip.product.en, chip.product.zh, chip.dtypes) == ("X", "某", ("float16",))
    assert chips.products == {}


SECOND = ONE_CHIP.replace("chips:\n", "").replace("X1:", "X2:")


@pytest.mark.parametrize(
    ("text", "code", "line", "column", "message"),
    [
        (ONE_CHIP + SECOND, "QS190", 13, 10, "SoC config name 'ascendx1' belongs to two chips"),
        (ONE_CHIP.replace("[float16]", "[float16, half]"), "QS191", 11, 23, "there is no dtype 'half'"),
        (
            ONE_CHIP.replace("aiv: 2", "aiv: 0"),
            "QS156",
            8,
            26,
            "'chips.X1.cores.aiv' must be at least 1, not 0",
        ),
        (ONE_CHIP.replace("l1: 2048, ", ""), "QS151", 9, 5, "'chips.X1.memory' has no 'l1'"),
        (ONE_CHIP.replace("ascendx1", "Ascend X1"), "QS154", 3, 10, "'Ascend X1' is not a SoC config name"),
        (
            ONE_CHIP.replace("arch99", "99"),
            "QS152",
            4,
            11,
            "'chips.X1.arch' must be an architecture, not '99'",
        ),
        (ONE_CHIP.replace(", zh: 某", ""), "QS151", 7, 5, "'chips.X1.product' has no 'zh'"),
        (ONE_CHIP.replace("soc:", "sock:"), "QS150", 3, 5, "unknown key 'sock' in 'chips.X1'"),
        ("chips: {}", "QS157", 1, 8, "'chips' must not be empty"),
        ("chip: {X1: {}}", "QS150", 1, 1, "unknown key 'chip' in the file"),
        ("- 1", "QS108", 1, 1, "the file must be a mapping of sections, not a list"),
        ("", "QS106", 1, 1, "the file is empty"),
    ],
    ids=lambda value: value if str(value).startswith("QS") else "",
)
def test_wrong(tmp_path: Path, text: str, code: str, line: int, column: int, message: str) -> None:
    chips, sink = loaded(text, tmp_path)
    (problem,) = sink
    assert problem.span is not None
    assert (problem.code, problem.span.line, problem.span.column) == (code, line, column)
    assert problem.message == message
    assert (chips.by_id, chips.by_soc, chips.products) == ({}, {}, {})


def test_missing_file(tmp_path: Path) -> None:
    sink = Sink()
    assert load_chips(tmp_path / "no.yaml", sink).by_id == {}
    assert [d.code for d in sink] == ["QS100"]

"""The stand-in's headers against values written by hand: numbers of the SDK, keys, layouts, refusals."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from qsfa_codegen.host import compiler
from qsfa_codegen.host.build import INCLUDE, RUNNER, STANDARD, STRICT
from qsfa_codegen.host.toolkit_run import SOURCES
from qsfa_codegen.render.text import LINE_LIMIT
from tests.render.style import CLANG_FORMAT, STYLE


def numbered(text: str) -> dict[str, int]:
    return {name: int(number) for name, number in (word.split("=") for word in text.split())}


DTYPES = numbered("""
    FLOAT=0 FLOAT16=1 INT8=2 INT32=3 UINT8=4 INT16=6 UINT16=7 UINT32=8 INT64=9 UINT64=10 DOUBLE=11 BOOL=12
    STRING=13 COMPLEX64=16 COMPLEX128=17 BF16=27 UNDEFINED=28 INT4=29 UINT1=30 INT2=31 UINT2=32 COMPLEX32=33
    HIFLOAT8=34 FLOAT8_E5M2=35 FLOAT8_E4M3FN=36 FLOAT8_E8M0=37 FLOAT6_E3M2=38 FLOAT6_E2M3=39 FLOAT4_E2M1=40
    FLOAT4_E1M2=41 HIFLOAT4=42
""")
FORMATS = numbered("""
    NCHW=0 NHWC=1 ND=2 NC1HWC0=3 FRACTAL_Z=4 NC1HWC0_C04=12 FRACTAL_Z_C04=13 CHWN=14 HWCN=16 C1HWNCoC0=25
    NDHWC=27 FRACTAL_NZ=29 NCDHW=30 DHWCN=31 NDC1HWC0=32 FRACTAL_Z_3D=33 NCL=47
""")
INVALID_KEY = 2**64 - 1


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sdk") / "facts"
    source = Path(__file__).with_name("sdk_facts.cpp")
    command = [*compiler.find().command, *STANDARD, *STRICT, f"-I{INCLUDE}", str(source), "-o", str(path)]
    subprocess.run(command, check=True)
    return path


@pytest.fixture(scope="module")
def facts(program: Path) -> dict[str, str]:
    said = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    return dict(line.rsplit(" ", 1) for line in said.splitlines())


def test_dtypes_have_the_numbers_of_the_sdk(facts: dict[str, str]) -> None:
    said = {name.removeprefix("ge::DT_"): int(v) for name, v in facts.items() if name.startswith("ge::DT_")}
    assert said == DTYPES


def test_formats_have_the_numbers_of_the_sdk(facts: dict[str, str]) -> None:
    start = "ge::FORMAT_"
    assert {n.removeprefix(start): int(v) for n, v in facts.items() if n.startswith(start)} == FORMATS


def test_other_numbers(facts: dict[str, str]) -> None:
    expected = {
        "ge::GRAPH_SUCCESS": 0,
        "ge::GRAPH_FAILED": 0xFFFFFFFF,
        "NpuArch::DAV_2002": 2002,
        "NpuArch::DAV_2201": 2201,
        "NpuArch::DAV_3510": 3510,
        "NpuArch::DAV_RESV": 0xFFFF,
        "platform_ascendc::CoreMemType::UB": 5,
        "gert::Shape::kMaxDimNum": 25,
    }
    assert {name: int(facts[name]) for name in expected} == expected


def test_names_of_dtypes(facts: dict[str, str]) -> None:
    assert facts["bf16"] == "DT_BFLOAT16"
    assert facts["fp8"] == "DT_FLOAT8_E4M3FN"
    assert facts["reserved"] == "UNDEFINED"


# WIDE is bit 0; MODE, the place of its value among 10, 20, 30, bits 1 to 3; LAST bit 4; KIND, the place of
# its value among 7, 5, bits 5 to 8.
KEYS = {
    "(0,30,1,5)": (2 << 1) | (1 << 4) | (1 << 5),
    "(1,20,1,7)": 1 | (1 << 1) | (1 << 4),
    "(1,20,1,5)": 1 | (1 << 1) | (1 << 4) | (1 << 5),
    "(0,10,0,5)": 1 << 5,
}
REFUSED = {
    "(0,20,0,5)": "20 is selected only with WIDE",
    "(0,10,0,7)": "7 is selected only with WIDE",
    "(0,40,0,5)": "40 is not declared",
    "(2,20,1,7)": "a bool is 0 or 1",
    "(0,10,0)": "an argument is missing",
}


@pytest.mark.parametrize("values", KEYS)
def test_a_selected_combination_has_its_key(facts: dict[str, str], values: str) -> None:
    assert int(facts[f"key{values}"]) == KEYS[values]


@pytest.mark.parametrize("values", REFUSED)
def test_any_other_combination_is_refused(facts: dict[str, str], values: str) -> None:
    assert int(facts[f"key{values}"]) == INVALID_KEY, REFUSED[values]


def test_macro_fields_stand_at_multiples_of_their_size_and_classes_of_8(facts: dict[str, str]) -> None:
    assert int(facts["data.GetDataSize()"]) == 40
    assert facts["data"] == "".join(
        (
            "1100000000000000",  # first, and padding before second
            "feffffffffffffff",
            "3300000000000000",  # third, and padding before inner
            "4455000066778899",  # low, padding, high
            "0000803f00000000",  # last, and padding at the end
        )
    )


def test_shapes_and_attributes(facts: dict[str, str]) -> None:
    expected = {
        "elements": 81,
        "elements of a scalar": 1,
        "overflow is invalid": 1,
        "axes after 30": 25,
        "attribute": 7,
        "absent": 1,
    }
    assert {name: int(facts[name]) for name in expected} == expected


@pytest.mark.parametrize(
    ("misuse", "words"),
    [
        ("axis", "axis 2 of a shape with 2 axes is read"),
        ("attribute", "attribute 0 is read as another type than it is registered with"),
        ("buffer", "tiling data of 40 bytes is saved into a buffer of 8"),
        ("bits", "MODE has 3 values in 1 bits"),
        ("selection", "a selection says nothing of template argument MODE"),
    ],
)
def test_misuse_ends_the_program_with_a_reason(program: Path, misuse: str, words: str) -> None:
    ran = subprocess.run([program, misuse], capture_output=True, text=True, check=False)
    assert ran.returncode < 0
    assert ran.stderr.strip() == words


def test_sources_are_formatted() -> None:
    folders = (INCLUDE, RUNNER, SOURCES)
    sources = [path for folder in folders for kind in ("*.h", "*.cpp") for path in folder.rglob(kind)]
    command = [str(CLANG_FORMAT), "--dry-run", "--Werror", f"--style=file:{STYLE}", *map(str, sources)]
    subprocess.run(command, check=True)
    lines = [line for path in sources for line in path.read_text(encoding="utf-8").splitlines()]
    assert max(map(len, lines)) <= LINE_LIMIT


def test_each_header_says_what_it_stands_for() -> None:
    headers = sorted(INCLUDE.rglob("*.h"))
    assert len(headers) > 20
    for header in headers:
        first = header.read_text(encoding="utf-8").splitlines()[0]
        name = header.relative_to(INCLUDE)
        own = name.parts[0] == "standin"
        assert first.startswith("// No header of the SDK" if own else f"// Stands in for {name}"), name

"""The kernel's entry and headers: a host compiler takes them, and their numbers are those of the host."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from qsfa_codegen.contract.calls import Stage, TensorArg, TilingResult
from qsfa_codegen.contract.derive import derive
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.render.kernel import has_kernel
from qsfa_codegen.render.package import render
from qsfa_codegen.render.text import LINE_LIMIT
from qsfa_codegen.spec.load import load
from qsfa_codegen.spec.model import Operator, Text, WorkspaceTerm
from qsfa_codegen.spec.names import pascal
from tests.render.flash_calls import PAGED

ROOT = Path(__file__).parents[2]
FLASH = ROOT / "spec" / "kv_quant_sparse_flash_attention.yaml"
STUBS = [Path(__file__).parent / name for name in ("kernel_stub", "tiling_stub")]
TYPES = {"float16": "half", "bfloat16": "bfloat16_t", "int8": "int8_t"}
TYPES |= {"float8_e4m3fn": "fp8_e4m3fn_t", "hifloat8": "hifloat8_t"}

BODY = """
#include <cstdio>
#include <type_traits>

namespace KvQuantSparseFlashAttentionKernel {{
template <typename QType, typename KvType, int FD, int PAGED, int LAYOUT, int KV_LAYOUT, int MODE, int SPLIT>
void Kernel<QType, KvType, FD, PAGED, LAYOUT, KV_LAYOUT, MODE, SPLIT>::Init(
    const Arguments &arguments, const TilingData &tiling, AscendC::TPipe &)
{{
    static_assert(std::is_same<QType, {query}>::value && std::is_same<KvType, {key}>::value);
    for (GM_ADDR pointer : {{arguments.q, arguments.kv, arguments.v, arguments.indices, arguments.table,
             arguments.qLens, arguments.kvLens, arguments.out, arguments.rowMax, arguments.rowSum,
             arguments.workspace}}) {{
        printf("%ld ", reinterpret_cast<long>(pointer));
    }}
    printf("| %ld %ld %ld %.9g ", RowScaleOffset(64), RowBytes(64), BlockTokens(tiling), Scale(tiling));
{regions}
}}

template <typename QType, typename KvType, int FD, int PAGED, int LAYOUT, int KV_LAYOUT, int MODE, int SPLIT>
void Kernel<QType, KvType, FD, PAGED, LAYOUT, KV_LAYOUT, MODE, SPLIT>::Process()
{{
    printf("\\n");
}}
}} // namespace KvQuantSparseFlashAttentionKernel
"""
REGION = '    printf("| %ld %ld %ld ", {0}Offset(tiling), {0}Bytes(tiling), {0}Share(tiling));'

MAIN = """
#include "../kv_quant_sparse_flash_attention.cpp"

int g_registered = 0;
int g_taskType = -1;

int main()
{
    int split = 0;
    static uint8_t tiling[4096];
    while (scanf("%d", &split) == 1) {
        unsigned byte = 0;
        for (int i = 0; scanf("%2x", &byte) == 1; ++i) {
            tiling[i] = static_cast<uint8_t>(byte);
        }
        scanf("%*[^\\n]");
        auto *entry = split != 0 ? &kv_quant_sparse_flash_attention<0, 1, 0, 2, 1, 1> :
                                   &kv_quant_sparse_flash_attention<0, 1, 0, 2, 1, 0>;
        auto at = [](long number) { return reinterpret_cast<GM_ADDR>(number); };
        entry(at(100), at(101), at(102), at(103), at(104), at(105), at(106), at(107), at(108), at(109),
            at(110), at(111), at(112), tiling);
    }
    return g_taskType == KERNEL_TYPE_MIX_AIC_1_2 && g_registered == 136 ? 0 : 1;
}
"""


@dataclass(frozen=True, slots=True)
class Told:
    """What the body found: pointers, facts of the row and the call, and each region of the workspace."""

    pointers: list[int]
    facts: list[float]
    regions: list[list[int]]


@pytest.fixture(scope="module")
def flash() -> Operator:
    return load(FLASH)


@pytest.fixture(scope="module")
def files(flash: Operator) -> dict[str, str]:
    return {p: text for p, text in render(flash).items() if p.startswith("op_kernel/")}


@pytest.fixture(scope="module")
def open_files(flash: Operator) -> dict[str, str]:
    """Without a plan the body is written by hand: it gets all functions."""
    assert flash.kernel is not None
    return render(replace(flash, kernel=replace(flash.kernel, plans=()), emit=("op_kernel",)))


def rows(operator: Operator) -> list[tuple[str, tuple[str, ...]]]:
    """Each dtype row that is compiled for an architecture, and a chip of that."""
    found: dict[tuple[str, tuple[str, ...]], str] = {}
    for chip in operator.chips:
        for row in operator.dtypes.rows_of(chip.id):
            found.setdefault((chip.arch, row.dtypes), chip.id)
    return [(chip, dtypes) for (_, dtypes), chip in found.items()]


def terms(operator: Operator, arch: str) -> tuple[WorkspaceTerm, ...]:
    assert operator.tiling is not None
    return dict(operator.tiling.workspace)[arch]


Accepted = dict[tuple[str, str, str], list[TilingResult]]


@pytest.fixture(scope="module")
def accepted(flash: Operator) -> Accepted:
    """What the host tells the kernel for each derived call that it accepts, by chip and dtype row."""
    evaluator = Evaluator(flash)
    found: Accepted = {}
    for case in derive(flash).calls:
        result = evaluator.evaluate(replace(case, outputs={}, expect=None, platform={}), Stage.TILING)
        chip = evaluator.chip(case.chip)
        if result.tiling is not None and chip is not None:
            query, key = case.inputs["query"], case.inputs["key"]
            assert isinstance(query, TensorArg)
            assert isinstance(key, TensorArg)
            found.setdefault((chip.id, query.dtype, key.dtype), []).append(result.tiling)
    return found


def run(program: Path, calls: list[TilingResult]) -> list[Told]:
    lines = [f"{told.key >> 14 & 1} {told.bytes.hex()} ;" for told in calls if told.bytes and told.key]
    assert len(lines) == len(calls)
    ran = subprocess.run([program], input="\n".join(lines), capture_output=True, text=True, check=True)
    found = []
    for line in ran.stdout.splitlines():
        pointers, facts, *regions = [[float(word) for word in part.split()] for part in line.split("|")]
        found.append(Told([int(p) for p in pointers], facts, [[int(n) for n in r] for r in regions]))
    return found


def compiled(
    files: dict[str, str], operator: Operator, chip: str, row: tuple[str, ...], folder: Path
) -> Path:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    known = next(c for c in operator.chips if c.id == chip)
    regions = "\n".join(REGION.format(pascal(term.name)) for term in terms(operator, known.arch))
    query, key = row
    arch = folder / "op_kernel" / known.arch
    body = BODY.format(query=TYPES[query], key=TYPES[key], regions=regions)
    (arch / f"{operator.snake}_kernel_body.h").write_text(body, encoding="utf-8")
    (arch / "main.cpp").write_text(MAIN, encoding="utf-8")
    macros = [f"-D__CCE_AICORE__={known.cce_aicore}"]
    macros += [f"-DDTYPE_QUERY={TYPES[query]}", f"-DDTYPE_KEY={TYPES[key]}"]
    command = ["g++", "-std=c++17", "-Wall", "-Werror", "-Wno-unused-result", *macros]
    command += [*(f"-I{stub}" for stub in STUBS), str(arch / "main.cpp"), "-o", str(folder / "kernel")]
    subprocess.run(command, check=True)
    return folder / "kernel"


@pytest.mark.parametrize("number", range(8))
def test_the_kernel_finds_what_the_host_laid_out(
    flash: Operator, open_files: dict[str, str], accepted: Accepted, tmp_path: Path, number: int
) -> None:
    every = rows(flash)
    assert len(every) == 8
    chip, (query, key) = every[number]
    known = next(c for c in flash.chips if c.id == chip)
    tilings = accepted[chip, query, key]
    program = compiled(open_files, flash, chip, (query, key), tmp_path)
    for told, tiling in zip(run(program, tilings), tilings, strict=True):
        # Reserved inputs have no role; the library's part of the workspace comes before ours.
        assert told.pointers == [100, 101, 102, 103, 106, 107, 108, 109, 110, 111, 113]
        assert isinstance(tiling.data, dict)
        assert told.facts[:2] == [640, 656]
        assert told.facts[2] == tiling.data["baseParams"]["sparseBlockSize"]
        end = 0
        for (offset, size, share), term in zip(told.regions, terms(flash, known.arch), strict=True):
            assert offset == end, term.name
            assert share == 0 if size == 0 else size % share == 0
            end = offset + size
        assert (end + known.libapi_workspace,) == tiling.workspace


def test_the_regions_of_the_public_kernel_stand_where_it_has_them(
    flash: Operator, open_files: dict[str, str], tmp_path: Path
) -> None:
    """64 cube cores; a row of scores is 512 wide, one of the output 576: offsets by hand."""
    result = Evaluator(flash).evaluate(PAGED, Stage.TILING)
    assert result.tiling is not None
    (told,) = run(compiled(open_files, flash, "A2", ("bfloat16", "int8"), tmp_path), [result.tiling])
    scores, out = 128 * 512, 128 * 576
    shares = [
        2 * scores * 4,
        2 * scores * 2,
        2 * out * 4,
        2 * 128 * 4,
        2 * out * 4,
        4 * 512 * 576 * 2,
        4 * 256 * 4,
    ]
    assert [share for _, _, share in told.regions] == shares
    assert [size for _, size, _ in told.regions] == [64 * share for share in shares]
    assert [offset for offset, _, _ in told.regions] == [64 * sum(shares[:i]) for i in range(7)]
    assert 64 * sum(shares) == 293928960 - 16777216


# --------------------------------------------------------------------------- text


def test_each_architecture_includes_its_own_header(files: dict[str, str], flash: Operator) -> None:
    entry = files[f"op_kernel/{flash.snake}.cpp"]
    assert re.findall(r"#(?:el)?if __CCE_AICORE__ == (\d+)\n#include \"(\w+)/", entry) == [
        ("220", "arch22"),
        ("310", "arch35"),
    ]


def test_parameters_of_the_entry_are_those_of_the_operator_in_order(
    files: dict[str, str], flash: Operator
) -> None:
    entry = files[f"op_kernel/{flash.snake}.cpp"]
    head = entry[entry.index(f"void {flash.snake}(") :].partition("{")[0]
    named = [name.lower() for name in re.findall(r"GM_ADDR (\w+)", head)]
    names = [*(param.name for param in flash.inputs), *(output.name for output in flash.outputs)]
    params = [name.replace("_", "") for name in names]
    assert named == [*params, "workspace", "tiling"]


def test_without_a_kernel_there_is_no_entry(flash: Operator) -> None:
    plain = replace(flash, kernel=None)
    assert not has_kernel(plain)
    paths = {path for path in render(plain) if path.startswith("op_kernel/")}
    assert paths == {
        f"op_kernel/{flash.snake}_tiling_data.h",
        f"op_kernel/{flash.snake}_template_tiling_key.h",
    }


def test_in_the_macro_style_the_toolkit_names_the_struct(flash: Operator) -> None:
    assert flash.tiling is not None
    assert flash.tiling.data is not None
    data = replace(flash.tiling.data, style="macro")
    entry = render(replace(flash, tiling=replace(flash.tiling, data=data)))[f"op_kernel/{flash.snake}.cpp"]
    assert "REGISTER_TILING_DEFAULT" not in entry
    assert (
        "GET_TILING_DATA_WITH_STRUCT(KvQuantSparseFlashAttentionTilingDataMla, tilingData, tiling);" in entry
    )


def test_every_number_of_the_plan_says_what_it_is(files: dict[str, str], flash: Operator) -> None:
    sizes = files[f"op_kernel/arch22/{flash.snake}_sizes.h"]
    plan = sizes.partition("// The plan for this architecture.\n")[2].partition("\n\n")[0].splitlines()
    assert len(plan) == 14
    assert plan[4] == "constexpr uint32_t KEY_TILES = 3; // tiles in L1"
    assert all(" // " in line for line in plan)
    sizes = files[f"op_kernel/arch35/{flash.snake}_sizes.h"]
    assert "constexpr uint32_t LANDINGS = 2; // parts of P · V in UB\n" in sizes


def test_buffers_are_those_that_the_plan_and_the_row_give(files: dict[str, str], flash: Operator) -> None:
    """By hand: rows of 512 + 64 halves, packed in 656 bytes; tiles of 128, batches of 16 rows, 64 heads."""
    text = files[f"op_kernel/arch22/{flash.snake}_buffers.h"]
    found = dict(re.findall(r"constexpr uint32_t (\w+)_BYTES = (\d+);", text))
    cube = {"L1_KEYS": 3 * 128 * 512 * 2, "L1_ROPE": 2 * 128 * 64 * 2, "L1_QUERY": 64 * 576 * 2}
    cube |= {"L0B_RIGHT": 65536, "L0C_RESULTS": 2 * 64 * 256 * 4}
    vector = {"UB_GATHERED": 2 * 16 * 672, "UB_STAGE": 2 * 16 * 576 * 2, "UB_SCRATCH": 16 * 512 * 4}
    assert {name: int(found[name]) for name in (*cube, *vector)} == {**cube, **vector}
    for space, room in {"L1": 524032, "L0A": 65536, "L0B": 65536, "L0C": 131072, "UB": 184 * 1024}.items():
        used = sum(int(size) for name, size in found.items() if name.startswith(f"{space}_"))
        assert used <= room
        (line,) = (line for line in text.splitlines() if line.split()[1:3] == [space, "together"])
        assert line.split()[3:] == [f"{used:,}", "of", f"{room:,}"]


def test_buffers_of_arch35_are_those_that_the_plan_and_the_row_give(
    files: dict[str, str], flash: Operator
) -> None:
    """By hand. The vector cores put tiles into L1, and results come back to UB: half of 64 heads to each."""
    text = files[f"op_kernel/arch35/{flash.snake}_buffers.h"]
    found = dict(re.findall(r"constexpr uint32_t (\w+)_BYTES = (\d+);", text))
    sizes = {"L1_KEYS": 3 * 128 * 512 * 2, "L1_ROPE": 2 * 128 * 64 * 2, "L0C_SCORES": 2 * 64 * 128 * 4}
    sizes |= {"UB_SCORES": 2 * 32 * 128 * 4, "UB_RESULTS": 2 * 32 * 128 * 4, "UB_OUTPUT": 32 * 512 * 4}
    sizes |= {"UB_STAGE": 2 * 17 * 576 * 2, "UB_GATHERED": 2 * 16 * 672}
    assert {name: int(found[name]) for name in sizes} == sizes
    for space, room in {"L1": 524288, "L0A": 65536, "L0B": 65536, "L0C": 262144, "UB": 253952}.items():
        used = sum(int(size) for name, size in found.items() if name.startswith(f"{space}_"))
        assert used <= room
        (line,) = (line for line in text.splitlines() if line.split()[1:3] == [space, "together"])
        assert line.split()[3:] == [f"{used:,}", "of", f"{room:,}"]


def test_the_family_s_kernel_gets_what_it_calls(files: dict[str, str], flash: Operator) -> None:
    for arch in flash.archs:
        folders = (f"op_kernel/{arch}/", "op_kernel/common/")
        code = "".join(text for path, text in files.items() if path.startswith(folders))
        header = files[f"op_kernel/{arch}/{flash.snake}_kernel.h"]
        functions = re.findall(r"__aicore__ static inline \w+ (\w+)\(", header)
        assert "CallOf" in functions
        for name in functions:
            call = rf"\b{name}\((?!const |int64_t )\w"
            assert re.search(call, code), f"{arch}: nothing calls {name}"
        for name in re.findall(r"constexpr \w+ (\w+) = ", header):
            assert len(re.findall(rf"\b{name}\b", code)) > 1, f"{arch}: nothing names {name}"


def test_a_region_says_whose_its_shares_are(open_files: dict[str, str], flash: Operator) -> None:
    files = open_files
    assert "// qk: QK scores; a share for each AIC\n" in files[f"op_kernel/arch22/{flash.snake}_kernel.h"]
    shared = "// kv: dequantised rows shared by a pair of cores; the kernels of this package do not read it\n"
    assert shared in files[f"op_kernel/arch35/{flash.snake}_kernel.h"]


def test_long_words_of_a_plan_stand_above_and_end_nothing(flash: Operator) -> None:
    assert flash.kernel is not None
    doc = Text("*/ int x; " + "word " * 40 + "\\", "字")
    plans = [
        replace(plan, parameters=tuple(replace(p, doc=doc) for p in plan.parameters))
        for plan in flash.kernel.plans
    ]
    files = render(replace(flash, kernel=replace(flash.kernel, plans=tuple(plans)), emit=("op_kernel",)))
    for arch in flash.archs:
        lines = files[f"op_kernel/{arch}/{flash.snake}_kernel.h"].splitlines()
        assert max(map(len, lines)) <= LINE_LIMIT
        assert [line for line in lines if "word" in line and not line.strip().startswith("// ")] == []
        assert not any(line.endswith("\\") for line in lines)


def test_no_body_is_pretended(files: dict[str, str], open_files: dict[str, str], flash: Operator) -> None:
    for arch in flash.archs:
        path = f"op_kernel/{arch}/{flash.snake}_kernel.h"
        assert re.search(r"void Init\([^;{]*\);", open_files[path])
        for header in (files[path], open_files[path]):
            assert "void Process();" in header
            assert f'#include "{flash.snake}_kernel_body.h"' in header


def test_what_is_the_same_on_all_architectures_is_there_once(
    files: dict[str, str], open_files: dict[str, str], flash: Operator
) -> None:
    bodies = {path: text.partition("#define ")[2].partition("\n")[2] for path, text in files.items()}
    kernels = {path: body for path, body in bodies.items() if path.startswith("op_kernel/arch")}
    assert len(kernels) == len(set(kernels.values()))
    assert f"op_kernel/common/{flash.snake}_list.h" in files
    assert not any(path.startswith("op_kernel/common/") for path in open_files)

"""The ranges of parameters, as the public documents have them."""

from __future__ import annotations

import pytest

from tests.emulator.ops.native import Instruction

BYTE, WORD, LONG = 255, 65535, 2**32 - 1
UNARY = {
    "dstBlkStride": (1, WORD),
    "srcBlkStride": (0, WORD),
    "dstRepStride": (0, BYTE),
    "srcRepStride": (0, BYTE),
}
BINARY = {"dstBlkStride": (1, BYTE), "dstRepStride": (0, BYTE)} | {
    f"src{i}{name}Stride": (0, BYTE) for i in range(2) for name in ("Blk", "Rep")
}
DST = {name: UNARY[name] for name in ("dstBlkStride", "dstRepStride")}
SOURCE = {name: UNARY[name] for name in ("srcBlkStride", "srcRepStride")}
SOURCES = {name: BINARY[name] for name in BINARY if name.startswith("src")}
REDUCTION = dict.fromkeys(("dstRepStride", "srcBlkStride", "srcRepStride"), (0, WORD))
COPY = {"blockCount": (0, 4095), "blockLen": (0, WORD), "srcGap": (0, WORD), "dstGap": (0, WORD)}
PAD = {"blockCount": (0, 4095), "blockLen": (0, 2097151), "srcStride": (0, LONG), "dstStride": (0, LONG)}
FIXPIPE = {
    "nSize": (0, 4095), "srcStride": (0, WORD), "dstStride": (1, LONG), "ndNum": (0, WORD),
    "srcNdStride": (0, 512), "dstNdStride": (0, WORD),
}  # fmt: skip
REPEAT = {"repeatTime": (0, BYTE)}
NORMAL, COUNTER = (0, 1, 0), (1, 9, 0)  # a mask each

DOCUMENTED: list[tuple[str, list[int], dict[str, tuple[int, int]]]] = [
    ("exp half", [*NORMAL, 1], REPEAT | UNARY),
    ("cast half float", [*NORMAL, 1], REPEAT | UNARY),
    ("adds float", [*NORMAL, 1], REPEAT | UNARY),
    ("shift int16", [*NORMAL, 1], REPEAT | UNARY | {"scalarValue": (0, 16)}),
    ("add half", [*NORMAL, 1], REPEAT | BINARY),
    ("select half", [*NORMAL, 1], REPEAT | BINARY),
    ("compare float", [0, 1, 1, 8, 1, 8, 0], REPEAT | SOURCES),
    ("compare float", [0, 1, 1, 8, 1, 8, 1], REPEAT | SOURCE),
    ("compare_to_register half", [0, *NORMAL[:-1], 1, 8], SOURCES),
    ("duplicate uint16", [*NORMAL, 1], REPEAT | DST),
    ("index int32", [*NORMAL, 1], REPEAT | DST),
    ("copy uint16", [*COUNTER, 1], REPEAT | {
        "dstStride": (0, WORD), "srcStride": (0, WORD),
        "dstRepeatSize": (0, 4095), "srcRepeatSize": (0, 4095)}),
    ("brcb uint32", [1, 1, 8], REPEAT | {"dstBlkStride": (1, WORD), "dstRepStride": (0, WORD)}),
    ("gather uint16", [*NORMAL, 1, 8, 0], REPEAT | {"dstRepStride": (0, WORD), "srcBaseAddr": (0, LONG)}),
    ("gather_mask uint16", [1, 0, 1, 1, 8, 0], {
        "src1Pattern": (0, 7), "repeatTimes": (0, WORD), "src0BlockStride": (0, BYTE),
        "src0RepeatStride": (0, WORD), "src1RepeatStride": (0, BYTE)}),
    ("transpose", [], {}),
    ("transpose_blocks uint16", [1, 0, 0], {
        "repeatTimes": (0, BYTE), "dstRepStride": (0, WORD), "srcRepStride": (0, WORD)}),
    ("whole_reduce half", [0, 0, *NORMAL, 1, 1, 1, 8], REPEAT | REDUCTION),
    ("accumulate half", [*NORMAL, 1, 1, 8], REPEAT | dict.fromkeys(SOURCE, (0, WORD))),
    ("block_reduce float", [0, *NORMAL, 1, 1, 1, 8], REPEAT | REDUCTION),
    ("move", [1, 1, 0, 0], COPY),
    ("move_pad_in", [1, 4, 0, 0, 0, 0, 0, 4, 0], PAD | {"leftPadding": (0, 8), "rightPadding": (0, 8)}),
    ("move_out half", [1, 4, 0, 0, 0], PAD),
    ("nd_to_nz", [2, 1, 1, 1, 0, 1, 1, 1, 0], {
        "ndNum": (0, 4095), "nValue": (0, 16384), "dValue": (0, WORD), "srcNdMatrixStride": (0, WORD),
        "srcDValue": (1, WORD), "dstNzC0Stride": (1, 16384), "dstNzNStride": (1, 16384),
        "dstNzMatrixStride": (0, 16384)}),
    ("load2d", [0, 1, 0, 0, 0], {
        "startIndex": (0, WORD), "repeatTimes": (0, BYTE), "srcStride": (0, WORD), "dstGap": (0, WORD)}),
    ("load2dv2", [0, 0, 1, 1, 1, 1, 0], {
        "mStartPosition": (0, WORD), "kStartPosition": (0, WORD), "mStep": (0, BYTE), "kStep": (0, BYTE),
        "srcStride": (0, WORD), "dstStride": (0, WORD)}),
    ("load_transposed", [2, 0, 1], {
        "startIndex": (0, WORD), "repeatTimes": (0, BYTE), "srcStride": (0, WORD), "dstGap": (0, WORD),
        "dstFracGap": (0, WORD)}),
    ("load3d", [0, 2], {f"padList[{i}]": (0, BYTE) for i in range(4)} | {
        "l1H": (0, 32767), "l1W": (0, 32767), "channelSize": (0, WORD), "kExtension": (0, WORD),
        "mExtension": (0, WORD), "kStartPt": (0, WORD), "mStartPt": (0, 32767), "strideW": (0, 63),
        "strideH": (0, 63), "filterW": (0, 511), "filterH": (0, 511), "dilationFilterW": (0, BYTE),
        "dilationFilterH": (0, BYTE)}),
    ("mmad half", [1, 1, 1], {"m": (0, 4095), "n": (0, 4095), "k": (0, 4095)}),
    ("fixpipe half", [0, 16, 1, 16, 16, 1], FIXPIPE | {"mSize": (0, 8192)}),
    ("fixpipe half", [1, 16, 1, 16, 32, 1], FIXPIPE | {"mSize": (0, WORD)}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fields", "ranges"), DOCUMENTED, ids=lambda value: str(value)[:24])
def test_parameters_have_the_documented_ranges(
    name: str, fields: list[int], ranges: dict[str, tuple[int, int]]
) -> None:
    limits = Instruction(name, *fields, *[1] * (24 - len(fields))).limits()
    assert {key: (limit.least, limit.greatest) for key, limit in limits.items()} == ranges


def kept(name: str, *fields: int) -> set[str]:
    """The parameters whose values are in range."""
    return {key for key, limit in Instruction(name, *fields, *[0] * 20).limits().items() if limit.kept}


def test_a_value_past_its_range_is_told() -> None:
    good = kept("add half", *NORMAL, 255, 1, 255, 0, 0, 255, 255)
    assert good == {"repeatTime", *BINARY}
    assert good - kept("add half", *NORMAL, 256, 0, 256, 256, 8, 1, 8) == {
        "repeatTime",
        "dstBlkStride",
        "dstRepStride",
        "src0BlkStride",
    }


def test_counter_mode_takes_no_repeat_count() -> None:
    assert "repeatTime" in kept("exp half", *COUNTER, 1000, 1, 8, 1, 8)
    assert "repeatTime" not in kept("copy uint16", *COUNTER, 1000, 1, 8, 1, 8)


@pytest.mark.parametrize(
    ("name", "fields", "parameter"),
    [
        ("move_out half", [1, 3, 0, 0, 0], "blockLen"),
        ("load3d", [0, 2, 0, 0, 0, 0, 1, 1, 16, 16, 16, 8], "kStartPt"),
        ("fixpipe float", [0, 8, 1, 16, 16, 1], "nSize"),
        ("gather uint32", [*NORMAL, 1, 8, 2], "srcBaseAddr"),
    ],
)
def test_some_parameters_count_whole_units(name: str, fields: list[int], parameter: str) -> None:
    assert parameter not in kept(name, *fields)


def test_channels_that_are_split_may_be_eight() -> None:
    assert "nSize" in kept("fixpipe float", 1, 8, 1, 16, 32, 1, 0, 0, 0, 1)

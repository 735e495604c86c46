"""chips.yaml → chips and product families."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import cast

from msgspec import Struct

from qsfa_codegen.diagnostics import Related, Sink
from qsfa_codegen.spec import reader
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import Chip, Product, Text
from qsfa_codegen.spec.schema import validate


class ChipSet(Struct, frozen=True):
    """Everything chips.yaml knows; each mapping in file order."""

    by_id: Mapping[str, Chip]
    by_soc: Mapping[str, Chip]
    products: Mapping[str, Product]


def load_chips(path: Path | str, sink: Sink) -> ChipSet:
    """Read chips.yaml at ``path``; where it has errors they are in ``sink`` and the set is empty."""
    found = Sink()
    return _read_chips(reader.read(path, found), found, sink)


def read_chips(data: bytes, name: str, sink: Sink) -> ChipSet:
    """As ``load_chips``, for the bytes of a file called ``name``."""
    found = Sink()
    return _read_chips(reader.read_text(data, name, found), found, sink)


def _read_chips(tree: reader.Node | None, found: Sink, sink: Sink) -> ChipSet:
    if isinstance(tree, reader.Mapping) and validate(tree, found, kind="chips"):
        _check_meaning(tree, found)
    for diagnostic in found:
        sink.add(diagnostic)
    if tree is None or found.failed:
        return ChipSet({}, {}, {})
    return _chip_set(cast("dict[str, dict[str, _Plain]]", reader.to_plain(tree)))


# The schema has proved the form: from here on a chip is plain data of known shape.
_Plain = dict[str, "str | int | list[str] | dict[str, str | int]"]


def _chip_set(plain: dict[str, dict[str, _Plain]]) -> ChipSet:
    chips = {id: _chip(id, chip) for id, chip in plain["chips"].items()}
    products = {
        id: Product(id, Text(cast(str, name["en"]), cast(str, name["zh"])))
        for id, name in plain.get("products", {}).items()
    }
    return ChipSet(chips, {chip.soc: chip for chip in chips.values()}, products)


def _chip(id: str, chip: _Plain) -> Chip:
    product = cast("dict[str, str]", chip["product"])
    cores = cast("dict[str, int]", chip["cores"])
    memory = cast("dict[str, int]", chip["memory"])
    return Chip(
        id=id,
        soc=cast(str, chip["soc"]),
        arch=cast(str, chip["arch"]),
        npu_arch=cast(str, chip["npu_arch"]),
        cce_aicore=cast(int, chip["cce_aicore"]),
        product=Text(product["en"], product["zh"]),
        dtypes=tuple(cast("list[str]", chip["dtypes"])),
        libapi_workspace=cast(int, chip["libapi_workspace"]),
        **cores,
        **memory,
    )


def _check_meaning(tree: reader.Mapping, sink: Sink) -> None:
    chips = tree.get("chips")
    assert isinstance(chips, reader.Mapping)
    first_use: dict[str, reader.Node] = {}
    for entry in chips:
        assert isinstance(entry.value, reader.Mapping)
        soc = entry.value.get("soc")
        assert isinstance(soc, reader.Scalar)
        if first := first_use.get(soc.text):
            sink.error(
                "QS190",
                f"SoC config name '{soc.text}' belongs to two chips",
                soc.span,
                "a SoC config name finds exactly one chip",
                (Related(first.span, "first here"),),
            )
        first_use.setdefault(soc.text, soc)
        _check_dtypes(entry.value, sink)


def _check_dtypes(chip: reader.Mapping, sink: Sink) -> None:
    dtypes = chip.get("dtypes")
    assert isinstance(dtypes, reader.Sequence)
    for item in dtypes.items:
        assert isinstance(item, reader.Scalar)
        if item.text not in DTYPES:
            known = ", ".join(DTYPES)
            sink.error("QS191", f"there is no dtype '{item.text}'", item.span, f"dtypes are {known}")

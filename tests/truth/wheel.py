"""The released vllm-ascend wheel, read as data: what a hand-written package registers."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

_VENDOR = PurePosixPath("vllm_ascend/_cann_ops_custom/vendors/custom_transformer")
_HEADERS = _VENDOR / "op_api/include/aclnnop"
_PROTOS = _VENDOR / "op_proto/inc"
_TBE = _VENDOR / "op_impl/ai_core/tbe"
_EXTENSION = "vllm_ascend/vllm_ascend_C.cpython-311-x86_64-linux-gnu.so"


class Wheel:
    """Read access to what the wheel holds about its operators; operators go by their file names."""

    def __init__(self, path: Path) -> None:
        self._zip = zipfile.ZipFile(path)

    def text(self, path: PurePosixPath | str) -> str:
        """The text of one file."""
        return self._zip.read(str(path)).decode("utf-8")

    def aclnn_header(self, snake: str) -> str:
        """The public aclnn header of an operator."""
        return self.text(_HEADERS / f"aclnn_{snake}.h")

    def inner_aclnn_header(self, snake: str) -> str:
        """The header of the interface that CANN generated for a hand-written public one to call."""
        return self.text(_HEADERS / f"aclnnInner_{snake}.h")

    def aclnn_headers_of(self, snake: str) -> tuple[str, ...]:
        """The public and the inner header of an operator, those of the two that the wheel has."""
        names = set(self._zip.namelist())
        paths = (str(_HEADERS / f"{prefix}_{snake}.h") for prefix in ("aclnn", "aclnnInner"))
        return tuple(self.text(path) for path in paths if path in names)

    def proto(self, snake: str) -> str:
        """The graph prototype of an operator."""
        return self.text(_PROTOS / f"{snake}_proto.h")

    @cached_property
    def snakes(self) -> tuple[str, ...]:
        """Every operator that has a graph prototype."""
        suffix = "_proto.h"
        return tuple(p.name.removesuffix(suffix) for p in self._under(_PROTOS) if p.name.endswith(suffix))

    @cached_property
    def aclnn_headers(self) -> tuple[str, ...]:
        """Every operator that has a public aclnn header."""
        names = (p.name for p in self._under(_HEADERS) if p.name.startswith("aclnn_"))
        return tuple(name.removeprefix("aclnn_").removesuffix(".h") for name in names)

    def ops_info(self, soc: str) -> dict[str, Any]:
        """What the AI Core registers on ``soc``, by op type."""
        return self._json(_TBE / f"config/{soc}/aic-{soc}-ops-info.json")

    def kernel_config(self, soc: str, snake: str) -> dict[str, Any]:
        """The compiled variants of an operator, as the runtime chooses among them."""
        return self._json(_TBE / f"kernel/config/{soc}/{snake}.json")

    def kernels(self, soc: str, snake: str) -> tuple[dict[str, Any], ...]:
        """The description of each compiled kernel binary of an operator."""
        paths = self._under(_TBE / f"kernel/{soc}/{snake}")
        kept = (p for p in paths if p.suffix == ".json" and not p.stem.endswith("_relocatable"))
        return tuple(self._json(p) for p in kept)

    def kernel_source(self, snake: str, name: str) -> str:
        """One file of an operator's kernel sources."""
        return self.text(_TBE / f"custom_transformer_impl/ascendc/{snake}/{name}")

    @cached_property
    def torch_schemas(self) -> dict[str, str]:
        """Schema strings of the torch operators that the wheel's extension module defines, by name."""
        strings = re.findall(rb"[\x20-\x7e]{12,}", self._zip.read(_EXTENSION))
        texts = (" ".join(s.decode("ascii").split()) for s in strings if b"->" in s)
        named = ((re.match(r"(\w+)\(", text), text) for text in texts)
        return {match[1]: text for match, text in named if match is not None}

    def _json(self, path: PurePosixPath) -> dict[str, Any]:
        value = json.loads(self.text(path))
        assert isinstance(value, dict)
        return value

    def _under(self, folder: PurePosixPath) -> Iterator[PurePosixPath]:
        return (p for p in map(PurePosixPath, sorted(self._zip.namelist())) if p.parent == folder)

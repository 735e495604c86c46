"""What is true of chips, and what is registered for each."""

from __future__ import annotations

from msgspec import Struct

from qsfa_codegen.spec.model.choice import Text


class Chip(Struct, frozen=True):
    """A chip of chips.yaml: true of the chip, not of the operator. Sizes in bytes, counts per device."""

    id: str  # A2
    soc: str  # ascend910b: the SoC config name
    arch: str  # arch22
    npu_arch: str  # DAV_2201
    cce_aicore: int  # value of __CCE_AICORE__ in kernel code
    product: Text
    aic: int
    aiv: int
    ub: int
    l1: int
    l0a: int
    l0b: int
    l0c: int
    dtypes: tuple[str, ...]
    libapi_workspace: int
    bt: int = 0  # bias table; 0: there is none
    fb: int = 0  # Fixpipe buffers


class Product(Struct, frozen=True):
    """A product family that documentation lists as not supported."""

    id: str
    name: Text


class Registration(Struct, frozen=True):
    """OpAICoreConfig of one chip: flags in file order, then extension entries in file order."""

    chip: str
    flags: tuple[tuple[str, bool], ...]
    ext: tuple[tuple[str, str], ...]

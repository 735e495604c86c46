"""What the hand-written kernel of the operator does on the same calls.

Counted by running the public kernel for Atlas A2 unmodified on a CPU, through the public headers of the
toolkit; its cycles are those of the model in docs/emulator.md. Nothing here was measured on a device, and
nothing of its code is in this project.
"""

from __future__ import annotations

from collections.abc import Mapping

# Decode: bytes through GM by what they are; see kernel_uses.USES for what each name means.
BYTES: Mapping[str, int] = {
    "KV gathered, GM to UB": 1_343_488,
    "KV dequantised, UB to GM": 2_359_296,
    "KV dequantised, GM to L1": 4_456_448,
    "Q, GM to L1": 294_912,
    "scores, L0C to GM": 524_288,
    "scores, GM to UB": 524_288,
    "P, UB to GM": 262_144,
    "P, GM to L1": 262_144,
    "P · V, L0C to GM": 524_288,
    "P · V, GM to UB": 524_288,
    "running output, UB to GM": 393_216,
    "running output, GM to UB": 393_216,
    "outputs, UB to GM": 65_536,
    "lists, tables, what cores tell each other": 28_720,
}
TOTAL_BYTES = 11_956_272

# Decode: what each core or pair of vector cores issues.
CUBE: Mapping[str, int] = {"GM DMA": 156, "Mmad": 160, "L1 to L0": 320, "flags and barriers": 1_025}
VECTOR: Mapping[str, int] = {
    "GM DMA": 1_245,
    "vector": 2_400,
    "repeats": 92_424,
    "vector barriers": 908,
    "flags and barriers": 2_138,
    "scalar GM reads": 4_104,
}
DEQUANTISATION_REPEATS = 35.0  # of a row
CYCLES = 106_000
# 16 query rows on each of four cores; its counts are those of decode for each row.
PREFILL_CYCLES = 16 * 89_400

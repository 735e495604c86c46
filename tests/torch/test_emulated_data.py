"""Data that is made for kernels: legal by the generated package's own checks, and computed alike by it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from qsfa_codegen.contract.calls import Call
from qsfa_codegen.emulate.derived import DerivedCalls
from qsfa_codegen.emulate.run import random_of
from qsfa_codegen.reference.subject import Subject
from qsfa_codegen.spec.model import Chip
from tests.emulate.calls import evaluator, family, operator
from tests.torch.problems import TORCH

SMALL = 3_000_000
KINDS = {"int32": torch.int32, "float32": torch.float32, **TORCH}
run = torch.ops._C_ascend.npu_kv_quant_sparse_flash_attention


def chip(name: str) -> Chip:
    found = evaluator().chip(name)
    assert found is not None
    return found


def calls(name: str, count: int) -> list[Call]:
    derived = DerivedCalls(evaluator(), chip(name), family(), SMALL)
    return [derived.call(11, number) for number in range(count)]


def as_torch(call: Call, name: str, array: Any) -> torch.Tensor:
    tensor = call.inputs[name]
    assert not isinstance(tensor, tuple)
    raw = torch.from_numpy(np.frombuffer(array.tobytes(), dtype=np.uint8).copy())
    return raw.view(KINDS[tensor.dtype]).reshape(tensor.shape)


@pytest.mark.parametrize(("name", "count"), [("A2", 48), ("A5", 36)])
def test_made_data_is_legal_and_the_package_computes_the_same(name: str, count: int) -> None:
    seen = set()
    for call in calls(name, count):
        env, bound = evaluator().env(call, chip(name))
        subject = Subject(operator(), call, env)
        tensors = family().fill(subject, random_of(call, 0))
        arguments = {key: as_torch(call, key, array) for key, array in tensors.items()}
        outputs = run(**arguments, **dict(bound.values))  # refuses what breaks a rule about data
        expected = family().expected(subject, tensors)
        for output, got in zip(operator().outputs, outputs, strict=True):
            if got.numel():
                want, allowed = (part.reshape(got.shape) for part in expected[output.name])
                off = np.abs(got.double().numpy() - want)
                assert (off <= allowed).all(), (call, output.name)
        seen.add((call.attrs.get("layout_query"), call.attrs.get("layout_kv"), tensors["query"].dtype))
    assert len(seen) == 4


def test_made_data_has_the_forms_that_are_hard_for_kernels() -> None:
    """Over some calls: lists that are short, empty or out of order, lengths of 0, blocks used twice."""
    seen = set()
    for call in calls("A2", 60):
        env, _ = evaluator().env(call, chip("A2"))
        tensors = family().fill(Subject(operator(), call, env), random_of(call, 0))
        lists = tensors["sparse_indices"].reshape(-1, tensors["sparse_indices"].shape[-1])
        valid = (lists >= 0).sum(axis=1)
        seen |= {"empty"} if (valid == 0).any() else set()
        seen |= {"short"} if ((valid > 0) & (valid < lists.shape[1])).any() else set()
        seen |= {"full"} if (valid == lists.shape[1]).any() else set()
        seen |= {"out of order"} if any((np.diff(row[row >= 0]) < 0).any() for row in lists) else set()
        lengths = tensors.get("actual_seq_lengths_kv")
        if lengths is not None:
            joined = call.attrs.get("layout_kv") == "TND"
            each = np.diff(lengths, prepend=0) if joined else lengths
            seen |= {"no tokens"} if (each == 0).any() else set()
        table = tensors.get("block_table")
        if table is not None:
            used = table[(table >= 0) & (table < 1 << 30)]
            seen |= {"shared block"} if len(set(used)) < len(used) else set()
            seen |= {"unused entry"} if len(used) < table.size else set()
    assert seen == {"empty", "short", "full", "out of order", "no tokens", "shared block", "unused entry"}

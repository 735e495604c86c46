"""What a model's call comes to on NPUs of certain names: run as a script, without any NPU.

Tensors without data stand on the device, so that calls are traced and nothing is launched.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import torch
from torch.utils.backend_registration import rename_privateuse1_backend


def pretend(module: ModuleType) -> None:
    """One NPU, as torch knows it."""
    rename_privateuse1_backend("npu")
    vars(module).update(
        is_available=lambda: True,
        current_device=lambda: 0,
        device_count=lambda: 1,
        _is_in_bad_fork=lambda: False,
    )
    torch._register_device_module("npu", module)


def arguments(kv: torch.dtype, heads: int, **changes: Any) -> dict[str, Any]:
    """A model's call of one query token."""

    def made(dtype: torch.dtype, *shape: int) -> torch.Tensor:
        return torch.empty(shape, dtype=dtype, device="npu:0")

    return {
        "query": made(torch.bfloat16, 1, heads, 576),
        "cache": made(kv, 2, 16, 1, 656),
        "indices": made(torch.int32, 1, 1, 5),
        "scale": 1.0,
        "table": made(torch.int32, 1, 2),
        "q_lengths": made(torch.int32, 1),
        "kv_lengths": made(torch.int32, 1),
        "rope_head_dim": 64,
        **changes,
    }


def main(names: list[str]) -> None:
    """Print for each name and each call the device of the output, or what is wrong, a line a call."""
    module = ModuleType("torch.npu")
    pretend(module)
    from kv_quant_sparse_flash_attention import model
    from torch._subclasses.fake_tensor import FakeTensorMode

    calls: list[tuple[torch.dtype, int, dict[str, Any]]] = [
        (torch.int8, 8, {}),
        (torch.float8_e4m3fn, 8, {}),
        (torch.int8, 8, {"return_softmax_lse": True}),
        (torch.int8, 48, {}),
        (torch.float8_e4m3fn, 8, {"chip": "A5"}),
    ]
    with FakeTensorMode():
        for name in names:
            vars(module)["get_device_name"] = lambda device, name=name: name
            for kv, heads, changes in calls:
                try:
                    print(model.attend(**arguments(kv, heads, **changes)).attention_out.device)
                except ValueError as error:
                    print(error)


if __name__ == "__main__":
    main(sys.argv[1:])

"""What all tests with torch share: one thread, the operator made known to torch, compiled bindings."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kv_quant_sparse_flash_attention as package
import pytest
import torch

from tests.torch import binding_build

# With several threads a busy machine spends its time on waiting for them.
torch.set_num_threads(1)
package.register()


@pytest.fixture(scope="session")
def libraries() -> dict[str, Path]:
    """Everything that is compiled against torch, two at a time; none of it is loaded."""
    binding_build.npu()
    jobs = (
        binding_build.built_by_setup,
        binding_build.launched,
        binding_build.adapters_beside_op_plugin,
        binding_build.traced,
    )
    with ThreadPoolExecutor(2) as pool:
        made = {job.__name__: pool.submit(job) for job in jobs}
    return {name: result.result() for name, result in made.items()}


@pytest.fixture(scope="session")
def traced(libraries: dict[str, Path]) -> str:
    """The namespace of torch.ops where all operators have their schemas and Meta functions."""
    torch.ops.load_library(libraries["traced"])
    return binding_build.TRACED

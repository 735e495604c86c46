from __future__ import annotations

import pytest

from tests.released import VLLM_ASCEND
from tests.truth import wheel


@pytest.fixture(scope="session")
def released() -> wheel.Wheel:
    """The released wheel, from the cache of the work tree."""
    return wheel.Wheel(VLLM_ASCEND.fetch())

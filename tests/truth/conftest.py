from __future__ import annotations

from pathlib import Path

import pytest

from tests.truth import wheel

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def released() -> wheel.Wheel:
    """The released wheel, from the cache of the work tree."""
    return wheel.Wheel(wheel.fetch(ROOT / ".cache" / "wheels"))

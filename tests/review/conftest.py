"""Fixtures of the tests of reviews."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.review.repository import git


@pytest.fixture
def repository(project: Path) -> Path:
    """The project, committed."""
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-q", "-m", "one")
    return project

"""Released packages of others, fetched once into the cache of the work tree and read as data."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from msgspec import Struct

CACHE = Path(__file__).parents[1] / ".cache" / "wheels"


class Release(Struct, frozen=True):
    """One wheel. Its platform is pinned: the same file is read on every machine, whatever it runs on."""

    requirement: str
    platform: str
    file: str
    sha256: str

    def fetch(self, cache: Path = CACHE) -> Path:
        """The wheel's path in ``cache``; pip fetches it unless the right file is there already."""
        path = cache / self.file
        if not (path.is_file() and _sha256(path) == self.sha256):
            cache.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=cache) as folder:
                self._download(Path(folder))
                (Path(folder) / self.file).replace(path)
        assert _sha256(path) == self.sha256, f"{path} is not the released wheel"
        return path

    def _download(self, folder: Path) -> None:
        command = [sys.executable, "-m", "pip", "download", self.requirement, "--no-deps"]
        target = ["--python-version", "3.11", "--platform", self.platform, "--dest", str(folder)]
        subprocess.run([*command, "--only-binary=:all:", *target], check=True)


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


VLLM_ASCEND = Release(
    "vllm-ascend==0.23.0",
    "manylinux_2_34_x86_64",
    "vllm_ascend-0.23.0-cp311-cp311-manylinux_2_34_x86_64.whl",
    "4f0d25d3b6d8ae85753b53d4bd8d910418865baf413fa779b87012ad1a4a3f87",
)
TORCH_NPU = Release(
    "torch-npu==2.13.0",
    "manylinux_2_28_x86_64",
    "torch_npu-2.13.0-cp311-cp311-manylinux_2_28_x86_64.whl",
    "0deb809cf447d3fce636ccfdc9c9f874950f1fe76f18f4aaab31e2d345f7dac0",
)

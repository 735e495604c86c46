"""What aclnn is given by a library of its own: adapters and launches run on the CPU with recorded functions.

The functions have the signatures of the released aclnn headers, whatever the generator takes them for.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from qsfa_codegen.contract.calls import Call
from tests.render.flash_calls import PAGED, tensor
from tests.torch.binding_build import LAUNCHED, QSFA, SPECS, operator
from tests.torch.compiled import Compiled

WORKSPACE = 48


class Recorder:
    """The library of the adapters, and what its functions have written down."""

    def __init__(self, path: Path) -> None:
        torch.ops.load_library(path)
        self._library = ctypes.CDLL(str(path))
        self._library.RecordedText.restype = ctypes.c_char_p
        self._library.RecorderRunQueue.restype = ctypes.c_char_p

    def reset(self, status: int = 0, workspace: int = WORKSPACE) -> None:
        self._library.RecorderReset(status, ctypes.c_uint64(workspace))

    def fail(self, status: int) -> None:
        """What is called from now on returns ``status``."""
        self._library.RecorderFail(status)

    def move_stream(self) -> None:
        """The stream is on another device than the tensors."""
        self._library.RecorderMoveStream()

    def text(self) -> list[str]:
        return [part for part in self._library.RecordedText().decode().split(";") if part]

    def given(self) -> dict[str, str]:
        return dict(part.split("=", 1) for part in self.text() if "=" in part)

    def run_queue(self) -> str:
        return str(self._library.RecorderRunQueue().decode())

    @property
    def alive(self) -> int:
        return int(self._library.RecordedAlive())


@pytest.fixture(scope="module")
def loaded(traced: str, libraries: dict[str, Path]) -> Iterator[Recorder]:
    library = torch.library.Library(LAUNCHED, "FRAGMENT")
    for spec in SPECS:
        schema = str(Compiled(operator(spec), traced).overload._schema)
        library.define(schema.removeprefix(f"{traced}::"))
    yield Recorder(libraries["launched"])
    library._destroy()


@pytest.fixture
def recorder(loaded: Recorder) -> Recorder:
    loaded.reset()
    return loaded


def adapter(spec: str) -> Compiled:
    return Compiled(operator(spec), LAUNCHED, "cpu")


def whole(dtype: int, *sizes: int) -> str:
    """A tensor with all of its storage: format ND is 2."""
    strides = [1]
    for size in reversed(sizes[1:]):
        strides.insert(0, strides[0] * max(size, 1))
    count = 1
    for size in sizes:
        count *= size
    listed = ",".join(map(str, sizes))
    return f"{dtype} ({listed}) by ({','.join(map(str, strides))}) from 0 of ({count}) format 2"


BF16, FLOAT, INT8, INT32, HIFLOAT8, FP8 = 27, 0, 2, 3, 34, 36


def test_arguments_of_the_first_operator(recorder: Recorder) -> None:
    answer = adapter(QSFA).call(PAGED, {"return_softmax_lse": True})
    assert answer.outputs == ("BFloat16 2 64 8 512", "Float 2 1 64 8", "Float 2 1 64 8")
    assert recorder.given() == {
        "query": whole(BF16, 2, 64, 8, 576),
        "key": whole(INT8, 32, 16, 1, 656),
        "value": whole(INT8, 32, 16, 1, 656),
        "sparseIndices": whole(INT32, 2, 64, 1, 128),
        "keyDequantScaleOptional": "nothing",
        "valueDequantScaleOptional": "nothing",
        "blockTableOptional": whole(INT32, 2, 32),
        "actualSeqLengthsQueryOptional": whole(INT32, 2),
        "actualSeqLengthsKvOptional": whole(INT32, 2),
        "scaleValue": "0.044194",
        "keyQuantMode": "2",
        "valueQuantMode": "2",
        "sparseBlockSize": "16",
        "layoutQueryOptional": "BSND",
        "layoutKvOptional": "PA_BSND",
        "sparseMode": "3",
        "preTokens": "9223372036854775807",
        "nextTokens": "9223372036854775807",
        "attentionMode": "2",
        "quantScaleRepoMode": "1",
        "tileSize": "128",
        "ropeHeadDim": "64",
        "returnSoftmaxLse": "true",
        "attentionOutOut": whole(BF16, 2, 64, 8, 512),
        "softmaxMaxOut": whole(FLOAT, 2, 1, 64, 8),
        "softmaxSumOut": whole(FLOAT, 2, 1, 64, 8),
    }


@pytest.mark.parametrize(("dtype", "told"), [("uint8", HIFLOAT8), ("float8_e4m3fn", FP8)])
def test_a_cache_in_bytes_is_told_as_hifloat8(dtype: str, told: int, recorder: Recorder) -> None:
    cache = tensor(dtype, 32, 16, 1, 656)
    selected = tensor("int32", 2, 64, 1, 2048)
    changes = {"key": cache, "value": cache, "sparse_indices": selected, "sparse_block_size": 1}
    assert adapter(QSFA).call(PAGED, changes).message == ""
    assert recorder.given()["key"] == recorder.given()["value"] == whole(told, 32, 16, 1, 656)


def test_arguments_of_other_operators(recorder: Recorder) -> None:
    call = Call("norm", "A2", {"x": tensor("bfloat16", 4, 3, 32), "gamma": tensor("bfloat16", 32)})
    changes = {"smooth_scale": tensor("bfloat16", 32)}
    assert adapter("rms_norm_dynamic_quant").call(call, changes).outputs == ("Char 4 3 32", "Float 4 3")
    assert recorder.given() == {
        "x": whole(BF16, 4, 3, 32),
        "gamma": whole(BF16, 32),
        "smoothScale1Optional": whole(BF16, 32),
        "smoothScale2Optional": "nothing",
        "betaOptional": "nothing",
        "epsilon": "0.000001",
        "outputMaskOptional": "nothing",
        "dstType": "2",
        "y1Out": whole(INT8, 4, 3, 32),
        "y2Out": whole(INT8, 1),
        "scale1Out": whole(FLOAT, 4, 3),
        "scale2Out": whole(FLOAT, 4, 3),
    }


def test_a_view_goes_with_its_strides_and_its_place(recorder: Recorder) -> None:
    one = adapter(QSFA)
    given = one.arguments(PAGED)
    query = torch.empty(2, 64, 3, 8, 576, dtype=torch.bfloat16)[:, :, 1]
    one.overload(**{**given, "query": query})
    assert recorder.given()["query"] == (
        f"{BF16} (2,64,8,576) by (884736,13824,576,1) from 4608 of (1769472) format 2"
    )


def test_the_launch_owns_what_it_needs_until_it_has_run(recorder: Recorder) -> None:
    adapter(QSFA).call(PAGED)
    assert recorder.alive == 10  # seven inputs and three outputs
    assert not any("launched" in part for part in recorder.text())
    assert recorder.run_queue() == ""
    assert recorder.text()[-1] == f"launched with a workspace of {WORKSPACE}, 10 tensors described"
    assert recorder.alive == 0


def test_no_workspace(recorder: Recorder) -> None:
    recorder.reset(workspace=0)
    adapter(QSFA).call(PAGED)
    recorder.run_queue()
    assert recorder.text()[-1] == "launched with no workspace of 0, 10 tensors described"


def test_a_call_that_aclnn_refuses(recorder: Recorder) -> None:
    recorder.reset(status=161002)
    answer = adapter(QSFA).call(PAGED)
    assert answer.message == (
        "aclnnKvQuantSparseFlashAttentionGetWorkspaceSize returned 161002: out of cores"
    )
    assert recorder.alive == 0
    assert recorder.run_queue() == ""


def test_a_launch_that_fails(recorder: Recorder) -> None:
    adapter(QSFA).call(PAGED)
    recorder.fail(507015)
    assert recorder.run_queue() == "aclnnKvQuantSparseFlashAttention returned 507015: out of cores"
    assert recorder.alive == 0


def test_a_call_that_breaks_the_contract_does_not_reach_aclnn(recorder: Recorder) -> None:
    answer = adapter(QSFA).call(PAGED, {"sparse_block_size": 3})
    assert answer.id == "sparse_block_size_value"
    assert recorder.text() == []


def test_a_tensor_elsewhere_is_refused(recorder: Recorder) -> None:
    recorder.move_stream()
    answer = adapter(QSFA).call(PAGED)
    assert answer.message == "a tensor is on cpu; expected: on meta, the device of the current stream"
    assert (recorder.text(), recorder.alive) == ([], 0)

"""Where two engines disagree about a call. The first reports every violation, the second at least one."""

from __future__ import annotations

from collections.abc import Iterator

from qsfa_codegen.contract.calls import Result, TensorArg, TilingResult

_SEEN = ("key", "block_dim", "schedule_mode", "workspace")


def disagreements(python: Result, cpp: Result) -> Iterator[str]:
    """What the engines python and cpp say differently of one call."""
    if python.fault or cpp.fault:
        yield from (f"{name}: {r.fault}" for name, r in (("python", python), ("cpp", cpp)) if r.fault)
    elif python.ok != cpp.ok:
        yield f"status: python {_status(python)}, cpp {_status(cpp)}"
    elif python.ok:
        yield from _outputs(python, cpp)
        yield from _tilings(python.tiling, cpp.tiling)
    elif not {v.constraint for v in cpp.violations} <= {v.constraint for v in python.violations}:
        yield f"violation: python {_status(python)}, cpp {_status(cpp)}"


def _status(result: Result) -> str:
    if result.ok:
        return "ok"
    named = [f"{v.constraint} ({v.message})" for v in result.violations]
    return "rejected for " + ", ".join(named)


def _outputs(python: Result, cpp: Result) -> Iterator[str]:
    for name in dict.fromkeys((*python.outputs, *cpp.outputs)):
        ours, theirs = python.outputs.get(name), cpp.outputs.get(name)
        if ours != theirs:
            yield f"outputs.{name}: python {_tensor(ours)}, cpp {_tensor(theirs)}"


def _tensor(tensor: TensorArg | None) -> str:
    return "nothing" if tensor is None else f"{tensor.dtype} {list(tensor.shape)}"


def _tilings(python: TilingResult | None, cpp: TilingResult | None) -> Iterator[str]:
    if python is None or cpp is None:
        if python is not cpp:
            shown = ["nothing" if tiling is None else "a tiling" for tiling in (python, cpp)]
            yield f"tiling: python {shown[0]}, cpp {shown[1]}"
        return
    for name in _SEEN:
        ours, theirs = getattr(python, name), getattr(cpp, name)
        if ours != theirs:
            yield f"tiling.{name}: python {_number(ours)}, cpp {_number(theirs)}"
    if python.bytes != cpp.bytes:
        yield f"tiling.bytes: {_bytes(python, cpp)}"


def _number(value: int | tuple[int, ...] | None) -> str:
    return "nothing" if value is None else str(list(value) if isinstance(value, tuple) else value)


def _bytes(python: TilingResult, cpp: TilingResult) -> str:
    """The fields that differ; the bytes where that tells nothing."""
    ours, theirs = dict(_fields(python.data, "")), dict(_fields(cpp.data, ""))
    differing = [path for path in ours | theirs if ours.get(path) != theirs.get(path)]
    if differing:
        return "; ".join(f"{path} python {ours.get(path)}, cpp {theirs.get(path)}" for path in differing)
    return "python {}, cpp {}".format(*((tiling.bytes or b"").hex() for tiling in (python, cpp)))


def _fields(data: object, path: str) -> Iterator[tuple[str, object]]:
    if not isinstance(data, dict):
        yield path, data
        return
    for name, value in data.items():
        yield from _fields(value, f"{path}.{name}" if path else name)

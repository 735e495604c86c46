"""Where a file on disk is not what a build would write."""

from __future__ import annotations

from itertools import takewhile

_SHOWN = 200  # lines of one file
_COMPARED = 20_000  # lines beyond which comparing takes too long


def unified(path: str, old: bytes, new: bytes | None) -> str:
    """A unified diff from the file on disk to what the build would write."""
    import difflib

    try:
        before, after = _lines(old.decode()), _lines((new or b"").decode())
    except UnicodeDecodeError:
        return "the file on disk is not text\n"
    if len(before) + len(after) > _COMPARED:
        return "the file on disk is too long to compare\n"
    target = f"{path} (as generated)" if new is not None else "/dev/null"
    lines = list(difflib.unified_diff(before, after, f"{path} (on disk)", target, lineterm=""))
    shown = lines[:_SHOWN]
    if len(lines) > len(shown):
        shown.append(f"… {len(lines) - len(shown)} more lines")
    return "".join(line + "\n" for line in shown)


def parting(old: bytes, new: bytes | None) -> int:
    """The first line of ``old`` that is not as in ``new``; 1 when there is no new text."""
    before, after = old.split(b"\n"), (new or b"").split(b"\n")
    if new is None:
        return 1
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(before, after, strict=False)))
    return min(same + 1, len(before))


def _lines(text: str) -> list[str]:
    """Lines without their ends; a last one that has no end says so."""
    *lines, last = text.split("\n")
    return [*lines, f"{last}\n\\ No newline at end of file"] if last else lines

"""Did you mean …?"""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """A help line with the known names nearest to ``name``; None when nothing is near."""
    import difflib  # only for an error: the import costs as much as parsing a spec's expressions

    candidates = sorted(known)
    lowered = {candidate.lower(): candidate for candidate in reversed(candidates)}
    close = difflib.get_close_matches(name, candidates, n=2, cutoff=0.6)
    same = lowered.get(name.lower())
    names = list(dict.fromkeys(([same] if same else []) + close))[:2]
    return f"did you mean {' or '.join(f'`{n}`' for n in names)}?" if names else None

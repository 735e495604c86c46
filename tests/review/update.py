"""`python -m tests.review.update` writes the expected reports anew: read what changed, then commit."""

from __future__ import annotations

from tests.review.pairs import changes, report
from tests.review.qsfa_edits import EDITS, FOLDER, current, previous
from tests.review.test_fixtures import FOLDERS, Fixture


def main() -> None:
    """Every folder of a rule, and every edit of the large spec."""
    for folder in FOLDERS:
        fixture = Fixture(folder)
        (folder / "expected.txt").write_text(report(fixture.after.snake, fixture.changes()), encoding="utf-8")
    for name in EDITS:
        found = changes(previous(name), current(name))
        text = report("kv_quant_sparse_flash_attention", found)
        (FOLDER / f"{name}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

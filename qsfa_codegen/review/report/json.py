"""A review for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from qsfa_codegen.contract.calls import call_json, dump
from qsfa_codegen.diagnostics import Span
from qsfa_codegen.review.changes import Change, Witness
from qsfa_codegen.review.compare import Review
from qsfa_codegen.review.report import files

Object = Mapping[str, object]


def json_text(reviews: Sequence[Review]) -> str:
    """One object: ``reviews``, and whether one of them ``breaks`` something that is not allowed."""
    document = {"breaks": any(review.breaks for review in reviews), "reviews": [_review(r) for r in reviews]}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _review(review: Review) -> Object:
    return {
        "operator": review.name,
        "file": review.file,
        "base": review.base,
        "new": review.fresh,
        "breaks": review.breaks,
        **({"problem": review.problem} if review.problem else {}),
        "contract": None
        if review.relation is None
        else {
            "narrower": review.relation.narrower,
            "wider": review.relation.wider,
            "basis": review.relation.basis.value,
        },
        "changes": [_change(change) for change in review.changes],
        **({} if review.files is None else {"files": files.json_object(review.files)}),
    }


def _change(change: Change) -> Object:
    shown: dict[str, object] = {
        "code": change.code,
        "class": change.impact.value,
        "breaks": change.breaks,
        "title": change.title,
        "subject": change.subject,
        "message": change.message,
        "old": change.old,
        "new": change.new,
        "before": _place(change.before),
        "after": _place(change.after),
    }
    if change.witness is not None:
        shown["witness"] = _witness(change.witness)
    if change.basis is not None:
        shown["basis"] = change.basis.value
    if change.allowed is not None:
        shown["allowed"] = change.allowed
    return shown


def _place(span: Span | None) -> Object | None:
    if span is None:
        return None
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


def _witness(witness: Witness) -> Object:
    # Through its own writer, which spells infinities so that every reader takes them.
    call = json.loads(dump(call_json(witness.call)))
    return {"before": witness.before, "after": witness.after, "call": call}

"""What the spec calls things inside, and whatever no other rule has told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec import Struct

from qsfa_codegen.diagnostics import Span
from qsfa_codegen.review.changes import Found, Impact
from qsfa_codegen.review.form import PLACES, WORDS
from qsfa_codegen.review.match import Matching, matching, name_of
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.registry import rule
from qsfa_codegen.spec.model import EnumDef, Operator


def _inside(pair: Pair) -> tuple[tuple[str, str, Matching], ...]:  # type: ignore[type-arg]
    """Names that callers and kernels do not see: what they are, the word for them, and those of both."""
    return (
        ("enum", "enum", pair.enums),
        ("const", "const", pair.consts),
        ("dim", "dim", pair.dims),
        ("rest", "rest", pair.rests),
        ("let", "derived value", pair.lets),
        ("tiling let", "derived value", pair.tiling_lets),
    )


@rule(
    "QD340",
    Impact.COMPATIBLE,
    "A name inside the spec changed",
    "Nobody outside sees these names; what follows from a change of their values is reported where it shows.",
)
def names(pair: Pair) -> Iterator[Found]:
    """Dims, constants, enums and derived values that came, went, or are called otherwise."""
    for kind, word, found in _inside(pair):
        for old in found.removed:
            message = f"{word} {old.name} was removed"
            yield Found(f"{word} {old.name}", message, old.name, "", old.span, pair.after.name_span)
        for new in found.added:
            message = f"{word} {new.name} was added"
            yield Found(f"{word} {new.name}", message, "", new.name, pair.old.name_span, new.span)
        for old, new in found.both:
            was = pair.old_name(kind, new.name)
            if was != new.name:
                message = f"{word} {was} is called {new.name}"
                yield Found(f"{word} {new.name}", message, was, new.name, old.span, new.span)


@rule(
    "QD341",
    Impact.COMPATIBLE,
    "A definition inside the spec changed",
    "The definition reads otherwise; what follows from it for calls, kernels and interfaces is reported by "
    "itself, so that nothing follows where nothing is reported.",
)
def definitions(pair: Pair) -> Iterator[Found]:
    """Things inside that are defined otherwise on the chips of both."""
    for _, word, found in _inside(pair):
        for old, new in found.both:
            if f"{word} {new.name}" in pair.told or pair.alike(old, new, "name", "doc_name"):
                continue
            message = f"{word} {new.name} is defined otherwise"
            texts = [_definition(pair, thing) for thing in (old, new)]
            yield Found(f"{word} {new.name}", message, texts[0], texts[1], old.span, new.span)
    for word, of, _ in _PARTS:
        for old, new in matching(of(pair.before), of(pair.after)).both:
            subject = f"{word} {name_of(new)}"
            if _told(pair, subject) or pair.alike(old, new, *_NAMING):
                continue
            if all(pair.alike(getattr(old, n), getattr(new, n)) for n in _others(old, word)):
                yield Found(subject, f"{subject} is written otherwise", "", "", _span(old), _span(new))


def _others(thing: Struct, word: str) -> list[str]:
    """Fields of which other rules have not to tell."""
    judged = next(names for other, _, names in _PARTS if other == word)
    skipped = (*judged, *_NAMING, *PLACES, *WORDS)
    return [name for name in thing.__struct_fields__ if name not in skipped]


def _span(thing: Struct) -> Span:
    span: Span = getattr(thing, "span")  # noqa: B009
    return span


def _definition(pair: Pair, thing: Struct) -> str:
    value = getattr(thing, "value", None)
    if isinstance(thing, EnumDef):
        return ", ".join(f"{label.name}: {label.code}" for label in thing.labels)
    span = getattr(value, "span", None)
    if span is not None:
        return pair.quote(span)
    return str(value) if isinstance(value, int) else ""


@rule(
    "QD342",
    Impact.COMPATIBLE,
    "Other files are generated",
    "Groups of files are written or left out; whoever relies on one that is left out has to write it.",
)
def emit(pair: Pair) -> Iterator[Found]:
    """The artefact groups."""
    old, new = pair.before.emit, pair.after.emit
    if old != new:
        texts = [", ".join(groups) or "all" for groups in (old, new)]
        spans = pair.old.name_span, pair.after.name_span
        yield Found("emit", "other groups of files are generated", texts[0], texts[1], spans[0], spans[1])


@rule(
    "QD343",
    Impact.COMPATIBLE,
    "Generated files state another license",
    "It stands at the top of each generated file; no call and no kernel changes.",
)
def license(pair: Pair) -> Iterator[Found]:
    """The license of generated files."""
    old, new = pair.before.license, pair.after.license
    if old != new:
        message = f"generated files state the license {new}" if new else "generated files state no license"
        yield Found("license", message, old, new, pair.old.name_span, pair.after.name_span)


_BY_CALLS = frozenset({"QD147", "QD306", "QD316", "QD322", "QD324", "QD341"})


@rule(
    "QD398",
    Impact.ARTEFACTS,
    "Results could not be compared",
    "No call was found that both contracts accept, on some chip at least, so it is not known whether "
    "outputs, tiling data, keys and workspace stayed as they were where they are written in another way.",
)
def unshared(pair: Pair) -> Iterator[Found]:
    """What other rules have found to be the same for want of a call that shows otherwise."""
    if pair.codes & _BY_CALLS and pair.evidence.unshared:
        chips = ", ".join(pair.evidence.unshared)
        message = f"no call was found on {chips} that both contracts accept: results could not be compared"
        yield Found("results", message, "", "", pair.old.name_span, pair.after.name_span)


_PARTS: tuple[tuple[str, Callable[[Operator], Sequence[Struct]], tuple[str, ...]], ...] = (
    ("input", lambda o: o.inputs, ("shape", "presence", "dtype", "count")),
    ("attribute", lambda o: o.attrs, ("domain",)),
    ("output", lambda o: o.outputs, ("shape",)),
    ("constraint", lambda o: o.constraints, ("when", "require")),
    ("rule about data", lambda o: o.contents, ("when", "require")),
    ("record", lambda o: o.records, ("elements", "offsets", "size")),
)
_NAMING = ("index", "was")


@rule(
    "QD399",
    Impact.ARTEFACTS,
    "Something else changed",
    "The resolved operators differ in a part for which there is no rule of its own. It counts as breaking "
    "because it is not known what follows from it.",
)
def rest(pair: Pair) -> Iterator[Found]:
    """The net: parts of the operators that differ and of which no rule has told."""
    for word, of, without in _PARTS:
        for old, new in matching(of(pair.before), of(pair.after)).both:
            subject = f"{word} {name_of(new)}"
            if not _told(pair, subject) and not pair.alike(old, new, *without, *_NAMING):
                yield _other(subject, _span(old), _span(new))
    for subject, names in _SECTIONS.items():
        left, right = (tuple(getattr(o, name) for name in names) for o in (pair.before, pair.after))
        if not _told(pair, *subject.split("|")) and not pair.alike(left, right):
            yield _other(subject.split("|")[0], pair.old.name_span, pair.after.name_span)
    for name in pair.after.__struct_fields__:
        if name not in _KNOWN and not pair.alike(getattr(pair.before, name), getattr(pair.after, name)):
            yield _other(name, pair.old.name_span, pair.after.name_span)


_SECTIONS = {
    "aclnn": ("aclnn",),
    "torch|torch parameter": ("torch",),
    "kernel": ("kernel",),
    "tiling|workspace|block dim|schedule mode|function|key argument|derived value|const|enum|dim|record": (
        "tiling",
    ),
    "reference": ("reference",),
    "serving": ("serving",),
}


# Fields of an operator whose rules tell each difference; a field that is new here is told by the net.
_KNOWN = frozenset(
    (
        *(
            "name",
            "snake",
            "category",
            "brief",
            "formula",
            "graph_mode",
            "chips",
            "unsupported",
            "registration",
        ),
        *("enums", "consts", "dims", "rests", "dtypes", "records", "inputs", "attrs", "outputs", "lets"),
        *("constraints", "contents", "tiling", "kernel", "reference", "aclnn", "torch", "notes", "emit"),
        *("serving", "license", "allowed", "checks", "source", "name_span"),
    )
)


def _told(pair: Pair, *subjects: str) -> bool:
    return any(told == s or told.startswith(f"{s} ") for told in pair.told for s in subjects)


def _other(subject: str, before: Span, after: Span) -> Found:
    return Found(subject, f"{subject} changed in a way that no rule knows", "", "", before, after)


RULES = (names, definitions, emit, license, unshared, rest)

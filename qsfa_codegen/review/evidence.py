"""Calls that two contracts treat differently, found by running both."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from qsfa_codegen.contract.calls import Call, Result
from qsfa_codegen.contract.derive import derive
from qsfa_codegen.contract.evaluate import Evaluator
from qsfa_codegen.review.calls import Both, Translator, cost, in_order
from qsfa_codegen.review.changes import Basis, Relation, Witness
from qsfa_codegen.review.pair import Pair
from qsfa_codegen.review.trials import Trials
from qsfa_codegen.review.units import Unit, changed_units

if TYPE_CHECKING:
    from qsfa_codegen.review.prove import Prover

_Outcome = Callable[[Result], object]


class Run(NamedTuple):
    """A call and what each contract says of it."""

    call: Both
    before: Result
    after: Result


class Verdict(Struct, frozen=True):
    """What the change of a rule means: a call that is newly rejected, one that is newly accepted.

    ``basis`` says how it is known that there is none where there is none.
    """

    narrower: Witness | None
    wider: Witness | None
    basis: Basis


class Evidence:
    """Runs calls through both contracts; every question is answered once."""

    def __init__(self, pair: Pair) -> None:
        self._pair = pair
        self._old = Evaluator(pair.before)
        self._new = Evaluator(pair.after)
        self._translator = Translator(pair)
        self._trials = Trials(pair, self._old, self._new, self._translator)
        self._verdicts: dict[str, Verdict] = {}

    # ------------------------------------------------------------------ rules

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """Groups of rules that may have changed."""
        return changed_units(self._pair)

    @cached_property
    def blind(self) -> tuple[str, ...]:
        """Chips of both on which no legal call of the base was found: nothing can be told apart there."""
        seen = {run.call.before.chip for run in self._runs if run.before.ok}
        return tuple(new.id for _, new in self._pair.chips if new.id not in seen)

    @cached_property
    def unshared(self) -> tuple[str, ...]:
        """Chips of both on which no call was found that both accept: results cannot be compared there."""
        seen = {run.call.after.chip for run in self._both_accept}
        return tuple(new.id for _, new in self._pair.chips if new.id not in seen)

    def verdict(self, unit: Unit) -> Verdict:
        """What the change of a group of rules means for calls."""
        if unit.id not in self._verdicts:
            self._verdicts[unit.id] = self._judge(unit)
        return self._verdicts[unit.id]

    def _judge(self, unit: Unit) -> Verdict:
        narrower, wider = self._told_apart(self._runs, unit)
        if narrower is None or wider is None:
            found = self._told_apart(map(self._run, self._trials.around(unit)), unit)
            narrower, wider = narrower or found[0], wider or found[1]
        basis = Basis.SEARCHED
        if self._pair.prove:
            narrower, wider, basis = self._proved(unit, narrower, wider)
        return Verdict(
            None if narrower is None else self.witness(f"{unit.id}_now_rejected", narrower),
            None if wider is None else self.witness(f"{unit.id}_now_accepted", wider),
            basis,
        )

    def _proved(
        self, unit: Unit, narrower: Run | None, wider: Run | None
    ) -> tuple[Run | None, Run | None, Basis]:
        answer = self._prover.compare(unit)
        known = answer.narrower.known(narrower) and answer.wider.known(wider)
        narrower = self._smaller(unit, answer.narrower.call, narrower)
        wider = self._smaller(unit, answer.wider.call, wider)
        return narrower, wider, Basis.PROVED if known else Basis.SEARCHED

    def _smaller(self, unit: Unit, call: Both | None, found: Run | None) -> Run | None:
        """The run of a call, if it is a smaller one than what was found."""
        if call is None:
            return found
        run = self._run(call)
        return (
            run
            if run.before.ok != run.after.ok and (found is None or _weight(run) < _weight(found))
            else found
        )

    def _told_apart(self, runs: Iterable[Run], unit: Unit) -> tuple[Run | None, Run | None]:
        """The smallest call that is newly rejected because of a unit, and the smallest newly accepted."""
        narrower: Run | None = None
        wider: Run | None = None
        for run in runs:
            if (
                run.before.ok
                and _blames(run.after, unit.ids)
                and (narrower is None or _weight(run) < _weight(narrower))
            ):
                narrower = run
            if (
                run.after.ok
                and _blames(run.before, unit.ids)
                and (wider is None or _weight(run) < _weight(wider))
            ):
                wider = run
        return narrower, wider

    def relation(self) -> Relation:
        """What became of the contract as a whole."""
        verdicts = [self.verdict(unit) for unit in self.units]
        narrower = any(v.narrower for v in verdicts) or any(
            r.before.ok and not r.after.ok for r in self._runs
        )
        wider = any(v.wider for v in verdicts) or any(r.after.ok and not r.before.ok for r in self._runs)
        if not self._pair.prove:
            return Relation(narrower, wider, Basis.SEARCHED)
        answer = self._prover.compare(None)
        known = answer.narrower.known(narrower or None) and answer.wider.known(wider or None)
        return Relation(
            narrower or answer.narrower.call is not None,
            wider or answer.wider.call is not None,
            Basis.PROVED if known else Basis.SEARCHED,
        )

    @cached_property
    def _prover(self) -> Prover:
        from qsfa_codegen.review.prove import Prover

        return Prover(self._pair)

    def rejected(self, *ids: str) -> Witness | None:
        """A call of the base that breaks one of these rules now; for rules that are not checks."""
        wanted = frozenset(ids)
        found = [r for r in self._runs if r.before.ok and wanted & {v.constraint for v in r.after.violations}]
        return self.witness(ids[0], min(found, key=_weight)) if found else None

    def accepted(self, *ids: str) -> Witness | None:
        """A call that broke one of these rules and is legal now."""
        wanted = frozenset(ids)
        found = [r for r in self._runs if r.after.ok and wanted & {v.constraint for v in r.before.violations}]
        return self.witness(ids[0], min(found, key=_weight)) if found else None

    # ------------------------------------------------------------------ results

    def differs(self, name: str, outcome: _Outcome, arch: str | None = None) -> Witness | None:
        """A call that both accept, on chips of ``arch``, and of which they say something different."""
        archs = {new.id: new.arch for _, new in self._pair.chips}
        runs = (r for r in self._both_accept if arch is None or archs[r.call.after.chip] == arch)
        found = (r for r in runs if outcome(r.before) != outcome(r.after))
        run = min(found, key=_weight, default=None)
        return None if run is None else self._witness_of(name, run, outcome)

    def left_out(self, attr: str) -> Witness | None:
        """A call of the base that does not give an attribute, and now means something else."""
        found = [run for run in self._as_written if attr not in run.call.before.attrs and _changed(run)]
        if not found:
            return None
        rejected = [run for run in found if not run.after.ok]
        if rejected:
            return self.witness(f"{attr}_left_out", min(rejected, key=_weight))
        run = min(found, key=_weight)
        case = self._case(f"{attr}_left_out", run, {"status": "ok"})
        old, new = _everything(run.before), _everything(run.after)
        names = [name for name in new if old.get(name) != new[name]]
        return Witness(case, *(", ".join(f"{n} is {side.get(n)}" for n in names) for side in (old, new)))

    def not_passed(self, parameter: str) -> Witness | None:
        """A call of the base that is illegal because it does not give a new parameter."""
        found = [r for r in self._as_written if any(v.parameter == parameter for v in r.after.violations)]
        return self.witness(f"{parameter}_presence", min(found, key=_weight)) if found else None

    @cached_property
    def _both_accept(self) -> tuple[Run, ...]:
        return tuple(run for run in self._runs if run.before.ok and run.after.ok)

    # ------------------------------------------------------------------ runs

    @cached_property
    def _runs(self) -> tuple[Run, ...]:
        """Every call that either spec implies."""
        old = (self._translator.of_before(call) for call in self._derived_before)
        new = (self._translator.of_after(call) for call in derive(self._pair.after, self._new).calls)
        return tuple(self._run(call) for call in (*old, *new) if call is not None)

    @cached_property
    def _derived_before(self) -> tuple[Call, ...]:
        return derive(self._pair.before, self._old).calls

    @cached_property
    def _as_written(self) -> tuple[Run, ...]:
        """Legal calls of the base, run as they are written."""
        calls = (self._translator.of_before(call, spelt_out=False) for call in self._derived_before)
        runs = (self._run(call) for call in calls if call is not None)
        return tuple(run for run in runs if run.before.ok)

    def _run(self, call: Both) -> Run:
        return Run(call, self._old.evaluate(call.before), self._new.evaluate(call.after))

    # ------------------------------------------------------------------ witnesses

    def witness(self, name: str, run: Run) -> Witness:
        """A run as a call case that says what the new contract makes of it."""
        expect: Mapping[str, object] = {"status": "ok"}
        if not run.after.ok:
            broken = [{"constraint": v.constraint} for v in run.after.violations]
            expect = {"status": "rejected", "violations": broken}
        return Witness(self._case(name, run, expect), _said(run.before), _said(run.after))

    def _witness_of(self, name: str, run: Run, outcome: _Outcome) -> Witness:
        case = self._case(name, run, {"status": "ok"})
        return Witness(case, str(outcome(run.before)), str(outcome(run.after)))

    def _case(self, name: str, run: Run, expect: Mapping[str, object]) -> Call:
        return in_order(run.call.after, self._pair.after).named(
            f"{run.call.after.chip.lower()}_{name}", expect
        )


def _weight(run: Run) -> tuple[int, tuple[int, int, int]]:
    return (len(run.before.violations) + len(run.after.violations), cost(run.call.after))


def _blames(result: Result, ids: AbstractSet[str]) -> bool:
    return any(violation.constraint in ids for violation in result.violations)


def _said(result: Result) -> str:
    if result.ok:
        return "accepted"
    return "rejected: " + "; ".join(f"{v.message} [{v.constraint}]" for v in result.violations)


def _everything(result: Result) -> Mapping[str, object]:
    """What comes out of a legal call, by name."""
    found: dict[str, object] = {}
    for name, tensor in result.outputs.items():
        found[f"dtype of {name}"], found[f"shape of {name}"] = tensor.dtype, list(tensor.shape)
    if result.tiling is not None:
        tiling = result.tiling
        found |= {"key": tiling.key, "block dim": tiling.block_dim, "workspace": list(tiling.workspace)}
        found.update(_flat(tiling.data or {}, ""))
    return found


def _flat(data: Mapping[str, object], path: str) -> Iterator[tuple[str, object]]:
    for name, value in data.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{path}{name}.")
        else:
            yield f"{path}{name}", value


def _changed(run: Run) -> bool:
    return not run.after.ok or _everything(run.before) != _everything(run.after)

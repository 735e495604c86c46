"""Calls through the generated host code, compiled for this machine."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from qsfa_codegen.contract.calls import Call, Result, Stage
from qsfa_codegen.contract.messages import Messages, as_allocated
from qsfa_codegen.host.build import build
from qsfa_codegen.host.protocol import AnswerReader, CallWriter
from qsfa_codegen.host.session import SECONDS, Fault, Session
from qsfa_codegen.render import definition, infershape, tiling, tiling_key, tiling_struct, tiling_uses
from qsfa_codegen.render.package import render_these
from qsfa_codegen.spec.model import Operator

_ALWAYS = (*definition.ARTEFACTS, *infershape.ARTEFACTS)
_OF_TILING = (*tiling.ARTEFACTS, *tiling_struct.ARTEFACTS, *tiling_key.ARTEFACTS)


def host_files(operator: Operator) -> dict[str, str]:
    """The text of each file that the host code consists of, by its path in the package."""
    return render_these(operator, (*_ALWAYS, *_OF_TILING) if _tiles(operator) else _ALWAYS)


def _tiles(operator: Operator) -> bool:
    """Whether there is a tiling function that compiles here: extern functions are in files of the user's."""
    return tiling_uses.has_tiling(operator) and not (operator.tiling and operator.tiling.externs)


class HostEngine:
    """The host code of one operator as an engine. A context manager: at its end the program ends.

    Without ``program`` the code is generated and compiled (HostError where that cannot be done). A batch
    of calls may take ``limit`` seconds.
    """

    def __init__(
        self,
        operator: Operator,
        program: Path | None = None,
        *,
        sanitize: bool = False,
        limit: float = SECONDS,
    ) -> None:
        path = program or build(host_files(operator), sanitize=sanitize)
        self._session = Session(path, limit)
        self.definition: Mapping[str, Any] = json.loads(self._session.definition())
        self._tiles = _tiles(operator)
        self._writer = CallWriter(operator)
        self._reader = AnswerReader(operator)
        self._messages = Messages(operator)

    def __enter__(self) -> HostEngine:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self._session.close()
        else:
            self._session.kill()

    def stage(self, call: Call, stage: Stage | None = None) -> Stage | None:
        """The part that is run: ``stage``, else the call's own; inference alone where there is no tiling."""
        return stage or call.stage if self._tiles else Stage.INFER

    def results(self, calls: Iterable[Call], stage: Stage | None = None) -> Iterator[Result]:
        """The result of each call, in order: of several violations the first. A crash is a result too."""
        waiting: deque[tuple[Call, Stage | None]] = deque()

        def lines() -> Iterator[bytes]:
            for call in calls:
                part = self.stage(call, stage)
                waiting.append((call, part))
                yield self._writer.line(call, part)

        for answer in self._session.answers(lines()):
            call, part = waiting.popleft()
            if isinstance(answer, Fault):
                yield Result(call.id, fault=answer.reason)
            else:
                yield self._checked(call, part, self._reader.result(call, part, answer))

    def _checked(self, call: Call, stage: Stage | None, result: Result) -> Result:
        """The result; a violation when the caller allocated other outputs than the call has."""
        if not call.outputs or result.violations or result.fault:
            return result
        for name, allocated in call.outputs.items():
            inferred = result.outputs.get(name)
            for violation in as_allocated(self._messages, name, inferred, allocated) if inferred else ():
                return Result(call.id, stage=stage or Stage.TILING, violations=(violation,))
        return result

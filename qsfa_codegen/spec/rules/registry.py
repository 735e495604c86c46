"""What a rule is. A rule looks at one thing in a resolved operator and reports under one code."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from qsfa_codegen.diagnostics import Diagnostic, Related, Severity, Sink, Span
from qsfa_codegen.spec.model import Operator


class Report(Struct, frozen=True):
    """Where one rule puts its findings; the code and severity are the rule's."""

    code: str
    severity: Severity
    sink: Sink

    def __call__(
        self, message: str, span: Span, help: str | None = None, related: tuple[Related, ...] = ()
    ) -> None:
        """Report a finding."""
        self.sink.add(Diagnostic(self.code, message, span, help, self.severity, related))


Check = Callable[[Operator, Report], None]


class Rule(Struct, frozen=True):
    """A rule with its stable code, one-line purpose and the reason for it."""

    code: str
    title: str
    reason: str
    severity: Severity
    check: Check

    def run(self, operator: Operator, sink: Sink) -> None:
        """Report what the rule finds in ``operator``."""
        self.check(operator, Report(self.code, self.severity, sink))


def rule(code: str, title: str, reason: str, severity: Severity = Severity.ERROR) -> Callable[[Check], Rule]:
    """Make a function a rule."""

    def make(check: Check) -> Rule:
        return Rule(code, title, reason, severity, check)

    return make


WARNING = Severity.WARNING

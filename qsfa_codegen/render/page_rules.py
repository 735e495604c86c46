"""What an operator page says of rules: constraints with their ids, data, defaults to look out for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import Struct

from qsfa_codegen.render import torch_schema
from qsfa_codegen.render.describe import spelt
from qsfa_codegen.render.page_text import capital, unstopped
from qsfa_codegen.render.text import markdown_cell, markdown_code, table_cell
from qsfa_codegen.render.tiling_uses import has_tiling
from qsfa_codegen.spec.contents import tiling_contents
from qsfa_codegen.spec.model import CheckKind, ContentRule, Operator

if TYPE_CHECKING:
    from qsfa_codegen.render.describe import Describer
    from qsfa_codegen.render.page_text import PageText
    from qsfa_codegen.spec.model import Check, TorchBinding

DTYPE_ROW = "dtype_row"
_ROW = {
    "en": "The dtypes are those of one row of the table of dtype combinations",
    "zh": "各参数的数据类型须为“数据类型组合”中的一行",
}
_WHEN = {"en": "{}, {}", "zh": "{}，须满足 {}"}
_PLACES = {
    "en": {"aclnn": "aclnn interface", "tiling": "tiling", "torch": "PyTorch interface"},
    "zh": {"aclnn": "aclnn 接口", "tiling": "tiling", "torch": "PyTorch 接口"},
}
_CHECKED = {
    "en": (
        "Checked by the generated code ({}); a call that breaks one is rejected with an error that carries "
        "the id in parentheses.",
        "The generated code does not check these: the caller must ensure them.",
    ),
    "zh": (
        "以下约束由 host 侧（{}）校验，不满足时返回错误，报错信息中带有括号内的编号。",
        "host 侧不校验以下约束，由调用者保证。",
    ),
}
_DATA_CHECKED = {
    "en": "These are about the data. Tiling checks them where it is given the data of {}:",
    "zh": "以下约束针对数据内容，host 侧可获取 {} 的数据时由 tiling 校验：",
}
_DATA_UNCHECKED = {
    "en": "These are about the data: the host does not check them, the caller must ensure them.",
    "zh": "以下约束针对数据内容，host 侧不校验，由调用者保证。",
}


class Rule(Struct, frozen=True):
    """A rule in words with its id; ``chips`` empty where it holds on all."""

    id: str
    chips: str
    text: str


class Rules(Struct, frozen=True):
    """Rules that are checked in the same way, under a sentence that says how."""

    head: str
    rules: tuple[Rule, ...]


class OtherDefault(Struct, frozen=True):
    """A default of the binding that is not the registered one, as cells; empty where no reason is given."""

    name: str
    default: str
    registered: str
    reason: str


class PageRules:
    """Rules of an operator, in the order of the spec; ``interfaces`` are those that the page is about."""

    def __init__(self, text: PageText, interfaces: Sequence[str] = ("aclnn", "torch")) -> None:
        self.text = text
        self._interfaces = interfaces
        self.operator: Operator = text.operator

    def groups(self) -> list[Rules]:
        """Constraints, then rules about data: those that tiling checks and those that nothing does."""
        found = [
            Rules(self._checked(), tuple(self._constraints())),
            Rules(self._data_checked(), tuple(self._contents(self._at_tiling()))),
            Rules(_DATA_UNCHECKED[self.text.language], tuple(self._contents(self._left_to_callers()))),
        ]
        return [rules for rules in found if rules.rules]

    def traps(self) -> list[tuple[str, str, str]]:
        """(attribute, chips, warning) of every registered default that is rejected."""
        traps = ((a, a.trap) for a in self.operator.attrs if a.trap is not None)
        return [
            (self.text.name(attr.name), self.text.unless_all(trap.chips), self.text.words(trap.doc))
            for attr, trap in traps
        ]

    def other_defaults(self) -> list[OtherDefault]:
        """Defaults of the torch operator that are not those of the registration."""
        binding = self.operator.torch
        return [] if binding is None else list(self._other_defaults(binding))

    def _other_defaults(self, binding: TorchBinding) -> Iterable[OtherDefault]:
        attrs = {attr.name: attr for attr in self.operator.attrs}
        for param in (*binding.positional, *binding.keyword):
            attr = attrs.get(param.source or "")
            if attr is None or not param.has_default or param.default in (None, attr.default):
                continue
            registered = "-" if attr.default is None else markdown_cell(spelt(attr.default, attr.type))
            yield OtherDefault(
                markdown_code(param.name),
                markdown_cell(torch_schema.literal(param, param.default, attr.type)),
                registered,
                table_cell(self.text.words(param.reason)),
            )

    def notes(self) -> list[str]:
        """Notes of the spec."""
        return [self.text.words(note) for note in self.operator.notes]

    # ----------------------------------------------------------------- constraints

    def _checked(self) -> str:
        operator = self.operator
        places = ["aclnn"] if operator.aclnn.style == "wrapper" else []
        places += ["tiling"] if has_tiling(operator) else []
        places += ["torch"] if operator.torch is not None else []
        checked, unchecked = _CHECKED[self.text.language]
        passed = [place for place in places if place == "tiling" or place in self._interfaces]
        names = [_PLACES[self.text.language][place] for place in passed]
        return checked.format(self.text.listed(names)) if names else unchecked

    def _constraints(self) -> Iterable[Rule]:
        for check in self.operator.checks:
            if check.id == DTYPE_ROW:
                yield Rule(DTYPE_ROW, "", _ROW[self.text.language])
            elif check.kind is CheckKind.CONSTRAINT:
                yield from self._constraint(check)

    def _constraint(self, check: Check) -> Iterable[Rule]:
        groups: dict[str, list[str]] = {}
        for view in self.text.views:
            if not view.is_literal(check.when, False):
                groups.setdefault(self._claim(check, view), []).append(view.chip.id)
        for text, chips in groups.items():
            yield Rule(check.id, self.text.unless_all(chips), text)

    def _claim(self, check: Check, view: Describer) -> str:
        if check.message is None:
            return self._joined(view.when(check.when), view.say(check.require))
        return f"{self.text.name(check.parameter)} {self.text.demand(check.message)}"

    def _joined(self, when: str, claim: str) -> str:
        return capital(_WHEN[self.text.language].format(when, claim) if when else claim)

    # ----------------------------------------------------------------- rules about data

    def _at_tiling(self) -> Sequence[ContentRule]:
        if not has_tiling(self.operator):
            return ()
        return [content.rule for content in tiling_contents(self.operator)]

    def _left_to_callers(self) -> Sequence[ContentRule]:
        checked = {rule.id for rule in self._at_tiling()}
        return [rule for rule in self.operator.contents if rule.id not in checked]

    def _data_checked(self) -> str:
        contents = tiling_contents(self.operator)
        names = dict.fromkeys(name for content in contents for name in content.inputs)
        return _DATA_CHECKED[self.text.language].format(self.text.listed([self.text.name(n) for n in names]))

    def _contents(self, rules: Sequence[ContentRule]) -> Iterable[Rule]:
        view = self.text.views[0]
        for rule in rules:
            said = unstopped(self.text.words(rule.doc))
            yield Rule(rule.id, "", said or self._joined(view.when(rule.when), view.say(rule.require)))

"""Reading an operator definition (``OpDef``) back: what it registers, by parameter and by chip."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_STRING = r"\"(?:[^\"\\]|\\.)*\""
_STATEMENT = re.compile(rf"(?:{_STRING}|[^;\"])*;")
_START = re.compile(r"(?:\bthis->|\b(\w+)\.)?\b(Input|Output|Attr|AICore|\w+Flag|ExtendCfgInfo)\(")
_CALL = re.compile(rf"(\w+)\(((?:{_STRING}|[^()\"])*)\)")
_WORD = re.compile(rf"{_STRING}|[\w:.+-]+")

Calls = Mapping[str, tuple[str, ...]]


@dataclass(slots=True)
class Config:
    """An OpAICoreConfig: flags and extension entries set, and parameters that differ on its chips."""

    flags: dict[str, str] = field(default_factory=dict)
    extensions: dict[str, str] = field(default_factory=dict)
    inputs: dict[str, Calls] = field(default_factory=dict)
    outputs: dict[str, Calls] = field(default_factory=dict)


@dataclass(slots=True)
class Definition:
    """Calls chained to each parameter, in order; the configuration of each chip, None for the default."""

    name: str
    inputs: dict[str, Calls] = field(default_factory=dict)
    outputs: dict[str, Calls] = field(default_factory=dict)
    attributes: dict[str, Calls] = field(default_factory=dict)
    chips: dict[str, Config | None] = field(default_factory=dict)


def read(source: str) -> Definition:
    """The one operator that a definition file registers."""
    text = _COMMENT.sub(" ", source)
    (name,) = re.findall(r"\bOP_ADD\((\w+)\)", text)
    definition = Definition(name)
    configs: dict[str, Config] = {}
    for owner, calls in _chains(text):
        head, argument = calls[0]
        target = configs.get(owner)
        match head:
            case "Input" | "Output":
                place = target if target is not None else definition
                entries = place.inputs if head == "Input" else place.outputs
                entries[argument[0]] = dict(calls[1:])
            case "Attr":
                definition.attributes[argument[0]] = dict(calls[1:])
            case "AICore":
                soc, *variable = dict(calls)["AddConfig"]
                definition.chips[soc] = configs[variable[0]] if variable else None
            case "OpAICoreConfig":
                configs[argument[0]] = Config()
            case _ if target is not None:
                _set_flags(target, calls)
    return definition


def _chains(text: str) -> Iterator[tuple[str, list[tuple[str, tuple[str, ...]]]]]:
    """Statements as (owner, calls); a declaration of a config counts as a call of its type."""
    for statement in _STATEMENT.findall(text):
        declared = re.search(r"\bOpAICoreConfig (\w+);$", statement)
        if declared:
            yield "", [("OpAICoreConfig", (declared[1],))]
        elif start := _START.search(statement):
            chain = statement[start.start(2) :]
            yield start[1] or "", [(name, _arguments(inside)) for name, inside in _CALL.findall(chain)]


def _arguments(inside: str) -> tuple[str, ...]:
    return tuple(_unquoted(word) for word in _WORD.findall(inside))


def _unquoted(word: str) -> str:
    return word[1:-1] if word.startswith('"') else word


def _set_flags(config: Config, calls: list[tuple[str, tuple[str, ...]]]) -> None:
    for name, arguments in calls:
        if name == "ExtendCfgInfo":
            key, value = arguments
            config.extensions[key] = value
        else:
            (config.flags[name],) = arguments

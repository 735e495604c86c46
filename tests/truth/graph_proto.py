"""Reading graph prototypes (REG_OP): inputs, outputs, attributes and named types, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass

_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
_MACRO = re.compile(r"\.(\w+)\(((?:[^()\"]|\"[^\"]*\"|\([^()]*\))*)\)")


@dataclass(frozen=True, slots=True)
class Parameter:
    """``kind`` is INPUT, OPTIONAL_INPUT, DYNAMIC_INPUT, OUTPUT or DYNAMIC_OUTPUT."""

    kind: str
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class Attribute:
    """``default`` as it stands in the header without spaces; None for a required one."""

    name: str
    type: str
    default: str | None


@dataclass(frozen=True, slots=True)
class Proto:
    """One REG_OP; ``datatypes`` are the named types with the members of their list."""

    name: str
    inputs: tuple[Parameter, ...]
    outputs: tuple[Parameter, ...]
    attributes: tuple[Attribute, ...]
    datatypes: tuple[tuple[str, tuple[str, ...]], ...]


def read(header: str) -> Proto:
    """The one operator that a header registers."""
    text = _COMMENT.sub(" ", header)
    (operator,) = re.findall(r"\bREG_OP\((\w+)\)", text)
    body = text[text.index("REG_OP") :]
    inputs: list[Parameter] = []
    outputs: list[Parameter] = []
    attributes: list[Attribute] = []
    datatypes: list[tuple[str, tuple[str, ...]]] = []
    for macro, inside in _MACRO.findall(body):
        arguments = _split(inside)
        match macro:
            case "INPUT" | "OPTIONAL_INPUT" | "DYNAMIC_INPUT":
                inputs.append(Parameter(macro, *arguments))
            case "OUTPUT" | "DYNAMIC_OUTPUT":
                outputs.append(Parameter(macro, *arguments))
            case "ATTR":
                name, kind, default = arguments
                attributes.append(Attribute(name, kind, default))
            case "REQUIRED_ATTR":
                name, kind = arguments
                attributes.append(Attribute(name, kind, None))
            case "DATATYPE":
                datatypes.append((arguments[0], tuple(re.findall(r"ge::(DT_\w+)", arguments[1]))))
            case _:
                assert macro == "OP_END_FACTORY_REG", macro
    return Proto(operator, tuple(inputs), tuple(outputs), tuple(attributes), tuple(datatypes))


def _split(inside: str) -> list[str]:
    """Arguments of a macro: commas inside braces, parentheses or quotes do not separate."""
    parts, depth, quoted = [""], 0, False
    for character in inside:
        quoted ^= character == '"'
        depth += 0 if quoted else (character in "({[") - (character in ")}]")
        if character == "," and depth == 0 and not quoted:
            parts.append("")
        elif quoted or not character.isspace():
            parts[-1] += character
    return parts

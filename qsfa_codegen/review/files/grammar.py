"""What lines of C++ belong to, read with the grammar of tree-sitter."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

import tree_sitter
import tree_sitter_cpp
from tree_sitter import Node


@cache
def _parser() -> tree_sitter.Parser:
    return tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))


_QUALIFIER = re.compile(r"__(?:aicore|global|gm|ubuf|simd_vf|simd_callee)__")
"""Words of Ascend C before types and functions, which the grammar takes for types."""


def grammar_scopes(lines: Sequence[str]) -> Callable[[int], str]:
    """What each line belongs to, by its number: the innermost thing that has a name of its own."""
    names = [""] * (len(lines) + 1)
    text = _QUALIFIER.sub(lambda word: " " * len(word[0]), "\n".join(lines))
    tree = _parser().parse(text.encode("utf-8", "replace"))
    for node, name in _named(tree.root_node, ()):
        last = node.end_point[0] - (node.end_point[1] == 0)
        for line in range(_first_line(node), min(last, len(lines) - 1) + 1):
            names[line + 1] = name
    return lambda number: names[number] if 0 < number < len(names) else ""


def _first_line(node: Node) -> int:
    """Where the node begins, with the comment that stands right above it."""
    start = node.start_point[0]
    above = node.prev_named_sibling
    while above is not None and above.type == "comment" and above.end_point[0] == start - 1:
        if above.start_point[1] != node.start_point[1]:
            break  # it stands behind something else
        start = above.start_point[0]
        above = above.prev_named_sibling
    return start


def _named(node: Node, classes: tuple[str, ...]) -> Iterator[tuple[Node, str]]:
    """Everything with a name below ``node``, what is around before what is inside."""
    for child in node.named_children:
        say = _SAYS.get(child.type)
        name = say(child) if say is not None else ""
        if not name or (classes and child.type == "declaration"):
            yield from _named(child, classes)
        elif child.type == "function_definition":
            yield _whole(child), "::".join((*classes, name))
        elif child.type in _TYPES:
            yield _whole(child), f"{_TYPES[child.type]} {name}"
            yield from _named(child, (*classes, name))
        else:
            yield child, name
            if child.type == "namespace_definition":
                yield from _named(child, classes)


_TYPES = {"struct_specifier": "struct", "class_specifier": "class", "enum_specifier": "enum"}


def _whole(node: Node) -> Node:
    """With the head of the template, where it is one."""
    parent = node.parent
    return parent if parent is not None and parent.type == "template_declaration" else node


def _text(node: Node | None) -> str:
    return "" if node is None or node.text is None else node.text.decode("utf-8", "replace")


def _type(node: Node) -> str:
    return _text(node.child_by_field_name("name")) if node.child_by_field_name("body") is not None else ""


def _function(node: Node) -> str:
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type != "function_declarator":
        declarator = declarator.child_by_field_name("declarator") or next(
            (child for child in declarator.named_children if child.type.endswith("declarator")), None
        )
    if declarator is None:
        return ""
    name = _text(declarator.child_by_field_name("declarator"))
    is_macro = name.isupper() and node.child_by_field_name("type") is None
    return _line(declarator, name) if is_macro else f"{name}()"


def _line(node: Node, name: str) -> str:
    """The use of a macro, where it is one line, else the macro's name."""
    text = _text(node)
    return name if "\n" in text else text


def _declaration(node: Node) -> str:
    return _function(node) or _constant(node)


def _constant(node: Node) -> str:
    if not any(_text(child) in ("constexpr", "const") for child in node.children):
        return ""
    declarator = node.child_by_field_name("declarator")
    while declarator is not None and declarator.type not in ("identifier", "field_identifier"):
        declarator = declarator.child_by_field_name("declarator")
    return f"constant {_text(declarator)}" if declarator is not None else ""


def _macro(node: Node) -> str:
    return f"macro {_text(node.child_by_field_name('name'))}" if node.child_by_field_name("value") else ""


def _namespace(node: Node) -> str:
    name = _text(node.child_by_field_name("name"))
    return f"namespace {name}" if name else ""


def _statement(node: Node) -> str:
    """A macro that is used like a statement outside of functions, such as a registration."""
    found: Node | None = node
    while found is not None and found.type != "identifier":
        found = found.named_children[0] if found.named_children else None
    if found is None:
        return ""
    call = found.parent
    is_call = call is not None and call.type == "call_expression"
    return _line(call, _text(found)) if call is not None and is_call else _text(found)


_SAYS: Mapping[str, Callable[[Node], str]] = {
    "function_definition": _function,
    "struct_specifier": _type,
    "class_specifier": _type,
    "enum_specifier": _type,
    "declaration": _declaration,
    "preproc_def": _macro,
    "namespace_definition": _namespace,
    "expression_statement": _statement,
}

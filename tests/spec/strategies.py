"""Specs at random: whatever the language can say together, in a spec that breaks no rule.

``Maker`` takes every choice from one function, so that hypothesis and a plain random number generator
both can drive it. What it makes is a JSON-like tree; JSON is YAML.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
Tree = dict[str, Any]
Number = Callable[[int, int], int]

WORDS = (
    "alpha", "beta_in", "gamma2", "xIn", "y_0", "weights", "scale", "mask", "rowIds", "bias", "left_part",
    "k", "v2", "table", "lengths", "offsets", "PageMap", "cos_sin", "state", "count", "rate", "mode", "kind",
    "axis", "eps", "flagA", "steps", "limit", "name", "context", "dims", "size", "index", "data", "status",
    "result", "outA", "total", "rest_out", "inner", "value", "rows", "columns", "first", "last_one",
)  # fmt: skip
DIMS = ("N", "M", "ROWS", "S_1", "T2", "HEADS", "K_DIM", "B", "C", "W", "BLOCKS", "Q_LEN", "Z")
LETS = ("groups", "is_paged", "half_width", "S2", "total_rows", "aligned", "per_core", "tail", "fits", "wide")
LABELS = ("ROWS_FIRST", "TND", "BSND", "PACKED", "None_", "A", "b_2")
DTYPES = ("float16", "bfloat16", "float32", "int8", "int32", "int64", "uint8", "bool", "int4", "int16")
ODD_TEXT = (
    "a|b",
    "`x",
    "*/ //",
    "\\",
    '"',
    "<script>",
    "$$",
    "%d %s",
    "line\nline",
    "{{ x }}",
    r"?\?/",
    "-->",
)
ARCHS = {"A2": "arch22", "A3": "arch22", "A5": "arch35"}
FIELD_TYPES = (
    "uint8",
    "int8",
    "uint16",
    "int16",
    "uint32",
    "int32",
    "uint64",
    "int64",
    "bool",
    "float",
    "double",
)
KINDS = ("int", "int", "float", "bool", "enum", "enum", "str", "dtype", "list_int", "list_bool", "list_float")
STEPS = ("1", "2", "3", "16", "32")


class Maker:
    """Makes one spec. ``number(low, high)`` decides; ``odd`` text stands where a spec can have any."""

    def __init__(self, number: Number, *, odd_text: bool = False) -> None:
        self._number = number
        self._odd_text = odd_text
        self._words = self.shuffled(WORDS)
        self._dim_names = self.shuffled(DIMS)
        self._let_names = self.shuffled(LETS)
        self._dims: Tree = {}
        self._consts: Tree = {}
        self._enums: dict[str, list[str]] = {}
        self._attrs: Tree = {}
        self._inputs: Tree = {}
        self._ints: list[str] = []
        self._tests: list[str] = []
        self._whole: list[str] = []
        self._chips: list[str] = []
        self._layout: tuple[str, list[str]] | None = None
        self._style = ""
        self._by_chip = ""
        self._records: Tree = {}

    # ------------------------------------------------------------------ choices

    def pick(self, options: Sequence[T]) -> T:
        """One of the options."""
        return options[self._number(0, len(options) - 1)]

    def chance(self, percent: int) -> bool:
        """True so often."""
        return self._number(0, 99) >= 100 - percent

    def shuffled(self, options: Iterable[T]) -> list[T]:
        """All options in some order."""
        left, found = list(options), []
        while left:
            found.append(left.pop(self._number(0, len(left) - 1)))
        return found

    def some(self, options: Sequence[T], least: int = 1) -> list[T]:
        """A few of the options in their order."""
        kept = [option for option in options if self.chance(50)]
        return kept if len(kept) >= least else list(options[:least])

    def text(self, about: str) -> Tree:
        """A documentation text."""
        odd = f" {self.pick(ODD_TEXT)} " if self._odd_text and self.chance(60) else ""
        return {"en": f"Text{odd} about {about}.", "zh": f"关于{odd}{about}。"}

    # ------------------------------------------------------------------ the spec

    def spec(self) -> Tree:
        """A whole spec."""
        self._chips = self.some(["A2", "A3", "A5"])
        if self.chance(30):
            self._chips = self.shuffled(self._chips)
        self._style = self.pick(("wrapper", "wrapper", "auto", "handwritten"))
        self._by_chip = self._let_names.pop() if self.chance(30) else ""
        self._make_consts()
        self._make_enums()
        columns = self._make_dtypes()
        self._make_attrs()
        self._make_records(list(columns["columns"]))
        self._make_dims()
        self._make_inputs(list(columns["columns"]))
        outputs = self._make_outputs(list(columns["columns"]))
        lets = self._make_lets()
        spec: Tree = {
            "spec": 1,
            "operator": {
                "name": self.pick(("FusedThing", "ScaleRows", "GatherV2", "MoeInitRouting")),
                "category": "test",
                "brief": self.text("it"),
                "formula": self.pick(("y = x", "\\frac{a}{b}\ny", "")),
                "graph_mode": self.chance(50),
            },
            "chips": self._chips,
            **({"registration": {"dynamic_shape": True, "ext": {"key": "v"}}} if self.chance(30) else {}),
            "enums": {
                enum: {label: {"code": code} for code, label in enumerate(labels)}
                for enum, labels in self._enums.items()
            },
            "consts": self._consts,
            "dims": self._dims,
            "dtypes": columns,
            "records": self._records,
            "inputs": self._inputs,
            "attrs": self._attrs,
            "outputs": outputs,
            "let": lets,
            "constraints": self._constraints(),
            "contents": self._contents(),
        }
        if self.chance(60):
            has_kernel = self.chance(40)
            spec["tiling"] = self._tiling(has_kernel=has_kernel)
            if has_kernel:
                spec["kernel"] = self._kernel(list(outputs))
        spec["bindings"] = self._bindings(list(outputs))
        return {key: value for key, value in spec.items() if value not in ({}, [])}

    def _make_consts(self) -> None:
        for name in self.shuffled(("WIDTH", "TILE_SIZE", "LIMIT_2"))[: self._number(0, 2)]:
            self._consts[name] = {"value": self._number(1, 512), **self.text(name)}
            self._ints.append(name)

    def _make_enums(self) -> None:
        for name in ("Layout", "PadMode")[: self._number(0, 2)]:
            self._enums[name] = self.shuffled(LABELS)[: self._number(1, 3)]

    def _make_dtypes(self) -> Tree:
        columns = ["t", "kv"][: self._number(1, 2)]
        rows = [[self.pick(DTYPES) for _ in columns] for _ in range(self._number(1, 3))]
        distinct = [list(row) for row in dict.fromkeys(map(tuple, rows))]
        if self.chance(40):
            return {"columns": columns, "rows": {"all": distinct}}
        per_arch = dict.fromkeys(dict.fromkeys(ARCHS[chip] for chip in self._chips), distinct)
        if "arch35" in per_arch and self.chance(60):
            per_arch["arch35"] = [*distinct, ["float8_e5m2" for _ in columns]]
        return {"columns": columns, "rows": per_arch}

    # ------------------------------------------------------------------ attributes

    def _make_attrs(self) -> None:
        for _ in range(self._number(0, 5)):
            name = self._words.pop()
            kind = self.pick((*KINDS, "list_list_int") if self._style == "handwritten" else KINDS)
            attr = self._attr(name, kind)
            if self.chance(80):
                attr["doc"] = self.text(name)
            self._attrs[name] = attr

    def _attr(self, name: str, kind: str) -> Tree:
        match kind:
            case "int":
                return self._int_attr(name)
            case "bool":
                self._tests.append(name)
                return {"type": "bool", "default": self.chance(50)}
            case "float":
                return {"type": "float", "default": self.pick((1.0, 0.5, 1e-06)), **self._bounds("finite")}
            case "enum" if self._enums:
                return self._enum_attr(name)
            case "str" | "enum":
                text = self.pick(ODD_TEXT) if self._odd_text else "plain"
                return {"type": "str", "default": text}
            case "dtype":
                return {"type": "dtype", "default": "int8", "values": ["int8", "float16"]}
            case "list_list_int":
                return {"type": kind, "default": self.pick(([], [[1, 2], [3]]))}
        return self._list_attr(name, kind)

    def _bounds(self, otherwise: object) -> Tree:
        choice = self._number(0, 2)
        choices: list[Tree] = [{}, {"values": otherwise}, {"values": {"min": 0.0}}]
        return choices[choice]

    def _int_attr(self, name: str) -> Tree:
        self._ints.append(name)
        match self._number(0, 4):
            case 0:
                return {"type": "int", "default": 1}
            case 1:
                return {"type": "int", "required": self.chance(50), "default": 2, "values": [1, 2, 4]}
            case 2:
                return {"type": "int", "default": 0, "values": {"none": 0, "some": 3}}
            case 3:
                return {"type": "int", "default": 8, "values": {"min": 1, "max": 64}}
        return {
            "type": "int",
            "required": True,
            "default": 7,
            "values": [1, 2],
            "default_trap": self.text("the default"),
        }

    def _enum_attr(self, name: str) -> Tree:
        enum = self.pick(list(self._enums))
        labels = self._enums[enum]
        accepted = self.some(labels)
        if self._layout is None and len(accepted) > 1:
            self._layout = (name, accepted)
        self._tests.append(f'{name} == "{accepted[0]}"')
        return {"type": "str", "enum": enum, "default": accepted[0], "values": accepted}

    def _list_attr(self, name: str, kind: str) -> Tree:
        item = {"list_int": 3, "list_bool": True, "list_float": 0.25}[kind]
        length = self._number(1, 3)
        if self.chance(50):
            self._ints.append(f"len({name})")
            return {"type": kind, "default": [item] * self._number(0, 2)}
        if kind == "list_int":
            self._ints.append(f"{name}[{length - 1}]")
        elif kind == "list_bool":
            self._tests.append(f"{name}[0]")
        return {"type": kind, "default": [item] * length, "length": length}

    # ------------------------------------------------------------------ dims and inputs

    def _make_dims(self) -> None:
        for number in range(self._number(1, 4)):
            name = self._dim_names.pop()
            self._dims[name] = {**(self._dim() if number else {}), **self.text(name)}

    def _dim(self) -> Tree:
        match self._number(0, 5):
            case 0:
                return {"min": 0}
            case 1:
                return {"max": self._number(64, 4096), "multiple_of": self._number(1, 16)}
            case 2:
                return {"values": [1, 2, 48]}
            case 3 if len(self._chips) > 1:
                return {
                    "values": {"by": "chip", "of": {chip: [1, 2 + i] for i, chip in enumerate(self._chips)}}
                }
            case 4 if self._consts:
                return {"is": f"{next(iter(self._consts))} * 2"}
            case 5 if self._by_chip:
                return {"max": f"{self._by_chip} * 100"}
        return {}

    def _make_records(self, columns: Sequence[str]) -> None:
        if not self.chance(25):
            return
        sizes = [n for n in self._ints if n in self._consts or n in self._attrs] or ["16"]
        count, dtype = self.pick(("16", *self._consts)), self.pick((*columns, "int8"))
        fields = {
            "head": {"dtype": dtype, "count": count, **self.text("head")},
            "rest": {"dtype": "float32", "count": f"max(1, {self.pick(sizes)}) * 4", **self.text("rest")},
        }
        self._records["packed_row"] = {"unit": "uint8", "fields": fields, **self.text("a row")}
        self._ints += ["elements(packed_row)", "offset(packed_row, rest)"]

    def _make_inputs(self, columns: Sequence[str]) -> None:
        dims = list(self._dims)
        first = self._words.pop()
        self._inputs[first] = {
            "dtype": columns[0],
            "shape": self._first_shape(dims),
            **self._registered_form(),
            "doc": self.text(first),
        }
        self._ints += dims
        self._ints += [f"rank({first})", f"dim({first}, -1)"]
        for column in columns[1:]:
            self._further(column, dims, required=True)
        for _ in range(self._number(0, 3)):
            self._further(self.pick((*columns, "int32", "int64", "float32", "bool")), dims, required=False)

    def _registered_form(self) -> Tree:
        found: Tree = {}
        if self.chance(20):
            found["unknown_format"] = "ND"
        if self.chance(20):
            found["contiguous"] = self.pick(("ignore", "none"))
        return found

    def _first_shape(self, dims: list[str]) -> object:
        """The shape that defines every dim; with a layout one case may have a dim more."""
        if self.chance(25):
            self._ints.append("prod(LEAD)")
            return [{"rest": "LEAD", "min_rank": self._number(0, 2), "max_rank": 3}, *dims]
        if self._layout is None or self.chance(40):
            return list(dims)
        name, labels = self._layout
        extra = self._dim_names.pop()
        self._dims[extra] = self.text(extra)
        of = {label: list(dims) for label in labels}
        of[labels[-1]] = [extra, *dims]
        self._whole.append(extra)
        return {"by": name, "of": of}

    def _further(self, dtype: str, dims: Sequence[str], *, required: bool) -> None:
        name = self._words.pop()
        found: Tree = {"dtype": dtype}
        presence = "required" if required else self._presence(name)
        if presence != "required":
            found["presence"] = presence
        if presence == "ignored":
            found["dtype"] = "float32"
        elif not required and self.chance(15):
            found.update(dtype="float32", scalar=True, presence="required")
        elif not required and self.chance(15):
            count = self._dim_names.pop()
            self._dims[count] = self.text(count)
            found.update(list={"count": count}, shape=[self.pick(dims)], presence="required")
            self._ints += [count, f"count({name})"]
        else:
            found["shape"] = self._shape(name, dims)
            if presence == "required":
                self._ints.append(f"numel({name})")
        if found["dtype"] == "int64" and "shape" in found and "list" not in found and self.chance(40):
            found["value_depend"] = self.pick(("optional", "required"))
        if presence != "required" and "shape" in found and self.chance(15):
            found["empty_is_absent"] = True
        if self.chance(80):
            found["doc"] = self.text(name)
        self._inputs[name] = found

    def _presence(self, name: str) -> object:
        choice = self.pick(("required", "optional", "ignored", "table", "chip"))
        if choice == "chip":
            of = {chip: self.pick(("required", "optional", "absent")) for chip in self._chips}
            return {"by": "chip", "of": {**of, self._chips[0]: "optional"}}
        if choice == "table":
            if self._layout is None:
                return "optional"
            by, labels = self._layout
            return {"by": by, "of": {labels[0]: "required", "else": self.pick(("absent", "optional"))}}
        if choice == "optional":
            self._tests.append(f"present({name})")
        return choice

    def _shape(self, name: str, dims: Sequence[str]) -> object:
        match self._number(0, 4):
            case 0:
                return {"like": next(iter(self._inputs))}
            case 1:
                return [self.pick(dims), {"any": [self.pick(dims), "3"]}]
            case 2:
                return [f"{self.pick(dims)} * 2", self.pick(dims)]
            case 3:
                own = self._dim_names.pop() if self._dim_names else self.pick(dims)
                if own not in self._dims:
                    self._dims[own] = {"min": 0, **self.text(own)}
                return [own, self.pick(dims)]
        return [self.pick(dims)]

    # ------------------------------------------------------------------ expressions

    def integer(self, depth: int = 2) -> str:
        """An int64 expression over what always exists."""
        if depth == 0 or self.chance(30):
            return self.pick(self._ints) if self._ints and self.chance(75) else str(self._number(0, 64))
        a, b = self.integer(depth - 1), self.integer(depth - 1)
        step = self.pick(STEPS)
        return self.pick(
            (
                f"({a} + {b})",
                f"({a} - {b})",
                f"({a} * {b})",
                f"{a} // {step}",
                f"({a}) % {step}",
                f"min({a}, {b})",
                f"max({a}, {b}, 1)",
                f"ceil_div({a}, {step})",
                f"align_up({a}, {step})",
                f"abs({a})",
                f"-({a})",
                f"({a} if {self.test(depth - 1)} else {b})",
            )
        )

    def test(self, depth: int = 1) -> str:
        """A bool expression."""
        if self._tests and self.chance(40):
            return self.pick(self._tests)
        if depth <= 0:
            return f"{self.pick(self._ints)} > {self._number(0, 9)}"
        left, right = self.test(depth - 1), self.test(depth - 1)
        return self.pick(
            (
                f"({left} and {right})",
                f"({left} or {right})",
                f"(not {left})",
                f"{self.integer(1)} in (1, 2, 4)",
                f"is_power_of_two({self.integer(1)})",
                f"{self.integer(1)} <= {self.integer(1)}",
            )
        )

    def _value(self) -> object:
        """An expression, a table or a list of cases."""
        match self._number(0, 3):
            case 0 if self._layout is not None:
                name, labels = self._layout
                of = {label: self.integer() for label in labels[:-1]}
                return {"by": name, "of": {**of, labels[-1]: self._in_last_case()}}
            case 1:
                return {"cases": [{"when": self.test(), "value": self.integer()}, {"else": self.integer()}]}
        return self.integer()

    def _dim_table(self, dim: str) -> object:
        """A table by chip or layout of values that are not known before a call."""
        if len(self._chips) > 1 and self.chance(50):
            return {
                "by": "chip",
                "of": {chip: f"{dim} + {number}" for number, chip in enumerate(self._chips)},
            }
        if self._layout is None:
            return f"{dim} * 2"
        name, labels = self._layout
        return {"by": name, "of": {**dict.fromkeys(labels[:-1], dim), labels[-1]: self._in_last_case()}}

    def _in_last_case(self) -> str:
        """A value for the layout's last case, which may have a dim of its own."""
        return self._whole[0] if self._whole else f"{self.pick(self._dims_always())} + 1"

    def _make_lets(self) -> Tree:
        found: Tree = {}
        if self._by_chip:
            found[self._by_chip] = {"by": "chip", "of": {chip: 64 + n for n, chip in enumerate(self._chips)}}
            self._by_chip = ""
        for _ in range(self._number(0, 3)):
            name = self._let_names.pop()
            if self.chance(25):
                found[name] = self.test()
                self._tests.append(name)
                continue
            value = self._value()
            found[name] = {"value": value, **self.text(name)} if self.chance(40) else value
            self._ints.append(name)
        return found

    # ------------------------------------------------------------------ outputs

    def _make_outputs(self, columns: Sequence[str]) -> Tree:
        found: Tree = {}
        for number in range(self._number(1, 3)):
            name = self._words.pop()
            if number == 0 and self.chance(20):
                target = next(iter(self._inputs))
                self._inputs[target]["mutated"] = True
                found[self.pick((target, name))] = {"alias": target, "doc": self.text(target)}
                continue
            dtype: object = self.pick((*columns, "float32", {"follow": next(iter(self._inputs))}))
            found[name] = {"dtype": dtype, "shape": self._output_shape(), "doc": self.text(name)}
        return found

    def _output_shape(self) -> object:
        first = next(iter(self._inputs))
        match self._number(0, 4):
            case 0:
                return {"like": first}
            case 1:
                return {"like": first, "last": self.pick(list(self._dims_always()))}
            case 2 if self._layout is not None:
                name, labels = self._layout
                last = [self._whole[0]] if self._whole else [0]
                return {
                    "by": name,
                    "of": {**{label: self._sizes() for label in labels[:-1]}, labels[-1]: last},
                }
        return self._sizes()

    def _dims_always(self) -> list[str]:
        return [name for name in self._dims if name in self._ints]

    def _sizes(self) -> list[str]:
        dims = self._dims_always()
        return [
            self.pick((self.pick(dims), f"{self.pick(dims)} // 2", "1")) for _ in range(self._number(0, 3))
        ]

    # ------------------------------------------------------------------ rules

    def _constraints(self) -> list[Tree]:
        found: list[Tree] = []
        free = [n for n in self._dims_always() if not {"values", "is"} & set(self._dims[n])]
        for number in range(self._number(0, 2) if free else 0):
            rule: Tree = {
                "id": f"rule_{number}",
                "require": f"{self.pick(free)} % {self.pick(STEPS[1:])} == 0",
            }
            if self.chance(30):
                rule["message"] = self.text(self.pick(free))
            found.append(rule)
        return found

    def _contents(self) -> list[Tree]:
        names = [
            name
            for name, given in self._inputs.items()
            if given["dtype"] in ("int32", "int64") and "shape" in given and "list" not in given
        ]
        found: list[Tree] = []
        for number, name in enumerate(names[:2]):
            require = self.pick(
                (
                    f"non_decreasing({name})",
                    f"all_between({name}, 0, {self.integer(1)})",
                    f"padded_with({name}, -1)",
                )
            )
            rule: Tree = {"id": f"data_{number}", "require": require, "doc": self.text(name)}
            if self._inputs[name].get("presence", "required") != "required":
                rule["when"] = f"present({name})"
            if self._inputs[name].get("value_depend") and self.chance(70):
                rule["at"] = "tiling"
            found.append(rule)
        return found

    # ------------------------------------------------------------------ tiling

    def _tiling(self, *, has_kernel: bool) -> Tree:
        self._ints += ["aic", "aiv", "ub_size"]
        tiling: Tree = {"let": self._make_lets()}
        if has_kernel or self.chance(80):
            tiling["data"] = self._data()
        match self._number(0, 2):
            case 0:
                tiling["key"] = {"value": f"abs({self.integer(1)}) % 1000"}
            case 1:
                tiling["key"] = {"args": self._key_args(), "legal": "reachable"}
        if self.chance(60):
            archs = dict.fromkeys(ARCHS[chip] for chip in self._chips)
            told = self._tell(tiling["data"]) if has_kernel else []
            tiling["workspace"] = {arch: self._told_terms(told) if told else self._terms() for arch in archs}
        tiling["block_dim"] = self.pick(
            ("aiv", "tsch_block_dim(2 * aic, aic, 2 * aic)", f"min(aiv, {self.integer(1)})")
        )
        if self.chance(30):
            tiling["schedule_mode"] = "batch"
        return {key: value for key, value in tiling.items() if value not in ({}, [])}

    def _data(self) -> Tree:
        style = {"style": "macro"} if self.chance(30) else {}
        if self.chance(50):
            return {"struct": "ThingTilingData", **style, "fields": self._fields("a")}
        members: Tree = {"base": {"struct": "ThingBase", "fields": self._fields("b")}}
        members["direct"] = self._field()
        members["tailPart"] = {"struct": "ThingTail", "members": {"x1": self._field(), "deep": {
            "struct": "ThingDeep", "fields": self._fields("d")}}}  # fmt: skip
        return {"struct": "ThingTilingData", **style, "members": members}

    def _fields(self, prefix: str) -> Tree:
        return {f"{prefix}Field{n}": self._field() for n in range(self._number(1, 4))}

    def _field(self) -> Tree:
        ctype = self.pick(FIELD_TYPES)
        floats = [name for name, attr in self._attrs.items() if attr["type"] == "float"]
        value: object
        if ctype in ("float", "double"):
            value = self.pick(floats) if floats else 0.5
        elif ctype == "bool":
            value = self.test()
        else:
            # A constant that does not fit would break a rule.
            first = next(iter(self._dims))
            value = self.pick((f"{first} + {self.integer()}", self._dim_table(first), self.test(), first))
        return {"type": ctype, "value": value, **({"unused": True} if self.chance(10) else {})}

    def _key_args(self) -> Tree:
        args: Tree = {"FIRST": {"kind": "bool", "declared": [0, 1], "value": self.test()}}
        for name, attr in self._attrs.items():
            if attr.get("enum"):
                declared = self._enums[attr["enum"]]
                args[f"ARG_{name.upper()}"] = {
                    "kind": "uint", "bits": 4, "enum": attr["enum"], "declared": declared, "value": name
                }  # fmt: skip
        if self.chance(50):
            args["NUMBER"] = {
                "kind": "uint",
                "bits": 8,
                "declared": [0, 1, 2],
                "value": f"abs({self.integer(1)}) % 3",
            }
        return args

    def _tell(self, data: Tree) -> list[str]:
        """Names that a kernel can take the sizes of its workspace from: fields hold them."""
        told = ["aiv", *self._dims_always()[:2]]
        fields = {f"told{number}": {"type": "uint32", "value": name} for number, name in enumerate(told)}
        data.setdefault("members" if "members" in data else "fields", {}).update(fields)
        return told

    def _told_terms(self, told: Sequence[str]) -> Tree:
        sizes = (*told, *self._consts, "32")
        return {
            f"part{number}": {
                "per": "aiv",
                "count": f"min({self.pick(sizes)}, 64) * 2",
                "dtype": self.pick(("float32", "t", "int8")),
                **({"when": f"{told[1]} > 8"} if self.chance(30) else {}),
                **self.text("it"),
            }
            for number in range(self._number(0, 3))
        }

    def _terms(self) -> Tree:
        found: Tree = {}
        for number in range(self._number(0, 3)):
            term: Tree = {
                "count": self.integer(1),
                "dtype": self.pick(("float32", "t", "int8")),
                **self.text("it"),
            }
            if self.chance(60):
                term["per"] = self.pick(("aic", "aiv"))
            if self.chance(30):
                term["copies"] = "2"
            if self.chance(30):
                term["when"] = self.test()
            found[f"part{number}"] = term
        return found

    # ------------------------------------------------------------------ kernel

    def _kernel(self, outputs: Sequence[str]) -> Tree:
        numbers = [n for n, a in self._attrs.items() if a["type"] in ("int", "float", "bool") or "enum" in a]
        targets = self.shuffled(dict.fromkeys((*self._inputs, *numbers, *outputs, *self._records)))
        plans = {}
        for arch in dict.fromkeys(ARCHS[chip] for chip in self._chips):
            plans[arch] = {
                "tile": self.pick(("16", *self._consts, "128 * 2")),
                "group": {"wide": self.pick(("4", *self._dims_always()))},
                "buffers": {"UB": {"total": "96 * 1024", "rows": {"copies": 2, "bytes": 1024}}},
                "flags": {"ready": {}, "done": {"initial": 2}},
            }
        roles = {f"role_{number}": target for number, target in enumerate(targets[: self._number(1, 4)])}
        return {"family": "rows", "task_type": "aiv", "roles": roles, "plan": plans}

    # ------------------------------------------------------------------ bindings

    def _bindings(self, outputs: Sequence[str]) -> Tree:
        found: Tree = {"aclnn": {"style": self._style}}
        scalars = any("scalar" in given for given in self._inputs.values())
        if not scalars and self.chance(50):
            required = [n for n, i in self._inputs.items() if i.get("presence", "required") == "required"]
            fixed = [n for n, attr in self._attrs.items() if attr["type"] in ("list_float", "list_list_int")]
            others = [n for n in (*self._inputs, *self._attrs) if n not in (*required, *fixed)]
            found["torch"] = {
                "library": "_C_ascend",
                "name": "npu_thing",
                "positional": required,
                "keyword": others,
                "fixed": dict.fromkeys(fixed),
                "returns": list(outputs),
            }
        return found


def text_of(spec: Tree) -> str:
    """A spec as the text of a file."""
    return json.dumps(spec, ensure_ascii=False, indent=1)


def at_random(seed: int, *, odd_text: bool = False) -> str:
    """The spec of a random number generator."""
    return text_of(Maker(random.Random(seed).randint, odd_text=odd_text).spec())


@st.composite
def specs(draw: st.DrawFn, *, odd_text: bool = False) -> str:
    """Texts of specs."""
    return text_of(Maker(lambda low, high: draw(st.integers(low, high)), odd_text=odd_text).spec())

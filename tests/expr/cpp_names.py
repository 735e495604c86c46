"""How generated test programs spell the names of ``world``, and the C++ around them."""

from __future__ import annotations

from collections.abc import Sequence

from qsfa_codegen.expr.nodes import Query, RefKind
from tests.expr.world import CODES, SIZES, World

_ENUMERATORS = ", ".join(f"{label} = {code}" for label, code in CODES.items())
_DTYPES = tuple(SIZES)

PRELUDE = f"""\
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <vector>

enum class Mode : int64_t {{ {_ENUMERATORS} }};
enum class Dtype : int64_t {{ {", ".join(f"{name}_" for name in _DTYPES)} }};
constexpr int64_t BYTES[] = {{ {", ".join(str(SIZES[name]) for name in _DTYPES)} }};

struct Call {{
    int64_t A, B, C, first, last, rank;
    Mode mode, other_mode;
    Dtype t, dtype;
    bool flag, wide, x, y;
    double scale;
    std::vector<int64_t> sizes, rows;
}};

int64_t Bytes(Dtype dtype)
{{
    return BYTES[static_cast<int64_t>(dtype)];
}}

template <typename T>
int64_t Product(T &arith, const std::vector<int64_t> &values)
{{
    int64_t product = 1;
    for (int64_t value : values) {{
        product = arith.Mul(product, value);
    }}
    return product;
}}

template <typename T>
std::istream &ReadEnum(std::istream &in, T &value)
{{
    int64_t code = 0;
    in >> code;
    value = static_cast<T>(code);
    return in;
}}

void ReadList(std::istream &in, std::vector<int64_t> &values)
{{
    size_t count = 0;
    in >> count;
    values.resize(count);
    for (int64_t &value : values) {{
        in >> value;
    }}
}}

bool Read(std::istream &in, size_t &function, Call &c)
{{
    if (!(in >> function >> c.A >> c.B >> c.C >> c.first >> c.last >> c.rank)) {{
        return false;
    }}
    ReadEnum(in, c.mode);
    ReadEnum(in, c.other_mode);
    ReadEnum(in, c.t);
    ReadEnum(in, c.dtype);
    in >> c.flag >> c.wide >> c.x >> c.y >> c.scale;
    ReadList(in, c.sizes);
    ReadList(in, c.rows);
    return true;
}}

struct Outcome {{
    int64_t value;
    bool failed;
}};
"""


class Names:
    """Spellings for ``cpp.emit``: members of a ``Call c``."""

    def ref(self, kind: RefKind, name: str) -> str:
        return "c." + {"ROWS": "rows"}.get(name, name)

    def query(self, query: Query, param: str, axis: int | None, tail: int = 0) -> str:
        if query is Query.PRESENT:
            return f"c.{param}"
        names = {Query.RANK: "rank", Query.DTYPE: "dtype", Query.DIM: "first" if axis == 0 else "last"}
        return f"c.{names[query]}"

    def enum_label(self, enum: str, label: str) -> str:
        return f"{enum}::{label}"

    def dtype(self, name: str) -> str:
        return f"Dtype::{name}_"

    def call(self, function: str, args: tuple[str, ...]) -> str | None:
        if function == "sizeof":
            return f"Bytes({args[0]})"
        if function == "prod":
            return f"Product(arith, {args[0]})"
        return None


def line(function: int, world: World) -> str:
    """One line of input: which function to run on which call."""
    names, facts = world.names, world.facts
    numbers = [names[n] for n in "ABC"] + [facts[Query.DIM, "x", 0], facts[Query.DIM, "x", -1]]
    labels = [CODES[str(names[n])] for n in ("mode", "other_mode")]
    dtypes = [_DTYPES.index(str(d)) for d in (names["t"], facts[Query.DTYPE, "x", None])]
    flags = [names["flag"], names["wide"], facts[Query.PRESENT, "x", None], facts[Query.PRESENT, "y", None]]
    lists: list[object] = []
    for name in ("sizes", "ROWS"):
        items = names[name]
        assert isinstance(items, Sequence)
        lists += [len(items), *items]
    rank = facts[Query.RANK, "x", None]
    parts = [
        function,
        *numbers,
        rank,
        *labels,
        *dtypes,
        *(int(bool(f)) for f in flags),
        names["scale"],
        *lists,
    ]
    return " ".join(str(part) for part in parts)

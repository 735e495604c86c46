"""``op_host/<op>_infershape.cpp``: output shapes and dtypes, and the checks that they rest on."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from qsfa_codegen.expr.arith import arith_struct
from qsfa_codegen.expr.nodes import Expr, Kind, ParamQuery, Query, RefKind
from qsfa_codegen.render.artefact import Artefact
from qsfa_codegen.render.cpp import (
    attr_index,
    constants,
    enum_class,
    enum_parser,
    ge_dtype,
    index_constants,
    input_index,
    int_literal,
    output_index,
    variable,
)
from qsfa_codegen.render.infer_outputs import Setter, dim_value, rest_run, setters
from qsfa_codegen.render.infer_text import ARITH, InferText, local
from qsfa_codegen.render.messages import Given, failure, format_text
from qsfa_codegen.render.needs import Needs, needs
from qsfa_codegen.render.parameters import follow_root, literal
from qsfa_codegen.render.text import INDENT, cpp_comment, cpp_format_string, cpp_string
from qsfa_codegen.render.tiling_text import broken, call_with_format
from qsfa_codegen.render.unknowns import pieces
from qsfa_codegen.spec.model import (
    Attr,
    AttrType,
    CheckKind,
    DimItem,
    DtypeRef,
    Input,
    InputKind,
    Presence,
    Registered,
    Shape,
    Table,
)
from qsfa_codegen.spec.names import pascal, upper

if TYPE_CHECKING:
    from qsfa_codegen.render.templates import Templates
    from qsfa_codegen.spec.model import Check, EnumDef, Operator, Output

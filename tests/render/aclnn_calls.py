"""The generated aclnn wrapper, compiled against a stand-in and called as a C program calls it."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from qsfa_codegen.contract.calls import Call, InputArg, TensorArg
from qsfa_codegen.render.package import render
from qsfa_codegen.spec.aclnn import AclnnParam, Role, inner_signature
from qsfa_codegen.spec.dtypes import DTYPES
from qsfa_codegen.spec.model import AttrType, Operator

STUB = Path(__file__).parent / "aclnn_stub"
COMPILE = ("g++", "-std=c++17", "-O0", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{STUB}")
CHECKED = ("-fsanitize=undefined", "-fno-sanitize-recover=undefined")
ARRAYS: dict[str, tuple[str, Any]] = {
    "const aclIntArray *": ("Integers", ctypes.c_int64),
    "const aclFloatArray *": ("Floats", ctypes.c_float),
    "const aclBoolArray *": ("Flags", ctypes.c_bool),
}
NUMBERS: dict[str, Any] = {"double": ctypes.c_double, "bool": ctypes.c_bool, "int64_t": ctypes.c_int64}
OTHER_ARCH = 1001
WORKSPACE = 77
SECOND_PHASE = 5

_INNER = """\
#include "aclnn/acl_meta.h"

char g_logged[4096];
int g_arch = 0;
int g_living = 0;

namespace {{
bool g_called = false;
bool g_complete = false;
double g_numbers[{numbers}];
}} // namespace

extern "C" {{
aclnnStatus {name}GetWorkspaceSize({declarations}, uint64_t *workspaceSize_, aclOpExecutor **)
{{
    g_called = true;
    g_complete = {complete};
{record}    *workspaceSize_ = {workspace};
    return 0;
}}

aclnnStatus {name}(void *, uint64_t, aclOpExecutor *, aclrtStream)
{{
    return {second};
}}

void *Tensor(int dtype, int rank, const int64_t *dims)
{{
    gert::Shape shape(std::vector<int64_t>(dims, dims + rank));
    return new aclTensor(shape, static_cast<ge::DataType>(dtype));
}}

void *List(int count, void **tensors)
{{
    std::vector<const aclTensor *> items;
    for (int i = 0; i < count; ++i) {{
        items.push_back(static_cast<aclTensor *>(tensors[i]));
    }}
    return new aclTensorList(items);
}}

void *Scalar(int dtype)
{{
    return new aclScalar(static_cast<ge::DataType>(dtype));
}}

void *Integers(const int64_t *values, int count)
{{
    return new aclIntArray(values, static_cast<uint64_t>(count));
}}

void *Floats(const float *values, int count)
{{
    return new aclFloatArray(values, static_cast<uint64_t>(count));
}}

void *Flags(const bool *values, int count)
{{
    return new aclBoolArray(values, static_cast<uint64_t>(count));
}}

void Prepare(int arch)
{{
    g_arch = arch;
    g_called = false;
    g_logged[0] = 0;
}}

const char *Logged() {{ return g_logged; }}
int Called() {{ return g_called; }}
int Complete() {{ return g_complete; }}
int Living() {{ return g_living; }}
double Number(int index) {{ return g_numbers[index]; }}
}}
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the wrapper did; ``complete`` when CANN's function got a tensor for every output."""

    status: int
    message: str
    called: bool
    complete: bool
    living: int
    workspace: int

    @property
    def id(self) -> str:
        """The check that the message names."""
        return self.message.rpartition("[")[2].rstrip("]")


class Wrapper:
    """The compiled wrapper of one operator."""

    def __init__(self, operator: Operator, folder: Path, flags: Sequence[str] = CHECKED) -> None:
        self._operator = operator
        self._params = inner_signature(operator)
        self._kept: list[Any] = []
        for path, text in render(replace(operator, emit=("op_api",))).items():
            (folder / Path(path).name).write_text(text, encoding="utf-8")
        (folder / "inner.cpp").write_text(self._inner(), encoding="utf-8")
        sources = [str(folder / f"aclnn_{operator.snake}.cpp"), str(folder / "inner.cpp")]
        library = folder / "wrapper.so"
        subprocess.run([*COMPILE, *flags, *sources, "-o", str(library)], check=True)
        self.library = ctypes.CDLL(str(library))
        for maker in ("Tensor", "List", "Scalar", *(function for function, _ in ARRAYS.values())):
            getattr(self.library, maker).restype = ctypes.c_void_p
        self.library.Logged.restype = ctypes.c_char_p
        self.library.Number.restype = ctypes.c_double

    def call(
        self,
        call: Call,
        outputs: Mapping[str, TensorArg],
        left_out: Collection[str] = (),
        arch: int | None = None,
    ) -> Answer:
        """First phase of a call; parameters named in ``left_out`` are nullptr.

        A tensor of a list is left out by its place: ``weight[1]``.
        """
        self._kept.clear()
        self.library.Prepare(self._arch(call) if arch is None else arch)
        arguments = [self._argument(p, call, outputs, left_out) for p in self._params]
        workspace, executor = ctypes.c_uint64(0), ctypes.c_void_p(None)
        first = getattr(self.library, f"{self._operator.aclnn.name}GetWorkspaceSize")
        results = {"workspaceSize": ctypes.byref(workspace), "executor": ctypes.byref(executor)}
        places = [None if name in left_out else place for name, place in results.items()]
        status = first(*arguments, *places)
        return Answer(
            status=status,
            message=self.library.Logged().decode(),
            called=bool(self.library.Called()),
            complete=bool(self.library.Complete()),
            living=self.library.Living(),
            workspace=workspace.value,
        )

    def passed_on(self, name: str) -> float:
        """What CANN's function got for a number."""
        numbers = [p.source for p in self._params if not p.is_pointer]
        return float(self.library.Number(numbers.index(name)))

    def _inner(self) -> str:
        numbers = [p.name for p in self._params if not p.is_pointer]
        outputs = [f"{p.name} != nullptr" for p in self._params if p.role is Role.OUTPUT]
        return _INNER.format(
            name=self._operator.aclnn.inner,
            declarations=", ".join(f"[[maybe_unused]] {p.declaration}" for p in self._params),
            numbers=max(1, len(numbers)),
            complete=" && ".join(outputs) or "true",
            record="".join(f"    g_numbers[{i}] = {name};\n" for i, name in enumerate(numbers)),
            workspace=WORKSPACE,
            second=SECOND_PHASE,
        )

    def _arch(self, call: Call) -> int:
        found = [c for c in self._operator.chips if call.chip in (c.id, c.soc)]
        return int(found[0].npu_arch.removeprefix("DAV_")) if found else OTHER_ARCH

    def _argument(
        self, param: AclnnParam, call: Call, outputs: Mapping[str, TensorArg], left_out: Collection[str]
    ) -> Any:
        if param.source in left_out:
            return ctypes.c_void_p(None)
        if param.role is Role.ATTR:
            return self._value(param, call)
        given = (call.inputs if param.role is Role.INPUT else outputs).get(param.source)
        return ctypes.c_void_p(None if given is None else self._input(param, given, left_out))

    def _value(self, param: AclnnParam, call: Call) -> Any:
        attr = next(a for a in self._operator.attrs if a.name == param.source)
        if param.source not in call.attrs and param.is_pointer:
            return ctypes.c_void_p(None)
        value: Any = call.attrs.get(param.source, attr.default)
        if param.ctype in ARRAYS:
            return self._array_of(param.ctype, value)
        if param.ctype == "char *":
            return ctypes.c_char_p(str(value).encode())
        return NUMBERS[param.ctype](DTYPES[value].code if attr.type is AttrType.DTYPE else value)

    def _input(self, param: AclnnParam, given: InputArg, left_out: Collection[str]) -> int | None:
        if not isinstance(given, TensorArg):
            items = [
                None if f"{param.source}[{index}]" in left_out else self._tensor(item)
                for index, item in enumerate(given)
            ]
            return int(self.library.List(len(items), self._array(ctypes.c_void_p, items)))
        if param.ctype in ARRAYS:
            return self._array_of(param.ctype, [0] * given.shape[0]).value
        if param.ctype == "const aclScalar *":
            return int(self.library.Scalar(DTYPES[given.dtype].code))
        return self._tensor(given)

    def _tensor(self, given: TensorArg) -> int:
        code, dims = DTYPES[given.dtype].code, self._array(ctypes.c_int64, given.shape)
        return int(self.library.Tensor(code, len(given.shape), dims))

    def _array_of(self, ctype: str, values: Sequence[Any]) -> ctypes.c_void_p:
        maker, kind = ARRAYS[ctype]
        return ctypes.c_void_p(getattr(self.library, maker)(self._array(kind, values), len(values)))

    def _array(self, kind: Any, values: Sequence[Any]) -> Any:
        array = (kind * max(1, len(values)))(*values)
        self._kept.append(array)
        return array

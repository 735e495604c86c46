"""Generated graph prototypes against those of the released wheel."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.truth import graph_proto
from tests.truth.graph_proto import Attribute, Proto
from tests.truth.operators import FIXTURES, SPECS, generated
from tests.truth.wheel import Wheel


def comparable(proto: Proto) -> Proto:
    """Floats by value: 1e-6, 1e-06 and 0.000001f are one default."""
    return replace(proto, attributes=tuple(map(_by_value, proto.attributes)))


def _by_value(attribute: Attribute) -> Attribute:
    if attribute.type != "Float" or attribute.default is None:
        return attribute
    return replace(attribute, default=repr(float(attribute.default.removesuffix("f"))))


@pytest.mark.parametrize("snake", [*SPECS, *FIXTURES])
def test_prototype_is_the_released_one(snake: str, released: Wheel) -> None:
    files = generated(snake).files
    ours = graph_proto.read(files[f"op_graph/{snake}_proto.h"])
    assert comparable(ours) == comparable(graph_proto.read(released.proto(snake)))

"""The template environment: overlays, mistakes in templates, and the cache of compiled ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import TemplateNotFound, UndefinedError

from qsfa_codegen.render import templates
from qsfa_codegen.render.templates import Templates


@pytest.fixture
def overlay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "overlay"
    folder.mkdir()
    return folder


def test_a_template_of_the_overlay_wins(overlay: Path) -> None:
    (overlay / "op_graph").mkdir()
    (overlay / "op_graph" / "proto.h.j2").write_text("mine: {{ name }}\n", encoding="utf-8")
    assert Templates(overlay).render("op_graph/proto.h.j2", name="Thing") == "mine: Thing\n"


def test_other_templates_still_come_from_the_project(overlay: Path) -> None:
    text = Templates(overlay).render("op_graph/proto.h.j2", name="FusedThing", lines=[".INPUT(x, y)"])
    assert "#ifndef FUSED_THING_PROTO_H_\n" in text
    assert "\n    .INPUT(x, y)\n" in text


def test_an_undefined_name_is_an_error(overlay: Path) -> None:
    (overlay / "t.j2").write_text("{{ nothing }}", encoding="utf-8")
    with pytest.raises(UndefinedError, match="nothing"):
        Templates(overlay).render("t.j2")


def test_a_missing_template_is_an_error(overlay: Path) -> None:
    with pytest.raises(TemplateNotFound):
        Templates(overlay).render("none.j2")


def test_blocks_leave_no_blank_lines_and_nothing_is_escaped_unasked(overlay: Path) -> None:
    (overlay / "t.j2").write_text("{% for x in xs %}\n  <{{ x }}>\n{% endfor %}\nend\n", encoding="utf-8")
    assert Templates(overlay).render("t.j2", xs=["&", '"']) == '  <&>\n  <">\nend\n'


def test_filters_escape_for_their_place(overlay: Path) -> None:
    (overlay / "t.j2").write_text("{{ x | cpp_string }} {{ x | markdown_cell }}", encoding="utf-8")
    assert Templates(overlay).render("t.j2", x='a"|') == '"a\\"|" a"\\|'


def test_compiled_templates_are_kept_and_found_again(overlay: Path, tmp_path: Path) -> None:
    (overlay / "t.j2").write_text("one", encoding="utf-8")
    assert Templates(overlay).render("t.j2") == "one"
    kept = list((tmp_path / "cache" / "qsfa-codegen").rglob("*.cache"))
    assert len(kept) == 1
    stamp = kept[0].stat().st_mtime_ns
    assert Templates(overlay).render("t.j2") == "one"
    assert kept[0].stat().st_mtime_ns == stamp


def test_a_changed_template_is_not_taken_from_the_cache(overlay: Path) -> None:
    (overlay / "t.j2").write_text("one", encoding="utf-8")
    Templates(overlay).render("t.j2")
    (overlay / "t.j2").write_text("two", encoding="utf-8")
    assert Templates(overlay).render("t.j2") == "two"


def test_a_damaged_cache_is_harmless(overlay: Path, tmp_path: Path) -> None:
    (overlay / "t.j2").write_text("one", encoding="utf-8")
    Templates(overlay).render("t.j2")
    (kept,) = (tmp_path / "cache" / "qsfa-codegen").rglob("*.cache")
    whole = kept.read_bytes()
    for damaged in (b"", whole[:-5], whole[: len(whole) // 2], b"nonsense"):
        kept.write_bytes(damaged)
        assert Templates(overlay).render("t.j2") == "one"


def test_a_cache_that_cannot_be_written_is_harmless(
    overlay: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    (overlay / "t.j2").write_text("one", encoding="utf-8")
    assert Templates(overlay).render("t.j2") == "one"


def test_a_full_disk_is_harmless(overlay: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(28, "No space left on device")

    (overlay / "t.j2").write_text("one", encoding="utf-8")
    monkeypatch.setattr(Path, "write_bytes", refuse)
    assert Templates(overlay).render("t.j2") == "one"


def test_without_a_home_nothing_is_cached(overlay: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.chdir(overlay)
    (overlay / "t.j2").write_text("one", encoding="utf-8")
    assert Templates(overlay).render("t.j2") == "one"
    assert [path.name for path in overlay.iterdir()] == ["t.j2"]


def test_the_shared_environment_renders_too() -> None:
    text = templates.render("op_graph/proto.h.j2", name="Thing", lines=[])
    assert text.startswith("#ifndef THING_PROTO_H_\n")

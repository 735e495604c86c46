"""A review as one page for a browser, which loads nothing from anywhere."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from qsfa_codegen.review.report.page.view import page_view

if TYPE_CHECKING:
    from qsfa_codegen.review.compare import Review

_HERE = Path(__file__).parent


def page(reviews: Sequence[Review]) -> str:
    """The page: a summary, then for each operator its changes, calls, and files."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(_HERE),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style, script = ((_HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    return environment.get_template("page.html.j2").render(
        page=page_view(reviews),
        style=Markup(style),
        script=Markup(script),
        policy=_policy(style, script),
    )


def _policy(style: str, script: str) -> str:
    """Nothing is loaded, and nothing runs but the page's own script, whatever a spec holds."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"

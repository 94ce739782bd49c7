"""Drawings of karat inside the page, in the colors of its theme: light and dark are one drawing."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path
from typing import Any, Final

from docutils import nodes

from builders.written import write_changed
from karat.output.html.colours import COLOURS
from karat.plot import PALETTE

__all__ = ["setup", "themed", "write_colors"]

_COLOR: Final = re.compile(r"#[0-9a-f]{6}\b", re.IGNORECASE)
_ROLE: Final = 'role="img"'
_NAMES: Final = {color: name for name, color in PALETTE.items()}


def themed(svg: str, description: str) -> str | None:
    """A drawing whose colors follow the theme, or None if it has others than those of the palette.

    A heat map has others: the color of its text is chosen for each cell.
    """
    if _ROLE not in svg.partition(">")[0] or "<image" in svg:
        return None
    if not set(_COLOR.findall(svg)) <= set(_NAMES):
        return None
    label = f'role="img" aria-label="{escape(description)}"'
    colored = _COLOR.sub(lambda found: f"var(--karat-{_NAMES[found[0]]})", svg)
    return f'<span class="picture">{colored.replace(_ROLE, label, 1)}</span>'


def write_colors(folder: Path) -> None:
    """Write `pictures.css`: the colors of drawings on light and on dark pages."""
    folder.mkdir(parents=True, exist_ok=True)
    rules = []
    for place, theme in enumerate(("light", "dark")):
        colors = "".join(f"--karat-{name}: {COLOURS[name][place]}; " for name in PALETTE)
        rules.append(f'html[data-theme="{theme}"] {{ {colors.strip()} }}\n')
    rules.append("html[data-theme] { --karat-paper: var(--pst-color-background); }\n")
    write_changed(folder / "pictures.css", "".join(rules))


def _inline(app: Any, doctree: nodes.document, _page: str) -> None:
    if app.builder.format != "html":
        return
    for node in list(doctree.findall(nodes.image)):
        path = Path(app.srcdir, node["uri"])
        if path.suffix == ".svg" and path.is_file():
            drawing = themed(path.read_text(encoding="utf-8"), node.get("alt", ""))
            if drawing is not None:
                node.replace_self(nodes.raw("", drawing, format="html"))


def setup(app: Any) -> dict[str, Any]:
    """Put the drawings into the pages of HTML."""
    app.connect("doctree-resolved", _inline)
    app.add_css_file("pictures.css")
    return {"parallel_read_safe": True, "parallel_write_safe": True}

"""Configuration of the documentation; `make docs` builds it into build/docs/html."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

from docutils import nodes

HERE: Final = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
# Studies: what is measured stands beside the pages.
sys.path.append(str(HERE.parent))

from builders.api_pages import write_api_pages  # noqa: E402
from builders.code_page import write_code_page  # noqa: E402
from builders.docstrings import as_rst  # noqa: E402
from builders.linked_files import copy_linked_files, links_within  # noqa: E402
from builders.metric_pages import write_metric_pages  # noqa: E402
from builders.moved_pages import write_moved_pages  # noqa: E402
from builders.pictures import write_colors  # noqa: E402
from builders.study_pages import write_study_pages  # noqa: E402
from builders.task_page import write_task_page  # noqa: E402

import karat  # noqa: E402

project = "karat"
author = "The karat authors"
copyright = author  # noqa: A001
version = release = karat.__version__

extensions = [
    *("myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"),
    *("builders.mathml", "builders.pictures"),
]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
# Examples are doctests; a prompt without colours is still Python.
highlight_language = "python"

napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_custom_sections = ["Errors", "Cost", "Undefined"]
napoleon_use_ivar = True
napoleon_use_rtype = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"

html_theme = "pydata_sphinx_theme"
html_title = "karat"
html_math_renderer = "mathml"
html_static_path = ["style", "linked/style"]
html_css_files = ["karat.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options: dict[str, Any] = {
    "navbar_align": "left",
    "show_toc_level": 2,
    "navigation_with_keys": True,
    "header_links_before_dropdown": 7,
}
# Pages without pages below them.
html_sidebars: dict[str, list[str]] = {"tour": [], "by_task": [], "why": []}
exclude_patterns = ["builders", "speed/*.svg"]
# Types in docstrings are shapes, float64[k], no names to link to.
suppress_warnings = ["ref.python"]


def _write_pages(_: Any) -> None:
    write_metric_pages(HERE / "metrics")
    write_api_pages(HERE / "reference")
    write_code_page(HERE / "reference" / "codes.md")
    write_task_page(HERE / "by_task.md")
    copy_linked_files(HERE)
    write_study_pages(HERE)
    write_colors(HERE / "linked" / "style")


def _as_rst(_app: Any, _what: str, _name: str, _of: Any, _options: Any, lines: list[str]) -> None:
    lines[:] = as_rst(lines)


def _trim_code(_app: Any, doctree: nodes.document) -> None:
    """A block of prompts ends with an empty line, which says nothing on a page."""
    for node in doctree.findall(nodes.literal_block):
        node.rawsource = node.astext().rstrip()
        node[:] = [nodes.Text(node.rawsource)]


def _keep_links(_app: Any, name: str, source: list[str]) -> None:
    if "/" not in name:
        source[0] = links_within(source[0])


def setup(app: Any) -> None:
    """Pages are made before sources are looked for."""
    app.connect("config-inited", lambda app, config: _write_pages(app))
    app.connect("source-read", _keep_links)
    app.connect("doctree-read", _trim_code)
    app.connect("build-finished", lambda app, _: write_moved_pages(Path(app.outdir)))
    # Before napoleon reads the sections.
    app.connect("autodoc-process-docstring", _as_rst, priority=100)

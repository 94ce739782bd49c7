"""Pages that moved: a link to the old place leads to the new one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

__all__ = ["MOVED", "write_moved_pages"]

MOVED: Final = {"howto/imbalanced": "cookbook/fraud"}
"""Old page → new page."""


def write_moved_pages(site: Path) -> None:
    """Write a page for each old place.

    Raises:
        FileNotFoundError: there is no new page.
    """
    for old, new in MOVED.items():
        (site / f"{new}.html").stat()
        place = site / f"{old}.html"
        target = os.path.relpath(site / f"{new}.html", place.parent).replace(os.sep, "/")
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Moved</title>'
            f'<meta http-equiv="refresh" content="0; url={target}">'
            f'<p>This page is now <a href="{target}">{new}</a>.</p></html>\n',
            encoding="utf-8",
        )

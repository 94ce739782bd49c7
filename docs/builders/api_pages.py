"""Pages of the public names that are no metrics: from the names themselves and their docstrings."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import karat
from builders.written import write_changed

__all__ = ["MODULES", "public_names", "write_api_pages"]

MODULES: Final = {
    "karat.curves": "Curves as data",
    "karat.plot": "Pictures",
    "karat.objectives": "Objectives",
    "karat.metrics": "The catalogue",
    "karat.tally": "Tallies: the waist",
    "karat.testing": "Laws for metrics and sources of third parties",
    "karat.errors": "Errors",
    "karat.compat.sklearn": "Drop-in for scikit-learn",
    "karat.compat.catboost": "Drop-in for CatBoost",
    "karat.compat.onedal": "Drop-in for oneDAL",
}


def public_names(module: Any) -> list[str]:
    """The classes and functions of a module, in the order of its list."""
    named = {name: getattr(module, name) for name in module.__all__ if not name.startswith("__")}
    return [name for name, value in named.items() if callable(value)]


def write_api_pages(folder: Path) -> None:
    """Write `index.md` and a page for each module."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = {"index.md": _index(), "karat.md": _page("karat", "The package", karat)}
    for name, title in MODULES.items():
        pages[f"{name}.md"] = _page(name, title, importlib.import_module(name))
    for name, lines in pages.items():
        write_changed(folder / name, "\n".join(lines) + "\n")


def _index() -> Iterator[str]:
    yield from (
        "# Reference",
        "",
        "Metrics are functions of `karat`; each has [a page](../metrics/index.md).",
        "[By task](../by_task.md) lists everything by what it is for.",
        "",
    )
    yield from ("```{toctree}", ":maxdepth: 1", "", "karat", *MODULES, "codes", "```")


def _page(name: str, title: str, module: Any) -> Iterator[str]:
    yield from (f"# {title}: `{name}`", "")
    told = inspect.getdoc(module) or ""
    yield from (told.split("\n\nExample:")[0].split("\nExample:")[0], "")
    for each in public_names(module):
        if module is karat and "_" in each:
            # A search finds the name by its words.
            yield from (f"```{{index}} ! single: {each.replace('_', ' ')}", "```")
        directive = _directive(getattr(module, each))
        yield from ("```{eval-rst}", f".. {directive}:: {name}.{each}")
        if directive == "autoclass":
            yield from ("   :members:", "   :member-order: bysource")
        yield from ("```", "")


def _directive(value: Any) -> str:
    if not inspect.isclass(value):
        return "autofunction"
    return "autoexception" if issubclass(value, BaseException) else "autoclass"

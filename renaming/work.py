"""Apply a table to the files of a repository."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from renaming.calls import Place
from renaming.commands import Shell, renamed_options
from renaming.documents import (
    Document,
    docstrings,
    markdown,
    notebook,
    prose,
    unread_code,
    with_cells,
)
from renaming.edits import Edits, applied, problem_of
from renaming.flow import Flow
from renaming.names import code_in_strings, renamed_names
from renaming.plans import Planner
from renaming.report import Remark, Report
from renaming.repository import Repository
from renaming.scopes import Module
from renaming.sharing import collected
from renaming.table import Table

PATHS: Final = (
    "tests",
    "docs",
    "examples",
    "benchmarks",
    "fuzz",
    "simulations",
    "src",
    "README.md",
    "ARCHITECTURE.md",
    "CONTRIBUTING.md",
    ".github",
    "Makefile",
)
ENDINGS: Final = (".py", ".md", ".ipynb", ".yml", ".yaml", ".toml", ".sh", ".mk")
SKIPPED: Final = ("build", "__pycache__", "node_modules")
# The package itself: its code is changed by hand, the examples of its docstrings are not.
PACKAGE: Final = "src"


def files_in(paths: Iterable[Path]) -> Iterator[Path]:
    """The files of paths that can hold calls."""
    for path in paths:
        inside = sorted(path.rglob("*")) if path.is_dir() else [path]
        for file in inside:
            is_ours = not any(p in SKIPPED or p.startswith(".venv") for p in file.parts)
            if is_ours and file.is_file() and (file.suffix in ENDINGS or file.name == "Makefile"):
                yield file.resolve()


def renamed(table: Table, root: Path, paths: Iterable[Path]) -> Report:
    """Old and new texts of the files; nothing is written."""
    report = Report(root)
    files = list(dict.fromkeys(files_in(paths)))
    documents: dict[Path, Document] = {}
    for path in files:
        with path.open(encoding="utf-8", newline="") as file:
            text = file.read()
        report.texts[path] = (text, text)
        if path.suffix == ".py":
            documents[path] = docstrings(path, text)
        elif path.suffix == ".md":
            documents[path] = markdown(path, text)
        elif path.suffix == ".ipynb":
            documents[path] = notebook(path, text)
    code = [p for p in files if p.suffix == ".py" and not p.is_relative_to(root / PACKAGE)]
    modules = [document.module for document in documents.values() if document.module]
    repository = Repository(root, code, modules)
    flow = Flow(repository)
    options = collected(table, flow)
    planner = Planner(table, options, flow)
    plans, strings = planner.plans(), planner.loose()
    report.n_calls, report.n_spreads = options.n_calls, options.n_spreads
    places = [*options.places, *planner.places]
    wanted = set(files)
    edits: dict[Module, Edits] = {m: Edits() for m in repository.modules if m.path in wanted}
    rules: dict[Module, list[str]] = {module: [] for module in edits}
    for node, plan in plans.items():
        if (module := options.homes[node]) in edits:
            edits[module].plans[node] = plan
            rules[module] += plan.rules
    for node, text in strings.items():
        if (module := options.homes[node]) in edits:
            edits[module].strings[node] = text
            rules[module].append(f"{node.value} → {text}")  # type: ignore[attr-defined]
    for module, changes in edits.items():
        rules[module] += renamed_names(table, flow, module, changes, places)
        if not module.is_document:
            places += code_in_strings(table, module)
            rules[module] += renamed_options(table, module, changes, places)
        source, lost = applied(module, changes, table.package)
        places += [Place(module, node, "not changed: a string in several parts") for node in lost]
        if problem := problem_of(module.source, source):
            text = f"not changed: the new file would not compile ({problem})"
            report.remarks.add(Remark(report.short(module.path), 1, text))
        else:
            report.count(module.path, rules[module])
            _put(report, documents[module.path], module, source)
    for path in files:
        _text(table, report, path)
    _remarks(table, report, documents, wanted, places)
    return report


def _put(report: Report, document: Document, module: Module, source: str) -> None:
    """Put the new code of a file, or of a document, into its text."""
    old, new = report.texts[module.path]
    if not module.is_document:
        # Line endings as they were: Python reads all of them as one.
        if "\r\n" in old:
            source = source.replace("\r\n", "\n").replace("\n", "\r\n")
        new = source
    elif source != module.source and module.path.suffix == ".ipynb":
        new = with_cells(document, source)
    elif module.path.suffix == ".py":
        new = document.replaced_in(new, source)
    elif module.path.suffix == ".md":
        new = document.with_code(source)
    report.texts[module.path] = (old, new)


def _text(table: Table, report: Report, path: Path) -> None:
    """Change what is no Python: shell text, and inline code."""
    old, new = report.texts[path]
    shell = Shell(table)
    if path.suffix == ".md":
        new = prose(table, report.short(path), new, shell)
    elif path.suffix not in (".py", ".ipynb"):
        new = shell.text(new)
    report.texts[path] = (old, new)
    report.count(path, shell.rules)


def _remarks(
    table: Table,
    report: Report,
    documents: dict[Path, Document],
    wanted: set[Path],
    places: list[Place],
) -> None:
    verbs: dict[Place, set[str]] = defaultdict(set)
    for place in places:
        verbs[replace(place, verb="")].add(place.verb)
    for place, several in verbs.items():
        if place.module.path in wanted:
            line = getattr(place.node, "lineno", 0)
            if place.module.is_document:
                line = documents[place.module.path].line_of(line)
            report.remark(place, line, several)
    for path, document in documents.items():
        for line in unread_code(table, document):
            report.remarks.add(Remark(report.short(path), line, "code that is not read"))

"""The rooms of the package, the directions of imports between them, and no cycle in any import.

Every import counts: at the top, inside functions, under TYPE_CHECKING, and by `import_module`.
There is no exception: a face is a name that users import, and no room imports it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.architecture.imports import PACKAGE, ROOT, Import, imports_of


def stated(page: str) -> dict[str, set[str]]:
    """The table of rooms on a page: room → the rooms that it may import."""
    rows = re.findall(r"^\| `(\w+)` \|[^|]*\| ([^|]*) \|$", page, re.MULTILINE)
    found: dict[str, set[str]] = {}
    for name, allowed in rows:
        found[name] = (
            set(found) if allowed == "all above" else set(allowed.split(", ")) - {"nothing"}
        )
    return found


def reached(direct: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Room → what it may import, and what these may, and so on."""
    found: dict[str, set[str]] = {}
    for name in direct:
        waiting, seen = [*direct[name]], set[str]()
        while waiting:
            each = waiting.pop()
            if each not in seen:
                seen.add(each)
                waiting += direct.get(each, ())
        found[name] = seen
    return found


DIRECT = stated((ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8"))
ROOMS = reached(DIRECT)
"""Room → the rooms that it may import. All may import the version and the native kernels."""

FACES = {"karat", "karat.curves", "karat.plot", "karat.plot.svg"}
"""Public names, found in other rooms when first used; nothing inside imports them."""

ENTRANCES = {"karat.__main__": {"cli"}, "karat.pytest_gate": {"karat", "results"}}
"""Where Python and pytest come in, and what they call."""

COMMON = {"_native", "_version"}

FORBIDDEN = {"pandas", "polars", "sklearn", "scipy.stats", "pydantic", "catboost", "torchmetrics"}
"""Packages that no file of the library may import, not even inside a function."""

LATE = {
    "narwhals": {"data", "output"},
    "nanoarrow": {"data"},
    "duckdb": {"data"},
    "dask": {"data"},
    "pyarrow": {"data"},
    "pyspark": {"data"},
    "click": {"cli"},
    "jinja2": {"output"},
    "matplotlib": {"output"},
    "rich": {"output", "cli"},
    "pytest": {"pytest_gate"},
    "scipy": {"designs", "inference", "metrics", "output", "results"},
    "torch": {"compat"},
}
"""Packages imported when first needed, and the rooms that may need them."""


def room(module: str) -> str:
    """The room of a module: karat.tally.cells is in tally; a face is a room of its own."""
    return module if module in FACES else module.split(".")[1]


def wrong_directions(imports: list[Import]) -> list[str]:
    """Imports between rooms that the table does not allow."""
    wrong = []
    for found in imports:
        if not (found.imported + ".").startswith("karat."):
            continue
        importer, imported = room(found.importer), room(found.imported)
        if importer in FACES or importer == imported or imported in COMMON:
            continue
        if found.importer in ENTRANCES:
            allowed = ENTRANCES[found.importer]
        elif importer in ROOMS:
            allowed = ROOMS[importer]
        else:
            wrong.append(f"{found} (give {importer} a row in ROOMS)")
            continue
        if imported not in allowed:
            wrong.append(f"{found} ({importer} may import {sorted(allowed)})")
    return wrong


def graph(imports: list[Import]) -> dict[str, set[str]]:
    """Module → the modules of the package that it imports."""
    drawn: dict[str, set[str]] = {}
    for found in imports:
        if (found.imported + ".").startswith("karat.") and found.imported != found.importer:
            drawn.setdefault(found.importer, set()).add(found.imported)
    return drawn


def cycle(edges: Mapping[str, set[str]]) -> list[str]:
    """A way from a module back to itself, or nothing."""
    done: set[str] = set()
    for start in edges:
        way: list[str] = []
        stack = [(start, iter(sorted(edges.get(start, ()))))]
        way.append(start)
        while stack:
            module, following = stack[-1]
            found = next((each for each in following if each not in done), None)
            if found is None:
                done.add(module)
                stack.pop()
                way.pop()
            elif found in way:
                return [*way[way.index(found) :], found]
            else:
                way.append(found)
                stack.append((found, iter(sorted(edges.get(found, ())))))
    return []


def wrong_packages(imports: list[Import]) -> list[str]:
    """Imports of packages that are forbidden, or used by a room that has no business with them."""
    wrong = []
    for found in imports:
        if any((found.imported + ".").startswith(name + ".") for name in FORBIDDEN):
            wrong.append(f"{found} (no file of karat may import it)")
        name = found.imported.partition(".")[0]
        if name in LATE and room(found.importer) not in LATE[name]:
            wrong.append(f"{found} (only {sorted(LATE[name])} may)")
    return wrong


def test_every_import_follows_the_directions() -> None:
    assert wrong_directions(imports_of(PACKAGE)) == []


def test_the_table_is_read_as_it_stands() -> None:
    page = (
        "| room | subject | may import |\n| `a` | x | nothing |\n| `b` | y | a |\n| `c` | z | b |"
    )
    assert stated(page) == {"a": set(), "b": {"a"}, "c": {"b"}}
    assert reached(stated(page)) == {"a": set(), "b": {"a"}, "c": {"a", "b"}}
    assert stated(f"{page}\n| `d` | w | all above |")["d"] == {"a", "b", "c"}


def test_no_import_leads_back() -> None:
    assert cycle(graph(imports_of(PACKAGE))) == []


def test_the_directions_themselves_have_an_order() -> None:
    assert cycle(DIRECT) == []
    assert set().union(*DIRECT.values()) <= set(DIRECT)


def test_the_root_holds_what_python_asks_for_there() -> None:
    assert {path.name for path in PACKAGE.glob("*.py")} == {
        "__init__.py",
        "__main__.py",
        "_version.py",
    }
    folders = {path.name for path in PACKAGE.iterdir() if any(path.glob("*.py"))}
    assert folders == {*ROOMS, "plot", "pytest_gate"}


def test_a_face_only_finds_names() -> None:
    for face in FACES:
        place = PACKAGE.joinpath(*face.split(".")[1:])
        path = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
        kinds = (ast.ClassDef, ast.For, ast.While, ast.With)
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert not [node for node in tree.body if isinstance(node, kinds)], face


def test_every_package_is_imported_only_where_it_belongs() -> None:
    assert wrong_packages(imports_of(PACKAGE)) == []


@pytest.mark.parametrize(
    ("path", "statement"),
    [
        ("tally/a.py", "import karat.metrics"),
        ("tally/b.py", "def late():\n    from karat.data import column"),
        ("data/c.py", "from ..metrics import rates"),
        ("metrics/d.py", "from karat import data"),
        ("metrics/e.py", "import typing\nif typing.TYPE_CHECKING:\n    from karat.data import x"),
        ("strange/f.py", "from karat import errors"),
        ("cli/h.py", "from karat.compat import onedal"),
        ("results/i.py", "from karat.output import plain"),
        ("api/j.py", "import karat"),
        ("output/k.py", "from karat.curves import Curves"),
        ("tally/l.py", "import importlib\nimportlib.import_module('karat.metrics')"),
        ("data/m.py", "def late():\n    return import_module('karat.api.curves')"),
    ],
)
def test_a_violation_is_found_in_whatever_form_it_is_written(
    tmp_path: Path, path: str, statement: str
) -> None:
    assert len(wrong_directions(imports_of(tree(tmp_path, {path: statement})))) == 1


@pytest.mark.parametrize("form", ["{}", "def late():\n    {}", "if TYPE_CHECKING:\n    {}"])
def test_a_cycle_is_found_in_whatever_form_it_is_written(tmp_path: Path, form: str) -> None:
    statements = {
        "tally/a.py": "from karat.tally import b",
        "tally/b.py": "from karat.tally import c",
        "tally/c.py": form.format("from karat.tally.a import x"),
    }
    way = ["karat.tally.a", "karat.tally.b", "karat.tally.c", "karat.tally.a"]
    assert cycle(graph(imports_of(tree(tmp_path, statements)))) == way


def test_a_forbidden_package_is_found(tmp_path: Path) -> None:
    statements = {
        "tally/a.py": "import pandas as pd",
        "data/b.py": "def late():\n    from scipy.stats import norm",
        "data/c.py": "import rich.table",
        "cli/d.py": "import rich.table",
    }
    package = tree(tmp_path, statements)
    found = {(wrong.importer, wrong.imported) for wrong in imports_of(package)}
    assert len(found) == len(statements)
    # scipy.stats is wrong twice: it is forbidden, and data has no business with scipy.
    assert len(wrong_packages(imports_of(package))) == 4


def tree(folder: Path, statements: dict[str, str]) -> Path:
    """Write a small package named karat whose rooms exist, and those files in it."""
    package = folder / "karat"
    for name in ("metrics", "data", "tally", "compat", "curves", "output"):
        (package / name).mkdir(parents=True)
        (package / name / "__init__.py").touch()
    (package / "__init__.py").touch()
    for name, text in statements.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n", encoding="utf-8")
    return package


METRIC_WORDS = re.compile(
    r"\b(f1|f_beta|recall|specificity|kappa|mcc|matthews|jaccard|informedness|markedness|"
    r"fowlkes|g_mean|gwet|odds_ratio|hamming|accuracy|auc)\b",
    re.IGNORECASE,
)


def test_nothing_between_rows_and_tallies_names_a_metric() -> None:
    folders = [ROOT / "native", PACKAGE / "tally", PACKAGE / "data"]
    files = [
        path
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.suffix in {".py", ".cpp", ".hpp", ".h"}
    ]
    named = [
        f"{path.relative_to(ROOT)} line {number}: {found[0]}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if (found := METRIC_WORDS.search(line))
    ]
    assert files
    assert named == []

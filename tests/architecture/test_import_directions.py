"""Imports point toward the waist: above it nothing knows a metric, below it nothing knows data."""

from __future__ import annotations

import re
from pathlib import Path

from tests.architecture.imports import PACKAGE, ROOT, Import, imports_of

WAIST = {"tally", "errors", "_native"}
ABOVE = {"inputs", "engines"}
BELOW = {
    "class_table", "comparison", "confusion", "curves", "gating", "metrics", "operating_points",
    "plan", "plot", "result", "report", "report_results", "render", "signature", "slices",
    "testing",
    "uncertainty",
}  # fmt: skip
JOINTS = {
    "karat",
    "class_names",
    "common_arguments",
    "comparing",
    "comparison_arguments",
    "evaluation",
    "functions",
    "gate_arguments",
    "gate_alike",
    "gate_baseline",
    "gate_cases",
    "gate_numbers",
    "gate_rows",
    "gate_runs",
    "curve_calls",
    "curve_functions",
    "measuring",
    "plot_calls",
    "plot_functions",
    "pytest_gate",
    "model_sides",
    "sample_sizes",
    "scored_functions",
    "scored_models",
    "scoring",
    "short_scores",
    "slicing",
    "streams",
    "table_arguments",
    "wanted_metrics",
    "weak_slice_arguments",
    "weak_slices",
    "cli",
    "compat",
}
"""They join both halves, so they may import everything: data goes in, numbers come out."""

ALLOWED: dict[str, set[str]] = {
    "__main__": {"cli"},
    "wording": set(),
    "errors": {"wording"},
    "_version": set(),
    "signature": set(),
    "tally": {"errors", "_native"},
    "inputs": WAIST,
    "engines": {"inputs"} | WAIST,
    "metrics": WAIST,
    "plan": {"metrics", "errors"},
    "function_docs": {"metrics", "result"},
    "curves": {"metrics"} | WAIST,
    "result": {"render", "signature"},
    "confusion": {"render", "tally"},
    "reasons": {"errors", "metrics", "tally"},
    "class_table": {"metrics", "report", "uncertainty"},
    "report": {
        "class_table",
        "reasons",
        "confusion",
        "curves",
        "metrics",
        "operating_points",
        "plan",
        "render",
        "report_results",
        "result",
        "slices",
        "uncertainty",
    }
    | WAIST,
    "slices": {"comparison", "metrics", "render", "report", "result", "uncertainty"} | WAIST,
    "report_results": {"metrics", "report", "result", "signature", "uncertainty", "_version"}
    | WAIST,
    "uncertainty": {"metrics"} | WAIST,
    "comparison": {"metrics", "render", "uncertainty", "_version"} | WAIST,
    "gating": {"comparison", "metrics", "render", "_version"} | WAIST,
    "operating_points": {"errors", "metrics", "report"},
    "plot": {"class_table", "comparison", "curves", "metrics", "render", "report", "result"}
    | WAIST,
    "render": {
        "class_table",
        "comparison",
        "confusion",
        "curves",
        "metrics",
        "plan",
        "plot",
        "report",
        "result",
        "signature",
        "slices",
        "uncertainty",
        "_version",
    }
    | WAIST,
    "objectives": {"inputs"} | WAIST,
    "testing": {"functions", "metrics", "result", "scored_functions", "uncertainty"} | WAIST,
}
"""Which part of karat may import which other part."""

FORBIDDEN = {
    "pandas", "polars", "sklearn", "scipy.stats", "pydantic", "catboost", "torchmetrics",
}  # fmt: skip
"""Packages that no file of the library may import, not even inside a function."""

LEAVES = {"compat"}
"""Parts that no other part imports, not even a joint."""

LATE = {
    "narwhals": {"inputs", "engines", "cli", "render"},
    "nanoarrow": {"inputs", "engines", "cli"},
    "duckdb": {"engines", "cli"},
    "dask": {"engines"},
    "pyarrow": {"engines"},
    "pyspark": {"engines"},
    "click": {"cli"},
    "jinja2": {"render"},
    "matplotlib": {"plot"},
    "rich": {"render", "cli"},
    "pytest": {"pytest_gate"},
    "scipy": {"comparison", "metrics", "plot", "slices", "uncertainty"},
    "torch": {"compat"},
}
"""Packages imported when first needed, and the parts of karat that may need them."""


def part(module: str) -> str:
    """The part of karat that a module belongs to: karat.tally.cells is in tally."""
    return module.split(".")[1] if "." in module else module


def wrong_directions(imports: list[Import]) -> list[str]:
    """Imports between parts of karat that the table does not allow."""
    wrong = []
    for found in imports:
        if not (found.imported + ".").startswith("karat."):
            continue
        importer, imported = part(found.importer), part(found.imported)
        if imported in LEAVES and importer != imported:
            wrong.append(f"{found} (nothing imports {imported})")
            continue
        if importer in JOINTS or importer == imported:
            continue
        if importer not in ALLOWED:
            wrong.append(f"{found} (give {importer} a row in ALLOWED)")
        elif imported not in ALLOWED[importer]:
            wrong.append(f"{found} ({importer} may import {sorted(ALLOWED[importer])})")
    return wrong


def wrong_packages(imports: list[Import]) -> list[str]:
    """Imports of packages that are forbidden, or used by a part that has no business with them."""
    wrong = []
    for found in imports:
        if any((found.imported + ".").startswith(name + ".") for name in FORBIDDEN):
            wrong.append(f"{found} (no file of karat may import it)")
        name = found.imported.partition(".")[0]
        if name in LATE and part(found.importer) not in LATE[name]:
            wrong.append(f"{found} (only {sorted(LATE[name])} may)")
    return wrong


def test_every_import_points_toward_the_waist() -> None:
    assert wrong_directions(imports_of(PACKAGE)) == []


def test_every_package_is_imported_only_where_it_belongs() -> None:
    assert wrong_packages(imports_of(PACKAGE)) == []


def test_the_table_itself_has_no_way_from_one_half_to_the_other() -> None:
    for importer, allowed in ALLOWED.items():
        assert not (importer in ABOVE | WAIST and allowed & BELOW), importer
        assert not (importer in BELOW | WAIST and allowed & ABOVE), importer


def test_a_violation_is_found_in_whatever_form_it_is_written(tmp_path: Path) -> None:
    statements = {
        "tally/a.py": "import karat.metrics",
        "tally/b.py": "def late():\n    from karat.data import column",
        "inputs/c.py": "from ..metrics import rates",
        "metrics/d.py": "from karat import engines",
        "metrics/e.py": "import typing\nif typing.TYPE_CHECKING:\n    from karat.data import x",
        "strange/f.py": "from karat import errors",
        "cli/h.py": "from karat.compat import onedal",
        "engines/g.py": "from karat.data import column",
    }
    package = tree(tmp_path, statements)
    assert len(wrong_directions(imports_of(package))) == len(statements) - 1


def test_a_forbidden_package_is_found(tmp_path: Path) -> None:
    statements = {
        "tally/a.py": "import pandas as pd",
        "inputs/b.py": "def late():\n    from scipy.stats import norm",
        "inputs/c.py": "import rich.table",
        "cli/d.py": "import rich.table",
    }
    package = tree(tmp_path, statements)
    found = {(wrong.importer, wrong.imported) for wrong in imports_of(package)}
    assert len(found) == len(statements)
    # scipy.stats is wrong twice: it is forbidden, and inputs has no business with scipy.
    assert len(wrong_packages(imports_of(package))) == 4


def tree(folder: Path, statements: dict[str, str]) -> Path:
    """Write a small package named karat whose parts exist, and those files in it."""
    package = folder / "karat"
    for name in ("metrics", "inputs", "engines", "tally", "compat"):
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


def test_nothing_above_the_waist_names_a_metric() -> None:
    folders = [ROOT / "native", PACKAGE / "tally", PACKAGE / "inputs", PACKAGE / "engines"]
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


def test_kernels_know_no_python() -> None:
    files = sorted((ROOT / "native" / "kernels").glob("*"))
    with_python = [
        path.name
        for path in files
        if re.search(r"#include\s*[<\"](nanobind|Python)", path.read_text(encoding="utf-8"))
    ]
    assert files
    assert with_python == []

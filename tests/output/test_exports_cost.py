"""What exports bring along: no package but NumPy, save for frames."""

from __future__ import annotations

import pytest

from tests.architecture.test_import_cost import HEAVY, modules_after, packages
from tests.optional import optional

# SciPy is what some intervals are made with, however they are shown.
FOREIGN = HEAVY - {"scipy"}

REPORT = "import karat; report = karat.evaluate([0, 1, 1], [0, 1, 0])"
COMPARISON = "import karat; found = karat.compare([0, 1, 1], {'a': [0, 1, 0], 'b': [0, 1, 1]})"


@pytest.mark.parametrize(
    "statement",
    [
        "report.to_markdown(), report.to_latex(), report.to_csv()",
        "report.to_mlflow(per_class=True), report.to_wandb()",
        "report.to_model_index(model_name='m', dataset='d').to_yaml()",
        "report._repr_html_(), report.confusion._repr_html_(), report.f1._repr_html_()",
    ],
)
def test_an_export_loads_no_heavy_package(statement: str) -> None:
    assert packages(modules_after(statement, before=REPORT)) & FOREIGN == set()


def test_neither_does_one_of_a_comparison() -> None:
    statement = "found.to_markdown(), found.to_latex(), found.to_csv(), found._repr_html_()"
    assert packages(modules_after(statement, before=COMPARISON)) & FOREIGN == set()


def test_a_frame_loads_the_library_that_is_named_and_no_other() -> None:
    optional("polars")
    found = packages(modules_after("report.to_frame('polars')", before=REPORT)) & FOREIGN
    assert found == {"narwhals", "polars"}

"""The committed prediction files are what their script makes and what their provenance says."""

from __future__ import annotations

import csv
import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from tests.optional import optional

pq = optional("pyarrow.parquet")
optional("sklearn")

ROOT = Path(__file__).resolve().parents[2]
PREDICTIONS = ROOT / "examples" / "predictions"
PARQUET = sorted(PREDICTIONS.glob("*.parquet"))
CSV = sorted(path for path in PREDICTIONS.glob("*.csv") if not path.stem.endswith("_judged"))
"""All but those with a judge, which are CSV alone."""
MAX_BYTES = 1_500_000


def stem(path: Path) -> str:
    """The name of a prediction file, for test ids."""
    return path.stem


@pytest.fixture(scope="module")
def script() -> ModuleType:
    """examples/make_predictions.py as a module."""
    spec = importlib.util.spec_from_file_location(
        "make_predictions", ROOT / "examples" / "make_predictions.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    # dataclasses look their module up by name.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def test_every_data_set_is_there_under_every_model(script: ModuleType) -> None:
    expected = {f"{data}_{model}" for data in script.DATA_SETS for model in script.MODELS}
    assert {path.stem for path in PARQUET} == expected
    assert {path.stem for path in CSV} == {name for name in expected if "digits" not in name}


def test_the_files_are_small() -> None:
    assert sum(path.stat().st_size for path in PREDICTIONS.iterdir()) <= MAX_BYTES


@pytest.mark.parametrize("name", ["iris_logreg", "iris_nb"])
def test_the_script_makes_the_committed_file_again(script: ModuleType, name: str) -> None:
    stored = pq.read_table(PREDICTIONS / f"{name}.parquet")
    made = script.predict(*name.rsplit("_", 1))
    assert made.schema == stored.schema
    for column in stored.column_names:
        if column.startswith("proba_"):
            np.testing.assert_allclose(made[column], stored[column], atol=1e-3)
        else:
            assert made[column].to_pylist() == stored[column].to_pylist(), column


@pytest.mark.parametrize("path", PARQUET, ids=stem)
def test_the_prediction_is_the_first_maximum_of_the_probabilities(path: Path) -> None:
    table = pq.read_table(path)
    names = [name for name in table.column_names if name.startswith("proba_")]
    proba = np.column_stack([table[name].to_numpy() for name in names])
    first_maximum = [names[j].removeprefix("proba_") for j in proba.argmax(axis=1)]
    assert [str(value) for value in table["pred"].to_pylist()] == first_maximum
    np.testing.assert_allclose(proba.sum(axis=1, dtype=np.float64), 1, atol=1e-5)
    assert {str(value) for value in table["label"].to_pylist()} == {
        name.removeprefix("proba_") for name in names
    }
    assert set(table["fold"].to_pylist()) == set(range(5))
    assert table["id"].to_pylist() == list(range(table.num_rows))


@pytest.mark.parametrize("path", CSV, ids=stem)
def test_csv_and_parquet_hold_the_same_predictions(path: Path) -> None:
    table = pq.read_table(path.with_suffix(".parquet"))
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == table.column_names
    for name in table.column_names:
        column = [row[name] for row in rows]
        if name.startswith("proba_"):
            np.testing.assert_allclose(np.array(column, float), table[name], atol=1e-6)
        else:
            assert column == [str(value) for value in table[name].to_pylist()], name


def test_the_provenance_counts_what_the_files_hold() -> None:
    text = (PREDICTIONS / "PROVENANCE.md").read_text(encoding="utf-8")
    stated = {
        name: (int(n_rows), int(n_correct))
        for name, n_rows, n_correct in re.findall(r"\| `(\w+)` \| (\d+) \| \d+ \| (\d+) \|", text)
    }
    counted = {}
    for path in PARQUET:
        table = pq.read_table(path, columns=["label", "pred"])
        pairs = zip(table["label"].to_pylist(), table["pred"].to_pylist(), strict=True)
        counted[path.stem] = (table.num_rows, sum(label == pred for label, pred in pairs))
    assert stated == counted


@pytest.mark.parametrize("name", ["digits_logreg", "digits_rf"])
def test_the_data_of_the_demo_are_copies(name: str) -> None:
    demo = ROOT / "src" / "karat" / "cli" / "demo_data" / f"{name}.parquet"
    assert demo.read_bytes() == (PREDICTIONS / f"{name}.parquet").read_bytes()

"""Gold labels that are missing in other words, and classes without a gold label."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import karat
from tests.grouping import grouped
from tests.same import assert_same

OTHER = {"no": "yes", "yes": "no"}


def rows(n: int = 300, n_gold: int = 80, missing: Any = None) -> dict[str, Any]:
    rng = np.random.default_rng(31)
    truth = np.array(["no", "yes"])[rng.integers(0, 2, n)]
    wrong = np.array([OTHER[x] for x in truth])
    judge = np.where(rng.random(n) < 0.9, truth, wrong)
    pred = np.where(rng.random(n) < 0.8, truth, wrong)
    gold = [str(x) if i < n_gold else missing for i, x in enumerate(truth)]
    found = {"gold": gold, "judge": judge.tolist(), "y_pred": pred.tolist()}
    return found | {"gold_is_random": True}


@pytest.mark.parametrize("missing", ["nan", "NaN", "NA", "n/a", "null", "None", "<NA>", "NaT"])
def test_texts_for_missing_values_are_no_class(missing: str) -> None:
    plain = karat.evaluate(**grouped(rows()))
    given = rows(missing=missing)
    given["gold"] = np.array(given["gold"])
    found = karat.evaluate(**grouped(given))
    assert found.classes.labels == ("no", "yes")
    assert found.n_gold == 80
    assert_same(found["accuracy"].low, plain["accuracy"].low)
    one = next(x for x in found.doubts if x.code == "D124")
    assert one.evidence == f"{missing!r} is in 220 rows, and no label of the judge is."
    assert not any(x.code == "D124" for x in plain.doubts)


def test_missing_gold_labels_of_numpy_texts_and_blanks_together() -> None:
    given = rows(missing=np.nan)
    given["gold"] = np.array(given["gold"])
    given["gold"][100:150] = "  "
    found = karat.evaluate(**grouped(given))
    assert found.n_gold == 80
    assert "'nan' is in 170 rows" in found.doubts[0].evidence


def test_classes_that_are_declared_or_given_by_the_judge_stay_classes() -> None:
    given = rows(missing=None)
    given["gold"][:5] = ["nan"] * 5
    found = karat.evaluate(**grouped(given), labels=["nan", "no", "yes"])
    assert found.classes.labels == ("nan", "no", "yes")
    assert found.n_gold == 80
    given["judge"][200] = "nan"
    found = karat.evaluate(**grouped(given))
    assert found.classes.labels == ("nan", "no", "yes")
    assert "D112" in {one.code for one in found.doubts}


def test_other_words_for_a_missing_label_are_named() -> None:
    with pytest.raises(karat.InputError, match="K244") as raised:
        karat.evaluate(**grouped(rows(missing="?")))
    assert "If '?' stands for a missing label, leave it empty (None)." in str(raised.value)


@pytest.mark.parametrize("missing", ["nan", "NA", "", "  ", "null"])
def test_cells_of_files_are_missing_in_the_same_words(tmp_path: Path, missing: str) -> None:
    given = rows(missing=missing)
    frame = pd.DataFrame({"gold": given["gold"], "judge": given["judge"], "pred": given["y_pred"]})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    path = str(tmp_path / "rows.csv")
    found = karat.evaluate(path, y_true="gold", design=karat.Judge("judge", is_random=True))
    assert (found.n_gold, found.classes.labels) == (80, ("no", "yes"))


def one_class(**more: Any) -> karat.JudgedReport:
    given = rows()
    given["gold"] = ["yes" if i < 80 else None for i in range(300)]
    return karat.evaluate(**grouped({**given, **more}))


@pytest.mark.parametrize("name", ["balanced_accuracy", "kappa", "matthews_correlation"])
def test_metrics_that_need_a_class_without_gold_labels_have_no_interval(name: str) -> None:
    one = one_class()[name]
    assert (one.low, one.high, one.judge_weight) == (None, None, 0.0)
    assert one.remark == "no gold label is 'no', and it depends on rows of that class"
    # Of gold labels of both classes there is one.
    assert karat.evaluate(**grouped(rows()))[name].low is not None


@pytest.mark.parametrize("name", ["accuracy", "weighted_f1", "micro_f1"])
def test_metrics_of_the_rows_that_are_there_have_one(name: str) -> None:
    one = one_class()[name]
    assert one.low is not None
    assert one.remark is None


def test_all_right_is_no_reason() -> None:
    given = rows()
    given["gold"] = ["yes" if i < 80 else None for i in range(300)]
    given["y_pred"] = ["yes"] * 300
    one = karat.evaluate(**grouped(given))["accuracy"]
    assert one.low is not None
    assert 0.9 < one.low < 1.0


def test_a_declared_class_that_no_row_has_is_no_reason() -> None:
    found = karat.evaluate(**grouped(rows()), labels=["maybe", "no", "yes"])
    plain = karat.evaluate(**grouped(rows()))
    assert_same(found["balanced_accuracy"].low, plain["balanced_accuracy"].low, within=1e-3)
    assert not any("No gold label is maybe" in one for one in found.warnings)


def test_a_class_without_gold_labels_is_shown_everywhere() -> None:
    report = one_class(positive="yes")
    assert report["specificity"].low is None
    text = " ".join(report.text().split())
    assert "no gold label is 'no', and it depends on rows of that class" in text
    assert "No gold label is no: metrics that depend" in " ".join(report.warnings)
    given = rows()
    models = {"a": given["y_pred"], "b": given["y_pred"][::-1]}
    given["gold"] = ["yes" if i < 80 else None for i in range(300)]
    found = karat.compare(**grouped({**given, "y_pred": models}, ("adjust",)))
    assert found["balanced_accuracy"].verdict == "not tested"
    assert found["balanced_accuracy"].low is None
    assert "no gold label is 'no'" in found["balanced_accuracy"].remark
    assert found["accuracy"].low is not None

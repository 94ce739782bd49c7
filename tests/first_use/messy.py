"""Twenty files of predictions as other tools write them, and the number that each should give.

Data sets bundled with scikit-learn, predicted by its models out of fold. Names of columns, types,
missing values, ids and further models are messy on purpose. ``python -m tests.first_use.messy``
prints the table.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from functools import cache
from io import StringIO
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from sklearn import datasets, metrics
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler


@dataclass(frozen=True)
class Predicted:
    """A data set and what two models say of it: labels as words and as numbers, probabilities."""

    x: pd.DataFrame
    y: np.ndarray
    names: tuple[str, ...]
    logreg: np.ndarray
    bayes: np.ndarray

    @property
    def words(self) -> np.ndarray:
        return np.array(self.names, dtype=object)[self.y]

    def pred(self, model: str = "logreg") -> np.ndarray:
        return getattr(self, model).argmax(axis=1)

    def pred_words(self, model: str = "logreg") -> np.ndarray:
        return np.array(self.names, dtype=object)[self.pred(model)]


@cache
def predicted(name: str) -> Predicted:
    if name in ("fraud", "churn"):
        rate = 0.03 if name == "fraud" else 0.3
        x, y = datasets.make_classification(
            1500, 8, n_informative=4, weights=[1 - rate], flip_y=0.02, random_state=3
        )
        frame = pd.DataFrame(x, columns=[f"feature_{i}" for i in range(8)])
        names: tuple[str, ...] = ("no", "yes")
    else:
        found = getattr(datasets, f"load_{name}")(as_frame=True)
        frame, y = found.data, found.target.to_numpy()
        names = tuple(map(str, found.target_names))
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=500))
    each = [
        cross_val_predict(one, frame, y, method="predict_proba", cv=3)
        for one in (model, GaussianNB())
    ]
    return Predicted(frame.round(3), y, names, *each)


@dataclass(frozen=True)
class Case:
    """One file.

    Attributes:
        name: what the file is called, with its ending.
        about: what is messy.
        make: the rows.
        wanted: metric → the intended number, from scikit-learn on the arrays; of a file that has no
            one reading, empty: it has to be asked.
        doubts: codes of the doubts that the reader has to see.
        options: how the file is written.
    """

    name: str
    about: str
    make: Callable[[], pd.DataFrame]
    wanted: Callable[[], Mapping[str, float]] | None = None
    doubts: tuple[str, ...] = ()
    options: Mapping[str, Any] = field(default_factory=dict)


def _of(
    data: str, pred: Any = None, prob: bool = True, loss: bool = True
) -> Callable[[], Mapping[str, float]]:
    """The intended numbers of two classes or more, by scikit-learn."""

    def numbers() -> Mapping[str, float]:
        one = predicted(data)
        guess = one.pred() if pred is None else pred(one)
        found = {"accuracy": metrics.accuracy_score(one.y, guess)}
        if len(one.names) == 2:
            found["recall"] = metrics.recall_score(one.y, guess)
            if prob:
                found["roc_auc"] = metrics.roc_auc_score(one.y, one.logreg[:, 1])
                if loss:
                    found["log_loss"] = metrics.log_loss(one.y, one.logreg[:, 1])
        else:
            found["macro_f1"] = metrics.f1_score(one.y, guess, average="macro")
            if prob:
                found["log_loss"] = metrics.log_loss(one.y, one.logreg)
        return found

    return numbers


def _ranked(data: str) -> Callable[[], Mapping[str, float]]:
    """The intended number of scores that predict no class: how they rank."""
    one = predicted(data)
    return lambda: {"roc_auc": metrics.roc_auc_score(one.y, one.logreg[:, 1])}


def _wine() -> pd.DataFrame:
    one = predicted("wine")
    columns = {f"prob_{name}": one.logreg[:, i] for i, name in enumerate(one.names)}
    return pd.DataFrame({"Y True": one.words, "Y.Pred": one.pred_words(), **columns})


def _logit(p: np.ndarray) -> np.ndarray:
    return np.log(p) - np.log1p(-p)


def _cancer(**columns: Any) -> pd.DataFrame:
    one = predicted("breast_cancer")
    found = {key: make(one) for key, make in columns.items()}
    return pd.DataFrame({"mean radius": one.x["mean radius"], **found})


def _rows(data: str, **columns: Callable[[Predicted], Any]) -> Callable[[], pd.DataFrame]:
    def make() -> pd.DataFrame:
        one = predicted(data)
        return pd.DataFrame({key.replace("__", " "): value(one) for key, value in columns.items()})

    return make


def _with_holes(values: pd.Series) -> pd.Series:
    return values.mask(np.arange(len(values)) % 7 == 0)


def _p(one: Predicted) -> np.ndarray:
    return one.logreg[:, 1]


def _yes_no(one: Predicted) -> np.ndarray:
    return one.words


def _catboost() -> pd.DataFrame:
    one = predicted("wine")
    columns = {f"Probability:Class={i}": one.logreg[:, i] for i in range(3)}
    return pd.DataFrame(
        {"SampleId": range(len(one.y)), **columns, "Class": one.pred(), "Label": one.y}
    )


CASES: Final = (
    Case(
        "iris.csv",
        "truth called species, which no list of names has",
        _rows("iris", species=lambda d: d.words, prediction=lambda d: d.pred_words()),
    ),
    Case("wine.csv", "blanks, dots and capitals in names; one column a class", _wine, _of("wine")),
    Case(
        "cancer_named.parquet",
        "two words as classes; the one column names its class",
        _rows(
            "breast_cancer",
            target=lambda d: d.words,
            proba_benign=_p,
            mean__radius=lambda d: d.x["mean radius"].to_numpy(),
        ),
        _of("breast_cancer"),
    ),
    Case(
        "cancer_prob.csv",
        "two words as classes; the one column does not name its class",
        _rows("breast_cancer", diagnosis=lambda d: d.y, label=lambda d: d.words, prob=_p),
    ),
    Case(
        "digits.parquet",
        "ten classes, an index, folds",
        lambda: pd.DataFrame(
            {
                "index": range(len(predicted("digits").y)),
                "fold": np.arange(len(predicted("digits").y)) % 5,
                "label": predicted("digits").y,
                **{f"p_{i}": predicted("digits").logreg[:, i] for i in range(10)},
            }
        ),
        _of("digits"),
    ),
    Case(
        "digits_floats.csv",
        "labels as whole numbers, predictions as floats",
        _rows("digits", actual=lambda d: d.y, predicted=lambda d: d.pred().astype(float)),
        _of("digits", prob=False),
    ),
    Case(
        "fraud.parquet",
        "rare positives, features beside",
        lambda: predicted("fraud").x.assign(
            y=predicted("fraud").y, probability=_p(predicted("fraud"))
        ),
        _of("fraud"),
    ),
    Case(
        "churn_words.csv",
        "yes and no, predictions called yhat",
        _rows("churn", label=_yes_no, yhat=lambda d: d.pred_words()),
        lambda: {"accuracy": _of("churn", prob=False)()["accuracy"]},
        ("D101",),
    ),
    Case(
        "churn_hat.csv",
        "y, y_hat and p_hat; features with missing values and text",
        lambda: (
            predicted("churn")
            .x.apply(_with_holes)
            .assign(
                city=np.where(np.arange(1500) % 3 == 0, "Oslo", None),
                y=predicted("churn").y,
                y_hat=predicted("churn").pred(),
                p_hat=_p(predicted("churn")),
            )
        ),
        _of("churn"),
    ),
    Case(
        "two_models.csv",
        "predictions of two models in one file",
        _rows(
            "churn",
            target=lambda d: d.y,
            lr_pred=lambda d: d.pred(),
            nb_pred=lambda d: d.pred("bayes"),
        ),
    ),
    Case(
        "old_and_new.csv",
        "predictions, and those of an earlier model",
        _rows(
            "churn",
            label=lambda d: d.y,
            pred=lambda d: d.pred(),
            old_pred=lambda d: d.pred("bayes"),
        ),
        _of("churn", prob=False),
        ("D104",),
    ),
    Case(
        "logits.csv",
        "log odds called logit",
        _rows("churn", target=lambda d: d.y, logit=lambda d: _logit(_p(d))),
        _of("churn"),
    ),
    Case(
        "decision.parquet",
        "scores that are not probabilities, called score",
        _rows("churn", y_test=lambda d: d.y, score=lambda d: _logit(_p(d))),
        _ranked("churn"),
    ),
    Case("score.csv", "probabilities called score", _rows("churn", y_test=lambda d: d.y, score=_p)),
    Case("catboost.tsv", "the columns of CatBoost", _catboost, _of("wine"), options={"sep": "\t"}),
    Case(
        "holes.csv",
        "labels that are missing",
        _rows(
            "wine", label=lambda d: _with_holes(pd.Series(d.words)), pred=lambda d: d.pred_words()
        ),
    ),
    Case(
        "users.parquet",
        "several rows of one user",
        _rows(
            "churn",
            user_id=lambda d: np.arange(len(d.y)) // 5,
            label=lambda d: d.y,
            pred=lambda d: d.pred(),
            prob=_p,
        ),
        _of("churn"),
        ("D107",),
    ),
    Case(
        "repeated.csv",
        "rows that were written twice",
        lambda: pd.concat(
            [
                pd.DataFrame(
                    {
                        "sample_id": range(1500),
                        "label": predicted("churn").y,
                        "pred": predicted("churn").pred(),
                    }
                )
            ]
            * 2
        ),
        _of("churn", prob=False),
        ("D105",),
    ),
    Case(
        "answers.jsonl",
        "true and false, a confidence of whichever was predicted",
        _rows(
            "churn",
            truth=lambda d: d.y == 1,
            prediction=lambda d: d.pred() == 1,
            confidence=lambda d: d.logreg.max(axis=1),
        ),
        _of("churn", prob=False),
        (),
    ),
    Case(
        "excel.csv",
        "semicolons, decimal commas",
        _rows("churn", label=lambda d: d.y, prob=_p),
        None,
        options={"sep": ";", "decimal": ","},
    ),
)


def write(case: Case, folder: Path) -> Path:
    """Write the file of a case."""
    path, rows = folder / case.name, case.make()
    if path.suffix == ".parquet":
        rows.to_parquet(path)
    elif path.suffix == ".jsonl":
        rows.to_json(path, orient="records", lines=True)
    else:
        rows.to_csv(path, index=False, **case.options)
    return path


@dataclass(frozen=True)
class Outcome:
    """What ``karat report FILE`` made of a file.

    Attributes:
        verdict: ``"right"``, ``"asked"``, ``"wrong"``.
        mapping: column by role, where there is a report.
        doubts: their codes.
        told: the numbers, or the question.
    """

    verdict: str
    mapping: Mapping[str, Any]
    doubts: tuple[str, ...]
    told: str


def run(case: Case, folder: Path) -> Outcome:
    """Run ``karat report FILE --format json`` and hold the result against the intended one."""
    from karat.cli import main

    path = write(case, folder)
    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(["report", str(path), "--format", "json"])
    if code:
        lines = [line.strip() for line in err.getvalue().splitlines()]
        names_option = any("--" in line for line in lines)
        is_asked = code == 2 and case.wanted is None and names_option
        return Outcome("asked" if is_asked else "wrong", {}, (), f"{lines[0]} {lines[-1]}")
    report = json.loads(out.getvalue())
    doubts = tuple(one["code"] for one in report["doubts"])
    wanted = {} if case.wanted is None else case.wanted()
    values = {name: report["metrics"].get(name, {}).get("value") for name in wanted}
    is_right = bool(wanted) and all(
        values[name] is not None and np.isclose(values[name], number, rtol=1e-6)
        for name, number in wanted.items()
    )
    is_right &= set(case.doubts) <= set(doubts)
    told = ", ".join(f"{name} {value}" for name, value in values.items())
    mapping = {role: column for role, column in report["mapping"].items() if column}
    return Outcome("right" if is_right else "wrong", mapping, doubts, told)


def main() -> None:
    """Print what became of each file."""
    with tempfile.TemporaryDirectory() as folder:
        found = [(case, run(case, Path(folder))) for case in CASES]
    sys.stdout.write(
        "| file | what is messy | mapping | doubts | outcome |\n|---|---|---|---|---|\n"
    )
    for case, outcome in found:
        parts = (
            f"{role}={column if isinstance(column, str) else f'{len(column)} columns'}"
            for role, column in outcome.mapping.items()
        )
        cells = (case.name, case.about, ", ".join(parts), ", ".join(outcome.doubts))
        told = (
            outcome.verdict if outcome.verdict == "right" else f"{outcome.verdict}: {outcome.told}"
        )
        sys.stdout.write(f"| {' | '.join(cells)} | {told} |\n")
    n = sum(outcome.verdict in ("right", "asked") for _, outcome in found)
    sys.stdout.write(f"\n{n} of {len(found)} right or asked.\n")


if __name__ == "__main__":
    main()

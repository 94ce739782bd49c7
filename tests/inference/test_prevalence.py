"""Rows of fixed class sizes, weighted to the known proportions of the classes of a population."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import karat
from karat.cli import main
from karat.data import prevalence
from karat.metrics import all_metrics
from karat.output.json import report_schema
from tests.optional import optional

N = 240
SHARES = {0: 0.7, 1: 0.2, 2: 0.1}


def rows(k: int, seed: int = 0) -> tuple[Any, Any]:
    """Truth in classes of unlike sizes, and probabilities float[n, k]."""
    rng = np.random.default_rng(seed)
    y_true = rng.choice(k, N, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    odds = rng.normal(size=(N, k)) + 1.5 * np.eye(k)[y_true]
    return y_true, np.exp(odds) / np.exp(odds).sum(axis=1, keepdims=True)


def by_hand(y_true: Any, shares: Mapping[int, float], weights: Any = None) -> Any:
    """float[n]: proportion in the population ÷ proportion of the class in the rows."""
    given = np.ones(len(y_true)) if weights is None else weights
    sampled = {label: given[y_true == label].sum() / given.sum() for label in shares}
    return given * np.array([shares[label] / sampled[label] for label in y_true.tolist()])


def numbers(report: Any) -> dict[str, tuple[Any, ...]]:
    found = {}
    for name in report.metrics:
        one = report[name]
        values = (one.value, one.low, one.high, one.standard_error)
        found[name] = (one.method, *(math.nan if x is None else x for x in values))
    return found


def assert_alike(found: Any, wanted: Any) -> None:
    left, right = numbers(found), numbers(wanted)
    assert left.keys() == right.keys()
    for name, (method, *values) in right.items():
        assert left[name][0] == method, name
        # A variance that is rounding has no root that is.
        assert list(left[name][1:]) == pytest.approx(values, rel=1e-7, abs=1e-9, nan_ok=True), name
    matrices = (np.asarray(one.confusion, float) for one in (found, wanted))
    np.testing.assert_allclose(*matrices, rtol=1e-12)


DESIGNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"weights": np.random.default_rng(9).lognormal(size=N)},
    "some 0": {"weights": np.where(np.arange(N) % 5, 1.7, 0.0)},
    "clusters": {"clusters": np.arange(N) // 4},
    "weights and clusters": {"weights": np.linspace(0.5, 2.0, N), "clusters": np.arange(N) // 3},
    "no intervals": {"level": None},
    "bootstrap": {"interval": karat.Interval(method="bootstrap", n_replicates=100)},
}


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("kind", ["labels", "scores"])
@pytest.mark.parametrize("design", DESIGNS)
def test_it_equals_weights_made_by_hand(design: str, kind: str, k: int) -> None:
    y_true, y_prob = rows(k)
    shares = SHARES if k == 3 else {0: 0.9, 1: 0.1}
    asked = dict(DESIGNS[design])
    weights = by_hand(y_true, shares, asked.pop("weights", None))
    outputs = {"y_prob": y_prob} if kind == "scores" else {"y_pred": y_prob.argmax(axis=1)}
    if design == "bootstrap":
        asked["metrics"] = ["accuracy", "macro_f1", "kappa"]
    wanted = karat.evaluate(
        y_true=y_true, **outputs, weights=weights, design=karat.CaseControl(), **asked
    )
    given = {**DESIGNS[design], **asked}
    found = karat.evaluate(
        y_true=y_true, **outputs, design=karat.CaseControl(prevalence=shares), **given
    )
    assert_alike(found, wanted)
    assert found.population == shares
    assert found.n_rows == N
    other = karat.evaluate(
        y_true=y_true, **outputs, design=karat.CaseControl(prevalence={**shares, 0: 0.5, 1: 0.5}
        if k == 2 else {0: 0.3, 1: 0.3, 2: 0.4}), **given
    )  # fmt: skip
    with pytest.raises(AssertionError):
        assert_alike(other, wanted)


@pytest.mark.parametrize("kind", ["labels", "scores"])
def test_every_source_weighs_the_same(kind: str, tmp_path: Path) -> None:
    pl = optional("polars")
    y_true, y_prob = rows(2)
    pred = y_prob.argmax(axis=1)
    design = karat.CaseControl(prevalence=0.05)
    outputs: dict[str, Any] = {"y_prob": y_prob[:, 1]} if kind == "scores" else {"y_pred": pred}
    column = next(iter(outputs))
    table = pl.DataFrame({"label": y_true, column: outputs[column], "half": np.arange(N) % 2})
    table.write_parquet(tmp_path / "rows.parquet")
    table.write_csv(tmp_path / "rows.csv")
    roles = {"y_true": "label", column: column}
    wanted = karat.evaluate(y_true=y_true, **outputs, design=design)
    for source in (table, table.lazy(), tmp_path / "rows.parquet", tmp_path / "rows.csv"):
        for by in (None, "half"):
            assert_alike(karat.evaluate(source, **roles, by=by, design=design), wanted)
    data = karat.read(tmp_path / "rows.csv", **roles, design=design)
    assert repr(design) in repr(data)
    assert_alike(karat.evaluate(data), wanted)
    stream = karat.Stream(design=design)
    for part in np.array_split(np.arange(N), 3):
        stream.update(y_true[part], **{name: each[part] for name, each in outputs.items()})
    for one in (stream, karat.Stream.from_bytes(stream.to_bytes())):
        assert_alike(one.report(), wanted)


def test_cells_and_large_files_weigh_the_same(tmp_path: Path) -> None:
    pl = optional("polars")
    y_true, y_prob = rows(3)
    pred, design = y_prob.argmax(axis=1), karat.CaseControl(prevalence=SHARES)
    matrix = np.array([[np.sum((y_true == i) & (pred == j)) for j in range(3)] for i in range(3)])
    wanted = karat.evaluate(y_true, pred, design=design)
    assert_alike(karat.evaluate(confusion=matrix, design=design), wanted)
    n = 400
    table = pl.DataFrame({"label": np.tile(y_true, n), "pred": np.tile(pred, n)})
    table.write_parquet(tmp_path / "rows.parquet", row_group_size=20_000)
    reading = karat.Reading(max_memory=1 << 20)
    found = karat.evaluate(tmp_path / "rows.parquet", reading=reading, design=design)
    assert_alike(found, karat.evaluate(confusion=matrix * n, design=design))


def test_a_stream_of_named_classes_keeps_them_in_its_bytes() -> None:
    shares = {"benign": 0.98, "malignant": 0.02}
    stream = karat.Stream(design=karat.CaseControl(prevalence=shares))
    stream.update(["benign", "malignant"] * 30, ["benign", "benign", "malignant"] * 20)
    again = karat.Stream.from_bytes(stream.to_bytes())
    assert again.report().population == stream.report().population == shares


@pytest.mark.parametrize("kind", ["labels", "scores"])
def test_slices_keep_the_weights_of_the_whole(kind: str) -> None:
    y_true, y_prob = rows(2)
    outputs = {"y_prob": y_prob} if kind == "scores" else {"y_pred": y_prob.argmax(axis=1)}
    half = np.where((np.arange(N) % 2) & (y_true == 1), "a", "b")
    found = karat.evaluate(
        y_true=y_true, **outputs, by={"half": half}, design=karat.CaseControl(prevalence=0.05)
    )
    weights = by_hand(y_true, {0: 0.95, 1: 0.05})
    wanted = karat.evaluate(
        y_true=y_true, **outputs, by={"half": half}, weights=weights, design=karat.CaseControl()
    )
    for left, right in zip(
        found.slices["half"].values(), wanted.slices["half"].values(), strict=True
    ):
        for name in ("accuracy", "precision", "recall", "prevalence"):
            one, other = left[name], right[name]
            assert one.value == pytest.approx(other.value, rel=1e-12), name
            assert (one.low is None) is (other.low is None), name
            assert one.low is None or one.low == pytest.approx(other.low, rel=1e-9), name
    assert found.slices["half"]["b"]["precision"].remark is None


def test_folds_take_the_weights_of_the_whole() -> None:
    y_true, y_prob = rows(2)
    pred, fold = y_prob.argmax(axis=1), np.arange(N) % 4
    design = karat.CaseControl(prevalence=0.05)
    found = karat.evaluate(y_true, pred, design=[design, karat.Folds(fold)])
    wanted = karat.evaluate(
        y_true,
        pred,
        weights=by_hand(y_true, {0: 0.95, 1: 0.05}),
        design=[karat.CaseControl(), karat.Folds(fold)],
    )
    one, other = found.folds["precision"], wanted.folds["precision"]
    assert (one.fold_mean, one.low) == pytest.approx((other.fold_mean, other.low))


@pytest.mark.parametrize(("tp", "fp", "n", "p"), [(170, 20, 200, 0.02), (45, 3, 60, 0.3)])
def test_predictive_values_of_published_formulas(tp: int, fp: int, n: int, p: float) -> None:
    """Mercaldo, Lau and Zhou 2007, Statistics in Medicine 26: on the logit scale, at a known p."""
    table = [[n - fp, fp], [n - tp, tp]]
    how = karat.Interval(method="logit")
    found = karat.evaluate(
        confusion=table, design=karat.CaseControl(prevalence=p), interval=how, positive=1
    )
    sick, well = tp / n, 1 - fp / n
    logits = {
        "precision": (sick * p / ((1 - well) * (1 - p)), (1 - sick) / sick, well / (1 - well)),
        "negative_predictive_value": (
            well * (1 - p) / ((1 - sick) * p), sick / (1 - sick), (1 - well) / well
        ),
    }  # fmt: skip
    for name, (odds, *parts) in logits.items():
        error = math.sqrt(sum(parts) / n)
        z = float(stats.norm.ppf(0.975))
        ends = [1 / (1 + math.exp(-(math.log(odds) + sign * z * error))) for sign in (-1, 1)]
        one = found[name]
        assert one.value == pytest.approx(odds / (1 + odds), rel=1e-12)
        assert [one.low, one.high] == pytest.approx(ends, rel=1e-9), name
        variance = (one.value * (1 - one.value) * error) ** 2
        assert one.standard_error**2 == pytest.approx(variance, rel=1e-9)
        wrong = karat.evaluate(confusion=table, positive=1, interval=how)[name]
        assert wrong.low != pytest.approx(ends[0], abs=1e-3), "a control"


PRECISE = ("precision", "negative_predictive_value", "accuracy", "f1", "kappa")
PRECISE += ("matthews_correlation", "markedness", "fowlkes_mallows", "precision_lift")


def test_limits_cover_the_values_of_the_population() -> None:
    """200 cases and 200 controls at 2 %: 95 % intervals cover in 91 to 99 of 100 samples."""
    rng, n, p, times = np.random.default_rng(5), 200, 0.02, 250
    sick, well = 0.85, 0.9
    truth = np.array([[well, 1 - well], [1 - sick, sick]]) * np.array([[1 - p], [p]]) * 1e9
    wanted = karat.evaluate(confusion=truth.round().astype(int), positive=1, level=None)
    hits = dict.fromkeys(PRECISE, 0)
    naive = 0
    for _ in range(times):
        tp, fp = rng.binomial(n, sick), rng.binomial(n, 1 - well)
        table = [[n - fp, fp], [n - tp, tp]]
        found = karat.evaluate(
            confusion=table,
            positive=1,
            metrics=list(PRECISE),
            design=karat.CaseControl(prevalence=p),
        )
        for name in PRECISE:
            hits[name] += found[name].low <= wanted[name].value <= found[name].high
        without = karat.evaluate(confusion=table, positive=1, metrics="precision")["precision"]
        naive += without.low <= wanted["precision"].value <= without.high
    assert naive == 0, "a control: at the sampled proportions the value is another"
    assert {name: n for name, n in hits.items() if not 0.91 <= n / times <= 0.995} == {}


def test_metrics_within_classes_keep_their_limits() -> None:
    table = [[180, 20], [30, 170]]
    plain = karat.evaluate(confusion=table, positive=1, design=karat.CaseControl())
    found = karat.evaluate(confusion=table, positive=1, design=karat.CaseControl(prevalence=0.02))
    kept = [m for m in map(str, plain) if not karat_depends(m)]
    assert {"recall", "informedness", "diagnostic_odds_ratio", "g_mean"} <= set(kept)
    for name in kept:
        if plain[name].low is not None:
            left, right = ((x.value, x.low, x.high) for x in (plain[name], found[name]))
            assert left == pytest.approx(right, rel=1e-9), name
    assert found["precision"].high < plain["precision"].low, "a control"


def karat_depends(name: str) -> bool:
    return next(m for m in all_metrics() if str(m) == name).depends_on_mix(2)


def test_without_a_prevalence_the_remark_says_what_to_do() -> None:
    y_true, y_prob = rows(2)
    for level in (0.95, None):
        found = karat.evaluate(y_true, y_prob=y_prob, design=karat.CaseControl(), level=level)
        told = "give design=karat.CaseControl(prevalence=…)"
        for name in found.metrics:
            one, metric = found[name], next(m for m in all_metrics() if str(m) == name)
            is_told = told in (one.remark or "")
            may_be = metric.record.is_estimate and metric.depends_on_mix(2)
            is_alone = one.remark in {
                "it counts these rows and is not an estimate",
                "the design fixes the proportions of the true classes",
                "it is the same for every table",
            }
            assert is_told is (may_be and not is_alone), name
        for text in (str(found), found.to_markdown()):
            assert text.count("depends on the class") == 1
            assert "case-control sample" in text.split("Metrics")[0]
        page = found.to_html()
        assert page.count("it depends on the class proportions") <= 2  # one for each table
        assert "case-control sample" in page
    done = karat.evaluate(y_true, y_prob=y_prob, design=karat.CaseControl(prevalence=0.1))
    assert not any(told in (done[name].remark or "") for name in done.metrics)
    head = str(done).split("Metrics", maxsplit=1)[0]
    assert "case-control sample at a prevalence of 0.1" in head
    assert "weighted" not in head


def test_json_and_signature_hold_the_population() -> None:
    y_true, y_prob = rows(3)
    names = ["calm", "warm", "hot"]
    found = karat.evaluate(
        y_true,
        y_prob=y_prob,
        labels=karat.Labels(names=names),
        design=karat.CaseControl(prevalence=SHARES),
    )
    text = found.to_json()
    optional("jsonschema").validate(json.loads(text), report_schema())
    again = karat.Report.from_json(text)
    assert again.population == found.population == SHARES
    assert again["accuracy"].signature == found["accuracy"].signature
    assert numbers(again) == numbers(found)
    assert again.to_json() == text
    assert "population:calm=0.7,warm=0.2,hot=0.1" in str(found["accuracy"].signature)
    assert "at the prevalences calm 0.7, warm 0.2, hot 0.1" in str(again)
    plain = karat.evaluate(y_true, y_prob=y_prob, design=karat.CaseControl(), level=None)
    read = karat.Report.from_json(plain.to_json())
    assert (read.design, read.population) == ("case-control", None)
    assert read["accuracy"].remark == plain["accuracy"].remark


def test_reports_of_other_populations_are_not_compared(tmp_path: Path) -> None:
    y_true, y_prob = rows(2)
    pred = y_prob.argmax(axis=1)
    reports = [
        karat.evaluate(y_true, pred, design=None if p is None else karat.CaseControl(prevalence=p))
        for p in (0.1, 0.2, None)
    ]
    path = tmp_path / "baseline.json"
    bound = {"accuracy": 0.1}
    karat.gate(reports[0], min=bound).save_baseline(path)
    drop = {"accuracy": 0.5}
    assert karat.gate(reports[0], max_drop=drop, baseline=path).verdict == "PASS"
    assert karat.gate(reports[0], max_drop=drop, baseline=reports[0]).verdict == "PASS"
    for other in reports[1:]:
        for baseline in (path, reports[0]):
            with pytest.raises(karat.KaratError, match=r"K176[\s\S]*prevalence"):
                karat.gate(other, max_drop=drop, baseline=baseline)
        with pytest.raises(karat.KaratError, match="K166"):
            karat.compare({"old": reports[0], "new": other})
    same = karat.compare({"old": reports[0], "new": reports[0]}, metrics=["precision"])
    assert [one.difference for one in same.differences] == [0.0]


@pytest.mark.parametrize(
    "wrong", [2, 0, 1, -0.1, math.nan, "0.02", True, [0.1, 0.9], None.__class__]
)
def test_what_is_no_proportion_is_refused(wrong: Any) -> None:
    with pytest.raises(karat.KaratError, match="K122"):
        karat.CaseControl(prevalence=wrong)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"a": 0.5, "b": 0.4}, "add up to 0.9"),
        ({"a": 1.0, "b": 0.0}, "That of 'a' is 1.0"),
        ({"a": 0.02}, "every class"),
        ({"a": 2, "b": 98}, "0.02"),
    ],
)
def test_proportions_of_classes_are_checked(wrong: Any, told: str) -> None:
    with pytest.raises(karat.KaratError, match="K122") as caught:
        karat.CaseControl(prevalence=wrong)
    assert told in str(caught.value)


@pytest.mark.parametrize(
    ("labels", "share", "told"),
    [
        (["a", "b"], 0.1, "positive='a' or positive='b'"),
        (["a", "b", "c"], 0.1, "There are 3 classes"),
        (["a", "b"], {"a": 0.1, "B": 0.9}, "Did you mean 'b'?"),
        (["a", "b", "c"], {"a": 0.1, "b": 0.9}, "'c' has rows"),
        ([0, 1], {0: 0.1, 1: 0.8, 2: 0.1}, "2 is not one of the classes"),
        ([0, 0], {0: 0.1, 1: 0.9}, "1 is not one of the classes"),
    ],
)
def test_proportions_that_do_not_fit_the_classes(labels: Any, share: Any, told: str) -> None:
    design = karat.CaseControl(prevalence=share)
    with pytest.raises(karat.KaratError, match="K263") as caught:
        karat.evaluate(labels * 20, labels * 20, design=design)
    assert told in str(caught.value)


def test_a_class_without_rows_has_no_proportion() -> None:
    y_true, y_pred = ["a", "b"] * 30, ["a", "b", "c"] * 20
    design = karat.CaseControl(prevalence={"a": 0.9, "b": 0.1})
    found = karat.evaluate(y_true, y_pred, design=design)
    assert found.population == {"a": 0.9, "b": 0.1}
    assert found.per_class[2]["support"] == 0
    third = karat.CaseControl(prevalence={"a": 0.8, "b": 0.1, "c": 0.1})
    with pytest.raises(
        karat.KaratError, match=r"K263[\s\S]*'c' has a proportion of 0.1, and no rows"
    ):
        karat.evaluate(y_true, y_pred, design=third)


def test_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.csv"
    y_true, y_prob = rows(2)
    lines = [f"{t},{p}" for t, p in zip(y_true, y_prob.argmax(axis=1), strict=True)]
    path.write_text("\n".join(["label,pred", *lines]), encoding="utf-8")
    wanted = karat.evaluate(y_true, y_prob.argmax(axis=1), design=karat.CaseControl(prevalence=0.1))
    command = ["report", str(path), "--design", "case-control", "--format", "json"]
    for typed in (["0.1"], ["1=0.1", "--prevalence", "0=0.9"]):
        assert main([*command, "--prevalence", *typed]) == 0
        found = karat.Report.from_json(capsys.readouterr().out)
        assert_alike(found, wanted)
    assert main(["report", str(path), "--design", "case-control"]) == 0
    assert "give --prevalence for those" in " ".join(capsys.readouterr().out.split())
    for typed in (
        ["x"],
        ["0.1", "--prevalence", "1=0.1"],
        ["1=0.1", "--prevalence", "1=0.9"],
        ["=1"],
    ):
        assert main([*command, "--prevalence", *typed]) == 2
        assert "--prevalence" in capsys.readouterr().err
    assert main(["report", str(path), "--prevalence", "0.1"]) == 2
    assert "K242  --prevalence needs --design case-control" in capsys.readouterr().err


def test_rows_that_are_weighed_otherwise_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A control: with the factors of other classes nothing equals the weights made by hand."""
    y_true, y_prob = rows(2)
    pred = y_prob.argmax(axis=1)
    weights = by_hand(y_true, {0: 0.9, 1: 0.1})
    wanted = karat.evaluate(y_true, pred, weights=weights, design=karat.CaseControl())
    scaled = prevalence.scaled_by_truth
    monkeypatch.setattr(prevalence, "scaled_by_truth", lambda cells, x: scaled(cells, x[::-1]))
    found = karat.evaluate(y_true, pred, design=karat.CaseControl(prevalence=0.1))
    with pytest.raises(AssertionError):
        assert_alike(found, wanted)

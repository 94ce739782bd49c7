"""Gold labels and a judge: what a report shows, and what reads it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import karat
from tests.corpus.calls import Call
from tests.corpus.design_rows import judged
from tests.corpus.files import written
from tests.grouping import grouped

OF_TWO = ["accuracy", "f1", "matthews_correlation", "recall"]
OF_SCORES = ["accuracy", "roc_auc", "log_loss", "brier"]


def _report(**options: Any) -> Any:
    two = judged()
    return karat.evaluate(
        y_true=two["gold"],
        y_pred=two["pred"],
        **grouped(
            {
                "design": karat.Judge(two["judge"]),
                "interval": karat.Interval(n_replicates=100),
                **options,
            }
        ),
    )


def _some() -> Any:
    return _report(metrics=OF_TWO)


def _scored() -> Any:
    two = judged()
    return karat.evaluate(
        y_true=two["gold"], design=karat.Judge(two["judge"]), y_prob=two["p_yes"], metrics=OF_SCORES
    )


def _verdicts() -> Any:
    return karat.evaluate(y_true=judged()["gold"], design=karat.Judge(judged()["judge"]))


def calls() -> Iterator[Call]:
    shown: dict[str, Any] = {
        "as text": lambda: str(_some()),
        "as narrow text": lambda: _some().text(width=48),
        "as wide text": lambda: _some().text(width=160),
        "scores as text": lambda: str(_scored()),
        "verdicts as text": lambda: str(_verdicts()),
        "every metric as text": lambda: str(_report()),
        "as repr": lambda: repr(_some()),
        "whole": _some,
        "whole of scores": _scored,
        "as JSON": lambda: _some().to_json(),
        "as Markdown": lambda: _some().to_markdown(),
        "as CSV": lambda: _some().to_csv(),
        "verdicts as CSV": lambda: _verdicts().to_csv(),
        "as LaTeX": lambda: _some().to_latex(),
        "as HTML": lambda: _some().to_html(),
        "as a form": lambda: _some()._repr_html_(),
        "as a frame": lambda: _some().to_frame("pandas"),
        "as a Polars frame": lambda: _some().to_frame("polars"),
        "proportions": lambda: [_some().shares, str(_some().shares[0])],
        "proportions of verdicts": lambda: _verdicts().shares,
        "one metric by its names": lambda: [_some()["mcc"], _some().f1, float(_some().f1)],
        "a metric in capitals": lambda: _some()["F1"],
        "one metric as text": lambda: str(_some()["accuracy"]),
        "a metric that is not listed": lambda: _some()["kappa"],
        "the judge": lambda: {m: _some().judge[m] for m in ("accuracy", "recall", "kappa")},
        "the judge as text": lambda: str(_some().judge),
        "the confusion of the judge": lambda: _some().judge.confusion,
        "classes by the judge": lambda: _some().judge.per_class,
        "the gold rows": lambda: [_some().gold["f1"], str(_some().gold)],
        "facts": lambda: {
            "names": list(_some()),
            "n": len(_some()),
            "has f1": "f1" in _some(),
            "has kappa": "kappa" in _some(),
            "classes": _some().classes.labels,
            "counts": [_some().n_rows, _some().n_gold, _some().level],
            "flags": [_some().is_clustered, _some().has_gold_weights],
        },
        "a table has a mapping and a source": _facts_of_a_table,
        "read from JSON": lambda: _read_back(_some()),
        "scores read from JSON": lambda: _read_back(_scored()),
        "verdicts read from JSON": lambda: _read_back(_verdicts()),
        "a metric that JSON lacks": lambda: karat.JudgedReport.from_json(_some().to_json())[
            "kappa"
        ],
        "a metric of scores that is not listed": lambda: _some()["roc_auc"],
        "a metric of verdicts": lambda: _verdicts()["accuracy"],
        "no such metric of a report": lambda: _some()["acuracy"],
        "no such attribute": lambda: _some().folds,
        "a damaged report": lambda: karat.JudgedReport.from_json('{"schema": "karat.judged/1"}'),
        "a report that contradicts itself": lambda: karat.JudgedReport.from_json(
            _some().to_json().replace('"n_gold": 100', '"n_gold": 99')
        ),
        "a report of another schema": lambda: karat.JudgedReport.from_json(
            karat.evaluate([0, 1], [0, 1], metrics=["accuracy"]).to_json()
        ),
        "read as an ordinary report": lambda: karat.Report.from_json(_some().to_json()),
        "not JSON": lambda: karat.JudgedReport.from_json("{"),
        "weak slices of a report": lambda: karat.find_weak_slices(_some()),
        "a gate on a report": lambda: karat.gate(_some(), min={"accuracy": 0.5}),
        "reports compared": lambda: karat.compare({"a": _some(), "b": _some()}),
    }
    for name, run in shown.items():
        yield Call(f"output: {name}", "JudgedReport", "report", run)


def _facts_of_a_table() -> dict[str, Any]:
    report = karat.evaluate(
        written("csv", judged(), "judged"),
        y_true="gold",
        design=karat.Judge("judge"),
        metrics=["accuracy"],
    )
    return {
        "mapping": dict(report.mapping),
        "source": dict(report.source),
        "warnings": list(report.warnings),
        "doubts": [[doubt.code, str(doubt)] for doubt in report.doubts],
        "text": str(report),
    }


def _read_back(report: Any) -> dict[str, Any]:
    text = report.to_json()
    again = karat.JudgedReport.from_json(text)
    return {
        "same": again.to_json() == text,
        "text": str(again) == str(report),
        "names": list(again),
        "shares": again.shares,
        "judge": again.judge["accuracy"],
        "page": again.to_html() == report.to_html(),
    }

"""What a report is written as, read back from JSON, and drawn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache, partial
from typing import Any

import numpy as np

import karat
from tests.corpus.calls import Call
from tests.corpus.outcome import Prose, text_digest
from tests.corpus.rows import animals, binary, digits, odd, pick
from tests.corpus.wanted import FAST
from tests.grouping import grouped


def _prob() -> Any:
    return np.column_stack([animals()[f"proba_{name}"] for name in ("cat", "dog", "eel")])


REPORTS: dict[str, Any] = {
    "two labels": lambda: karat.evaluate(binary()["label"], binary()["pred"]),
    "two probabilities": lambda: karat.evaluate(
        binary()["label"], y_prob=binary()["p_yes"], **grouped(FAST)
    ),
    "two logits": lambda: karat.evaluate(binary()["label"], y_logit=binary()["z"], **grouped(FAST)),
    "animals": lambda: karat.evaluate(
        animals()["label"],
        animals()["pred"],
        labels=karat.Labels(names={"cat": "Cat", "dog": "<Dog>", "eel": "E|l"}),
    ),
    "animals by country": lambda: karat.evaluate(
        animals()["label"],
        animals()["pred"],
        by=pick(animals(), "country", "age"),
        clusters=animals()["team"],
    ),
    "animals with probabilities": lambda: karat.evaluate(
        animals()["label"], y_prob=_prob(), weights=animals()["mass"], **grouped(FAST)
    ),
    "six logits": lambda: karat.evaluate(
        digits()["label"], y_logit=digits()["score"], **grouped(FAST)
    ),
    "asked": lambda: karat.evaluate(
        animals()["label"], animals()["pred"], metrics=["macro_f1", "mcc"]
    ),
    "no level": lambda: karat.evaluate(animals()["label"], animals()["pred"], level=None),
    "undefined": lambda: karat.evaluate(
        odd()["never predicted"]["label"], odd()["never predicted"]["pred"]
    ),
    "confusion": lambda: karat.evaluate(confusion=[[90, 10], [4, 46]]),
    "a table": lambda: karat.evaluate(binary(), y_prob="p_yes", weights="mass", **grouped(FAST)),
}
METHODS = (
    "text",
    "to_markdown",
    "to_latex",
    "to_csv",
    "to_json",
    "to_mlflow",
    "to_wandb",
    "to_frame",
)
PAGES = ("two probabilities", "animals by country", "asked", "undefined")


@cache
def _report(name: str) -> Any:
    return REPORTS[name]()


def calls() -> Iterator[Call]:
    for name in REPORTS:
        made = partial(_report, name)
        for method in METHODS:
            yield Call(
                f"{name}, {method}",
                "Report",
                "report",
                lambda made=made, method=method: getattr(made(), method)(),
            )
        if name in PAGES:
            yield Call(f"{name}, html", "Report", "report", lambda made=made: _page(made()))
        yield Call(f"{name}, through JSON", "Report", "report", lambda made=made: _again(made()))
        yield Call(
            f"{name}, notebook",
            "Report",
            "report",
            lambda made=made: _clean_hash(made()._repr_html_()),
        )
    for name in ("two probabilities", "animals", "animals by country"):
        made = partial(_report, name)
        yield Call(
            f"{name}, all in Markdown",
            "Report",
            "report",
            lambda made=made: made().to_markdown(metrics="all"),
        )
        yield Call(
            f"{name}, all in LaTeX",
            "Report",
            "report",
            lambda made=made: made().to_latex(metrics="all"),
        )
        yield Call(
            f"{name}, narrow text", "Report", "report", lambda made=made: made().text(width=50)
        )
        yield Call(
            f"{name}, model index",
            "Report",
            "report",
            lambda made=made: str(made().to_model_index(model_name="m", dataset="d")),
        )
        yield Call(
            f"{name}, Polars frame", "Report", "report", lambda made=made: made().to_frame("polars")
        )
        yield Call(
            f"{name}, all of MLflow",
            "Report",
            "report",
            lambda made=made: made().to_mlflow(metrics="all", per_class=True),
        )
    damaged: dict[str, Any] = {
        "nothing": "",
        "a list": "[]",
        "not JSON": "{",
        "another schema": '{"schema": "karat.report/9"}',
        "half": None,
    }
    for name, text in damaged.items():
        yield Call(
            f"from JSON of {name}",
            "Report",
            "json",
            lambda text=text: karat.Report.from_json(
                _report("asked").to_json()[:-40] if text is None else text
            ),
        )
    for name in ("counts", "value"):
        yield Call(
            f"from JSON with another {name}", "Report", "json", lambda name=name: _changed(name)
        )
    for name in (
        "roc",
        "precision_recall",
        "det",
        "gain",
        "lift",
        "reliability",
        "confusion",
        "scores",
        "threshold",
        "intervals",
    ):
        for kind in ("two probabilities", "animals with probabilities", "animals"):
            yield Call(
                f"plot {name} of {kind}",
                "plot",
                "report",
                lambda name=name, kind=kind: _drawn(name, kind),
            )


def _page(report: Any) -> Any:
    return _clean_hash(report.to_html())


def _clean_hash(text: str) -> Prose:
    return Prose(text_digest(text))


def _again(report: Any) -> Any:
    text = report.to_json()
    again = karat.Report.from_json(text)
    return {
        "same": again.to_json() == text,
        "metrics": again.metrics,
        "n": again.n_rows,
        "binary": again.is_binary,
    }


def _changed(name: str) -> Any:
    held = json.loads(_report("asked").to_json())
    if name == "counts":
        held["confusion"][0][0] += 1
    else:
        held["metrics"]["macro_f1"]["value"] = 0.125
    return karat.Report.from_json(json.dumps(held))


def _drawn(name: str, kind: str) -> Any:
    """The data of the lines and the words of the axes."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    try:
        axes = getattr(karat.plot, name)(_report(kind))
        axes = axes if hasattr(axes, "get_lines") else np.ravel(axes)[0]
        lines = [
            [np.asarray(line.get_xdata(), float)[::9], np.asarray(line.get_ydata(), float)[::9]]
            for line in axes.get_lines()
        ]
        return {
            "lines": lines,
            "x": axes.get_xlabel(),
            "y": axes.get_ylabel(),
            "title": axes.get_title(),
        }
    finally:
        plt.close("all")

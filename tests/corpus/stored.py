"""Stored results: JSON and bytes of every kind, read back, and refused where they are damaged."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import karat
from tests.corpus import stored_bytes
from tests.corpus.calls import Call
from tests.corpus.more_rows import repeats, three_classes, topics, two_classes
from tests.corpus.stored_bytes import TRUTHS_OF_MODELS, json_in_short
from tests.grouping import grouped

TWO, THREE, SETS, AGAIN = two_classes(), three_classes(), topics(), repeats()
BY: dict[str, Any] = {"country": TWO["country"]}
TRUTHS: dict[str, Any] = {
    "two classes": TWO["label"],
    "classes": THREE["label"],
    "whole report": TWO["label"],
    "whole report of classes": THREE["label"],
    "probabilities": TWO["label"],
    "scores": TWO["label"],
    "weights": THREE["label"],
    "frequency": TWO["label"],
    "clusters": TWO["label"],
    "folds": TWO["label"],
    "repeats": TWO["label"],
    "looks": TWO["label"],
    "slices": TWO["label"],
    "rows": TWO["label"],
    "no level": TWO["label"],
    "bootstrap": TWO["label"],
    "case-control": TWO["label"],
    "names": TWO["label"],
    "sets": SETS["label_sets"],
    "whole report of sets": SETS["label_sets"],
    "scores of sets": SETS["truth"],
    "slices of sets": SETS["label_sets"],
    "weights of sets": SETS["label_sets"],
    "a judge": None,
    "a judge of verdicts": None,
    "a judge with weights": None,
}
INPUTS: dict[str, dict[str, Any]] = {
    "two classes": {"y_pred": TWO["pred"], "metrics": ["accuracy", "f1"]},
    "classes": {"y_pred": THREE["pred"], "metrics": ["accuracy", "macro_f1"]},
    "whole report": {"y_prob": TWO["prob"], "interval": karat.Interval(n_replicates=100)},
    "whole report of classes": {
        "y_pred": THREE["pred"],
        "interval": karat.Interval(n_replicates=100),
    },
    "probabilities": {"y_prob": THREE["prob"][:, 0], "metrics": ["roc_auc", "log_loss", "brier"]},
    "scores": {"y_score": TWO["z"], "metrics": ["roc_auc", "accuracy"]},
    "weights": {"y_pred": THREE["pred"], "weights": TWO["mass"], "metrics": ["macro_f1"]},
    "frequency": {
        "y_pred": TWO["pred"],
        "weights": karat.Frequency(TWO["copies"]),
        "metrics": ["accuracy"],
    },
    "clusters": {"y_prob": TWO["prob"], "clusters": TWO["team"], "metrics": ["accuracy", "brier"]},
    "folds": {
        "y_pred": TWO["pred"],
        "design": karat.Folds(TWO["fold"]),
        "metrics": ["accuracy", "f1"],
    },
    "repeats": {
        "y_pred": TWO["pred"],
        "design": karat.Folds({"repeat": AGAIN["repeat"], "fold": AGAIN["fold"]}),
        "ids": AGAIN["id"],
        "metrics": ["accuracy"],
    },
    "looks": {"y_pred": TWO["pred"], "design": karat.Looks(1000), "metrics": ["accuracy", "f1"]},
    "slices": {"y_pred": TWO["pred"], "by": BY, "metrics": ["accuracy", "f1"]},
    "rows": {
        "y_prob": TWO["prob"],
        "ids": TWO["id"],
        "reading": karat.Reading(keep_rows=2),
        "metrics": ["accuracy"],
    },
    "no level": {"y_pred": TWO["pred"], "level": None, "metrics": ["accuracy"]},
    "bootstrap": {
        "y_pred": TWO["pred"],
        "interval": karat.Interval(method="bootstrap", n_replicates=100),
        "metrics": ["f1"],
    },
    "case-control": {"y_pred": TWO["pred"], "design": karat.CaseControl(), "metrics": ["f1"]},
    "names": {
        "y_pred": TWO["pred"],
        "labels": karat.Labels(names={0: "no", 1: "yes"}),
        "positive": 0,
        "metrics": ["f1"],
    },
    "sets": {"y_pred": SETS["pred_sets"], "metrics": ["micro_f1", "subset_accuracy"]},
    "whole report of sets": {"y_pred": SETS["pred_sets"]},
    "scores of sets": {"y_prob": SETS["prob"], "metrics": ["micro_f1", "ranking_loss"]},
    "slices of sets": {"y_pred": SETS["pred_sets"], "by": BY, "metrics": ["micro_f1"]},
    "weights of sets": {
        "y_pred": SETS["pred_sets"],
        "weights": TWO["mass"],
        "metrics": ["micro_f1"],
    },
    "a judge": {
        "y_pred": TWO["pred"],
        "y_true": TWO["gold"],
        "design": karat.Judge(TWO["judge"]),
        "metrics": ["accuracy", "f1"],
    },
    "a judge of verdicts": {"y_true": TWO["gold"], "design": karat.Judge(TWO["judge"])},
    "a judge with weights": {
        "y_pred": THREE["pred"],
        "y_true": THREE["gold"],
        "design": karat.Judge(THREE["judge"], weights=TWO["gold_weight"]),
        "metrics": ["accuracy"],
    },
}
KINDS_OF_REPORTS = (karat.Report, karat.MultilabelReport, karat.JudgedReport)


def calls() -> Iterator[Call]:
    yield from _reports()
    yield from _damaged_reports()
    yield from _curves()
    yield from _comparisons()
    yield from _gates()
    yield from stored_bytes.calls()


def _report(kind: str) -> Any:
    return karat.evaluate(TRUTHS[kind], **grouped(INPUTS[kind]))


def _reports() -> Iterator[Call]:
    for kind in TRUTHS:
        yield Call(
            f"JSON of {kind}",
            "to_json",
            "report",
            lambda k=kind: (
                {"schema": _report(k).to_dict()["schema"]} | json_in_short(_report(k).to_json())
            ),
        )
        yield Call(f"{kind} and back", "from_json", "report", lambda k=kind: _back(_report(k)))
        yield Call(f"pickle of {kind}", "pickle", "report", lambda k=kind: _pickled(_report(k)))
    for kind in ("two classes", "sets", "a judge"):
        for reader in KINDS_OF_REPORTS:
            yield Call(
                f"{kind} read as {reader.__name__}",
                "from_json",
                "report",
                lambda k=kind, r=reader: type(r.from_json(_report(k).to_json())).__name__,
            )
        yield Call(
            f"{kind} from a path", "from_json", "path", lambda k=kind: _from_path(_report(k))
        )
        yield Call(
            f"dict of {kind}",
            "to_dict",
            "report",
            lambda k=kind: _report(k).to_dict() == json.loads(_report(k).to_json()),
        )


def _back(report: Any) -> Any:
    text = report.to_json()
    again = type(report).from_json(text)
    return {
        "same JSON": again.to_json() == text,
        "same text": str(again) == str(report),
        "same markdown": again.to_markdown() == report.to_markdown(),
        "same CSV": again.to_csv() == report.to_csv(),
        "metrics": {
            name: [again[name] == report[name], again[name].value] for name in [*report.metrics][:3]
        },
        "doubts": [doubt.code for doubt in again.doubts],
    }


def _pickled(report: Any) -> Any:
    again, copied = pickle.loads(pickle.dumps(report)), copy.deepcopy(report)
    text = report.to_json()
    return {
        "pickle": again.to_json() == text,
        "deep copy": copied.to_json() == text,
        "copy": copy.copy(report).to_json() == text,
        "text": str(again) == str(report),
    }


def _from_path(report: Any) -> Any:
    path = Path("stored-report.json")
    report.to_json(path)
    return type(report).from_json(path).to_json() == report.to_json()


def _changed(change: Callable[[dict[str, Any]], Any]) -> Callable[[str], str]:
    """A change of the tree as a change of the text."""

    def changed(text: str) -> str:
        tree = json.loads(text)
        change(tree)
        return json.dumps(tree)

    return changed


def _first_metric(tree: dict[str, Any]) -> dict[str, Any]:
    return next(iter(tree["metrics"].values()))


DAMAGES: dict[str, Callable[[str], str]] = {
    "nothing": lambda _: "",
    "null": lambda _: "null",
    "a list": lambda _: "[]",
    "an empty object": lambda _: "{}",
    "no JSON": lambda _: "karat",
    "cut": lambda text: text[: len(text) // 2],
    "cut at the end": lambda text: text[:-1],
    "more at the end": lambda text: text + "}",
    "another schema": _changed(lambda tree: tree.update(schema="karat.other/1")),
    "a later schema": _changed(lambda tree: tree.update(schema=tree["schema"][:-1] + "9")),
    "no schema": _changed(lambda tree: tree.pop("schema")),
    "a schema of a number": _changed(lambda tree: tree.update(schema=1)),
    "another version": _changed(lambda tree: tree.update(karat="0.1.0")),
    "a later version": _changed(lambda tree: tree.update(karat="99.0.0")),
    "no version": _changed(lambda tree: tree.pop("karat")),
    "another value": _changed(lambda tree: _first_metric(tree).update(value=0.123)),
    "a value of text": _changed(lambda tree: _first_metric(tree).update(value="high")),
    "another limit": _changed(lambda tree: _first_metric(tree).update(low=0.0001)),
    "an infinite value": lambda text: text.replace('"value": 0.', '"value": Infinity, "x": 0.', 1),
    "no metrics": _changed(lambda tree: tree.pop("metrics")),
    "metrics of a list": _changed(lambda tree: tree.update(metrics=[1, 2])),
    "an unknown metric": _changed(lambda tree: tree["metrics"].update(no_such={"value": 1.0})),
    "another count of rows": _changed(lambda tree: tree.update(n_rows=7)),
    "rows below 0": _changed(lambda tree: tree.update(n_rows=-1)),
    "an extra key": _changed(lambda tree: tree.update(extra=1)),
    "no classes": _changed(lambda tree: tree.pop("classes", None)),
    "classes of text": _changed(lambda tree: tree.update(classes="two")),
    "another confusion": _changed(lambda tree: tree.update(confusion=[[1, 2], [3, 4]])),
    "a ragged confusion": _changed(lambda tree: tree.update(confusion=[[1], [3, 4]])),
    "no settings": _changed(lambda tree: tree.pop("settings", None)),
    "no tally": _changed(lambda tree: tree.pop("tally", None)),
    "bytes": lambda text: text.replace("a", "\x00", 1),
}


def _damaged_reports() -> Iterator[Call]:
    readers: dict[str, Callable[[str], Any]] = {
        "two classes": karat.Report.from_json,
        "probabilities": karat.Report.from_json,
        "folds": karat.Report.from_json,
        "slices": karat.Report.from_json,
        "sets": karat.MultilabelReport.from_json,
        "a judge": karat.JudgedReport.from_json,
    }
    few = ("cut", "another value", "another limit", "no tally", "a later schema", "no settings")
    for kind, read in readers.items():
        for name, damage in DAMAGES.items():
            if kind in ("two classes", "sets", "a judge") or name in few:
                yield Call(
                    f"{kind} with damage: {name}",
                    "from_json",
                    "report",
                    lambda k=kind, r=read, d=damage: _read(r, d(_report(k).to_json())),
                )
    for name, source in {
        "no such file": "nowhere.json",
        "a path of no file": Path("nowhere.json"),
        "a number": 7,
        "None": None,
        "bytes": b"{}",
        "a dict": {"schema": "karat.report/1"},
    }.items():
        yield Call(
            f"a report from {name}",
            "from_json",
            "report",
            lambda s=source: karat.Report.from_json(s),
        )


def _read(read: Callable[[str], Any], text: str) -> Any:
    report = read(text)
    return {"read": type(report).__name__, "text": str(report)}


def _curves() -> Iterator[Call]:
    parts: dict[str, Callable[[Any], Any]] = {
        "curves": lambda report: list(report.curves),
        "calibration": lambda report: report.calibration,
        "thresholds": lambda report: str(report.thresholds),
        "page": lambda report: report.to_html(),
        "frame": lambda report: report.to_frame("pandas"),
    }
    for name, part in parts.items():
        yield Call(
            f"{name} of a whole report from JSON",
            "from_json",
            "report",
            lambda p=part: p(karat.Report.from_json(_report("whole report").to_json())),
        )
    more: dict[str, tuple[str, Callable[[Any], Any]]] = {
        "folds": ("folds", lambda report: str(report.folds["accuracy"])),
        "slices": ("slices", lambda report: str(report.slices["country"])),
        "rows": ("rows", lambda report: report.rows(wrong=True).ids),
        "slices of sets": ("slices of sets", lambda report: str(report.slices["country"])),
        "judge": ("a judge", lambda report: str(report.judge)),
        "gold": ("a judge", lambda report: str(report.gold)),
        "shares": ("a judge of verdicts", lambda report: report.shares),
    }
    for name, (kind, part) in more.items():
        yield Call(
            f"{name} from JSON",
            "from_json",
            "report",
            lambda k=kind, p=part: p(type(_report(k)).from_json(_report(k).to_json())),
        )


MODELS: dict[str, dict[str, Any]] = {
    "two classes": {"y_pred": {"old": TWO["old"], "new": TWO["pred"]}},
    "classes": {"y_pred": {"old": THREE["old"], "new": THREE["pred"]}},
    "probabilities": {"y_prob": {"old": TWO["old_prob"], "new": TWO["prob"]}},
    "sets": {"y_pred": {"old": SETS["old_sets"], "new": SETS["pred_sets"]}},
    "scores of sets": {"y_prob": {"old": SETS["old_prob"], "new": SETS["prob"]}},
}


def _compared(kind: str) -> Any:
    return karat.compare(
        TRUTHS_OF_MODELS[kind],
        **grouped({"interval": karat.Interval(n_replicates=99), **MODELS[kind]}, ("adjust",)),
    )


def _comparisons() -> Iterator[Call]:
    for kind in MODELS:
        yield Call(
            f"JSON of a comparison of {kind}",
            "to_json",
            "comparison",
            lambda k=kind: json_in_short(_compared(k).to_json()),
        )
        yield Call(
            f"pickle of a comparison of {kind}",
            "pickle",
            "comparison",
            lambda k=kind: _pickled(_compared(k)),
        )
    yield Call(
        "JSON of a comparison with folds",
        "to_json",
        "comparison",
        lambda: json_in_short(
            karat.compare(
                TWO["label"],
                **grouped(
                    {"design": karat.Folds(TWO["fold"]), **MODELS["two classes"]}, ("adjust",)
                ),
            ).to_json()
        ),
    )
    yield Call(
        "JSON of a comparison with a judge",
        "to_json",
        "comparison",
        lambda: json_in_short(
            karat.compare(
                **grouped(
                    {"design": karat.Judge(TWO["judge"]), **MODELS["two classes"]}, ("adjust",)
                ),
                y_true=TWO["gold"],
            ).to_json()
        ),
    )
    yield Call(
        "JSON of a comparison with looks",
        "to_json",
        "comparison",
        lambda: json_in_short(
            karat.compare(
                TWO["label"],
                **grouped({"design": karat.Looks(1000), **MODELS["two classes"]}, ("adjust",)),
            ).to_json()
        ),
    )
    yield Call(
        "a comparison of reports from JSON",
        "compare",
        "report",
        lambda: karat.compare(
            {
                "old": karat.Report.from_json(_report("two classes").to_json()),
                "new": karat.Report.from_json(_report("two classes").to_json()),
            }
        ).to_dict(),
    )
    yield Call(
        "a sample size of a report from JSON",
        "rows_needed",
        "report",
        lambda: karat.rows_needed(
            "accuracy",
            pilot=karat.Report.from_json(_report("two classes").to_json()),
            half_width=0.05,
        ),
    )


RULES: dict[str, dict[str, Any]] = {
    "two classes": {"min": {"accuracy": 0.1}},
    "classes": {"min": {"macro_f1": 0.1}},
    "probabilities": {"max": {"log_loss": 5.0}},
    "sets": {"min": {"micro_f1": 0.1}},
    "scores of sets": {"min": {"micro_f1": 0.1}},
}
GATED: dict[str, dict[str, Any]] = {
    "two classes": {"y_pred": TWO["pred"]},
    "classes": {"y_pred": THREE["pred"]},
    "probabilities": {"y_prob": TWO["prob"]},
    "sets": {"y_pred": SETS["pred_sets"]},
    "scores of sets": {"y_prob": SETS["prob"]},
}
BASED: dict[str, dict[str, Any]] = {
    "plain": {},
    "rows": {"reading": karat.Reading(keep_rows=True)},
    "slices": {"by": {"country": TWO["country"]}},
    "folds": {"design": karat.Folds(TWO["fold"])},
    "clusters": {"clusters": TWO["team"]},
}


def _baseline(kind: str, options: str) -> str:
    path = Path("stored-baseline.json")
    path.unlink(missing_ok=True)
    truth = TRUTHS_OF_MODELS[kind]
    karat.gate(truth, **grouped({**GATED[kind], **RULES[kind], **BASED[options]})).save_baseline(
        path
    )
    return path.read_text()


def _against(kind: str, text: str) -> Any:
    path = Path("damaged-baseline.json")
    path.write_text(text)
    return karat.gate(
        TRUTHS_OF_MODELS[kind], **grouped({**GATED[kind], **RULES[kind]}), baseline=path
    )


def _gates() -> Iterator[Call]:
    for kind in GATED:
        yield Call(
            f"JSON of a gate of {kind}",
            "to_json",
            "gate",
            lambda k=kind: json_in_short(
                karat.gate(TRUTHS_OF_MODELS[k], **grouped({**GATED[k], **RULES[k]})).to_json()
            ),
        )
        for name in BASED:
            if kind in ("two classes", "sets") or name in ("plain", "rows"):
                yield Call(
                    f"a baseline of {kind}, {name}",
                    "gate",
                    "baseline",
                    lambda k=kind, n=name: json_in_short(_baseline(k, n)),
                )
                yield Call(
                    f"against a baseline of {kind}, {name}",
                    "gate",
                    "baseline",
                    lambda k=kind, n=name: _against(k, _baseline(k, n)),
                )
    yield Call(
        "pickle of a gate",
        "pickle",
        "gate",
        lambda: pickle.loads(
            pickle.dumps(karat.gate(TWO["label"], TWO["pred"], min={"accuracy": 0.5}))
        ).to_dict(),
    )
    damages: dict[str, Callable[[str], str]] = {
        "cut": DAMAGES["cut"],
        "another schema": DAMAGES["another schema"],
        "a later schema": DAMAGES["a later schema"],
        "no schema": DAMAGES["no schema"],
        "another version": DAMAGES["another version"],
        "nothing": DAMAGES["nothing"],
        "a flipped digit": lambda text: text.replace("1", "7", 1),
        "a flipped digit at the end": lambda text: "7".join(text.rsplit("1", 1)),
        "no checksum": _changed(lambda tree: tree.pop("sha256", None)),
        "another checksum": _changed(lambda tree: tree.update(sha256="0" * 64)),
        "an extra key": DAMAGES["an extra key"],
    }
    for kind, options in (("two classes", "plain"), ("two classes", "rows"), ("sets", "plain")):
        for name, damage in damages.items():
            yield Call(
                f"a baseline of {kind}, {options}, with damage: {name}",
                "gate",
                "baseline",
                lambda k=kind, o=options, d=damage: _against(k, d(_baseline(k, o))),
            )

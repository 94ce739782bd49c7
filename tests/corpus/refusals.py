"""Every cell of the table verb × kind × design × option: what it gives, or the code of its refusal.

A call is a verb on a kind of rows under a design; its cells are the options, and later designs.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import karat
from tests.corpus import source_cells
from tests.corpus.calls import Call
from tests.corpus.cells import Cells, cells_of, cells_of_result
from tests.corpus.more_rows import repeats, three_classes, topics, two_classes
from tests.grouping import grouped

TWO, THREE, SETS, AGAIN = two_classes(), three_classes(), topics(), repeats()
GOLD = "gold and judge"

TRUTHS: dict[str, Any] = {
    "two classes": TWO["label"],
    "classes": THREE["label"],
    "probabilities of two classes": TWO["label"],
    "scores of two classes": TWO["label"],
    "probabilities of classes": THREE["label"],
    "sets": SETS["label_sets"],
    "scores of sets": SETS["truth"],
    "a confusion matrix": None,
}
OUTPUTS: dict[str, dict[str, Any]] = {
    "two classes": {"y_pred": TWO["pred"]},
    "classes": {"y_pred": THREE["pred"]},
    "probabilities of two classes": {"y_prob": TWO["prob"]},
    "scores of two classes": {"y_score": TWO["z"]},
    "probabilities of classes": {"y_prob": THREE["prob"]},
    "sets": {"y_pred": SETS["pred_sets"]},
    "scores of sets": {"y_prob": SETS["prob"]},
    "a confusion matrix": {"confusion": [[25, 8], [6, 21]]},
}
MODELS: dict[str, dict[str, Any]] = {
    "two classes": {"y_pred": {"old": TWO["old"], "new": TWO["pred"]}},
    "classes": {"y_pred": {"old": THREE["old"], "new": THREE["pred"]}},
    "probabilities of two classes": {"y_prob": {"old": TWO["old_prob"], "new": TWO["prob"]}},
    "probabilities of classes": {"y_prob": {"old": THREE["old_prob"], "new": THREE["prob"]}},
    "sets": {"y_pred": {"old": SETS["old_sets"], "new": SETS["pred_sets"]}},
    "scores of sets": {"y_prob": {"old": SETS["old_prob"], "new": SETS["prob"]}},
}
JUDGES: dict[str, dict[str, Any]] = {
    "two classes": {"gold": TWO["gold"], "judge": TWO["judge"]},
    "classes": {"gold": THREE["gold"], "judge": THREE["judge"]},
    "probabilities of two classes": {"gold": TWO["gold"], "judge": TWO["judge"]},
    "scores of two classes": {"gold": TWO["gold"], "judge": TWO["judge"]},
    "probabilities of classes": {"gold": THREE["gold"], "judge": THREE["judge"]},
    "sets": {"gold": SETS["gold_sets"], "judge": SETS["judge_sets"]},
    "scores of sets": {"gold": SETS["gold_sets"], "judge": SETS["judge_sets"]},
    "a confusion matrix": {"gold": TWO["gold"], "judge": TWO["judge"]},
}
METRICS: dict[str, dict[str, Any]] = {
    "two classes": {"metrics": ["accuracy", "f1"]},
    "classes": {"metrics": ["accuracy", "macro_f1"]},
    "probabilities of two classes": {"metrics": ["roc_auc", "log_loss"]},
    "scores of two classes": {"metrics": ["roc_auc", "accuracy"]},
    "probabilities of classes": {"metrics": ["accuracy", "log_loss"]},
    "sets": {"metrics": ["subset_accuracy", "micro_f1"]},
    "scores of sets": {"metrics": ["micro_f1", "label_ranking_average_precision"]},
    "a confusion matrix": {"metrics": ["accuracy", "f1"]},
}
BOUNDS: dict[str, dict[str, Any]] = {
    "two classes": {"min": {"accuracy": 0.6, "f1": 0.9}},
    "classes": {"min": {"accuracy": 0.6, "macro_f1": 0.9}},
    "probabilities of two classes": {"min": {"roc_auc": 0.6}, "max": {"log_loss": 0.5}},
    "scores of two classes": {"min": {"roc_auc": 0.6}},
    "probabilities of classes": {"min": {"accuracy": 0.6}, "max": {"log_loss": 0.5}},
    "sets": {"min": {"subset_accuracy": 0.3, "micro_f1": 0.9}},
    "scores of sets": {"min": {"micro_f1": 0.4, "label_ranking_average_precision": 0.9}},
    "a confusion matrix": {"min": {"accuracy": 0.6}},
}
BASELINES: dict[str, dict[str, Any]] = {
    "two classes": {"baseline": TWO["old"], "max_drop": {"accuracy": 0.02}},
    "classes": {"baseline": THREE["old"], "max_drop": {"accuracy": 0.02}},
    "probabilities of two classes": {"baseline": TWO["old_prob"], "max_drop": {"roc_auc": 0.02}},
    "scores of two classes": {"baseline": TWO["z"] / 2, "max_drop": {"roc_auc": 0.02}},
    "probabilities of classes": {"baseline": THREE["old_prob"], "max_drop": {"log_loss": 0.1}},
    "sets": {"baseline": SETS["old_sets"], "max_drop": {"micro_f1": 0.02}},
    "scores of sets": {"baseline": SETS["old_prob"], "max_drop": {"micro_f1": 0.02}},
    "a confusion matrix": {"baseline": TWO["old"], "max_drop": {"accuracy": 0.02}},
}
POSITIVES: dict[str, dict[str, Any]] = {
    "two classes": {"positive": 0},
    "classes": {"positive": "cat"},
    "probabilities of two classes": {"positive": 0},
    "scores of two classes": {"positive": 0},
    "probabilities of classes": {"positive": "cat"},
    "sets": {"positive": "sea"},
    "scores of sets": {"positive": 0},
    "a confusion matrix": {"positive": 0},
}
LABELS: dict[str, dict[str, Any]] = {
    "two classes": {"labels": [0, 1]},
    "classes": {"labels": ["cat", "dog", "eel", "fox"]},
    "probabilities of two classes": {"labels": [0, 1]},
    "scores of two classes": {"labels": [0, 1]},
    "probabilities of classes": {"labels": ["cat", "dog", "eel"]},
    "sets": {"labels": ["ice", "sea", "sky", "sun"]},
    "scores of sets": {"labels": ["sea", "sky", "sun", "ice"]},
    "a confusion matrix": {"labels": ["no", "yes"]},
}
NAMES: dict[str, dict[str, Any]] = {
    "two classes": {"class_names": ["no", "yes"]},
    "classes": {"class_names": {"cat": "Cat", "dog": "Dog", "eel": "Eel"}},
    "probabilities of two classes": {"class_names": ["no", "yes"]},
    "scores of two classes": {"class_names": ["no", "yes"]},
    "probabilities of classes": {"class_names": ["Cat", "Dog", "Eel"]},
    "sets": {"class_names": ["Ice", "Sea", "Sky", "Sun"]},
    "scores of sets": {"class_names": ["Sea", "Sky", "Sun", "Ice"]},
    "a confusion matrix": {"class_names": ["no", "yes"]},
}
STRATA: dict[str, dict[str, Any]] = {
    "two classes": {"label_strata": {"head": [1]}},
    "classes": {"label_strata": {"head": ["cat", "dog"]}},
    "probabilities of two classes": {"label_strata": {"head": [1]}},
    "probabilities of classes": {"label_strata": {"head": ["cat", "dog"]}},
    "sets": {"label_strata": {"head": ["sea", "sky"], "tail": ["ice", "sun"]}},
    "scores of sets": {"label_strata": {"head": [0, 1], "tail": [2, 3]}},
}
DESIGNS: dict[str, dict[str, Any]] = {
    "plain": {},
    "importance weights": {"weights": TWO["mass"]},
    "frequency weights": {"weights": TWO["copies"], "weights_are": "frequency"},
    "clusters": {"clusters": TWO["team"]},
    "case-control": {"sampling": "case-control"},
    "folds": {"folds": TWO["fold"]},
    "repeats": {
        "folds": {"repeat": AGAIN["repeat"], "fold": AGAIN["fold"]},
        "clusters": AGAIN["id"],
    },
    "looks": {"anytime": 1000},
}
OPTIONS: dict[str, dict[str, Any]] = {
    "wald": {"method": "wald"},
    "bootstrap": {"method": "bootstrap"},
    "bca": {"method": "bca"},
    "bayesian": {"method": "bayesian"},
    "no level": {"level": None},
    "by": {"by": {"country": TWO["country"]}},
    "by a cross": {"by": {("country", "sex"): (TWO["country"], TWO["sex"])}},
    "max_memory": {"max_memory": 1 << 20},
    "checkpoint": {"checkpoint": "run.karat"},
    "exact": {"exact": True},
    "ids": {"ids": TWO["id"]},
    "keep_rows": {"keep_rows": 3},
    "separator": {"separator": "|"},
    "threshold": {"threshold": 0.4},
    "drop nulls": {"nulls": "drop"},
    "undefined": {"undefined": "exclude"},
    "confusion": {"confusion": [[25, 8], [6, 21]]},
    "truth of a table": {"y_true": "label"},
}
COMPARING: dict[str, dict[str, Any]] = {
    "baseline": {"baseline": "old"},
    "margin": {"margin": 0.05},
    "maxt": {"adjust": "maxt"},
    "no adjustment": {"adjust": "none"},
    "unpaired": {"paired": False},
    "level": {"level": 0.8},
    "separator": {"separator": "|"},
    "threshold": {"threshold": 0.4},
    "undefined": {"undefined": "exclude"},
    "by": {"by": TWO["country"]},
    "ids": {"ids": TWO["id"]},
    "bootstrap": {"method": "bootstrap"},
    "drop nulls": {"nulls": "drop"},
}
GATING: dict[str, dict[str, Any]] = {
    "by": {"by": {"country": TWO["country"]}},
    "low evidence": {"evidence": "low"},
    "min_n": {"by": TWO["country"], "min_n": 31},
    "level": {"level": 0.8},
    "ids": {"ids": TWO["id"]},
    "write a baseline": {"update_baseline": "base.json"},
    "write a baseline with rows": {"update_baseline": "base.json", "with_rows": True},
    "threshold": {"threshold": 0.4},
    "separator": {"separator": "|"},
    "undefined": {"undefined": "exclude"},
    "drop nulls": {"nulls": "drop"},
    "strict": {"strict_inconclusive": True},
    "bootstrap": {"method": "bootstrap"},
    "max_memory": {"max_memory": 1 << 20},
}
SEARCHING: dict[str, dict[str, Any]] = {
    "metric": {"metric": "accuracy"},
    "metric of scores": {"metric": "log_loss"},
    "metric of sets": {"metric": "micro_f1"},
    "depth 1": {"depth": 1},
    "threshold": {"threshold": 0.4},
    "loss": {"loss": TWO["mass"]},
    "nulls": {"nulls": "drop"},
    "separator": {"separator": "|"},
    "bootstrap": {"method": "bootstrap"},
}
WEAK: dict[str, Any] = {"n_permutations": 99, "min_n": 10}
WATCHING: dict[str, dict[str, Any]] = {
    "all rows": {},
    "windows": {"windows": True},
    "planned": {"design": karat.Looks(1000)},
    "level": {"level": 0.8},
    "threshold": {"threshold": 0.4},
    "undefined": {"undefined": "exclude"},
    "by": {"by": "country"},
    "bootstrap": {"method": "bootstrap"},
}
ADDING: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"weights": TWO["mass"]},
    "clusters": {"clusters": TWO["team"]},
    "weights and clusters": {"weights": TWO["mass"], "clusters": TWO["team"]},
    "ids": {"ids": TWO["id"]},
    "folds": {"folds": TWO["fold"]},
    "by": {"by": TWO["country"]},
    "frequency": {"weights": TWO["copies"], "weights_are": "frequency"},
    "separator": {"separator": "|"},
    "gold": {"gold": TWO["gold"], "judge": TWO["judge"]},
}
STREAMING: dict[str, dict[str, Any]] = {
    "plain": {},
    "case-control": {"design": karat.CaseControl()},
    "frequency": {"weights_are": "frequency"},
    "bootstrap": {"method": "bootstrap"},
    "bca": {"method": "bca"},
    "bayesian": {"method": "bayesian"},
    "low side": {"side": "low"},
    "no level": {"level": None},
    "threshold": {"threshold": 0.4},
    "undefined": {"undefined": "exclude"},
    "max_memory": {"reading": karat.Reading(max_memory=1 << 20)},
    "clusters": {"clusters": TWO["team"]},
    "folds": {"folds": TWO["fold"]},
    "separator": {"labels": karat.Labels(separator="|")},
}
UPDATING: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"weights": TWO["copies"]},
    "clusters": {"clusters": TWO["team"]},
    "by": {"by": TWO["country"]},
    "folds": {"folds": TWO["fold"]},
    "ids": {"ids": TWO["id"]},
    "gold": {"gold": TWO["gold"], "judge": TWO["judge"]},
    "nulls": {"nulls": "drop"},
}
REPORTING: dict[str, dict[str, Any]] = {"looks": {"anytime": 1000}}
NEEDING: dict[str, Callable[[Any], Any]] = {
    "half width": lambda pilot: karat.rows_needed(_first(pilot), pilot=pilot, half_width=0.05),
    "difference": lambda pilot: karat.rows_needed(_first(pilot), pilot=pilot, difference=0.05),
    "one side": lambda pilot: karat.rows_needed(
        _first(pilot), pilot=pilot, half_width=0.05, interval=karat.Interval(side="low")
    ),
    "gold": lambda pilot: karat.rows_needed(_first(pilot), pilot=pilot, half_width=0.2, gold=5000),
    "both": lambda pilot: karat.rows_needed(
        _first(pilot), pilot=pilot, half_width=0.05, difference=0.05
    ),
}
QUICK: dict[str, Any] = {"n_replicates": 100}
MAIN = ("classes", "probabilities of two classes", "sets", "scores of sets")


def calls() -> Iterator[Call]:
    yield from _product("evaluate", tuple(OUTPUTS), OPTIONS, _evaluate)
    yield from _product("compare", MAIN, COMPARING, _compare)
    yield from _product("gate", (*MAIN, "a confusion matrix"), GATING, _gate)
    yield from _product("find_weak_slices", MAIN, SEARCHING, _weak)
    yield from _product("check", tuple(OUTPUTS), OPTIONS, _check)
    # A function of one metric has no data whose columns could be named.
    of_values = {name: option for name, option in OPTIONS.items() if "y_true" not in option}
    yield from _product("function", tuple(OUTPUTS), of_values, _function)
    yield from _uses_of_results("rows_needed", _evaluate, NEEDING)
    yield from _uses_of_results("rows_needed of a comparison", _compare, NEEDING)
    yield from _uses_of_results("a report as input", _evaluate, USES_OF_REPORTS)
    yield from _uses_of_results("form", _evaluate, FORMS)
    yield from _uses_of_results("form of a comparison", _compare, FORMS_OF_TWO)
    yield from _watched()
    yield from _streamed()
    yield from source_cells.calls()
    yield Call("Stream.report, clusters", "Stream", "array", lambda: _stream().report(clusters="c"))
    yield Call(
        "a comparison from JSON",
        "from_json",
        "comparison",
        lambda: karat.Comparison.from_json(_compare("classes", {}, {}, is_judged=False).to_json()),
    )


def designs_by_name(kind: str) -> dict[str, dict[str, Any]]:
    """The designs of a kind; a judge first, so that it is paired with all others."""
    return {GOLD: JUDGES[kind], **DESIGNS}


def _options(verb: str, kind: str, options: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The options of a verb, with those that name classes of this kind of rows."""
    by_kind = {"positive": POSITIVES[kind], "labels": LABELS[kind], "class names": NAMES[kind]}
    if verb == "compare":
        by_kind["label strata"] = STRATA[kind]
    if verb == "gate":
        by_kind["baseline"] = BASELINES[kind]
    return {**options, **by_kind}


def _product(
    verb: str, kinds: tuple[str, ...], options: dict[str, Any], run: Callable[..., Any]
) -> Iterator[Call]:
    """A call for each kind and design, whose cells are the options and the later designs."""
    for kind in kinds:
        designs = designs_by_name(kind)
        for at, (name, design) in enumerate(designs.items()):
            later = dict(itertools.islice(designs.items(), at + 1, None))
            later.pop("plain", None)
            cells = {"nothing else": {}, **_options(verb, kind, options), **later}
            runs = {
                cell: lambda d=design, o=option, k=kind, j=name == GOLD: run(k, d, o, is_judged=j)
                for cell, option in cells.items()
                if not option.keys() & {*design, *OUTPUTS[kind]}
            }
            yield Call(f"{verb}, {kind}, {name}", verb, kind, lambda runs=runs: cells_of(runs))


def _uses_of_results(verb: str, make: Callable[..., Any], uses: dict[str, Any]) -> Iterator[Call]:
    """A call for each kind and design, whose cells are uses of the same result."""
    for kind in MAIN:
        for name, design in designs_by_name(kind).items():

            def run(k: str = kind, d: Any = design, j: bool = name == GOLD) -> Any:
                kept = {"reading": karat.Reading(keep_rows=3)} if uses is FORMS and not j else {}
                return cells_of_result(lambda: make(k, d, kept, is_judged=j), uses)

            yield Call(f"{verb}, {kind}, {name}", verb, kind, run)


def _first(pilot: Any) -> str:
    """The first metric of a report or a comparison."""
    if isinstance(pilot, karat.Comparison):
        return pilot.differences[0].metric
    return next(iter(pilot.metrics))


def _truth(kind: str, *, is_judged: bool) -> Any:
    """The truth of a kind of rows; gold labels take its place."""
    return None if is_judged else TRUTHS[kind]


def _evaluate(kind: str, design: dict[str, Any], option: dict[str, Any], *, is_judged: bool) -> Any:
    truth = _truth(kind, is_judged=is_judged)
    return karat.evaluate(
        truth, **grouped({**OUTPUTS[kind], **METRICS[kind], **QUICK, **design, **option})
    )


def _compare(kind: str, design: dict[str, Any], option: dict[str, Any], *, is_judged: bool) -> Any:
    truth = _truth(kind, is_judged=is_judged)
    return karat.compare(
        truth,
        **grouped(
            {
                "interval": karat.Interval(n_replicates=99),
                **MODELS[kind],
                **METRICS[kind],
                **design,
                **option,
            },
            ("adjust",),
        ),
    )


def _gate(kind: str, design: dict[str, Any], option: dict[str, Any], *, is_judged: bool) -> Any:
    truth = _truth(kind, is_judged=is_judged)
    asked = {**OUTPUTS[kind], **BOUNDS[kind], **design, **option}
    target = asked.pop("update_baseline", None)
    result = karat.gate(truth, **grouped(asked))
    return result if target is None else result.save_baseline(target)


def _weak(kind: str, design: dict[str, Any], option: dict[str, Any], *, is_judged: bool) -> Any:
    truth, by = _truth(kind, is_judged=is_judged), {"country": TWO["country"], "sex": TWO["sex"]}
    return karat.find_weak_slices(
        truth, **grouped({**OUTPUTS[kind], **WEAK, **design, **option}, ("min_n",)), by=by
    )


def _check(kind: str, design: dict[str, Any], option: dict[str, Any], *, is_judged: bool) -> Any:
    return karat.check(
        _truth(kind, is_judged=is_judged), **grouped({**OUTPUTS[kind], **design, **option})
    )


def _function(kind: str, design: dict[str, Any], option: dict[str, Any], *, is_judged: bool) -> Any:
    truth = _truth(kind, is_judged=is_judged)
    if kind == "a confusion matrix":
        return karat.f1(**OUTPUTS[kind], **design, **option)
    if kind == "sets":
        return karat.subset_accuracy(truth, **OUTPUTS[kind], **design, **option)
    if kind == "scores of sets":
        ranking = karat.label_ranking_average_precision
        return ranking(truth, **OUTPUTS[kind], **design, **option)
    if kind in ("two classes", "classes"):
        return karat.accuracy(truth, **OUTPUTS[kind], **design, **option)
    if kind == "probabilities of classes":
        return karat.log_loss(truth, **OUTPUTS[kind], **design, **option)
    return karat.roc_auc(truth, **OUTPUTS[kind], **design, **option)


USES_OF_REPORTS: dict[str, Callable[[Any], Any]] = {
    "compare": lambda report: karat.compare({"old": report, "new": report}),
    "compare, looks": lambda report: karat.compare(
        {"old": report, "new": report}, design=karat.Looks(1000)
    ),
    "compare, folds": lambda report: karat.compare(
        {"old": report, "new": report}, design=karat.Folds(TWO["fold"])
    ),
    "compare, weights": lambda report: karat.compare(
        {"old": report, "new": report}, weights=TWO["mass"]
    ),
    "compare, maxt": lambda report: karat.compare({"old": report, "new": report}, adjust="maxt"),
    "gate": lambda report: karat.gate(report, min={_first(report): 0.6}),
    "gate, low evidence": lambda report: karat.gate(
        report, min={_first(report): 0.6}, rules=karat.Rules(evidence="low")
    ),
    "gate, by": lambda report: karat.gate(report, min={_first(report): 0.6}, by="country"),
    "gate, looks": lambda report: karat.gate(
        report, min={_first(report): 0.6}, design=karat.Looks(1000)
    ),
    "gate, folds": lambda report: karat.gate(
        report, min={_first(report): 0.6}, design=karat.Folds(TWO["fold"])
    ),
    "gate against a report": lambda report: karat.gate(
        report, baseline=report, max_drop={_first(report): 0.02}
    ),
    "gate, update": lambda report: karat.gate(report, min={_first(report): 0.0}).save_baseline(
        "base.json"
    ),
    "gate, update with rows": lambda report: karat.gate(
        report, min={_first(report): 0.0}, reading=karat.Reading(keep_rows=True)
    ).save_baseline("base.json"),
    "check": karat.check,
    "evaluate": karat.evaluate,
    "weak slices": karat.find_weak_slices,
    "Monitor": lambda report: karat.Monitor(min={_first(report): 0.6}).add(report),
}
FORMS: dict[str, Callable[[Any], Any]] = {
    "text": str,
    "page": lambda result: result.to_html(),
    "markdown": lambda result: result.to_markdown(),
    "LaTeX": lambda result: result.to_latex(),
    "CSV": lambda result: result.to_csv(),
    "frame": lambda result: result.to_frame("pandas"),
    "JSON": lambda result: result.to_json(),
    "JSON and back": lambda result: type(result).from_json(result.to_json()).to_json(),
    "MLflow": lambda result: result.to_mlflow(),
    "W&B": lambda result: result.to_wandb(),
    "model card": lambda result: result.to_model_index(model_name="m", dataset="d"),
    "rows": lambda result: result.rows(wrong=True),
    "wrong rows": lambda result: result.wrong_rows(),
    "slices": lambda result: list(result.slices),
    "folds": lambda result: result.folds,
    "calibration": lambda result: result.calibration,
    "curves": lambda result: result.curves,
    "thresholds": lambda result: result.thresholds,
    "confusion": lambda result: result.confusion,
}


FORMS_OF_TWO: dict[str, Callable[[Any], Any]] = {
    "text": str,
    "page": lambda result: result.to_html(),
    "markdown": lambda result: result.to_markdown(),
    "LaTeX": lambda result: result.to_latex(),
    "CSV": lambda result: result.to_csv(),
    "frame": lambda result: result.to_frame("pandas"),
    "JSON": lambda result: result.to_json(),
    "flips": lambda result: result.flips,
    "folds": lambda result: result.folds,
    "best": lambda result: str(result.best(result.differences[0].metric)),
    "per label": lambda result: result.per_label,
}


def _watched() -> Iterator[Call]:
    """Monitors: settings × what comes with the rows."""
    for kind in OUTPUTS:
        settings = {**WATCHING, "positive": POSITIVES[kind], "labels": LABELS[kind]}
        for name, setting in settings.items():
            runs = {
                cell: lambda k=kind, s=setting, r=roles: karat.Monitor(
                    **grouped({**BOUNDS[k], **s})
                ).add(TRUTHS[k], **OUTPUTS[k], **r)
                for cell, roles in ADDING.items()
            }
            if TRUTHS[kind] is not None:
                runs["looks at parts"] = lambda k=kind, s=setting: _two_looks(k, s)
            runs["baseline"] = lambda k=kind, s=setting: _drop(k, s)
            yield Call(
                f"Monitor, {kind}, {name}", "Monitor", kind, lambda runs=runs: cells_of(runs)
            )


def _stream() -> Any:
    stream = karat.Stream()
    stream.update(TRUTHS["classes"], **OUTPUTS["classes"])
    return stream


def _two_looks(kind: str, setting: dict[str, Any]) -> Any:
    monitor = karat.Monitor(**grouped({**BOUNDS[kind], **setting}))
    for part in (slice(0, 30), slice(30, 60)):
        monitor.add(TRUTHS[kind][part], **{k: v[part] for k, v in OUTPUTS[kind].items()})
    return karat.Monitor.from_bytes(monitor.to_bytes()).result


def _drop(kind: str, setting: dict[str, Any]) -> Any:
    monitor = karat.Monitor(max_drop=BASELINES[kind]["max_drop"], **grouped(setting))
    return monitor.add(TRUTHS[kind], **OUTPUTS[kind], baseline=BASELINES[kind]["baseline"])


def _streamed() -> Iterator[Call]:
    """Streams: settings × what comes with a batch × what is asked of the report."""
    for kind in OUTPUTS:
        settings = {**STREAMING, "positive": POSITIVES[kind], "labels": LABELS[kind]}
        for name, setting in settings.items():
            runs: Cells = {
                cell: lambda k=kind, s=setting, r=roles: _report_of_stream(k, s, r, {})
                for cell, roles in UPDATING.items()
            }
            for cell, asks in REPORTING.items():
                runs[cell] = lambda k=kind, s=setting, a=asks: _report_of_stream(k, s, {}, a)
            yield Call(f"Stream, {kind}, {name}", "Stream", kind, lambda runs=runs: cells_of(runs))


def _report_of_stream(
    kind: str, setting: dict[str, Any], roles: dict[str, Any], asks: dict[str, Any]
) -> Any:
    stream = karat.Stream(**grouped({**METRICS[kind], **QUICK, **setting}))
    counted = {"weights_are": setting["weights_are"]} if "weights_are" in setting else {}
    stream.update(TRUTHS[kind], **OUTPUTS[kind], **grouped({**roles, **counted}))
    return stream.report(**grouped(asks))

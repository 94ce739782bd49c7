"""Changes of an input that change no answer: ``python -m tests.misreadings.properties [N]``.

Each property makes random rows, asks karat twice, and lists the answers that differ.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

import karat

__all__ = ["PROPERTIES", "Problem", "findings"]

Library = Any
Array = npt.NDArray[Any]
TEXTS: Final = np.array(["ash", "birch", "cedar", "elm"])
WITHIN: Final = 1e-9
PAIR: Final = 2


@dataclass(frozen=True)
class Problem:
    """Random rows: labels, predictions, scores of one kind, weights.

    Attributes:
        argument: ``"y_prob"`` or ``"y_score"``.
        scores: float64[n, k].
    """

    y_true: Array
    y_pred: Array
    argument: str
    scores: Array
    weights: Array | None
    labels: list[Any]

    @classmethod
    def of(cls, rng: np.random.Generator, k: int = 0) -> Problem:
        k = k or int(rng.integers(2, 5))
        n = int(rng.integers(40, 160))
        codes = np.concatenate([np.arange(k), rng.integers(0, k, n - k)])
        logits = rng.normal(0.0, 1.0, (n, k)) + np.eye(k)[codes]
        is_prob = bool(rng.integers(2))
        if is_prob:
            logits = np.exp(logits - logits.max(axis=1, keepdims=True))
            logits /= logits.sum(axis=1, keepdims=True)
        names = TEXTS[:k] if rng.integers(2) else np.arange(k)
        weights = rng.integers(1, 5, n) / 4.0 if rng.integers(2) else None
        guess = np.where(rng.random(n) < 0.3, rng.integers(0, k, n), codes)
        argument = "y_prob" if is_prob else "y_score"
        return cls(names[codes], names[guess], argument, logits, weights, names.tolist())

    @property
    def n(self) -> int:
        return len(self.y_true)

    def at(self, rows: Array) -> Problem:
        weights = None if self.weights is None else self.weights[rows]
        columns = self.y_true[rows], self.y_pred[rows], self.argument, self.scores[rows]
        return Problem(*columns, weights, self.labels)

    def call(self) -> dict[str, Any]:
        return {
            "y_true": self.y_true,
            self.argument: self.scores,
            "weights": self.weights,
            "labels": self.labels,
        }


def numbers(report: Any) -> dict[str, float]:
    """Every value and limit of a report, by name."""
    found = {}
    for name, result in report.metrics.items():
        for part in ("value", "low", "high"):
            number = getattr(result, part)
            found[f"{name}.{part}"] = np.nan if number is None else float(number)
    return found


def different(left: Mapping[str, float], right: Mapping[str, float]) -> list[str]:
    """Names of numbers that differ beyond rounding."""
    if left.keys() != right.keys():
        return [f"names: {sorted(left.keys() ^ right.keys())[:4]}"]
    return [
        f"{name}: {left[name]!r} and {right[name]!r}"
        for name in left
        if not np.isclose(left[name], right[name], WITHIN, WITHIN, equal_nan=True)
    ]


def scaled_weights(rng: np.random.Generator, library: Library) -> list[str]:
    problem = Problem.of(rng)
    weights = rng.integers(1, 9, problem.n) * 1.0
    scale = float(rng.choice([1e-6, 0.1, 3.0, 1e5]))
    each = [replace(problem, weights=one) for one in (weights, weights * scale)]
    found = [numbers(library.evaluate(**one.call())) for one in each]
    return different(*({x: y for x, y in one.items() if not _is_count(x)} for one in found))


def _is_count(name: str) -> bool:
    return any(word in name for word in ("positives", "negatives", "count", "support"))


def order_of_rows(rng: np.random.Generator, library: Library) -> list[str]:
    problem = Problem.of(rng)
    other = problem.at(rng.permutation(problem.n))
    return different(*(numbers(library.evaluate(**one.call())) for one in (problem, other)))


def order_of_models(rng: np.random.Generator, library: Library) -> list[str]:
    """Differences with the baseline are the same, whatever the order of the other models."""
    problem = Problem.of(rng)
    names = problem.labels
    models = {
        name: np.where(
            rng.random(problem.n) < share,
            np.array(names)[rng.integers(0, len(names), problem.n)],
            problem.y_true,
        )
        for name, share in (("a", 0.2), ("b", 0.3), ("c", 0.4))
    }
    found = []
    for order in ("abc", "acb"):
        listed = {name: models[name] for name in order}
        compared = library.compare(
            problem.y_true, listed, baseline="a", weights=problem.weights, labels=names
        )
        found.append(dict(_differences(compared)))
    return different(*found)


def _differences(compared: Any) -> Iterator[tuple[str, float]]:
    for each in compared.differences:
        for part in ("difference", "low", "high", "p"):
            number = getattr(each, part)
            yield (
                f"{each.metric} {each.a} {each.b}.{part}",
                np.nan if number is None else float(number),
            )


def names_without_role(rng: np.random.Generator, library: Library) -> list[str]:
    """Columns whose names mean nothing to karat may have any names, and features keep theirs."""
    problem = Problem.of(rng)
    frame = pd.DataFrame({"y_true": problem.y_true, "y_pred": problem.y_pred})
    extra = {f"x{i}": rng.random(problem.n) for i in range(3)}
    features = ["weight", "w", "weights", "score_math", "age", "p_value", "logit_x"]
    names = rng.choice(features, 3, replace=False)
    frames = [frame.assign(**dict(zip(names, extra.values(), strict=True))), frame.assign(**extra)]
    return different(
        *(numbers(library.evaluate(one, y_true="y_true", y_pred="y_pred")) for one in frames)
    )


def level_of_two_scores(rng: np.random.Generator, library: Library) -> list[str]:
    """A number that is added to both scores of a row changes nothing."""
    problem = Problem.of(rng, k=2)
    scores = rng.integers(-64, 64, (problem.n, 2)) / 16.0
    level = rng.integers(-512, 512, (problem.n, 1)) / 16.0
    each = [replace(problem, argument="y_score", scores=one) for one in (scores, scores + level)]
    found = [numbers(library.evaluate(**one.call())) for one in each]
    # By its definition it reads each column alone.
    kept = [{name: x for name, x in one.items() if "one_vs_all" not in name} for one in found]
    return different(*kept)


def storage(rng: np.random.Generator, library: Library) -> list[str]:
    """The same numbers in other types are the same numbers."""
    problem = Problem.of(rng)
    single = problem.scores.astype(np.float32)
    labels: Any = problem.y_true
    kinds: list[Callable[[Any], Any]] = [list, pd.Series, lambda x: x.astype(object)]
    if problem.y_true.dtype.kind in "iu":
        kinds += [lambda x: x.astype(np.int8), lambda x: x.astype(np.float64)]
    other = kinds[int(rng.integers(len(kinds)))](labels)
    calls = [
        {**problem.call(), problem.argument: single},
        {**problem.call(), problem.argument: single.astype(np.float64), "y_true": other},
    ]
    if len(problem.labels) == PAIR:
        # A threshold that some rows reach, written as a double.
        at = {"threshold": float(str(rng.choice(single[:, -1]))), "positive": problem.labels[1]}
        calls = [{**call, **at} for call in calls]
    return different(*(numbers(library.evaluate(**call)) for call in calls))


def one_observed_class(rng: np.random.Generator, library: Library) -> list[str]:
    """A stream, a report, a gate and a comparison of one class agree."""
    problem = Problem.of(rng, k=2)
    y_true = np.array([problem.labels[0]] * problem.n)
    columns = {"y_pred": problem.y_pred}
    if rng.integers(2):
        columns = {problem.argument: problem.scores}
    settings = {"positive": problem.labels[1]}
    stream = library.Stream(**settings)
    stream.update(y_true, **columns)
    report = library.evaluate(y_true, **columns, **settings)
    found = different(numbers(stream.report()), numbers(report))
    gate = library.gate(y_true, **columns, **settings, min={"accuracy": 0.0})
    value = gate.rules[0].value
    if value != report["accuracy"].value:
        found.append(f"gate: {value} and {report['accuracy'].value}")
    return found


def nothing_varies(rng: np.random.Generator, library: Library) -> list[str]:
    """Rows that all have one loss, or one score, have one answer: any scale, order and path."""
    problem = Problem.of(rng)
    k, codes = len(problem.labels), np.searchsorted(np.array(problem.labels), problem.y_true)
    chance = 0.9 / k
    kinds = [
        np.full((problem.n, k), 1.0 / k),
        np.tile(rng.dirichlet(np.ones(k)), (problem.n, 1)),
        np.where(np.eye(k)[codes] > 0, 1.0 - (k - 1) * chance, chance),
    ]
    at = {"weights": rng.random(problem.n) + 0.1, "argument": "y_prob"}
    problem = replace(problem, scores=kinds[int(rng.integers(3))], **at)
    clusters = rng.integers(0, 9, problem.n) if rng.integers(2) else None
    found = []
    for scale in (1.0, 0.1, 1e-3, 7.0):
        rows = rng.permutation(problem.n)
        call = problem.at(rows).call()
        call["weights"] = call["weights"] * scale
        grouped = call if clusters is None else {**call, "clusters": clusters[rows]}
        found.append(_facts(library, library.evaluate(**grouped), grouped))
        if clusters is None:
            stream = library.Stream(labels=problem.labels)
            for part in np.array_split(np.arange(problem.n), 3):
                stream.update(
                    **{name: call[name][part] for name in ("y_true", "y_prob", "weights")}
                )
            found.append(_facts(library, stream.report(), call))
    return [text for one in found[1:] for text in different(found[0], one)]


def _facts(library: Library, report: Any, call: dict[str, Any]) -> dict[str, float]:
    """Values, limits and methods of a report, a comparison and a monitor of the same rows."""
    found = {name: x for name, x in numbers(report).items() if not _is_count(name)}
    found |= {
        f"{name} {one.method} {one.remark}": 0.0
        for name, one in report.metrics.items()
        if one.method is not None and "bootstrap" not in one.method
    }
    rows = {name: call[name] for name in call if name != "y_prob"}
    models = {"a": call["y_prob"], "b": np.full_like(call["y_prob"], 1.0 / len(call["labels"]))}
    metrics = ["brier", "log_loss", "roc_auc_ovr_macro"]
    if len(call["labels"]) == PAIR:
        metrics, rows["positive"] = ["brier", "log_loss"], call["labels"][1]
    compared = library.compare(**rows, y_prob=models, metrics=metrics)
    found |= dict(_differences(compared))
    found |= {f"{one.metric} {one.verdict} {one.method}": 0.0 for one in compared.differences}
    monitor = library.Monitor(max={"brier": 0.8}, labels=call["labels"], design=karat.Looks(500))
    columns = {name: x for name, x in call.items() if name != "labels"}
    return found | {f"monitor: {monitor.add(**columns).verdict}": 0.0}


PROPERTIES: Final[dict[str, Callable[[np.random.Generator, Library], list[str]]]] = {
    "scaling of weights": scaled_weights,
    "order of rows": order_of_rows,
    "order of models": order_of_models,
    "names of columns without a role": names_without_role,
    "the level of two scores": level_of_two_scores,
    "storage type": storage,
    "one observed class": one_observed_class,
    "rows of which nothing varies": nothing_varies,
}


def findings(name: str, n: int, library: Library = karat, seed: int = 0) -> list[str]:
    """What differs in n random cases of a property."""
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for case in range(n):
            rng = np.random.default_rng([seed, case, *name.encode()])
            found += [f"case {case}: {text}" for text in PROPERTIES[name](rng, library)]
    return found


def main(n: int) -> int:
    """Print cases and findings of each property; 1 where there is one."""
    print("| property | random cases | findings |\n|---|---|---|")
    total = 0
    for name in PROPERTIES:
        found = findings(name, n)
        total += len(found)
        print(f"| {name} | {n} | {len(found)} | {'; '.join(found[:2])}")
    return int(total > 0)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 50))

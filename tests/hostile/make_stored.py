"""Write the files of `stored`: what this version writes of each format that is read, or is JSON.

Run it once for a new format, from the root of the repository, and never for one that is there:
the files stand for what users have kept.

    python -m tests.hostile.make_stored
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, Final

import numpy as np

import karat
from karat.api.judging import JudgedReport
from karat.api.results import ClassReport as Report
from karat.api.sets import MultilabelReport
from karat.data.accumulator import Tallies
from karat.data.scores.storage import ScoreParts
from karat.data.sources.distributed.partials import Partial
from karat.data.sources.distributed.partitions import Reading
from karat.data.sources.files.large import Checkpoint
from karat.errors import KaratError, error
from karat.tally import Classes, JointCells

__all__ = ["STORED", "made"]

STORED: Final = Path(__file__).with_name("stored")

N: Final = 60
TRUE: Final = np.array(["ant", "bee", "çat"])[np.arange(N) % 3]
PRED: Final = np.array(["ant", "bee", "çat"])[(np.arange(N) + (np.arange(N) % 7 == 0)) % 3]
OTHER: Final = np.array(["ant", "bee", "çat"])[(np.arange(N) + (np.arange(N) % 5 == 0)) % 3]
TWO: Final = np.arange(N) % 2
PROB: Final = np.round((TWO * 0.3 + (np.arange(N) * 37 % 101) / 150), 3)
WEIGHTS: Final = 0.5 + np.arange(N) % 4 / 8
GROUP: Final = np.array(["NO", "SE"])[np.arange(N) // 5 % 2]


def reports() -> dict[str, Report]:
    return {
        "labels": karat.evaluate(TRUE, PRED),
        "weighted": karat.evaluate(TRUE, PRED, weights=WEIGHTS, level=0.9),
        "scores": karat.evaluate(TWO, y_prob=PROB, threshold=0.5),
        "slices": karat.evaluate(TRUE, PRED, by={"country": GROUP}, metrics=["macro_f1"]),
        "clusters": karat.evaluate(TWO, y_prob=PROB, clusters=np.arange(N) // 4),
    }


SETS: Final = [{"ant"} if i % 3 else {"ant", "bee"} for i in range(N)]
CHOSEN: Final = [{"bee"} if i % 7 == 0 else one for i, one in enumerate(SETS)]
INDICATORS: Final = np.array([[1, 1 - min(1, i % 3)] for i in range(N)])


def reports_of_sets() -> dict[str, MultilabelReport]:
    likely = np.round(0.6 * INDICATORS + (np.arange(2 * N) * 37 % 101).reshape(N, 2) / 260, 3)
    few = ["macro_f1", "subset_accuracy"]
    return {
        "sets": karat.evaluate(SETS, CHOSEN),
        "scores": karat.evaluate(INDICATORS, y_prob=likely),
        "slices": karat.evaluate(SETS, CHOSEN, by={"country": GROUP}, metrics=few),
        "weighted": karat.evaluate(
            SETS,
            CHOSEN,
            weights=karat.Frequency(1 + np.arange(N) % 40),
            metrics=few,
            clusters=np.arange(N) // 2,
        ),
    }


def report_of_a_judge() -> JudgedReport:
    gold = np.where(np.arange(N) % 3 == 0, TWO, np.nan)
    judge = np.where(np.arange(N) % 8 == 0, 1 - TWO, TWO)
    few = ["accuracy", "log_loss"]
    return karat.evaluate(
        y_true=gold, design=karat.Judge(judge, is_random=True), y_prob=PROB, metrics=few
    )


def monitors() -> dict[str, karat.Monitor]:
    labels = karat.Monitor(min={"accuracy": 0.5}, labels=["ant", "bee", "çat"])
    scores = karat.Monitor(max_drop={"roc_auc": 0.2}, max={"log_loss": 2.0}, windows=True)
    labels.add(TRUE, PRED, ids=np.arange(N))
    labels.add(TRUE, OTHER, ids=np.arange(N, 2 * N))
    of_rows = {"weights": WEIGHTS, "clusters": np.arange(N) // 4}
    scores.add(TWO, y_prob=PROB, baseline=PROB[::-1].copy(), **of_rows)
    return {"labels": labels, "scores": scores}


def empty() -> ScoreParts:
    """What rows with scores are added to."""
    return ScoreParts(1 << 20, None, None, False)


def _parts() -> tuple[Any, Any]:
    labels, scores = karat.Stream(), karat.Stream(reading=karat.Reading(max_memory=1 << 20))
    labels.update(TRUE, PRED)
    scores.update(TWO, y_prob=PROB)
    return labels._tallies.cells, scores._tallies.scores


def _problem() -> KaratError:
    return error("K402", path="partition 3", found="no row")


def _baselines(folder: Path) -> dict[str, bytes]:
    table = {"id": np.arange(N), "label": TRUE, "pred": PRED, "country": GROUP}
    scored = {"label": TWO, "prob": PROB, "w": WEIGHTS}
    asked: dict[str, tuple[Any, dict[str, Any]]] = {
        "labels": (table, {}),
        "rows": (table, {"reading": karat.Reading(keep_rows=True), "by": "country"}),
        "scores": (scored, {"reading": karat.Reading(keep_rows=True), "weights": "w"}),
    }
    found = {}
    for name, (columns, options) in asked.items():
        path = folder / f"{name}.json"
        bounds = {"accuracy": 0.1}
        karat.gate(columns, min=bounds, **options).save_baseline(path)
        found[f"v1-{name}.baseline.json"] = path.read_bytes()
    return found


def made() -> dict[str, bytes]:
    """Name and bytes of every file."""
    found = {
        f"v1-{name}.report.json": (r.to_json() + "\n").encode() for name, r in reports().items()
    }
    for name, of_sets in reports_of_sets().items():
        found[f"v1-{name}.multilabel.json"] = (of_sets.to_json() + "\n").encode()
    found["v1.judged.json"] = (report_of_a_judge().to_json() + "\n").encode()
    found |= {f"v1-{name}.karat-monitor": m.to_bytes() for name, m in monitors().items()}
    cells, scores = _parts()
    partials = {
        "labels": Partial(((0, 1), (4, 4)), N, Tallies(cells, n_dropped=2)),
        "scores": Partial(((2, 2),), N, Tallies(scores=scores)),
        "problem": Partial(((3, 3),), problem=_problem()),
    }
    found |= {f"v1-{name}.karat-partial": part.to_bytes() for name, part in partials.items()}
    reading = Reading({"true": "label", "pred": "pred"}, "cells", labels=("a", "b"))
    found["v1.task.json"] = reading.to_bytes()
    codes = [np.unique(labels, return_inverse=True)[1] for labels in (TRUE, PRED, OTHER)]
    classes = Classes.of(["ant", "bee", "çat"])
    joint = JointCells.of(classes, ["old", "new"], codes[0], codes[1:])
    found["v1.karat-joint"] = joint.to_bytes()
    compared = karat.compare(TRUE, {"old": PRED, "new": OTHER})
    found["v2.comparison.json"] = (compared.to_json() + "\n").encode()
    gated = karat.gate(TRUE, PRED, baseline=OTHER, min={"accuracy": 0.5})
    found["v1.gate.json"] = (gated.to_json() + "\n").encode()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind, so_far in {
            "labels": (3, Tallies(cells, n_dropped=1)),
            "scores": (5, Tallies(scores=scores)),
        }.items():
            path = folder / f"{kind}.karat"
            Checkpoint(path, "of these files").save(*so_far)
            found[f"v1-{kind}.karat-checkpoint"] = path.read_bytes()
        return found | _baselines(folder)


if __name__ == "__main__":
    STORED.mkdir(exist_ok=True)
    for name, data in made().items():
        if not (STORED / name).exists():
            (STORED / name).write_bytes(data)

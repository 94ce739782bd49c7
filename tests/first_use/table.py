"""The rows of everyday inputs and what becomes of each now: ``python -m tests.first_use.table``."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import karat
from tests.first_use.test_inputs import GUESS, IS_FRAUD, WORDS, P


def said(call: Callable[[], Any]) -> str:
    """The first two lines of an error, else the text of what came out."""
    try:
        found = call()
    except (karat.KaratError, AttributeError) as problem:
        lines = [line.strip() for line in str(problem).splitlines()]
        return " ".join([lines[0], lines[-1]])
    return str(found)


def command(*arguments: object) -> str:
    """Exit code and the last lines of a command."""
    from karat.cli import main

    out, err = StringIO(), StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main([str(argument) for argument in arguments])
    text = err.getvalue() if code == 2 else out.getvalue()
    lines = [line.strip() for line in text.splitlines() if line]
    shown = lines[:1] + lines[-1:] if len(lines) > 1 else lines
    return f"exit {code}: {' '.join(shown)}"


def rows(folder: Path) -> dict[str, Callable[[], Any]]:
    """Input → what becomes of it."""
    truth = IS_FRAUD.astype(int)
    frame = pd.DataFrame({"id": range(len(P)), "label": truth, "prob": P})
    for name in ("lr", "nb"):
        frame.to_parquet(folder / f"{name}.parquet")
    scored = pd.DataFrame({"label": truth, "score": P})
    named = pd.DataFrame({"label": truth, "yhat": GUESS == "fraud", "prob": P})
    slices = pd.DataFrame(
        {"label": truth, "pred": P >= 0.5, "channel": np.where(np.arange(len(P)) % 2, "a", "b")}
    )
    slices.to_csv(folder / "new.csv", index=False)
    worse = slices.assign(pred=np.where(np.arange(len(P)) % 29 == 0, 1 - truth, slices["pred"]))
    worse.to_csv(folder / "worse.csv", index=False)
    none = np.where(np.arange(len(P)) % 300 == 0, np.where(IS_FRAUD, 0.0, 1.0), P)
    base, new, bad = folder / "base.json", folder / "new.csv", folder / "worse.csv"
    ten = np.random.default_rng(0).dirichlet(np.ones(10), 300)
    return {
        "fraud/ok, y_prob=p": lambda: said(lambda: karat.evaluate(WORDS, y_prob=P)),
        "f1(words, words)": lambda: said(lambda: karat.f1(WORDS, GUESS)),
        "f1(…, average='macro')": lambda: karat.f1(WORDS, GUESS, average="macro"),
        "evaluate(words, words)": lambda: karat.evaluate(WORDS, GUESS).doubts[0],
        "AUC below 0.5": lambda: karat.evaluate(WORDS, y_prob=P, positive="ok").doubts[0],
        "y_score= in [0, 1]": lambda: karat.evaluate(truth, y_score=P).doubts[0],
        "column score in [0, 1]": lambda: said(lambda: karat.evaluate(scored)),
        "label,yhat,prob": lambda: karat.evaluate(named).mapping,
        "report lr nb": lambda: command("report", folder / "lr.parquet", folder / "nb.parquet"),
        "'0','1' beside '0.0','1.0'": lambda: said(
            lambda: karat.evaluate(["0", "1"], ["0.0", "1.0"])
        ),
        "threshold=2": lambda: said(lambda: karat.evaluate(truth, y_prob=P, threshold=2)),
        "p = 0 for the true class": lambda: karat.evaluate(truth, y_prob=none).doubts[0],
        "log_loss(eps=1e-15)": lambda: karat.log_loss(truth, y_prob=none, eps=1e-15),
        "gate --update-baseline": lambda: command("gate", new, "--update-baseline", base),
        "gate --by, baseline without slices": lambda: command(
            "gate", new, "--baseline", base, "--by", "channel"
        ),
        "gate --max-drop, interval crosses": lambda: command(
            "gate", bad, "--baseline", base, "--max-drop", "f1=0.2"
        ),
        "top_k": lambda: [x for x in karat.evaluate(np.arange(300) % 10, y_prob=ten) if "top" in x],
    }


def main() -> None:
    """Print each row."""
    with tempfile.TemporaryDirectory() as folder:
        for name, made in rows(Path(folder)).items():
            text = " ".join(str(made()).split()).replace(str(folder) + "/", "")
            sys.stdout.write(f"| {name} | {text} |\n")


if __name__ == "__main__":
    main()

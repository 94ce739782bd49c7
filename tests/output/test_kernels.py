"""Everything a user does first, in a kernel of Jupyter with ipywidgets and without, and in IPython.

Each cell ends with an object, as users write them, and has to show it as HTML without an error.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.notebooks import WITHOUT_WIDGETS, outputs
from tests.optional import optional
from tests.output.test_notebook import Page

optional("ipykernel")
optional("ipywidgets")
optional("duckdb")
optional("nbclient")
optional("pandas")
optional("matplotlib")

MADE = """
import numpy as np, pandas as pd, karat
frame = pd.read_csv("rows.csv")
y, pred, p = (frame[name].to_numpy() for name in ("label", "pred", "prob"))
country = frame["country"]
few, sampled = karat.Interval(n_replicates=99), karat.Interval(method="bootstrap")
"""
SHOWN = {
    "a path": "report = karat.evaluate('rows.csv'); report",
    "a frame": "karat.evaluate(frame)",
    "arrays": "karat.evaluate(y, pred)",
    "scores by slice": "report = karat.evaluate(y, y_prob=p, by={'country': country}); report",
    "one metric": "report['f1']",
    "confusion": "report.confusion",
    "calibration": "report.calibration",
    "thresholds": "report.thresholds",
    "slices": "report.slices",
    "one table of slices": "report.slices['country']",
    "one slice": "report.slices['country']['NO']",
    "curves": "report.curves",
    "one curve": "karat.curves.roc(y, y_prob=p)",
    "compare": "karat.compare(y, {'old': pred, 'new': (p > 0.5).astype(int)})",
    "gate": "karat.gate(y, pred, min={'accuracy': 0.5})",
    "weak slices": "karat.find_weak_slices(y, pred, by={'country': country}, interval=few)",
    "stream": "stream = karat.Stream(); stream.update(y, pred); stream",
    "stream of scores": "stream = karat.Stream(); stream.update(y, y_prob=p); stream",
}
DRAWN = (
    "karat.plot.roc(report)",
    "karat.plot.confusion(report)",
    "karat.plot.intervals(report)",
    "karat.plot.threshold(report);",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(2)
    n = 500
    y = rng.integers(0, 2, n)
    country = rng.choice(["NO", "SE", "<script>"], n)
    wrong = rng.random(n) < np.where(country == "SE", 0.4, 0.1)
    pred = np.where(wrong, 1 - y, y)
    p = np.clip(0.5 + 0.3 * (2 * y - 1) + rng.normal(scale=0.25, size=n), 0.01, 0.99)
    path = tmp_path_factory.mktemp("notebook")
    lines = zip(y, pred, p.round(4), country, strict=True)
    text = "".join(f"{a},{b},{c},{d}\n" for a, b, c, d in lines)
    (path / "rows.csv").write_text(f"label,pred,prob,country\n{text}")
    return path


@pytest.fixture(scope="module", params=[True, False], ids=["widgets", "no widgets"])
def shown(request: pytest.FixtureRequest, folder: Path) -> dict[str, list[dict[str, Any]]]:
    """Cell → its outputs, all of one notebook."""
    first = MADE if request.param else WITHOUT_WIDGETS + MADE
    cells = [first, *SHOWN.values(), *DRAWN]
    _, *found = outputs(cells, folder)
    return dict(zip([*SHOWN, *DRAWN], found, strict=True))


@pytest.mark.parametrize("name", SHOWN)
def test_a_cell_shows_html(name: str, shown: dict[str, list[dict[str, Any]]]) -> None:
    # Nothing beside it: no warning, no bar, no text of a library.
    (found,) = shown[name]
    assert found["output_type"] == "execute_result"
    html = found["data"]["text/html"]
    assert "<pre" not in html
    assert "<svg" in html or name in ("one metric", "confusion")
    assert "http" not in html.replace('xmlns="http://www.w3.org/2000/svg"', "")
    Page(html)
    assert found["data"]["text/plain"]


@pytest.mark.parametrize("call", DRAWN)
def test_a_cell_shows_a_plot(call: str, shown: dict[str, list[dict[str, Any]]]) -> None:
    kinds = {kind for one in shown[call] for kind in one.get("data", {})}
    assert "image/png" in kinds
    assert all(one["output_type"] != "error" for one in shown[call])


CALLS = {
    "a path": "karat.evaluate('rows.csv')",
    "scores": "karat.evaluate(y, y_prob=p)",
    "replicates": "karat.evaluate(y, pred, interval=sampled, metrics=['f1'])['f1'].low",
    "compare": "karat.compare(y, {'old': pred, 'new': 1 - pred})",
    "weak slices": "karat.find_weak_slices(y, pred, by={'country': country}, interval=few)",
    "stream": "stream.update(y, y_prob=p)",
    "form": "karat.evaluate(y, y_prob=p)._repr_html_()",
}
INTERRUPTED = """
import os, signal, threading
threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    while True:
        {call}
except KeyboardInterrupt:
    print("interrupted")
"""


def test_a_kernel_is_usable_after_an_interrupted_call(folder: Path) -> None:
    cells = [MADE + "stream = karat.Stream()"]
    for call in CALLS.values():
        cells += [INTERRUPTED.format(call=call), "float(karat.evaluate('rows.csv').accuracy)"]
    _, *found = outputs(cells, folder)
    for name, stopped, after in zip(CALLS, found[::2], found[1::2], strict=True):
        assert [one["text"] for one in stopped] == ["interrupted\n"], name
        assert 0.5 < float(after[0]["data"]["text/plain"]) < 1.0, name


TERMINAL = """
import json, sys
from IPython.core.completer import provisionalcompleter
from IPython.terminal.interactiveshell import TerminalInteractiveShell
shell = TerminalInteractiveShell.instance()
found = []
for cell in json.load(sys.stdin):
    done = shell.run_cell(cell, store_history=False, silent=True)
    if done.error_before_exec or done.error_in_exec:
        raise SystemExit(f"{cell}: {done.error_in_exec}")
    value = shell.ev(cell.rpartition("; ")[2].rstrip(";")) if "\\n" not in cell else None
    data, _ = shell.display_formatter.format(value)
    found.append(data["text/plain"])
for shell.Completer.use_jedi in (True, False):
    for text in ("karat.", "report."):
        with provisionalcompleter():
            listed = [one.text for one in shell.Completer.completions(text, len(text))]
        found.append([one.rpartition(".")[2] for one in listed])
print("\\n" + json.dumps(found))
"""


def test_an_ipython_terminal_shows_text_and_completes_public_names(
    folder: Path, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", TERMINAL],
        input=json.dumps([MADE, *SHOWN.values()]),
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "IPYTHONDIR": str(tmp_path)},
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    _, *texts, names, attributes, seen_names, seen_attributes = json.loads(
        done.stdout.splitlines()[-1]
    )
    for name, text in zip(SHOWN, texts, strict=True):
        assert text.strip(), name
        assert "Traceback" not in text
    # By Jedi, and by what `dir` lists.
    for listed in (names, seen_names):
        assert {"f1", "evaluate", "matthews_correlation", "Stream", "plot"} <= set(listed)
        assert {"_HOMES", "importlib", "annotations", "Any"}.isdisjoint(listed)
    for listed in (attributes, seen_attributes):
        assert {"per_class", "f1", "to_html"} <= set(listed)

"""The table of what does not go together: each cell is what a verb does, and no verb refuses on."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from karat.api.request.request import options_of
from karat.cli import main
from karat.errors import together
from karat.errors.options import option, parameter
from karat.errors.together import BY_DEFINITION, TABLE, Refusal
from tests.grouping import grouped

N = 40
SETS = [["a"], ["a", "b"]] * (N // 2)
LABELS = [0, 1] * (N // 2)
GOLD = {"y_true": [0, 1, None, None] * (N // 4), "design": karat.Judge(LABELS, is_random=True)}
VALUES: dict[str, Any] = {
    "adjust": "maxt",
    "anytime": 100,
    "by": [0, 1] * (N // 2),
    "class_names": ["x", "y"],
    "clusters": list(range(N)),
    "decimal": ",",
    "confusion": [[1, 0], [0, 1]],
    "exact": True,
    "folds": [0, 0, 1, 1] * (N // 4),
    "id": list(range(N)),
    "ids": list(range(N)),
    "keep_rows": 3,
    "label_strata": {"head": [0]},
    "labels": [0, 1],
    "level": None,
    "max_memory": 1 << 24,
    "method": "bootstrap",
    "nulls": "drop",
    "paired": False,
    "positive": "a",
    "prevalence": 0.1,
    "sampling": "case-control",
    "separator": "|",
    "text": ["code"],
    "threshold": 0.5,
    "weights": [1.0] * N,
    "weights_are": "frequency",
}


def value_of(cell: Refusal, folder: Path) -> Any:
    if cell.option == "positive" and not cell.beside.startswith("sets"):
        return 1
    if cell.option == "keep_rows" and cell.verb == "gate":
        return True
    return str(folder / "progress") if cell.option == "checkpoint" else VALUES[cell.option]


def table_of_sets() -> Any:
    import polars as pl

    return pl.DataFrame({"label": SETS, "pred": SETS, "country": ["no", "dk"] * (N // 2)})


def table_of_classes() -> Any:
    import polars as pl

    return pl.DataFrame({"label": LABELS, "pred": LABELS, "fold": [0, 1] * (N // 2)})


def of_arrays(cell: Refusal, given: dict[str, Any]) -> Any:
    rows = SETS if cell.beside.startswith("sets") else LABELS
    match cell.verb:
        case "evaluate" if cell.beside == "judge":
            return karat.evaluate(**grouped({**GOLD, **given}), y_pred=LABELS)
        case "compare" if cell.beside == "judge":
            return karat.compare(
                **grouped({**GOLD, **given}, ("adjust",)),
                y_pred={"old": LABELS, "new": LABELS[::-1]},
            )
        case "evaluate" | "any":
            return karat.evaluate(rows, rows, **grouped(given))
        case "compare":
            return karat.compare(
                rows, {"old": rows, "new": rows[::-1]}, **grouped(given, ("adjust",))
            )
        case "gate":
            bound = {"micro_f1": 0.1} if cell.beside.startswith("sets") else {"accuracy": 0.1}
            return karat.gate(rows, rows, min=bound, **grouped(given))
    raise AssertionError(cell)


def call(cell: Refusal, folder: Path) -> Any:
    """Call the verb of a cell with its option and rows of its kind."""
    value = value_of(cell, folder) if cell.option else None
    given = {parameter(cell.option): value} if cell.option else {}
    if cell.option == "weights_are":
        given["weights"] = VALUES["weights"]
    if cell.beside == "looks":
        given["anytime"] = 100
    if cell.option == "prevalence":
        given["sampling"] = "case-control"
    if cell.beside == "nested folds":
        inner = {"fold": [0, 1, 2, 3] * (N // 4), "holdout": [1, 0, None, None] * (N // 4)}
        design = [karat.Folds(**inner), karat.CaseControl(prevalence=value)]
        return karat.evaluate(LABELS, LABELS, design=design)
    if cell.beside == "counted weights":
        given |= {"weights": VALUES["weights"], "weights_are": "frequency"}
    if cell.beside == "score histograms":
        stream = karat.Stream(**grouped({"max_memory": 1 << 20, **given}))
        scores = np.linspace(0.0, 1.0, 200_000)
        stream.update(np.arange(len(scores)) % 2, y_prob=scores)
        return stream.report()
    if cell.beside == "described data":
        data = karat.read(table_of_classes(), **grouped(given))
        match cell.verb:
            case "compare":
                return karat.compare({"old": data, "new": data})
            case "find_weak_slices":
                return karat.find_weak_slices(data)
            case "Stream.update":
                return karat.Stream().update(data)
        return karat.Monitor(min={"accuracy": 0.5}).add(data)
    if cell.verb == "Monitor":
        return karat.Monitor(min={"accuracy": 0.5}).add(SETS, SETS)
    if cell.beside == "slices":
        given["by"] = VALUES["by"]
    if cell.beside == "listed rows":
        table_of_classes().write_parquet(folder / "rows.parquet")
        return karat.evaluate(
            folder / "rows.parquet", **grouped({"reading": karat.Reading(keep_rows=3), **given})
        )
    if cell.beside == "models on different rows":
        true, pred = {"old": LABELS, "new": LABELS[:30]}, {"old": LABELS, "new": LABELS[:30]}
        return karat.compare(true, pred, **grouped(given, ("adjust",)))
    if cell.beside == "reports":
        reports = {name: karat.evaluate(LABELS, LABELS) for name in ("old", "new")}
        return karat.compare(reports, **grouped(given, ("adjust",)))
    if cell.beside == "a report":
        return karat.gate(karat.evaluate(LABELS, LABELS), min={"accuracy": 0.1}, **grouped(given))
    if cell.verb == "Stream":
        if cell.option == "anytime":
            stream = karat.Stream()
            stream.update(SETS, SETS)
            return stream.report(design=karat.Looks(value))
        weights = {name: given.pop(name) for name in ("weights", "weights_are") if name in given}
        return karat.Stream(**grouped(given)).update(SETS, SETS, **grouped(weights))
    if cell.beside == "sets of a table" and cell.option == "checkpoint":
        table_of_sets().write_parquet(folder / "sets.parquet")
        return karat.evaluate(folder / "sets.parquet", **grouped(given))
    if cell.beside == "sets of a table" and cell.option == "by":
        return karat.gate(table_of_sets(), by="country", min={"micro_f1": 0.1})
    if cell.beside == "sets of a table":
        return karat.evaluate(table_of_sets(), **grouped(given))
    return of_arrays(cell, given)


def refused(cell: Refusal, run: Callable[[], Any]) -> bool:
    """True if the call is refused by this cell."""
    # Some errors name what is missing in place of the option.
    name = option(cell.option).removesuffix(")") if cell.code != "K238" else cell.reason
    # A group begins otherwise where the error shows the value.
    name = name.removeprefix("reading=")
    try:
        run()
    except karat.KaratError as problem:
        return problem.code == cell.code and name in str(problem)
    return False


OF_COMMANDS = {("evaluate", "judge", "errors"), ("compare", "judge", "nulls")}
"""Options of commands alone, with a test of their own."""
OF_CALLS = [cell for cell in TABLE if (cell.verb, cell.beside, cell.option) not in OF_COMMANDS]


@pytest.mark.parametrize("cell", OF_CALLS, ids=lambda c: f"{c.verb}-{c.beside}-{c.option}")
def test_a_cell_is_what_the_verb_does(cell: Refusal, tmp_path: Path) -> None:
    assert refused(cell, lambda: call(cell, tmp_path))


@pytest.mark.parametrize("cell", OF_CALLS, ids=lambda c: f"{c.verb}-{c.beside}-{c.option}")
def test_without_its_cell_it_is_not_refused_so(
    cell: Refusal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    alike = [each for each in TABLE if (each.beside, each.option) == (cell.beside, cell.option)]
    monkeypatch.setattr(together, "TABLE", tuple(c for c in TABLE if c not in alike))

    def run() -> None:
        try:
            call(cell, tmp_path)
        except karat.KaratError:
            raise
        except Exception:  # what is not refused may not work yet
            pass

    assert not refused(cell, run)


@pytest.mark.parametrize(
    "typed", [("--errors", "wrong.csv"), ("--flips", "flips.csv"), ("--nulls", "drop")]
)
def test_options_of_commands_alone(
    typed: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.csv"
    rows = [
        f"{'' if g is None else g},{j},{j}" for g, j in zip(GOLD["y_true"], LABELS, strict=True)
    ]
    path.write_text("\n".join(["gold,judge,pred", *rows]), encoding="utf-8")
    files = [str(path)] if typed[0] == "--errors" else [str(path), str(path)]
    command = "report" if typed[0] == "--errors" else "compare"
    value = typed[1] if typed[0] == "--nulls" else str(tmp_path / typed[1])
    judged = ["--true", "gold", "--judge", "judge"]
    assert main([command, *files, *judged, typed[0], value]) == 2
    assert f"K243  {typed[0]}" in capsys.readouterr().err


def test_every_cell_has_a_reason() -> None:
    assert all(cell.reason and cell.reason[0].isupper() for cell in TABLE)
    assert len({(c.verb, c.beside, c.option) for c in TABLE}) == len(TABLE)


ROLES = {"data", "predictions", "y_true", "y_pred", "y_prob", "y_logit", "y_score"}
ROLES |= {"gold_is_random", "gold_weights", "judge", "weights", "clusters"}
CLASSES = {"class_names", "labels", "positive", "undefined", "metrics", "n_threads", "seed"}
GROUPS = {"interval", "reading", "design", "text", "decimal"}
READ_WITH_A_JUDGE = {
    "evaluate": {*GROUPS, *ROLES, *CLASSES, "n_replicates", "side", "threshold"},
    "compare": {
        *GROUPS,
        *ROLES,
        *CLASSES,
        "adjust",
        "baseline",
        "level",
        "margin",
        "n_permutations",
    },
}
"""Options that an estimate with a judge reads, or that have no effect on one."""


@pytest.mark.parametrize("verb", READ_WITH_A_JUDGE)
def test_every_option_is_read_or_refused_beside_a_judge(verb: str) -> None:
    names = {item.name for item in options_of(verb)}
    cells = [cell for cell in TABLE if cell.beside == "judge" and cell.verb in (verb, "any")]
    refused_ = {parameter(cell.option) for cell in cells if not cell.values}
    if parameter("sampling") in refused_:
        # An argument of that design alone.
        refused_ |= {"prevalence"}
    partly = {parameter(cell.option) for cell in cells if cell.values}
    assert names - refused_ - partly == READ_WITH_A_JUDGE[verb] & names
    assert not refused_ & READ_WITH_A_JUDGE[verb]


def test_what_is_refused_for_good_is_signed() -> None:
    """By definition, by a citation with its year, or by a simulation of the project."""
    simulations = {path.stem for path in Path("simulations").glob("*.py")}
    for cell in TABLE:
        is_cited = re.search(r"\b(19|20)\d\d\b", cell.signed) is not None
        assert cell.signed in ("", BY_DEFINITION, *simulations) or is_cited, cell
        assert not (cell.signed and " yet" in cell.reason), cell

"""Section 2: codes and dates are text. Sections 4 and 8: what is printed, and input of hosts."""

from __future__ import annotations

import datetime as dt
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import karat
from tests.misreadings.table import command, error, row

DAYS = [dt.date(2024, 1, 31), dt.date(2023, 5, 1)] * 4
TRUE = [0, 1, 0, 1, 1, 0, 1, 0]
PRED = [0, 1, 1, 1, 1, 0, 0, 0]
ZIPS = ["01234", "1234", "00501", "501"] * 2


def _csv(name: str, **columns: Any) -> str:
    """Write a CSV of texts as they are."""
    path = Path(tempfile.mkdtemp()) / name
    rows = zip(*columns.values(), strict=True)
    lines = [",".join(columns), *(",".join(map(str, one)) for one in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def _slices(*given: Any, by: Any, **options: Any) -> list[str]:
    slices = karat.evaluate(*given, by=by, level=None, **options).slices
    return ["×".join(key) for key in next(iter(slices.values())).slice_keys]


def _labels(true: Any, pred: Any) -> tuple[Any, ...]:
    return karat.evaluate(_csv("labels.csv", label=true, pred=pred), level=None).classes.labels


@row(2, "CSV, zip codes 01234 and 1234 in by=", r"\['00501', '501', '01234', '1234'\]")
def zip_codes_by() -> object:
    return _slices(_csv("zips.csv", label=TRUE, pred=PRED, zip=ZIPS), by="zip")


@row(2, "CSV, zip codes 01234 and 1234 in --where", r"exit 0: .* 2 rows .*")
def zip_codes_where() -> object:
    path = _csv("zips.csv", label=TRUE, pred=PRED, zip=ZIPS)
    return command("report", path, "--where", "zip = '01234'")


@row(2, "a leading zero behind the first 20,000 rows of a CSV, in --where", r"exit 2: K408 .*")
def late_zip_codes_where() -> object:
    n = 10_001
    path = _csv("late.csv", label=[0, 1] * n, pred=[0, 1] * n, zip=["7"] * (2 * n - 1) + ["007"])
    return command("report", path, "--where", "zip = 7")


@row(2, "CSV labels 250.0, 250.00, 401.9: accuracy", r"0\.75 3 classes")
def codes_of_diseases() -> object:
    true, pred = ["250.0", "250.00", "401.9", "401.9"], ["250.0", "250.0", "401.9", "401.9"]
    report = karat.evaluate(_csv("icd.csv", label=true, pred=pred), level=None)
    return f"{report['accuracy'].value} {report.classes.k} classes"


@row(2, "CSV labels 250.0, 250.00 as ids: doubts", r"\[\]")
def codes_as_ids() -> object:
    ids = ["250.0", "250.00", "401.9", "401.90", "1", "2", "3", "4"]
    path = _csv("ids.csv", label=TRUE, pred=PRED, id=ids)
    return [doubt.code for doubt in karat.evaluate(path, ids="id", level=None).doubts]


@row(2, "CSV labels 1e5, 12e4", r"\('12e4', '1e5'\)")
def exponents() -> object:
    return _labels(["1e5", "12e4", "1e5"], ["1e5", "12e4", "12e4"])


@row(2, "CSV, y_prob of 30% and 80%: log loss", r"0\.28990\d*")
def percent() -> object:
    path = _csv("percent.csv", label=TRUE, y_prob=["20%", "70%"] * 2 + ["70%", "20%"] * 2)
    return error(lambda: karat.evaluate(path, positive=1, level=None)["log_loss"].value)


@row(
    2,
    "CSV scores beyond 2^53 that no double equals",
    r"K130 .* which a float64 cannot represent\. .*",
)
def long_scores() -> object:
    scores = [9007199254740993 + 2 * i for i in range(8)]
    return error(lambda: karat.evaluate(_csv("long.csv", label=TRUE, y_score=scores)))


@row(2, "Arrow dates in by=", r"\['2023-05-01', '2024-01-31'\]")
def arrow_dates() -> object:
    return _slices(pa.table({"label": TRUE, "pred": PRED, "day": DAYS}), by="day")


@row(2, "Arrow timestamps in by=", r"\['2023-05-01', '2024-01-31'\]")
def arrow_timestamps() -> object:
    moments = pa.array([dt.datetime.combine(day, dt.time()) for day in DAYS], pa.timestamp("us"))
    return _slices(pa.table({"label": TRUE, "pred": PRED, "day": moments}), by="day")


@row(2, "pandas timestamps in by=", r"\['2023-05-01', '2024-01-31 10:30:00'\]")
def pandas_timestamps() -> object:
    moments = [pd.Timestamp("2023-05-01"), pd.Timestamp("2024-01-31 10:30")] * 4
    return _slices(TRUE, PRED, by={"day": pd.Series(moments)})


@row(2, "dates as labels", r"\('2023-05-01', '2024-01-31'\) 1\.0")
def dates_as_labels() -> object:
    report = karat.evaluate(pa.array(DAYS), np.array(DAYS, "M8[D]"), level=None)
    return f"{report.classes.labels} {report['accuracy'].value}"


@row(2, "ordered categories in by=", r"\['<25', '25-32', '>32'\]")
def ordered_categories() -> object:
    order = ["<25", "25-32", ">32"]
    ages = pd.Categorical([order[i % 3] for i in range(8)], order, ordered=True)
    return _slices(TRUE, PRED, by={"age": pd.Series(ages)})


@row(
    2, "by=pandas.cut(...)", r"\['\(-0\.007, 2\.333\]', '\(2\.333, 4\.667\]', '\(4\.667, 7\.0\]'\]"
)
def bins_of_pandas() -> object:
    return error(lambda: _slices(TRUE, PRED, by={"age": pd.Series(pd.cut(range(8), 3))}))


@row(2, "a text beyond the first 20,000 numbers of a CSV column in by=", r"\['1', 'unknown'\]")
def late_text() -> object:
    n = 10_001
    values = ["1"] * (2 * n - 1) + ["unknown"]
    return _slices(_csv("late.csv", label=[0, 1] * n, pred=[0, 1] * n, g=values), by="g")


@row(6, "CSV texts 1 and true in one column", r"\('1', 'true'\)")
def one_and_true() -> object:
    return _labels(["1", "true", "1"], ["1", "true", "true"])


@row(2, "CSV id 1.0 and id 1 of another CSV, in karat compare", r"exit 0: .*")
def ids_as_floats() -> object:
    old = _csv("old.csv", label=TRUE, pred=PRED, id=[f"{i}.0" for i in range(8)])
    new = _csv("new.csv", label=TRUE, pred=TRUE, id=range(8))
    return command("compare", old, new)


@row(2, "ids beyond 2^63 of listed rows", r"\['9223372036854775808', .*'9223372036854775815'\]")
def long_ids() -> object:
    report = karat.evaluate(TRUE, PRED, ids=[2**63 + i for i in range(8)], level=None)
    return error(lambda: sorted(map(str, report.rows(limit=8).to_frame()["id"])))


@row(4, "weak slice partly in another one: error of all its rows", r"0\.\d+ is right")
def weak_slice() -> object:
    rng = np.random.default_rng(1)
    a, b = rng.integers(0, 2, (2, 4000))
    is_wrong = rng.random(4000) < np.where(a == 1, 0.6, np.where(b == 1, 0.2, 0.05))
    found = karat.find_weak_slices(
        np.zeros(4000, int),
        is_wrong.astype(int),
        by={"a": a, "b": b},
        depth=1,
        interval=karat.Interval(n_replicates=99),
    )
    last = found.slices[-1]
    whole = float(is_wrong[b == 1].mean())
    right = abs(last.to_dict()["value_all"] - whole) < 1e-12 and "whole slice" in str(found)
    return f"{whole:.3f} {'is right' if right else 'is not there'}"


@row(2, "ids that repeat, given as an array", r"\['D105'\]")
def repeated_ids() -> object:
    report = karat.evaluate(TRUE, PRED, ids=[1, 1, 2, 3, 4, 5, 6, 7], level=None)
    return [doubt.code for doubt in report.doubts]


@row(8, "sets of labels read back from a CSV as text", r"K453 .*separator.*")
def sets_of_a_csv() -> object:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tags.csv"
        path.write_text(
            "label,pred\n" + "\"{'a', 'b'}\",{'a'}\n{'a'},{'a'}\nset(),{'a'}\n", "utf-8"
        )
        return error(lambda: karat.evaluate(path)["accuracy"])


@row(2, "ENUM of a DuckDB relation in by=", r"\['<25', '25-32', '>32'\]")
def order_of_an_enum() -> object:
    import duckdb

    ages = ">32", "<25", "25-32"
    rows = " UNION ALL ".join(f"SELECT 'a' AS label, 'a' AS pred, '{age}' AS age" for age in ages)
    kind = "ENUM('<25', '25-32', '>32')"
    with duckdb.connect() as connection:
        relation = connection.sql(f"SELECT label, pred, age::{kind} AS age FROM ({rows})")
        found = karat.evaluate(relation, by="age")
    return list(found.slices["age"])


def _ages() -> pd.DataFrame:
    order = ["<25", "25-32", ">32"]
    ages = pd.Categorical([order[i % 3] for i in range(8)], order, ordered=True)
    return pd.DataFrame({"label": TRUE, "pred": PRED, "age": ages})


@row(2, "ordered categories in by= of Dask", r"\['<25', '25-32', '>32'\]")
def ordered_categories_of_dask() -> object:
    import dask.dataframe as dd

    return _slices(dd.from_pandas(_ages(), npartitions=2), by="age")


@row(
    2,
    "… of Parquet, and of ENUM in a query",
    r"\['<25', '25-32', '>32'\] \['<25', '25-32', '>32'\]",
)
def ordered_categories_of_files() -> object:
    path = str(Path(tempfile.mkdtemp()) / "ages.parquet")
    _ages().to_parquet(path)
    query = f"SELECT label, pred, age::ENUM('<25', '25-32', '>32') AS age FROM '{path}'"
    return f"{_slices(path, by='age')} {_slices(query, by='age')}"


def _discounts() -> dict[str, Any]:
    return {"label": TRUE, "pred": PRED, "off": [f"{i * 5}%" for i in range(8)]}


@row(2, "a CSV column of percent in a condition", r"(K408 fraction ){4}exit 0: .* 2 rows .*")
def percent_in_a_condition() -> object:
    path = _csv("percent.csv", **_discounts())
    told = []
    for condition in ("off > 50%", "off > 25", "off > 0.25", "off > '25%'", "off.fraction > 0.25"):
        answer = command("report", path, "--where", condition)
        is_shown = "K408" in answer and '--where "NAME.fraction > 0.45"' in answer
        told.append("K408 fraction" if is_shown else answer)
    return " ".join(told)


@row(2, "percent in by=, of a CSV and in memory", r"0% 5% 10% .* 35%, 0% 5% 10% .* 35%")
def percent_by() -> object:
    rows = _discounts()
    frame = pd.DataFrame(rows)
    sides = _slices(_csv("percent.csv", **rows), by="off"), _slices(frame, by="off")
    return ", ".join(map(" ".join, sides))


@row(
    2,
    "percent as text in a frame and in Parquet",
    r"""K130 .*: df\['p'\] = df\['p'\]\.str\.rstrip\("%"\)\.astype\(float\) / 100\. """
    r"""K130 .*SELECT \* REPLACE \(rtrim\("p", '% '\)::DOUBLE / 100 AS "p"\) FROM 'FILE'\.""",
)
def percent_as_text() -> object:
    frame = pd.DataFrame({"label": TRUE, "p": [f"{i * 10}%" for i in range(8)]})
    path = str(Path(tempfile.mkdtemp()) / "percent.parquet")
    frame.to_parquet(path)
    calls = (lambda one=one: karat.evaluate(one, y_prob="p") for one in (frame, path))
    return " ".join(error(call) for call in calls)


@row(8, "long work from Python: the log of a read", r"\['3,000 of 3,000 rows read'\]")
def log_of_a_read() -> object:
    import logging

    import pyarrow.parquet as pq

    told: list[str] = []
    handler = logging.Handler()
    handler.emit = lambda record: told.append(record.getMessage())  # type: ignore[method-assign]
    log = logging.getLogger("karat")
    before = log.level
    log.addHandler(handler)
    log.setLevel(logging.INFO)
    try:
        with tempfile.TemporaryDirectory() as folder:
            rows = {"label": [0, 1, 1] * 1000, "pred": [0, 1, 0] * 1000}
            pq.write_table(pa.table(rows), f"{folder}/a.parquet")
            karat.evaluate(f"{folder}/a.parquet")
    finally:
        log.removeHandler(handler)
        log.setLevel(before)
    return told

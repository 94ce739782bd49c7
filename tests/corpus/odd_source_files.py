"""Files as people write them, queries beyond memory, and sources of batches.

What today's reading makes of them is recorded, whether or not it is the right reading.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import karat
from karat.cli import main
from tests.corpus.calls import Call
from tests.corpus.odd_source_rows import CSV, DAYS, JSON, LONG, PARQUET, PARTS, PRED, TRUE
from tests.corpus.outcome import Prose, cleaned
from tests.grouping import grouped

FEW = ("accuracy", "macro_f1")
OF_SCORES = ("accuracy", "log_loss")
LEAST = 1 << 20
FOLDER = Path("odd")


def _written(name: str, content: bytes) -> str:
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / name
    path.write_bytes(content)
    os.utime(path, (1, 1))
    return str(path)


def _parquet(name: str, columns: dict[str, Any]) -> str:
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name}.parquet"
    rows = pa.table([*columns.values()], names=[key.rstrip("'") for key in columns])
    pq.write_table(rows, path)
    return str(path)


def _zstd(content: bytes) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, "zstd") as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


def seen(report: Any) -> Any:
    """A report with the doubts that it states."""
    return {"report": report, "doubts": list(report.doubts)}


def calls() -> Iterator[Call]:
    for name, content in CSV.items():
        text = content if isinstance(content, bytes) else content.encode()
        yield _call(f"CSV: {name}", "csv", lambda t=text: _labels(_written("rows.csv", t)))
    for name, lines in JSON.items():
        yield _call(
            f"JSON: {name}", "json", lambda li=lines: _labels(_written("rows.json", li.encode()))
        )
    for name, make in PARQUET.items():
        yield _call(f"Parquet: {name}", "parquet", lambda m=make: _labels(_parquet("rows", m())))
    yield from _parts()
    yield from _wanted()
    yield from _left_out()
    yield from _compared_files()
    yield from _compressed()
    yield from _beyond_memory()
    yield from _lines()


def _labels(path: Any) -> Any:
    return seen(karat.evaluate(path, metrics=FEW, level=None))


def _parts() -> Iterator[Call]:
    """Folders of files whose columns differ."""
    for name, files in PARTS.items():
        yield _call(f"folder: {name}", "folder", lambda f=files: _labels(_folder(f)))


def _folder(files: dict[str, Any]) -> str:
    folder = FOLDER / "parts"
    for path in sorted(folder.rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            pq.write_table(pa.table(content), path)
    return str(folder)


def _dated() -> str:
    """A CSV with columns of dates, moments, codes and numbers."""
    lines = [
        f"{t},{p},{d},{d} 12:0{i % 3}:00,{i % 3:03},{i % 4}.0,{i % 5}.{i % 2},"
        f"{i % 3 > 0},{p + t:03}"
        for i, (t, p, d) in enumerate(zip(TRUE, PRED, DAYS, strict=True))
    ]
    head = "label,pred,day,moment,code,whole,share,flag,code2"
    return _written("dated.csv", "\n".join([head, *lines, ""]).encode())


def _typed_codes() -> Any:
    return pd.read_csv(_dated(), dtype={"code": str})


def _wanted() -> Iterator[Call]:
    """Columns that options name, in CSV and JSON lines."""
    for column in ("day", "moment", "code", "whole", "share", "flag"):
        yield _call(
            f"by={column} of CSV",
            "csv",
            lambda c=column: slices_of(karat.evaluate(_dated(), by=c, metrics=["accuracy"])),
        )
        yield _call(
            f"clusters={column} of CSV",
            "csv",
            lambda c=column: karat.evaluate(_dated(), clusters=c, metrics=FEW),
        )
        yield _call(
            f"by={column} of pandas",
            "pandas",
            lambda c=column: slices_of(
                karat.evaluate(
                    pd.read_csv(_dated(), dtype={"code": str}), by=c, metrics=["accuracy"]
                )
            ),
        )
        yield _call(
            f"ids={column} of Polars",
            "polars",
            lambda c=column: (
                karat.evaluate(
                    pl.read_csv(_dated(), try_parse_dates=True), ids=c, metrics=FEW, level=None
                ).doubts
            ),
        )
    for column in ("code", "flag", "share", "day"):
        yield _call(
            f"true={column}, as labels",
            "csv",
            lambda c=column: seen(
                karat.evaluate(_dated(), y_true=c, y_pred="code2", metrics=FEW, level=None)
            ),
        )
    yield _call(
        "labels='001' of codes",
        "csv",
        lambda: karat.evaluate(
            _dated(), y_true="code", y_pred="code2", labels=["000", "001", "002"], metrics=FEW
        ),
    )
    yield _call(
        "labels=1 of codes",
        "csv",
        lambda: karat.evaluate(
            _dated(), y_true="code", y_pred="code2", labels=[0, 1, 2], metrics=FEW, level=None
        ),
    )
    yield _call(
        "weights of CSV that are negative",
        "csv",
        lambda: karat.evaluate(
            _written("w.csv", b"label,pred,w\n0,0,1\n1,1,-2\n1,0,-3\n"), weights="w", metrics=FEW
        ),
    )
    yield _call(
        "weights of CSV that are missing",
        "csv",
        lambda: karat.evaluate(
            _written("w.csv", b"label,pred,w\n0,0,1\n1,1,\n1,0,3\n"), weights="w", metrics=FEW
        ),
    )
    yield _call(
        "a report of karat as rows",
        "json",
        lambda: karat.evaluate(
            _written("report.json", karat.evaluate([0, 1], [0, 1]).to_json().encode())
        ),
    )
    yield _call("SQL that is no text", "sql", lambda: karat.evaluate("SELECT '\udcff' AS label"))
    yield _call("an object as a table", "object", lambda: karat.evaluate(object(), y_pred="pred"))


def slices_of(report: Any) -> Any:
    """The rows and the value of each slice."""
    return [
        [part.name, part.n_rows, part.metrics["accuracy"].value]
        for table in report.slices.values()
        for part in table.values()
    ]


ROWS_OF_JSON = json.dumps([{"label": t, "pred": p} for t, p in zip(TRUE, PRED, strict=True)])
ROWS_OF_CSV = "label,pred\n" + "".join(f"{t},{p}\n" for t, p in zip(TRUE, PRED, strict=True))


def _compressed() -> Iterator[Call]:
    contents = {"CSV": ROWS_OF_CSV.encode(), "JSON": ROWS_OF_JSON.encode()}
    for name, content in contents.items():
        packed = {
            "plain": content,
            "gz": gzip.compress(content, mtime=0),
            "zst": _zstd(content),
            "broken gz": gzip.compress(content, mtime=0)[:40],
        }
        for kind, stored in packed.items():
            yield Call(
                f"{name} from standard input, {kind}",
                "karat report",
                "stdin",
                lambda s=stored: _line(["report", "-", "--metrics", "accuracy"], s),
            )
        for kind in ("gz", "zst"):
            yield _call(
                f"{name} in a file named .{kind}",
                "file",
                lambda n=name, k=kind, s=packed[kind]: _labels(
                    _written(f"rows.{n.lower()}.{k}", s)
                ),
            )
    yield _call(
        "a file without an ending", "file", lambda: _labels(_written("rows", ROWS_OF_CSV.encode()))
    )
    yield _call("a named pipe", "pipe", _piped)
    for name, labels in {"an array": np.array([0, 1]), "a range": range(2)}.items():
        yield _call(
            f"a checkpoint with labels in {name}", "parquet", lambda li=labels: _checkpointed(li)
        )
    yield _call("a socket", "pipe", _socket)
    yield _call("an empty device", "pipe", lambda: karat.evaluate("/dev/null"))


def _piped() -> Any:
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / "pipe"
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(ROWS_OF_CSV.encode(),))
    writer.start()
    try:
        return karat.evaluate(str(path), metrics=FEW, level=None)
    finally:
        writer.join()


_OF_MODELS: dict[str, tuple[bytes, bytes]] = {
    "other classes": (b"label,pred\n0,0\n1,1\n1,0\n", b"label,pred\n0,0\n1,2\n1,1\n"),
    "other classes of texts": (b"label,pred\na,a\nb,b\nb,a\n", b"label,pred\na,c\nb,b\nb,a\n"),
    "other truth": (b"label,pred\n0,0\n1,1\n1,0\n", b"label,pred\n0,0\n2,1\n1,0\n"),
    "texts and numbers": (b"label,pred\n0,0\n1,1\n1,0\n", b"label,pred\na,a\nb,b\nb,a\n"),
    "codes and numbers": (b"label,pred\n7,7\n8,8\n8,7\n", b"label,pred\n007,007\n8,8\n8,007\n"),
    "booleans and numbers": (
        b"label,pred\n0,0\n1,1\n1,0\n",
        b"label,pred\nfalse,true\ntrue,true\ntrue,true\n",
    ),
    "single columns of other classes": (
        b"label,prob_a\na,0.75\nb,0.25\nb,0.5\n",
        b"label,prob_b\na,0.25\nb,0.75\nb,0.5\n",
    ),
    "columns of other classes": (
        b"label,p_a,p_b\na,0.75,0.25\nb,0.25,0.75\nb,0.5,0.5\n",
        b"label,p_a,p_b,p_c\na,0.5,0.25,0.25\nb,0.25,0.5,0.25\nb,0.5,0.5,0\n",
    ),
    "scores beside labels": (
        b"label,p_a,p_b\na,0.75,0.25\nb,0.25,0.75\nb,0.5,0.5\n",
        b"label,pred\na,a\nb,c\nb,b\n",
    ),
    "missing labels": (b"label,pred\n0,0\n,1\n1,0\n", b"label,pred\n0,0\n1,1\n1,1\n"),
    "ids with zeros in front": (
        b"id,label,pred\n001,0,0\n002,1,1\n003,1,0\n",
        b"id,label,pred\n3,1,1\n2,1,1\n1,0,0\n",
    ),
    "ids of whole floats": (
        b"id,label,pred\n1.0,0,0\n2.0,1,1\n3.0,1,0\n",
        b"id,label,pred\n3,1,1\n2,1,1\n1,0,0\n",
    ),
    "ids of dates": (
        b"id,label,pred\n2024-01-01,0,0\n2024-01-02,1,1\n2024-01-03,1,0\n",
        b"id,label,pred\n2024-01-03,1,1\n2024-01-02,1,1\n2024-01-01,0,0\n",
    ),
}


def _compared_files() -> Iterator[Call]:
    for name, (old, new) in _OF_MODELS.items():
        yield Call(
            f"karat compare: {name}",
            "karat compare",
            "csv",
            lambda o=old, n=new: _line(
                ["compare", _written("old.csv", o), _written("new.csv", n), "--metrics", "accuracy"]
            ),
        )


_GONE: dict[str, bytes] = {
    "texts and a prediction": b"label,pred,prob_b\na,a,0.25\nNA,b,0.5\nb,,0.75\nb,b,0.75\n",
    "texts": b"label,prob_b\na,0.25\nNA,0.5\nb,0.75\nb,0.5\n",
    "numbers": b"label,prob\n0,0.25\nNA,0.5\n1,0.75\n1,0.5\n",
    "every row": b"label,prob\nNA,0.25\nNA,0.5\n,0.75\n",
    "labels alone": b"label,pred\n0,0\nNA,1\n1,null\n1,1\n",
    "texts alone": b"label,pred\na,a\nNA,b\nb,null\nb,b\n",
}


def _left_out() -> Iterator[Call]:
    """Rows of CSV whose label is missing."""
    for name, content in _GONE.items():
        yield _call(
            f"missing rows left out: {name}",
            "csv",
            lambda c=content: seen(
                karat.evaluate(
                    _written("gone.csv", c),
                    reading=karat.Reading(nulls="drop"),
                    metrics=FEW,
                    level=None,
                )
            ),
        )


def _line(arguments: list[str], stdin: bytes = b"") -> Any:
    """What the command line says of some arguments."""
    out, err = io.StringIO(), io.StringIO()
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(stdin))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(arguments)
    finally:
        sys.stdin = before
    return {
        "code": code,
        "out": Prose(cleaned(out.getvalue())[:1500]),
        "err": Prose(cleaned(err.getvalue())),
    }


def _beyond_memory() -> Iterator[Call]:
    """Queries and CSV whose scores take more than the memory."""
    sql = LONG["three classes"]
    variants: dict[str, dict[str, Any]] = {
        "nothing else": {},
        "weights": {"weights": "sample_weight"},
        "frequency weights": {"weights": karat.Frequency("copies")},
        "by": {"by": "site"},
        "clusters": {"clusters": "user_id"},
        "keep rows": {"keep_rows": 2, "ids": "row_id"},
        "exact": {"exact": True},
        "labels": {"labels": [0, 1, 2, 3], "y_prob": ["p_0", "p_1", "p_2", "p_2"]},
    }
    for name, options in variants.items():
        settings = {"y_prob": "p_*", "metrics": OF_SCORES, **options}
        yield _call(
            f"beyond memory: {name}",
            "sql",
            lambda s=settings: karat.evaluate(
                sql,
                **grouped(
                    {
                        "interval": karat.Interval(n_replicates=100),
                        "reading": karat.Reading(max_memory=LEAST),
                        **s,
                    }
                ),
            ),
        )
    for name in LONG:
        if name != "three classes":
            yield _call(
                f"beyond memory: {name}",
                "sql",
                lambda q=LONG[name]: karat.evaluate(
                    q,
                    reading=karat.Reading(nulls="drop", max_memory=LEAST),
                    metrics=["accuracy"],
                    level=None,
                ),
            )
    yield _call(
        "beyond memory: a threshold",
        "sql",
        lambda: karat.evaluate(
            LONG["two classes"],
            y_prob="p",
            threshold=0.25,
            reading=karat.Reading(max_memory=LEAST),
            metrics=["f1"],
        ),
    )
    yield _call(
        "beyond memory: labels alone, by",
        "sql",
        lambda: karat.evaluate(
            LONG["two classes"],
            y_pred="pred",
            y_prob="",
            by="site",
            reading=karat.Reading(max_memory=LEAST),
            metrics=["f1"],
        ),
    )
    yield _call(
        "beyond memory: micro curves, exact",
        "sql",
        lambda: karat.evaluate(
            sql,
            y_prob="p_*",
            metrics=["roc_auc_ovr_micro"],
            reading=karat.Reading(exact=True, max_memory=LEAST),
        ),
    )
    yield _call(
        "beyond memory: missing labels in the way",
        "sql",
        lambda: karat.evaluate(
            LONG["missing labels"], reading=karat.Reading(max_memory=LEAST), metrics=["accuracy"]
        ),
    )


def _long(name: str, kind: str = "parquet") -> str:
    """A long query as a file."""
    import duckdb

    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{name.replace(' ', '-')}.{kind}"
    duckdb.sql(f"COPY ({LONG[name]}) TO '{path}' (FORMAT {kind})")
    return str(path)


def _named_folders(name: str = "three classes") -> str:
    """A long query in two folders that name a column."""
    import duckdb

    for site in range(2):
        folder = FOLDER / f"sites {name}" / f"half={site}"
        folder.mkdir(parents=True, exist_ok=True)
        rows = f"SELECT * FROM ({LONG[name]}) LIMIT 22500 OFFSET {22500 * site}"
        duckdb.sql(f"COPY ({rows}) TO '{folder}/a.parquet' (FORMAT parquet)")
    return str(FOLDER / f"sites {name}")


def _checkpointed(labels: Any) -> Any:
    """A read with a checkpoint, for labels in some container."""
    path = Path("odd.karat")
    path.unlink(missing_ok=True)
    return karat.evaluate(
        _parquet("rows", {"label": TRUE, "pred": PRED}),
        labels=labels,
        reading=karat.Reading(checkpoint=path),
        metrics=FEW,
        level=None,
    )


def _socket() -> Any:
    import socket

    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / "socket"
    path.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        return karat.evaluate(str(path))


def _lines() -> Iterator[Call]:
    """Lines of the command line with a filter, beyond memory."""
    lines: dict[str, Callable[[], list[str]]] = {
        "a filter beyond memory": lambda: [
            *["report", _long("three classes"), "--prob", "p_*", "--where", "site > 0"],
            *["--max-memory", "1MiB", "--metrics", "accuracy,log_loss"],
        ],
        "a filter and a wrong value": lambda: [
            *["report", _long("a probability beyond one"), "--where", "site > 0"],
            *["--max-memory", "1MiB", "--metrics", "accuracy"],
        ],
        "a wrong value": lambda: [
            *["report", _long("a probability beyond one"), "--max-memory", "1MiB"],
            *["--metrics", "accuracy"],
        ],
        "named folders beyond memory": lambda: [
            *["report", _named_folders(), "--prob", "p_*", "--max-memory", "1MiB"],
            *["--metrics", "accuracy,log_loss", "--exact"],
        ],
        "micro curves beyond memory": lambda: [
            *["report", _long("three classes"), "--prob", "p_*", "--max-memory", "1MiB"],
            *["--metrics", "roc_auc_ovr_micro", "--exact"],
        ],
        "a wrong value in named folders": lambda: [
            *["report", _named_folders("sums that are not 1"), "--max-memory", "1MiB"],
            *["--metrics", "accuracy"],
        ],
        "ids that are not whole": lambda: [
            *["report", _written("half.csv", b"id,label,pred\n0.5,0,1\n1.5,1,1\n2.5,1,0\n")],
            *["--metrics", "accuracy", "--keep-rows", "2", "--format", "markdown"],
        ],
        "CSV beyond memory": lambda: [
            *["report", _long("two classes", "csv"), "--prob", "p", "--pred", ""],
            *["--max-memory", "1MiB", "--metrics", "accuracy,roc_auc"],
        ],
        "errors beyond memory": lambda: [
            *["report", _long("two classes"), "--prob", "p", "--pred", ""],
            *["--max-memory", "1MiB", "--metrics", "accuracy", "--errors", "odd/errors.csv"],
        ],
        "a filter of text in CSV": lambda: [
            *["report", _dated(), "--where", "code = '001'", "--metrics", "accuracy"]
        ],
        "a filter of numbers in CSV": lambda: [
            *["report", _dated(), "--where", "share > 1 AND flag", "--metrics", "accuracy"]
        ],
        "a filter of dates in CSV": lambda: [
            *["report", _dated(), "--where", "day > '2024-01-02'", "--metrics", "accuracy"]
        ],
        "a filter in JSON": lambda: [
            *["report", _written("f.jsonl", _TYPED.encode()), "--where", "a > 1 AND b AND c > 0.5"],
            *["--metrics", "accuracy"],
        ],
        "a filter of text in JSON": lambda: [
            *[
                "report",
                _written("f.jsonl", _TYPED.encode()),
                "--where",
                "d = 'x' AND e < DATE '2024-02-01'",
            ],
            *["--metrics", "accuracy"],
        ],
        "output over an input": lambda: [
            *["report", _folder({"a.csv": ROWS_OF_CSV.encode()}), "--metrics", "accuracy"],
            *["-o", "odd/parts/a.csv"],
        ],
        "output over an input of a pattern": lambda: [
            *["report", _folder({"a.csv": ROWS_OF_CSV.encode()}) + "/*", "--metrics", "accuracy"],
            *["-o", "odd/parts/a.csv"],
        ],
    }
    for name, line in lines.items():
        yield Call(f"karat report: {name}", "karat report", "command", lambda li=line: _line(li()))


_TYPED = "".join(
    json.dumps(
        {"label": t, "pred": p, "a": i % 3, "b": i % 2 > 0, "c": i / 8, "d": "xy"[i % 2], "e": d}
    )
    + "\n"
    for i, (t, p, d) in enumerate(zip(TRUE, PRED, DAYS, strict=True))
)


def _call(name: str, source: str, run: Callable[[], Any]) -> Call:
    return Call(name, "evaluate", source, run)

"""`karat.evaluate` on files: Parquet, CSV, TSV, JSON lines, JSON, compressed, in parts, by SQL."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import animals, binary, with_nulls
from tests.corpus.tables import PARTLY, THREE, TWO
from tests.corpus.wanted import FAST, LABELS, SCORES
from tests.grouping import grouped


def table(columns: dict[str, Any]) -> Any:
    """The columns as an Arrow table."""
    return pa.table({n: v if isinstance(v, list) else v.tolist() for n, v in columns.items()})


def _text(separator: str) -> Callable[[Any, Path], str]:
    def write(rows: Any, path: Path) -> str:
        pl.from_arrow(rows).write_csv(path, separator=separator)
        return str(path)

    return write


def _parquet(**options: Any) -> Callable[[Any, Path], str]:
    def write(rows: Any, path: Path) -> str:
        pq.write_table(rows, path, **options)
        return str(path)

    return write


def _json_lines(rows: Any, path: Path) -> str:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows.to_pylist()))
    return str(path)


def _json(rows: Any, path: Path) -> str:
    path.write_text(json.dumps(rows.to_pylist()))
    return str(path)


def _gzipped(rows: Any, path: Path) -> str:
    plain = path.with_suffix("")
    _text(",")(rows, plain)
    path.write_bytes(gzip.compress(plain.read_bytes(), mtime=0))
    plain.unlink()
    return str(path)


def _parts(ending: str, write: Callable[[Any, Path], str]) -> Callable[[Any, Path], str]:
    """Three files in a folder."""

    def written(rows: Any, path: Path) -> str:
        path.mkdir(exist_ok=True)
        for i, (first, n) in enumerate(((0, 90), (90, 1), (91, 1000))):
            write(rows.slice(first, n), path / f"part-{i}.{ending}")
        return str(path)

    return written


def _globbed(ending: str, write: Callable[[Any, Path], str]) -> Callable[[Any, Path], Any]:
    return lambda rows, path: f"{_parts(ending, write)(rows, path)}/*.{ending}"


def _listed(ending: str, write: Callable[[Any, Path], str]) -> Callable[[Any, Path], Any]:
    def written(rows: Any, path: Path) -> list[str]:
        _parts(ending, write)(rows, path)
        return sorted(str(part) for part in path.iterdir())

    return written


# Kind → its ending, and what writes it and says what to read.
KINDS: dict[str, tuple[str, Callable[[Any, Path], Any]]] = {
    "parquet": ("parquet", _parquet()),
    "parquet of dictionaries": ("parquet", _parquet(use_dictionary=True, compression="zstd")),
    "parquet of small groups": ("parquet", _parquet(row_group_size=37)),
    "parquet folder": ("parts", _parts("parquet", _parquet())),
    "parquet glob": ("parts", _globbed("parquet", _parquet())),
    "parquet list": ("parts", _listed("parquet", _parquet())),
    "csv": ("csv", _text(",")),
    "csv glob": ("parts", _globbed("csv", _text(","))),
    "csv.gz": ("csv.gz", _gzipped),
    "tsv": ("tsv", _text("\t")),
    "jsonl": ("jsonl", _json_lines),
    "json": ("json", _json),
    "jsonl folder": ("parts", _parts("jsonl", _json_lines)),
    "path of parquet": ("parquet", lambda rows, path: Path(_parquet()(rows, path))),
    "sql": ("parquet", lambda rows, path: f"SELECT * FROM '{_parquet()(rows, path)}'"),
}

WHOLLY = ("parquet", "csv")
MOSTLY = ("parquet folder", "jsonl", "sql")
MORE = ("clusters", "by and scores", "by a cross", "weights")


def written(kind: str, columns: dict[str, Any], name: str) -> Any:
    """Write the columns once into the working folder; what to read there."""
    ending, write = KINDS[kind]
    folder = Path(kind.replace(" ", "-"))
    folder.mkdir(exist_ok=True)
    return write(table(columns), folder / f"{name}.{ending}")


def calls() -> Iterator[Call]:
    for kind in KINDS:
        for asked, options in TWO.items():
            if kind in WHOLLY or asked in PARTLY or (kind in MOSTLY and asked in MORE):
                yield _call(f"two classes in {kind}, {asked}", kind, binary, "two", options)
        for asked, options in THREE.items():
            if kind in WHOLLY or asked in PARTLY or (kind in MOSTLY and asked in MORE):
                yield _call(f"animals in {kind}, {asked}", kind, animals, "animals", options)
        for nulls in ("drop", "error"):
            options = {
                "y_pred": "pred",
                "y_prob": "",
                "reading": karat.Reading(nulls=nulls),
                "metrics": LABELS[:5],
            }
            yield _call(f"nulls in {kind}, {nulls}", kind, _missing, "nulls", options)
        options = {
            "y_prob": "proba_*",
            "y_pred": "",
            "reading": karat.Reading(nulls="drop"),
            "metrics": SCORES,
        }
        yield _call(f"nulls beside probabilities in {kind}", kind, _missing, "nulls", options)
    yield from _queries()


def _missing() -> dict[str, Any]:
    return with_nulls(animals())


def _call(
    name: str, kind: str, rows: Callable[[], dict[str, Any]], file: str, options: dict[str, Any]
) -> Call:
    source = kind.partition(" ")[0]
    return Call(
        name,
        "evaluate",
        source,
        lambda: karat.evaluate(written(kind, rows(), file), **grouped({**FAST, **options})),
    )


def _queries() -> Iterator[Call]:
    queries = {
        "a condition": "SELECT label, pred FROM '{}' WHERE country = 'NO'",
        "no rows": "SELECT label, pred FROM '{}' WHERE country = 'XX'",
        "expressions": "SELECT label = 'cat' AS label, pred = 'cat' AS pred FROM '{}'",
        "names": "SELECT label AS truth, pred AS guess FROM '{}'",
        "aliases": "SELECT label AS y_true, pred AS y_pred, mass AS sample_weight FROM '{}'",
    }
    for name, query in queries.items():

        def run(query: str = query, name: str = name) -> Any:
            path = written("parquet", animals(), "animals")
            more = {"y_true": "truth", "y_pred": "guess"} if name == "names" else {}
            return karat.evaluate(
                query.format(path), metrics=["accuracy", "micro_f1"], **grouped(more)
            )

        yield Call(f"a query of {name}", "evaluate", "sql", run)
    yield Call("bundled iris", "evaluate", "csv", lambda: _bundled("iris_rf.csv"))
    yield Call("bundled wine", "evaluate", "parquet", lambda: _bundled("wine_nb.parquet"))
    yield Call(
        "bundled cancer", "evaluate", "parquet", lambda: _bundled("breast_cancer_rf.parquet")
    )
    yield Call("bundled digits", "evaluate", "parquet", lambda: _bundled("digits_rf.parquet"))


def _bundled(name: str) -> Any:
    folder = Path(__file__).parents[2] / "examples" / "predictions"
    report = karat.evaluate(folder / name, metrics=[*LABELS, *SCORES])
    return {"metrics": report.metrics, "per class": report.per_class, "n": report.n_rows}

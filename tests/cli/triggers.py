"""One call for each error of files and queries: code → the call that raises it."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from unittest import mock

import duckdb
import polars as pl

import karat
from karat.cli.app import app
from karat.cli.monitor import command
from karat.data.sources.files.duck import explaining
from karat.data.sources.files.exact_histograms import UnnamedFile
from karat.data.sources.files.units import units_of_files
from karat.tally.locks import only_writer
from tests.sources.counting import tally_files


def reading(files: Mapping[str, bytes], *named: str, **options: object) -> Callable[[], object]:
    """A call that writes files into a temporary folder and reads those named, or the folder."""

    def call() -> object:
        with tempfile.TemporaryDirectory() as folder:
            for name, content in files.items():
                Path(folder, name).write_bytes(content)
            paths = [str(Path(folder, name)) for name in named] or [folder]
            return tally_files(paths, **options)

    return call


def without_duckdb() -> object:
    with mock.patch.dict(sys.modules, {"duckdb": None}):
        return reading({"a.csv": b"label,pred\n0,1\n"}, "a.csv")()


def with_the_checkpoint_of_another_read() -> object:
    """Two reads of one file that name the same checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        rows = pl.DataFrame({"label": [0, 1], "pred": [0, 1]})
        rows.write_parquet(Path(folder, "rows.parquet"))
        read = {"reading": karat.Reading(checkpoint=Path(folder, "read.karat")), "y_pred": "pred"}
        karat.evaluate(folder, **read)
        return karat.evaluate(folder, labels=[1, 0], **read)


def of_a_file_that_is_written_meanwhile() -> object:
    """Units of a file that is written between the first look and the read."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "rows.parquet")
        pl.DataFrame({"label": [0, 1], "pred": [0, 1]}).write_parquet(path)
        units = units_of_files(folder, pred="pred")
        assert units is not None
        pl.DataFrame({"label": [0, 1, 1], "pred": [0, 1, 0]}).write_parquet(path)
        return units.batch(0)


def with_a_full_temporary_folder() -> object:
    full = OSError(28, "No space left on device")
    folder = tempfile.gettempdir() + "/full"
    with (
        mock.patch("tempfile.TemporaryFile", side_effect=full),
        mock.patch("tempfile.tempdir", folder),
    ):
        return UnnamedFile()


def without_memory() -> object:
    with explaining(()):
        raise duckdb.OutOfMemoryException("failed to allocate block of 9 bytes (bad allocation)")


def of_rows_that_a_checkpoint_lacks() -> object:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.csv"
        path.write_bytes(ONE)
        checkpoint = Path(folder) / "read.karat"
        return karat.evaluate(str(path), reading=karat.Reading(keep_rows=20, checkpoint=checkpoint))


def of_a_state_in_use() -> object:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.karat"
        holder = "process 4711 on host-a"
        with only_writer(path), mock.patch("karat.tally.locks._text_of", return_value=holder):
            return command.main([str(path), "a.csv"], standalone_mode=False, **app.context_settings)


def of_a_table_with_a_log() -> object:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "_delta_log").mkdir()
        (Path(folder) / "a.csv").write_bytes(ONE)
        return tally_files(folder)


ONE = b"label,pred\n0,1\n"

TRIGGERS: dict[str, Callable[[], object]] = {
    "K193": reading(
        {"a.csv": b"id,label,pred\n7,0,1\n8,1,1\n", "b.csv": b"id,label,pred\n7,0,0\n8,1,1\n"}
    ),
    "K236": of_rows_that_a_checkpoint_lacks,
    "K239": of_a_state_in_use,
    "K401": lambda: tally_files("predictions.parquet"),
    "K402": reading({"a.csv": b""}, "a.csv"),
    "K403": reading({"a.parquet": b"label,pred\n0,1\n"}, "a.parquet"),
    "K408": lambda: tally_files("SELECT label, pred FORM 'a.parquet'"),
    "K409": reading({"README.md": b"No data here."}),
    "K410": reading({"a.csv": ONE, "b.csv": b"label,guess\n0,1\n"}, "a.csv", "b.csv"),
    "K411": reading({"a.xlsx": b"PK"}, "a.xlsx"),
    "K414": with_the_checkpoint_of_another_read,
    "K415": lambda: karat.evaluate(
        {"label": [0, 1], "pred": [0, 1]}, reading=karat.Reading(checkpoint="read.karat")
    ),
    "K417": of_a_file_that_is_written_meanwhile,
    "K418": with_a_full_temporary_folder,
    "K419": without_memory,
    "K420": reading({"a\udcff.csv": ONE}, "a\udcff.csv"),
    "K433": of_a_table_with_a_log,
    "K501": without_duckdb,
}

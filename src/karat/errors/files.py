"""K4xx: files and tables. K5xx: packages."""

from __future__ import annotations

from karat.errors.kinds import Entry, UnknownNameError

__all__ = ["FILES"]

FILES = (
    Entry(
        "K401",
        "There is no such file or folder.",
        "{path}",
        "Check the path; relative paths start at the current folder.",
    ),
    Entry(
        "K402",
        "There is no row to measure.",
        "{path} has {found}.",
        "Check the step that wrote it, and the condition (where=, --where) where there is one.",
    ),
    Entry(
        "K403",
        "The file cannot be read as {format}.",
        "{path}: {found}",
        "Check that the file is complete and that its ending says what it is.",
    ),
    Entry(
        "K404",
        "There is no column {column!r} for {role}.",
        "Columns: {columns}.",
        "Nearest: {nearest}. `karat columns FILE` shows what is found.",
        UnknownNameError,
    ),
    Entry("K405", "Several columns could be {role}.", "Candidates: {candidates}.", "{do}."),
    Entry(
        "K406", "No column could be found for {role}.", "Columns: {columns}.", "Name it: {option}."
    ),
    Entry(
        "K407",
        "Column {column!r} holds numbers that are not labels.",
        "First at row {row}: {value!r}.",
        "If these are scores or probabilities, name the column with --score or --prob; "
        "name the column of predicted labels with --pred.",
    ),
    Entry(
        "K408",
        "The SQL query failed.",
        "{found}",
        "Check the query; file names in it are quoted: FROM 'preds.parquet'.",
    ),
    Entry(
        "K409",
        "No file matches.",
        "{pattern}",
        "Check the pattern; quote it so that the shell does not expand it.",
    ),
    Entry(
        "K410",
        "The files do not hold the same columns.",
        "{found}",
        "Report them one at a time, or select common columns with a SQL query.",
    ),
    Entry(
        "K411",
        "The kind of this file is not known.",
        "{path}",
        "karat reads .parquet, .csv, .tsv, .jsonl, .ndjson and .json (also .gz and .zst of text).",
    ),
    Entry(
        "K412",
        "This is not a table that karat can read.",
        "{found}.",
        "Give a pandas or Polars frame, an Arrow table, a DuckDB relation, a dict of columns, "
        "or the path of a file.",
    ),
    Entry(
        "K413",
        "The file cannot be written.",
        "{path}: {found}.",
        "Check that its folder exists, and that the file may be written there.",
    ),
    Entry("K414", "This is not a checkpoint of this read.", "{path}: {found}.", "{do}"),
    Entry(
        "K415",
        "{option}= is for Parquet files.",
        "{found}.",
        "Leave it out, or write the rows to Parquet files first.",
    ),
    Entry(
        "K416",
        "Rows in partitions have no order to match by.",
        "{argument} is a {kind}.",
        "Give one frame and name its columns: karat.evaluate(frame, true='label', pred='pred'), "
        "or prob='prob' of probabilities; or collect all columns at once: {collected}.",
    ),
    Entry(
        "K417",
        "A file changed while it was read.",
        "{path} {found}.",
        "Read the files again when nobody writes them.",
    ),
    Entry(
        "K418",
        "A temporary file cannot be written.",
        "{path}: {found}.",
        "Free space there, or let TMPDIR name a folder that has room.",
    ),
    Entry(
        "K419",
        "There is not enough memory.",
        "{found}.",
        "Parquet files are read in parts: max_memory= (--max-memory) says how much rows may take.",
    ),
    Entry(
        "K420",
        "The name of this file is not UTF-8.",
        "{path!r}",
        "Rename it: DuckDB, which reads the files, takes no other names.",
    ),
    Entry(
        "K421",
        "{argument}= holds values, and the rows are in {where}.",
        "{argument}= is a {kind}.",
        "Name the column of the {argument}: rows of {where} have no order to match by.",
    ),
    Entry("K422", "These files cannot be read together.", "{found}.", "{do}"),
    Entry(
        "K423",
        "The table has to be in memory.",
        "The rows are in partitions of {host}.",
        "Collect the columns that are searched first: table.{collect}.",
    ),
    Entry(
        "K501",
        "{feature} needs a package that is not installed.",
        "Missing: {package}.",
        'pip install "karat[{extra}]"',
    ),
    Entry(
        "K502",
        "karat is not installed where the rows are.",
        "The tasks of {host} cannot import it: {found}.",
        "Install the same karat for the Python of every worker.",
    ),
    Entry(
        "K503",
        "The partitions of the frame did not come exactly once.",
        "{found}.",
        "Evaluate it again; a frame that changes while it is read has to be stored first.",
    ),
)

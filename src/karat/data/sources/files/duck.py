"""DuckDB with one bounded connection, literals, temporary files and explained errors."""

from __future__ import annotations

import glob
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from karat.errors import KaratError, error, short
from karat.errors.kinds import lacks_memory
from karat.tally.writing import is_running

if TYPE_CHECKING:
    import duckdb


def no_room(found: str) -> KaratError:
    """Return the error of a temporary file that cannot be written; `found` is the reason."""
    try:
        folder = tempfile.gettempdir()
    except OSError:  # none of the usual folders may be written
        folder = "The temporary folder"
    return error("K418", path=folder, found=found[:1].lower() + found[1:])


@contextmanager
def writing_temporary() -> Iterator[None]:
    """Context that reports a full temporary folder: K418."""
    try:
        yield
    except OSError as problem:
        raise no_room(str(problem.strerror or problem)) from problem


FileKind: TypeAlias = Literal["parquet", "csv", "json"]


@dataclass(frozen=True, slots=True)
class DataFile:
    """File to read.

    Attributes:
        path: path of the file.
        shown: its name in messages.
        kind: format of the file.
        compression: ``"none"``, ``"gzip"`` or ``"zstd"``; Parquet is compressed internally.
        n_bytes: its size.
        is_partitioned: whether folders named ``key=value`` above it contain columns.
    """

    path: str
    shown: str
    kind: FileKind
    compression: str
    n_bytes: int
    is_partitioned: bool = False


STOP = "\x1f"
"""Marks errors that karat's own SQL raises to stop a query: code, column and value."""

FRACTION = "fraction"
"""Field of a column of percent in a condition."""

_SPILL = "karat-spill-"
MEMORY_LIMIT = "1GB"
N_COLUMNS_MANY, MEGABYTES_A_COLUMN = 64, 4
N_THREADS_MAX = 4
_LINES = (
    "auto_detect=false, header=false, delim='\\x01', quote='', escape='', strict_mode=false, "
    "columns={'line': 'VARCHAR'}"
)


@contextmanager
def connected(n_threads: int | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """Context of a private in-memory DuckDB, which is always closed at the end.

    It installs nothing, does not use the network and does not access variables of the caller. A
    query spills to a temporary folder that is deleted.

    Errors:
        K419 there is not enough memory to start; K501 duckdb is not installed.
    """
    try:
        import duckdb
    except ModuleNotFoundError as missing:
        raise error(
            "K501", feature="Reading prediction files", package="duckdb", extra="cli"
        ) from missing
    except ImportError as problem:
        if lacks_memory(problem):
            raise _without_memory() from problem
        raise
    spill = _own_folder()
    with ExitStack() as kept:
        kept.callback(shutil.rmtree, spill, ignore_errors=True)
        try:
            connection = duckdb.connect(
                config={
                    "memory_limit": MEMORY_LIMIT,
                    "threads": _threads(n_threads),
                    "temp_directory": spill,
                    "autoinstall_known_extensions": False,
                    "autoload_known_extensions": False,
                    "python_enable_replacements": False,
                }
            )
            kept.callback(connection.close)
            # It would be written to standard output, among the results. If off, it is not changed:
            # a Jupyter kernel without ipywidgets rejects any change.
            if connection.sql("SELECT current_setting('enable_progress_bar')").fetchall()[0][0]:
                connection.execute("SET enable_progress_bar = false").fetchall()
        except (duckdb.Error, RuntimeError) as problem:
            if isinstance(problem, duckdb.OutOfMemoryException) or lacks_memory(problem):
                raise _without_memory() from problem
            raise
        yield connection


def _own_folder() -> str:
    """Create a folder that only its owner can read, since rows may be written there.

    If that fails, return a name: DuckDB makes the folder when it must spill, and reports the error
    then.
    """
    name = f"{_SPILL}{os.getpid()}-"
    _remove_left_behind()
    try:
        return tempfile.mkdtemp(prefix=name)
    except OSError:
        return os.path.join(tempfile.gettempdir(), f"{name}{id(object())}")


def _remove_left_behind() -> None:
    """Remove the empty folders of processes that were killed; on Windows all stay."""
    if os.name == "nt":
        return
    with suppress(OSError):
        folder = tempfile.gettempdir()
        for name in os.listdir(folder):
            process = name.removeprefix(_SPILL).partition("-")[0]
            is_left = name.startswith(_SPILL) and process.isdecimal()
            if is_left and not is_running(int(process)):
                with suppress(OSError):
                    os.rmdir(os.path.join(folder, name))


def allow_columns(connection: duckdb.DuckDBPyConnection, n_columns: int) -> None:
    """Let a read of many columns use memory for a row group: its batches are wide, not long."""
    if n_columns > N_COLUMNS_MANY:
        megabytes = 1000 + MEGABYTES_A_COLUMN * n_columns
        connection.execute(f"SET memory_limit='{megabytes}MB'").fetchall()


def _threads(n_threads: int | None) -> int:
    """Return the number of threads, limited: more would only keep more row groups in memory."""
    if n_threads is None:
        text = os.environ.get("KARAT_NUM_THREADS", "")
        n_threads = int(text) if text.isdecimal() else 0
    available = n_threads if n_threads > 0 else (os.cpu_count() or 1)
    return max(1, min(N_THREADS_MAX, available))


@contextmanager
def explaining(
    files: Sequence[DataFile], *, has_sql: bool = False, where: str | None = None
) -> Iterator[None]:
    """Context that converts DuckDB errors to one karat error, and interrupts to KeyboardInterrupt.

    Args:
        files: the files that are being read.
        has_sql: whether a query of the user is part of the statement.
        where: the filter of the user, if any.
    """
    try:
        yield
    except Exception as problem:
        if str(problem).strip().lower().endswith("interrupted"):
            raise KeyboardInterrupt from None
        # Errors of DuckDB, or of the Arrow stream that carries them.
        if type(problem).__module__.partition(".")[0] not in ("duckdb", "_duckdb", "nanoarrow"):
            raise
        raise _explained(problem, files, has_sql or where is not None, where) from problem


def check_condition(connection: duckdb.DuckDBPyConnection, where: str) -> None:
    """Refuse text that is not one SQL expression: it is put in parentheses later.

    Errors:
        K408 it does not parse alone, or is more than one statement.
    """
    import duckdb

    check_text(where)
    try:
        statements = connection.extract_statements(f"SELECT {where}\n")
    except duckdb.Error:
        raise _of_condition(f"The condition {where!r} is not a SQL expression.", where) from None
    if len(statements) != 1:
        raise _of_condition(f"The condition {where!r} is more than one statement.", where)


def check_text(sql: str) -> None:
    """Refuse SQL that is not valid UTF-8, as bytes of a command line may be: K408."""
    try:
        sql.encode()
    except UnicodeEncodeError as problem:
        found = f"Character {problem.start + 1} of {short(sql)} is not valid UTF-8."
        raise error("K408", found=found) from None


def quoted(name: str) -> str:
    """Return a column name as SQL."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """Return a text as SQL."""
    return "'" + text.replace("'", "''") + "'"


def file_list(paths: Sequence[str]) -> str:
    """Return paths as a SQL list; characters that DuckDB would expand are escaped."""
    # A leading tilde would be a home folder.
    plain = (os.path.join(".", path) if path.startswith("~") else path for path in paths)
    return "[" + ", ".join(literal(glob.escape(path)) for path in plain) + "]"


def first_line_of_zstd(path: str) -> str:
    """Return the first line of a Zstandard text file, which Python cannot open."""
    with connected(1) as connection:
        sql = f"FROM read_csv({file_list([path])}, {_LINES}, compression='zstd') LIMIT 1"
        rows = connection.execute(sql).fetchall()
    return str(rows[0][0] or "").rstrip("\r") if rows else ""


def _explained(
    problem: Exception, files: Sequence[DataFile], has_sql: bool, where: str | None
) -> KaratError:
    text = str(problem)
    kind = type(problem).__name__
    if _NO_ROOM.search(text):
        # Its answer does not depend on the file being read.
        return no_room("no space left on the device, or not enough for what does not fit in memory")
    if lacks_memory(problem):
        return _without_memory()
    if STOP in text:
        return _stopped(text, where)
    is_of_sql = has_sql and kind in _OF_SQL
    if is_of_sql and (where is None or not files):
        return error("K408", found=_sql_message(text))
    file = next((file for file in files if file.path in text), None)
    if file is None and kind not in (*_OF_SQL, *_OF_VALUES):
        # Messages about pages and their compression name no file.
        file = _damaged(files)
    # Errors of a filter expression do not mention files.
    if where is not None and (is_of_sql or (file is None and not _OF_FILES.search(text))):
        # The pointer below the first lines would show the whole statement.
        message = _sql_message(text).partition("\nLINE " if is_of_sql else "\n")[0]
        return _of_condition(f"The condition {short(where, 200)} fails: {message}", where)
    if file is None and len(files) == 1:
        file = files[0]
    if file is None and not files:
        return error("K408", found=_sql_message(text))
    if "hive partition" in text.lower():
        return error("K410", found=_file_message(text, file))
    where_shown = file.shown if file else f"one of {len(files)} files, {files[0].shown} and others"
    kind_shown = _FORMATS[(file or files[0]).kind]
    return error("K403", path=where_shown, format=kind_shown, found=_file_message(text, file))


def _damaged(files: Sequence[DataFile]) -> DataFile | None:
    """Return the first Parquet file that cannot be read alone; None where there is none."""
    import duckdb

    for file in files:
        if file.kind != "parquet":
            continue
        try:
            with connected(1) as connection:
                sql = f"SELECT hash(t) FROM read_parquet({file_list([file.path])}) t"
                connection.execute(f"SELECT bit_xor(h) FROM ({sql}) x(h)").fetchall()
        except duckdb.Error:
            return file
    return None


def _of_condition(found: str, where: str) -> KaratError:
    do = "Text in it is quoted, names of columns are not; the shell wants quotes around the whole: "
    do += """--where "country = 'DK'"."""
    if f"({FRACTION} " in found or re.search("[0-9] *%", re.sub("'[^']*'", "", where)):
        do = "A condition on a column of percent reads its fraction, 0.45 of 45%: "
        do += f"""--where "NAME.{FRACTION} > 0.45"."""
    return error("K408", found=found, advice=do)


def _without_memory() -> KaratError:
    return error("K419", found="DuckDB, which reads the files, was refused more memory")


def _stopped(text: str, where: str | None) -> KaratError:
    _, code, column, value = text.split(STOP, 3)
    if code in ("K106", "K116"):
        return error(code, argument=f"Column {column!r}", found=f"It holds {value!r}")
    if code == "K181":
        found = f"Column {column!r} holds {value!r}, and its other numbers have a decimal comma"
        return error(code, found=found, do="Write all of its numbers in one way.")
    found = (
        f"The condition {where!r} reads column {column}, typed by its first rows, but a later row "
        f"holds {value!r}. A query can state the type."
    )
    return error("K408", found=found)


_NO_ROOM = re.compile(
    r"No space left on device|max_temp_directory_size|File too large", re.IGNORECASE
)
_OF_SQL = ("BinderException", "CatalogException", "ParserException", "SyntaxException")
_OF_VALUES = ("ConversionException", "OutOfRangeException", "TypeMismatchException")
_OF_FILES = re.compile(
    r"CSV Error|JSON transform|Malformed JSON in file|Parquet|Thrift|TProtocol|Snappy|ZSTD|GZIP"
    r"|magic bytes|state machine|unicode|hive partition|IO Error|out of memory",
    re.IGNORECASE,
)
_FORMATS = {"parquet": "Parquet", "csv": "CSV", "json": "JSON"}
_NOISE = re.compile(
    r"^(?:ArrowArrayStream::\w+\(\) failed \(\d+\):\s*)?(?:[A-Z][A-Za-z ]* Error:\s*)?"
)


def _sql_message(text: str) -> str:
    """Return the error of a query, with its pointer to the position, without advice."""
    message = _NOISE.sub("", text, count=1).strip()
    head, _, rest = message.partition("\n")
    pointer = [line for line in rest.splitlines() if line.startswith("LINE ") or "^" in line]
    candidates = [line for line in rest.splitlines() if line.startswith("Candidate")]
    if len(pointer) == 2 and len(pointer[0]) > 200:
        pointer = []
    return "\n".join([head.strip(), *candidates, *pointer])


def _file_message(text: str, file: DataFile | None) -> str:
    if "magic bytes" in text or "too small to be a Parquet" in text:
        return _why_not_parquet(file)
    line = re.search(r"CSV Error on Line: (\d+)", text)
    if line:
        return f"line {line[1]} {_line_problem(text)}."
    if "Thrift" in text or "TProtocol" in text or "Snappy" in text or "ZSTD" in text:
        return "its pages are damaged; the file is not complete."
    if "state machine" in text:
        return "it is not well-formed: quotes are not closed, or line endings are mixed."
    head = _NOISE.sub("", text, count=1).strip().partition("\n")[0].rstrip(" .")
    for path in (f' in file "{file.path}"', f": {file.path}") if file else ():
        head = head.replace(path, "")
    first = head[:1] if head[1:2].isupper() else head[:1].lower()  # JSON stays JSON
    return f"{first}{head[1:]}."


def _line_problem(text: str) -> str:
    counts = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if counts:
        return f"has {counts[2]} fields where the header has {counts[1]}"
    if "unicode" in text or "utf-8" in text.partition("Possible")[0]:
        return "is not UTF-8 text"
    if "unterminated quote" in text:
        return "opens a quote that is never closed"
    converted = re.search(r'Could not convert string "(.*?)" to \'(\w+)\'', text, re.DOTALL)
    if converted:
        return f"holds {converted[1]!r} where a number is expected"
    if "maximum line size" in text.lower():
        return "is longer than 2 MB, as where a quote is never closed"
    return "cannot be split into fields"


def _why_not_parquet(file: DataFile | None) -> str:
    if file is None:
        return "it does not end as a Parquet file does; it is cut off or of another kind."
    with open(file.path, "rb") as stream:
        start = stream.read(8)
    if start.startswith(b"PAR1"):
        return "it starts as Parquet but does not end as Parquet does: it is cut off."
    return f"it does not start as Parquet does (PAR1) but with {start.decode('latin-1')!r}."

"""Files of a source, their order, and the check that they do not change while read."""

from __future__ import annotations

import glob
import hashlib
import os
import re
import stat
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from karat.data.sources.files.duck import DataFile, FileKind, first_line_of_zstd, writing_temporary
from karat.errors import error

Stamp: TypeAlias = tuple[int, ...] | None
"""Size and time of a file; None without a file."""


def stamp(path: str) -> Stamp:
    """Return the version of a file, as visible from outside."""
    found = _known(path)
    return None if found is None else found[:2]


def _known(path: str) -> Stamp:
    """Return the stamp, with the identity of the file in case another one took its name."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns, found.st_ino, found.st_dev


_BLOCK: Final = 1 << 16
_BLOCKS: Final = 1 << 10
_LEAST_BLOCKS: Final = 16


def contents(paths: Sequence[str]) -> list[tuple[str, int, str]]:
    """Return path, size and a digest of the content of each file: the same after `touch`.

    The digest is that of 64 MiB at most, in blocks over all files, with the first and the last of
    each, so with the footer of a Parquet file; of smaller files it is that of every byte.
    """
    n_blocks = max(_BLOCKS // max(len(paths), 1), _LEAST_BLOCKS)
    return [(path, *_content(path, n_blocks)) for path in paths]


def _content(path: str, n_blocks: int) -> tuple[int, str]:
    found = hashlib.sha256()
    try:
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size <= n_blocks * _BLOCK:
                found.update(file.read())
            else:
                for i in range(n_blocks):
                    file.seek((size - _BLOCK) * i // (n_blocks - 1))
                    found.update(file.read(_BLOCK))
    except OSError:
        return 0, ""
    return size, found.hexdigest()


@contextmanager
def unchanged(
    files: Sequence[DataFile], stamps: Mapping[str, Stamp] | None = None
) -> Iterator[None]:
    """Context that refuses files that changed while they were read.

    Errors in a changed file are attributed to the change.

    Args:
        stamps: stamps of the files by path; default: the current ones.

    Errors:
        K417 a file was written, replaced or removed during the read.
    """
    before = {file.path: _known(file.path) for file in files} if stamps is None else stamps
    _check(files, before)
    try:
        yield
    except Exception as problem:
        _check(files, before, problem)
        raise
    _check(files, before)


def _check(
    files: Sequence[DataFile], before: Mapping[str, Stamp], problem: BaseException | None = None
) -> None:
    for file in files:
        was, now = before[file.path], _known(file.path)
        if now != was and (now is None or was is None or now[: len(was)] != was):
            found = "no longer exists" if now is None else "was written in the meantime"
            raise error("K417", path=file.shown, found=found) from problem


Source: TypeAlias = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

_ENDINGS: dict[str, FileKind] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
    ".tsv": "csv",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
_OF_TEXT = ("", ".txt", ".tab", ".dat", ".data")
"""Extensions of files that may contain rows as a CSV does."""
_COMPRESSED = {".gz": "gzip", ".zst": "zstd"}
# A comment or bracket may come first; `select*.csv` is a pattern, and `SELECT * FROM` is not.
_QUERY = re.compile(
    r"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/|\()*"
    r"(?:SELECT|WITH|FROM|VALUES)(?:\s|['\"(]|/\*|--|\*\s)",
    re.IGNORECASE,
)
_REMOTE = re.compile(r"[a-z][a-z0-9+.-]+://", re.IGNORECASE)
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


@dataclass(frozen=True, slots=True)
class Found:
    """Content of a source: files in reading order, or a query."""

    files: tuple[DataFile, ...] = ()
    query: str | None = None


def names_files(value: Any) -> bool:
    """Return whether it is a path, or a list of paths."""
    if isinstance(value, list | tuple):
        return bool(value) and all(isinstance(item, str | os.PathLike) for item in value)
    return isinstance(value, str | os.PathLike)


def is_query(text: str) -> bool:
    """Return whether the text is SQL: SELECT, WITH, FROM or VALUES first, and no such file."""
    return _QUERY.match(text) is not None and not os.path.exists(text)


def is_read_once(source: Source) -> bool:
    """Return whether part of it can be read only once: a stream, standard input or a pipe."""
    items = [source] if isinstance(source, str | os.PathLike) else list(source)
    for item in items:
        text = os.fspath(item)
        paths = glob.glob(text) if glob.has_magic(text) else [text]
        if text == "-" or any(_is_stream(path) for path in paths):
            return True
    return False


def _is_stream(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)


def find(source: Source, cleanup: ExitStack) -> Found:
    """Resolve a source into the files to read, sorted within each glob and folder.

    Args:
        source: a path, glob, folder, ``"-"`` (standard input) or SQL query, or several paths.
        cleanup: closes and deletes the copies made of streams.

    Errors:
        K401 a path does not exist; K402 a file has 0 bytes; K409 a glob or folder matches no data
        file; K411 an unknown extension; K420 the name is not UTF-8; K422 a query among files, or a
        file twice.
    """
    items = [source] if isinstance(source, str | os.PathLike) else list(source)
    texts = [os.fspath(item) for item in items]
    if not texts:
        raise error("K409", pattern="The list of files is empty.")
    if any(is_query(text) for text in texts):
        if len(texts) > 1:
            raise error(
                "K422",
                found="A SQL query and other files were given",
                do="Read them all in the query: SELECT … FROM 'a.parquet' UNION ALL …",
            )
        return Found(query=texts[0])
    files = [file for text in texts for file in _files_of(text, cleanup)]
    seen: set[str] = set()
    for file in files:
        real = os.path.realpath(file.path)
        if real in seen:
            raise error(
                "K422",
                found=f"{file.shown} is named twice, so its rows would count twice",
                do="Name each file once.",
            )
        seen.add(real)
    return Found(files=tuple(files))


def _files_of(text: str, cleanup: ExitStack) -> Iterator[DataFile]:
    if text == "-":
        yield _spooled(sys.stdin.buffer, "standard input", cleanup)
    elif os.path.isdir(text):
        yield from _in_folder(text)
    elif os.path.exists(text):
        yield _single(text, cleanup)
    elif _REMOTE.match(text):
        raise error("K401", path=f"{text} is not on this machine; karat reads local files.")
    elif text.startswith("~") and os.path.exists(os.path.expanduser(text)):
        yield from _files_of(os.path.expanduser(text), cleanup)
    elif glob.has_magic(text):
        yield from _matching(text, cleanup)
    else:
        raise error("K401", path=text)


def _matching(pattern: str, cleanup: ExitStack) -> Iterator[DataFile]:
    matches = sorted(glob.glob(os.path.expanduser(pattern), recursive=True))
    files = [path for path in matches if os.path.exists(path) and not os.path.isdir(path)]
    folders = [path for path in matches if os.path.isdir(path)]
    if not files and not folders:
        raise error("K409", pattern=f"{pattern} matches nothing.")
    # `runs/*` may match a README next to the data; if nothing else matches, report it.
    known = [path for path in files if _ending(path) is not None] or files
    for above in {os.path.dirname(path) for path in known}:
        refuse_versioned(Path(above))
    for path in known:
        # `runs/**` also matches the folders of its own files: then the files suffice.
        yield _single(path, cleanup, is_partitioned=_has_keys(Path(path).parts))
    for folder in folders if not known else ():
        yield from _in_folder(folder)


def _in_folder(folder: str) -> Iterator[DataFile]:
    """Yield data files below a folder; names that start with a dot or underscore are ignored."""
    root = Path(folder)
    count = 0
    refuse_versioned(root)
    for path in sorted(root.rglob("*")):
        if path.name in _LOGS and path.is_dir():
            refuse_versioned(path.parent)
        parts = path.relative_to(root).parts
        if any(part.startswith((".", "_")) for part in parts) or not path.is_file():
            continue
        if _ending(path.name) is not None:
            count += 1
            yield _described(str(path), is_partitioned=_has_keys(parts))
    if not count:
        raise error(
            "K409",
            pattern=f"The folder {folder} holds no .parquet, .csv, .tsv, .jsonl, .ndjson or "
            ".json file.",
        )


_LOGS = {"_delta_log": "Delta Lake", ".hoodie": "Hudi", "metadata": "Iceberg"}
"""Folder of a table in which its current files are listed → the format."""
_HOW = {
    "Delta Lake": "deltalake.DeltaTable(path).file_uris()",
    "Hudi": "spark.read.format('hudi').load(path).inputFiles()",
    "Iceberg": "[task.file.file_path for task in pyiceberg_table.scan().plan_files()]",
}
"""A list of the current files, with the format's own library."""


def refuse_versioned(folder: Path) -> None:
    """Refuse a folder of a table whose files are not all current (K433).

    Its files are in the folder of the table, in ``data``, or below folders named ``key=value``.
    """
    above = [Path(os.path.abspath(folder))]
    while "=" in above[-1].name or above[-1].name == "data":
        above.append(above[-1].parent)
    for table in above:
        for log, kind in _LOGS.items():
            where = table / log
            if kind == "Iceberg" and not any(where.glob("*.metadata.json")):
                continue
            if where.is_dir():
                facts = {"path": str(table), "kind": kind, "log": str(where)}
                raise error("K433", **facts, how=_HOW[kind])


def _has_keys(parts: Sequence[str]) -> bool:
    """Return whether a folder above a file is named ``key=value``."""
    return any("=" in part for part in parts[:-1])


def _single(path: str, cleanup: ExitStack, *, is_partitioned: bool = False) -> DataFile:
    mode = os.stat(path).st_mode
    if stat.S_ISREG(mode):
        return _described(path, is_partitioned=is_partitioned)
    is_terminal = os.path.realpath(path).startswith(("/dev/tty", "/dev/pts"))
    if is_terminal or not (stat.S_ISFIFO(mode) or stat.S_ISCHR(mode)):
        raise error("K403", path=path, format="a file", found="it is a device or a socket.")
    try:
        # A named pipe, as the shell makes for `<(command)`.
        with open(path, "rb") as stream:
            return _spooled(stream, path, cleanup)
    except OSError as problem:
        raise error("K403", path=path, format="a file", found=str(problem.strerror)) from problem


def _described(path: str, *, is_partitioned: bool = False) -> DataFile:
    ending = _ending(path)
    if ending is None:
        name, more = path.replace("'", "''"), ""
        if os.path.splitext(path)[1].lower() in _OF_TEXT:
            more = f""" A query reads rows of text: "SELECT * FROM read_csv('{name}')"."""
        raise error("K411", path=path, more=more)
    kind, compression = ending
    n_bytes = os.stat(path).st_size
    if not n_bytes:
        raise error("K402", path=path, found="0 bytes")
    if not os.access(path, os.R_OK):
        raise error("K403", path=path, format=kind, found="permission denied")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise error("K420", path=path) from None
    return DataFile(path, path, kind, compression, n_bytes, is_partitioned)


def _ending(name: str) -> tuple[FileKind, str] | None:
    """Return kind and compression from the extension of a name; None if unknown."""
    stem, last = os.path.splitext(name.lower())
    compression = _COMPRESSED.get(last, "none")
    kind = _ENDINGS.get(last if compression == "none" else os.path.splitext(stem)[1])
    if kind is None or (kind == "parquet" and compression != "none"):
        return None
    return kind, compression


def has_data_ending(name: str) -> bool:
    """Return whether the extension of a file is known, so that a folder includes it."""
    return _ending(name) is not None


def _spooled(stream: IO[bytes], shown: str, cleanup: ExitStack) -> DataFile:
    """Copy a stream to a temporary file, for random access."""
    first = stream.read(4096)
    if not first:
        raise error("K402", path=shown, found="0 bytes")
    compression = next((kind for magic, kind in _MAGIC.items() if first.startswith(magic)), "none")
    # Checked before the rest is copied, which may be endless: /dev/zero.
    if compression == "none" and _sniffed(first) != "parquet" and b"\0" in first:
        found = "it holds bytes of 0, which no text has, and does not start as Parquet does (PAR1)."
        raise error("K403", path=shown, format="CSV, JSON or Parquet", found=found)
    with writing_temporary():
        descriptor, name = tempfile.mkstemp(prefix="karat-")
    cleanup.callback(os.unlink, name)
    copy = open(descriptor, "wb")  # noqa: SIM115
    try:
        for block in chain((first,), iter(partial(stream.read, 1 << 20), b"")):
            with writing_temporary():
                copy.write(block)
        with writing_temporary():
            copy.flush()
    finally:
        # A failed write is not tried again.
        with suppress(OSError):
            copy.close()
    kind = _sniffed(first) if compression == "none" else _sniffed_inside(name, compression)
    return DataFile(name, shown, kind, compression, os.stat(name).st_size)


def _sniffed(first: bytes) -> FileKind:
    """Return the kind by the first bytes: Parquet's magic, an opening brace or bracket, or CSV."""
    if first.startswith(b"PAR1"):
        return "parquet"
    text = first.removeprefix(b"\xef\xbb\xbf")
    return "json" if re.match(rb"\s*(?:\{|\[\s*(?:\{|$))", text) else "csv"


def _sniffed_inside(path: str, compression: str) -> FileKind:
    if compression != "gzip":
        return _sniffed(first_line_of_zstd(path).encode())
    import gzip
    import zlib

    try:
        with gzip.open(path) as inside:
            return _sniffed(inside.read(4096))
    except (OSError, EOFError, zlib.error):
        return "csv"  # The reader reports the error.

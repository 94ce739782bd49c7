"""One file to read: where it is, and how it is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["DataFile", "FileKind"]

FileKind: TypeAlias = Literal["parquet", "csv", "json"]


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file to read.

    Attributes:
        path: where it is.
        shown: what to call it in a message.
        kind: how to read it.
        compression: ``"none"``, ``"gzip"`` or ``"zstd"``; Parquet compresses inside.
        n_bytes: its size.
        is_partitioned: whether folders named ``key=value`` above it hold columns.
    """

    path: str
    shown: str
    kind: FileKind
    compression: str
    n_bytes: int
    is_partitioned: bool = False

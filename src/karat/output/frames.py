"""Rows as a data frame, of whatever library is there."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from karat.errors import error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from karat.output.tidy import Row

__all__ = ["Backend", "frame_of"]

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]
BACKENDS: Final[tuple[str, ...]] = get_args(Backend)


def frame_of(rows: Sequence[Row], columns: Mapping[str, type], backend: Backend | None) -> Any:
    """A native frame of the rows.

    Args:
        rows: one dict each, with every column.
        columns: the columns and what they hold.
        backend: whose frame; None: the first of pandas, Polars and PyArrow that is installed.

    Errors:
        K122 no such backend; K501 it is not installed, or none is.
    """
    import narwhals as nw

    types = {str: nw.String(), float: nw.Float64(), int: nw.Int64(), bool: nw.Boolean()}
    content = {name: [row[name] for row in rows] for name in columns}
    schema = {name: types[kind] for name, kind in columns.items()}
    return nw.from_dict(content, schema, backend=_chosen(backend)).to_native()


def _chosen(backend: str | None) -> Any:
    if backend is not None and backend not in BACKENDS:
        raise error(
            "K122",
            argument="backend",
            value=backend,
            choices=", ".join(BACKENDS),
            do="Leave it out for the first of them that is installed.",
        )
    for name in BACKENDS if backend is None else (backend,):
        if _is_installed(name):
            return name
    names = BACKENDS if backend is None else (backend,)
    raise error(
        "K501",
        feature="A frame",
        package=" or ".join(names),
        extra="cli",
        advice=f"pip install {names[0]}; report.to_csv() and report.to_json() need no package.",
    )


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ValueError:  # a module that was put in place without a specification
        return False

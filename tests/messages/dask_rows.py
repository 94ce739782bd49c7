"""A table as a frame of Dask."""

from __future__ import annotations

from typing import Any

import pandas as pd

from tests.optional import optional

__all__ = ["frame_of_dask"]


def frame_of_dask(table: pd.DataFrame) -> Any:
    """The table in two partitions."""
    return optional("dask.dataframe").from_pandas(table, npartitions=2)

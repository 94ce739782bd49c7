"""Evaluate frames of a Spark Connect session: `python -m tests.clusters.connect_session`.

A program of its own, since a process has either classic sessions or remote ones.
"""

from __future__ import annotations

import os
import sys
import warnings

import pytest

import karat
from karat.errors import KaratError
from tests.clusters.frames import CALLS, check_call, predictions


def main() -> None:
    warnings.simplefilter("ignore")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession, functions

    session = (
        SparkSession.builder.remote("local[2]").config("spark.ui.enabled", "false").getOrCreate()
    )
    rows = predictions(500)
    frame = session.createDataFrame(rows).repartition(1)
    assert ".connect." in type(frame).__module__
    for name in ("text", "columns"):
        found = check_call(frame, rows, within=1e-12, **CALLS[name])
        assert found.source["table"] == "Spark DataFrame"
    wrong = frame.withColumn("importance", functions.lit(-1.0))
    with pytest.raises(KaratError, match="Column 'importance' has negative values"):
        karat.evaluate(wrong, **CALLS["weighted"])
    session.stop()
    print("same")


if __name__ == "__main__":
    main()

"""Spark Connect: the same calls on a remote session."""

from __future__ import annotations

import subprocess
import sys

from tests.architecture.tracked import ROOT
from tests.clusters.java import need_java
from tests.optional import optional

optional("pyspark")
optional("grpc")
need_java()


def test_a_remote_session_gives_the_same_reports() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tests.clusters.connect_session"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=400,
    )
    assert run.stdout.splitlines()[-1:] == ["same"], run.stdout[-2000:] + run.stderr[-4000:]

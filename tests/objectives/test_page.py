"""The examples for hosts on the page of objectives run, each where its host is installed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import karat
from tests.architecture.tracked import ROOT
from tests.docs.blocks import blocks_of
from tests.optional import optional

PAGE = ROOT / "docs" / "objectives.md"
HOSTS = {block.title: block for block in blocks_of(PAGE) if block.title}


def test_there_is_an_example_for_every_host() -> None:
    hosts = ["catboost", "lightgbm", "xgboost"]
    assert sorted(map(str, HOSTS)) == sorted([*hosts, *(f"{host}-labels" for host in hosts)])


@pytest.mark.parametrize("host", HOSTS)
def test_the_example_for_a_host_runs(
    host: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    optional(host.removesuffix("-labels"))
    # CatBoost writes a log where it runs.
    monkeypatch.chdir(tmp_path)
    X = np.random.default_rng(0).normal(size=(300, 4))  # noqa: N806 (as on the page)
    y, Y = X[:, :3].argmax(axis=1), (X[:, :3] > 0).astype(float)  # noqa: N806
    names: dict[str, Any] = {"karat": karat, "np": np, "X": X, "y": y, "Y": Y}
    exec(compile(HOSTS[host].text, str(HOSTS[host]), "exec"), names)  # noqa: S102 (our own page)
    assert names["scores"].shape == (300, 3)
    if host.endswith("-labels"):
        assert ((names["scores"] > 0) == Y).mean() > 0.9
    else:
        assert (names["scores"].argmax(axis=1) == y).mean() > 0.9

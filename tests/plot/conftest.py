"""Pictures are drawn in memory, and every figure of pyplot is closed after its test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.optional import optional

matplotlib = optional("matplotlib")
matplotlib.use("Agg")


@pytest.fixture
def ax() -> Any:
    """One Axes of a figure that pyplot does not know."""
    from matplotlib.figure import Figure

    return Figure(layout="constrained").subplots()


@pytest.fixture(autouse=True)
def _closed() -> Iterator[None]:
    yield
    import matplotlib.pyplot as plt

    plt.close("all")

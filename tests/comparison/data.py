"""Models with known errors, for the tests of comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Labels = npt.NDArray[np.int64]


def drawn(
    seed: int | np.random.Generator,
    n: int,
    errors: tuple[float, ...] = (0.3, 0.2),
    *,
    k: int = 5,
    shares: Any = None,
    together: float = 0.7,
) -> tuple[Labels, list[Labels]]:
    """True classes and those that models predict, which err together on most rows."""
    rng = np.random.default_rng(seed)
    true = rng.choice(k, n, p=shares)
    common, is_common = rng.random(n), rng.random(n) < together
    wrong = (true + rng.integers(1, k, n)) % k
    said = []
    for error in errors:
        own = np.where(is_common, common, rng.random(n))
        instead = np.where(is_common, wrong, (true + rng.integers(1, k, n)) % k)
        said.append(np.where(own < error, instead, true))
    return true, said

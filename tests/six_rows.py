"""Six rows with sets of four labels: right, partly right, empty, wrong, missed, false alarm.

Provenance of values that tests state of them: scikit-learn 1.9.1, and arithmetic by hand.
"""

from __future__ import annotations

import numpy as np


def bits(text: str) -> np.ndarray:
    """``"10 01"`` as the matrix [[1, 0], [0, 1]]."""
    return np.array([[int(cell) for cell in row] for row in text.split()])


TRUE = bits("1010 0100 0000 1101 0010 0000")
PRED = bits("1000 0110 0000 1001 0000 0100")
KNOWN = bits("1110 1111 0000 1011 1111 1111")
"""1 where the truth is known."""
SCORES = np.array(
    [
        [0.9, 0.2, 0.4, 0.1],
        [0.3, 0.8, 0.6, 0.1],
        [0.2, 0.1, 0.3, 0.4],
        [0.7, 0.4, 0.4, 0.6],
        [0.5, 0.1, 0.3, 0.3],
        [0.1, 0.7, 0.2, 0.2],
    ]
)
"""Of each label; `PRED` is where they are above 0.5."""
WEIGHTS = np.array([1.0, 2.0, 1.0, 3.0, 1.0, 2.0])

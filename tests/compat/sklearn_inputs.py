"""Random targets, scores and weights of every kind that classification metrics are given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
from scipy.sparse import csr_array

Array = npt.NDArray[Any]


class Drawer:
    """Draws the parts of one call from a seed."""

    def __init__(self, seed: int | list[int]) -> None:
        self.rng = np.random.default_rng(seed)
        self.n = int(self.rng.choice([1, 2, 3, 5, 8, 13, 21, 40], p=_SIZES))
        self.k = int(self.rng.choice([1, 2, 3, 4], p=[0.08, 0.47, 0.25, 0.2]))
        self.is_odd = self.chance(0.25)

    def chance(self, share: float) -> bool:
        return bool(self.rng.random() < share)

    def one(self, *items: Any) -> Any:
        return items[int(self.rng.integers(len(items)))]

    def codes(self) -> Array:
        return self.rng.integers(0, self.k, self.n)

    def targets(self) -> tuple[Any, Any]:
        """A truth and a prediction, mostly of one kind."""
        true = self.codes()
        pred = np.where(self.rng.random(self.n) < 0.6, true, self.codes())
        kind = self.one(*LABELS)
        other = self.one(*LABELS) if self.is_odd and self.chance(0.3) else kind
        return self.spoiled(LABELS[kind](true)), self.spoiled(LABELS[other](pred))

    def truth(self) -> tuple[Array, Any]:
        """Codes of a truth, and the truth."""
        codes = self.codes()
        return codes, self.spoiled(LABELS[self.one(*LABELS)](codes))

    def spoiled(self, values: Any) -> Any:
        """The values, sometimes of another shape, length or content."""
        if not self.is_odd or self.chance(0.6):
            return values
        return self.one(*SPOILS)(values, self)

    def scores(self, codes: Array) -> Any:
        """float[n], with ties as often as not."""
        values = self.rng.random(self.n) + 0.4 * (codes == codes.max())
        values = self.one(
            values, np.round(values, 1), np.round(values) + 0.0, values * 0 + 0.5, values - 0.7
        )
        return self.spoiled(self.one(*CONTAINERS)(values))

    def probabilities(self, codes: Array) -> Any:
        """float[n], or float[n, k] where there are more classes."""
        width = self.k if self.chance(0.85) else self.one(1, 2, 3, 4)
        if width <= 2 and self.chance(0.6):
            values = np.clip(self.rng.random(self.n) * 0.8 + 0.2 * (codes > 0), 0, 1)
            values = self.one(values, np.round(values), values, np.round(values, 1))
        else:
            values = self.rng.dirichlet(np.ones(width), self.n)
            values = self.one(values, values, values, np.round(values), np.round(values, 1))
        return self.spoiled(self.one(*CONTAINERS)(values))

    def weights(self) -> Any:
        if self.chance(0.55):
            return None
        values = self.rng.random(self.n)
        drawn = self.one(
            values, values, self.rng.integers(0, 4, self.n), values.tolist(),
            values.astype(np.float32), np.where(values < 0.4, 0.0, values), pd.Series(values),
            self.rng.integers(1, 3, self.n).tolist(), values > 0.3,
        )  # fmt: skip
        if self.is_odd and self.chance(0.4):
            drawn = self.one(
                np.zeros(self.n), np.zeros(self.n, int), values - 0.3, -values, values[:-1],
                np.append(values, 1.0), np.where(values < 0.4, np.nan, values), [],
                np.where(values < 0.4, np.inf, values), values[:, np.newaxis], "weights", 2.0,
                [str(value) for value in values], np.array(["a"] * self.n), [None] * self.n,
            )  # fmt: skip
        return drawn

    def labels(self, known: Any) -> Any:
        """None, or labels of the kind of some targets, or of another."""
        if self.chance(0.6):
            return None
        try:
            found = np.unique(np.asarray(known)).tolist()
        except (TypeError, ValueError):
            found = [0, 1]
        more = ["zz"] if found and isinstance(found[0], str) else [99]
        drawn = self.one(
            found, found[::-1], found[:1], found + more, found[1:] + more, found, found + found[:1],
            more, [0, 1, 2], range(3), ["a", "b"], [1.0, 0.0], [],
        )  # fmt: skip
        return self.one(drawn, np.array(drawn), pd.Series(drawn, dtype=None if drawn else object))

    def label(self, known: Any) -> Any:
        """A positive label."""
        try:
            found = list(np.unique(np.asarray(known)))
        except (TypeError, ValueError):
            found = []
        return self.one(
            1, 1, 0, "b", None, True, 2.0, -1, *found, *found, [1] if self.is_odd else 1
        )


_SIZES = [0.06, 0.08, 0.12, 0.18, 0.2, 0.16, 0.12, 0.08]

_TEXT = np.array(["b", "a", "cc", "dé"])

LABELS: dict[str, Callable[[Array], Any]] = {
    "int64": lambda codes: codes,
    "int64 ": lambda codes: codes,
    "int32": lambda codes: codes.astype(np.int32),
    "uint8": lambda codes: codes.astype(np.uint8),
    "from 1": lambda codes: codes + 1,
    "apart": lambda codes: np.array([-7, 1, 12, 4000000])[codes],
    "wide": lambda codes: np.array([-(1 << 62), 1, 12, 1 << 62])[codes],
    "minus": lambda codes: np.array([-1, 1, 2, 3])[codes],
    "bool": lambda codes: codes > 0,
    "floats": lambda codes: codes.astype(np.float64),
    "float32": lambda codes: codes.astype(np.float32),
    "text": lambda codes: _TEXT[codes],
    "objects": lambda codes: _TEXT[codes].astype(object),
    "list": lambda codes: codes.tolist(),
    "list of text": lambda codes: _TEXT[codes].tolist(),
    "list of bools": lambda codes: (codes > 0).tolist(),
    "list of floats": lambda codes: codes.astype(float).tolist(),
    "tuple": lambda codes: (*codes.tolist(),),
    "numbers as text": lambda codes: codes.astype(str),
    "Series": pd.Series,
    "Series of text": lambda codes: pd.Series(_TEXT[codes]),
    "Series of objects": lambda codes: pd.Series(_TEXT[codes], dtype=object),
    "Series of bools": lambda codes: pd.Series(codes > 0),
    "categories": lambda codes: pd.Series(pd.Categorical(_TEXT[codes], categories=_TEXT[::-1])),
    "ordered": lambda codes: pd.Series(
        pd.Categorical(_TEXT[codes], categories=_TEXT, ordered=True)
    ),
    "categories of numbers": lambda codes: pd.Series(pd.Categorical(codes, categories=range(4))),
    "Int64": lambda codes: pd.Series(codes, dtype="Int64"),
    "boolean": lambda codes: pd.Series(codes > 0, dtype="boolean"),
    "string": lambda codes: pd.Series(_TEXT[codes], dtype="string"),
    "column": lambda codes: codes[:, np.newaxis],
    "strided": lambda codes: np.repeat(codes, 2)[::2],
    "big endian": lambda codes: codes.astype(">i8"),
    "Index": pd.Index,
    "frame": lambda codes: pd.DataFrame({"y": codes}),
}

CONTAINERS: tuple[Callable[[Array], Any], ...] = (
    lambda values: values,
    lambda values: values,
    lambda values: values,
    lambda values: values.tolist(),
    lambda values: values.astype(np.float32),
    np.asfortranarray,
    lambda values: pd.Series(values) if values.ndim == 1 else pd.DataFrame(values),
    lambda values: values[:, np.newaxis] if values.ndim == 1 else values[::-1][::-1],
    lambda values: values.astype(np.float16),
    lambda values: (values * 3).astype(int),
)


def _replaced(values: Any, place: int, item: Any) -> Any:
    changed = np.array(np.asarray(values), object)
    if changed.size:
        changed.flat[place] = item
    return changed


def _numeric(values: Any, item: float) -> Any:
    try:
        changed = np.array(values, float)
    except (TypeError, ValueError):
        return values
    if changed.size:
        changed.flat[-1] = item
    return changed


SPOILS: tuple[Callable[[Any, Drawer], Any], ...] = (
    lambda values, draw: values[:-1],
    lambda values, draw: values[:0],
    lambda values, draw: np.asarray(values)[np.newaxis],
    lambda values, draw: np.asarray(values)[..., np.newaxis, np.newaxis],
    lambda values, draw: np.stack([np.asarray(values)] * 2, axis=-1),
    lambda values, draw: np.asarray(values).ravel()[0] if len(values) else values,
    lambda values, draw: _numeric(values, np.nan),
    lambda values, draw: _numeric(values, np.inf),
    lambda values, draw: _numeric(values, 0.5),
    lambda values, draw: _numeric(values, 7.0),
    lambda values, draw: _numeric(values, -3.0),
    lambda values, draw: _replaced(values, 0, None),
    lambda values, draw: _replaced(values, -1, np.nan),
    lambda values, draw: _replaced(values, -1, "zz"),
    lambda values, draw: _replaced(values, 0, 5),
    lambda values, draw: _replaced(values, 0, b"zz"),
    lambda values, draw: np.array([b"a", b"b"] * draw.n)[: draw.n],
    lambda values, draw: (
        np.asarray(_numeric(values, 1.0), complex)
        if np.asarray(_numeric(values, 1.0)).dtype.kind == "f"
        else values
    ),
    lambda values, draw: [[item] for item in np.asarray(values).ravel().tolist()],
    lambda values, draw: [[1, 2], [1]] * draw.n,
    lambda values, draw: {"a": 1},
    lambda values, draw: "text",
    lambda values, draw: 3,
    lambda values, draw: None,
    lambda values, draw: np.ones((draw.n, 1)).view(np.matrix),
    lambda values, draw: csr_array(np.ones((draw.n, 1))),
    lambda values, draw: pd.Series(pd.array([1, None] * draw.n)[: draw.n]),
    lambda values, draw: pd.Series(["a", None] * draw.n)[: draw.n],
    lambda values, draw: pd.Series(pd.array([True, None] * draw.n, dtype="boolean")[: draw.n]),
    lambda values, draw: iter([1, 2]),
    lambda values, draw: np.ma.masked_array(np.ones(draw.n), np.arange(draw.n) % 2),
)

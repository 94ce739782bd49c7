"""What a metric keeps of the rows it has seen: sums that add up, rows that are kept as they are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor

from karat.compat.torchmetrics.refusal import refused

__all__ = ["REFUSED", "Tally", "refuse_counted"]

REFUSED = "refused"
"""The sum of rows that cannot be counted, where a device counts without waiting for the answer."""

_REFUSED_ROWS = (
    ("target", "a class outside those declared", "Give classes 0 … num_classes − 1."),
    ("preds", "a class outside those declared, or NaN", "Give classes or numbers."),
    ("weights", "a weight that is negative, NaN or infinite", "Give finite weights, at least 0."),
)


class Tally:
    """Named tensors of one batch or of many; adding is what merging two data sets does.

    Attributes:
        sums: tensors that add up: counts in int64, sums of weights or numbers in float64.
        rows: lists of tensors whose rows are joined, one for each batch.
        dtype: the type of the scores that were read, None without scores.
        cache: what values were made from the tensors; forgotten when rows are added.
    """

    def __init__(
        self,
        sums: Mapping[str, Tensor] | None = None,
        rows: Mapping[str, list[Tensor]] | None = None,
        dtype: Any = None,
    ) -> None:
        self.sums: dict[str, Tensor] = dict(sums or {})
        kept = {} if rows is None else rows
        self.rows: dict[str, list[Tensor]] = {name: list(own) for name, own in kept.items()}
        self.dtype = dtype
        self.cache: dict[Any, Any] = {}

    def add(self, other: Tally) -> None:
        """Take in the rows of another tally of the same need; it stays as it is.

        Sums move to the device where this tally lies; no tensor is changed in place, so that a
        tally made under `torch.inference_mode` may be added to outside of it.
        """
        for name, value in other.sums.items():
            own = self.sums.get(name)
            self.sums[name] = value if own is None else own + value.to(own.device)
        for name, parts in other.rows.items():
            self.rows.setdefault(name, []).extend(parts)
        if other.dtype is not None:
            own_type = self.dtype
            self.dtype = (
                other.dtype if own_type is None else torch.promote_types(own_type, other.dtype)
            )
        self.cache.clear()

    def copy(self) -> Tally:
        """A tally that can be added to without changing this one."""
        return Tally(self.sums, self.rows, self.dtype)

    def move(self, device: Any) -> None:
        """Bring every tensor to a device."""
        self.change(lambda tensor: tensor.to(device))

    def change(self, change: Callable[[Tensor], Tensor]) -> None:
        """Replace every tensor by what `change` gives for it."""
        self.sums = {name: change(value) for name, value in self.sums.items()}
        self.rows = {name: [change(part) for part in parts] for name, parts in self.rows.items()}
        self.cache.clear()

    def joined(self, name: str) -> Tensor:
        """All rows of one name in a single tensor.

        Errors:
            K621 there are none.
        """
        parts = self.rows.get(name) or []
        if not parts:
            raise refused("A metric", "No row was counted", "Give at least one row.")
        if len(parts) > 1:
            widest = parts[0].dtype
            for part in parts[1:]:
                widest = torch.promote_types(widest, part.dtype)
            self.rows[name] = parts = [torch.cat([part.to(widest) for part in parts])]
        return parts[0]

    @property
    def device(self) -> Any:
        """Where its tensors lie; None if there are none."""
        tensors = [*self.sums.values(), *(part for parts in self.rows.values() for part in parts)]
        return tensors[0].device if tensors else None

    def state(self) -> dict[str, Any]:
        """Every tensor by its name; a list for rows."""
        return {**self.sums, **self.rows}

    def __getstate__(self) -> dict[str, Any]:
        """Without what can be made again."""
        return {**self.__dict__, "cache": {}}


def refuse_counted(tally: Tally) -> None:
    """Raise for rows that a device has counted as impossible; waits for the device.

    Errors:
        K621 which argument, and how many rows.
    """
    counted = tally.sums.get(REFUSED)
    if counted is None:
        return
    for n, (subject, found, do) in zip(counted.tolist(), _REFUSED_ROWS, strict=True):
        if n:
            raise refused(subject, f"{n} row{'s hold' if n > 1 else ' holds'} {found}", do)

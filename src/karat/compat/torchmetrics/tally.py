"""Tally of a metric: sums that are added up, and rows that are kept as they are.

Its errors are of inputs and arguments that give no number.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import torch
from torch import Tensor

from karat.compat.torchmetrics.pending import Pending
from karat.errors import KaratError, error

REFUSED = "refused"
"""The sum of rows that cannot be counted, where a device counts without waiting for the answer."""
OCCUPANCY = "occupancy"
"""The rows behind `classes`, where these are sums of weights."""
PAIRS = ("pairs", "counts")
"""Occupied cells of many classes, true · k + predicted, and their rows or weight."""
OPTIONAL = (REFUSED, OCCUPANCY)
"""Sums that not every batch has."""

_CPU: Final = torch.device("cpu")
_SPREAD: Final = 4
"""A table of all cells adds up so many times as many as are listed."""

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
        place: the device that it was made for; None: where its tensors are.
        n_batches: how many batches it holds.
        states: values of `Metric.add_state` on their way; the metric itself merges them.
        cache: what values were made from the tensors; forgotten when rows are added.
    """

    def __init__(
        self,
        sums: Mapping[str, Tensor] | None = None,
        rows: Mapping[str, list[Tensor]] | None = None,
        dtype: Any = None,
        *,
        place: Any = None,
        n_batches: int = 1,
        pending: Pending | None = None,
    ) -> None:
        self._sums: dict[str, Tensor] = dict(sums or {})
        self._rows: dict[str, list[Tensor]] = {
            name: list(own) for name, own in (rows or {}).items()
        }
        self._pending = pending
        self.dtype: Any = dtype
        self.place: Any = place
        self.n_batches: int = n_batches
        self.states: dict[str, Any] = {}
        self.cache: dict[Any, Any] = {}

    @property
    def sums(self) -> dict[str, Tensor]:
        """The tensors that add up, by name; all rows are counted."""
        self._count()
        return self._sums

    @property
    def rows(self) -> dict[str, list[Tensor]]:
        """The lists of tensors, by name; all rows are counted."""
        self._count()
        return self._rows

    def _count(self) -> None:
        """Count the rows that are pending."""
        if self._pending is None:
            return
        pending, self._pending = self._pending, None
        counted = pending.counted()
        if not pending.is_listed:
            self._add_sums(Tally({pending.detail: counted}))
            return
        table = counted.reshape(-1)
        is_more = [*zip(*(self._rows.get(name, []) for name in PAIRS), strict=True)]
        if is_more:
            # The one after the last is of rows that do not count.
            table = torch.cat([table, table.new_zeros(1)])
        for pairs, counts in is_more:
            table = table.to(counts.dtype).index_add(0, pairs, counts)
        occupied = table.nonzero()[:, 0]
        parts = ([occupied], [table[occupied]])
        self._rows = {**self._rows, **dict(zip(PAIRS, parts, strict=True))}

    @property
    def device(self) -> Any:
        """Device of the tensors; None if none was set and there is no tensor."""
        if self.place is not None:
            return self.place
        if self._pending is not None:
            return _CPU
        tensors = [*self.sums.values(), *(part for parts in self.rows.values() for part in parts)]
        return tensors[0].device if tensors else None

    def add(self, other: Tally) -> None:
        """Take in the rows of another tally of the same need; it stays as it is.

        The first batch says where the tally lies, later ones are brought there. No tensor is
        changed in place: one made under `torch.inference_mode` may be added to outside of it.
        """
        device = other.device
        if not self.n_batches and device is not None and device != self.device:
            self.move(device)
        if other._pending is not None and self._defers(other):
            self.n_batches += other.n_batches
            self.cache.clear()
            return
        self._add_sums(other)
        for name, parts in other.rows.items():
            home = self.device
            moved = parts if home is None else [part.to(home) for part in parts]
            self.rows.setdefault(name, []).extend(moved)
        self._unite_pairs()
        if self.dtype is None:
            self.dtype = other.dtype
        elif other.dtype is not None:
            self.dtype = torch.promote_types(self.dtype, other.dtype)
        self.n_batches += other.n_batches
        self.cache.clear()

    def _add_sums(self, other: Tally) -> None:
        added = other._sums_beside(self)
        sums = dict(self._sums_beside(other))
        for name, value in added.items():
            own = sums.get(name)
            sums[name] = value if own is None else own + value.to(own.device)
        self._sums = sums

    def _defers(self, other: Tally) -> bool:
        """Take in rows that are pending as they are; False: they are no more than a part."""
        pending, own = other._pending, self._pending
        if pending is None or other._sums or other._rows or self.device != _CPU:
            return False
        if own is None:
            self._pending = own = pending.copy()
        elif own.is_like(pending):
            own.add(pending)
        else:
            return False
        if own.is_full:
            self._count()
        return True

    def _sums_beside(self, other: Tally) -> dict[str, Tensor]:
        """Its sums; rows without weights are the rows behind those with weights."""
        if OCCUPANCY in other.sums and OCCUPANCY not in self.sums and "classes" in self.sums:
            return {**self.sums, OCCUPANCY: self.sums["classes"]}
        return self.sums

    def _unite_pairs(self) -> None:
        """Add up parts of similar size, so that memory and time follow the occupied cells."""
        parts = [self.rows.get(name, []) for name in PAIRS]
        while len(parts[0]) > 1 and len(parts[0][-2]) < 2 * len(parts[0][-1]):
            both = united(*(torch.cat([part.pop(-2), part.pop()]) for part in parts))
            for part, own in zip(parts, both, strict=True):
                part.append(own)

    def copy(self) -> Tally:
        """A tally that can be added to without changing this one."""
        return Tally(self.sums, self.rows, self.dtype, place=self.place, n_batches=self.n_batches)

    def become(self, other: Tally) -> None:
        """Hold what another tally holds, for everybody who reads this one."""
        self._sums, self._rows, self._pending = dict(other.sums), dict(other.rows), None
        self.n_batches = other.n_batches
        self.cache.clear()

    def move(self, device: Any) -> None:
        """Bring every tensor to a device."""
        self.place = None if device is None else torch.device(device)
        self._sums = {name: value.to(device) for name, value in self.sums.items()}
        self._rows = {
            name: [part.to(device) for part in parts] for name, parts in self.rows.items()
        }
        self.states = {
            name: [part.to(device) for part in own] if isinstance(own, list) else own.to(device)
            for name, own in self.states.items()
        }
        self.cache.clear()

    def joined(self, name: str) -> Tensor:
        """All rows of one name in a single tensor; K621 where there are none."""
        parts = self.rows.get(name) or []
        if not parts:
            raise refused("A metric", "No row was counted", "Give at least one row.")
        if len(parts) > 1:
            widest = parts[0].dtype
            for part in parts[1:]:
                widest = torch.promote_types(widest, part.dtype)
            self.rows[name] = parts = [torch.cat([part.to(widest) for part in parts])]
        return parts[0]

    def state(self) -> dict[str, Any]:
        """Every tensor by its name; a list for rows."""
        return {**self.sums, **self.rows}

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without what can be computed again."""
        kept = {name: own for name, own in self.__dict__.items() if not name.startswith("_")}
        return {**kept, "sums": self.sums, "rows": self.rows, "cache": {}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take over a state."""
        own = dict(state)
        self._sums, self._rows, self._pending = own.pop("sums"), own.pop("rows"), None
        self.__dict__.update(own)


def united(pairs: Tensor, counts: Tensor) -> tuple[Tensor, Tensor]:
    """Different cells in their order, and the sum of each.

    Where a cell occurs twice at most, the bits are the same at every call.
    """
    if pairs.device == _CPU and len(pairs):
        size = int(pairs.max()) + 1
        if size <= _SPREAD * len(pairs):
            # Many of the cells are there: a table of all takes no sort.
            there = torch.zeros(size, dtype=torch.bool)
            there[pairs] = True
            table = counts.new_zeros(size).index_add(0, pairs, counts)
            return there.nonzero()[:, 0], table[there]
    different, place = torch.unique(pairs, return_inverse=True)
    return different, counts.new_zeros(len(different)).index_add(0, place, counts)


def no_rows(device: Any, *rows: str, **sums: tuple[int, ...]) -> Tally:
    """The tally of no rows: names of rows, and counts by their shapes."""
    zeros = {
        name: torch.zeros(shape, dtype=torch.int64, device=device) for name, shape in sums.items()
    }
    return Tally(zeros, {name: [] for name in rows}, place=device, n_batches=0)


def refuse_counted(tally: Tally) -> None:
    """Raise K621 for rows that a device has counted as impossible; waits for the device."""
    counted = tally._sums.get(REFUSED)  # those that are pending were checked
    if counted is None:
        return
    for n, (subject, found, do) in zip(counted.tolist(), _REFUSED_ROWS, strict=True):
        if n:
            raise refused(subject, f"{n} row{'s hold' if n > 1 else ' holds'} {found}", do)


def refused(subject: str, found: str, do: str) -> KaratError:
    """K621: a ValueError and a RuntimeError, since torchmetrics raises one or the other."""
    return error("K621", subject=subject, found=found, do=do)


def gathered(tally: Tally, group: Any = None) -> list[Tally]:
    """The tallies of all processes in the order of their ranks, where this one's lies.

    Every process gives one object, so it does not matter how many batches each has seen.
    """
    device, own = tally.device, tally.copy()
    own.states = tally.states
    own.move("cpu")
    found: list[Any] = [None] * torch.distributed.get_world_size(group)
    torch.distributed.all_gather_object(found, own, group=group)
    if device is not None:
        for other in found:
            other.move(device)
    return found


def is_one_of_many(group: Any = None) -> bool:
    """True if `torch.distributed` runs more processes than this one."""
    distributed = torch.distributed
    if not distributed.is_available() or not distributed.is_initialized():
        return False
    return bool(distributed.get_world_size(group) > 1)

"""The base of metrics that are fed batch by batch."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import deepcopy
from inspect import signature
from typing import Any, Self

import torch
from torch import Tensor

from karat.compat.torchmetrics.rules import Rule
from karat.compat.torchmetrics.tally import REFUSED, Tally, gathered, refused
from karat.errors import error
from karat.errors.habits import unknown_argument

OF_COLLECTION = -1
"""Key of the memo of a deep copy, no id of an object: a whole collection is being copied."""

_HOOKS = ("dist_sync_fn", "distributed_available_fn")
_FLAGS = {
    "compute_on_cpu": False,
    "dist_sync_on_step": False,
    "sync_on_compute": True,
    "compute_with_cache": True,
}


class Metric(torch.nn.Module):  # type: ignore[misc]
    """A metric with a tally: `update` adds a batch to it, `compute` gives the value of all.

    A module without parameters, so that it moves and is saved with a model that holds it.
    The constructor takes torchmetrics' keywords ``compute_on_cpu``, ``sync_on_compute``,
    ``compute_with_cache``, ``dist_sync_on_step`` (False only) and ``process_group``.

    Errors:
        K122 a keyword has a value that it may not have; K126 there is none of that name.

    Attributes:
        also_takes: keywords of the constructor that its signature does not name.
        rule: which tally it reads and how its value comes from it.
        tally: what it has seen; metrics of one `MetricCollection` share it where their needs agree.
    """

    is_differentiable = False
    higher_is_better: bool | None = None
    full_state_update = False
    also_takes: tuple[str, ...] = ()
    rule: Rule
    tally: Tally

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        for name, default in _FLAGS.items():
            value = kwargs.pop(name, default)
            if not isinstance(value, bool) or (name == "dist_sync_on_step" and value):
                choices = "False" if name == "dist_sync_on_step" else "True, False"
                do = "Batches are merged on compute."
                raise error("K122", argument=name, value=value, choices=choices, do=do)
            setattr(self, name, value)
        self.process_group = kwargs.pop("process_group", None)
        for name in _HOOKS:
            value = kwargs.pop(name, None)
            if value is not None:
                do = "karat gathers tallies itself."
                raise error("K122", argument=name, value=value, choices="None", do=do)
        if kwargs:
            own = [name for name in signature(type(self)).parameters if name != "kwargs"]
            takes = dict.fromkeys((*own, *self.also_takes, *_FLAGS, "process_group"))
            raise unknown_argument(type(self).__name__, min(kwargs), tuple(takes))
        self._is_persistent = False
        self._partners: tuple[str, ...] = ()

    def measure_by(self, rule: Rule) -> None:
        """Set the rule and begin with the tally of no rows."""
        self.rule = rule
        self.tally = rule.need.empty(torch.get_default_device())

    def update(self, preds: Tensor, target: Tensor, *, weights: Any = None) -> None:
        """Add a batch.

        Args:
            preds, target: as torchmetrics takes them.
            weights: a weight for each row, or for each item of target; None: 1.

        Errors:
            K621 rows that cannot be counted; nothing of the batch is added.

        Cost: one pass over the batch.
        """
        self._refuse_alone("update")
        self.take(self.rule.tally(preds, target, weights))

    def take(self, batch: Tally) -> None:
        """Add the tally of a batch."""
        self.tally.add(batch)
        if self.compute_on_cpu:
            self.tally.move("cpu")

    def compute(self) -> Tensor:
        """The value of all batches; of every process where `torch.distributed` runs.

        Errors:
            K621 as `update`, for batches on a device that were not validated.
        """
        if not self.tally.n_batches:
            text = (
                f"The ``compute`` method of metric {type(self).__name__} was called before the "
                "``update`` method which may lead to errors, as metric states have not yet been "
                "updated."
            )
            warnings.warn(text, UserWarning, stacklevel=2)
        found: Tensor | None = self.tally.cache.get(self.rule)
        if found is not None:
            return found
        tally = self.tally
        if self.sync_on_compute:
            tally = gathered(tally, self.process_group)
        return self.settle(self.value_of(tally))

    def settle(self, value: Tensor) -> Tensor:
        """Keep a value until rows are added."""
        if self.compute_with_cache:
            self.tally.cache[self.rule] = value
        return value

    def value_of(self, tally: Tally) -> Tensor:
        """The value of a tally of its need."""
        value = self.rule.value(tally)
        return value.squeeze() if value.numel() == 1 else value

    def forward(self, preds: Tensor, target: Tensor, *, weights: Any = None) -> Tensor:
        """Add a batch and give its own value; the batch is counted once."""
        self._refuse_alone("forward")
        batch = self.rule.tally(preds, target, weights)
        value = self.value_of(batch)
        self.take(batch)
        return value

    def reset(self) -> None:
        """Forget every batch."""
        self._refuse_alone("reset")
        self.tally = self.rule.need.empty(self.tally.device)

    def merge_state(self, incoming_state: Metric | dict[str, Any]) -> None:
        """Add what another metric of the same need, or its `metric_state`, has seen.

        Errors:
            K621 another need, or another state.
        """
        self._refuse_alone("merge_state")
        if isinstance(incoming_state, Metric):
            if incoming_state.rule.need != self.rule.need:
                found = f"This {type(self).__name__} counts otherwise: {self.rule.need}"
                raise refused(type(incoming_state).__name__, found, "Give both equal arguments.")
            self.tally.add(incoming_state.tally)
        else:
            self.tally.add(self._tally_from(incoming_state))

    def clone(self) -> Self:
        """A copy that shares nothing."""
        return deepcopy(self)

    @property
    def metric_state(self) -> dict[str, Any]:
        """The tensors of the tally by their names."""
        return self.tally.state()

    @property
    def update_count(self) -> int:
        """Number of batches."""
        return self.tally.n_batches

    @property
    def update_called(self) -> bool:
        """Whether there was a batch."""
        return self.tally.n_batches > 0

    @property
    def device(self) -> Any:
        """Where the tally lies: where it was put, or where its first batch lay."""
        return self.tally.device

    def persistent(self, mode: bool = False) -> None:
        """Say whether `state_dict` holds the tally."""
        self._is_persistent = mode

    def set_dtype(self, dst_type: Any) -> Self:  # noqa: ARG002
        """Nothing: counts stay whole and sums wide, whatever the type of the scores."""
        return self

    def add_state(self, *args: Any, **kwargs: Any) -> None:  # noqa: ARG002
        """Not there: a metric of karat declares a tally, it has no states of its own.

        Errors:
            K621 always.
        """
        found = "A metric of karat has a tally in place of states"
        raise refused(
            type(self).__name__, found, "Derive a metric of your own from torchmetrics.Metric."
        )

    def share(self, tally: Tally, partners: tuple[str, ...]) -> None:
        """Read a tally that others of a collection read too; only the collection adds to it."""
        self.tally, self._partners = tally, partners

    def _refuse_alone(self, verb: str) -> None:
        if self._partners:
            found = f"It shares its tally with {', '.join(self._partners)}"
            do = f"Call {verb} of the collection, or clone() the metric first."
            raise refused(f"A metric of a collection ({verb})", found, do)

    def _tally_from(self, state: dict[str, Any]) -> Tally:
        own = self.rule.need.empty(self.tally.device)
        sums = {name: state[name] for name in own.sums if name in state}
        rows = {name: list(state[name]) for name in own.rows if name in state}
        if len(sums) + len(rows) < len(own.sums) + len(own.rows):
            found = f"The state holds {sorted(state)}, not {sorted(own.state())}"
            raise refused("A state", found, "Give the metric_state of a metric of equal arguments.")
        if REFUSED in state:
            sums[REFUSED] = state[REFUSED]
        return Tally(sums, rows, self.tally.dtype)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        super()._apply(fn, recurse)
        # A change of type would round counts, so only the device of the probe is taken over.
        self.tally.move(fn(torch.zeros(1, device=self.tally.device)).device)
        return self

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        if self._is_persistent:
            for name, value in self.tally.state().items():
                destination[prefix + name] = deepcopy(value)

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *args: Any, **kwargs: Any
    ) -> None:
        known = [*self.rule.need.empty(None).state(), REFUSED]
        names = [name for name in known if prefix + name in state_dict]
        if names:
            found = {name: state_dict.pop(prefix + name) for name in names}
            self.tally.become(self._tally_from(found))
        super()._load_from_state_dict(state_dict, prefix, *args, **kwargs)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A copy outside of any collection, unless the collection is copied."""
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update({name: deepcopy(own, memo) for name, own in self.__dict__.items()})
        if OF_COLLECTION not in memo:
            made._partners = ()
        return made

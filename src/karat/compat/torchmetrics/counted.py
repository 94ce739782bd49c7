"""The base of karat's own metrics: a tally, which those of a collection share."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any, Self

import torch
from torch import Tensor

from karat.compat.torchmetrics.labels import Need, narrowed, with_all_cells
from karat.compat.torchmetrics.metric import Metric, complete
from karat.compat.torchmetrics.rules import Rule
from karat.compat.torchmetrics.states import settled
from karat.compat.torchmetrics.tally import OPTIONAL, PAIRS, Tally, refused

_THEIR_STATES = ("tp", "fp", "tn", "fn", "confmat", "measures", "_final_state")
"""Attributes that classes derived from torchmetrics' metrics read."""

_WIDER = ("cells", *PAIRS, "classes", *OPTIONAL)
"""What a state of the same rows may hold instead, where a collection kept more."""
OF_COLLECTION = -1
"""Key of the memo of a deep copy, no id of an object: a whole collection is being copied."""


class CountedMetric(Metric):
    """A metric whose state is a tally: of one batch, of many, or of what a collection was fed.

    A class derived from it may override `update`, `compute`, `forward`, `reset` and `merge_state`,
    and add states: `forward` and collections then call its own methods.

    Attributes:
        rule: which tally it reads and how its value comes from it.
    """

    is_differentiable = False
    full_state_update = False
    rule: Rule
    _is_persistent = False
    _partners: tuple[str, ...] = ()

    def measure_by(self, rule: Rule) -> None:
        """Set the rule and begin with the tally of no rows."""
        self.rule = rule
        self._tally = rule.need.empty(torch.get_default_device())

    @property
    def tally(self) -> Tally:
        """Tally so far; metrics of one `MetricCollection` with equal needs share it."""
        return self._tally

    @property
    def is_fed_alone(self) -> bool:
        """True if it adds a batch in a way of its own, which no other metric can replace."""
        verbs = ("update", "forward", "reset", "merge_state")
        return bool(self._defaults) or any(map(self._overrides, verbs))

    def read(self, preds: Tensor, target: Tensor, *, weights: Any = None) -> Tally:
        """The tally of a batch; arguments as those of `update`."""
        return self.rule.tally(preds, target, weights)

    @complete
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
        batch = self.read(preds, target, weights=weights)
        if self._is_updating:  # by a class that overrides it, whose batch is counted already
            self._tally.n_batches = max(self._tally.n_batches - 1, 0)
        self.take(batch)

    def take(self, batch: Tally) -> None:
        """Add the tally of a batch."""
        self._tally.add(batch)
        if self.compute_on_cpu:
            self._tally.move("cpu")

    def compute(self) -> Any:
        """The value of all batches; of every process where `torch.distributed` runs.

        Errors:
            K621 as `update`, for batches on a device that were not validated.
        """
        return self.rule.value(self._tally)

    def value_over(self, tally: Tally) -> Any:
        """Return what `compute` returns, from another tally of the same need."""
        if self._overrides("compute"):
            with self._holding(tally):
                return self.compute()
        return settled(self.rule.value(tally))

    def over_all_processes(self) -> Tally:
        """Its tally, or with other processes what all of them hold."""
        return self._tally if self._is_apart() else self._of_all_processes()

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch and give its own value; the batch is counted once."""
        if self.is_fed_alone:
            return super().forward(*args, **kwargs)
        self._refuse_alone("forward")
        batch = self.read(*args, **kwargs)
        value = self.value_over(batch)
        self.take(batch)
        return value

    def reset(self) -> None:
        """Forget every batch."""
        self._refuse_alone("reset")
        super().reset()

    def merge_state(self, incoming_state: Metric | dict[str, Any]) -> None:
        """Add what another metric of the same need, or its `metric_state`, has seen.

        Errors:
            K621 another need, or another state.
        """
        self._refuse_alone("merge_state")
        if isinstance(incoming_state, CountedMetric) and not self._defaults:
            need = incoming_state.rule.need
            if need != self.rule.need and with_all_cells(need) == with_all_cells(self.rule.need):
                incoming_state = incoming_state._tally.state()
        super().merge_state(incoming_state)

    @property
    def metric_state(self) -> dict[str, Any]:
        """The tensors of the tally by their names, and added states."""
        return {**self._tally.state(), **self._states()}

    def persistent(self, mode: bool = False) -> None:
        """Say whether `state_dict` holds the tally and the states."""
        super().persistent(mode)
        self._is_persistent = mode

    def share(self, tally: Tally, partners: tuple[str, ...], need: Need | None = None) -> None:
        """Read a tally that others of a collection read too; only the collection adds to it."""
        self._tally, self._partners = tally, partners
        if need is not None:
            self.rule = replace(self.rule, need=need)

    def __getattr__(self, name: str) -> Any:
        """An attribute of a module; of torchmetrics' states an AttributeError that says where."""
        try:
            return super().__getattr__(name)
        except AttributeError:
            if name not in _THEIR_STATES:
                raise
        held = ", ".join(self.metric_state)
        text = f"{type(self).__name__} has no {name}: karat keeps a tally, metric_state: {held}"
        raise AttributeError(text)

    def _overrides(self, verb: str) -> bool:
        return verb in vars(self) or getattr(type(self), verb) is not getattr(CountedMetric, verb)

    def _value_key(self) -> Any:
        return self if self._overrides("compute") else self.rule

    def _no_rows(self) -> Tally:
        return self.rule.need.empty(self._tally.device)

    def _refuse_alone(self, verb: str) -> None:
        if self._partners:
            found = f"It shares its tally with {', '.join(self._partners)}"
            do = f"Call {verb} of the collection, or clone() the metric first."
            raise refused(f"A metric of a collection ({verb})", found, do)

    def _refuse_unlike(self, other: Metric) -> None:
        if not isinstance(other, CountedMetric) or self._defaults:
            super()._refuse_unlike(other)
        elif other.rule.need != self.rule.need:
            found = f"This {type(self).__name__} counts differently: {self.rule.need}"
            raise refused(type(other).__name__, found, "Give both equal arguments.")

    def _tally_from(self, state: dict[str, Any]) -> Tally:
        own = self._no_rows()
        if not own.state().keys() <= state.keys():
            state = dict(narrowed(state, self.rule.need))
        sums = {name: state[name] for name in own.sums if name in state}
        rows = {name: list(state[name]) for name in own.rows if name in state}
        if len(sums) + len(rows) < len(own.sums) + len(own.rows):
            found = f"The state holds {sorted(state)}, not {sorted(own.state())}"
            do = "Give the metric_state of a metric of equal arguments that keeps no less"
            raise refused("A state", found, f"{do}: alone it may keep less than in a collection.")
        sums |= {name: state[name] for name in OPTIONAL if name in state}
        made = Tally(sums, rows, self._tally.dtype)
        made.states = super()._tally_from(state).states
        return made

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        if self._is_persistent:
            for name, value in self._tally.state().items():
                destination[prefix + name] = deepcopy(value)

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *args: Any, **kwargs: Any
    ) -> None:
        known = [*self._no_rows().state(), *OPTIONAL]
        names = [name for name in known if prefix + name in state_dict]
        if not any(name in names for name in known if name not in OPTIONAL):
            names = [name for name in _WIDER if prefix + name in state_dict]
        if names:
            found = {name: state_dict.pop(prefix + name) for name in names}
            own = {**self._states(), **found}
            self._tally.become(self._tally_from(own))
        super()._load_from_state_dict(state_dict, prefix, *args, **kwargs)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A copy outside of any collection, unless the collection is copied."""
        made = super().__deepcopy__(memo)
        if OF_COLLECTION not in memo:
            made._partners = ()
        return made

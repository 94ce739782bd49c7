"""The base of metrics that are fed batch by batch: of karat's own, and of those derived from it."""

from __future__ import annotations

import operator
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from functools import wraps
from inspect import Parameter, signature
from numbers import Number
from typing import Any, Final, Self

import torch
from torch import Tensor

from karat.compat.torchmetrics.states import (
    Reduction,
    checked_default,
    checked_reduction,
    copied,
    reduced,
    settled,
)
from karat.compat.torchmetrics.tally import Tally, gathered, is_one_of_many, refused
from karat.errors import error
from karat.errors.habits import unknown_argument

Verb = Callable[..., Any]

_HOOKS = ("dist_sync_fn", "distributed_available_fn")
_FLAGS = {
    "compute_on_cpu": False,
    "dist_sync_on_step": False,
    "sync_on_compute": True,
    "compute_with_cache": True,
}
_CONSTANTS: Final = (
    *("higher_is_better", "is_differentiable", "full_state_update"),
    *("plot_lower_bound", "plot_upper_bound", "plot_legend_name"),
)


def complete(verb: Verb) -> Verb:
    """Mark an `update` or `compute` that does by itself what `Metric` does around others."""
    vars(verb)["itself"] = verb
    return verb


def _around_update(update: Verb) -> Verb:
    """Count a batch, without a graph of gradients; `super().update` is part of the same batch."""

    @wraps(update)
    def updated(self: Metric, *args: Any, **kwargs: Any) -> Any:
        if self._is_updating:
            return update(self, *args, **kwargs)
        before, n = self._tally, self._tally.n_batches
        before.cache.clear()
        before.n_batches = n + 1
        self._is_updating = True
        try:
            with torch.set_grad_enabled(self._keeps_graph):
                update(self, *args, **kwargs)
        except BaseException:
            before.n_batches = n
            raise
        finally:
            self._is_updating = False
        if self.compute_on_cpu:
            for name in self._defaults:
                if isinstance(value := getattr(self, name), list):
                    setattr(self, name, [one.cpu() for one in value])
        return None

    return complete(updated)


def _around_compute(compute: Verb) -> Verb:
    """Compute over all processes, once until rows are added."""

    @wraps(compute)
    def computed(self: Metric, *args: Any, **kwargs: Any) -> Any:
        if self._is_computing:
            return compute(self, *args, **kwargs)
        if not self.update_called:
            text = (
                f"The ``compute`` method of metric {type(self).__name__} was called before the "
                "``update`` method which may lead to errors, as metric states have not yet been "
                "updated."
            )
            warnings.warn(text, UserWarning, stacklevel=2)
        cache = self._tally.cache
        if (key := self._value_key()) in cache:
            return cache[key]
        self._is_computing = True
        try:
            if self._is_apart():
                value = compute(self, *args, **kwargs)
            else:
                with self._holding(self._of_all_processes()):
                    value = compute(self, *args, **kwargs)
        finally:
            self._is_computing = False
        return self.settle(settled(value))

    return complete(computed)


def _operation(of: Verb, *, is_reflected: bool = False) -> Verb:
    def combined(self: Metric, other: Any) -> CompositionalMetric:
        if not isinstance(other, Metric | Tensor | Number):
            found = f"The other operand is a {type(other).__module__}.{type(other).__qualname__}"
            do = "Give a metric of karat.compat.torchmetrics, a number or a tensor."
            raise refused(f"{type(self).__name__} ({of.__name__})", found, do)
        return CompositionalMetric(of, *((other, self) if is_reflected else (self, other)))

    return combined


def _alone(of: Verb) -> Verb:
    return lambda self: CompositionalMetric(of, self)


class Metric(torch.nn.Module, ABC):  # type: ignore[misc]
    """A metric in batches: `update` adds one to its state, `compute` gives the value of all.

    A module without parameters, so that it moves and is saved with a model that holds it.
    The constructor takes torchmetrics' keywords ``compute_on_cpu``, ``sync_on_compute``,
    ``compute_with_cache``, ``dist_sync_on_step`` (False only) and ``process_group``.

    Errors:
        K122 a keyword has a value that it may not have; K126 there is none of that name.

    Attributes:
        is_differentiable, higher_is_better, full_state_update: of the class; read-only elsewhere.
        also_takes: keywords of the constructor that its signature does not name.

    Example:
        A metric of your own declares its states, adds a batch to them, and computes from them:

        >>> from karat.compat.torchmetrics import Metric
        >>> class Errors(Metric):
        ...     full_state_update = False
        ...
        ...     def __init__(self, **kwargs):
        ...         super().__init__(**kwargs)
        ...         self.add_state("n", torch.tensor(0), dist_reduce_fx="sum")
        ...
        ...     def update(self, preds, target):
        ...         self.n += (preds != target).sum()
        ...
        ...     def compute(self):
        ...         return self.n
        >>> errors = Errors()
        >>> errors(torch.tensor([0, 1, 1]), torch.tensor([0, 1, 0]))
        tensor(1)
        >>> errors.update(torch.tensor([0, 0]), torch.tensor([1, 1]))
        >>> errors.compute()
        tensor(3)
    """

    is_differentiable: bool | None = None
    higher_is_better: bool | None = None
    full_state_update: bool | None = None
    also_takes: tuple[str, ...] = ()
    _is_updating = _is_computing = _is_alone = _keeps_graph = _is_cast = False
    _around: tuple[str, str] = ("", "")

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        for name, default in _FLAGS.items():
            value = kwargs.pop(name, default)
            if not isinstance(value, bool) or (name == "dist_sync_on_step" and value):
                choices = "False" if name == "dist_sync_on_step" else "True, False"
                do = "Batches are merged on compute."
                raise error("K122", argument=name, value=value, choices=choices, do=do)
            setattr(self, name, value)
        self.process_group: Any = kwargs.pop("process_group", None)
        for name in _HOOKS:
            value = kwargs.pop(name, None)
            if value is not None:
                do = "karat gathers tallies itself."
                raise error("K122", argument=name, value=value, choices="None", do=do)
        if kwargs:
            own = [name for name in signature(type(self)).parameters if name != "kwargs"]
            takes = dict.fromkeys((*own, *self.also_takes, *_FLAGS, "process_group"))
            raise unknown_argument(type(self).__name__, min(kwargs), tuple(takes))
        self._defaults: dict[str, Any] = {}
        self._reductions: dict[str, Reduction] = {}
        self._persistent: dict[str, bool] = {}
        self._dtype = torch.get_default_dtype()
        self._tally = Tally(place=torch.get_default_device(), n_batches=0)

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Surround the class's own `update` and `compute` with what each metric needs."""
        super().__init_subclass__(**kwargs)
        for name, around in (("update", _around_update), ("compute", _around_compute)):
            verb = getattr(cls, name)
            is_complete = getattr(verb, "itself", None) is verb
            if not is_complete and not getattr(verb, "__isabstractmethod__", False):
                setattr(cls, name, around(verb))

    @abstractmethod
    def update(self, *args: Any, **kwargs: Any) -> None:
        """Add a batch to the states; a class that derives from `Metric` says how."""

    @abstractmethod
    def compute(self) -> Any:
        """The value of the states, of every process where `torch.distributed` runs."""

    def add_state(
        self, name: str, default: Any, dist_reduce_fx: Reduction = None, persistent: bool = False
    ) -> None:
        """Declare a state, which is then an attribute of that name.

        Args:
            name: of the attribute.
            default: its value before the first batch, a tensor or an empty list.
            dist_reduce_fx: how values of batches and of processes become one: "sum", "mean",
                "max", "min", "cat", a function of the stacked values, None: they are stacked.
                Lists are joined.
            persistent: whether `state_dict` holds it.

        Errors:
            K122 a default or a reduction that is none of these.
        """
        self._defaults[name] = checked_default(name, default)
        self._reductions[name] = checked_reduction(dist_reduce_fx)
        self._persistent[name] = persistent
        setattr(self, name, copied(self._defaults[name]))

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch and give its own value.

        As in torchmetrics, a class with ``full_state_update = False`` is updated once, and its
        states are merged; without it the batch is read twice: by all states, and by empty ones.
        """
        is_merged = self.full_state_update is False
        if not is_merged:
            self.update(*args, **kwargs)
        with self._holding(self._held()):
            self.reset()
            self._keeps_graph = True
            try:
                self.update(*args, **kwargs)
                value = self.compute()
            finally:
                self._keeps_graph = False
            batch = self._held()
        if is_merged:
            batch.n_batches = 1
            self._hold(self._joined([self._held(), batch], by_batches=True))
        return value

    def reset(self) -> None:
        """Forget every batch."""
        self._tally = self._no_rows()
        for name, default in self._defaults.items():
            value, fresh = getattr(self, name), copied(default)
            is_moved = isinstance(value, Tensor) and isinstance(fresh, Tensor)
            setattr(self, name, fresh.to(value.device) if is_moved else fresh)

    def merge_state(self, incoming_state: Metric | dict[str, Any]) -> None:
        """Add what another metric of the same kind, or its `metric_state`, has seen.

        A dict counts as one batch.

        Errors:
            K621 another metric, another state, or a class without ``full_state_update = False``.
        """
        if self.full_state_update is not False:
            found = f"{type(self).__name__} does not have full_state_update = False"
            do = "Set it in the class if states of batches can be merged, or override merge_state."
            raise refused("merge_state", found, do)
        if isinstance(incoming_state, Metric):
            self._refuse_unlike(incoming_state)
            other = incoming_state._held()
        elif isinstance(incoming_state, dict):
            other = self._tally_from(incoming_state)
        else:
            found = f"It is a {type(incoming_state).__name__}"
            raise refused("incoming_state", found, "Give a metric, or its metric_state.")
        if self._defaults:
            other.move(self.device)
        self._hold(self._joined([self._held(), other], by_batches=True))

    def clone(self) -> Self:
        """A copy that shares nothing."""
        return deepcopy(self)

    def settle(self, value: Any) -> Any:
        """Keep a value until rows are added."""
        if self.compute_with_cache:
            self._tally.cache[self._value_key()] = value
        return value

    @property
    def metric_state(self) -> dict[str, Any]:
        """The states by their names."""
        return self._states()

    @property
    def update_count(self) -> int:
        """Number of batches."""
        return self._tally.n_batches

    @property
    def update_called(self) -> bool:
        """True if there was a batch."""
        return self._tally.n_batches > 0

    @property
    def device(self) -> Any:
        """Device of the metric; karat's own metrics: or of their first batch."""
        return self._tally.device

    @property
    def dtype(self) -> Any:
        """The type that `set_dtype` has set."""
        return self._dtype

    def persistent(self, mode: bool = False) -> None:
        """Say whether `state_dict` holds the states."""
        self._persistent = dict.fromkeys(self._persistent, mode)

    def set_dtype(self, dst_type: Any) -> Self:
        """Convert the states of `add_state`; karat's tallies stay whole and wide."""
        self._is_cast = True
        try:
            torch.nn.Module.type(self, dst_type)
        finally:
            self._is_cast = False
        return self

    def _as_it_is(self, *_: Any) -> Self:
        """Nothing: the type of a model's weights is none for states; `set_dtype` converts them."""
        return self

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an attribute, but none that is the same for every metric of the class."""
        if name in _CONSTANTS:
            text = f"Can't change const `{name}`. Set it in a class derived from "
            raise RuntimeError(f"{text}{type(self).__name__}.")
        super().__setattr__(name, value)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A copy that shares nothing."""
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        made.__dict__.update({name: deepcopy(own, memo) for name, own in self.__dict__.items()})
        return made

    def __getitem__(self, index: Any) -> CompositionalMetric:
        """The item of each value."""
        return CompositionalMetric(operator.itemgetter(index), self)

    __iter__: None = None
    half = float = double = type = _as_it_is
    __add__, __radd__ = _operation(operator.add), _operation(operator.add, is_reflected=True)
    __sub__, __rsub__ = _operation(operator.sub), _operation(operator.sub, is_reflected=True)
    __mul__, __rmul__ = _operation(operator.mul), _operation(operator.mul, is_reflected=True)
    __mod__, __rmod__ = _operation(torch.fmod), _operation(torch.fmod, is_reflected=True)
    __pow__, __rpow__ = _operation(operator.pow), _operation(operator.pow, is_reflected=True)
    __and__, __rand__ = _operation(operator.and_), _operation(operator.and_, is_reflected=True)
    __or__, __ror__ = _operation(operator.or_), _operation(operator.or_, is_reflected=True)
    __xor__, __rxor__ = _operation(operator.xor), _operation(operator.xor, is_reflected=True)
    __truediv__ = _operation(operator.truediv)
    __rtruediv__ = _operation(operator.truediv, is_reflected=True)
    __floordiv__ = _operation(operator.floordiv)
    __rfloordiv__ = _operation(operator.floordiv, is_reflected=True)
    __matmul__ = _operation(operator.matmul)
    __rmatmul__ = _operation(operator.matmul, is_reflected=True)
    __lt__, __le__ = _operation(operator.lt), _operation(operator.le)
    __gt__, __ge__ = _operation(operator.gt), _operation(operator.ge)
    __abs__, __neg__ = _alone(operator.abs), _alone(operator.neg)
    __pos__, __invert__ = _alone(operator.pos), _alone(operator.invert)

    def _no_rows(self) -> Tally:
        return Tally(place=self.device, n_batches=0)

    def _value_key(self) -> Any:
        """Under which a value is kept beside what it was computed from."""
        return self

    def _refuse_unlike(self, other: Metric) -> None:
        if not isinstance(other, type(self)):
            found = f"It is a {type(other).__name__}, not a {type(self).__name__}"
            raise refused("incoming_state", found, "Merge metrics of one class.")

    def _tally_from(self, state: dict[str, Any]) -> Tally:
        if missing := [name for name in self._defaults if name not in state]:
            found = f"The state holds {sorted(state)}, not {missing}"
            raise refused("A state", found, "Give the metric_state of a metric of equal arguments.")
        found_tally = Tally(place=self.device)
        found_tally.states = {name: copied(state[name]) for name in self._defaults}
        return found_tally

    def _states(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._defaults}

    def _held(self) -> Tally:
        """A copy of all that it has seen."""
        found = self._tally.copy()
        found.states = {name: copied(getattr(self, name)) for name in self._defaults}
        return found

    def _hold(self, tally: Tally) -> None:
        """Take over what a tally holds."""
        self._tally = tally
        for name, value in tally.states.items():
            setattr(self, name, value)
        tally.states = {}

    @contextmanager
    def _holding(self, tally: Tally) -> Iterator[None]:
        """Hold something else for the time being, which no other process adds to."""
        own, states, is_alone = self._tally, self._states(), self._is_alone
        self._hold(tally)
        self._is_alone = True
        try:
            yield
        finally:
            self._tally, self._is_alone = own, is_alone
            for name, value in states.items():
                setattr(self, name, value)

    def _joined(self, parts: Sequence[Tally], *, by_batches: bool = False) -> Tally:
        """The tally of all parts, which is the first of them."""
        first, batches = parts[0], [part.n_batches for part in parts] if by_batches else None
        states = {
            name: reduced(how, [part.states[name] for part in parts], batches)
            for name, how in self._reductions.items()
        }
        for other in parts[1:]:
            first.add(other)
        first.states = states
        return first

    def _is_apart(self) -> bool:
        """True if its value is that of this process alone."""
        return self._is_alone or not self.sync_on_compute or not is_one_of_many(self.process_group)

    def _of_all_processes(self) -> Tally:
        return self._joined(gathered(self._held(), self.process_group))

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        super()._apply(fn, recurse)
        # A change of type would round counts: the device of the probe alone is taken over.
        probe = fn(torch.zeros(1, device=self.device))
        device = probe.device
        self._tally.move(device)
        change = fn if self._is_cast else lambda value: value.to(device)
        self._dtype = probe.dtype if self._is_cast else self._dtype
        for name, default in self._defaults.items():
            value = getattr(self, name)
            is_list = isinstance(value, list)
            setattr(self, name, [change(one) for one in value] if is_list else change(value))
            self._defaults[name] = change(default) if isinstance(default, Tensor) else []
        return self

    def _save_to_state_dict(self, destination: Any, prefix: str, keep_vars: bool) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        for name, is_kept in self._persistent.items():
            if is_kept:
                value = getattr(self, name)
                destination[prefix + name] = value if keep_vars else deepcopy(copied(value))

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *args: Any, **kwargs: Any
    ) -> None:
        for name in self._defaults:
            if prefix + name in state_dict:
                setattr(self, name, copied(state_dict.pop(prefix + name)))
                self._tally.n_batches = max(self._tally.n_batches, 1)
                self._tally.cache.clear()
        super()._load_from_state_dict(state_dict, prefix, *args, **kwargs)


class CompositionalMetric(Metric):
    """Result of an operator on metrics, numbers and tensors.

    A batch is given to each of its metrics, to one that occurs twice once.
    """

    def __init__(self, operator: Verb, *operands: Any) -> None:  # noqa: A002, RUF100
        super().__init__()
        self.op = operator
        self._names = [f"metric_{letter}" for letter in "ab"[: len(operands)]]
        for name, operand in zip(self._names, operands, strict=True):
            if isinstance(operand, Tensor):
                self.register_buffer(name, operand, persistent=False)
            else:
                setattr(self, name, operand)

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Add a batch to each metric; keywords go to those that know them."""
        for metric in self._metrics():
            metric.update(*args, **known_keywords(metric, kwargs))

    @complete
    def compute(self) -> Any:
        """The value of the operator; of metrics that were fed by themselves too."""
        return self._value({metric: metric.compute() for metric in self._metrics()})

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch to each metric and give the value of the batch."""
        given = {
            metric: metric(*args, **known_keywords(metric, kwargs)) for metric in self._metrics()
        }
        self._tally.n_batches += 1
        return self._value(given)

    def reset(self) -> None:
        """Forget every batch, in each metric."""
        super().reset()
        for metric in self._metrics():
            metric.reset()

    def persistent(self, mode: bool = False) -> None:
        """Say whether `state_dict` holds the states of its metrics."""
        for metric in self._metrics():
            metric.persistent(mode)

    def extra_repr(self) -> str:
        """The operator, and operands that are no metrics."""
        others = [f"{own}" for own in self._operands() if not isinstance(own, Metric)]
        return ", ".join([getattr(self.op, "__name__", f"{self.op}"), *others])

    def _operands(self) -> list[Any]:
        return [getattr(self, name) for name in self._names]

    def _metrics(self) -> list[Metric]:
        return list(dict.fromkeys(own for own in self._operands() if isinstance(own, Metric)))

    def _value(self, values: Mapping[Any, Any]) -> Any:
        own = self._operands()
        return self.op(*[values[one] if isinstance(one, Metric) else one for one in own])


def known_keywords(metric: Metric, given: Mapping[str, Any]) -> dict[str, Any]:
    """The keywords that the metric's `update` takes."""
    if not given:
        return {}
    takes = signature(metric.update).parameters
    if any(own.kind is Parameter.VAR_KEYWORD for own in takes.values()):
        return dict(given)
    return {name: value for name, value in given.items() if name in takes}

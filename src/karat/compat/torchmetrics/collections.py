"""Several metrics as one plan: those that need the same tally share it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any, Self

import torch
from torch import Tensor

from karat.compat.torchmetrics.labels import Need
from karat.compat.torchmetrics.metric import OF_COLLECTION, Metric
from karat.compat.torchmetrics.tally import gathered, refused
from karat.errors import error


class MetricCollection(torch.nn.ModuleDict):  # type: ignore[misc]
    """Metrics that are fed together; every row is read once for each different tally.

    What is shared follows from what the metrics declare, before any row is seen: metrics with
    equal needs share, whatever the data. A metric that has seen rows keeps its tally to itself.

    Args:
        metrics: a metric, a collection, a sequence of them, named by their classes, or a dict.
        prefix, postfix: around every name.
        compute_groups: False: every metric counts for itself. A list of groups, which torchmetrics
            reads, changes nothing here.

    Errors:
        K621 something that is no metric of karat, or two of one name.
        K122 a prefix or postfix that is no text.

    Example:
        >>> from karat.compat.torchmetrics import MulticlassF1Score, MulticlassRecall
        >>> both = MetricCollection([MulticlassF1Score(3), MulticlassRecall(3, average=None)])
        >>> both.update(torch.tensor([0, 1, 1]), torch.tensor([0, 1, 2]))
        >>> both.compute()["MulticlassRecall"]
        tensor([1., 1., 0.])
        >>> both.compute_groups
        {0: ['MulticlassF1Score', 'MulticlassRecall']}
    """

    def __init__(
        self,
        metrics: Any,
        *additional_metrics: Any,
        prefix: str | None = None,
        postfix: str | None = None,
        compute_groups: bool | Sequence[Sequence[str]] = True,
    ) -> None:
        super().__init__()
        self.prefix = _checked_part("prefix", prefix)
        self.postfix = _checked_part("postfix", postfix)
        self._shares = bool(compute_groups)
        self._groups: list[list[str]] = []
        self.add_metrics(metrics, *additional_metrics)

    def add_metrics(self, metrics: Any, *additional_metrics: Any) -> None:
        """Add metrics under their names, and share tallies anew."""
        for name, metric in _named(metrics, additional_metrics):
            if name in self._modules:
                found = f"Two metrics are named {name!r}"
                raise refused("A collection", found, "Give a dict of names and metrics.")
            super().__setitem__(name, metric)
        self._share()

    def update(self, preds: Tensor, target: Tensor, *, weights: Any = None) -> None:
        """Add a batch to every metric; arguments as those of `Metric.update`.

        Cost: one pass over the batch for each different need.
        """
        batches = [first.rule.tally(preds, target, weights) for first in self._firsts()]
        for members, batch in zip(self._groups, batches, strict=True):
            self._metric(members[0]).take(batch)

    def forward(self, preds: Tensor, target: Tensor, *, weights: Any = None) -> dict[str, Tensor]:
        """Add a batch and give its own values, from the same pass."""
        batches = [first.rule.tally(preds, target, weights) for first in self._firsts()]
        found = {
            name: self._metric(name).value_of(batch)
            for members, batch in zip(self._groups, batches, strict=True)
            for name in members
        }
        for members, batch in zip(self._groups, batches, strict=True):
            self._metric(members[0]).take(batch)
        return {self._shown(name): found[name] for name in self._modules}

    def compute(self) -> dict[str, Tensor]:
        """The value of every metric; processes exchange each tally once."""
        found: dict[str, Tensor] = {}
        for members in self._groups:
            first = self._metric(members[0])
            tally = first.tally
            if first.sync_on_compute:
                tally = gathered(tally, first.process_group)
            for name in members:
                metric = self._metric(name)
                is_alone = tally is first.tally  # nothing came from other processes
                found[name] = (
                    metric.compute() if is_alone else metric.settle(metric.value_of(tally))
                )
        return {self._shown(name): found[name] for name in self._modules}

    def reset(self) -> None:
        """Forget every batch."""
        for members in self._groups:
            first = self._metric(members[0])
            tally = first.rule.need.empty(first.device)
            for name in members:
                self._metric(name).tally = tally

    def merge_state(self, incoming: MetricCollection) -> None:
        """Add what a collection of the same metrics has seen.

        Errors:
            K621 other metrics.
        """
        other = [incoming._metric(members[0]) for members in incoming._groups]
        own = list(self._firsts())
        if incoming._groups != self._groups or any(
            a.rule.need != b.rule.need for a, b in zip(own, other, strict=True)
        ):
            found = "Its metrics or their needs are not those of this collection"
            raise refused("A collection", found, "Merge collections that were made alike.")
        for members, batch in zip(self._groups, other, strict=True):
            self._metric(members[0]).tally.add(batch.tally)

    def clone(self, prefix: str | None = None, postfix: str | None = None) -> Self:
        """A copy that shares nothing with this one, with other parts of its names if given."""
        made = deepcopy(self)
        made.prefix = _checked_part("prefix", prefix) or made.prefix
        made.postfix = _checked_part("postfix", postfix) or made.postfix
        return made

    @property
    def compute_groups(self) -> dict[int, list[str]]:
        """The names of the metrics that share a tally: one pass for each group."""
        return {i: list(members) for i, members in enumerate(self._groups)}

    @property
    def metric_state(self) -> dict[str, dict[str, Any]]:
        """The tensors of each metric's tally."""
        return {self._shown(name): self._metric(name).metric_state for name in self._modules}

    def persistent(self, mode: bool = True) -> None:
        """Say whether `state_dict` holds the tallies."""
        for name in self._modules:
            self._metric(name).persistent(mode)

    def set_dtype(self, dst_type: Any) -> Self:  # noqa: ARG002
        """Nothing, as of each metric."""
        return self

    def keys(self, keep_base: bool = False) -> Iterable[str]:
        """The names, with prefix and postfix unless keep_base."""
        return [name if keep_base else self._shown(name) for name in self._modules]

    def items(self, keep_base: bool = False, copy_state: bool = True) -> Iterable[tuple[str, Any]]:  # noqa: ARG002
        """Names and metrics; the metrics are those of the collection, not copies."""
        return list(zip(self.keys(keep_base), self._modules.values(), strict=True))

    def values(self, copy_state: bool = True) -> Iterable[Any]:  # noqa: ARG002
        """The metrics."""
        return list(self._modules.values())

    def __getitem__(self, key: str) -> Any:
        """A metric by its name, with or without prefix and postfix.

        It reads the tally of the collection; clone() it to feed it alone.
        """
        return self._modules[self._base(key)]

    def __iter__(self) -> Iterator[str]:
        """The names, as `keys`."""
        return iter(self.keys())

    def __setitem__(self, key: str, module: Any) -> None:
        """Add or replace a metric, and share tallies anew."""
        super().__setitem__(key, *[metric for _, metric in _named({key: module}, ())])
        self._share()

    def __delitem__(self, key: str) -> None:
        """Take a metric out, by its name with or without prefix; it may then be fed alone."""
        gone = self._metric(self._base(key))
        super().__delitem__(self._base(key))
        gone.share(gone.tally.copy(), ())
        self._share()

    def clear(self) -> None:
        """Take every metric out."""
        for name in list(self._modules):
            del self[name]

    def __repr__(self) -> str:
        """The metrics, and what stands around their names."""
        parts = {"prefix": self.prefix, "postfix": self.postfix}
        around = "".join(f",\n  {name}={text}" for name, text in parts.items() if text)
        shown: str = super().__repr__()
        return f"{shown[:-1].rstrip()}{around}\n)" if around else shown

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """A copy whose metrics share among themselves as here."""
        made = type(self).__new__(type(self))
        memo[id(self)] = made
        outer = memo.get(OF_COLLECTION)
        memo[OF_COLLECTION] = True
        made.__dict__.update({name: deepcopy(own, memo) for name, own in self.__dict__.items()})
        if outer is None:
            del memo[OF_COLLECTION]
        return made

    def _metric(self, name: str) -> Metric:
        found = self._modules[name]
        assert isinstance(found, Metric)
        return found

    def _firsts(self) -> Iterator[Metric]:
        return (self._metric(members[0]) for members in self._groups)

    def _base(self, key: str) -> str:
        return key.removeprefix(self.prefix or "").removesuffix(self.postfix or "")

    def _shown(self, name: str) -> str:
        return f"{self.prefix or ''}{name}{self.postfix or ''}"

    def _share(self) -> None:
        """Group metrics by what they need, where their tallies lie, and what these hold."""
        shared: dict[tuple[Need, bool, str, int], list[str]] = {}
        for name in self._modules:
            metric = self._metric(name)
            if not self._shares:
                metric.share(metric.tally.copy(), ())
            # Rows that only one of two metrics has seen keep their tallies apart.
            own = id(metric.tally) if metric.update_called or not self._shares else 0
            key = metric.rule.need, metric.rule.validates, str(metric.device), own
            shared.setdefault(key, []).append(name)
        self._groups = list(shared.values())
        for members in self._groups:
            tally = self._metric(members[0]).tally
            for name in members:
                self._metric(name).share(tally, tuple(members) if len(members) > 1 else ())


def _named(metrics: Any, additional: Sequence[Any]) -> Iterator[tuple[str, Metric]]:
    """Metrics and the names they get, those of collections within included."""
    if isinstance(metrics, Mapping) and not isinstance(metrics, MetricCollection):
        if additional:
            found = f"{len(additional)} metrics stand beside a dict"
            raise refused("A collection", found, "Put all of them into the dict.")
        for name in sorted(metrics):
            metric = metrics[name]
            if isinstance(metric, MetricCollection):
                yield from ((f"{name}_{inner}", m) for inner, m in metric.items())
            else:
                yield str(name), _checked(metric)
        return
    if isinstance(metrics, MetricCollection):
        yield from metrics.items(keep_base=True)
    elif isinstance(metrics, Sequence):
        for metric in metrics:
            if isinstance(metric, MetricCollection):
                yield from metric.items()
            else:
                yield type(metric).__name__, _checked(metric)
    else:
        yield type(metrics).__name__, _checked(metrics)
    if additional:
        yield from _named(list(additional), ())


def _checked_part(argument: str, text: Any) -> str | None:
    if text is None or isinstance(text, str):
        return text
    do = "It stands around the name of every metric."
    raise error("K122", argument=argument, value=text, choices="None, a text", do=do)


def _checked(metric: Any) -> Metric:
    if isinstance(metric, Metric):
        return metric
    kind = f"{type(metric).__module__}.{type(metric).__qualname__}"
    do = "Give metrics of karat.compat.torchmetrics; other metrics need a collection of their own."
    raise refused("A collection", f"{kind} is no metric of karat", do)

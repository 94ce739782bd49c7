"""Several metrics as one plan: those that need the same tally share it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from inspect import signature
from itertools import chain
from typing import Any, Self

import torch

from karat.compat.torchmetrics.counted import OF_COLLECTION, CountedMetric
from karat.compat.torchmetrics.labels import widest, with_all_cells
from karat.compat.torchmetrics.metric import Metric, known_keywords
from karat.compat.torchmetrics.tally import Tally, refused
from karat.errors import error
from karat.errors.habits import unknown_argument


class MetricCollection(torch.nn.ModuleDict):  # type: ignore[misc]
    """Metrics that are fed together; every row is read once for each different tally.

    What is shared follows from what the metrics declare, before any row is seen: metrics with
    equal needs share, whatever the data. A metric that has seen rows keeps its tally to itself.
    A metric whose class overrides `update`, `forward`, `reset` or `merge_state`, or has states of
    its own, is fed by itself, through its own methods.

    Args:
        metrics: a metric, a collection, a sequence of them, named by their classes, or a dict.
        prefix, postfix: around every name.
        compute_groups: False: every metric counts for itself. A list of groups of names, by which
            torchmetrics shares, changes nothing here.

    Errors:
        K621 something that is no metric of karat, two of one name, one that is part of another.
        K122 a prefix or postfix that is no text, a group with a name that is no metric's.

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
        self.prefix: str | None = _checked_part("prefix", prefix)
        self.postfix: str | None = _checked_part("postfix", postfix)
        self._shares = bool(compute_groups)
        self._wanted: list[tuple[str, ...]] = []
        if isinstance(compute_groups, Sequence):
            self._wanted = [tuple(group) for group in compute_groups]
        self._groups: list[list[str]] = []
        self._alone: set[str] = set()
        self.add_metrics(metrics, *additional_metrics)

    def add_metrics(self, metrics: Any, *additional_metrics: Any) -> None:
        """Add metrics under their names, and share tallies again."""
        for name, metric in _named(metrics, additional_metrics):
            if name in self._modules:
                found = f"Two metrics are named {name!r}"
                raise refused("A collection", found, "Give a dict of names and metrics.")
            super().__setitem__(name, metric)
        for name in chain.from_iterable(self._wanted):
            if name not in self._modules:
                choices, do = ", ".join(self._modules), "Metrics of equal needs share in any case."
                raise error("K122", argument="compute_groups", value=name, choices=choices, do=do)
        self._share()

    def update(self, *args: Any, **kwargs: Any) -> None:
        """Add a batch to every metric; arguments as those of `Metric.update`.

        A keyword goes to the metrics that know it.

        Errors:
            K126 a keyword that none of them knows.

        Cost: one pass over the batch for each different need.
        """
        batches = self._batches(args, kwargs)
        for members, batch in zip(self._groups, batches, strict=True):
            if batch is None:
                metric = self._metric(members[0])
                metric.update(*args, **known_keywords(metric, kwargs))
        self._take(batches)

    def forward(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        """Add a batch and give its own values, from the same pass."""
        batches, found = self._batches(args, kwargs), {}
        for members, batch in zip(self._groups, batches, strict=True):
            for name in members:
                metric = self._metric(name)
                if batch is None:
                    found[name] = metric(*args, **known_keywords(metric, kwargs))
                else:
                    found[name] = self._counted(name).value_over(batch)
        self._take(batches)
        return self._values(found)

    def compute(self) -> dict[str, Any]:
        """The value of every metric; processes exchange each tally once."""
        found: dict[str, Any] = {}
        for members in self._groups:
            if members[0] in self._alone:
                found[members[0]] = self._metric(members[0]).compute()
                continue
            tally = self._counted(members[0]).over_all_processes()
            for name in members:
                metric = self._counted(name)
                is_whole = tally is metric.tally  # nothing came from other processes
                found[name] = (
                    metric.compute() if is_whole else metric.settle(metric.value_over(tally))
                )
        return self._values(found)

    def reset(self) -> None:
        """Forget every batch."""
        for members in self._groups:
            if members[0] in self._alone:
                self._metric(members[0]).reset()
                continue
            first = self._counted(members[0])
            tally = first.rule.need.empty(first.device)
            for name in members:
                self._counted(name).share(tally, self._partners(members))

    def merge_state(self, incoming: MetricCollection) -> None:
        """Add what a collection of the same metrics has seen.

        Errors:
            K621 other metrics, or one that cannot be merged.
        """
        shared = [members[0] for members in self._groups if members[0] not in self._alone]
        if (incoming._groups, incoming._alone) != (self._groups, self._alone) or any(
            self._counted(name).rule.need != incoming._counted(name).rule.need for name in shared
        ):
            found = "Its metrics or their settings differ from those of this collection"
            raise refused(
                "A collection",
                found,
                "Merge collections that have the same metrics and parameters.",
            )
        for name in self._alone:
            self._metric(name).merge_state(incoming._metric(name))
        for name in shared:
            self._counted(name).tally.add(incoming._counted(name).tally)

    def clone(self, prefix: str | None = None, postfix: str | None = None) -> Self:
        """A copy that shares nothing with this one, with other parts of its names if given."""
        made = deepcopy(self)
        made.prefix = _checked_part("prefix", prefix) or made.prefix
        made.postfix = _checked_part("postfix", postfix) or made.postfix
        return made

    @property
    def compute_groups(self) -> dict[int, list[str]]:
        """The names of the metrics that share a tally, one pass for each group; {}: none may."""
        return {i: list(members) for i, members in enumerate(self._groups) if self._shares}

    @property
    def metric_state(self) -> dict[str, dict[str, Any]]:
        """The tensors of each metric's tally."""
        return {self._shown(name): self._metric(name).metric_state for name in self._modules}

    def persistent(self, mode: bool = True) -> None:
        """Say whether `state_dict` holds the tallies."""
        for name in self._modules:
            self._metric(name).persistent(mode)

    def set_dtype(self, dst_type: Any) -> Self:
        """Convert the states that metrics have added, as `Metric.set_dtype`."""
        for name in self._modules:
            self._metric(name).set_dtype(dst_type)
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
        """Add or replace a metric, and share tallies again."""
        super().__setitem__(key, *[metric for _, metric in _named({key: module}, ())])
        self._share()

    def __delitem__(self, key: str) -> None:
        """Take a metric out, by its name with or without prefix; it may then be fed alone."""
        gone = self._metric(self._base(key))
        super().__delitem__(self._base(key))
        if isinstance(gone, CountedMetric):
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

    def _counted(self, name: str) -> CountedMetric:
        found = self._modules[name]
        assert isinstance(found, CountedMetric)
        return found

    def _batches(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Tally | None]:
        """The tally of a batch for each group; None: a metric that is fed by itself."""
        known = {name: known_keywords(self._metric(name), kwargs) for name, *_ in self._groups}
        if unknown := set(kwargs).difference(*known.values()):
            takes = dict.fromkeys(chain(*(signature(m.update).parameters for m in self.values())))
            raise unknown_argument("MetricCollection.update", min(unknown), tuple(takes))
        return [
            None if name in self._alone else self._counted(name).read(*args, **given)
            for name, given in known.items()
        ]

    def _take(self, batches: Sequence[Tally | None]) -> None:
        for (name, *_), batch in zip(self._groups, batches, strict=True):
            if batch is not None:
                self._counted(name).take(batch)

    def _values(self, found: Mapping[str, Any]) -> dict[str, Any]:
        """Values by the names shown; those that a metric gives as a dict stand by themselves."""
        names = [key for name, own in found.items() for key in (own if _is_dict(own) else [name])]
        is_clear, values = len(set(names)) == len(names), {}
        for name, metric in self._modules.items():
            if not _is_dict(found[name]):
                values[self._shown(name)] = found[name]
                continue
            prefix, postfix = metric._around
            base = name.replace(prefix, "").replace(postfix, "")
            for key, value in found[name].items():
                inner = f"{prefix}{key if is_clear else f'{base}_{key}'}{postfix}"
                values[self._shown(inner)] = value
        return values

    def _base(self, key: str) -> str:
        return key.removeprefix(self.prefix or "").removesuffix(self.postfix or "")

    def _shown(self, name: str) -> str:
        return f"{self.prefix or ''}{name}{self.postfix or ''}"

    def _share(self) -> None:
        """Group metrics by what they need, where their tallies lie, and what these hold."""
        shared: dict[Any, list[str]] = {}
        self._alone = set()
        for name in self._modules:
            metric = self._metric(name)
            if not isinstance(metric, CountedMetric) or metric.is_fed_alone:
                self._alone.add(name)
            if not isinstance(metric, CountedMetric):
                shared[name] = [name]
                continue
            is_apart = not self._shares or name in self._alone
            if is_apart:
                metric.share(metric.tally.copy(), ())
            # Rows that only one of two metrics has seen keep their tallies apart.
            own = id(metric.tally) if metric.update_called or is_apart else 0
            where = str(metric.device), metric.sync_on_compute
            key = with_all_cells(metric.rule.need), metric.rule.validates, where, own
            shared.setdefault(key, []).append(name)
        self._groups = list(shared.values())
        for members in self._groups:
            if members[0] not in self._alone:
                first = self._counted(members[0])
                tally, need = first.tally, widest([self._counted(n).rule.need for n in members])
                if need != first.rule.need:  # no rows yet
                    tally = need.empty(first.device)
                for name in members:
                    self._counted(name).share(tally, self._partners(members), need)
        fed = set(self._modules.values())
        for name in self._alone:
            for part in self._metric(name).modules():
                if part in fed and part is not self._modules[name]:
                    found = f"A part of {name!r} is a metric of the collection too, fed twice"
                    raise refused("A collection", found, "Give one of them as clone().")

    def _partners(self, members: list[str]) -> tuple[str, ...]:
        return tuple(members) if len(members) > 1 else ()


def _is_dict(value: Any) -> bool:
    return isinstance(value, dict)


def _named(metrics: Any, additional: Sequence[Any]) -> Iterator[tuple[str, Metric]]:
    """Metrics and the names they get, those of collections within included."""
    if isinstance(metrics, Mapping) and not isinstance(metrics, MetricCollection):
        if additional:
            found = f"{len(additional)} metrics were given beside a dict"
            raise refused("A collection", found, "Put all of them into the dict.")
        for name in sorted(metrics):
            metric = metrics[name]
            if isinstance(metric, MetricCollection):
                yield from ((f"{name}_{inner}", m) for inner, m in _inner(metric))
            else:
                yield str(name), _checked(metric)
        return
    if isinstance(metrics, MetricCollection):
        yield from metrics.items(keep_base=True)
    elif isinstance(metrics, Sequence):
        for metric in metrics:
            if isinstance(metric, MetricCollection):
                yield from _inner(metric)
            else:
                yield type(metric).__name__, _checked(metric)
    else:
        yield type(metrics).__name__, _checked(metrics)
    if additional:
        yield from _named(list(additional), ())


def _inner(metrics: MetricCollection) -> Iterator[tuple[str, Metric]]:
    for name, metric in metrics.items():
        metric._around = (metrics.prefix or "", metrics.postfix or "")
        yield name, metric


def _checked_part(argument: str, text: Any) -> str | None:
    if text is None or isinstance(text, str):
        return text
    do = "It is added to the name of every metric."
    raise error("K122", argument=argument, value=text, choices="None, a text", do=do)


def _checked(metric: Any) -> Metric:
    if isinstance(metric, Metric):
        return metric
    kind = f"{type(metric).__module__}.{type(metric).__qualname__}"
    do = (
        "Give metrics of karat.compat.torchmetrics, or derive yours from its Metric; metrics of "
        "torchmetrics need a collection of their own."
    )
    raise refused("A collection", f"{kind} is not a metric of karat", do)

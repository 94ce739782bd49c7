"""States of a metric: how their values in parts of the rows, or in processes, become one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import torch
from torch import Tensor

from karat.errors import error

Reduction = str | Callable[..., Any] | None

_OF_TENSORS: Final[dict[str, Callable[[Tensor], Tensor]]] = {
    "sum": lambda stacked: stacked.sum(0, dtype=stacked.dtype),
    "mean": lambda stacked: stacked.float().mean(0),
    "max": lambda stacked: stacked.amax(0),
    "min": lambda stacked: stacked.amin(0),
}
_NAMES: Final = ("sum", "mean", "max", "min", "cat")


def checked_default(name: str, default: Any) -> Any:
    """A tensor, or an empty list; K122 anything else."""
    if isinstance(default, Tensor):
        return default.detach().contiguous()
    if isinstance(default, list) and not default:
        return []
    choices, do = "a tensor, []", f"add_state({name!r}, …) takes the value before the first batch."
    raise error("K122", argument="default", value=default, choices=choices, do=do)


def checked_reduction(given: Any) -> Reduction:
    """A name, None or a function; torchmetrics' own functions go by their names."""
    if getattr(given, "__module__", "") == "torchmetrics.utilities.data":
        name = given.__name__.removeprefix("dim_zero_")
        given = name if name in _NAMES else given
    if given is None or callable(given) or given in _NAMES:
        found: Reduction = given
        return found
    choices = f"{', '.join(map(repr, _NAMES))}, None, a function"
    do = "It states how values of batches and processes are combined."
    raise error("K122", argument="dist_reduce_fx", value=given, choices=choices, do=do)


def copied(value: Any) -> Any:
    """A value that nothing done to the original reaches, without a graph of gradients."""
    if isinstance(value, Tensor):
        return value.detach().clone()
    return [one.detach() if isinstance(one, Tensor) else one for one in value]


def reduced(how: Reduction, values: Sequence[Any], batches: Sequence[int] | None = None) -> Any:
    """One value of several; ``batches`` weigh those of a mean.

    Lists are joined, also those of processes, where torchmetrics makes a tensor of "cat".
    """
    if any(isinstance(value, list) for value in values):
        lists = [value if isinstance(value, list) else [value] for value in values]
        joined = [one for value in lists for one in value]
        return how(joined) if callable(how) else joined
    if how == "cat":
        return torch.cat([torch.atleast_1d(value) for value in values])
    if how == "mean" and batches is not None and any(batches):
        parts = [n * value.float() for n, value in zip(batches, values, strict=True)]
        return sum(parts) / sum(batches)
    stacked = torch.stack(list(values))
    if how is None:
        return stacked
    return how(stacked) if callable(how) else _OF_TENSORS[how](stacked)


def settled(value: Any) -> Any:
    """Values, also in a dict or a sequence: a single number has no dimension, nothing is shared."""
    if isinstance(value, Tensor):
        return (value.squeeze() if value.numel() == 1 else value).clone()
    if isinstance(value, dict):
        return {name: settled(own) for name, own in value.items()}
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return type(value)(settled(own) for own in value)
    return value

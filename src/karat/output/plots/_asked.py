"""The metrics that a picture was asked for."""

from __future__ import annotations

from typing import Any

from karat.errors import error, short
from karat.metrics import Metric

__all__ = ["asked_metrics"]


def asked_metrics(picture: str, metrics: Any) -> list[Any]:
    """What `metrics=` lists: names, or one.

    Errors:
        K702 it is no list, or empty.
    """
    if isinstance(metrics, str | Metric):
        return [metrics]
    try:
        found = list(metrics)
    except TypeError:
        told = f"metrics= is {short(metrics)} ({type(metrics).__name__}), not names of metrics"
        do = "Name some, metrics=['precision', 'recall'], or one."
        raise error("K702", name=picture, found=told, do=do) from None
    if not found:
        raise error("K702", name=picture, found="metrics= is empty", do="Name one.")
    return found

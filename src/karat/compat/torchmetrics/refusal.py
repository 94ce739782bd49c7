"""The error of an input or an argument that gives no number."""

from __future__ import annotations

from karat.errors import KaratError, error

__all__ = ["refused"]


def refused(subject: str, found: str, do: str) -> KaratError:
    """K621: a ValueError and a RuntimeError, since torchmetrics raises one or the other."""
    return error("K621", subject=subject, found=found, do=do)

"""The error of a description that cannot be computed."""

from __future__ import annotations

from typing import Any

from karat.errors import KaratError, error

__all__ = ["refused"]


def refused(metric: Any, found: str, do: str) -> KaratError:
    """K601: the description, what CatBoost says of it, and what helps."""
    return error("K601", metric=metric, found=found, do=do)

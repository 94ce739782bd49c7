"""What the text of a report says and the report that was made of it does not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from karat._version import __version__
from karat.errors import short, shown
from karat.metrics._registry import find
from karat.output.json_parts import Part, refused

if TYPE_CHECKING:
    from karat.results.report import Report

__all__ = ["left_out"]

_KEPT: Final = ("confusion", "mapping", "source", "tally")
"""Kept as they are, or in another form."""
_OWN_WORDS: Final = ("cautions", "karat", "schema", "warnings")
_MEASURED: Final = "scores.measured"
_MOST: Final = 40


def left_out(whole: Part, report: Report, *, is_own: bool) -> tuple[str, ...]:
    """Sentences on what a text holds and the report made of it does not.

    One on metrics that it does not list; of a text of another version one on all else before it.

    Cost: of another version the report is written.

    Args:
        whole: the text.
        report: what was read of it.
        is_own: whether this version of karat wrote the text.

    Errors:
        K205 this version wrote the text and has the metric, so that it would not have listed it.
    """
    missing = [name for name, _ in whole["metrics"].fields() if name not in report]
    for name in missing if is_own else ():
        if find(name) is not None:
            raise refused(f"metrics lists {short(name)}, and nothing else in it gives that")
    parts = [] if is_own else _parts(whole.value, report, missing)
    sentences = (
        _sentence("has", "part", "does not have in such a report", parts),
        _sentence("lists", "metric", "does not list for such a report", missing),
    )
    return tuple(one for one in sentences if one and one not in report.warnings)


def _parts(text: Any, report: Report, missing: list[str]) -> list[str]:
    """Places of a text that the report does not have, but for those of these metrics."""
    from karat.output.json import report_to_dict

    again = {place for place, *_ in _everywhere(report_to_dict(report))}
    said = {f"{path}.{_canonical(x)}" for path in ("metrics", _MEASURED) for x in missing}
    return [name for name in dict.fromkeys(_unknown(text, again)) if name not in said]


def _sentence(has: str, what: str, lacks: str, names: list[str]) -> str:
    if not names:
        return ""
    several = f"a {what}" if len(names) == 1 else f"{len(names)} {what}s"
    return (
        f"The JSON that this report was read from {has} {several} that karat {__version__} "
        f"{lacks}: {shown(names, _MOST)}. Left out here."
    )


def _everywhere(value: Any, path: str = "") -> Iterator[tuple[str, str, Any]]:
    """All places of a text, as `_inside` gives them."""
    for place, below, item in _inside(value, path):
        yield place, below, item
        yield from _everywhere(item, below)


def _unknown(value: Any, known: set[str], path: str = "") -> Iterator[str]:
    """The places of a text that are not known; of what lies below them nothing."""
    for place, below, item in _inside(value, path):
        if place in known:
            yield from _unknown(item, known, below)
        else:
            yield place


def _inside(value: Any, path: str) -> Iterator[tuple[str, str, Any]]:
    """The parts of an object or list that hold something: their place, that of their parts, value.

    The items of a list are in one place, but for metrics, whose parts are in one.
    """
    if isinstance(value, dict):
        is_of_metrics = path.rpartition(".")[2] in ("metrics", "tests")
        for key, item in value.items():
            if item is None or item in ([], {}) or (not path and key in (*_KEPT, *_OWN_WORDS)):
                continue
            name = _canonical(key) if is_of_metrics else key
            place = f"{path}.{name}" if path else name
            yield place, f"{path}[]" if is_of_metrics else place, item
    elif isinstance(value, list):
        for item in value:
            if isinstance(item, dict):
                place = f"{path}[]"
                yield (_of_measured(item) if path == _MEASURED else place), place, item


def _canonical(name: str) -> str:
    metric = find(name)
    return name if metric is None else str(metric)


def _of_measured(item: dict[str, Any]) -> str:
    """``"scores.measured.macro_roc_auc"``, as metrics are listed."""
    lift, name = item["lift"], _canonical(item["metric"])
    return f"{_MEASURED}.{name if lift == 'plain' else f'{lift}_{name}'}"

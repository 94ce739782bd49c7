"""Reading of the bytes of a stream: its settings and its tallies."""

from __future__ import annotations

from typing import Any, Final

import numpy.typing as npt

from karat.api.streams.settings import Settings
from karat.data.accumulator import Tallies
from karat.data.part_bytes import unpacked_tallies
from karat.errors import KaratError
from karat.errors.reasons import UnknownMetricError
from karat.tally.score_kind import FORMER
from karat.tally.serialization import AGAIN, damaged, said_of, unframed

_ADVICE: Final = {
    AGAIN: "Write the stream again with to_bytes() and copy all of its bytes.",
    FORMER: "Update a new stream from the rows, with y_logit= for logits or y_score= for other "
    "scores.",
}


def read_stream(data: bytes) -> tuple[Settings, Tallies]:
    """Return the settings and the tallies of `Stream.to_bytes`."""
    try:
        return unframed(data, ("parts",), _assembled, ("parts",))
    except KaratError as problem:
        raise said_of(problem, "stream", _ADVICE) from None


def _assembled(
    header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]
) -> tuple[Settings, Tallies]:
    if header["species"] != "stream":
        raise damaged(f"It holds {header['species']!r}, not a stream")
    try:
        settings = Settings.from_dict(header["settings"])
    except UnknownMetricError:
        raise
    except KaratError as problem:
        raise damaged(f"Its settings cannot be read: {problem}") from None
    parts = unpacked_tallies(header, arrays["parts"], settings.empty)
    found = _contradiction(settings, parts)
    if found:
        raise damaged(found)
    return settings, parts


def _contradiction(settings: Settings, found: Tallies) -> str | None:
    """Return a contradiction between the parts, or None."""
    cells, scores = found.cells, found.scores
    held, histograms = (None, None) if scores is None else (scores.held, scores.histograms)
    labels = {part.classes.labels for part in (cells, held, histograms) if part is not None}
    if settings.labels is not None:
        labels.add(settings.labels)
    if len(labels) > 1:
        return "Its parts are not of the same classes"
    if settings.threshold is not None:
        shapes = {2} if held is None else {held.shape[0] or 2}
        shapes |= set() if histograms is None else {histograms.classes.k}
        if shapes != {2} or cells is not None:
            return "A threshold needs two classes and scores"
    if held is not None and histograms is not None:
        columns = None if histograms.is_single else histograms.classes.k
        facts = held.kind, held.shape[0], held.shape[2]
        if facts != (histograms.kind, columns, histograms.is_weighted):
            return "Its rows and its tables do not go together"
    if found.sets is not None:
        if cells is not None or scores is not None:
            return "It holds sets of labels beside other rows"
        if settings.labels not in (None, found.sets.classes.labels):
            return "Its parts are not of the same classes"
    if found.crossed or (held is not None and held.axes):
        return "A stream has no clusters and no slices"
    return None

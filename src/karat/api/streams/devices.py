"""The rows of a stream that live on devices: which way they go, and when they are read."""

from __future__ import annotations

from karat.data.scores.storage import ScoreParts, discovered
from karat.data.sources.torch.tallies import DeviceTallies, classes_of_labels, labels_that_occur
from karat.data.sources.torch.tensors import DeviceArrays
from karat.tally import Cells, Classes
from karat.tally.classes import Label

__all__ = ["StreamDevices"]


class StreamDevices:
    """What a stream was given on devices and has not read."""

    def __init__(self, empty: ScoreParts, labels: tuple[Label, ...] | None) -> None:
        self._labels, self._positive = labels, empty.positive
        self._tallies = DeviceTallies(empty)
        self._classes: dict[tuple[int, ...] | None, Classes | None] = {}

    @property
    def n_rows(self) -> int:
        """Rows that were not read."""
        return self._tallies.n_rows

    @property
    def has_labels(self) -> bool:
        """Whether there are labels alone."""
        return self._tallies.has_labels

    @property
    def has_scores(self) -> bool:
        """Whether there are rows with scores."""
        return self._tallies.has_scores

    def add(self, rows: DeviceArrays, before: ScoreParts | None, *, is_part: bool) -> bool:
        """Add rows; False where the host must read them, or what their classes are.

        Args:
            before: rows with scores that the host holds.
            is_part: whether other rows come beside them, so that these may all weigh 0.
        """
        if self._labels is None:
            return self._add_discovered(rows, before, is_part=is_part)
        return self._add_given(rows, before, is_part=is_part)

    def _add_given(self, rows: DeviceArrays, before: ScoreParts | None, *, is_part: bool) -> bool:
        """Add rows whose classes were given; False where they cannot be read on the device."""
        assert self._labels is not None
        shape = None if rows.scores is None else tuple(rows.scores.shape[1:])
        if shape not in self._classes:
            self._classes[shape] = classes_of_labels(self._labels, self._positive, rows)
        classes = self._classes[shape]
        if classes is None:
            return False
        self._added(rows, classes, before, is_part=is_part, is_waited_for=False)
        return True

    def _add_discovered(
        self, rows: DeviceArrays, before: ScoreParts | None, *, is_part: bool
    ) -> bool:
        """Add rows whose classes are those that come, looked at before they are added.

        Of labels alone nothing may be held. False where the host must say what the classes are.
        """
        if rows.scores is None:
            found = labels_that_occur((rows.true, rows.pred))
            classes = None if found is None else Classes.of(found)
        else:
            classes = self._classes_of_columns(rows, before)
        if classes is None:
            return False
        self._added(rows, classes, before, is_part=is_part, is_waited_for=True)
        return True

    def _classes_of_columns(self, rows: DeviceArrays, before: ScoreParts | None) -> Classes | None:
        """The classes of the columns, once all have come."""
        assert rows.scores is not None
        k = 2 if rows.scores.ndim == 1 else int(rows.scores.shape[1])
        found = labels_that_occur((rows.true,))
        known: tuple[Label, ...] = () if before is None else before.classes.labels
        if self._tallies.classes is not None:
            known = (*known, *self._tallies.classes.labels)
        if found is None or any(isinstance(label, str) for label in known):
            return None
        classes = discovered((*known, *found), self._positive)
        if classes.k != k:
            return None
        guess = () if rows.pred is None else labels_that_occur((rows.pred,))
        return classes if guess is not None and set(guess) <= set(classes.labels) else None

    def _added(
        self,
        rows: DeviceArrays,
        classes: Classes,
        before: ScoreParts | None,
        *,
        is_part: bool,
        is_waited_for: bool,
    ) -> None:
        if rows.scores is None:
            self._tallies.add_labels(rows, classes, is_part=is_part, is_waited_for=is_waited_for)
        else:
            self._tallies.add_scores(rows, classes, before, is_waited_for=is_waited_for)

    def landed(self, before: ScoreParts | None) -> tuple[Cells | None, ScoreParts | None]:
        """What the devices hold, on the host; they are waited for.

        Errors:
            As `DeviceTallies.check`.
        """
        if not self._tallies.n_rows:
            return None, None
        return self._tallies.landed(
            is_in_histograms=before is not None and before.histograms is not None
        )

    def clear(self) -> None:
        """Forget what was read."""
        if self._tallies.n_rows:
            self._tallies.clear()

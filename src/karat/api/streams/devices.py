"""Rows of a stream that are on devices: how they are tallied, and when they are read."""

from __future__ import annotations

from karat.data.scores.storage import ScoreParts, discovered
from karat.data.sources.torch.tallies import DeviceTallies, classes_of_labels, labels_that_occur
from karat.data.sources.torch.tensors import DeviceArrays
from karat.tally import Classes
from karat.tally.classes import Label


class StreamDevices(DeviceTallies):
    """Unread rows of a stream on devices; `labels` are the declared ones, or None."""

    def __init__(self, empty: ScoreParts, labels: tuple[Label, ...] | None) -> None:
        super().__init__(empty)
        self._labels = labels
        self._declared: dict[tuple[int, ...] | None, Classes | None] = {}

    def add(self, rows: DeviceArrays, before: ScoreParts | None, *, is_part: bool) -> bool:
        """Add rows; return False if the host must read them, or their classes.

        Classes that were not declared are discovered before rows are added.

        Args:
            before: rows with scores on the host.
            is_part: whether they are part of more rows, so that these may all weigh 0.
        """
        is_waited_for = self._labels is None
        if self._labels is not None:
            shape = None if rows.scores is None else tuple(rows.scores.shape[1:])
            if shape not in self._declared:
                self._declared[shape] = classes_of_labels(self._labels, self.empty.positive, rows)
            classes = self._declared[shape]
        elif rows.scores is None:
            found = labels_that_occur((rows.true, rows.pred))
            classes = None if found is None else Classes.of(found)
        else:
            classes = self._classes_of_columns(rows, before)
        if classes is None:
            return False
        if rows.scores is None:
            self.add_labels(rows, classes, is_part=is_part, is_waited_for=is_waited_for)
        else:
            self.add_scores(rows, classes, before, is_waited_for=is_waited_for)
        return True

    def _classes_of_columns(self, rows: DeviceArrays, before: ScoreParts | None) -> Classes | None:
        """Return the classes of the columns, once all have occurred."""
        assert rows.scores is not None
        k = 2 if rows.scores.ndim == 1 else int(rows.scores.shape[1])
        found = labels_that_occur((rows.true,))
        known: tuple[Label, ...] = () if before is None else before.classes.labels
        if self.classes is not None:
            known = (*known, *self.classes.labels)
        if found is None or any(isinstance(label, str) for label in known):
            return None
        classes = discovered((*known, *found), self.empty.positive)
        if classes.k != k:
            return None
        guess = () if rows.pred is None else labels_that_occur((rows.pred,))
        return classes if guess is not None and set(guess) <= set(classes.labels) else None

"""Folds and repeats of cross-validation, and the folds that models were trained without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError, error, shown
from karat.errors.options import is_command_line, option
from karat.tally.axes import MISSING
from karat.tally.shared import Floats

Key = tuple[str, ...]
Counts = npt.NDArray[np.int64]

_LEAST_ROWS: Final = 2
"""Rows of a fold whose variance is estimated."""
_FEWEST: Final = 10
_CHANGES: Final = 2
ROLES: Final = ("repeat", "holdout", "fold", "train_size")
OF_FOLDS: Final = ("repeat", "holdout", "train_size")
"""Roles of columns that say more of a fold, as a report lists them behind it."""


@dataclass(frozen=True, slots=True)
class FoldColumns:
    """Columns that state how rows were tested.

    Attributes:
        fold: the fold that a row was tested in.
        repeat: the repeat of the folds, or None.
        holdout: the other fold that its model was trained without, or None; rows without a value
            are those of ordinary cross-validation.
        train_size: number of training rows of its model, or None.
        ids: column of ids that take the rows of a unit together, where there are repeats; or None.
        is_slice: whether the same columns were requested as slices.
    """

    fold: str
    repeat: str | None = None
    holdout: str | None = None
    train_size: str | None = None
    ids: str | None = None
    is_slice: bool = False

    @property
    def roles(self) -> dict[str, str]:
        """Column by role, for roles that have one."""
        named = {role: getattr(self, role) for role in ROLES}
        return {role: name for role, name in named.items() if name is not None}

    @property
    def key(self) -> Key:
        """Columns by which rows are split."""
        return tuple(dict.fromkeys(self.roles.values()))


def folds_by_name() -> str:
    """Return the option that finds the columns of folds by their names."""
    return option("folds", "auto") if is_command_line() else "design=karat.Folds()"


def plain_number(text: str) -> str:
    """Return a whole number without its decimal point, so that 1.0 and 1 are one fold."""
    whole = text.removesuffix(".0")
    return whole if whole.lstrip("-").isdigit() else text


@dataclass(frozen=True, eq=False)
class FoldAxis:
    """Folds of rows, each tested by a model that was trained without it.

    Attributes:
        columns: their columns.
        repeats: name of the repeat of each fold; "" without repeats.
        folds: name of each fold in its repeat.
        n_rows: int64[J], rows of each fold.
        train_sizes: float64[J], number of training rows of its model; None where it is not known.
    """

    columns: FoldColumns
    repeats: tuple[str, ...]
    folds: tuple[str, ...]
    n_rows: Counts
    train_sizes: Floats | None

    def check_truth(self, codes: npt.NDArray[Any], true: npt.NDArray[Any]) -> None:
        """Refuse folds that test the same rows: each has the same truth in the same order (K258).

        Args:
            codes: integer[n], the fold of each row.
            true: int32[n], the true class of each row.
        """
        n_folds, n = len(self.folds), int(self.n_rows[0])
        if self.columns.repeat or self.columns.ids or n < _FEWEST or (self.n_rows != n).any():
            return
        each = true[np.argsort(codes, kind="stable")].reshape(n_folds, n)
        n_changes = int(np.count_nonzero(each[0, 1:] != each[0, :-1]))
        # Folds of rows sorted by class have equal classes.
        if n_changes > _CHANGES + len(np.unique(true)) and (each == each[0]).all():
            raise error("K258", k=n_folds, n=n)

    @classmethod
    def of(cls, columns: FoldColumns, keys: Sequence[Key], n_rows: Counts) -> FoldAxis:
        """Make it from the slices of the columns and the rows of each.

        Errors:
            K250 fewer than two folds, rows without one; K253 repeats of unequal rows; K254 the
            number of training rows is not known.
        """
        at = {role: columns.key.index(name) for role, name in columns.roles.items()}
        of_role = {role: [plain_number(key[i]) for key in keys] for role, i in at.items()}
        for role in ("fold", "repeat"):
            texts = of_role.get(role, [])
            if MISSING in texts:
                n = int(n_rows[[text == MISSING for text in texts]].sum())
                raise error(
                    "K250",
                    found=f"{n} rows have no {role}: column {columns.roles[role]!r} has no value",
                    do=f"Give the {role} of every row.",
                )
        folds = tuple(of_role["fold"])
        repeats = tuple(of_role.get("repeat", [""] * len(folds)))
        if len(set(zip(repeats, folds, strict=True))) < len(folds):
            if columns.train_size is None:
                raise error(
                    "K255",
                    found="A fold has rows without a held-out fold, and rows that name itself",
                    do="Leave the held-out fold empty for models trained without that fold alone.",
                )
            raise error(
                "K250",
                found="The rows of one fold state several numbers of training rows",
                do=f"Each fold has one model: check column {columns.train_size!r}.",
            )
        if len(folds) < 2:
            raise error(
                "K250",
                found=f"All rows are of one fold, {folds[0]!r}",
                do="A mean of folds needs at least two; ten are better.",
            )
        sizes = None
        if "train_size" in of_role:
            sizes = _sizes(of_role["train_size"], columns.roles["train_size"])
        made = cls(columns, repeats, folds, n_rows, sizes)
        made._check_repeats()
        return made

    def _check_repeats(self) -> None:
        totals, several = self._totals, [self.repeats.count(name) for name in self.repeat_names]
        is_partition = min(several) > 1
        if is_partition and len(set(totals.values())) > 1:
            (least, n_least), (most, n_most) = (
                pick(totals.items(), key=lambda item: item[1]) for pick in (min, max)
            )
            found = f"Repeat {least!r} has {n_least} rows and repeat {most!r} has {n_most}"
            raise error("K253", found=found)
        if self.train_sizes is None and not is_partition:
            one = self.repeat_names[several.index(min(several))]
            how = "a column train_size" if is_command_line() else "karat.Folds(…, train_size=…)"
            raise error(
                "K254",
                found=f"Repeat {one!r} has a single fold, which does not state what was trained on",
                how=how,
            )

    @property
    def repeat_names(self) -> tuple[str, ...]:
        """The repeats, each once."""
        return tuple(dict.fromkeys(self.repeats))

    @property
    def n_repeats(self) -> int:
        """Number of repeats."""
        return len(self.repeat_names)

    @property
    def names(self) -> tuple[str, ...]:
        """What each fold is called: its name, after that of its repeat if there are several."""
        if self.n_repeats == 1:
            return self.folds
        pairs = zip(self.repeats, self.folds, strict=True)
        return tuple(f"{repeat}, {fold}" for repeat, fold in pairs)

    @property
    def _totals(self) -> dict[str, int]:
        totals = dict.fromkeys(self.repeat_names, 0)
        for repeat, n in zip(self.repeats, self.n_rows.tolist(), strict=True):
            totals[repeat] += n
        return totals

    @property
    def ratio(self) -> float:
        """Test rows for each training row, n₂/n₁: the mean over folds.

        Without stated numbers a model was trained on the other folds of its repeat.
        """
        sizes = self.train_sizes
        if sizes is None:
            totals = self._totals
            sizes = np.array([totals[repeat] for repeat in self.repeats]) - self.n_rows
        return float((self.n_rows / sizes).mean())

    def n_divided(self, codes: npt.NDArray[Any], clusters: npt.NDArray[Any]) -> int:
        """Number of clusters with rows in several folds of one repeat.

        Args:
            codes: int[n], the fold of each row.
            clusters: int[n], the cluster of each row by number.
        """
        n = int(clusters.max(initial=-1)) + 1
        places = self._repeat_of_fold[codes] * n + clusters
        last = np.zeros(self.n_repeats * n, np.int64)
        last[places] = codes
        is_divided = np.zeros(n, bool)
        is_divided[clusters[last[places] != codes]] = True
        return int(is_divided.sum())

    @property
    def _repeat_of_fold(self) -> npt.NDArray[np.int64]:
        place = {name: i for i, name in enumerate(self.repeat_names)}
        return np.array([place[name] for name in self.repeats], np.int64)

    def check_rows(self, codes: npt.NDArray[Any], ids: npt.NDArray[Any]) -> None:
        """Refuse rows that are tested twice in a repeat, or in some repeats only.

        Args:
            codes: int[n], the fold of each row.
            ids: int[n], the id of each row by number.

        Errors:
            K252 folds share rows; K253 repeats have different rows.
        """
        repeats = self.repeat_names
        known, each = np.unique(ids, return_inverse=True)
        pairs = self._repeat_of_fold[codes] * len(known) + each.reshape(-1)
        found, first, counts = np.unique(pairs, return_index=True, return_counts=True)
        twice = np.flatnonzero(counts > 1)
        if len(twice):
            row = int(first[twice].min())
            raise folds_share_rows(
                f"{len(twice)} ids are tested twice in one repeat, first that of row {row}"
            )
        is_partition = min(self.repeats.count(name) for name in repeats) > 1
        if is_partition and len(found) < len(known) * len(repeats):
            n = np.bincount(each.reshape(-1), minlength=len(known))
            count = int((n < len(repeats)).sum())
            found_text = f"{count} of {len(known)} ids are not in all {len(repeats)} repeats"
            raise error("K253", found=found_text)


def folds_share_rows(found: str) -> KaratError:
    """K252: a row is tested twice in a repeat."""
    how = "in a column repeat" if is_command_line() else "with karat.Folds(…, repeat=…)"
    return error("K252", found=found, how=how)


def _sizes(texts: Sequence[str], column: str) -> Floats:
    """float64[J]: numbers of training rows (K250)."""
    try:
        sizes = np.array([float(text) for text in texts])
    except ValueError:
        sizes = np.array([np.nan])
    if not (np.isfinite(sizes) & (sizes >= 1.0)).all():
        raise error(
            "K250",
            found=f"Column {column!r} holds values that are not numbers of training rows",
            do="Give the number of rows that each model was trained on, at least 1.",
        )
    return sizes


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Structure of nested cross-validation: the folds that each model was trained without.

    Attributes:
        repeat: int64[m], the repeat of each prediction, from 0.
        fold: int64[m], the fold of its row, from 0 to K − 1.
        held_out: int64[m], the other fold that its model was trained without; −1: none.
        n_rows: rows of the data.
    """

    repeat: Counts
    fold: Counts
    held_out: Counts
    n_rows: int

    @classmethod
    def of(cls, columns: FoldColumns, keys: Sequence[Key], codes: npt.NDArray[Any]) -> HeldOut:
        """Make it from the slices of the columns (K255: predictions are missing).

        Args:
            keys: name of each slice in each of the columns.
            codes: int[m], the slice of each prediction.
        """
        at = {role: columns.key.index(name) for role, name in columns.roles.items()}
        of_role = {role: [plain_number(key[i]) for key in keys] for role, i in at.items()}
        names = sorted({*of_role["fold"]})
        place = {name: i for i, name in enumerate(names)}
        fold = np.array([place[name] for name in of_role["fold"]], np.int64)
        unknown = [x for x in of_role["holdout"] if x != MISSING and x not in place]
        if unknown:
            raise error(
                "K255",
                found=f"Held-out fold {unknown[0]!r} is not a fold. Folds: {shown(names, 12)}",
                do="A row names the other fold that its model was trained without, or none.",
            )
        held = np.array([place.get(name, -1) for name in of_role["holdout"]], np.int64)
        held[held == fold] = -1
        repeats = of_role.get("repeat", [""] * len(keys))
        by_name = {name: i for i, name in enumerate(dict.fromkeys(repeats))}
        repeat = np.array([by_name[name] for name in repeats], np.int64)
        k, r = len(names), len(by_name)
        wanted = {(i, j, h) for i in range(r) for j in range(k) for h in (-1, *range(k)) if h != j}
        there = set(zip(repeat.tolist(), fold.tolist(), held.tolist(), strict=True))
        lacking = sorted(wanted - there)
        if lacking or k < 3:
            what = f"There are {k} folds; nested cross-validation needs three"
            if k >= 3:
                i, j, h = lacking[0]
                without = f"folds {names[j]!r} and {names[h]!r}" if h >= 0 else f"fold {names[j]!r}"
                what = (
                    f"There are no predictions of fold {names[j]!r} by a model that was trained "
                    f"without {without}, in repeat {list(by_name)[i]!r}"
                )
            do = "karat.NestedFolds makes all splits that are needed."
            raise error("K255", found=what, do=do)
        is_outer = held < 0
        counts = np.bincount(codes, minlength=len(keys))
        few = np.flatnonzero(is_outer & (counts < _LEAST_ROWS))
        if len(few):
            raise error(
                "K255",
                found=f"Fold {names[fold[few[0]]]!r} has one row",
                do="Each fold needs two rows or more, best ten: give fewer folds.",
            )
        n_rows = int(counts[is_outer & (repeat == 0)].sum())
        return cls(repeat[codes], fold[codes], held[codes], n_rows)

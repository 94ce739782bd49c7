"""Rows that every source must report alike: plain columns, their roles, and the reference."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.errors import KaratError
from karat.evaluation import evaluate
from karat.report import Report

__all__ = ["SUBJECTS", "Sample", "sample_of", "samples"]

SUBJECTS: Final = (
    "labels",
    "classes",
    "weights",
    "clusters",
    "slices",
    "scores",
    "nulls",
    "roles",
    "options",
    "errors",
)
"""Subjects of samples; `SourceLaws` has a law for each."""

_N_ROWS: Final = 48
_OF_LABELS: Final = ("accuracy", "macro_f1", "weighted_recall", "matthews_correlation")
_OF_SCORES: Final = ("log_loss", "brier", "macro_roc_auc", "macro_average_precision", "accuracy")
_COLUMN_ROLES: Final = ("true", "pred", "weights", "clusters")


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows in plain columns, what each column is, and how they are evaluated.

    Attributes:
        name: what the rows try, ``"weights: three classes"``.
        subject: the law that it belongs to, one of `SUBJECTS`.
        columns: column name → values, a list (None: no value) or float64[n].
        roles: keywords of `karat.evaluate` that name columns of a table: ``true``, ``pred``,
            ``prob`` or ``score``, ``weights``, ``clusters``, ``by``.
        options: its other keywords, which are the same for every source.
        features: what the rows have, such as ``"scores"``, ``"weights"`` or ``"by"``; a source
            names those that it refuses.
        names: keywords of the call on a table; `roles`, unless columns are found by their names.
    """

    name: str
    subject: str
    columns: Mapping[str, Any]
    roles: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    features: frozenset[str] = frozenset()
    names: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Rows, those that `nulls="drop"` leaves out included."""
        return len(next(iter(self.columns.values())))

    @property
    def keywords(self) -> dict[str, Any]:
        """Keywords of `karat.evaluate` on a table that has the columns."""
        return {**self.names, **self.options}

    @property
    def mapping(self) -> dict[str, Any]:
        """The column of each role as a report of a table states it."""
        found = {role: self.roles[role] for role in _COLUMN_ROLES if role in self.roles}
        for role in {"prob", "score"} & set(self.roles):
            named = self.roles[role]
            found[role] = [named] if isinstance(named, str) else list(named)
        return found

    def arrays(self) -> dict[str, Any]:
        """The same rows as keywords of `karat.evaluate` on arrays, options not included."""
        given: dict[str, Any] = {}
        for role, argument in (("true", "y_true"), ("pred", "y_pred")):
            if role in self.roles:
                given[argument] = self.columns[self.roles[role]]
        for role in ("weights", "clusters"):
            if role in self.roles:
                given[role] = self.columns[self.roles[role]]
        for role in {"prob", "score"} & set(self.roles):
            named = self.roles[role]
            given[f"y_{role}"] = (
                self.columns[named]
                if isinstance(named, str)
                else np.column_stack([self.columns[name] for name in named])
            )
        if "by" in self.roles:
            given["by"] = {key: self._sliced(key) for key in _listed(self.roles["by"])}
        return given

    def _sliced(self, key: Any) -> Any:
        if isinstance(key, tuple):
            return tuple(self.columns[name] for name in key)
        return self.columns[key]

    def take(self, rows: Any) -> Sample:
        """The same with some of the rows: numbers of rows, in their order."""
        columns = {name: _taken(values, rows) for name, values in self.columns.items()}
        return replace(self, columns=columns)

    def parts(self, n_parts: int) -> list[Sample]:
        """Consecutive rows in so many parts; the first has one row, and late ones may be empty."""
        if n_parts == 1:
            return [self]
        rest = np.array_split(np.arange(min(1, self.n_rows), self.n_rows), n_parts - 1)
        return [self.take(rows) for rows in (np.arange(min(1, self.n_rows)), *rest)]

    @cached_property
    def n_dropped(self) -> int:
        """Rows that `nulls="drop"` leaves out."""
        if self.options.get("nulls") != "drop":
            return 0
        return int(self._has_null().sum())

    def _has_null(self) -> npt.NDArray[np.bool_]:
        named = [self.roles[role] for role in _COLUMN_ROLES if role in self.roles]
        return np.array(
            [any(self.columns[name][i] is None for name in named) for i in range(self.n_rows)], bool
        )

    @cached_property
    def reference(self) -> Report | str:
        """What one call on plain arrays gives: its report, or the code of its error."""
        options, rows = dict(self.options), self
        if options.pop("nulls", "error") == "drop":
            rows = self.take(np.flatnonzero(~self._has_null()))
        try:
            return evaluate(**rows.arrays(), **options)
        except KaratError as problem:
            return problem.code

    def __repr__(self) -> str:
        return f"<karat.testing.Sample: {self.name}>"


def _listed(by: Any) -> list[Any]:
    return list(by) if isinstance(by, list) else [by]


def _taken(values: Any, rows: Any) -> Any:
    return values[rows] if isinstance(values, np.ndarray) else [values[i] for i in rows]


def samples(
    n_rows: int = _N_ROWS, seed: int = 0, subjects: Sequence[str] = SUBJECTS
) -> Iterator[Sample]:
    """Rows of every kind: labels, scores, weights, clusters, slices, nulls, options and errors.

    Args:
        n_rows: rows of a sample, at least 24; those that try one row, or none, have fewer.
        seed: of the random values.
        subjects: whose samples to make.

    Example:
        >>> from karat.testing import samples
        >>> sample = next(samples(subjects=["weights"]))
        >>> sample.name, sample.roles["weights"], sample.reference.n_rows
        ('weights: of labels', 'mass', 48)
    """
    for subject in subjects:
        yield from _SAMPLES[subject](lambda name: _Maker(name, n_rows, seed))


@lru_cache(maxsize=8)
def sample_of(name: str, n_rows: int, seed: int = 0) -> Sample:
    """The sample of a name with so many rows, without making the others as large."""
    subject, _, about = name.partition(": ")

    def make(each: str) -> _Maker:
        return _Maker(each, n_rows if each == about else _N_ROWS, seed)

    return next(sample for sample in _SAMPLES[subject](make) if sample.name == name)


class _Maker:
    """Makes the columns of one sample; random values follow from its name."""

    def __init__(self, name: str, n: int, seed: int) -> None:
        self.name, self.n = name, n
        self.rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        self.columns: dict[str, Any] = {}
        self.roles: dict[str, Any] = {}
        self.features: set[str] = set()

    def labels(self, labels: Sequence[Any], *, has_pred: bool = True) -> _Maker:
        """True labels, every one of which occurs, and predictions that are often right."""
        k = len(labels)
        true = self.rng.permutation(np.arange(self.n) % k)
        pred = np.where(self.rng.random(self.n) < 0.6, true, self.rng.integers(0, k, self.n))
        self.columns["fact"] = [labels[i] for i in true.tolist()]
        self.roles["true"] = "fact"
        if has_pred:
            self.columns["guess"] = [labels[i] for i in pred.tolist()]
            self.roles["pred"] = "guess"
        self._codes = true
        kind = {str: "strings", bool: "booleans", int: "integers"}[type(labels[0])]
        self.features |= {kind} | ({"predictions"} if has_pred else set())
        return self

    def scores(self, role: str, n_columns: int, *, steps: int | None = None) -> _Maker:
        """Columns that tell of the true labels; `steps` makes scores that are tied."""
        k = max(2, n_columns)
        z = self.rng.normal(size=(self.n, k)) + 1.2 * (np.arange(k) == self._codes[:, None])
        if steps is not None:
            split = self.rng.multinomial(steps - k, _softmax(z))
            z = (split + 1.0) / steps if role == "prob" else np.round(z * 4) / 4
        elif role == "prob":
            z = _softmax(z)
        names = [f"s_{i}" for i in range(k)]
        if n_columns == 1:
            z, names = z[:, 1:], ["s"]
        self.columns |= {name: np.ascontiguousarray(z[:, i]) for i, name in enumerate(names)}
        self.roles[role] = names if n_columns > 1 else names[0]
        self.features.add("scores")
        if "pred" in self.roles:
            self.features.add("predictions beside scores")
        return self

    def weights(self, *, is_whole: bool = False) -> _Maker:
        found = self.rng.integers(0, 4, self.n).astype(np.float64)
        found[0] = 1.0
        self.columns["mass"] = found if is_whole else found * self.rng.gamma(2.0, 1.0, self.n)
        self.roles["weights"] = "mass"
        self.features.add("weights")
        return self

    def clusters(self) -> _Maker:
        """Users with about four rows each, in any order."""
        users = self.rng.integers(0, max(4, self.n // 4), self.n)
        self.columns["person"] = [f"person {user}" for user in users.tolist()]
        self.roles["clusters"] = "person"
        self.features.add("clusters")
        return self

    def by(self, *keys: Any) -> _Maker:
        """Columns of slices: ``site`` has rows without a value, ``age`` more values than bins."""
        for name in {item for key in keys for item in (key if isinstance(key, tuple) else (key,))}:
            self.columns[name] = {
                "site": lambda: self._drawn(["north", "south", "west", None]),
                "year": lambda: self._drawn([2023, 2024, 2025]),
                "age": lambda: (self.rng.integers(180, 900, self.n) / 10.0).tolist(),
                "is_new": lambda: self._drawn([True, False]),
            }[name]()
        self.roles["by"] = list(keys) if len(keys) > 1 else keys[0]
        self.features.add("by")
        return self

    def _drawn(self, values: list[Any]) -> list[Any]:
        return [values[i] for i in self.rng.integers(0, len(values), self.n)]

    def null(self, *columns: str) -> _Maker:
        """A third of the rows without a value, the first row among them."""
        for name in columns:
            is_null = self.rng.random(self.n) < 0.3
            is_null[0] = True
            values = list(np.asarray(self.columns[name], object))
            self.columns[name] = [
                None if gone else _plain(value)
                for gone, value in zip(is_null, values, strict=True)
            ]
        self.features.add("nulls")
        return self

    def put(self, column: str, row: int, value: Any) -> _Maker:
        """One other value."""
        values = self.columns[column]
        self.columns[column] = values.copy() if isinstance(values, np.ndarray) else list(values)
        self.columns[column][row] = value
        return self

    def only(self, rows: Any) -> _Maker:
        """Some of the rows."""
        self.columns = {name: _taken(values, rows) for name, values in self.columns.items()}
        self.n = len(next(iter(self.columns.values())))
        return self

    def done(self, subject: str, *features: str, **options: Any) -> Sample:
        """The sample; without `metrics=` a few metrics of each kind are computed."""
        has_scores = "scores" in self.features
        options.setdefault("metrics", list(_OF_SCORES if has_scores else _OF_LABELS))
        if options["metrics"] is None:
            del options["metrics"]
        options.setdefault("n_replicates", 100)
        found = self.features | {subject, *features} | ({"labels"} if not has_scores else set())
        found |= {name for name in ("threshold", "positive") if name in options}
        found |= {"drop"} if options.get("nulls") == "drop" else set()
        found |= {"declared"} if "labels" in options else set()
        names = {**({} if has_scores else {"prob": ""}), **self.roles}
        return Sample(
            f"{subject}: {self.name}",
            subject,
            self.columns,
            self.roles,
            options,
            frozenset(found),
            names,
        )


_Make = Callable[[str], _Maker]
_ANIMALS: Final = ["cat", "dog", "eel"]


def _label_samples(make: _Make) -> Iterator[Sample]:
    for name, labels in (
        ("two strings", ["no", "yes"]),
        ("three strings", _ANIMALS),
        ("strings like numbers", ["1", "01", "10"]),
        ("strings of other scripts", ["Ærø", "жук", "a, \"b\""]),
        ("0 and 1", [0, 1]),
        ("numbers that are no places", [7, -1, 3]),
        ("large numbers", [1 << 40, -(1 << 40), 0, 5]),
        ("booleans", [False, True]),
    ):  # fmt: skip
        yield make(name).labels(labels).done("labels")
    yield make("twelve classes").labels([f"class {i}" for i in range(12)]).done("labels")
    one = make("one row").labels(["no", "yes"])
    yield one.only([0]).done("labels")


def _class_samples(make: _Make) -> Iterator[Sample]:
    never = ["eel", "ant", "cat", "dog"]
    yield make("one that never occurs").labels(_ANIMALS).done("classes", labels=never)
    yield make("declared numbers").labels([3, 1, 2]).done("classes", labels=[2, 9, 1, 3])
    yield make("display names").labels([0, 1]).done("classes", class_names=["bad", "good"])
    yield make("the first is positive").labels(["no", "yes"]).done("classes", positive="no")
    one = make("one is observed").labels(_ANIMALS)
    one.columns |= {"fact": ["cat"] * one.n, "guess": ["cat"] * one.n}
    yield one.done("classes", "one class")
    one = make("one is true and two are predicted").labels(["no", "yes"])
    one.columns["fact"] = ["yes"] * one.n
    yield one.done("classes", "one class")
    one = make("one is observed beside scores").labels([0, 1], has_pred=False)
    one.columns["fact"] = [0] * one.n
    yield one.scores("prob", 1).done("classes", "one class", labels=[0, 1])
    many = make("a column that is never true").labels(_ANIMALS, has_pred=False)
    yield many.scores("prob", 4).done("classes", labels=[*_ANIMALS, "fox"])
    late = make("one that occurs in the last row only").labels(_ANIMALS)
    late.columns["fact"] = ["cat" if name == "eel" else name for name in late.columns["fact"]]
    late.columns["guess"] = ["dog" if name == "eel" else name for name in late.columns["guess"]]
    yield late.put("fact", -1, "eel").done("classes")


def _score_samples(make: _Make) -> Iterator[Sample]:
    for role in ("prob", "score"):
        for n_columns in (1, 2, 3, 5):
            labels: list[Any] = [f"class {i}" for i in range(max(2, n_columns))]
            for steps in (None, 64):
                name = f"{n_columns} {role} columns, {'tied' if steps else 'distinct'}"
                rows = make(name).labels(labels, has_pred=False).scores(role, n_columns, steps=steps)
                more = {"positive": "class 1"} if n_columns < 3 else {}
                names = list(_OF_SCORES if role == "prob" else (*_OF_SCORES[:1], *_OF_SCORES[2:]))
                yield rows.done("scores", metrics=names, **more)
    for at in (0.25, 0.5):
        rows = make(f"threshold {at}").labels([0, 1], has_pred=False).scores("prob", 1, steps=16)
        yield rows.done("scores", threshold=at)
    both = make("predictions beside them").labels(_ANIMALS).scores("prob", 3, steps=64)
    yield both.done("scores")
    flags = make("booleans").labels([False, True], has_pred=False).scores("prob", 1, steps=64)
    yield flags.done("scores")


def _scored(make: _Make, name: str, n_columns: int = 3) -> _Maker:
    labels: list[Any] = [0, 1] if n_columns == 1 else _ANIMALS
    return make(name).labels(labels, has_pred=False).scores("prob", n_columns, steps=64)


def _weight_samples(make: _Make) -> Iterator[Sample]:
    yield make("of labels").labels(_ANIMALS).weights().done("weights")
    yield _scored(make, "of scores").weights().done("weights")
    yield _scored(make, "of one column", 1).weights().done("weights")
    for rows in (
        make("numbers of rows").labels(_ANIMALS),
        _scored(make, "numbers of rows, scores"),
    ):
        yield rows.weights(is_whole=True).done("weights", weights_are="frequency")


def _cluster_samples(make: _Make) -> Iterator[Sample]:
    yield make("of labels").labels(_ANIMALS).clusters().done("clusters")
    yield make("of labels, weighted").labels([0, 1]).clusters().weights().done("clusters")
    yield _scored(make, "of scores").clusters().done("clusters")
    yield _scored(make, "of scores, weighted", 1).clusters().weights().done("clusters")


def _slice_samples(make: _Make) -> Iterator[Sample]:
    for name, keys in (
        ("one column", ("site",)),
        ("booleans", ("is_new",)),
        ("bins of numbers", ("age",)),
        ("a cross", (("site", "year"),)),
        ("several", ("site", "year", ("year", "site"))),
    ):
        yield make(name).labels(_ANIMALS).by(*keys).done("slices")
    yield make("weighted").labels(_ANIMALS).by("site").weights().done("slices")
    yield make("clusters").labels(_ANIMALS).by("year").clusters().done("slices")
    yield _scored(make, "scores").by("site").done("slices")
    every = _scored(make, "scores, weights, clusters", 1).by("year").weights().clusters()
    yield every.done("slices")


def _null_samples(make: _Make) -> Iterator[Sample]:
    """Rows of which some are left out; those that are an error are `_error_samples`."""
    for where in (("fact",), ("guess",), ("fact", "guess")):
        rows = make(" and ".join(where)).labels(_ANIMALS).null(*where)
        yield rows.done("nulls", nulls="drop")
    yield make("nothing to drop").labels([0, 1]).done("nulls", nulls="drop")
    rows = make("numbers").labels([4, 5, 6]).null("fact")
    yield rows.done("nulls", nulls="drop")
    rows = make("weights").labels(_ANIMALS).weights(is_whole=True).null("mass")
    yield rows.done("nulls", nulls="drop")
    rows = make("clusters").labels(_ANIMALS).clusters().null("person")
    yield rows.done("nulls", nulls="drop")
    rows = _scored(make, "truth beside scores").null("fact")
    yield rows.done("nulls", nulls="drop")
    rows = make("slices").labels(_ANIMALS).by("site").null("fact")
    yield rows.done("nulls", nulls="drop")


def _role_samples(make: _Make) -> Iterator[Sample]:
    """Columns that are found by their names."""
    rows = make("labels and weights").labels(_ANIMALS).weights()
    yield _renamed(rows.done("roles"), {"fact": "y_true", "guess": "y_pred", "mass": "weight"})
    rows = make("probabilities").labels(_ANIMALS, has_pred=False).scores("prob", 3)
    names = {"fact": "label"} | {f"s_{i}": f"proba_{name}" for i, name in enumerate(_ANIMALS)}
    yield _renamed(rows.done("roles"), names)


def _renamed(sample: Sample, names: Mapping[str, str]) -> Sample:
    """The same with columns that no keyword names."""
    roles = {
        role: names[column] if isinstance(column, str) else [names[name] for name in column]
        for role, column in sample.roles.items()
    }
    columns = {names[name]: values for name, values in sample.columns.items()}
    return replace(sample, columns=columns, roles=roles, names={})


def _option_samples(make: _Make) -> Iterator[Sample]:
    """Other keywords, each of which must reach the numbers."""
    yield make("every metric of labels").labels(_ANIMALS).done("options", metrics=None)
    rows = make("every metric of scores").labels([0, 1], has_pred=False).scores("prob", 1)
    yield rows.done("options", "everything", metrics=None, positive=1)
    given: tuple[tuple[str, dict[str, Any]], ...] = (
        ("no intervals", {"level": None}),
        ("one side at 90 %", {"level": 0.9, "side": "low"}),
        ("bootstrap", {"method": "bootstrap", "seed": 3}),
        ("wald", {"method": "wald"}),
        ("case-control", {"design": "case-control"}),
        ("undefined classes left out", {"undefined": "exclude", "labels": [*_ANIMALS, "fox"]}),
    )
    for name, options in given:
        yield make(f"{name}, labels").labels(_ANIMALS).done("options", **options)
    for name, options in given[:5]:
        rows = make(f"{name}, scores").labels(_ANIMALS, has_pred=False).scores("prob", 3, steps=64)
        yield rows.done("options", **options)


def _error_samples(make: _Make) -> Iterator[Sample]:
    """Rows that no source may read: each has one code."""
    for where in (("fact",), ("guess",), ("fact", "guess")):
        rows = make(f"nulls of {' and '.join(where)}").labels(_ANIMALS).null(*where)
        yield rows.done("errors")
    yield make("no rows").labels(_ANIMALS).only([]).done("errors", "empty")
    rows = make("no rows with scores").labels(_ANIMALS, has_pred=False).scores("prob", 3)
    yield rows.only([]).done("errors", "empty", labels=_ANIMALS)
    yield make("a label that was not declared").labels(_ANIMALS).done(
        "errors", labels=["cat", "dog"]
    )
    yield make("positive is no class").labels(["no", "yes"]).done("errors", positive="maybe")
    yield make("positive of three").labels(_ANIMALS).done("errors", positive="cat")
    for name, value in (("negative", -1.0), ("infinite", np.inf)):
        rows = make(f"a weight is {name}").labels(_ANIMALS).weights().put("mass", -1, value)
        yield rows.done("errors")
    rows = make("a weight is missing").labels(_ANIMALS).weights().null("mass")
    yield rows.done("errors")
    rows = make("all weights are zero").labels(_ANIMALS).weights()
    rows.columns["mass"] = np.zeros(rows.n)
    yield rows.done("errors")
    rows = make("a cluster is missing").labels(_ANIMALS).clusters().null("person")
    yield rows.done("errors")
    rows = make("one cluster").labels(_ANIMALS).clusters()
    rows.columns["person"] = ["me"] * rows.n
    yield rows.done("errors")
    for name, value in (("above 1", 1.5), ("not a number", np.nan), ("infinite", np.inf)):
        rows = make(f"a probability is {name}").labels([0, 1], has_pred=False).scores("prob", 1)
        yield rows.put("s", -1, value).done("errors")
    rows = make("rows do not add up to 1").labels(_ANIMALS, has_pred=False).scores("prob", 3)
    yield rows.put("s_1", -1, 0.75).put("s_0", -1, 0.75).done("errors")
    rows = make("a score is infinite").labels([0, 1], has_pred=False).scores("score", 1)
    yield rows.put("s", 2, -np.inf).done("errors", metrics=["macro_roc_auc"])
    rows = make("columns of more classes").labels(["no", "yes"], has_pred=False).scores("prob", 3)
    yield rows.done("errors")
    rows = make("a threshold of three").labels(_ANIMALS, has_pred=False).scores("prob", 3)
    yield rows.done("errors", threshold=0.5)
    rows = make("a metric that three do not have").labels(_ANIMALS)
    yield rows.done("errors", metrics=["recall"])


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _softmax(z: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    found = np.exp(z - z.max(axis=1, keepdims=True))
    return np.asarray(found / found.sum(axis=1, keepdims=True), np.float64)


_SAMPLES: Final[Mapping[str, Callable[[_Make], Iterator[Sample]]]] = {
    "labels": _label_samples,
    "classes": _class_samples,
    "weights": _weight_samples,
    "clusters": _cluster_samples,
    "slices": _slice_samples,
    "scores": _score_samples,
    "nulls": _null_samples,
    "roles": _role_samples,
    "options": _option_samples,
    "errors": _error_samples,
}

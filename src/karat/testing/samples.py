"""Rows that every source must report equally: columns, their roles, and the reference report."""

from __future__ import annotations

import datetime as dt
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.api.evaluation import evaluate
from karat.api.report import Report
from karat.api.request.spelled import in_groups
from karat.errors import KaratError, error
from karat.results.roles import by_name
from karat.tally.score_kind import ARGUMENT_OF_ROLE

SUBJECTS: Final = (
    "labels",
    "classes",
    "weights",
    "clusters",
    "slices",
    "scores",
    "nulls",
    "sets",
    "roles",
    "options",
    "errors",
)
"""Subjects of samples; `SourceLaws` has a law for each."""

FEATURES: Final = (
    *SUBJECTS,
    "strings",
    "booleans",
    "integers",
    "numeric strings",
    "predictions",
    "no predictions",
    "one class",
    "by",
    "threshold",
    "positive",
    "declared",
    "drop",
    "bootstrap",
    "everything",
    "empty",
)
"""Features of samples, which `SourceLaws` may list as refused or lacking."""

N_ROWS: Final = 48
_OF_LABELS: Final = ("accuracy", "macro_f1")
_OF_SCORES: Final = ("log_loss", "macro_roc_auc", "macro_average_precision", "accuracy")
_OF_SETS: Final = ("subset_accuracy", "hamming_loss", "micro_f1", "macro_f1", "samples_f1")
_RANKINGS: Final = ("macro_roc_auc", "macro_average_precision", "accuracy")
_COLUMN_ROLES: Final = ("true", "pred", "weights", "clusters")
_ANIMALS: Final = ("cat", "dog", "eel")


def _keyword(role: str) -> str:
    """The keyword of `karat.evaluate` for a role."""
    return role if role in ("weights", "clusters", "by") else f"y_{role}"


@dataclass(frozen=True, eq=False)
class Sample:
    """Rows as plain columns, the role of each column, and the options of the report.

    Attributes:
        name: the subject and the case, ``"weights: three classes"``.
        subject: one of `SUBJECTS`.
        columns: column name → values, a list (None: missing) or float64[n].
        roles: role → column, or columns: ``true``, ``pred``, ``prob``, ``score``, ``weights``,
            ``clusters``, ``by``.
        options: options of `karat.evaluate` that do not depend on the source, by the names of their
            records.
        features: properties that a source may refuse or lack; some of `FEATURES`.
        names: keywords of `karat.evaluate` that name the columns of a table; fewer than `roles`
            where columns are to be found by their names.
        array_options: more keywords for the reference: what a table states by its column names.
    """

    name: str
    subject: str
    columns: Mapping[str, Any]
    roles: Mapping[str, Any]
    options: Mapping[str, Any] = field(default_factory=dict)
    features: frozenset[str] = frozenset()
    names: Mapping[str, Any] = field(default_factory=dict)
    array_options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Number of rows, before `nulls="drop"`."""
        return len(next(iter(self.columns.values())))

    @property
    def mapping(self) -> dict[str, Any]:
        """Role → column as in `Report.mapping` of a table."""
        found = {role: self.roles[role] for role in _COLUMN_ROLES if role in self.roles}
        for role in set(ARGUMENT_OF_ROLE) & set(self.roles):
            named = self.roles[role]
            found[role] = [named] if isinstance(named, str) else list(named)
        return by_name(found)

    def arrays(self) -> dict[str, Any]:
        """Return the rows as keywords of `karat.evaluate` on arrays, without the options."""
        given: dict[str, Any] = {}
        for role, named in self.roles.items():
            argument = _keyword(role)
            if role == "by":
                keys = named if isinstance(named, list) else [named]
                given[argument] = {key: self._named(key) for key in keys}
            else:
                found = self._named(named)
                given[argument] = np.column_stack(found) if isinstance(found, tuple) else found
        return given

    def _named(self, names: str | Sequence[str]) -> Any:
        """A column, or a tuple of columns."""
        if isinstance(names, str):
            return self.columns[names]
        return tuple(self.columns[name] for name in names)

    def take(self, rows: Any) -> Sample:
        """Return the sample with the rows of these positions, in this order."""
        columns = {name: _taken(values, rows) for name, values in self.columns.items()}
        return replace(self, columns=columns)

    def parts(self, n_parts: int) -> list[Sample]:
        """Cut the rows into consecutive parts: the first has one row, and some may be empty."""
        if n_parts == 1:
            return [self]
        rest = np.array_split(np.arange(min(1, self.n_rows), self.n_rows), n_parts - 1)
        return [self.take(rows) for rows in (np.arange(min(1, self.n_rows)), *rest)]

    @cached_property
    def n_dropped(self) -> int:
        """Number of rows that `nulls="drop"` leaves out."""
        return int(self._has_null().sum()) if self.options.get("nulls") == "drop" else 0

    def _has_null(self) -> npt.NDArray[np.bool_]:
        # A row whose true set is missing is there, and not known.
        roles = _COLUMN_ROLES if self.subject != "sets" else _COLUMN_ROLES[1:]
        named = [self.roles[role] for role in roles if role in self.roles]
        is_null = [[value is None for value in self.columns[name]] for name in named]
        return np.asarray(np.any(is_null, axis=0), np.bool_)

    @cached_property
    def reference(self) -> Report | str:
        """Report of one call on plain arrays, or the code of its error."""
        options, rows = {**self.options, **self.array_options}, self
        if options.pop("nulls", "error") == "drop":
            rows = self.take(np.flatnonzero(~self._has_null()))
        try:
            return evaluate(**in_groups({**rows.arrays(), **options}))
        except KaratError as problem:
            return problem.code

    @cached_property
    def described(self) -> dict[str, Any]:
        """`Report.to_dict` of the reference report."""
        assert not isinstance(self.reference, str)
        return self.reference.to_dict()

    def __repr__(self) -> str:
        return f"<karat.testing.Sample: {self.name}>"


def _taken(values: Any, rows: Any) -> Any:
    return values[rows] if isinstance(values, np.ndarray) else [values[i] for i in rows]


def samples(
    n_rows: int = N_ROWS, seed: int = 0, subjects: Iterable[str] = SUBJECTS
) -> Iterator[Sample]:
    """Yield rows of every kind: labels, scores, weights, clusters, slices, nulls and errors.

    Args:
        n_rows: rows of a sample, at least 24; samples about one row or no rows have fewer.
        seed: seed of the random values.
        subjects: subjects of the samples.

    Example:
        >>> from karat.testing import samples
        >>> sample = next(samples(subjects=["weights"]))
        >>> sample.name, sample.roles["weights"], sample.reference.n_rows
        ('weights: labels', 'mass', 48)
    """
    wanted = tuple(subjects)
    check_subjects(wanted)
    for subject in wanted:
        yield from _made(subject, n_rows, seed)


def check_subjects(subjects: Iterable[str]) -> None:
    """Refuse unknown subjects (K122)."""
    unknown = next((one for one in subjects if one not in SUBJECTS), None)
    if unknown is not None:
        do = "Leave it out for all of them."
        facts = {"value": unknown, "choices": ", ".join(SUBJECTS), "do": do}
        raise error("K122", argument="subjects", **facts)


@lru_cache(maxsize=64)
def _made(subject: str, n_rows: int, seed: int) -> tuple[Sample, ...]:
    return tuple(_SAMPLES[subject](lambda name: _Maker(name, subject, n_rows, seed)))


class _Maker:
    """Builds the columns of one sample; random values depend on its name and the seed."""

    def __init__(self, name: str, subject: str, n: int, seed: int) -> None:
        self.name, self.subject, self.n = name, subject, n
        self.rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        self.columns: dict[str, Any] = {}
        self.roles: dict[str, Any] = {}
        self.features: set[str] = set()

    def labels(self, labels: Sequence[Any] = _ANIMALS, *, has_pred: bool = True) -> _Maker:
        """Add true labels, all of which occur, and predictions that are often right."""
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
        self.features |= {kind} | ({"predictions"} if has_pred else {"no predictions"})
        return self

    def sets(self, labels: Sequence[Any] = _ANIMALS, share: float = 0.4) -> _Maker:
        """Add true sets of labels, some of them empty, and predictions that are often right."""
        k = len(labels)
        true = self.rng.random((self.n, k)) < share
        pred = np.where(self.rng.random((self.n, k)) < 0.7, true, ~true)
        for role, name, matrix in (("true", "fact", true), ("pred", "guess", pred)):
            self.columns[name] = [
                [labels[i] for i in np.flatnonzero(row).tolist()] for row in matrix
            ]
            self.roles[role] = name
        self.features.add("strings" if isinstance(labels[0], str) else "integers")
        return self

    def scores(self, role: str, n_columns: int, *, steps: int | None = 64) -> _Maker:
        """Add columns of scores that predict the true labels.

        Args:
            steps: number of distinct scores, so that some are tied; None: all are distinct.
        """
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
        return self

    def scored(self, n_columns: int = 3) -> _Maker:
        """Add true labels and probabilities of two classes in one column, or of three."""
        labels: Sequence[Any] = [0, 1] if n_columns == 1 else _ANIMALS
        return self.labels(labels, has_pred=False).scores("prob", n_columns)

    def weights(self, *, is_whole: bool = False) -> _Maker:
        """Add weights, some of which are 0."""
        found = self.rng.integers(0, 4, self.n).astype(np.float64)
        found[0] = 1.0
        self.columns["mass"] = found if is_whole else found * self.rng.gamma(2.0, 1.0, self.n)
        self.roles["weights"] = "mass"
        self.features.add("weights")
        return self

    def clusters(self, name: Callable[[int], Any] = "person {}".format) -> _Maker:
        """Add clusters of about four rows each, in random order, named by their numbers."""
        people = self.rng.integers(0, min(500, max(4, self.n // 4)), self.n)
        self.columns["person"] = [name(person) for person in people.tolist()]
        self.roles["clusters"] = "person"
        self.features.add("clusters")
        return self

    def by(self, *keys: Any) -> _Maker:
        """Add columns of slices: ``site`` has missing values, ``age`` needs bins."""
        used = {item for key in keys for item in (key if isinstance(key, tuple) else (key,))}
        self.features |= {"booleans"} if "is_new" in used else set()
        for name in used:
            self.columns[name] = {
                "site": lambda: self._drawn(["north", "south", "west", None]),
                "year": lambda: self._drawn([2023, 2024, 2025]),
                "age": (self.rng.integers(180, 900, self.n) / 10.0).tolist,
                "is_new": lambda: self._drawn([True, False]),
            }[name]()
        self.roles["by"] = list(keys) if len(keys) > 1 else keys[0]
        self.features.add("by")
        return self

    def _drawn(self, values: list[Any]) -> list[Any]:
        return [values[i] for i in self.rng.integers(0, len(values), self.n)]

    def null(self, *columns: str) -> _Maker:
        """Remove a third of the values, the first among them."""
        for name in columns:
            is_null = self.rng.random(self.n) < 0.3
            is_null[0] = True
            values = list(np.asarray(self.columns[name], object))
            self.columns[name] = [
                None if is_missing else value
                for is_missing, value in zip(is_null, values, strict=True)
            ]
        self.features.add("nulls")
        return self

    def put(self, column: str, row: int, value: Any) -> _Maker:
        values = self.columns[column]
        self.columns[column] = values.copy() if isinstance(values, np.ndarray) else list(values)
        self.columns[column][row] = value
        return self

    def only(self, rows: Any) -> _Maker:
        self.columns = {name: _taken(values, rows) for name, values in self.columns.items()}
        return self

    def done(self, *features: str, **options: Any) -> Sample:
        """Return the sample, with few metrics, and intervals only where they tell sources apart."""
        has_scores = "scores" in self.features
        of_labels = _OF_SETS if self.subject == "sets" else _OF_LABELS
        options.setdefault("metrics", list(_OF_SCORES if has_scores else of_labels))
        if "score" in self.roles and options["metrics"] == list(_OF_SCORES):
            options["metrics"] = list(_RANKINGS)
        if options["metrics"] is None:
            del options["metrics"]
        of_intervals = ("weights", "clusters", "slices", "sets", "options", "errors")
        has_intervals = self.subject in of_intervals
        if not has_intervals and "clusters" not in self.roles:
            options.setdefault("level", None)
        options.setdefault("n_replicates", 100)
        found = self.features | {self.subject, *features} | (set() if has_scores else {"labels"})
        found |= {name for name in ("threshold", "positive") if name in options}
        found |= {"drop"} if options.get("nulls") == "drop" else set()
        found |= {"declared"} if "labels" in options else set()
        found |= {"bootstrap"} if options.get("method") == "bootstrap" else set()
        roles = {**({} if has_scores else {"prob": ""}), **self.roles}
        names = {_keyword(role): name for role, name in roles.items()}
        if "weights_are" in options:
            # Frequencies name their column.
            names["weights"] = self.roles["weights"]
        title, features_found = f"{self.subject}: {self.name}", frozenset(found)
        columns, roles = self.columns, self.roles
        return Sample(title, self.subject, columns, roles, options, features_found, names)


_Make = Callable[[str], _Maker]


def _label_samples(make: _Make) -> Iterator[Sample]:
    yield make("two strings").labels(["no", "yes"]).done()
    yield make("three strings").labels().done()
    yield make("numeric strings").labels(["1", "01", "10"]).done("numeric strings")
    yield make("other scripts").labels(["Ærø", "жук", 'a, "b"']).done()
    yield make("0 and 1").labels([0, 1]).done()
    yield make("negative numbers").labels([7, -1, 3]).done()
    yield make("large numbers").labels([1 << 40, -(1 << 40), 0, 5]).done()
    yield make("booleans").labels([False, True]).done()
    yield make("twelve classes").labels([f"class {i}" for i in range(12)]).done()
    yield make("one row").labels(["no", "yes"]).only([0]).done()


def _class_samples(make: _Make) -> Iterator[Sample]:
    never = ["eel", "ant", "cat", "dog"]
    yield make("a class never occurs").labels().done(labels=never)
    yield make("declared numbers").labels([3, 1, 2]).done(labels=[2, 9, 1, 3])
    yield make("display names").labels([0, 1]).done(class_names=["bad", "good"])
    yield make("the first is positive").labels(["no", "yes"]).done(positive="no")
    one = make("one class occurs").labels()
    one.columns |= {"fact": ["cat"] * one.n, "guess": ["cat"] * one.n}
    yield one.done("one class")
    one = make("one class is true, two are predicted").labels(["no", "yes"])
    one.columns["fact"] = ["yes"] * one.n
    yield one.done("one class")
    one = make("one class occurs beside scores").labels([0, 1], has_pred=False)
    one.columns["fact"] = [0] * one.n
    yield one.scores("prob", 1).done("one class", labels=[0, 1])
    more = make("a column of scores is never true").labels(has_pred=False)
    yield more.scores("prob", 4).done(labels=[*_ANIMALS, "fox"])
    late = make("a class occurs in the last row only").labels()
    late.columns["fact"] = ["cat" if name == "eel" else name for name in late.columns["fact"]]
    late.columns["guess"] = ["dog" if name == "eel" else name for name in late.columns["guess"]]
    yield late.put("fact", -1, "eel").done()


def _score_samples(make: _Make) -> Iterator[Sample]:
    for role, n_columns, steps in (
        ("prob", 1, 64),
        ("prob", 2, None),
        ("prob", 3, 64),
        ("prob", 5, None),
        ("logit", 1, None),
        ("logit", 2, 64),
        ("logit", 3, None),
        ("logit", 5, 64),
        ("score", 1, None),
        ("score", 2, 64),
        ("score", 3, None),
        ("score", 5, 64),
    ):
        labels = [f"class {i}" for i in range(max(2, n_columns))]
        rows = make(f"{n_columns} {role} columns, {'tied' if steps else 'distinct'}")
        rows.labels(labels, has_pred=False).scores(role, n_columns, steps=steps)
        yield rows.done(**({"positive": "class 1"} if n_columns < 3 else {}))
    for at in (0.25, 0.5):
        yield make(f"threshold {at}").scored(1).done(threshold=at)
        for n_columns in (1, 2):
            rows = make(f"threshold {at} of logits in {n_columns} columns")
            rows.labels(["no", "yes"], has_pred=False).scores("logit", n_columns)
            yield rows.done(threshold=at, positive="yes")
    yield make("predictions beside scores").labels().scores("prob", 3).done()
    yield make("booleans").labels([False, True], has_pred=False).scores("prob", 1).done()


def _weight_samples(make: _Make) -> Iterator[Sample]:
    yield make("labels").labels().weights().done()
    yield make("scores").scored().weights().done()
    yield make("one column of scores").scored(1).weights().done()
    yield make("frequencies").labels().weights(is_whole=True).done(weights_are="frequency")
    rows = make("frequencies of scores").scored().weights(is_whole=True)
    yield rows.done(weights_are="frequency")


def _cluster_samples(make: _Make) -> Iterator[Sample]:
    yield make("labels").labels().clusters().done()
    yield make("weighted labels").labels([0, 1]).clusters().weights().done()
    yield make("whole numbers").labels().clusters(int).done()
    yield make("days").labels().clusters(lambda day: dt.date(2024, 1, 1) + dt.timedelta(day)).done()
    yield make("scores").scored().clusters().done()
    yield make("weighted scores").scored(1).clusters().weights().done()


def _slice_samples(make: _Make) -> Iterator[Sample]:
    several = make("columns, bins and a cross").labels([0, 1])
    yield several.by("site", "age", ("year", "is_new")).done(metrics="accuracy")
    both = make("weights and clusters").labels().by("year").weights().clusters()
    yield both.done(metrics="macro_f1")
    scored = make("scores, weights and clusters").scored(1).by("site").weights().clusters()
    yield scored.done(metrics="log_loss")
    yield make("scores").scored().by("year").done(metrics="macro_roc_auc", level=None)


def _null_samples(make: _Make) -> Iterator[Sample]:
    """Rows with missing values that are left out; missing values are errors otherwise."""
    for where in (("fact",), ("guess",), ("fact", "guess")):
        yield make(" and ".join(where)).labels().null(*where).done(nulls="drop")
    yield make("nothing to drop").labels([0, 1]).done(nulls="drop")
    yield make("numbers").labels([4, 5, 6]).null("fact").done(nulls="drop")
    yield make("weights").labels().weights(is_whole=True).null("mass").done(nulls="drop")
    yield make("clusters").labels().clusters().null("person").done(nulls="drop")
    yield make("truth beside scores").scored().null("fact").done(nulls="drop")
    yield make("slices").labels().by("site").null("fact").done(nulls="drop")


def _set_samples(make: _Make) -> Iterator[Sample]:
    """Rows with sets of labels."""
    yield make("strings").sets().done()
    yield make("weights").sets(["Ærø", "жук", "a b", "c"]).weights().done()
    yield make("numbers, and one that never occurs").sets([7, -1, 3]).done(labels=[3, 9, 7, -1])
    late = make("a label occurs in the last row only").sets()
    yield late.put("fact", -1, ["cat", "fox"]).put("guess", 0, []).done()
    yield make("thirty labels").sets([f"tag {i}" for i in range(30)], 0.05).done(metrics="micro_f1")
    unknown = make("rows whose truth is not known").sets()
    yield unknown.put("fact", 0, None).put("fact", -2, None).done()
    yield make("predictions that are missing").sets().null("guess").done(nulls="drop")
    yield make("weights that are missing").sets().weights().null("mass").done(nulls="drop")
    yield make("clusters").sets().clusters().done()
    missing = make("clusters that are missing").sets().clusters().weights()
    yield missing.null("person").done(nulls="drop")
    yield make("a prediction is missing").sets().put("guess", -1, None).done()
    yield make("a label twice").sets().put("guess", -1, ["cat", "dog", "cat"]).done()
    yield make("a label is not declared").sets().done(labels=["cat", "dog"])
    yield make("one row").sets().only([0]).done()


def _role_samples(make: _Make) -> Iterator[Sample]:
    rows = make("labels and weights").labels().weights()
    yield _renamed(rows.done(), {"fact": "y_true", "guess": "y_pred", "mass": "sample_weight"})
    rows = make("probabilities in another order").scored()
    names = {"fact": "label"} | {f"s_{i}": f"proba_{name}" for i, name in enumerate(_ANIMALS)}
    rows.columns = {name: rows.columns[name] for name in ("s_2", "s_0", "fact", "s_1")}
    yield replace(_renamed(rows.done(), names), array_options={"labels": _ANIMALS})


def _renamed(sample: Sample, names: Mapping[str, str]) -> Sample:
    """Rename the columns, and name none of them in the call."""
    roles = {
        role: names[column] if isinstance(column, str) else [names[name] for name in column]
        for role, column in sample.roles.items()
    }
    columns = {names[name]: values for name, values in sample.columns.items()}
    return replace(sample, columns=columns, roles=roles, names={})


def _option_samples(make: _Make) -> Iterator[Sample]:
    yield make("every metric of labels").labels().done(metrics=None)
    yield make("every metric of scores").scored(1).done("everything", metrics=None, positive=1)
    yield (make("undefined").labels().done(undefined="exclude", labels=[*_ANIMALS, "fox"]))
    given: tuple[tuple[str, dict[str, Any]], ...] = (
        ("one-sided, 90 %", {"level": 0.9, "side": "low"}),
        ("bootstrap", {"method": "bootstrap", "seed": 3}),
        ("wald", {"method": "wald"}),
        ("case-control", {"sampling": "case-control"}),
    )
    for name, options in given:
        yield make(f"{name}, labels").labels().done(**options)
        yield make(f"{name}, scores").scored().done(**options)


def _error_samples(make: _Make) -> Iterator[Sample]:
    """Rows that no source accepts; each raises one code."""
    for column in ("fact", "guess"):
        yield make(f"{column} is missing").labels().null(column).done()
    yield make("no rows").labels().only([]).done("empty")
    yield make("no rows with scores").scored().only([]).done("empty", labels=_ANIMALS)
    yield make("a label is not declared").labels().done(labels=["cat", "dog"])
    yield make("positive is no class").labels(["no", "yes"]).done(positive="maybe")
    yield make("positive of three").labels().done(positive="cat")
    for name, value in (("negative", -1.0), ("infinite", np.inf)):
        yield make(f"a weight is {name}").labels().weights().put("mass", -1, value).done()
    yield make("a weight is missing").labels().weights().null("mass").done()
    rows = make("all weights are zero").labels().weights()
    rows.columns["mass"] = np.zeros(rows.n)
    yield rows.done()
    yield make("a cluster is missing").labels().clusters().null("person").done()
    rows = make("one cluster").labels().clusters()
    rows.columns["person"] = ["me"] * rows.n
    yield rows.done()
    for name, value in (("above 1", 1.5), ("not a number", np.nan), ("infinite", np.inf)):
        yield make(f"a probability is {name}").scored(1).put("s", -1, value).done()
    rows = make("probabilities add up to more than 1").scored()
    yield rows.put("s_1", -1, 0.75).put("s_0", -1, 0.75).done()
    rows = make("a score is infinite").labels([0, 1], has_pred=False).scores("score", 1)
    yield rows.put("s", 2, -np.inf).done()
    rows = make("more columns than classes").labels(["no", "yes"], has_pred=False)
    yield rows.scores("prob", 3).done()
    yield make("a threshold of three classes").scored().done(threshold=0.5)
    yield make("a metric of two classes").labels().done(metrics=["recall"])


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
    "sets": _set_samples,
    "roles": _role_samples,
    "options": _option_samples,
    "errors": _error_samples,
}

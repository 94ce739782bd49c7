"""`Monitor`: rules on rows that keep coming, with errors held over all looks and all rules."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import sha256
from os import PathLike, fspath
from os.path import realpath
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from karat.api.arguments import confidence_required
from karat.api.forms import attach_forms
from karat.api.gate.class_sides import ClassSettings, class_evaluation
from karat.api.gate.rows import are_sets_of, baseline_of, current_rows
from karat.api.monitors.settings import (
    KINDS,
    MonitorSettings,
    checked_reading,
    is_same_setting,
    planned_rows,
)
from karat.api.monitors.state import (
    ARRAYS,
    LEAVE_OUT,
    MONITOR,
    are_paired,
    arrays_of,
    digest_in_order,
    digest_of,
    facts_of,
    joined,
    numbered_ids,
    rows_of,
    window_of,
)
from karat.api.request.request import Request
from karat.api.request.verbs import verb, with_verbs
from karat.data.labels.column import declared_labels
from karat.data.pairing import pair_rows
from karat.data.rows import Rows
from karat.errors import KaratError, error, shown
from karat.errors.doubts import doubt
from karat.errors.options import option
from karat.errors.reasons import DamagedError, UnknownLabelError
from karat.errors.text import counted
from karat.errors.together import refusal
from karat.inference.label_intervals import N_FEW_CLUSTERS
from karat.results.gate.monitored import (
    Look,
    MonitorResult,
    looks_of,
    notes_on_looks,
    notes_on_windows,
    of_all_looks,
    of_window,
)
from karat.results.gate.result import RuleResult
from karat.results.gate.verdicts import Rule, judged, refused, rules_of
from karat.results.roles import by_name
from karat.tally.locks import InUseError, only_writer
from karat.tally.serialization import AGAIN, damaged, framed, said_of, unframed
from karat.tally.writing import write_bytes

attach_forms(MonitorResult)

_SIDES: Final = ("new", "old")


@with_verbs
class Monitor:
    """Rules on rows that keep coming, checked at every batch.

    At each look, every rule has limits of its metric on all rows so far that hold at every look
    (confidence sequences) and for all rules together: the probability that any rule is ever decided
    wrongly is at most 1 − `level`. A rule that failed stays failed; one that passed stays passed
    unless it fails later. With `windows` each batch is judged alone, with the same probability for
    all batches together: for metrics that change over time. See docs/monitoring.md, also for when
    not to use it.

    Errors:
        K122 an invalid choice; K176 rules that cannot be, or none; K301 to K303 no such metric.

    Example:
        >>> import karat
        >>> monitor = karat.Monitor(min={"accuracy": 0.7})
        >>> for day in range(5):
        ...     n_wrong = 10 + day
        ...     result = monitor.add([0] * 100, [0] * (100 - n_wrong) + [1] * n_wrong)
        >>> result.verdict, result.look, result.n, result.decided(0)
        ('PASS', 5, 500, (3, 300))
    """

    @verb
    def __init__(self, request: Request) -> None:
        rules = rules_of(
            min=request.min,
            max=request.max,
            max_drop=request.max_drop,
            no_worse_than=request.no_worse_than,
        )
        if not rules:
            *kinds, last = map(option, KINDS)
            do = f"Give one: {', '.join(kinds)} or {last}."
            raise refused("A monitor needs a rule", do)
        planned = planned_rows(request.anytime, request.windows)
        do = "It holds for all looks and rules together."
        asked = confidence_required(request.level, do, anytime=planned)
        self._settings = MonitorSettings(
            tuple(rules),
            planned,
            asked.level,
            None if request.labels is None else declared_labels(request.labels),
            request.positive,
            request.threshold,
            request.undefined,
            request.inconclusive,
            bool(request.windows),
        )
        self._new: Rows | None = None
        self._old: Rows | None = None
        self._looks: tuple[Look, ...] = ()
        self._reading: dict[str, Any] = {}
        self._ids: set[int] = set()
        self._read_from: tuple[str, bytes] | None = None
        self._last: MonitorResult | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows added so far."""
        return self._looks[-1].n if self._looks else 0

    @property
    def looks(self) -> tuple[Look, ...]:
        """Every look so far."""
        return self._looks

    @verb
    def add(self, request: Request) -> MonitorResult:
        """Add a batch of rows and look: return the verdicts on all rows so far, or on a window.

        A batch with an error is refused as a whole, and changes nothing.

        Errors:
            K241 the same batch was added before; K240 it has scores, weights or clusters, and
            earlier batches have none; K176 rules need a baseline; K171 to K175 rows of both cannot
            be matched; else as `karat.evaluate`.

        Cost: that of a gate on all rows so far; the rows are kept. With `windows`, that of a gate
        on the batch, which is kept until the next one.
        """
        return self.add_rows(request)

    def add_rows(self, request: Request, baseline_request: Request | None = None) -> MonitorResult:
        """Add the rows of a request; see `add`.

        Args:
            baseline_request: request with the columns of the baseline; None: those of the rows.
        """
        baseline, again = request.baseline, request.again
        settings = self._settings
        known, positive = settings.labels, settings.positive
        of_first: Sequence[Any] | None = None
        if known is None and self._new is not None and self._new.scores is not None:
            # Scores have a column for each class of the first batch.
            known = of_first = self._new.classes.labels
        if request.labels_are_text:
            known = known and tuple(map(str, known))
            positive = positive if positive is None else str(positive)
        fixed = {"positive": positive, "threshold": settings.threshold, "labels": known}
        request = request.but(**fixed)
        if are_sets_of(request):
            raise refusal("Monitor", "sets")
        with _of_first_batch(of_first):
            new = _of_one_class(current_rows(request, _name(request.y_true, "the batch")))
        old: Rows | None = None
        if settings.compares:
            if baseline is None:
                rule = next(rule for rule in settings.rules if rule.needs_baseline)
                do = f"Give {option('baseline')} with every batch."
                raise refused(f"The rule {rule.text!r} needs a baseline", do)
            columns = request if baseline_request is None else baseline_request.but(**fixed)
            before = baseline_of(columns, baseline, _name(baseline, "the baseline"))
            if not isinstance(before, Rows):
                do = "Give its predictions of the rows of the batch."
                raise error("K238", found="The baseline of the batch holds no rows", do=do)
            new, old = pair_rows([new, before]).models
        elif baseline is not None:
            do = f"Leave it out, or give {option('max_drop')} or {option('no_worse_than')}."
            raise refused("No rule compares with the baseline", do)
        digest, ids = digest_of(new, old), numbered_ids(new)
        if not again:
            # Version 0.2.0 wrote digests that depend on the order of the rows.
            self._refuse_known((digest, digest_in_order(new, old)), ids)
        settings = settings.of_classes(new.classes)
        n_new = new.n
        sides = [(self._new, new), *([] if old is None else [(self._old, old)])]
        judge = window_of if settings.windows else joined
        rows, *rest = (judge(before, now, settings.positive) for before, now in sides)
        other = rest[0] if rest else None
        rules, notes = self._measured(rows, other, len(self._looks) + 1)
        look = Look(
            self.n_rows + n_new,
            n_new,
            digest,
            tuple(rule.verdict for rule in rules),
            *(tuple(map(side, rules)) for side in (_value, _low, _high)),
        )
        self._new, self._old, self._settings = rows, other, settings
        self._looks = (*self._looks, look)
        self._ids |= ids.keys()
        # A monitor takes no folds.
        mapping = {role: x for role, x in by_name(new.mapping).items() if role != "folds"}
        self._last = self._result(rules, (*new.warnings, *notes), mapping)
        return self._last

    def _refuse_known(self, digests: Collection[str], ids: Mapping[int, str]) -> None:
        """Refuse a batch that was added before (K241), or some of whose rows were (K430)."""
        again = option("again", True)
        for look, earlier in enumerate(self._looks, 1):
            if earlier.digest in digests:
                raise error("K241", look=look, path=MONITOR, again=again)
        known = [text for number, text in ids.items() if number in self._ids]
        if known:
            counts = {"count": len(known), "n": len(ids), "ids": shown(known, 3)}
            raise error("K430", **counts, again=again, none=option("ids", ""))

    @property
    def result(self) -> MonitorResult:
        """The verdicts of the last look.

        Errors:
            K101 there are no rows.
        """
        if self._new is None:
            raise error("K101", argument="The monitor")
        if self._last is None:
            rules, notes = self._measured(self._new, self._old, len(self._looks))
            self._last = self._result(rules, notes, {})
        return self._last

    def _measured(
        self, new: Rows, old: Rows | None, look: int
    ) -> tuple[tuple[RuleResult, ...], tuple[str, ...]]:
        """Every rule on these rows, by this look alone."""
        settings = self._settings
        spec = settings.spec(look)
        settings_of_look = ClassSettings(spec, awaits_clusters=True)
        evaluation = class_evaluation(settings.rules, new, old, settings_of_look)
        rules = judged(
            evaluation.cases(),
            level=spec.level,
            evidence="low",
            adjust="none",
            inconclusive=spec.inconclusive,
            undefined_fails=False,
        )
        n_clusters = new.n_clusters
        few = n_clusters is not None and n_clusters < N_FEW_CLUSTERS
        caution = [doubt("D135", n=counted(n_clusters or 0, "cluster"))] if few else []
        return rules, (*caution, *evaluation.doubts_and_notes())

    def _result(
        self, now: Sequence[RuleResult], notes: Sequence[str], mapping: Mapping[str, Any]
    ) -> MonitorResult:
        settings, looks = self._settings, self._looks
        if settings.windows:
            rules = tuple(of_window(one, looks, i) for i, one in enumerate(now))
            of_looks = notes_on_windows(looks, settings.level_of_each, len(rules))
        else:
            rules = tuple(of_all_looks(one, looks, i) for i, one in enumerate(now))
            of_looks = notes_on_looks(looks, settings.level_of_each, settings.anytime, len(rules))
        return MonitorResult(
            rules,
            looks[-1].n,
            settings.level,
            "bonferroni",
            notes=(*dict.fromkeys(notes), *of_looks),
            inconclusive=settings.inconclusive,
            mapping=mapping or None,
            anytime=settings.anytime,
            looks=looks,
            windows=settings.windows,
        )

    @property
    def settings(self) -> MonitorSettings:
        """What is fixed at the first call."""
        return self._settings

    @property
    def reading(self) -> dict[str, Any]:
        """Options of reading files, which the command line keeps: JSON types by name."""
        return self._reading

    def check_same(
        self,
        path: str,
        rules: Sequence[Rule],
        given: Mapping[str, Any],
        names: Mapping[str, str] | None = None,
    ) -> None:
        """Refuse settings that differ from those of the first call (K240).

        Args:
            path: of the state.
            rules: those that are given now; none: not given.
            given: settings, and options of reading, that are given now, by name.
            names: those by which a state has options → what they are called.
        """
        called = names or {}
        own = self._settings.to_dict() | self._reading
        for name, value in given.items():
            if not is_same_setting(value, own.get(name)):
                now, then = map(_as_said, (value, own.get(name)))
                facts = {"now": now, "then": then, "path": path}
                argument = option(called.get(name, name))
                raise error("K240", argument=argument, **facts, do=LEAVE_OUT)
        known = [one.text for one in self._settings.rules]
        other = next((one for one in rules if one.text not in known), None)
        if other is not None:
            argument = option(other.kind.replace("-", "_"))
            then = "; ".join(known)
            facts = {"now": other.text, "then": then, "path": path}
            raise error("K240", argument=argument, **facts, do=LEAVE_OUT)

    def to_bytes(self) -> bytes:
        """Return the monitor as bytes that `from_bytes` of this and every later version reads."""
        sides = {"new": self._new, "old": self._old}
        arrays: dict[str, npt.NDArray[Any] | None] = {}
        facts: dict[str, Any] = {}
        for side, rows in sides.items():
            facts[side] = None if rows is None else facts_of(rows)
            if rows is not None:
                arrays |= {f"{side}_{name}": array for name, array in arrays_of(rows).items()}
        if self._ids:
            arrays["ids"] = np.array(sorted(self._ids), np.uint64).view(np.int64)
        header = {
            "species": "monitor",
            "settings": self._settings.to_dict(),
            "reading": self._reading,
            "looks": [look.to_dict() for look in self._looks],
            "rows": facts,
        }
        return framed(header, arrays)

    @classmethod
    def from_bytes(cls, data: bytes) -> Monitor:
        """Read a monitor written by `to_bytes`. Nothing is executed.

        Errors:
            K205 the bytes are truncated, altered or not a monitor; K206 a newer version wrote them.
        """
        names = (*(f"{side}_{name}" for side in _SIDES for name in ARRAYS), "ids")
        try:
            return unframed(data, names, cls._assembled, names)
        except KaratError as problem:
            advice = {AGAIN: "Restore an earlier copy, or start another monitor."}
            raise said_of(problem, "monitor", advice) from None

    @classmethod
    def _assembled(cls, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Monitor:
        if header["species"] != "monitor":
            raise damaged(f"It holds {header['species']!r}, not a monitor")
        found = cls.__new__(cls)
        try:
            found._read(header, arrays)
        except DamagedError:
            raise
        except KaratError as problem:
            raise ValueError(str(problem).partition("\n")[0]) from None
        return found

    def _read(self, header: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
        settings = MonitorSettings.from_dict(header["settings"])
        self._reading = checked_reading(header["reading"])
        self._looks = looks_of(header["looks"], [rule.metric for rule in settings.rules])
        sides = []
        for side in _SIDES:
            own = {n.removeprefix(f"{side}_"): x for n, x in arrays.items() if n.startswith(side)}
            facts = header["rows"][side]
            sides.append(None if facts is None else rows_of(facts, own))
        self._new, self._old = sides
        _refuse_former(settings, self._new)
        self._settings = settings if self._new is None else settings.of_classes(self._new.classes)
        ids = arrays.get("ids", np.empty(0, np.int64))
        if ids.ndim != 1 or ids.dtype != np.int64:
            raise damaged("Its ids are not valid")
        self._ids = {*ids.view(np.uint64).tolist()}
        self._last = self._read_from = None
        last = self._looks[-1] if self._looks else None
        n = 0 if last is None else last.n_new if settings.windows else last.n
        if any(one is not None and one.n != n for one in sides) or (self._new is None) != (n == 0):
            raise damaged("Its rows are not those of its looks")
        if settings.compares != (self._old is not None) and n:
            raise damaged("It holds a rule without its baseline, or the reverse")
        if self._new is not None and self._old is not None and not are_paired(self._new, self._old):
            raise damaged("Its two models are of other rows")

    def save(self, path: str | PathLike[str], *, wait: float = 0.0) -> None:
        """Write the monitor to a file, atomically: a failure leaves the earlier one unchanged.

        Args:
            path: the file.
            wait: seconds to wait for another process that writes it.

        Errors:
            K239 another process writes the file; K432 it has changed since this monitor was read
            from it; OSError it cannot be written.
        """
        with locked_state(path, wait):
            self.save_locked(path)

    def save_locked(self, path: str | PathLike[str]) -> None:
        """Write the monitor to a file as `save` does, within `locked_state`."""
        target, before = realpath(path), _content(path)
        read_from, read = self._read_from or ("", b"")
        if read_from == target and before not in (None, read):
            raise error("K432", path=fspath(path))
        data = self.to_bytes()
        write_bytes(path, data)
        self._read_from = target, sha256(data).digest()

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Monitor:
        """Read a monitor from a file that `save` or ``karat monitor`` wrote.

        Errors:
            K431 there is no such file; K205, K206 as `from_bytes`; OSError it cannot be read.
        """
        try:
            data = Path(path).read_bytes()
        except FileNotFoundError:
            raise error("K431", path=fspath(path)) from None
        found = cls.from_bytes(data)
        found._read_from = realpath(path), sha256(data).digest()
        return found

    def __repr__(self) -> str:
        rules = len(self._settings.rules)
        return f"<karat.Monitor: {rules} rules, {len(self._looks)} looks, {self.n_rows} rows>"


@contextmanager
def locked_state(path: str | PathLike[str], wait: float = 0.0) -> Iterator[None]:
    """Context in which no other process writes a state (K239: one does)."""
    try:
        with only_writer(path, wait):
            yield
    except InUseError as problem:
        # A wait that was too short is made longer.
        wait_more = option("wait", max(60, round(2 * wait)))
        raise error("K239", path=fspath(path), holder=problem.holder, wait=wait_more) from None


def _content(path: str | PathLike[str]) -> bytes | None:
    """Digest of a file; None where there is none."""
    try:
        return sha256(Path(path).read_bytes()).digest()
    except FileNotFoundError:
        return None


def _as_said(value: Any) -> Any:
    """The value of a setting in a message: a text that is blank is quoted."""
    return repr(value) if isinstance(value, str) and not value.strip() else value


def _refuse_former(settings: MonitorSettings, rows: Rows | None) -> None:
    """Refuse a state of 0.2 that no batch fits: its rules read probabilities of other scores."""
    if rows is None or rows.scores is None or rows.scores.kind != "scores":
        return
    for rule in settings.rules:
        if rule.metric.record.reads_probabilities:
            names = {name: option(name) for name in ("y_score", "y_logit", "y_prob")}
            found = (
                f"Version 0.2 wrote it from {names['y_score']}, which has no probabilities today"
            )
            do = f"Start another monitor from the rows, with {names['y_logit']} for logits or "
            do += f"{names['y_prob']} for probabilities: no batch can be added to this one."
            raise damaged(f"{found}, and {rule.metric} reads them", do)


def _of_one_class(rows: Any) -> Rows:
    if isinstance(rows, Rows):
        return rows
    raise refusal("Monitor", "sets")


def _name(source: Any, otherwise: str) -> str:
    return fspath(source) if isinstance(source, str | PathLike) else otherwise


def _number(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def _value(rule: RuleResult) -> float | None:
    return _number(rule.difference if rule.before is not None else rule.value)


def _low(rule: RuleResult) -> float | None:
    return _number(rule.difference_low if rule.before is not None else rule.low)


def _high(rule: RuleResult) -> float | None:
    return _number(rule.difference_high if rule.before is not None else rule.high)


@contextmanager
def _of_first_batch(classes: Sequence[Any] | None) -> Iterator[None]:
    """Context in which K109 states that the classes are those of the scores of the first batch.

    Args:
        classes: those; None: they are not.
    """
    try:
        yield
    except UnknownLabelError as problem:
        if classes is None:
            raise
        facts = {
            "among": "the classes of the first batch",
            "classes": f"These are {shown(classes)}",
            "do": "Its columns of scores fix the classes of a monitor: remove those rows, or start "
            f"another monitor with {option('labels')} and a column for every class.",
        }
        raise problem.but(**facts) from None

"""Doubts: what is unusual about an input that is measured all the same, and what settles it.

A doubt never changes a number. What would change one is an error or an option.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Self, cast

from karat.errors import KaratError, error
from karat.errors.options import as_typed, outputs_as_typed
from karat.errors.text import filled

_MESSAGES: Final = """
D101  No class is named as the positive one.
      The two classes are {labels}.
      Metrics of each class and averages over both are measured; {options} adds those of one
          positive class (precision, recall, F1).
D102  The scores may be probabilities.
      {what} lie in [0, 1].
      If they are probabilities, give them as {option}: {why}.
D103  The scores{of} rank {classes} in reverse.
      {areas}.
      {do}
D104  {noticed}.
      {found}.
      If {they} {role}, name it: {option}; {none} states that no column does.
D105  Rows repeat an id.
      {count} of {n} rows have an id{of} that occurs more than once, such as {value}.
      Remove duplicate rows. If one id has several rows that depend on each other, {how}: {option}.
D106  The log loss{of} is infinite.
      {rows} p = 0 for the true class.
      To clip probabilities, ask for log_loss(eps=1e-15) instead.
D107  Rows may belong together.
      The name of column {column} suggests persons, groups or sessions.
      If rows with the same value depend on each other, name the column: {option}; if they do not,
          {none}. Until then rows are treated as independent, and intervals may be too narrow.
D109  The column of probabilities names no class.
      {column} is read as the probability of {label!r}: the classes are {labels}.
      If so, name it: {option}. If it is of the other class, also give {other}.
D110  The columns of {what} name no classes.
      They are read in the order of the classes: {pairs}.
      If that is not their order, list it: {option}.
D111  Classes {pair} differ only in {how}.
      {counts}.
      If they are one class, write it the same way in every row; if they are two, list them:
          {option}.
D112  Class {label!r} is spelled like a missing value.
      {counts}.
      If it is missing, leave those rows out; if it is a class, list every class: {option}.
D108  {what} not read.
      {found}.
      {do}
D113  The rows of {argument} are {others} {first}.
      Their indexes {share}, and {count} of {n} rows differ: row {row} is {left} in {first} and
          {right} in {argument}.
      Rows are paired by position. If the index names them, {do}; if the position is right, give
          {ordered}.
D114  Truth and predictions may code the classes differently.
      {counts}.
      If both sides mean the same classes, use the same labels; if not, list every class: {option}.
D115  The predictions{of} are not those of the scores beside them.
      {found}.
      Check that both come from one model, with classes and rows in the same order. If the
          predictions use more than these scores, no change is needed; {option}.
D116  The predictions{of} agree with the truth less than chance would.
      kappa is {value}, and its interval [{low}, {high}] at 95 % lies below 0.
      {do}
D117  The baseline was predicted with another threshold.
      The threshold of the positive class is {now} here, and {then} in the baseline.
      Write the baseline with this threshold again: {update}. A baseline with rows, {rows}, and
          predictions in files use the threshold of the gate.
D118  The bound of {metric} is on the wrong side.
      {rule} passes worse models: {better} values of {metric} are better.
      To require good values, give {option}.
D145  The rule {rule} allows a large drop.
      {metric} lies between {low} and {high}: the bound is {share} of that, so the rule rarely
          fails.
      Give how much worse than the baseline is acceptable: {option}.
D119  Texts may hold several labels.
      {found}.
      If they do, {do}. Otherwise each text is one label.
D120  Rows may have one class each.
      Each of the {n} rows has exactly one true label, and {found}.
      If each row can have only one, give classes, such as y_true.argmax(axis=1) of a matrix: then
          accuracy and a confusion matrix are available, and the largest score decides.
D121  Rows without truth may be rows without labels.
      The truth of {missing} of {n} rows is null, so they are left out; no row has an empty set.
      If they have no label, give an empty set, or an empty text: pandas reads a blank cell as NaN
          unless keep_default_na=False.
D126  The label {label} may mark rows without truth.
      It is true {times} and never predicted; the other classes are {rest}.
      If it marks rows to leave out, leave them out of every argument. If it is a class, list every
          class: {option}.
D127  {labels} predicted and never true.
      {they} predicted {times}. {count} as an error each time, and as {more} in averages: macro F1
          is {macro}, and {rest} over the classes that are true.
      {do} that the model gave no answer, report how often, and leave those rows out or {replace},
          list every class: {option}.
D128  Whole weights may be counts of rows.
      The weights of {n} are whole numbers and add up to {total}.
      If each weight is a number of rows, state it: {option}. Importance weights do not change the
          number of rows, nor the width of intervals that follows from it.
D129  There are far more labels than rows.
      {n} and {k} labels without names.
      If each entry is a pixel or a token with one of two classes, flatten both sides, as
          y_true.ravel(), and leave masked entries out.
D140  Numbers that may be codes were binned.
      The name of column {column} suggests ids or codes, and its slices are {bins}.
      To have one slice for each code, read the column as text: {do}. If the numbers are quantities,
          no change is needed.
D135  The rows are in few clusters.
      There are {n} so far; limits are reliable from 10 on.
      Add batches of more clusters before you act on a verdict. If rows of a cluster are
          independent, leave clusters= out.
D146  Rows without truth are predicted differently from the others.
      The prediction is {name} in {of_verified} % of the rows with truth, and in {of_others} % of
          the {n} without (p = {p}). They are left out.
      If some predictions are looked up more often, metrics are biased: weight each row with truth
          by 1 ÷ the probability that it was looked up, {weights}, or use a judge's labels of all
          rows: docs/judge.md.
D151  The margin of {metric} is large.
      {metric} lies between {low} and {high}: the margin is {share} of that, so very different
          models are equivalent.
      Give the largest difference that does not matter: {option}.
D152  Column {column} may mark training and test rows.
      It holds {values}.
      Evaluate the test rows only: {alone}; {by} shows the values of each part.
D155  Fold -1 may hold rows that no fold tested.
      {rows} of {n} are in fold -1, which PredefinedSplit of scikit-learn uses for training rows.
      If so, leave them out of every argument. If -1 is a fold like the others, no change is needed.
D154  Probabilities{of} may be those of the predicted class.
      All {n} are at least 0.5, so that each row is predicted {label}; {other} is true {times}.
      If they are the confidence in the predicted class, give 1 − p where that is {other}. If they
          are those of {label}, no change is needed.
D153  The scores{of} may be predicted labels.
      All {n} are {values}.
      If they are, give {option} alone. Ranking metrics and losses need probabilities or scores,
          such as those of predict_proba or decision_function of scikit-learn.
D156  The text {text} of column {column} is read as a missing value.
      Its rows are in the slice (missing); the column also has {beside}.
      If it is a value, such as a code of a country, write it in another way, or store the column as
          text in Parquet.
D157  Each row may be a batch of rows with one label each.
      {rows} list as many labels as their predictions, {sizes} each, in varying order: {shown}.
      They are read as sets, in which order does not matter. If they are batches, join them:
          np.concatenate(y_true), np.concatenate(y_pred).
D158  Columns of scores are compared with probabilities.
      {scores} {has} scores, and {probs} {have} probabilities or logits. Areas rank rows by each
          column of scores as given, and softmax changes the ranks in more than two columns.
      If the scores of {scores} are logits, give them as {option}.
D159  The columns of scores{of} may be logits.
      {name} is {columns} by each column as given, and {odds} by their log-odds, which rank as their
          softmax does{sample}.
      If they are logits, give them as {option}: then a constant added to every column of a row
          changes nothing.
D150  The truth may code its classes in two ways.
      {counts}.
      If they are the same classes, write each in one way in every row and file; if not, list every
          class: {option}.
D160  Rows may be of repeated cross-validation.
      Columns {columns} are not used, and the values of {repeat} differ.
      If each row was tested in several repeats, give {folds}, and name the ids of rows, {ids}: rows
          with one id depend on each other, and treating them as independent makes intervals too
          narrow. {none} states that rows are independent.
D161  A threshold of 0 predicts {what}.
      {argument} is cut at a probability, and every probability is at least 0.
      A logit of 0 is the probability 0.5: leave {option} out, or give {half}.
D163  The logits{of} may be logarithms of probabilities.
      All {n} are at most 0, so that no probability is above 0.5; the largest is {high}.
      If they are log-probabilities, as those of predict_log_proba or log_softmax, give their
          exponential, np.exp(…), as {option}. If they are logits, no change is needed.
D164  The probabilities of a row add up to 1.
      They do in each of {n} rows, and {several} have more than one true label.
      If they are of a softmax, whose labels exclude each other, give the logits before it as
          {option}: their sigmoid is the probability of each label. If not, no change is needed.
D165  Rows of one cluster are in several folds.
      {clusters} of {n} are in several folds of one repeat.
      Limits of means over folds treat such rows as independent, and may be too narrow. Test all
          rows of a cluster in one fold, as GroupKFold of scikit-learn does, or read the pooled
          values: their limits allow for clusters.
D162  Models {models} have the same predictions.
      They are the same columns of {source}.
      Give each model its own file; {columns}.
D125  Rows that were drawn have no gold label.
      {counts} of the rows with {weights} have none.
      They count as rows that were not drawn, which is right if chance left them out: {do}.
D124  Gold labels that are spelled like a missing value are taken as missing.
      {counts}, and no label of the judge is.
      If it is a class, list every class: labels=[…].
"""
"""What was noticed, the evidence, and the option that settles it."""


class Doubt(str):
    """One doubt about an input: a sentence, and its parts.

    Attributes:
        code: the entry of the catalogue, as ``"D101"``.
        noticed: what is unusual.
        evidence: what was found, with counts.
        option: the option that settles it, as the user types it.
        settled_by: the same as names and values, where one is known: ``{"clusters": "user"}``.

    Example:
        >>> import karat
        >>> report = karat.evaluate(["ok", "fraud", "ok"], ["ok", "fraud", "fraud"])
        >>> report.doubts[0].code, report.doubts[0].evidence
        ('D101', "The two classes are 'fraud', 'ok'.")
    """

    code: str
    noticed: str
    evidence: str
    option: str
    settled_by: Mapping[str, str]

    __slots__ = ("code", "evidence", "noticed", "option", "settled_by")

    def __new__(
        cls,
        code: str,
        noticed: str,
        evidence: str,
        option: str,
        settled_by: Mapping[str, str] | None = None,
    ) -> Self:
        kind = cast("type[Self]", KINDS.get(code, cls))
        text = " ".join(part for part in (noticed, evidence, option) if part)
        made = super().__new__(kind, text)
        made.code, made.noticed, made.evidence, made.option = code, noticed, evidence, option
        made.settled_by = dict(settled_by or {})
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        # Its class follows from the code.
        return Doubt, (self.code, self.noticed, self.evidence, self.option, self.settled_by)

    @property
    def coded(self) -> str:
        """The sentence behind its code: ``"D101: No class is named …"``."""
        return f"{self.code}: {self}"

    def within(self, side: str) -> Doubt:
        """The same doubt, about one side of several: ``"the baseline"``, or a model."""
        noticed = f"In {side}: {self.noticed}"
        return Doubt(self.code, noticed, self.evidence, self.option, self.settled_by)

    def to_dict(self) -> dict[str, Any]:
        """Return the content as JSON types."""
        parts = ("code", "noticed", "evidence", "option")
        more = {"settled_by": dict(self.settled_by)} if self.settled_by else {}
        return {name: getattr(self, name) for name in parts} | more


class NoPositiveDoubt(Doubt):
    """Neither of two classes is named as the positive one."""

    __slots__ = ()


class LikeProbabilitiesDoubt(Doubt):
    """Scores may be probabilities."""

    __slots__ = ()


class CauseDoubt(Doubt):
    """Why predictions may disagree with the truth: that they do needs no doubt of its own."""

    __slots__ = ()


class LabelsDoubt(Doubt):
    """About the labels, which several models have in common."""

    __slots__ = ()


class CodingDoubt(CauseDoubt, LabelsDoubt):
    """Truth and predictions may code the classes differently."""

    __slots__ = ()


class SpellingDoubt(CodingDoubt):
    """Two classes may be one that is spelled in two ways."""

    __slots__ = ()


class RepeatedIdsDoubt(Doubt):
    """Rows repeat an id."""

    __slots__ = ()


class InfiniteLossDoubt(Doubt):
    """The log loss is infinite."""

    __slots__ = ()


class UnreadScoresDoubt(Doubt):
    """Columns that may be scores are not read."""

    __slots__ = ()


class OrderOfRowsDoubt(Doubt):
    """Rows of pandas objects are in another order than those of the truth."""

    __slots__ = ()


class DisagreementDoubt(Doubt):
    """Predictions agree with the truth less than by chance."""

    __slots__ = ()


class UnusedColumnDoubt(Doubt):
    """A column may have a role, and is not read."""

    __slots__ = ()


class WholeWeightsDoubt(Doubt):
    """Whole weights may be numbers of rows."""

    __slots__ = ()


KINDS: Final[dict[str, type[Doubt]]] = {
    "D101": NoPositiveDoubt,
    "D102": LikeProbabilitiesDoubt,
    **dict.fromkeys(("D103", "D150"), CauseDoubt),
    "D104": UnusedColumnDoubt,
    "D105": RepeatedIdsDoubt,
    "D106": InfiniteLossDoubt,
    "D108": UnreadScoresDoubt,
    "D111": SpellingDoubt,
    **dict.fromkeys(("D112", "D120"), LabelsDoubt),
    "D113": OrderOfRowsDoubt,
    "D114": CodingDoubt,
    "D116": DisagreementDoubt,
    "D128": WholeWeightsDoubt,
}
"""The class of each code whose doubts are handled in another way than others."""


def doubt(code: str, **facts: Any) -> Doubt:
    """Make the doubt of that code; `settled_by` is an attribute, the rest fills its text."""
    noticed, evidence, settles = (filled(as_typed(part), facts) for part in DOUBTS[code])
    return Doubt(code, noticed, evidence, settles, facts.get("settled_by"))


def has_doubt(doubts: Iterable[Doubt], kind: type[Doubt]) -> bool:
    """True if one of the doubts is of a kind."""
    return any(isinstance(each, kind) for each in doubts)


def new_doubts(doubts: Iterable[Doubt], known: Iterable[Doubt]) -> list[Doubt]:
    """The doubts that do not say of the same rows what a known one says."""
    codes = {each.code for each in known}
    return [each for each in doubts if each.code not in codes]


def no_scores(
    name: str, warnings: Iterable[str] = (), *, of_probabilities: bool = False
) -> KaratError:
    """K210: what is asked for needs scores; what settles it, where columns of them were not read.

    Args:
        warnings: those of the rows, doubts among them.
        of_probabilities: whether it reads probabilities, so that other scores do not do.
    """
    unread = next(
        (one for one in only_doubts(warnings) if isinstance(one, UnreadScoresDoubt)), None
    )
    if unread is not None:
        do = f"{unread.noticed} {unread.evidence} {unread.option}"
    else:
        do = f"Give {outputs_as_typed(of_probabilities=of_probabilities)}."
    return error("K210", name=name, do=do)


def only_doubts(sentences: Iterable[str]) -> tuple[Doubt, ...]:
    """The doubts among warnings or notes."""
    return tuple(one for one in sentences if isinstance(one, Doubt))


def without_doubts(sentences: Iterable[str]) -> tuple[str, ...]:
    """The warnings or notes that are no doubts."""
    return tuple(one for one in sentences if not isinstance(one, Doubt))


def _parts(message: str) -> tuple[str, tuple[str, ...]]:
    noticed, evidence, option = message.split("\n      ")
    code, _, noticed = noticed.partition("  ")
    return code, (noticed, evidence, option)


_EACH = re.split(r"\n(?=D)", _MESSAGES.replace("\n          ", " ").strip())
DOUBTS: Final[dict[str, tuple[str, ...]]] = dict(map(_parts, _EACH))
"""The parts of each doubt by its code."""

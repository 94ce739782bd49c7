"""Public names of karat. Written by `make stub`; do not edit."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, overload

from numpy import float64
from numpy.typing import NDArray

from karat import curves as curves
from karat import errors as errors
from karat import metrics as metrics
from karat import objectives as objectives
from karat import plot as plot
from karat import tally as tally
from karat import testing as testing
from karat.api.check import Check as Check
from karat.api.cross_validation import NestedFolds as NestedFolds
from karat.api.cross_validation import fold_of_rows as fold_of_rows
from karat.api.cross_validation import from_cross_validate as from_cross_validate
from karat.api.functions import confusion_matrix as confusion_matrix
from karat.api.judging import JudgedReport as JudgedReport
from karat.api.labeling import rows_to_label as rows_to_label
from karat.api.monitors.monitor import Monitor as _Monitor
from karat.api.results import Comparison as Comparison
from karat.api.results import Report as Report
from karat.api.results import Result as Result
from karat.api.sample_sizes import rows_needed as rows_needed
from karat.api.score_functions import roc_auc_pairs as roc_auc_pairs
from karat.api.scorer import scorer as scorer
from karat.api.scorer import scorers as scorers
from karat.api.sets import MultilabelReport as MultilabelReport
from karat.api.streams.stream import Stream as _Stream
from karat.api.weak_slices import WeakSlices
from karat.errors import InputError as InputError
from karat.errors import KaratError as KaratError
from karat.errors import UndefinedWarning as UndefinedWarning
from karat.errors import UnknownNameError as UnknownNameError
from karat.metrics import Metric
from karat.metrics.plan import Plan as Plan
from karat.results.gate.monitored import MonitorResult as MonitorResult
from karat.results.gate.result import GateResult as GateResult
from karat.results.result import Signature as Signature
from karat.tally import Label

__version__: str

_Undefined: TypeAlias = Literal["zero", "exclude", "nan"]
_Floats: TypeAlias = NDArray[float64]

class Monitor(_Monitor):
    """Rules on rows that keep coming, checked at every batch.

    At each look, every rule has limits of its metric on all rows so far that hold at every look
    (confidence sequences) and for all rules together: the probability that any rule is ever decided
    wrongly is at most 1 − `level`. A rule that failed stays failed; one that passed stays passed
    unless it fails later. With `windows` each batch is judged alone, with the same probability for
    all batches together: for metrics that change over time. See docs/monitoring.md, also for when
    not to use it.

    Args:
        labels: the classes in order. Default: those of the first batches.
        positive: the positive class of two; default: the larger of 0/1, False/True, −1/1.
        threshold: predict the positive class of two if its probability (or score) is at least
            this; default: predict the class of the largest.
        undefined: value of an undefined class in an average: ``"zero"`` (0 where scikit-learn
            uses 0), ``"exclude"``, or ``"nan"``.
        level: 1 − the accepted rate of wrong verdicts, of all looks and rules together.
        anytime: planned number of rows, or of clusters: limits are narrowest there; default and
            True: 10 000.
        min: a dict from metric to the least value that passes.
        max: a dict from metric to the largest value that passes.
        max_drop: a dict from metric to a drop from a baseline model: it fails where a larger
            one is shown, and passes where that is excluded.
        no_worse_than: a dict from metric to a drop: it passes only where such a drop is
            excluded.
        inconclusive: exit code of an undecided rule, as in `karat.gate`.
        windows: whether each batch is a window of its own, whose verdict is about its rows
            alone. Window j of m rules has limits at 1 − 6(1 − level) ÷ π²j²m; earlier rows are
            not kept.

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
    def __init__(
        self,
        *,
        labels: Sequence[Label] | None = None,
        positive: Label | None = None,
        threshold: float | None = None,
        undefined: str = "zero",
        level: float = 0.95,
        anytime: int | bool | None = None,
        min: Any = None,
        max: Any = None,
        max_drop: Any = None,
        no_worse_than: Any = None,
        inconclusive: str | None = None,
        windows: bool = False,
    ) -> None: ...
    def add(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        true: str | int | None = None,
        pred: str | int | None = None,
        prob: str | Sequence[str] | None = None,
        score: str | Sequence[str] | None = None,
        weights: Any = None,
        clusters: Any = None,
        id: Any = None,
        separator: str | None = None,
        baseline: Any = None,
        again: bool = False,
        nulls: str = "error",
        n_threads: int | None = None,
    ) -> MonitorResult:
        """Add a batch of rows and look: return the verdicts on all rows so far, or on a window.

        A batch with an error is refused as a whole, and changes nothing.

        Args:
            y_true: true labels, [n]; or a table, or files of predictions.
            y_pred: predicted labels, as in `karat.evaluate`.
            y_prob: probabilities, float[n, k] with columns in the order of the classes, or float[n]
                of the positive class of two. They are never clipped or renormalized.
            y_score: any finite scores instead, of the same shapes; losses and calibration use their
                softmax, ranking metrics the scores as given.
            true: column of true labels in the table or files; default: detected by name. Sets of
                labels are columns of lists, text with `separator`, or patterns such as ``"true_*"``
                for columns of one label each.
            pred: column of predicted labels, in the same forms; default: detected by name.
            prob: columns of probabilities: names in the order of the classes, one name (a list
                column, or P(positive)), or a pattern such as ``"proba_*"``; default: detected by
                name.
            score: columns of scores, in the same forms.
            weights: float[n], or the name of a column: importance of each row, at least 0.
            clusters: one name or number for each row, or the name of a column: rows of a cluster (a
                patient, a user) are not independent, and intervals account for it.
            id: a column, or a value for each row, that rows of both models are matched by. Default:
                a column ``id``, ``sample_id``, ``row_id`` … that both have, else the order of the
                rows.
            separator: separator of several labels in a text: ``"|"`` for ``"sea|sky"``. Spaces
                around labels are stripped, a blank text is the empty set, and a backslash escapes
                the separator. Default: a text is one label.
            baseline: predictions of the other model for the same rows, as in `karat.gate`: for
                rules that compare.
            again: whether a batch whose content was added before is added once more.
            nulls: ``"error"``, or ``"drop"`` to leave out rows of a table or of files whose truth
                or prediction is null; the report states their number.
            n_threads: number of threads; None means KARAT_NUM_THREADS, else all cores. It does not
                affect the result.

        Errors:
            K241 the same batch was added before; K240 it has scores, weights or clusters, and
            earlier batches have none; K176 rules need a baseline; K171 to K175 rows of both cannot
            be matched; else as `karat.evaluate`.

        Cost: that of a gate on all rows so far; the rows are kept. With `windows`, that of a gate
        on the batch, which is kept until the next one.
        """

class Stream(_Stream):
    """Report over rows that are added batch by batch, or merged from other processes.

    The report equals that of `karat.evaluate` on all rows, for any batches in any order. For
    labels, the confusion matrix is kept. Rows with scores are kept while they take at most
    `max_memory` bytes. Beyond that, their distinct scores are counted, exactly while they fit, then
    in buckets: results that depend on them have ``exact=False`` and a `bound` for the exact value.
    If `metrics` are of labels and mean losses alone (accuracy, top-k accuracy, log loss), only
    their counts and sums are kept, for any number of classes.
    Sets of labels give a `MultilabelReport` with exact counts; beyond `max_memory`, a sample of
    rows represents how labels occur together.

    Streams are thread-safe, can be used in a forked process, and can be pickled. Tensors on a
    device are tallied there. With `labels`, nothing waits for the device before the stream is read,
    and errors of such rows are raised then; see docs/devices.md.

    Args:
        labels: the classes in order; default: the sorted labels that occur. With scores and
            without `labels`, all labels must occur before `max_memory` is reached.
        class_names: display names, one for each class in order, or a dict from label to name;
            they must be distinct.
        positive: the positive class of two; default: the larger of 0/1, False/True, −1/1.
        threshold: predict the positive class of two if its probability (or score) is at least
            this; default: predict the class of the largest.
        metrics: names of the metrics to compute, or one name; default and ``"all"``: all.
        undefined: value of an undefined class in an average: ``"zero"`` (0 where scikit-learn
            uses 0), ``"exclude"``, or ``"nan"``.
        level: confidence level of the intervals; None for no intervals.
        method: method of all intervals: ``"wald"``, ``"logit"``, ``"bootstrap"``, ``"bca"`` or
            ``"bayesian"``; default: the recommended one for each metric, see docs/intervals.md.
        side: ``"both"`` limits, or only the ``"low"`` or the ``"high"`` limit.
        design: ``"cohort"``: rows were sampled; ``"case-control"``: the number of rows of each
            true class was fixed.
        weights_are: ``"importance"``: rows have different importance; ``"frequency"``: a row of
            weight 3 stands for three rows.
        seed: seed of methods that resample.
        n_replicates: number of replicates of methods that resample.
        n_threads: number of threads; None means KARAT_NUM_THREADS, else all cores. It does not
            affect the result.
        max_memory: memory limit in bytes for rows with scores, at least 1 MiB.

    Errors:
        K122 an invalid choice; K301 unknown metrics.

    Example:
        >>> import karat
        >>> stream = karat.Stream()
        >>> stream.update(["cat", "dog"], ["cat", "cat"])
        >>> other = karat.Stream()
        >>> other.update(["dog"], ["dog"])
        >>> stream.merge(other).report()["accuracy"].value == 2 / 3
        True
    """
    def __init__(
        self,
        *,
        labels: Sequence[Label] | None = None,
        class_names: Sequence[str] | Mapping[Label, str] | None = None,
        positive: Label | None = None,
        threshold: float | None = None,
        metrics: str | Metric | Iterable[str | Metric] | None = None,
        undefined: str = "zero",
        level: float | None = 0.95,
        method: str | None = None,
        side: str = "both",
        design: str = "cohort",
        weights_are: str = "importance",
        seed: int = 0,
        n_replicates: int = 1000,
        n_threads: int | None = None,
        max_memory: int = 268435456,
    ) -> None: ...
    def update(
        self,
        y_true: Any = None,
        y_pred: Any = None,
        *,
        y_prob: Any = None,
        y_score: Any = None,
        weights: Any = None,
    ) -> None:
        """Add rows; a batch with an error is refused as a whole, and changes nothing.

        Errors of rows on a device may appear only when the stream is read, which then fails.

        Args:
            y_true: true labels, [n]; or sets of labels, as `karat.evaluate` takes them.
            y_pred: predicted labels, [n], or sets of them; with scores: if they differ from those
                of the scores.
            y_prob: probabilities, float[n, k] or float[n]; see `karat.evaluate`. For sets, those of
                the labels, in all batches or in none.
            y_score: any finite scores instead, of the same shapes; losses and calibration use their
                softmax, ranking metrics the scores as given.
            weights: float[n], or None; in all batches or in none.

        Errors:
            K101 to K118, K124 labels and weights; K195 to K199, K221, K222 sets of labels; K130 to
            K137 scores; K127 to K129 no true labels, no predictions, two kinds of scores; K126 an
            unknown argument; K201, K202, K203, K180 a batch of a different kind than earlier ones.

        Cost: one pass over the batch; with scores, it is kept, or sorted column by column.
        """

def check(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    true: str | int | None = None,
    pred: str | int | None = None,
    prob: str | Sequence[str] | None = None,
    score: str | Sequence[str] | None = None,
    weights: Any = None,
    clusters: Any = None,
    by: Any = None,
    folds: Any = None,
    ids: Any = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    threshold: Any = None,
    separator: str | None = None,
    nulls: str = "error",
    max_memory: int | None = None,
) -> Check:
    """Return what can be measured with an input, what is missing, and what is in doubt.

    Rows are read and labels are counted as `karat.evaluate` does; no metric is computed. What
    `karat.evaluate` refuses is the `problem` of the check, not an error.

    Args:
        y_true: true labels, [n]; sets of labels (an indicator matrix [n, k], lists or sets),
            for a `MultilabelReport`; or a table (pandas, Polars, Arrow, DuckDB, dict of
            columns); or a partitioned table (Spark, Dask), which is read in place; or files (a
            path, a glob, a folder, several of them, or a SQL query).
        y_pred: predicted labels, [n]; not with a table or files. With y_prob or y_score: the
            predictions, if they differ from the class of the largest probability.
        y_prob: probabilities, float[n, k] with columns in the order of the classes, or float[n]
            of the positive class of two. They are never clipped or renormalized.
        y_score: any finite scores instead, of the same shapes; losses and calibration use their
            softmax, ranking metrics the scores as given.
        true: column of true labels in the table or files; default: detected by name. Sets of
            labels are columns of lists, text with `separator`, or patterns such as ``"true_*"``
            for columns of one label each.
        pred: column of predicted labels, in the same forms; default: detected by name.
        prob: columns of probabilities: names in the order of the classes, one name (a list
            column, or P(positive)), or a pattern such as ``"proba_*"``; default: detected by
            name.
        score: columns of scores, in the same forms.
        weights: float[n], or the name of a column: importance of each row, at least 0.
        clusters: one name or number for each row, or the name of a column: rows of a cluster (a
            patient, a user) are not independent, and intervals account for it.
        by: grouping of the rows for `Report.slices`: one value for each row, or a dict from
            name to such values; for a table or files, the name of a column, a tuple of names
            for their cross, or a list of both. Rows without a value form a slice; numbers with
            many distinct values are put into five bins. See docs/slices.md.
        folds: fold of cross-validation that tested each row, for `Report.folds`: one value for
            each row; with repeats a dict, or a table, of ``"repeat"`` and ``"fold"``, and ids;
            for a table or files the name of the column, or ``"auto"``. See docs/folds.md.
        ids: one id for each row, [n], or the name of a column of unique ids in a table or in
            files; default: detected by name; ``""`` for none. Several files with the same ids
            are taken for several models (K193); a warning reports repeated ids.
        labels: the classes in order, including those that never occur. Default: the sorted
            union of true and predicted labels.
        positive: the positive class of two; default: the larger of 0/1, False/True, −1/1.
        threshold: predict the positive class of two if its probability (or score) is at least
            this; default: predict the class of the largest.
        separator: separator of several labels in a text: ``"|"`` for ``"sea|sky"``. Spaces
            around labels are stripped, a blank text is the empty set, and a backslash escapes
            the separator. Default: a text is one label.
        nulls: ``"error"``, or ``"drop"`` to leave out rows of a table or of files whose truth
            or prediction is null; the report states their number.
        max_memory: memory limit in bytes for rows of files, of a partition of a frame or of
            tensors on a device. Above it, distinct scores are counted, or buckets of them;
            results then have ``exact`` or a ``bound``. Default: 2 GiB, or 256 MiB for a
            partition.

    Returns:
        A `Check`: true where a report can be made and nothing is in doubt. ``.problem``,
        ``.doubts``, ``.abilities``, ``.mapping``, ``print``.

    Errors:
        K126 an argument that does not exist.

    Cost: one pass over the rows.

    Example:
        >>> import karat
        >>> found = karat.check(["fraud", "ok", "ok"], y_prob=[0.9, 0.2, 0.1])
        >>> bool(found), found.problem.code
        (False, 'K190')
        >>> print(karat.check([1, 0, 0], y_score=[0.9, 0.2, 0.1]).doubts[0].evidence)
        All 3 scores lie in [0, 1].
    """

def compare(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_prob: Mapping[str, Any] | None = None,
    y_score: Mapping[str, Any] | None = None,
    weights: Any = None,
    clusters: Any = None,
    folds: Any = None,
    labels: Sequence[Label] | None = None,
    class_names: Sequence[str] | Mapping[Label, str] | None = None,
    positive: Label | None = None,
    threshold: float | Sequence[float] | Mapping[str, Any] | None = None,
    separator: str | None = None,
    label_strata: Mapping[str, Sequence[Label]] | None = None,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    undefined: str = "zero",
    level: float = 0.95,
    weights_are: str = "importance",
    seed: int = 0,
    anytime: int | bool | None = None,
    margin: float | Mapping[str, float] | None = None,
    adjust: str = "holm",
    paired: bool = True,
    n_permutations: int = 4999,
    baseline: str | None = None,
    n_threads: int | None = None,
    gold: Any = None,
    judge: Any = None,
    gold_weights: Any = None,
    gold_is_random: bool = False,
) -> Comparison:
    """Compare models: which is better, by how much, and how certain.

    Models on the same rows are compared row by row, which shows differences that two separate
    intervals hide. A difference is a − b: of the models in the order given each later one against
    each earlier one, or each other one against `baseline`.

    Args:
        y_true: true labels, [n], or sets of labels, as in `evaluate`; or a dict from model to
            true labels, for models that were measured on different rows; or, alone, a dict from
            model to `Report` or `MultilabelReport`.
        y_pred: a dict from model to predicted labels, [n], or sets of them; or a table with a
            column for each model.
        y_prob: a dict from model to probabilities, float[n, k] or float[n] of the positive
            class; of sets those of the labels, in any form that `evaluate` takes.
        y_score: a dict from model to any finite scores instead, of the same shapes. A model may
            have labels and scores; without labels the class of the largest is predicted.
        weights: float[n], importance of each row; of models on different rows a dict.
        clusters: a label for each row, [n]: rows with the same one are not independent.
        folds: fold of cross-validation that tested each row, as in `evaluate`, the same for all
            models: `Comparison.folds` has the corrected resampled t-test. With repeats the ids
            of rows are `clusters`.
        labels: the classes in order, including those that never occur. Default: the sorted
            union of true and predicted labels.
        class_names: display names, one for each class in order, or a dict from label to name;
            they must be distinct.
        positive: the positive class of two; default: the larger of 0/1, False/True, −1/1.
        threshold: of sets, from which score on a label is predicted, as of `evaluate`: one
            number, one for each label, or a dict from model to either.
        separator: separator of several labels in a text: ``"|"`` for ``"sea|sky"``. Spaces
            around labels are stripped, a blank text is the empty set, and a backslash escapes
            the separator. Default: a text is one label.
        label_strata: of sets, a dict from stratum to labels, as ``{"head": [...], "tail":
            [...]}``: `Comparison.strata` holds the same comparison of these labels alone.
        metrics: names to compare, one name, or ``"all"``. Default: accuracy, F1 (macro of more
            than two classes), balanced accuracy and Matthews correlation; with scores of every
            model the area under the ROC curve, with probabilities log-loss and Brier score. Of
            sets: subset accuracy, Hamming loss, and F1 by rows, micro and macro; with scores of
            every model label ranking average precision, mean average precision where every
            label has a score, and with probabilities cross entropy.
        undefined: value of an undefined class in an average: ``"zero"`` (0 where scikit-learn
            uses 0), ``"exclude"``, or ``"nan"``.
        level: of the intervals; a difference counts where its p-value is below 1 − level.
        weights_are: ``"importance"``: rows have different importance; ``"frequency"``: a row of
            weight 3 stands for three rows.
        seed: of permutations, of `maxt`, and of the correction of `Comparison.best`.
        anytime: planned number of rows, or of clusters: intervals and p-values hold at every
            look at rows that keep coming; True is 10 000. For models on the same rows, with one
            class each. See docs/monitoring.md.
        margin: differences smaller than this do not matter: one number for every metric, or a
            dict from metric to number. With it a verdict may be ``"equivalent"``.
        adjust: how p-values allow for many pairs of models: ``"holm"``; ``"maxt"``, with
            simultaneous intervals, from the joint distribution; or ``"none"``.
        paired: False takes the models to be independent though their rows are the same.
        n_permutations: replicates of the permutation test, which small classes need.
        baseline: the model that the others are compared with. Default: every pair.
        n_threads: number of threads; None means KARAT_NUM_THREADS, else all cores. It does not
            affect the result.
        gold: labels of people, missing (None, NaN) where there is none, as of `evaluate`.
            Without predictions a dict from system to the verdicts about it, or a table with a
            column for each: systems are compared by the proportion of the positive verdict.
        judge: a judge's label for every row, in the same forms as `gold`.
        gold_weights: float[n], or a column: inverse of the probability that a row was chosen.
        gold_is_random: states that the rows with gold labels are a random part of all.

    Returns:
        A `Comparison`: ``print``, ``comparison["macro_f1"]``, ``.best("macro_f1")``,
        ``.differences``, ``.to_json()``.

    Errors:
        K161 to K166 models, baseline or margin cannot be used; K1xx the labels, scores or options
        cannot be; K3xx a metric name is wrong.

    Cost: one pass for each model, then the work is that of the distinct rows of predictions.

    Example:
        >>> import karat
        >>> truth = ["cat", "cat", "dog", "dog", "dog", "cat"] * 20
        >>> old = ["cat", "dog", "dog", "cat", "dog", "cat"] * 20
        >>> new = ["cat", "dog", "dog", "dog", "dog", "cat"] * 20
        >>> found = karat.compare(truth, {"old": old, "new": new})
        >>> print(found["accuracy"])
        accuracy: new − old = +0.1667 [+0.1106, +0.2435], p = 9.54e-07: better
    """

def evaluate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    confusion: Any = None,
    true: str | int | None = None,
    pred: str | int | None = None,
    prob: str | Sequence[str] | None = None,
    score: str | Sequence[str] | None = None,
    weights: Any = None,
    clusters: Any = None,
    by: Any = None,
    folds: Any = None,
    ids: Any = None,
    keep_rows: int | None = None,
    labels: Sequence[Label] | None = None,
    class_names: Sequence[str] | Mapping[Label, str] | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
    separator: str | None = None,
    metrics: str | Metric | Iterable[str | Metric] | None = None,
    undefined: str = "zero",
    level: float | None = 0.95,
    method: str | None = None,
    side: str = "both",
    design: str = "cohort",
    weights_are: str = "importance",
    seed: int = 0,
    n_replicates: int = 1000,
    anytime: int | bool | None = None,
    nulls: str = "error",
    n_threads: int | None = None,
    max_memory: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    exact: bool = False,
    gold: Any = None,
    judge: Any = None,
    gold_weights: Any = None,
    gold_is_random: bool = False,
) -> Report:
    """Compute every quality metric of a classifier's predictions, with intervals, in one pass.

    Args:
        y_true: true labels, [n]; sets of labels (an indicator matrix [n, k], lists or sets),
            for a `MultilabelReport`; or a table (pandas, Polars, Arrow, DuckDB, dict of
            columns); or a partitioned table (Spark, Dask), which is read in place; or files (a
            path, a glob, a folder, several of them, or a SQL query).
        y_pred: predicted labels, [n]; not with a table or files. With y_prob or y_score: the
            predictions, if they differ from the class of the largest probability.
        y_prob: probabilities, float[n, k] with columns in the order of the classes, or float[n]
            of the positive class of two. They are never clipped or renormalized.
        y_score: any finite scores instead, of the same shapes; losses and calibration use their
            softmax, ranking metrics the scores as given.
        confusion: number[k, k], rows true, columns predicted; instead of rows.
        true: column of true labels in the table or files; default: detected by name. Sets of
            labels are columns of lists, text with `separator`, or patterns such as ``"true_*"``
            for columns of one label each.
        pred: column of predicted labels, in the same forms; default: detected by name.
        prob: columns of probabilities: names in the order of the classes, one name (a list
            column, or P(positive)), or a pattern such as ``"proba_*"``; default: detected by
            name.
        score: columns of scores, in the same forms.
        weights: float[n], or the name of a column: importance of each row, at least 0.
        clusters: one name or number for each row, or the name of a column: rows of a cluster (a
            patient, a user) are not independent, and intervals account for it.
        by: grouping of the rows for `Report.slices`: one value for each row, or a dict from
            name to such values; for a table or files, the name of a column, a tuple of names
            for their cross, or a list of both. Rows without a value form a slice; numbers with
            many distinct values are put into five bins. See docs/slices.md.
        folds: fold of cross-validation that tested each row, for `Report.folds`: one value for
            each row; with repeats a dict, or a table, of ``"repeat"`` and ``"fold"``, and ids;
            for a table or files the name of the column, or ``"auto"``. See docs/folds.md.
        ids: one id for each row, [n], or the name of a column of unique ids in a table or in
            files; default: detected by name; ``""`` for none. Several files with the same ids
            are taken for several models (K193); a warning reports repeated ids.
        keep_rows: number of rows to keep of each cell of the confusion matrix, bin of
            probabilities and slice, the most wrong ones: `Report.rows` and the page list them.
            Default: 20 if `ids` is given, else 0. Without ids, rows have their numbers in the
            source, from 0.
        labels: the classes in order, including those that never occur. Default: the sorted
            union of true and predicted labels.
        class_names: display names, one for each class in order, or a dict from label to name;
            they must be distinct.
        positive: the positive class of two; default: the larger of 0/1, False/True, −1/1.
        threshold: predict the positive class of two if its probability (or score) is at least
            this; default: predict the class of the largest.
        separator: separator of several labels in a text: ``"|"`` for ``"sea|sky"``. Spaces
            around labels are stripped, a blank text is the empty set, and a backslash escapes
            the separator. Default: a text is one label.
        metrics: names of the metrics to compute, or one name; default and ``"all"``: all.
        undefined: value of an undefined class in an average: ``"zero"`` (0 where scikit-learn
            uses 0), ``"exclude"``, or ``"nan"``.
        level: confidence level of the intervals; None for no intervals.
        method: method of all intervals: ``"wald"``, ``"logit"``, ``"bootstrap"``, ``"bca"`` or
            ``"bayesian"``; default: the recommended one for each metric, see docs/intervals.md.
        side: ``"both"`` limits, or only the ``"low"`` or the ``"high"`` limit.
        design: ``"cohort"``: rows were sampled; ``"case-control"``: the number of rows of each
            true class was fixed.
        weights_are: ``"importance"``: rows have different importance; ``"frequency"``: a row of
            weight 3 stands for three rows.
        seed: seed of methods that resample.
        n_replicates: number of replicates of methods that resample.
        anytime: planned number of rows, or of clusters: intervals hold at every look at rows
            that keep coming, and are narrowest there; True is 10 000. See docs/monitoring.md.
        nulls: ``"error"``, or ``"drop"`` to leave out rows of a table or of files whose truth
            or prediction is null; the report states their number.
        n_threads: number of threads; None means KARAT_NUM_THREADS, else all cores. It does not
            affect the result.
        max_memory: memory limit in bytes for rows of files, of a partition of a frame or of
            tensors on a device. Above it, distinct scores are counted, or buckets of them;
            results then have ``exact`` or a ``bound``. Default: 2 GiB, or 256 MiB for a
            partition.
        checkpoint: a file that records the progress of reading Parquet files; an interrupted
            read resumes from it.
        exact: whether to read files with bucketed scores again, so that every number is exact.
            It takes 16 + 16k bytes of disk for each distinct score of each column. Not for
            partitioned tables.
        gold: labels of people, missing (None, NaN, blank) where there is none; or a column of
            the table. With `judge` they give a `JudgedReport`, see docs/judge.md.
        judge: a judge's label for every row; or a column of the table.
        gold_weights: float[n], or a column: inverse of the probability that a row was chosen.
        gold_is_random: states that the rows with gold labels are a random part of all.

    Returns:
        A `Report`: ``report["macro_f1"]``, ``report.per_class``, ``report.confusion``, ``print``.
        For sets of labels, a `MultilabelReport`, with ``transfers`` instead of a confusion matrix;
        with a judge a `JudgedReport`.

    Errors:
        K1xx the labels, weights or options cannot be used (argument, first row, count); K3xx a
        metric name or parameter is invalid; K4xx a file or column cannot be read.

    Cost: one pass; arrays of integers are not copied; files take memory for one batch.

    Example:
        >>> import karat
        >>> report = karat.evaluate(["cat", "dog", "dog"], ["cat", "cat", "dog"])
        >>> report["accuracy"].value == 2 / 3
        True
        >>> report.macro_f1.name
        'macro_f1'
    """

def find_weak_slices(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    true: str | int | None = None,
    pred: str | int | None = None,
    prob: str | Sequence[str] | None = None,
    score: str | Sequence[str] | None = None,
    weights: Any = None,
    clusters: Any = None,
    by: Any = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    metric: str | Metric | None = None,
    loss: Any = None,
    level: float = 0.95,
    seed: int = 0,
    n_permutations: int = 999,
    depth: int = 2,
    crosses: bool = True,
    min_n: int = 50,
) -> WeakSlices:
    """Find the slices on which a classifier is worse than elsewhere, among all columns of a table.

    Every value and range of every column is looked at, and every cross of `depth` columns. The
    largest of all statistics is compared with the largest where losses are permuted across rows
    (Westfall and Young 1993), so that data without any weak slice show one in at most 1 − level of
    cases, however many columns there are. The smallest slice that explains is reported and its rows
    are set aside; another that shares rows with it, as a parent does, is reported only where its
    remaining rows are worse, too (the sequential rejection principle, Goeman and Solari 2010).

    Args:
        y_true: labels, [n]; or a table (pandas, Polars, Arrow, DuckDB, dict of columns) or
            files (a path, a glob, a folder, several of them, or a SQL query) that hold
            everything.
        y_pred: predicted labels, [n]; a row loses 1 where they differ from the true ones.
        y_prob: probabilities, float[n, k] with columns in the order of the classes, or float[n]
            of the positive class of two. They are never clipped or renormalized.
        y_score: any finite scores instead, of the same shapes; losses and calibration use their
            softmax, ranking metrics the scores as given.
        true: column of true labels in the table or files; default: detected by name. Sets of
            labels are columns of lists, text with `separator`, or patterns such as ``"true_*"``
            for columns of one label each.
        pred: column of predicted labels, in the same forms; default: detected by name.
        prob: columns of probabilities: names in the order of the classes, one name (a list
            column, or P(positive)), or a pattern such as ``"proba_*"``; default: detected by
            name.
        score: columns of scores, in the same forms.
        weights: float[n], at least 0, or the name of a column (of a table found by its name; ""
            for none): how much each row counts; rows of weight 0 are left out.
        clusters: one name or number a row, or the name of a column: rows of a cluster depend on
            each other. Then the losses of each cluster keep or change their sign together
            (Hemerik, Goeman and Finos 2020).
        by: the columns to look at: a table, or a dict from name to values, [n] each; of a table
            or files that were given first their names. Default: all its others that hold
            neither labels, weights, clusters, ids nor output of the model (probabilities,
            scores, the predictions in other words).
        labels: the classes in order, including those that never occur. Default: the sorted
            union of true and predicted labels.
        positive: the positive class of two; default: the larger of 0/1, False/True, −1/1.
        metric: the metric by which slices are worse, in the direction of its record, by the
            influence of each row on it. Default: the proportion of wrong rows.
        loss: float[n] instead of labels: what each row loses, at least 0; or the name of its
            column.
        level: 1 − the chance of a false finding among all.
        seed: of the permutations.
        n_permutations: number of permutations.
        depth: the most columns of a slice: 1, 2 or 3.
        crosses: False looks at single columns only, as with depth 1.
        min_n: slices of fewer rows are not looked at.

    Returns:
        `WeakSlices`: true where one was found; ``.slices``, each with columns, key, rows, values
        and p; ``.doubts`` about the rows; ``print``, ``.to_frame()``, ``.to_dict()``.

    Errors:
        K101 to K137 labels, scores, losses and weights; K128, K143, K184, K185 labels and
        losses that are missing or do not go together; K122 an option, or a metric that no row
        moves; K181 no columns; K307 a metric of one class; K401 to K411 files; K404 to K406 no
        such column; K416, K423 rows in partitions.

    Cost: n_permutations × rows × parts of all columns, for each column; 20 columns of 10⁴ rows take
    seconds, for each slice that is found. Depth 3 costs that for each pair of columns.

    Example:
        >>> import karat
        >>> site, true = ["a", "b", "c", "d"] * 100, [0, 1, 1, 0] * 100
        >>> pred = [1 - t if s == "c" else t for s, t in zip(site, true)]
        >>> found = karat.find_weak_slices(true, pred, by={"site": site})
        >>> found.slices[0].name, found.slices[0].value
        ('site = c', 1.0)
    """

def gate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    true: str | int | None = None,
    pred: str | int | None = None,
    prob: str | Sequence[str] | None = None,
    score: str | Sequence[str] | None = None,
    weights: Any = None,
    clusters: Any = None,
    by: Any = None,
    folds: Any = None,
    id: Any = None,
    labels: Sequence[Label] | None = None,
    positive: Label | None = None,
    threshold: float | None = None,
    separator: str | None = None,
    undefined: str = "zero",
    level: float = 0.95,
    anytime: int | bool | None = None,
    adjust: str = "holm",
    min_n: int = 30,
    min: Any = None,
    max: Any = None,
    max_drop: Any = None,
    no_worse_than: Any = None,
    baseline: Any = None,
    evidence: str = "value",
    allow_mismatch: bool = False,
    inconclusive: str | None = None,
    strict_inconclusive: bool = False,
    warn_only: bool = False,
    update_baseline: str | PathLike[str] | None = None,
    with_rows: bool = False,
    nulls: str = "error",
    n_threads: int | None = None,
) -> GateResult:
    """Check whether predictions are good enough, and no worse than those of an earlier model.

    The verdict is ``"FAIL"`` where a rule fails, ``"INCONCLUSIVE"`` where the rows do not decide
    one, else ``"PASS"``; the result is true where it is ``"PASS"``. Without a rule and a baseline
    there is no verdict: `update_baseline` alone writes the first baseline.

    Args:
        y_true: true labels, [n], or sets of labels; or a table, files of predictions, a
            `Report` or a `MultilabelReport`.
        y_pred: predicted labels, as in `karat.evaluate`.
        y_prob: probabilities, float[n, k] with columns in the order of the classes, or float[n]
            of the positive class of two. They are never clipped or renormalized.
        y_score: any finite scores instead, of the same shapes; losses and calibration use their
            softmax, ranking metrics the scores as given.
        true: column of true labels in the table or files; default: detected by name. Sets of
            labels are columns of lists, text with `separator`, or patterns such as ``"true_*"``
            for columns of one label each.
        pred: column of predicted labels, in the same forms; default: detected by name.
        prob: columns of probabilities: names in the order of the classes, one name (a list
            column, or P(positive)), or a pattern such as ``"proba_*"``; default: detected by
            name.
        score: columns of scores, in the same forms.
        weights: float[n], or the name of a column: importance of each row, at least 0.
        clusters: one name or number for each row, or the name of a column: rows of a cluster (a
            patient, a user) are not independent, and intervals account for it.
        by: a column, or a value for each row, also as ``{"country": values}``: every rule holds
            for every slice too. A slice that the baseline has and these rows do not fails; of
            one that only these rows have, what compares with the baseline is inconclusive.
        folds: a column, or the fold of each row, as in `karat.evaluate`: every rule is about
            the mean over folds, with the interval of Nadeau and Bengio, and a drop about the
            mean difference over the folds of both. Not with `by`.
        id: a column, or a value for each row, that rows of both models are matched by. Default:
            a column ``id``, ``sample_id``, ``row_id`` … that both have, else the order of the
            rows.
        labels: the classes in order, including those that never occur. Default: the sorted
            union of true and predicted labels.
        positive: the positive class of two; default: the larger of 0/1, False/True, −1/1.
        threshold: predict the positive class of two if its probability (or score) is at least
            this; default: predict the class of the largest.
        separator: separator of several labels in a text: ``"|"`` for ``"sea|sky"``. Spaces
            around labels are stripped, a blank text is the empty set, and a backslash escapes
            the separator. Default: a text is one label.
        undefined: value of an undefined class in an average: ``"zero"`` (0 where scikit-learn
            uses 0), ``"exclude"``, or ``"nan"``.
        level: of the intervals; a drop counts where its one-sided p-value is below half of 1 −
            level.
        anytime: planned number of rows, or of clusters, of a gate that is run again and again
            on rows that keep coming: limits and p-values hold at every run, and bounds are
            judged by the limits; True is 10 000. See docs/monitoring.md.
        adjust: ``"holm"``: p-values allow for all rules that compare with the baseline;
            ``"none"``.
        min_n: slices with fewer rows are inconclusive.
        min: a dict from metric to the least value that passes.
        max: a dict from metric to the largest value that passes.
        max_drop: a dict from metric to a drop: it fails where a larger one than that is shown.
        no_worse_than: a dict from metric to a drop: it passes only where such a drop is
            excluded.
        baseline: what to compare with: a file that `update_baseline` wrote, predictions of the
            earlier model in files or a table, its `Report` or the JSON of it, or, beside
            arrays, its predictions of the same rows. Without `max_drop` and `no_worse_than`,
            accuracy (of sets: subset accuracy) and macro F1 may not be significantly worse.
            With `by` it holds rows, or slices by the same column.
        evidence: ``"value"``: bounds hold for the value; ``"low"``: for the limit of its
            interval on their side, as always with `anytime`.
        allow_mismatch: compare the rows that both have, where some are missing.
        inconclusive: ``"fail"``: an inconclusive rule keeps the gate from passing, with the
            exit code 3; ``"pass"``: it does not. Default: ``"fail"`` for `max_drop` and
            `no_worse_than`, ``"pass"`` for other rules, and for a slice that its own rows
            cannot judge: fewer than `min_n`, of one cluster or without weight.
        strict_inconclusive: the same as ``inconclusive="fail"``.
        warn_only: whether the exit code is 0 for every verdict.
        update_baseline: where to write these predictions as the next baseline, if the gate
            passes.
        with_rows: whether it holds the rows, so that the next model is compared row by row.
        nulls: ``"error"``, or ``"drop"`` to leave out rows of a table or of files whose truth
            or prediction is null; the report states their number.
        n_threads: number of threads; None means KARAT_NUM_THREADS, else all cores. It does not
            affect the result.

    Returns:
        A `GateResult`: true where it passed; ``.verdict``, ``.rules``, ``.exit_code``, ``print``.

    Errors:
        K171 to K175 rows that cannot be matched; K176 rules that cannot be; K189 a baseline without
        these slices; K205, K206 a damaged baseline; K3xx no such metric; K413 the baseline
        cannot be written; else as `karat.evaluate`.

    Example:
        >>> import karat
        >>> truth = ["cat", "dog", "dog", "cat"] * 25
        >>> predicted = ["cat", "dog", "cat", "cat"] * 25
        >>> print(karat.gate(truth, predicted, positive="dog", min={"accuracy": 0.7}))
        karat gate  PASS: 1 of 1 rule passed
          PASS          accuracy ≥ 0.7: 0.75 [0.657, 0.8245], n = 100
    """

@overload
def precision(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def precision(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows predicted as the class that belong to it.

    Definition: Of the positive class: TP / (TP + FP)
    """

def macro_precision(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows predicted as the class that belong to it.

    Definition: Mean over the classes: TP / (TP + FP)
    """

def micro_precision(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows predicted as the class that belong to it.

    Definition: From the counts added over the classes: TP / (TP + FP)
    """

def weighted_precision(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows predicted as the class that belong to it.

    Definition: Mean over the classes, each weighted by its support: TP / (TP + FP)
    """

def samples_precision(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows predicted as the class that belong to it.

    Definition: Of the labels of each row, and the mean over the rows: TP / (TP + FP)
    """

@overload
def positive_predictive_value(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def positive_predictive_value(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows predicted as the class that belong to it.

    Definition: Of the positive class: TP / (TP + FP)

    Another name of `precision`.
    """

@overload
def ppv(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def ppv(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows predicted as the class that belong to it.

    Definition: Of the positive class: TP / (TP + FP)

    Another name of `precision`.
    """

@overload
def precision_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def precision_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows predicted as the class that belong to it.

    Definition: Of the positive class: TP / (TP + FP)

    Another name of `precision`.
    """

@overload
def recall(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def recall(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as it.

    Definition: Of the positive class: TP / (TP + FN)
    """

def macro_recall(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as it.

    Definition: Mean over the classes: TP / (TP + FN)
    """

def micro_recall(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as it.

    Definition: From the counts added over the classes: TP / (TP + FN)
    """

def weighted_recall(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as it.

    Definition: Mean over the classes, each weighted by its support: TP / (TP + FN)
    """

def samples_recall(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as it.

    Definition: Of the labels of each row, and the mean over the rows: TP / (TP + FN)
    """

@overload
def sensitivity(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def sensitivity(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as it.

    Definition: Of the positive class: TP / (TP + FN)

    Another name of `recall`.
    """

@overload
def true_positive_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def true_positive_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as it.

    Definition: Of the positive class: TP / (TP + FN)

    Another name of `recall`.
    """

@overload
def tpr(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def tpr(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as it.

    Definition: Of the positive class: TP / (TP + FN)

    Another name of `recall`.
    """

@overload
def hit_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def hit_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as it.

    Definition: Of the positive class: TP / (TP + FN)

    Another name of `recall`.
    """

@overload
def recall_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def recall_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as it.

    Definition: Of the positive class: TP / (TP + FN)

    Another name of `recall`.
    """

@overload
def specificity(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def specificity(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are not predicted as this one.

    Definition: Of the positive class: TN / (TN + FP)
    """

def macro_specificity(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are not predicted as this one.

    Definition: Mean over the classes: TN / (TN + FP)
    """

def micro_specificity(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are not predicted as this one.

    Definition: From the counts added over the classes: TN / (TN + FP)
    """

def weighted_specificity(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are not predicted as this one.

    Definition: Mean over the classes, each weighted by its support: TN / (TN + FP)
    """

def samples_specificity(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are not predicted as this one.

    Definition: Of the labels of each row, and the mean over the rows: TN / (TN + FP)
    """

@overload
def true_negative_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def true_negative_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are not predicted as this one.

    Definition: Of the positive class: TN / (TN + FP)

    Another name of `specificity`.
    """

@overload
def tnr(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def tnr(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are not predicted as this one.

    Definition: Of the positive class: TN / (TN + FP)

    Another name of `specificity`.
    """

@overload
def selectivity(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def selectivity(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are not predicted as this one.

    Definition: Of the positive class: TN / (TN + FP)

    Another name of `specificity`.
    """

@overload
def negative_predictive_value(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def negative_predictive_value(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows not predicted as the class that do not belong to it.

    Definition: Of the positive class: TN / (TN + FN)
    """

def macro_negative_predictive_value(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows not predicted as the class that do not belong to it.

    Definition: Mean over the classes: TN / (TN + FN)
    """

def micro_negative_predictive_value(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows not predicted as the class that do not belong to it.

    Definition: From the counts added over the classes: TN / (TN + FN)
    """

def weighted_negative_predictive_value(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows not predicted as the class that do not belong to it.

    Definition: Mean over the classes, each weighted by its support: TN / (TN + FN)
    """

def samples_negative_predictive_value(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows not predicted as the class that do not belong to it.

    Definition: Of the labels of each row, and the mean over the rows: TN / (TN + FN)
    """

@overload
def npv(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def npv(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows not predicted as the class that do not belong to it.

    Definition: Of the positive class: TN / (TN + FN)

    Another name of `negative_predictive_value`.
    """

@overload
def false_positive_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def false_positive_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are predicted as this one.

    Definition: Of the positive class: FP / (TN + FP)
    """

def macro_false_positive_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are predicted as this one.

    Definition: Mean over the classes: FP / (TN + FP)
    """

def micro_false_positive_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are predicted as this one.

    Definition: From the counts added over the classes: FP / (TN + FP)
    """

def weighted_false_positive_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are predicted as this one.

    Definition: Mean over the classes, each weighted by its support: FP / (TN + FP)
    """

def samples_false_positive_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are predicted as this one.

    Definition: Of the labels of each row, and the mean over the rows: FP / (TN + FP)
    """

@overload
def fpr(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def fpr(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are predicted as this one.

    Definition: Of the positive class: FP / (TN + FP)

    Another name of `false_positive_rate`.
    """

@overload
def fall_out(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def fall_out(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of other classes that are predicted as this one.

    Definition: Of the positive class: FP / (TN + FP)

    Another name of `false_positive_rate`.
    """

@overload
def false_negative_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def false_negative_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as another.

    Definition: Of the positive class: FN / (TP + FN)
    """

def macro_false_negative_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as another.

    Definition: Mean over the classes: FN / (TP + FN)
    """

def micro_false_negative_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as another.

    Definition: From the counts added over the classes: FN / (TP + FN)
    """

def weighted_false_negative_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as another.

    Definition: Mean over the classes, each weighted by its support: FN / (TP + FN)
    """

def samples_false_negative_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as another.

    Definition: Of the labels of each row, and the mean over the rows: FN / (TP + FN)
    """

@overload
def fnr(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def fnr(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as another.

    Definition: Of the positive class: FN / (TP + FN)

    Another name of `false_negative_rate`.
    """

@overload
def miss_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def miss_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows of the class that are predicted as another.

    Definition: Of the positive class: FN / (TP + FN)

    Another name of `false_negative_rate`.
    """

@overload
def false_discovery_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def false_discovery_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows predicted as the class that belong to another.

    Definition: Of the positive class: FP / (TP + FP)
    """

def macro_false_discovery_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows predicted as the class that belong to another.

    Definition: Mean over the classes: FP / (TP + FP)
    """

def micro_false_discovery_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows predicted as the class that belong to another.

    Definition: From the counts added over the classes: FP / (TP + FP)
    """

def weighted_false_discovery_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows predicted as the class that belong to another.

    Definition: Mean over the classes, each weighted by its support: FP / (TP + FP)
    """

def samples_false_discovery_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows predicted as the class that belong to another.

    Definition: Of the labels of each row, and the mean over the rows: FP / (TP + FP)
    """

@overload
def fdr(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def fdr(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows predicted as the class that belong to another.

    Definition: Of the positive class: FP / (TP + FP)

    Another name of `false_discovery_rate`.
    """

@overload
def false_omission_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def false_omission_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows not predicted as the class that belong to it.

    Definition: Of the positive class: FN / (TN + FN)
    """

def macro_false_omission_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows not predicted as the class that belong to it.

    Definition: Mean over the classes: FN / (TN + FN)
    """

def micro_false_omission_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows not predicted as the class that belong to it.

    Definition: From the counts added over the classes: FN / (TN + FN)
    """

def weighted_false_omission_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows not predicted as the class that belong to it.

    Definition: Mean over the classes, each weighted by its support: FN / (TN + FN)
    """

def samples_false_omission_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows not predicted as the class that belong to it.

    Definition: Of the labels of each row, and the mean over the rows: FN / (TN + FN)
    """

@overload
def false_omission(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def false_omission(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows not predicted as the class that belong to it.

    Definition: Of the positive class: FN / (TN + FN)

    Another name of `false_omission_rate`.
    """

@overload
def for_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def for_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows not predicted as the class that belong to it.

    Definition: Of the positive class: FN / (TN + FN)

    Another name of `false_omission_rate`.
    """

@overload
def prevalence(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def prevalence(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of all rows that belong to the class.

    Definition: Of the positive class: (TP + FN) / n
    """

def macro_prevalence(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of all rows that belong to the class.

    Definition: Mean over the classes: (TP + FN) / n
    """

def micro_prevalence(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of all rows that belong to the class.

    Definition: From the counts added over the classes: (TP + FN) / n
    """

def weighted_prevalence(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of all rows that belong to the class.

    Definition: Mean over the classes, each weighted by its support: (TP + FN) / n
    """

def samples_prevalence(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of all rows that belong to the class.

    Definition: Of the labels of each row, and the mean over the rows: (TP + FN) / n
    """

@overload
def base_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def base_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of all rows that belong to the class.

    Definition: Of the positive class: (TP + FN) / n

    Another name of `prevalence`.
    """

@overload
def precision_lift(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def precision_lift(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of precision to prevalence.

    Definition: Of the positive class: TP·n / ((TP + FP)·(TP + FN))
    """

def macro_precision_lift(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of precision to prevalence.

    Definition: Mean over the classes: TP·n / ((TP + FP)·(TP + FN))
    """

def weighted_precision_lift(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of precision to prevalence.

    Definition: Mean over the classes, each weighted by its support: TP·n / ((TP + FP)·(TP + FN))
    """

def samples_precision_lift(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of precision to prevalence.

    Definition: Of the labels of each row, and the mean over the rows: TP·n / ((TP + FP)·(TP + FN))
    """

@overload
def informedness(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def informedness(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Recall plus specificity minus 1: Youden's J statistic.

    Definition: Of the positive class: TP / (TP + FN) + TN / (TN + FP) − 1
    """

def macro_informedness(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Recall plus specificity minus 1: Youden's J statistic.

    Definition: Mean over the classes: TP / (TP + FN) + TN / (TN + FP) − 1
    """

def micro_informedness(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Recall plus specificity minus 1: Youden's J statistic.

    Definition: From the counts added over the classes: TP / (TP + FN) + TN / (TN + FP) − 1
    """

def weighted_informedness(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Recall plus specificity minus 1: Youden's J statistic.

    Definition: Mean over the classes, each weighted by its support: TP / (TP + FN) + TN / (TN + FP)
    − 1
    """

def samples_informedness(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Recall plus specificity minus 1: Youden's J statistic.

    Definition: Of the labels of each row, and the mean over the rows: TP / (TP + FN) + TN / (TN +
    FP) − 1
    """

@overload
def youden_j(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def youden_j(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Recall plus specificity minus 1: Youden's J statistic.

    Definition: Of the positive class: TP / (TP + FN) + TN / (TN + FP) − 1

    Another name of `informedness`.
    """

@overload
def youden_index(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def youden_index(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Recall plus specificity minus 1: Youden's J statistic.

    Definition: Of the positive class: TP / (TP + FN) + TN / (TN + FP) − 1

    Another name of `informedness`.
    """

@overload
def bookmaker_informedness(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def bookmaker_informedness(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Recall plus specificity minus 1: Youden's J statistic.

    Definition: Of the positive class: TP / (TP + FN) + TN / (TN + FP) − 1

    Another name of `informedness`.
    """

@overload
def markedness(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def markedness(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Precision plus negative predictive value minus 1.

    Definition: Of the positive class: TP / (TP + FP) + TN / (TN + FN) − 1
    """

def macro_markedness(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Precision plus negative predictive value minus 1.

    Definition: Mean over the classes: TP / (TP + FP) + TN / (TN + FN) − 1
    """

def micro_markedness(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Precision plus negative predictive value minus 1.

    Definition: From the counts added over the classes: TP / (TP + FP) + TN / (TN + FN) − 1
    """

def weighted_markedness(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Precision plus negative predictive value minus 1.

    Definition: Mean over the classes, each weighted by its support: TP / (TP + FP) + TN / (TN + FN)
    − 1
    """

def samples_markedness(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Precision plus negative predictive value minus 1.

    Definition: Of the labels of each row, and the mean over the rows: TP / (TP + FP) + TN / (TN +
    FN) − 1
    """

@overload
def delta_p(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def delta_p(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Precision plus negative predictive value minus 1.

    Definition: Of the positive class: TP / (TP + FP) + TN / (TN + FN) − 1

    Another name of `markedness`.
    """

@overload
def positive_likelihood_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def positive_likelihood_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """True positive rate divided by false positive rate.

    Definition: Of the positive class: (TP / (TP + FN)) / (FP / (TN + FP))
    """

def macro_positive_likelihood_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """True positive rate divided by false positive rate.

    Definition: Mean over the classes: (TP / (TP + FN)) / (FP / (TN + FP))
    """

def micro_positive_likelihood_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """True positive rate divided by false positive rate.

    Definition: From the counts added over the classes: (TP / (TP + FN)) / (FP / (TN + FP))
    """

def weighted_positive_likelihood_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """True positive rate divided by false positive rate.

    Definition: Mean over the classes, each weighted by its support: (TP / (TP + FN)) / (FP / (TN +
    FP))
    """

def samples_positive_likelihood_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """True positive rate divided by false positive rate.

    Definition: Of the labels of each row, and the mean over the rows: (TP / (TP + FN)) / (FP / (TN
    + FP))
    """

@overload
def lr_positive(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def lr_positive(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """True positive rate divided by false positive rate.

    Definition: Of the positive class: (TP / (TP + FN)) / (FP / (TN + FP))

    Another name of `positive_likelihood_ratio`.
    """

@overload
def lr_plus(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def lr_plus(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """True positive rate divided by false positive rate.

    Definition: Of the positive class: (TP / (TP + FN)) / (FP / (TN + FP))

    Another name of `positive_likelihood_ratio`.
    """

@overload
def negative_likelihood_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def negative_likelihood_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """False negative rate divided by true negative rate.

    Definition: Of the positive class: (FN / (TP + FN)) / (TN / (TN + FP))
    """

def macro_negative_likelihood_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """False negative rate divided by true negative rate.

    Definition: Mean over the classes: (FN / (TP + FN)) / (TN / (TN + FP))
    """

def micro_negative_likelihood_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """False negative rate divided by true negative rate.

    Definition: From the counts added over the classes: (FN / (TP + FN)) / (TN / (TN + FP))
    """

def weighted_negative_likelihood_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """False negative rate divided by true negative rate.

    Definition: Mean over the classes, each weighted by its support: (FN / (TP + FN)) / (TN / (TN +
    FP))
    """

def samples_negative_likelihood_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """False negative rate divided by true negative rate.

    Definition: Of the labels of each row, and the mean over the rows: (FN / (TP + FN)) / (TN / (TN
    + FP))
    """

@overload
def lr_negative(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def lr_negative(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """False negative rate divided by true negative rate.

    Definition: Of the positive class: (FN / (TP + FN)) / (TN / (TN + FP))

    Another name of `negative_likelihood_ratio`.
    """

@overload
def lr_minus(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def lr_minus(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """False negative rate divided by true negative rate.

    Definition: Of the positive class: (FN / (TP + FN)) / (TN / (TN + FP))

    Another name of `negative_likelihood_ratio`.
    """

@overload
def diagnostic_odds_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def diagnostic_odds_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of the odds of a positive prediction among rows of the class and among the others.

    Definition: Of the positive class: TP·TN / (FP·FN)
    """

def macro_diagnostic_odds_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of the odds of a positive prediction among rows of the class and among the others.

    Definition: Mean over the classes: TP·TN / (FP·FN)
    """

def micro_diagnostic_odds_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of the odds of a positive prediction among rows of the class and among the others.

    Definition: From the counts added over the classes: TP·TN / (FP·FN)
    """

def weighted_diagnostic_odds_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of the odds of a positive prediction among rows of the class and among the others.

    Definition: Mean over the classes, each weighted by its support: TP·TN / (FP·FN)
    """

def samples_diagnostic_odds_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of the odds of a positive prediction among rows of the class and among the others.

    Definition: Of the labels of each row, and the mean over the rows: TP·TN / (FP·FN)
    """

@overload
def dor(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def dor(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of the odds of a positive prediction among rows of the class and among the others.

    Definition: Of the positive class: TP·TN / (FP·FN)

    Another name of `diagnostic_odds_ratio`.
    """

@overload
def fowlkes_mallows(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def fowlkes_mallows(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Geometric mean of precision and recall.

    Definition: Of the positive class: TP / sqrt((TP + FP)·(TP + FN))
    """

def macro_fowlkes_mallows(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Geometric mean of precision and recall.

    Definition: Mean over the classes: TP / sqrt((TP + FP)·(TP + FN))
    """

def micro_fowlkes_mallows(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Geometric mean of precision and recall.

    Definition: From the counts added over the classes: TP / sqrt((TP + FP)·(TP + FN))
    """

def weighted_fowlkes_mallows(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Geometric mean of precision and recall.

    Definition: Mean over the classes, each weighted by its support: TP / sqrt((TP + FP)·(TP + FN))
    """

def samples_fowlkes_mallows(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Geometric mean of precision and recall.

    Definition: Of the labels of each row, and the mean over the rows: TP / sqrt((TP + FP)·(TP +
    FN))
    """

@overload
def g_measure(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def g_measure(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Geometric mean of precision and recall.

    Definition: Of the positive class: TP / sqrt((TP + FP)·(TP + FN))

    Another name of `fowlkes_mallows`.
    """

@overload
def fmi(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def fmi(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Geometric mean of precision and recall.

    Definition: Of the positive class: TP / sqrt((TP + FP)·(TP + FN))

    Another name of `fowlkes_mallows`.
    """

@overload
def f1(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def f1(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Harmonic mean of precision and recall.

    Definition: Of the positive class: 2·TP / (2·TP + FP + FN)
    """

def macro_f1(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Harmonic mean of precision and recall.

    Definition: Mean over the classes: 2·TP / (2·TP + FP + FN)
    """

def micro_f1(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Harmonic mean of precision and recall.

    Definition: From the counts added over the classes: 2·TP / (2·TP + FP + FN)
    """

def weighted_f1(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Harmonic mean of precision and recall.

    Definition: Mean over the classes, each weighted by its support: 2·TP / (2·TP + FP + FN)
    """

def samples_f1(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Harmonic mean of precision and recall.

    Definition: Of the labels of each row, and the mean over the rows: 2·TP / (2·TP + FP + FN)
    """

@overload
def f_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def f_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Harmonic mean of precision and recall.

    Definition: Of the positive class: 2·TP / (2·TP + FP + FN)

    Another name of `f1`.
    """

@overload
def f1_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def f1_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Harmonic mean of precision and recall.

    Definition: Of the positive class: 2·TP / (2·TP + FP + FN)

    Another name of `f1`.
    """

@overload
def dice(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def dice(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Harmonic mean of precision and recall.

    Definition: Of the positive class: 2·TP / (2·TP + FP + FN)

    Another name of `f1`.
    """

@overload
def sorensen_dice(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def sorensen_dice(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Harmonic mean of precision and recall.

    Definition: Of the positive class: 2·TP / (2·TP + FP + FN)

    Another name of `f1`.
    """

@overload
def f_beta(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    beta: float = 1.0,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def f_beta(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    beta: float = 1.0,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Weighted harmonic mean of precision and recall, in which recall weighs beta times as much.

    Definition: Of the positive class: (1 + beta²)·TP / ((1 + beta²)·TP + beta²·FN + FP)
    """

def macro_f_beta(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    beta: float = 1.0,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Weighted harmonic mean of precision and recall, in which recall weighs beta times as much.

    Definition: Mean over the classes: (1 + beta²)·TP / ((1 + beta²)·TP + beta²·FN + FP)
    """

def micro_f_beta(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    beta: float = 1.0,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Weighted harmonic mean of precision and recall, in which recall weighs beta times as much.

    Definition: From the counts added over the classes: (1 + beta²)·TP / ((1 + beta²)·TP + beta²·FN
    + FP)
    """

def weighted_f_beta(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    beta: float = 1.0,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Weighted harmonic mean of precision and recall, in which recall weighs beta times as much.

    Definition: Mean over the classes, each weighted by its support: (1 + beta²)·TP / ((1 +
    beta²)·TP + beta²·FN + FP)
    """

def samples_f_beta(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    beta: float = 1.0,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Weighted harmonic mean of precision and recall, in which recall weighs beta times as much.

    Definition: Of the labels of each row, and the mean over the rows: (1 + beta²)·TP / ((1 +
    beta²)·TP + beta²·FN + FP)
    """

@overload
def fbeta(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    beta: float = 1.0,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def fbeta(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    beta: float = 1.0,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Weighted harmonic mean of precision and recall, in which recall weighs beta times as much.

    Definition: Of the positive class: (1 + beta²)·TP / ((1 + beta²)·TP + beta²·FN + FP)

    Another name of `f_beta`.
    """

@overload
def fbeta_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    beta: float = 1.0,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def fbeta_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    beta: float = 1.0,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Weighted harmonic mean of precision and recall, in which recall weighs beta times as much.

    Definition: Of the positive class: (1 + beta²)·TP / ((1 + beta²)·TP + beta²·FN + FP)

    Another name of `f_beta`.
    """

@overload
def jaccard(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def jaccard(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Intersection over union of the rows of the class and the rows predicted as it.

    Definition: Of the positive class: TP / (TP + FP + FN)
    """

def macro_jaccard(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Intersection over union of the rows of the class and the rows predicted as it.

    Definition: Mean over the classes: TP / (TP + FP + FN)
    """

def micro_jaccard(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Intersection over union of the rows of the class and the rows predicted as it.

    Definition: From the counts added over the classes: TP / (TP + FP + FN)
    """

def weighted_jaccard(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Intersection over union of the rows of the class and the rows predicted as it.

    Definition: Mean over the classes, each weighted by its support: TP / (TP + FP + FN)
    """

def samples_jaccard(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Intersection over union of the rows of the class and the rows predicted as it.

    Definition: Of the labels of each row, and the mean over the rows: TP / (TP + FP + FN)
    """

@overload
def iou(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def iou(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Intersection over union of the rows of the class and the rows predicted as it.

    Definition: Of the positive class: TP / (TP + FP + FN)

    Another name of `jaccard`.
    """

@overload
def intersection_over_union(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def intersection_over_union(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Intersection over union of the rows of the class and the rows predicted as it.

    Definition: Of the positive class: TP / (TP + FP + FN)

    Another name of `jaccard`.
    """

@overload
def critical_success_index(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def critical_success_index(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Intersection over union of the rows of the class and the rows predicted as it.

    Definition: Of the positive class: TP / (TP + FP + FN)

    Another name of `jaccard`.
    """

@overload
def jaccard_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def jaccard_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Intersection over union of the rows of the class and the rows predicted as it.

    Definition: Of the positive class: TP / (TP + FP + FN)

    Another name of `jaccard`.
    """

def f1_of_macro_averages(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Harmonic mean of macro precision and macro recall.

    Definition: 2·((Σ_k TP_k / (TP_k + FP_k)) / K)·((Σ_k TP_k / (TP_k + FN_k)) / K) / ((Σ_k TP_k /
    (TP_k + FP_k)) / K + (Σ_k TP_k / (TP_k + FN_k)) / K)
    """

def macro_fscore_sokolova(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Harmonic mean of macro precision and macro recall.

    Definition: 2·((Σ_k TP_k / (TP_k + FP_k)) / K)·((Σ_k TP_k / (TP_k + FN_k)) / K) / ((Σ_k TP_k /
    (TP_k + FP_k)) / K + (Σ_k TP_k / (TP_k + FN_k)) / K)

    Another name of `f1_of_macro_averages`.
    """

def f_beta_of_macro_averages(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    beta: float = 1.0,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """F-beta of macro precision and macro recall; see f1_of_macro_averages.

    Definition: (1 + beta²)·((Σ_k TP_k / (TP_k + FP_k)) / K)·((Σ_k TP_k / (TP_k + FN_k)) / K) /
    (beta²·((Σ_k TP_k / (TP_k + FP_k)) / K) + (Σ_k TP_k / (TP_k + FN_k)) / K)
    """

def accuracy(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows whose class is predicted correctly.

    Definition: (Σ_k TP_k) / n
    """

def accuracy_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows whose class is predicted correctly.

    Definition: (Σ_k TP_k) / n

    Another name of `accuracy`.
    """

def fraction_correct(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows whose class is predicted correctly.

    Definition: (Σ_k TP_k) / n

    Another name of `accuracy`.
    """

def error_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows whose class is predicted wrongly: 1 − accuracy.

    Definition: (Σ_k FN_k) / n
    """

def misclassification_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows whose class is predicted wrongly: 1 − accuracy.

    Definition: (Σ_k FN_k) / n

    Another name of `error_rate`.
    """

def zero_one_loss(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean loss when a wrong class costs 1 and the right one 0: the error rate.

    Definition: (Σ_k FN_k) / n
    """

def hamming_loss(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the labels that are wrong; with one label per row, the error rate.

    Definition: (Σ_k FN_k) / n
    """

def average_accuracy(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean over the classes of the accuracy of one class against the rest.

    Definition: (Σ_k (TP_k + TN_k)) / (K·n)
    """

def average_error_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean over the classes of the error rate of one class against the rest.

    Definition: (Σ_k (FP_k + FN_k)) / (K·n)
    """

def balanced_accuracy(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    adjusted: bool = False,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean recall of the classes that occur in y_true.

    Definition: (Σ_k where(TP_k + FN_k > 0, TP_k / (TP_k + FN_k), 0)) / (Σ_k (TP_k + FN_k > 0))
    """

def balanced_accuracy_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    adjusted: bool = False,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean recall of the classes that occur in y_true.

    Definition: (Σ_k where(TP_k + FN_k > 0, TP_k / (TP_k + FN_k), 0)) / (Σ_k (TP_k + FN_k > 0))

    Another name of `balanced_accuracy`.
    """

def mean_recall(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    adjusted: bool = False,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean recall of the classes that occur in y_true.

    Definition: (Σ_k where(TP_k + FN_k > 0, TP_k / (TP_k + FN_k), 0)) / (Σ_k (TP_k + FN_k > 0))

    Another name of `balanced_accuracy`.
    """

def g_mean(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Geometric mean of the recalls of all classes: 0 if any class is never recognized.

    Definition: Π_k (TP_k / (TP_k + FN_k))^(1 / K)
    """

def geometric_mean(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Geometric mean of the recalls of all classes: 0 if any class is never recognized.

    Definition: Π_k (TP_k / (TP_k + FN_k))^(1 / K)

    Another name of `g_mean`.
    """

def geometric_mean_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Geometric mean of the recalls of all classes: 0 if any class is never recognized.

    Definition: Π_k (TP_k / (TP_k + FN_k))^(1 / K)

    Another name of `g_mean`.
    """

def no_information_rate(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the most frequent class: the accuracy of always predicting it.

    Definition: max(TP_k + FN_k) / n
    """

def nir(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the most frequent class: the accuracy of always predicting it.

    Definition: max(TP_k + FN_k) / n

    Another name of `no_information_rate`.
    """

def majority_share(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the most frequent class: the accuracy of always predicting it.

    Definition: max(TP_k + FN_k) / n

    Another name of `no_information_rate`.
    """

def null_accuracy(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the most frequent class: the accuracy of always predicting it.

    Definition: max(TP_k + FN_k) / n

    Another name of `no_information_rate`.
    """

def matthews_correlation(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Correlation of true and predicted class: Matthews' phi, Gorodkin's R_K for more than two.

    Definition: (Σ_k (TP_k·TN_k − FP_k·FN_k)) / ((Σ_k (TP_k + FN_k)·(TN_k + FP_k))·sqrt((Σ_k (TP_k +
    FP_k)·(TN_k + FN_k)) / (Σ_k (TP_k + FN_k)·(TN_k + FP_k))))
    """

def mcc(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Correlation of true and predicted class: Matthews' phi, Gorodkin's R_K for more than two.

    Definition: (Σ_k (TP_k·TN_k − FP_k·FN_k)) / ((Σ_k (TP_k + FN_k)·(TN_k + FP_k))·sqrt((Σ_k (TP_k +
    FP_k)·(TN_k + FN_k)) / (Σ_k (TP_k + FN_k)·(TN_k + FP_k))))

    Another name of `matthews_correlation`.
    """

def matthews_corrcoef(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Correlation of true and predicted class: Matthews' phi, Gorodkin's R_K for more than two.

    Definition: (Σ_k (TP_k·TN_k − FP_k·FN_k)) / ((Σ_k (TP_k + FN_k)·(TN_k + FP_k))·sqrt((Σ_k (TP_k +
    FP_k)·(TN_k + FN_k)) / (Σ_k (TP_k + FN_k)·(TN_k + FP_k))))

    Another name of `matthews_correlation`.
    """

def phi_coefficient(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Correlation of true and predicted class: Matthews' phi, Gorodkin's R_K for more than two.

    Definition: (Σ_k (TP_k·TN_k − FP_k·FN_k)) / ((Σ_k (TP_k + FN_k)·(TN_k + FP_k))·sqrt((Σ_k (TP_k +
    FP_k)·(TN_k + FN_k)) / (Σ_k (TP_k + FN_k)·(TN_k + FP_k))))

    Another name of `matthews_correlation`.
    """

def r_k(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Correlation of true and predicted class: Matthews' phi, Gorodkin's R_K for more than two.

    Definition: (Σ_k (TP_k·TN_k − FP_k·FN_k)) / ((Σ_k (TP_k + FN_k)·(TN_k + FP_k))·sqrt((Σ_k (TP_k +
    FP_k)·(TN_k + FN_k)) / (Σ_k (TP_k + FN_k)·(TN_k + FP_k))))

    Another name of `matthews_correlation`.
    """

def kappa(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa: agreement beyond chance, relative to the largest possible.

    Definition: (Σ_k (TP_k·TN_k − FP_k·FN_k)) / (Σ_k (TP_k + FN_k)·(TN_k + FN_k))
    """

def cohen_kappa(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa: agreement beyond chance, relative to the largest possible.

    Definition: (Σ_k (TP_k·TN_k − FP_k·FN_k)) / (Σ_k (TP_k + FN_k)·(TN_k + FN_k))

    Another name of `kappa`.
    """

def cohen_kappa_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa: agreement beyond chance, relative to the largest possible.

    Definition: (Σ_k (TP_k·TN_k − FP_k·FN_k)) / (Σ_k (TP_k + FN_k)·(TN_k + FN_k))

    Another name of `kappa`.
    """

def kappa_linear(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa weighted by the distance between the classes, which must be ordered.

    Definition: 1 − n·(Σ_i,j C[i,j]·|i − j|) / (Σ_k (cumulative(TP_k + FN_k)·later(TP_k + FP_k) +
    cumulative(TP_k + FP_k)·later(TP_k + FN_k)))
    """

def linear_kappa(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa weighted by the distance between the classes, which must be ordered.

    Definition: 1 − n·(Σ_i,j C[i,j]·|i − j|) / (Σ_k (cumulative(TP_k + FN_k)·later(TP_k + FP_k) +
    cumulative(TP_k + FP_k)·later(TP_k + FN_k)))

    Another name of `kappa_linear`.
    """

def kappa_quadratic(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa weighted by the squared distance between the classes, which must be ordered.

    Definition: 1 − n·(Σ_i,j C[i,j]·(i − j)²) / (Σ_k (later(TP_k +
    FP_k)·(2·cumulative(cumulative(TP_k + FN_k)) − cumulative(TP_k + FN_k)) + later(TP_k +
    FN_k)·(2·cumulative(cumulative(TP_k + FP_k)) − cumulative(TP_k + FP_k))))
    """

def quadratic_weighted_kappa(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa weighted by the squared distance between the classes, which must be ordered.

    Definition: 1 − n·(Σ_i,j C[i,j]·(i − j)²) / (Σ_k (later(TP_k +
    FP_k)·(2·cumulative(cumulative(TP_k + FN_k)) − cumulative(TP_k + FN_k)) + later(TP_k +
    FN_k)·(2·cumulative(cumulative(TP_k + FP_k)) − cumulative(TP_k + FP_k))))

    Another name of `kappa_quadratic`.
    """

def qwk(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa weighted by the squared distance between the classes, which must be ordered.

    Definition: 1 − n·(Σ_i,j C[i,j]·(i − j)²) / (Σ_k (later(TP_k +
    FP_k)·(2·cumulative(cumulative(TP_k + FN_k)) − cumulative(TP_k + FN_k)) + later(TP_k +
    FN_k)·(2·cumulative(cumulative(TP_k + FP_k)) − cumulative(TP_k + FP_k))))

    Another name of `kappa_quadratic`.
    """

def kappa_weighted(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    disagreement: Any,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa weighted by a given matrix of disagreements.

    Definition: 1 − n·(Σ_i,j disagreement[i,j]·C[i,j]) / (Σ_i,j disagreement[i,j]·(TP_i +
    FN_i)·(TP_j + FP_j))
    """

def weighted_kappa_matrix(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    disagreement: Any,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa weighted by a given matrix of disagreements.

    Definition: 1 − n·(Σ_i,j disagreement[i,j]·C[i,j]) / (Σ_i,j disagreement[i,j]·(TP_i +
    FN_i)·(TP_j + FP_j))

    Another name of `kappa_weighted`.
    """

def gwet_ac1(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Gwet's AC1: agreement beyond chance that stays stable when one class dominates.

    Definition: ((Σ_k TP_k) / n − (Σ_k ((TP_k + FN_k + TP_k + FP_k) / (2·n))·(1 − (TP_k + FN_k +
    TP_k + FP_k) / (2·n))) / (K − 1)) / (1 − (Σ_k ((TP_k + FN_k + TP_k + FP_k) / (2·n))·(1 − (TP_k +
    FN_k + TP_k + FP_k) / (2·n))) / (K − 1))
    """

def ac1(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Gwet's AC1: agreement beyond chance that stays stable when one class dominates.

    Definition: ((Σ_k TP_k) / n − (Σ_k ((TP_k + FN_k + TP_k + FP_k) / (2·n))·(1 − (TP_k + FN_k +
    TP_k + FP_k) / (2·n))) / (K − 1)) / (1 − (Σ_k ((TP_k + FN_k + TP_k + FP_k) / (2·n))·(1 − (TP_k +
    FN_k + TP_k + FP_k) / (2·n))) / (K − 1))

    Another name of `gwet_ac1`.
    """

def gwet_gamma(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Gwet's AC1: agreement beyond chance that stays stable when one class dominates.

    Definition: ((Σ_k TP_k) / n − (Σ_k ((TP_k + FN_k + TP_k + FP_k) / (2·n))·(1 − (TP_k + FN_k +
    TP_k + FP_k) / (2·n))) / (K − 1)) / (1 − (Σ_k ((TP_k + FN_k + TP_k + FP_k) / (2·n))·(1 − (TP_k +
    FN_k + TP_k + FP_k) / (2·n))) / (K − 1))

    Another name of `gwet_ac1`.
    """

def mutual_information(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mutual information of true and predicted class, in nats.

    Definition: (Σ_i,j where(C[i,j] > 0, C[i,j]·log(C[i,j]·n / ((TP_i + FN_i)·(TP_j + FP_j))), 0)) /
    n
    """

def mi(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mutual information of true and predicted class, in nats.

    Definition: (Σ_i,j where(C[i,j] > 0, C[i,j]·log(C[i,j]·n / ((TP_i + FN_i)·(TP_j + FP_j))), 0)) /
    n

    Another name of `mutual_information`.
    """

def mutual_info_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mutual information of true and predicted class, in nats.

    Definition: (Σ_i,j where(C[i,j] > 0, C[i,j]·log(C[i,j]·n / ((TP_i + FN_i)·(TP_j + FP_j))), 0)) /
    n

    Another name of `mutual_information`.
    """

def normalized_mutual_information(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mutual information divided by the mean of the entropies of true and predicted class.

    Definition: 2·((Σ_i,j where(C[i,j] > 0, C[i,j]·log(C[i,j]·n / ((TP_i + FN_i)·(TP_j + FP_j))),
    0)) / n) / ((Σ_k where(TP_k + FN_k > 0, (TP_k + FN_k)·log(n / (TP_k + FN_k)), 0)) / n + (Σ_k
    where(TP_k + FP_k > 0, (TP_k + FP_k)·log(n / (TP_k + FP_k)), 0)) / n)
    """

def nmi(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mutual information divided by the mean of the entropies of true and predicted class.

    Definition: 2·((Σ_i,j where(C[i,j] > 0, C[i,j]·log(C[i,j]·n / ((TP_i + FN_i)·(TP_j + FP_j))),
    0)) / n) / ((Σ_k where(TP_k + FN_k > 0, (TP_k + FN_k)·log(n / (TP_k + FN_k)), 0)) / n + (Σ_k
    where(TP_k + FP_k > 0, (TP_k + FP_k)·log(n / (TP_k + FP_k)), 0)) / n)

    Another name of `normalized_mutual_information`.
    """

def normalized_mutual_info_score(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mutual information divided by the mean of the entropies of true and predicted class.

    Definition: 2·((Σ_i,j where(C[i,j] > 0, C[i,j]·log(C[i,j]·n / ((TP_i + FN_i)·(TP_j + FP_j))),
    0)) / n) / ((Σ_k where(TP_k + FN_k > 0, (TP_k + FN_k)·log(n / (TP_k + FN_k)), 0)) / n + (Σ_k
    where(TP_k + FP_k > 0, (TP_k + FP_k)·log(n / (TP_k + FP_k)), 0)) / n)

    Another name of `normalized_mutual_information`.
    """

def expected_calibration_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    norm: Literal["l1", "l2"] = "l1",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean absolute difference between the accuracy and the confidence of the bins.

    Definition: mean over the bins, by weight, of |accuracy − mean confidence|
    """

def ece(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    norm: Literal["l1", "l2"] = "l1",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean absolute difference between the accuracy and the confidence of the bins.

    Definition: mean over the bins, by weight, of |accuracy − mean confidence|

    Another name of `expected_calibration_error`.
    """

def top_label_calibration_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    norm: Literal["l1", "l2"] = "l1",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean absolute difference between the accuracy and the confidence of the bins.

    Definition: mean over the bins, by weight, of |accuracy − mean confidence|

    Another name of `expected_calibration_error`.
    """

def maximum_calibration_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest absolute difference between the accuracy and the confidence of a bin.

    Definition: largest |accuracy − mean confidence| of a bin
    """

def mce(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest absolute difference between the accuracy and the confidence of a bin.

    Definition: largest |accuracy − mean confidence| of a bin

    Another name of `maximum_calibration_error`.
    """

def adaptive_calibration_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    closed: Literal["right", "left"] = "right",
    norm: Literal["l1", "l2"] = "l1",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Calibration error of the predicted class in bins of equal numbers of rows.

    Definition: expected_calibration_error with bins of equal weight
    """

def adaptive_ece(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    closed: Literal["right", "left"] = "right",
    norm: Literal["l1", "l2"] = "l1",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Calibration error of the predicted class in bins of equal numbers of rows.

    Definition: expected_calibration_error with bins of equal weight

    Another name of `adaptive_calibration_error`.
    """

def equal_mass_calibration_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    closed: Literal["right", "left"] = "right",
    norm: Literal["l1", "l2"] = "l1",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Calibration error of the predicted class in bins of equal numbers of rows.

    Definition: expected_calibration_error with bins of equal weight

    Another name of `adaptive_calibration_error`.
    """

@overload
def class_calibration_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    norm: Literal["l1", "l2"] = "l1",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def class_calibration_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    norm: Literal["l1", "l2"] = "l1",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean absolute difference between the probability of a class and its observed frequency.

    Definition: Of the positive class: mean over the bins of the probability of the class, by
    weight, of |fraction of rows of the class − mean probability|
    """

def classwise_calibration_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    norm: Literal["l1", "l2"] = "l1",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean absolute difference between the probability of a class and its observed frequency.

    Definition: Mean over the classes that can be measured: mean over the bins of the probability of
    the class, by weight, of |fraction of rows of the class − mean probability|
    """

def macro_class_calibration_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    norm: Literal["l1", "l2"] = "l1",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean absolute difference between the probability of a class and its observed frequency.

    Definition: Mean over the classes that can be measured: mean over the bins of the probability of
    the class, by weight, of |fraction of rows of the class − mean probability|

    Another name of `classwise_calibration_error`.
    """

def micro_class_calibration_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    norm: Literal["l1", "l2"] = "l1",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean absolute difference between the probability of a class and its observed frequency.

    Definition: Over every row and class pooled: mean over the bins of the probability of the class,
    by weight, of |fraction of rows of the class − mean probability|
    """

@overload
def binary_calibration_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    norm: Literal["l1", "l2"] = "l1",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def binary_calibration_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    norm: Literal["l1", "l2"] = "l1",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean absolute difference between the probability of a class and its observed frequency.

    Definition: Of the positive class: mean over the bins of the probability of the class, by
    weight, of |fraction of rows of the class − mean probability|

    Another name of `class_calibration_error`.
    """

def debiased_calibration_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Bias-corrected mean squared calibration error of the bins.

    Definition: mean over the bins, by weight, of the mean of (y − p)·(y' − p') over pairs of rows
    """

def debiased_squared_calibration_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Bias-corrected mean squared calibration error of the bins.

    Definition: mean over the bins, by weight, of the mean of (y − p)·(y' − p') over pairs of rows

    Another name of `debiased_calibration_error`.
    """

def expected_calibration_error_if_calibrated(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Expected value of expected_calibration_error if the confidences are right.

    Definition: the mean of expected_calibration_error if every row is right with the probability
    that its confidence says
    """

def ece_if_calibrated(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    bins: int = 15,
    scheme: Literal["uniform", "quantile"] = "uniform",
    closed: Literal["right", "left"] = "right",
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Expected value of expected_calibration_error if the confidences are right.

    Definition: the mean of expected_calibration_error if every row is right with the probability
    that its confidence says

    Another name of `expected_calibration_error_if_calibrated`.
    """

def expected_cost(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    costs: Any,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean cost of a row under a cost matrix for every pair of true and predicted class.

    Definition: (Σ_i,j costs[i,j]·C[i,j]) / n
    """

def mean_cost(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    costs: Any,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean cost of a row under a cost matrix for every pair of true and predicted class.

    Definition: (Σ_i,j costs[i,j]·C[i,j]) / n

    Another name of `expected_cost`.
    """

def average_cost(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    costs: Any,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean cost of a row under a cost matrix for every pair of true and predicted class.

    Definition: (Σ_i,j costs[i,j]·C[i,j]) / n

    Another name of `expected_cost`.
    """

@overload
def true_positives(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def true_positives(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["micro"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of the class that are predicted as it.

    Definition: Of the positive class: TP
    """

def micro_true_positives(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of the class that are predicted as it.

    Definition: From the counts added over the classes: TP
    """

@overload
def tp(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def tp(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["micro"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of the class that are predicted as it.

    Definition: Of the positive class: TP

    Another name of `true_positives`.
    """

@overload
def false_positives(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def false_positives(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["micro"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of other classes that are predicted as this one.

    Definition: Of the positive class: FP
    """

def micro_false_positives(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of other classes that are predicted as this one.

    Definition: From the counts added over the classes: FP
    """

@overload
def fp(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def fp(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["micro"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of other classes that are predicted as this one.

    Definition: Of the positive class: FP

    Another name of `false_positives`.
    """

@overload
def false_alarms(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def false_alarms(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["micro"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of other classes that are predicted as this one.

    Definition: Of the positive class: FP

    Another name of `false_positives`.
    """

@overload
def false_negatives(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def false_negatives(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["micro"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of the class that are predicted as another.

    Definition: Of the positive class: FN
    """

def micro_false_negatives(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of the class that are predicted as another.

    Definition: From the counts added over the classes: FN
    """

@overload
def fn(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def fn(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["micro"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of the class that are predicted as another.

    Definition: Of the positive class: FN

    Another name of `false_negatives`.
    """

@overload
def misses(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def misses(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["micro"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of the class that are predicted as another.

    Definition: Of the positive class: FN

    Another name of `false_negatives`.
    """

@overload
def true_negatives(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def true_negatives(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["micro"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of other classes that are not predicted as this one.

    Definition: Of the positive class: TN
    """

def micro_true_negatives(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of other classes that are not predicted as this one.

    Definition: From the counts added over the classes: TN
    """

@overload
def tn(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def tn(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["micro"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of other classes that are not predicted as this one.

    Definition: Of the positive class: TN

    Another name of `true_negatives`.
    """

@overload
def correct_rejections(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def correct_rejections(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["micro"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of other classes that are not predicted as this one.

    Definition: Of the positive class: TN

    Another name of `true_negatives`.
    """

@overload
def support(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def support(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["micro"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of the class.

    Definition: Of the positive class: TP + FN
    """

def micro_support(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of the class.

    Definition: From the counts added over the classes: TP + FN
    """

@overload
def true_count(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def true_count(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["micro"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows of the class.

    Definition: Of the positive class: TP + FN

    Another name of `support`.
    """

@overload
def predicted_count(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def predicted_count(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["micro"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows predicted as the class.

    Definition: Of the positive class: TP + FP
    """

def micro_predicted_count(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows predicted as the class.

    Definition: From the counts added over the classes: TP + FP
    """

def correct_count(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Number of rows whose class is predicted correctly.

    Definition: Σ_k TP_k
    """

@overload
def brier_miscalibration(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def brier_miscalibration(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Part of the Brier score that isotonic recalibration of the probabilities removes.

    Definition: Of the positive class: mean (p − y)² − mean (x − y)², x: the isotonic recalibration
    of p
    """

def macro_brier_miscalibration(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Part of the Brier score that isotonic recalibration of the probabilities removes.

    Definition: Mean over the classes that can be measured: mean (p − y)² − mean (x − y)², x: the
    isotonic recalibration of p
    """

def micro_brier_miscalibration(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Part of the Brier score that isotonic recalibration of the probabilities removes.

    Definition: Over every row and class pooled: mean (p − y)² − mean (x − y)², x: the isotonic
    recalibration of p
    """

@overload
def brier_mcb(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def brier_mcb(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Part of the Brier score that isotonic recalibration of the probabilities removes.

    Definition: Of the positive class: mean (p − y)² − mean (x − y)², x: the isotonic recalibration
    of p

    Another name of `brier_miscalibration`.
    """

@overload
def brier_reliability(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def brier_reliability(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Part of the Brier score that isotonic recalibration of the probabilities removes.

    Definition: Of the positive class: mean (p − y)² − mean (x − y)², x: the isotonic recalibration
    of p

    Another name of `brier_miscalibration`.
    """

@overload
def brier_discrimination(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def brier_discrimination(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Difference in Brier score between the class proportion and the recalibrated probabilities.

    Definition: Of the positive class: mean (r − y)² − mean (x − y)², x: the isotonic recalibration
    of p, r: the fraction of the class
    """

def macro_brier_discrimination(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Difference in Brier score between the class proportion and the recalibrated probabilities.

    Definition: Mean over the classes that can be measured: mean (r − y)² − mean (x − y)², x: the
    isotonic recalibration of p, r: the fraction of the class
    """

def micro_brier_discrimination(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Difference in Brier score between the class proportion and the recalibrated probabilities.

    Definition: Over every row and class pooled: mean (r − y)² − mean (x − y)², x: the isotonic
    recalibration of p, r: the fraction of the class
    """

@overload
def brier_dsc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def brier_dsc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Difference in Brier score between the class proportion and the recalibrated probabilities.

    Definition: Of the positive class: mean (r − y)² − mean (x − y)², x: the isotonic recalibration
    of p, r: the fraction of the class

    Another name of `brier_discrimination`.
    """

@overload
def brier_resolution(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def brier_resolution(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Difference in Brier score between the class proportion and the recalibrated probabilities.

    Definition: Of the positive class: mean (r − y)² − mean (x − y)², x: the isotonic recalibration
    of p, r: the fraction of the class

    Another name of `brier_discrimination`.
    """

@overload
def brier_uncertainty(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def brier_uncertainty(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Brier score of predicting the class proportion for every row: a property of the data.

    Definition: Of the positive class: fraction of the class × fraction of the others
    """

def macro_brier_uncertainty(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Brier score of predicting the class proportion for every row: a property of the data.

    Definition: Mean over the classes that can be measured: fraction of the class × fraction of the
    others
    """

def micro_brier_uncertainty(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Brier score of predicting the class proportion for every row: a property of the data.

    Definition: Over every row and class pooled: fraction of the class × fraction of the others
    """

@overload
def brier_unc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def brier_unc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Brier score of predicting the class proportion for every row: a property of the data.

    Definition: Of the positive class: fraction of the class × fraction of the others

    Another name of `brier_uncertainty`.
    """

@overload
def log_loss_miscalibration(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def log_loss_miscalibration(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Part of the log-loss that isotonic recalibration of the probabilities removes.

    Definition: Of the positive class: log-loss of p − log-loss of x, x: the isotonic recalibration
    of p
    """

def macro_log_loss_miscalibration(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Part of the log-loss that isotonic recalibration of the probabilities removes.

    Definition: Mean over the classes that can be measured: log-loss of p − log-loss of x, x: the
    isotonic recalibration of p
    """

def micro_log_loss_miscalibration(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Part of the log-loss that isotonic recalibration of the probabilities removes.

    Definition: Over every row and class pooled: log-loss of p − log-loss of x, x: the isotonic
    recalibration of p
    """

@overload
def log_loss_mcb(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def log_loss_mcb(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Part of the log-loss that isotonic recalibration of the probabilities removes.

    Definition: Of the positive class: log-loss of p − log-loss of x, x: the isotonic recalibration
    of p

    Another name of `log_loss_miscalibration`.
    """

@overload
def log_loss_discrimination(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def log_loss_discrimination(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Difference in log-loss between the class proportion and the recalibrated probabilities.

    Definition: Of the positive class: log-loss of r − log-loss of x, x: the isotonic recalibration
    of p, r: the fraction of the class
    """

def macro_log_loss_discrimination(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Difference in log-loss between the class proportion and the recalibrated probabilities.

    Definition: Mean over the classes that can be measured: log-loss of r − log-loss of x, x: the
    isotonic recalibration of p, r: the fraction of the class
    """

def micro_log_loss_discrimination(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Difference in log-loss between the class proportion and the recalibrated probabilities.

    Definition: Over every row and class pooled: log-loss of r − log-loss of x, x: the isotonic
    recalibration of p, r: the fraction of the class
    """

@overload
def log_loss_dsc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def log_loss_dsc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Difference in log-loss between the class proportion and the recalibrated probabilities.

    Definition: Of the positive class: log-loss of r − log-loss of x, x: the isotonic recalibration
    of p, r: the fraction of the class

    Another name of `log_loss_discrimination`.
    """

@overload
def log_loss_uncertainty(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def log_loss_uncertainty(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Log-loss of predicting the class proportion for every row: a property of the data.

    Definition: Of the positive class: −r·ln r − (1 − r)·ln(1 − r), r: the fraction of the class
    """

def macro_log_loss_uncertainty(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Log-loss of predicting the class proportion for every row: a property of the data.

    Definition: Mean over the classes that can be measured: −r·ln r − (1 − r)·ln(1 − r), r: the
    fraction of the class
    """

def micro_log_loss_uncertainty(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Log-loss of predicting the class proportion for every row: a property of the data.

    Definition: Over every row and class pooled: −r·ln r − (1 − r)·ln(1 − r), r: the fraction of the
    class
    """

@overload
def log_loss_unc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def log_loss_unc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Log-loss of predicting the class proportion for every row: a property of the data.

    Definition: Of the positive class: −r·ln r − (1 − r)·ln(1 − r), r: the fraction of the class

    Another name of `log_loss_uncertainty`.
    """

def log_loss(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    eps: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean negative logarithm of the probability of the true class, in nats.

    Definition: mean over the rows of −ln p[true class]
    """

def cross_entropy(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    eps: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean negative logarithm of the probability of the true class, in nats.

    Definition: mean over the rows of −ln p[true class]

    Another name of `log_loss`.
    """

def logistic_loss(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    eps: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean negative logarithm of the probability of the true class, in nats.

    Definition: mean over the rows of −ln p[true class]

    Another name of `log_loss`.
    """

def negative_log_likelihood(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    eps: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean negative logarithm of the probability of the true class, in nats.

    Definition: mean over the rows of −ln p[true class]

    Another name of `log_loss`.
    """

def log_loss_score(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    eps: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean negative logarithm of the probability of the true class, in nats.

    Definition: mean over the rows of −ln p[true class]

    Another name of `log_loss`.
    """

def one_vs_all_log_loss(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean over rows and classes of the binary log-loss of each class against the rest.

    Definition: mean over the rows of (1/k) Σ over the classes of the log-loss of class against rest
    """

def brier(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean squared difference between the probabilities and the observed classes.

    Definition: two classes: mean of (p − [true])²; more: mean of Σ over the classes of (p −
    [true])²
    """

def brier_score(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean squared difference between the probabilities and the observed classes.

    Definition: two classes: mean of (p − [true])²; more: mean of Σ over the classes of (p −
    [true])²

    Another name of `brier`.
    """

def brier_score_loss(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean squared difference between the probabilities and the observed classes.

    Definition: two classes: mean of (p − [true])²; more: mean of Σ over the classes of (p −
    [true])²

    Another name of `brier`.
    """

def quadratic_score(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean squared difference between the probabilities and the observed classes.

    Definition: two classes: mean of (p − [true])²; more: mean of Σ over the classes of (p −
    [true])²

    Another name of `brier`.
    """

def hinge_loss(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean hinge loss of the margin between the true class and the best other class.

    Definition: mean over the rows of max(0, 1 − (s[true class] − largest other s))
    """

def hinge(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean hinge loss of the margin between the true class and the best other class.

    Definition: mean over the rows of max(0, 1 − (s[true class] − largest other s))

    Another name of `hinge_loss`.
    """

def top_k_accuracy(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 2,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows whose true class has one of the k largest scores.

    Definition: fraction of the rows whose true class is among the k largest scores
    """

def top_k_accuracy_score(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 2,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows whose true class has one of the k largest scores.

    Definition: fraction of the rows whose true class is among the k largest scores

    Another name of `top_k_accuracy`.
    """

def d2_log_loss(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the log-loss of the class proportions that the probabilities remove.

    Definition: 1 − log-loss ÷ log-loss of the class proportions
    """

def d2_log_loss_score(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the log-loss of the class proportions that the probabilities remove.

    Definition: 1 − log-loss ÷ log-loss of the class proportions

    Another name of `d2_log_loss`.
    """

def mcfadden_r2(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the log-loss of the class proportions that the probabilities remove.

    Definition: 1 − log-loss ÷ log-loss of the class proportions

    Another name of `d2_log_loss`.
    """

def d2_brier(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the Brier score of the class proportions that the probabilities remove.

    Definition: 1 − Brier score ÷ Brier score of the class proportions
    """

def d2_brier_score(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the Brier score of the class proportions that the probabilities remove.

    Definition: 1 − Brier score ÷ Brier score of the class proportions

    Another name of `d2_brier`.
    """

def brier_skill_score(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the Brier score of the class proportions that the probabilities remove.

    Definition: 1 − Brier score ÷ Brier score of the class proportions

    Another name of `d2_brier`.
    """

@overload
def roc_auc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def roc_auc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the ROC curve: the probability that a row of the class outranks another row.

    Definition: Of the positive class: probability that a row of the class scores above another row,
    ties counting half
    """

def roc_auc_ovr_macro(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the ROC curve: the probability that a row of the class outranks another row.

    Definition: Mean over the classes that can be measured: probability that a row of the class
    scores above another row, ties counting half
    """

def macro_roc_auc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the ROC curve: the probability that a row of the class outranks another row.

    Definition: Mean over the classes that can be measured: probability that a row of the class
    scores above another row, ties counting half

    Another name of `roc_auc_ovr_macro`.
    """

def roc_auc_ovr_micro(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the ROC curve: the probability that a row of the class outranks another row.

    Definition: Over every row and class pooled: probability that a row of the class scores above
    another row, ties counting half
    """

def micro_roc_auc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the ROC curve: the probability that a row of the class outranks another row.

    Definition: Over every row and class pooled: probability that a row of the class scores above
    another row, ties counting half

    Another name of `roc_auc_ovr_micro`.
    """

def roc_auc_ovr_weighted(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the ROC curve: the probability that a row of the class outranks another row.

    Definition: Mean over the classes that can be measured, each weighted by its support:
    probability that a row of the class scores above another row, ties counting half
    """

def weighted_roc_auc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the ROC curve: the probability that a row of the class outranks another row.

    Definition: Mean over the classes that can be measured, each weighted by its support:
    probability that a row of the class scores above another row, ties counting half

    Another name of `roc_auc_ovr_weighted`.
    """

def samples_roc_auc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the ROC curve: the probability that a row of the class outranks another row.

    Definition: Of the labels of each row, and the mean over the rows: probability that a row of the
    class scores above another row, ties counting half
    """

@overload
def auc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def auc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the ROC curve: the probability that a row of the class outranks another row.

    Definition: Of the positive class: probability that a row of the class scores above another row,
    ties counting half

    Another name of `roc_auc`.
    """

@overload
def auroc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def auroc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the ROC curve: the probability that a row of the class outranks another row.

    Definition: Of the positive class: probability that a row of the class scores above another row,
    ties counting half

    Another name of `roc_auc`.
    """

@overload
def roc_auc_score(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def roc_auc_score(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the ROC curve: the probability that a row of the class outranks another row.

    Definition: Of the positive class: probability that a row of the class scores above another row,
    ties counting half

    Another name of `roc_auc`.
    """

@overload
def c_statistic(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def c_statistic(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the ROC curve: the probability that a row of the class outranks another row.

    Definition: Of the positive class: probability that a row of the class scores above another row,
    ties counting half

    Another name of `roc_auc`.
    """

@overload
def roc_auc_ovr(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def roc_auc_ovr(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    max_fpr: float | None = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the ROC curve: the probability that a row of the class outranks another row.

    Definition: Of the positive class: probability that a row of the class scores above another row,
    ties counting half

    Another name of `roc_auc`.
    """

def roc_auc_ovo_macro(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean ROC AUC over the pairs of classes (Hand & Till's M).

    Definition: mean over the ordered pairs of classes i ≠ j of the probability that a row of i
    scores above a row of j by the score of i
    """

def hand_till(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean ROC AUC over the pairs of classes (Hand & Till's M).

    Definition: mean over the ordered pairs of classes i ≠ j of the probability that a row of i
    scores above a row of j by the score of i

    Another name of `roc_auc_ovo_macro`.
    """

def auc_ovo(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean ROC AUC over the pairs of classes (Hand & Till's M).

    Definition: mean over the ordered pairs of classes i ≠ j of the probability that a row of i
    scores above a row of j by the score of i

    Another name of `roc_auc_ovo_macro`.
    """

def roc_auc_ovo(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean ROC AUC over the pairs of classes (Hand & Till's M).

    Definition: mean over the ordered pairs of classes i ≠ j of the probability that a row of i
    scores above a row of j by the score of i

    Another name of `roc_auc_ovo_macro`.
    """

def roc_auc_ovo_weighted(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean ROC AUC over the pairs of classes, weighted by the rows of each pair.

    Definition: as roc_auc_ovo_macro, each pair weighted by the support of its two classes
    """

def auc_ovo_weighted(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean ROC AUC over the pairs of classes, weighted by the rows of each pair.

    Definition: as roc_auc_ovo_macro, each pair weighted by the support of its two classes

    Another name of `roc_auc_ovo_weighted`.
    """

def roc_auc_mu(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    cost: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean ROC AUC over the pairs of classes, by both scores together (AUCμ).

    Definition: mean over the pairs of classes i < j of the probability that a row of i outranks a
    row of j along the normal of the boundary between them
    """

def auc_mu(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    cost: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean ROC AUC over the pairs of classes, by both scores together (AUCμ).

    Definition: mean over the pairs of classes i < j of the probability that a row of i outranks a
    row of j along the normal of the boundary between them

    Another name of `roc_auc_mu`.
    """

def aucmu(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    cost: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean ROC AUC over the pairs of classes, by both scores together (AUCμ).

    Definition: mean over the pairs of classes i < j of the probability that a row of i outranks a
    row of j along the normal of the boundary between them

    Another name of `roc_auc_mu`.
    """

@overload
def average_precision(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def average_precision(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve as steps: the mean precision at the rows of the
    class.

    Definition: Of the positive class: Σ over the thresholds of the increase of recall × precision
    """

def mean_average_precision(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve as steps: the mean precision at the rows of the
    class.

    Definition: Mean over the classes that can be measured: Σ over the thresholds of the increase of
    recall × precision
    """

def macro_average_precision(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve as steps: the mean precision at the rows of the
    class.

    Definition: Mean over the classes that can be measured: Σ over the thresholds of the increase of
    recall × precision

    Another name of `mean_average_precision`.
    """

def micro_average_precision(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve as steps: the mean precision at the rows of the
    class.

    Definition: Over every row and class pooled: Σ over the thresholds of the increase of recall ×
    precision
    """

def weighted_average_precision(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve as steps: the mean precision at the rows of the
    class.

    Definition: Mean over the classes that can be measured, each weighted by its support: Σ over the
    thresholds of the increase of recall × precision
    """

def samples_average_precision(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve as steps: the mean precision at the rows of the
    class.

    Definition: Of the labels of each row, and the mean over the rows: Σ over the thresholds of the
    increase of recall × precision
    """

@overload
def ap(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def ap(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve as steps: the mean precision at the rows of the
    class.

    Definition: Of the positive class: Σ over the thresholds of the increase of recall × precision

    Another name of `average_precision`.
    """

@overload
def auprc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def auprc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve as steps: the mean precision at the rows of the
    class.

    Definition: Of the positive class: Σ over the thresholds of the increase of recall × precision

    Another name of `average_precision`.
    """

@overload
def average_precision_score(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def average_precision_score(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve as steps: the mean precision at the rows of the
    class.

    Definition: Of the positive class: Σ over the thresholds of the increase of recall × precision

    Another name of `average_precision`.
    """

@overload
def pr_auc_trapezoid(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def pr_auc_trapezoid(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro", "weighted"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve by the trapezoidal rule; precision is 1 at recall 0.

    Definition: Of the positive class: area under the precision-recall curve, with straight lines
    between the thresholds
    """

def macro_pr_auc_trapezoid(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve by the trapezoidal rule; precision is 1 at recall 0.

    Definition: Mean over the classes that can be measured: area under the precision-recall curve,
    with straight lines between the thresholds
    """

def micro_pr_auc_trapezoid(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve by the trapezoidal rule; precision is 1 at recall 0.

    Definition: Over every row and class pooled: area under the precision-recall curve, with
    straight lines between the thresholds
    """

def weighted_pr_auc_trapezoid(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve by the trapezoidal rule; precision is 1 at recall 0.

    Definition: Mean over the classes that can be measured, each weighted by its support: area under
    the precision-recall curve, with straight lines between the thresholds
    """

@overload
def pr_auc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def pr_auc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro", "weighted"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve by the trapezoidal rule; precision is 1 at recall 0.

    Definition: Of the positive class: area under the precision-recall curve, with straight lines
    between the thresholds

    Another name of `pr_auc_trapezoid`.
    """

@overload
def prauc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def prauc(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "micro", "weighted"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Area under the precision-recall curve by the trapezoidal rule; precision is 1 at recall 0.

    Definition: Of the positive class: area under the precision-recall curve, with straight lines
    between the thresholds

    Another name of `pr_auc_trapezoid`.
    """

@overload
def gini(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def gini(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Gini coefficient of the scores: 2·ROC AUC − 1, which is 0 for random scores.

    Definition: Of the positive class: 2 · ROC AUC − 1
    """

def macro_gini(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Gini coefficient of the scores: 2·ROC AUC − 1, which is 0 for random scores.

    Definition: Mean over the classes that can be measured: 2 · ROC AUC − 1
    """

def weighted_gini(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Gini coefficient of the scores: 2·ROC AUC − 1, which is 0 for random scores.

    Definition: Mean over the classes that can be measured, each weighted by its support: 2 · ROC
    AUC − 1
    """

def micro_gini(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Gini coefficient of the scores: 2·ROC AUC − 1, which is 0 for random scores.

    Definition: Over every row and class pooled: 2 · ROC AUC − 1
    """

@overload
def accuracy_ratio(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def accuracy_ratio(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Gini coefficient of the scores: 2·ROC AUC − 1, which is 0 for random scores.

    Definition: Of the positive class: 2 · ROC AUC − 1

    Another name of `gini`.
    """

@overload
def somers_d(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def somers_d(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Gini coefficient of the scores: 2·ROC AUC − 1, which is 0 for random scores.

    Definition: Of the positive class: 2 · ROC AUC − 1

    Another name of `gini`.
    """

def spiegelhalter_z(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Standardized difference between the squared error and its expectation under the
    confidences.

    Definition: Σ(y − p)(1 − 2p) ÷ √Σ(1 − 2p)²·p(1 − p), p: the confidence, y: whether it was right
    """

def spiegelhalter_p(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Two-sided p-value of Spiegelhalter's test of calibration.

    Definition: probability of a |z| at least as large, if the confidences are right: erfc(|z| ÷ √2)
    """

@overload
def calibration_slope(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def calibration_slope(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Slope of the logistic regression of the class on the log-odds of its probability.

    Definition: Of the positive class: b of the logistic regression logit P(class) = a + b·logit p
    """

def micro_calibration_slope(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Slope of the logistic regression of the class on the log-odds of its probability.

    Definition: Over every row and class pooled: b of the logistic regression logit P(class) = a +
    b·logit p
    """

@overload
def cox_slope(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def cox_slope(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Slope of the logistic regression of the class on the log-odds of its probability.

    Definition: Of the positive class: b of the logistic regression logit P(class) = a + b·logit p

    Another name of `calibration_slope`.
    """

@overload
def calibration_intercept(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def calibration_intercept(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Intercept of the logistic regression of the class on the log-odds of its probability.

    Definition: Of the positive class: a of the logistic regression logit P(class) = a + b·logit p
    """

def micro_calibration_intercept(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Intercept of the logistic regression of the class on the log-odds of its probability.

    Definition: Over every row and class pooled: a of the logistic regression logit P(class) = a +
    b·logit p
    """

@overload
def cox_intercept(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def cox_intercept(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Intercept of the logistic regression of the class on the log-odds of its probability.

    Definition: Of the positive class: a of the logistic regression logit P(class) = a + b·logit p

    Another name of `calibration_intercept`.
    """

@overload
def calibration_in_the_large(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def calibration_in_the_large(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Shift of the log-odds that makes the probabilities right on average: 0 when they are.

    Definition: Of the positive class: a of the logistic regression logit P(class) = a + logit p
    """

def micro_calibration_in_the_large(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Shift of the log-odds that makes the probabilities right on average: 0 when they are.

    Definition: Over every row and class pooled: a of the logistic regression logit P(class) = a +
    logit p
    """

@overload
def calibration_intercept_of_slope_one(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def calibration_intercept_of_slope_one(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Shift of the log-odds that makes the probabilities right on average: 0 when they are.

    Definition: Of the positive class: a of the logistic regression logit P(class) = a + logit p

    Another name of `calibration_in_the_large`.
    """

@overload
def label_matthews_correlation(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def label_matthews_correlation(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Matthews' correlation of one label, or class, against the rest.

    Definition: Of the positive class: (TP·TN − FP·FN) / ((TP + FN)·(TN + FP)·sqrt((TP + FP)·(TN +
    FN) / ((TP + FN)·(TN + FP))))
    """

def macro_label_matthews_correlation(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Matthews' correlation of one label, or class, against the rest.

    Definition: Mean over the classes: (TP·TN − FP·FN) / ((TP + FN)·(TN + FP)·sqrt((TP + FP)·(TN +
    FN) / ((TP + FN)·(TN + FP))))
    """

def micro_label_matthews_correlation(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Matthews' correlation of one label, or class, against the rest.

    Definition: From the counts added over the classes: (TP·TN − FP·FN) / ((TP + FN)·(TN +
    FP)·sqrt((TP + FP)·(TN + FN) / ((TP + FN)·(TN + FP))))
    """

def weighted_label_matthews_correlation(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Matthews' correlation of one label, or class, against the rest.

    Definition: Mean over the classes, each weighted by its support: (TP·TN − FP·FN) / ((TP +
    FN)·(TN + FP)·sqrt((TP + FP)·(TN + FN) / ((TP + FN)·(TN + FP))))
    """

def samples_label_matthews_correlation(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Matthews' correlation of one label, or class, against the rest.

    Definition: Of the labels of each row, and the mean over the rows: (TP·TN − FP·FN) / ((TP +
    FN)·(TN + FP)·sqrt((TP + FP)·(TN + FN) / ((TP + FN)·(TN + FP))))
    """

@overload
def label_mcc(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def label_mcc(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Matthews' correlation of one label, or class, against the rest.

    Definition: Of the positive class: (TP·TN − FP·FN) / ((TP + FN)·(TN + FP)·sqrt((TP + FP)·(TN +
    FN) / ((TP + FN)·(TN + FP))))

    Another name of `label_matthews_correlation`.
    """

@overload
def label_kappa(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def label_kappa(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa of one label, or class, against the rest.

    Definition: Of the positive class: 2·(TP·TN − FP·FN) / ((TP + FP)·(TN + FP) + (TP + FN)·(TN +
    FN))
    """

def macro_label_kappa(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa of one label, or class, against the rest.

    Definition: Mean over the classes: 2·(TP·TN − FP·FN) / ((TP + FP)·(TN + FP) + (TP + FN)·(TN +
    FN))
    """

def micro_label_kappa(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa of one label, or class, against the rest.

    Definition: From the counts added over the classes: 2·(TP·TN − FP·FN) / ((TP + FP)·(TN + FP) +
    (TP + FN)·(TN + FN))
    """

def weighted_label_kappa(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa of one label, or class, against the rest.

    Definition: Mean over the classes, each weighted by its support: 2·(TP·TN − FP·FN) / ((TP +
    FP)·(TN + FP) + (TP + FN)·(TN + FN))
    """

def samples_label_kappa(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Cohen's kappa of one label, or class, against the rest.

    Definition: Of the labels of each row, and the mean over the rows: 2·(TP·TN − FP·FN) / ((TP +
    FP)·(TN + FP) + (TP + FN)·(TN + FN))
    """

@overload
def label_balanced_accuracy(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: None,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def label_balanced_accuracy(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    average: Literal["macro", "micro", "weighted", "samples"] = ...,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean of recall and specificity of one label, or class, against the rest.

    Definition: Of the positive class: (TP / (TP + FN) + TN / (TN + FP)) / 2
    """

def macro_label_balanced_accuracy(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean of recall and specificity of one label, or class, against the rest.

    Definition: Mean over the classes: (TP / (TP + FN) + TN / (TN + FP)) / 2
    """

def micro_label_balanced_accuracy(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean of recall and specificity of one label, or class, against the rest.

    Definition: From the counts added over the classes: (TP / (TP + FN) + TN / (TN + FP)) / 2
    """

def weighted_label_balanced_accuracy(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean of recall and specificity of one label, or class, against the rest.

    Definition: Mean over the classes, each weighted by its support: (TP / (TP + FN) + TN / (TN +
    FP)) / 2
    """

def samples_label_balanced_accuracy(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    confusion: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean of recall and specificity of one label, or class, against the rest.

    Definition: Of the labels of each row, and the mean over the rows: (TP / (TP + FN) + TN / (TN +
    FP)) / 2
    """

@overload
def ks_statistic(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def ks_statistic(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest difference between the score distributions of the class and of the rest.

    Definition: Of the positive class: largest difference between the true and the false positive
    rate over all thresholds
    """

def macro_ks_statistic(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest difference between the score distributions of the class and of the rest.

    Definition: Mean over the classes that can be measured: largest difference between the true and
    the false positive rate over all thresholds
    """

def weighted_ks_statistic(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest difference between the score distributions of the class and of the rest.

    Definition: Mean over the classes that can be measured, each weighted by its support: largest
    difference between the true and the false positive rate over all thresholds
    """

def micro_ks_statistic(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest difference between the score distributions of the class and of the rest.

    Definition: Over every row and class pooled: largest difference between the true and the false
    positive rate over all thresholds
    """

@overload
def ks(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def ks(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest difference between the score distributions of the class and of the rest.

    Definition: Of the positive class: largest difference between the true and the false positive
    rate over all thresholds

    Another name of `ks_statistic`.
    """

@overload
def kolmogorov_smirnov(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def kolmogorov_smirnov(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest difference between the score distributions of the class and of the rest.

    Definition: Of the positive class: largest difference between the true and the false positive
    rate over all thresholds

    Another name of `ks_statistic`.
    """

@overload
def equal_error_rate(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def equal_error_rate(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Error rate at the threshold where false positive and false negative rate are equal.

    Definition: Of the positive class: the rate at which false positive rate and false negative rate
    are equal
    """

def macro_equal_error_rate(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Error rate at the threshold where false positive and false negative rate are equal.

    Definition: Mean over the classes that can be measured: the rate at which false positive rate
    and false negative rate are equal
    """

def weighted_equal_error_rate(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Error rate at the threshold where false positive and false negative rate are equal.

    Definition: Mean over the classes that can be measured, each weighted by its support: the rate
    at which false positive rate and false negative rate are equal
    """

def micro_equal_error_rate(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Error rate at the threshold where false positive and false negative rate are equal.

    Definition: Over every row and class pooled: the rate at which false positive rate and false
    negative rate are equal
    """

@overload
def eer(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def eer(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Error rate at the threshold where false positive and false negative rate are equal.

    Definition: Of the positive class: the rate at which false positive rate and false negative rate
    are equal

    Another name of `equal_error_rate`.
    """

@overload
def lift_at(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def lift_at(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of the class proportion among the highest-scoring rows to that among all rows.

    Definition: Of the positive class: fraction of the class among the best rows ÷ fraction of the
    class among all
    """

def macro_lift_at(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of the class proportion among the highest-scoring rows to that among all rows.

    Definition: Mean over the classes that can be measured: fraction of the class among the best
    rows ÷ fraction of the class among all
    """

def weighted_lift_at(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of the class proportion among the highest-scoring rows to that among all rows.

    Definition: Mean over the classes that can be measured, each weighted by its support: fraction
    of the class among the best rows ÷ fraction of the class among all
    """

def micro_lift_at(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of the class proportion among the highest-scoring rows to that among all rows.

    Definition: Over every row and class pooled: fraction of the class among the best rows ÷
    fraction of the class among all
    """

@overload
def lift(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def lift(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Ratio of the class proportion among the highest-scoring rows to that among all rows.

    Definition: Of the positive class: fraction of the class among the best rows ÷ fraction of the
    class among all

    Another name of `lift_at`.
    """

@overload
def gain_at(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def gain_at(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the class that is found among the highest-scoring proportion of the rows.

    Definition: Of the positive class: rows of the class among the best rows ÷ rows of the class
    """

def macro_gain_at(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the class that is found among the highest-scoring proportion of the rows.

    Definition: Mean over the classes that can be measured: rows of the class among the best rows ÷
    rows of the class
    """

def weighted_gain_at(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the class that is found among the highest-scoring proportion of the rows.

    Definition: Mean over the classes that can be measured, each weighted by its support: rows of
    the class among the best rows ÷ rows of the class
    """

def micro_gain_at(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the class that is found among the highest-scoring proportion of the rows.

    Definition: Over every row and class pooled: rows of the class among the best rows ÷ rows of the
    class
    """

@overload
def cumulative_gain(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def cumulative_gain(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the class that is found among the highest-scoring proportion of the rows.

    Definition: Of the positive class: rows of the class among the best rows ÷ rows of the class

    Another name of `gain_at`.
    """

@overload
def gain(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def gain(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    share: float = 0.1,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the class that is found among the highest-scoring proportion of the rows.

    Definition: Of the positive class: rows of the class among the best rows ÷ rows of the class

    Another name of `gain_at`.
    """

@overload
def precision_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    k: int = 10,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def precision_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    k: int = 10,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the class among the k rows with the highest scores.

    Definition: Of the positive class: rows of the class among the k best rows ÷ k
    """

def macro_precision_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 10,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the class among the k rows with the highest scores.

    Definition: Mean over the classes that can be measured: rows of the class among the k best rows
    ÷ k
    """

def weighted_precision_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 10,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the class among the k rows with the highest scores.

    Definition: Mean over the classes that can be measured, each weighted by its support: rows of
    the class among the k best rows ÷ k
    """

def micro_precision_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 10,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the class among the k rows with the highest scores.

    Definition: Over every row and class pooled: rows of the class among the k best rows ÷ k
    """

@overload
def recall_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    k: int = 10,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def recall_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    k: int = 10,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the class that is found among the k rows with the highest scores.

    Definition: Of the positive class: rows of the class among the k best rows ÷ rows of the class
    """

def macro_recall_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 10,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the class that is found among the k rows with the highest scores.

    Definition: Mean over the classes that can be measured: rows of the class among the k best rows
    ÷ rows of the class
    """

def weighted_recall_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 10,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the class that is found among the k rows with the highest scores.

    Definition: Mean over the classes that can be measured, each weighted by its support: rows of
    the class among the k best rows ÷ rows of the class
    """

def micro_recall_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 10,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the class that is found among the k rows with the highest scores.

    Definition: Over every row and class pooled: rows of the class among the k best rows ÷ rows of
    the class
    """

@overload
def recall_at_precision(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    min_precision: float = 0.9,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def recall_at_precision(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    min_precision: float = 0.9,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest recall over the thresholds whose precision is at least min_precision.

    Definition: Of the positive class: largest recall over the thresholds whose precision is at
    least min_precision
    """

def macro_recall_at_precision(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    min_precision: float = 0.9,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest recall over the thresholds whose precision is at least min_precision.

    Definition: Mean over the classes that can be measured: largest recall over the thresholds whose
    precision is at least min_precision
    """

def weighted_recall_at_precision(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    min_precision: float = 0.9,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest recall over the thresholds whose precision is at least min_precision.

    Definition: Mean over the classes that can be measured, each weighted by its support: largest
    recall over the thresholds whose precision is at least min_precision
    """

def micro_recall_at_precision(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    min_precision: float = 0.9,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest recall over the thresholds whose precision is at least min_precision.

    Definition: Over every row and class pooled: largest recall over the thresholds whose precision
    is at least min_precision
    """

@overload
def max_f_beta(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    beta: float = 1.0,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def max_f_beta(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    beta: float = 1.0,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest F-beta over all thresholds on these rows, which is an optimistic estimate.

    Definition: Of the positive class: largest F-beta over all thresholds
    """

def macro_max_f_beta(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    beta: float = 1.0,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest F-beta over all thresholds on these rows, which is an optimistic estimate.

    Definition: Mean over the classes that can be measured: largest F-beta over all thresholds
    """

def weighted_max_f_beta(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    beta: float = 1.0,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest F-beta over all thresholds on these rows, which is an optimistic estimate.

    Definition: Mean over the classes that can be measured, each weighted by its support: largest
    F-beta over all thresholds
    """

def micro_max_f_beta(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    beta: float = 1.0,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest F-beta over all thresholds on these rows, which is an optimistic estimate.

    Definition: Over every row and class pooled: largest F-beta over all thresholds
    """

@overload
def best_f_beta(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    beta: float = 1.0,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def best_f_beta(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    beta: float = 1.0,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest F-beta over all thresholds on these rows, which is an optimistic estimate.

    Definition: Of the positive class: largest F-beta over all thresholds

    Another name of `max_f_beta`.
    """

@overload
def f_beta_threshold(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    beta: float = 1.0,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def f_beta_threshold(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    beta: float = 1.0,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Threshold that maximizes F-beta on these rows: predict the class at or above it.

    Definition: Of the positive class: the highest threshold at which F-beta is largest
    """

def micro_f_beta_threshold(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    beta: float = 1.0,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Threshold that maximizes F-beta on these rows: predict the class at or above it.

    Definition: Over every row and class pooled: the highest threshold at which F-beta is largest
    """

@overload
def informedness_threshold(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def informedness_threshold(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Threshold that maximizes informedness on these rows: predict the class at or above it.

    Definition: Of the positive class: the highest threshold at which TPR − FPR is largest
    """

def micro_informedness_threshold(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Threshold that maximizes informedness on these rows: predict the class at or above it.

    Definition: Over every row and class pooled: the highest threshold at which TPR − FPR is largest
    """

@overload
def max_informedness(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def max_informedness(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest informedness over all thresholds on these rows, which is an optimistic estimate.

    Definition: Of the positive class: largest TPR − FPR over all thresholds
    """

def macro_max_informedness(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest informedness over all thresholds on these rows, which is an optimistic estimate.

    Definition: Mean over the classes that can be measured: largest TPR − FPR over all thresholds
    """

def weighted_max_informedness(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest informedness over all thresholds on these rows, which is an optimistic estimate.

    Definition: Mean over the classes that can be measured, each weighted by its support: largest
    TPR − FPR over all thresholds
    """

def micro_max_informedness(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Largest informedness over all thresholds on these rows, which is an optimistic estimate.

    Definition: Over every row and class pooled: largest TPR − FPR over all thresholds
    """

@overload
def min_cost(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    costs: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def min_cost(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["macro", "weighted", "micro"] = ...,
    costs: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Smallest mean cost over all thresholds on these rows, which is an optimistic estimate.

    Definition: Of the positive class: smallest mean cost over all thresholds, predicting nothing
    included
    """

def macro_min_cost(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    costs: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Smallest mean cost over all thresholds on these rows, which is an optimistic estimate.

    Definition: Mean over the classes that can be measured: smallest mean cost over all thresholds,
    predicting nothing included
    """

def weighted_min_cost(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    costs: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Smallest mean cost over all thresholds on these rows, which is an optimistic estimate.

    Definition: Mean over the classes that can be measured, each weighted by its support: smallest
    mean cost over all thresholds, predicting nothing included
    """

def micro_min_cost(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    costs: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Smallest mean cost over all thresholds on these rows, which is an optimistic estimate.

    Definition: Over every row and class pooled: smallest mean cost over all thresholds, predicting
    nothing included
    """

@overload
def cost_threshold(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: None,
    costs: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> _Floats: ...
@overload
def cost_threshold(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    average: Literal["micro"] = ...,
    costs: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Threshold that minimizes the mean cost on these rows: predict the class at or above it.

    Definition: Of the positive class: the highest threshold at which the mean cost is smallest
    """

def micro_cost_threshold(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    costs: Any = None,
    labels: Any = None,
    positive: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Threshold that minimizes the mean cost on these rows: predict the class at or above it.

    Definition: Over every row and class pooled: the highest threshold at which the mean cost is
    smallest
    """

def coverage_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean number of top-scored labels that are needed to include every true label of a row.

    Definition: mean over the rows of the rank of the last true label; tied labels take the last
    rank
    """

def coverage(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean number of top-scored labels that are needed to include every true label of a row.

    Definition: mean over the rows of the rank of the last true label; tied labels take the last
    rank

    Another name of `coverage_error`.
    """

def label_ranking_average_precision(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean proportion of true labels among the labels that score at least as high as a true one.

    Definition: mean over the rows of: mean over the true labels of the proportion of true labels
    among those that score as high or higher
    """

def lrap(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean proportion of true labels among the labels that score at least as high as a true one.

    Definition: mean over the rows of: mean over the true labels of the proportion of true labels
    among those that score as high or higher

    Another name of `label_ranking_average_precision`.
    """

def label_ranking_average_precision_score(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean proportion of true labels among the labels that score at least as high as a true one.

    Definition: mean over the rows of: mean over the true labels of the proportion of true labels
    among those that score as high or higher

    Another name of `label_ranking_average_precision`.
    """

def label_ranking_loss(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the pairs of a true and a false label of a row that are in the wrong order.

    Definition: mean over the rows of the proportion of pairs (true label, false label) in which the
    false one scores as high or higher
    """

def ranking_loss(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the pairs of a true and a false label of a row that are in the wrong order.

    Definition: mean over the rows of the proportion of pairs (true label, false label) in which the
    false one scores as high or higher

    Another name of `label_ranking_loss`.
    """

def one_error(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows whose top-scored label is not true.

    Definition: proportion of the rows whose best label is not true; tied labels are equally likely
    """

def ndcg(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int | None = None,
    ties: Literal["expected", "order"] = "expected",
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Gain of the true labels, discounted by rank in the row, as a proportion of the best gain.

    Definition: mean over the rows of Σ over the true labels of 1 ÷ log2(rank + 1), ÷ the largest
    such sum; tied labels take the mean over their ranks
    """

def ndcg_score(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int | None = None,
    ties: Literal["expected", "order"] = "expected",
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Gain of the true labels, discounted by rank in the row, as a proportion of the best gain.

    Definition: mean over the rows of Σ over the true labels of 1 ÷ log2(rank + 1), ÷ the largest
    such sum; tied labels take the mean over their ranks

    Another name of `ndcg`.
    """

def normalized_discounted_cumulative_gain(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int | None = None,
    ties: Literal["expected", "order"] = "expected",
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Gain of the true labels, discounted by rank in the row, as a proportion of the best gain.

    Definition: mean over the rows of Σ over the true labels of 1 ÷ log2(rank + 1), ÷ the largest
    such sum; tied labels take the mean over their ranks

    Another name of `ndcg`.
    """

def samples_precision_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 5,
    ties: Literal["expected", "order"] = "expected",
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean proportion of true labels among the k best labels of a row.

    Definition: mean over the rows of (true labels among the k best) ÷ k
    """

def samples_recall_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 5,
    ties: Literal["expected", "order"] = "expected",
    is_capped: bool = False,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean proportion of the true labels of a row that are among its k best labels.

    Definition: mean over the rows of (true labels among the k best) ÷ (true labels)
    """

def samples_r_precision(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean precision among the t best labels of a row with t true labels.

    Definition: mean over the rows of (true labels among the t best) ÷ t, t: number of true labels
    """

def mean_reciprocal_rank(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean of one divided by the rank of the first true label of a row.

    Definition: mean over the rows of 1 ÷ (rank of the first true label); tied labels take the mean
    over their orders
    """

def mrr(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean of one divided by the rank of the first true label of a row.

    Definition: mean over the rows of 1 ÷ (rank of the first true label); tied labels take the mean
    over their orders

    Another name of `mean_reciprocal_rank`.
    """

def reciprocal_rank(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean of one divided by the rank of the first true label of a row.

    Definition: mean over the rows of 1 ÷ (rank of the first true label); tied labels take the mean
    over their orders

    Another name of `mean_reciprocal_rank`.
    """

def lwlrap(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Label-weighted label ranking average precision: true labels have equal weights, not rows.

    Definition: Σ over the true labels of the proportion of true labels among those that score as
    high or higher, ÷ the number of true labels
    """

def label_weighted_lrap(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Label-weighted label ranking average precision: true labels have equal weights, not rows.

    Definition: Σ over the true labels of the proportion of true labels among those that score as
    high or higher, ÷ the number of true labels

    Another name of `lwlrap`.
    """

def binary_cross_entropy(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    eps: float | None = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean log-loss of each label against its absence, in nats.

    Definition: mean over the known labels of all rows of −ln of the probability of the truth
    """

def multilabel_log_loss(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    eps: float | None = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean log-loss of each label against its absence, in nats.

    Definition: mean over the known labels of all rows of −ln of the probability of the truth

    Another name of `binary_cross_entropy`.
    """

def multi_logloss(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    eps: float | None = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean log-loss of each label against its absence, in nats.

    Definition: mean over the known labels of all rows of −ln of the probability of the truth

    Another name of `binary_cross_entropy`.
    """

def bce(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    eps: float | None = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean log-loss of each label against its absence, in nats.

    Definition: mean over the known labels of all rows of −ln of the probability of the truth

    Another name of `binary_cross_entropy`.
    """

def binary_cross_entropy_of_a_row(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    eps: float | None = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Log-loss of each label against its absence, summed over the labels of a row.

    Definition: mean over the rows of Σ over the known labels of −ln of the probability of the truth
    """

def multilabel_brier(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean squared difference between the probability of a label and its truth, 0 or 1.

    Definition: mean over the known labels of all rows of (p − [true])²
    """

def label_brier(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean squared difference between the probability of a label and its truth, 0 or 1.

    Definition: mean over the known labels of all rows of (p − [true])²

    Another name of `multilabel_brier`.
    """

def multilabel_brier_of_a_row(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Squared difference between probabilities and truth, 0 or 1, summed over labels of a row.

    Definition: mean over the rows of Σ over the known labels of (p − [true])²
    """

def d_prime(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Distance of true and false rows of a label in standard deviations, from the mean AUC.

    Definition: √2 · Φ⁻¹(mean ROC AUC of the labels)
    """

def mean_d_prime(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean distance of true and false rows of a label in standard deviations.

    Definition: mean over the labels of √2 · Φ⁻¹(ROC AUC)
    """

def fmax(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Protein-centric Fmax: the best F1 of mean precision and mean recall at one threshold.

    Definition: largest F1 over the thresholds, from the mean recall of the rows with a true label
    and the mean precision of those that also have a predicted label
    """

def f_max(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Protein-centric Fmax: the best F1 of mean precision and mean recall at one threshold.

    Definition: largest F1 over the thresholds, from the mean recall of the rows with a true label
    and the mean precision of those that also have a predicted label

    Another name of `fmax`.
    """

def protein_centric_fmax(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Protein-centric Fmax: the best F1 of mean precision and mean recall at one threshold.

    Definition: largest F1 over the thresholds, from the mean recall of the rows with a true label
    and the mean precision of those that also have a predicted label

    Another name of `fmax`.
    """

def propensity_scored_precision_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 5,
    propensities: Any = None,
    label_counts: Any = None,
    n_train: int | None = None,
    a: float = 0.55,
    b: float = 1.5,
    ties: Literal["expected", "order"] = "expected",
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Propensity-scored precision among the k best labels, relative to the best possible.

    Definition: Σ over the rows of 1 ÷ propensity of the true labels among the k best, ÷ the largest
    such sum
    """

def psp_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 5,
    propensities: Any = None,
    label_counts: Any = None,
    n_train: int | None = None,
    a: float = 0.55,
    b: float = 1.5,
    ties: Literal["expected", "order"] = "expected",
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Propensity-scored precision among the k best labels, relative to the best possible.

    Definition: Σ over the rows of 1 ÷ propensity of the true labels among the k best, ÷ the largest
    such sum

    Another name of `propensity_scored_precision_at_k`.
    """

def propensity_scored_ndcg_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 5,
    propensities: Any = None,
    label_counts: Any = None,
    n_train: int | None = None,
    a: float = 0.55,
    b: float = 1.5,
    ties: Literal["expected", "order"] = "expected",
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Propensity-scored nDCG of the k best labels: the ratio of means that papers report.

    Definition: mean of the discounted gain ÷ propensity of the true labels among the k best, ÷ the
    largest such mean
    """

def psndcg_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 5,
    propensities: Any = None,
    label_counts: Any = None,
    n_train: int | None = None,
    a: float = 0.55,
    b: float = 1.5,
    ties: Literal["expected", "order"] = "expected",
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Propensity-scored nDCG of the k best labels: the ratio of means that papers report.

    Definition: mean of the discounted gain ÷ propensity of the true labels among the k best, ÷ the
    largest such mean

    Another name of `propensity_scored_ndcg_at_k`.
    """

def propensity_scored_recall_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 5,
    propensities: Any = None,
    label_counts: Any = None,
    n_train: int | None = None,
    a: float = 0.55,
    b: float = 1.5,
    ties: Literal["expected", "order"] = "expected",
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Propensity-scored recall among the k best labels, relative to the best possible.

    Definition: mean of 1 ÷ propensity of the true labels among the k best, ÷ (true labels), ÷ the
    largest such mean
    """

def psrecall_at_k(
    y_true: Any = None,
    *,
    y_prob: Any = None,
    y_score: Any = None,
    k: int = 5,
    propensities: Any = None,
    label_counts: Any = None,
    n_train: int | None = None,
    a: float = 0.55,
    b: float = 1.5,
    ties: Literal["expected", "order"] = "expected",
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Propensity-scored recall among the k best labels, relative to the best possible.

    Definition: mean of 1 ÷ propensity of the true labels among the k best, ÷ (true labels), ÷ the
    largest such mean

    Another name of `propensity_scored_recall_at_k`.
    """

def subset_accuracy(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows whose predicted labels are exactly the true labels.

    Definition: Of the labels of each row, and the mean over the rows: where(FP + FN, 0, 1)
    """

def exact_match(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows whose predicted labels are exactly the true labels.

    Definition: Of the labels of each row, and the mean over the rows: where(FP + FN, 0, 1)

    Another name of `subset_accuracy`.
    """

def exact_match_ratio(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows whose predicted labels are exactly the true labels.

    Definition: Of the labels of each row, and the mean over the rows: where(FP + FN, 0, 1)

    Another name of `subset_accuracy`.
    """

def all_true_found(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows without a missed label; a row without true labels misses none.

    Definition: Of the labels of each row, and the mean over the rows: where(FN, 0, 1)
    """

def no_false_label(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows without a false label; an empty prediction has none.

    Definition: Of the labels of each row, and the mean over the rows: where(FP, 0, 1)
    """

def any_true_found(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Proportion of the rows with at least one true label predicted.

    Definition: Of the labels of each row, and the mean over the rows: where(TP, 1, 0)
    """

def samples_hamming_loss(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean over the rows of the proportion of wrong labels.

    Definition: Of the labels of each row, and the mean over the rows: (FP + FN) / (TP + FP + FN +
    TN)
    """

def label_cardinality(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean number of true labels per row.

    Definition: Of the labels of each row, and the mean over the rows: TP + FN
    """

def predicted_cardinality(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean number of predicted labels per row.

    Definition: Of the labels of each row, and the mean over the rows: TP + FP
    """

def label_density(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean proportion of the labels that are true in a row.

    Definition: Of the labels of each row, and the mean over the rows: (TP + FN) / (TP + FP + FN +
    TN)
    """

def predicted_density(
    y_true: Any = None,
    y_pred: Any = None,
    *,
    labels: Any = None,
    weights: Any = None,
    undefined: _Undefined = "zero",
    n_threads: int | None = None,
) -> float:
    """Mean proportion of the labels that are predicted for a row.

    Definition: Of the labels of each row, and the mean over the rows: (TP + FP) / (TP + FP + FN +
    TN)
    """

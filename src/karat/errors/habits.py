"""Words of other libraries → karat's: what an argument, or a function, of theirs is called here."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import wraps
from typing import Any, Final, ParamSpec, TypeVar

from karat.errors import KaratError, error, short
from karat.errors.former import FORMER_DESIGNS, LEFT_OUT, NO_CHOICE, Asked, Part, written
from karat.errors.options import on_the_command_line, option, part_with_value

P = ParamSpec("P")
T = TypeVar("T")

_COUNTS: Final = ("counts", "freq", "freqs", "frequency", "frequencies", "sample_counts")
"""Arguments of other libraries for weights that count rows."""
_WORDS: Final = {
    **dict.fromkeys(_COUNTS, "weights"),
    "sample_weight": "weights",
    "sample_weights": "weights",
    "pos_label": "positive",
    "zero_division": "undefined",
    "target_names": "class_names",
    "true": "y_true",
    "pred": "y_pred",
    "prob": "y_prob",
    "score": "y_score",
    "id": "ids",
    "weight": "weights",
    "cluster": "clusters",
    "y_proba": "y_prob",
    "probas_pred": "y_prob",
    "y_scores": "y_score",
    "logit": "y_logit",
    "logits": "y_logit",
    "y_logits": "y_logit",
    "n_jobs": "n_threads",
    "num_threads": "n_threads",
    "thread_count": "n_threads",
    "threads": "n_threads",
    "n_bins": "bins",
    "target": "y_true",
    "targets": "y_true",
    "preds": "y_pred",
    "confidence_level": "level",
}
_OF_ZERO_DIVISION: Final = {"0": "'zero'", "0.0": "'zero'", "nan": "'nan'", "'warn'": "'zero'"}
_COSTS: Final = "costs= is a matrix, rows true: costs=[[0, {fp}], [{fn}, 0]]"
_CHOICES: Final = {
    "multi_class": "each choice is a metric: roc_auc_ovr_macro, roc_auc_ovr_weighted, "
    "roc_auc_ovo_macro, roc_auc_ovo_weighted; average= chooses those of one class against the rest",
    "average": "karat.evaluate gives every average: report['macro_f1'], report['micro_f1']",
    "normalize": "karat.confusion_matrix gives counts: divide it by its sum, or that of an axis",
    "ignore_index": "leave these rows out of every argument: keep = y_true != -100",
    **dict.fromkeys(
        ("num_classes", "n_classes", "num_labels"), "labels=range(k) names classes 0 to k − 1"
    ),
    "from_logits": "logits are y_logit=, probabilities y_prob=",
    "top_k": "k is part of the name of a metric: top_5_accuracy",
}
_OF_FUNCTIONS: Final = {
    "scorer": {"average": "The average is part of the name: karat.scorer('macro_f1')."},
    "find_weak_slices": {"columns": "In karat it is by=.", "features": "In karat it is by=."},
    "Monitor": {"separator": "A monitor reads one class in each row: leave it out."},
    "Monitor.add": {"separator": "A monitor reads one class in each row: leave it out."},
    "GateResult.save_baseline": {
        "with_rows": "The gate keeps the rows: "
        "karat.gate(…, reading=karat.Reading(keep_rows=True)).save_baseline(path)."
    },
}
"""Functions → arguments that are called otherwise there alone."""
_TABLES: Final = ("data", "df", "frame", "table", "path", "file", "files")
_OF_COMMANDS: Final = {
    "average": "A report has every average: --metrics macro_f1,micro_f1",
    "multi_class": "Each choice is a metric: --metrics roc_auc_ovr_macro,roc_auc_ovo_macro",
    "normalize": "A report has the counts",
    "gold": "It is --true",
    "gold_weight": "It is --gold-weights",
    **dict.fromkeys(
        _COUNTS, "Weights that count rows are --weights COLUMN --weights-are frequency"
    ),
    "strict_inconclusive": "It is --inconclusive fail",
}
_ELSEWHERE: Final = {
    "calibration_curve": "karat.curves.reliability",
    "class_likelihood_ratios": "karat.positive_likelihood_ratio and "
    "karat.negative_likelihood_ratio",
    "classification_report": "karat.evaluate",
    "columns": "karat.check",
    "confusion_matrix_at_thresholds": "karat.curves.roc",
    "dcg_score": "karat.ndcg",
    "det_curve": "karat.curves.det",
    **dict.fromkeys(
        ("from_json", "load", "load_report", "read_json", "read_report"), "karat.Report.from_json"
    ),
    "multilabel_confusion_matrix": "karat.evaluate(...).per_class",
    "precision_recall_curve": "karat.curves.precision_recall",
    "precision_recall_fscore_support": "karat.evaluate(...).per_class",
    "report": "karat.evaluate",
    "roc_curve": "karat.curves.roc",
}


_OWN: Final = ("columns", "report", "from_json", "load", "load_report", "read_json", "read_report")
"""Names that no function of scikit-learn has."""
_OF_MODELS: Final = {
    "compare": 'Pass models as a dict: {"name": predictions}, as karat.compare(y_true, '
    '{"old": old, "new": new}).'
}
"""Functions that take predictions of several models → how they are given."""
_OF_PLOTS: Final = {
    **dict.fromkeys(
        ("title", "xlabel", "ylabel", "xlim", "ylim"), "The Axes are returned: ax.set_{name}(...)."
    ),
    **dict.fromkeys(
        ("figsize", "dpi"),
        "Make the figure first: fig, ax = plt.subplots({name}=...), and give ax=ax.",
    ),
    **dict.fromkeys(
        ("filename", "path", "save", "output"), "The Axes are returned: ax.figure.savefig(path)."
    ),
}
"""Arguments that no picture takes → how it is done."""
_OF_REPORTS: Final = {
    "plot": "karat.plot draws a report: karat.plot.roc(report), karat.plot.confusion(report)",
    "save": "report.to_json(path) writes a report, and karat.Report.from_json(text) reads it",
    "show": "print(report) shows a report, report.to_html(path) writes it as a page",
    "summary": "print(report) shows a report, report.to_html(path) writes it as a page",
    "to_dataframe": "report.to_frame() gives a data frame",
    "to_df": "report.to_frame() gives a data frame",
    "to_pandas": "report.to_frame('pandas') gives a data frame",
    "to_polars": "report.to_frame('polars') gives a data frame",
}


_OF_RESULTS: Final = {
    **dict.fromkeys(
        ("interval", "ci", "conf_int", "confidence_interval"), ".low and .high, at .level"
    ),
    **dict.fromkeys(("lower", "ci_low", "lower_bound"), ".low"),
    **dict.fromkeys(("upper", "ci_high", "upper_bound"), ".high"),
    **dict.fromkeys(("se", "std", "stderr", "std_error"), ".standard_error"),
    **dict.fromkeys(("score", "mean", "estimate"), ".value"),
}


_OF_STREAMS: Final = {
    **dict.fromkeys(("compute", "result", "value"), "stream.report() gives the metrics"),
    **dict.fromkeys(
        ("add", "append", "forward", "push"), "stream.update(y_true, y_pred) adds a batch"
    ),
    "reset": "start a new karat.Stream(…)",
}


def of_a_stream(name: str) -> str | None:
    """Replacement for a method that streams lack and other libraries have; else None."""
    found = _OF_STREAMS.get(name)
    return None if found is None else f"A stream has no {name}: {found}."


def of_a_report(name: str) -> str | None:
    """Replacement for a method that reports lack and other libraries have; else None."""
    found = _OF_REPORTS.get(name)
    return None if found is None else f"A report has no {name}: {found}."


def of_a_result(name: str) -> str | None:
    """Replacement for an attribute that results lack; else None."""
    found = _OF_RESULTS.get(name)
    return None if found is None else f"A result has no {name}: it has {found}."


def karat_word(
    name: str, takes: Collection[str] | None = None, given: Mapping[str, object] | None = None
) -> str | None:
    """Name in karat of an argument of another library, as the end of a sentence; None: unknown.

    Args:
        takes: the arguments there are, when only they may be named.
        given: the arguments with their values.
    """
    values = given or {}
    if name in ("fn", "fp") and takes is not None and "costs" in takes:
        return _COSTS.format(fp=short(values.get("fp", 1)), fn=short(values.get("fn", 1)))
    word = _WORDS.get(name)
    if word is None:
        return _CHOICES.get(name)
    if takes is not None and word not in takes:
        asked = Asked("", takes, values)
        parts = [part for part in asked.parts(word, values.get(name)) if asked.has(part)]
        if parts:
            return f"in karat it is {asked.arguments(parts, {})[0]}"
        # Rows are no choice, and every function takes them.
        if word not in ("y_true", "y_pred"):
            return "there is no such choice here: leave it out"
    if name == "zero_division" and name in values:
        choice = _OF_ZERO_DIVISION.get(short(values[name]))
        if choice is None:
            return "in karat it is undefined=, and an undefined value is 0 or NaN: 'zero' or 'nan'"
        return f"in karat it is {word}={choice}"
    return f"in karat it is {word}="


def where_it_is(name: str) -> str | None:
    """Place in karat of a name of scikit-learn that is not a metric; else None."""
    found = _ELSEWHERE.get(name)
    if found is None:
        return None
    if name in _OWN:
        return f"It is {found}."
    module = "karat.compat.sklearn"
    return f"It is {found}; with scikit-learn's arguments, import {module}: {module}.{name}."


_METRICS: Final = {
    "acc": "accuracy",
    "acc_score": "accuracy",
    "logloss": "log_loss",
    "nll": "log_loss",
    "nll_loss": "log_loss",
    "map": "mean_average_precision",
}
"""Short names of metrics of other libraries."""


def metric_word(name: str) -> str | None:
    """Name in karat of a metric of another library, with its parameter or sign; None: unknown."""
    if name in _METRICS:
        return _METRICS[name]
    if name.startswith("neg_"):
        return name.removeprefix("neg_")
    found = re.fullmatch(r"f(0?\.?\d+)(_score)?", name)
    if found is None:
        return None
    digits = found[1]
    beta = digits if "." in digits or not digits.startswith("0") else f"0.{digits[1:]}"
    return f"f_beta(beta={float(beta):g})" if float(beta or 0) > 0 else None


def option_word(flag: str, known: Collection[str]) -> str | None:
    """Command-line option for an option of another library; None: unknown.

    Args:
        flag: the option as it was typed, ``"--pos-label"``.
        known: the options that the command has.
    """
    name = flag.lstrip("-").replace("-", "_")
    with on_the_command_line():
        ours = option(_WORDS.get(name, name))
    word = _OF_COMMANDS.get(name, "")
    if not word and ours in known and ours != flag:
        return f"It is {ours}"
    return word or None if set(re.findall(r"--[a-z-]+", word)) <= set(known) else None


def unknown_argument(
    function: str, name: str, takes: Collection[str], given: Mapping[str, object] | None = None
) -> KaratError:
    """K126: a function has no argument of that name.

    Args:
        function: its name.
        takes: the arguments that it has.
        given: the arguments by name, with their values.
    """
    return unknown_arguments([name], Asked(function, takes, given or {}))


def unknown_arguments(names: Sequence[str], asked: Asked, *, has_data: bool = False) -> KaratError:
    """K126: a function has no arguments of these names; one message answers all of them.

    Args:
        asked: the call.
        has_data: whether its first argument may be a table or files.
    """
    design = asked.values.get("design")
    if isinstance(design, str) and design in FORMER_DESIGNS and "design" in asked.takes:
        names = [*names, "design"]
    answers = [_answer(name, asked, has_data=has_data) for name in names]
    parts = [part for answer in answers for part in answer.parts]
    flat = {name: text for answer in answers for name, text in answer.flat}
    whole = ", ".join(asked.arguments(parts, flat))
    if len(answers) == 1:
        do, more = answers[0].sentence.format(whole), ""
    else:
        lines = [
            f"{name}=: {answer.sentence.format(asked.bare(answer.parts, dict(answer.flat)))}"
            for name, answer in zip(names, answers, strict=True)
        ]
        do = "\n".join([*lines, f"Together: {whole}."] if whole else lines)
        more = f", and {len(names) - 1} more"
    takes = ", ".join(asked.takes)
    return error("K126", function=asked.function, name=names[0], more=more, arguments=takes, do=do)


@dataclass(frozen=True, slots=True)
class _Answer:
    """What to do about an argument.

    Attributes:
        sentence: with braces for the parts of groups, where there are some.
        parts: the parts of groups that it is today.
        flat: the arguments that it is today, with their values.
    """

    sentence: str
    parts: tuple[Part, ...] = ()
    flat: tuple[tuple[str, str], ...] = ()


def _answer(name: str, asked: Asked, *, has_data: bool) -> _Answer:
    """What to do about an argument that a function does not have."""
    text = _of_own(name, asked, has_data=has_data)
    if text is not None:
        return _plain(text)
    word = _WORDS.get(name, name)
    value = asked.values.get(name)
    if name == "design" and "design" in asked.takes and isinstance(value, str):
        kind = FORMER_DESIGNS[value]
        return _Answer("In karat it is {}.", (Part(kind, ""),)) if kind else _plain(LEFT_OUT)
    of_karat = word == name and (name in _OF_VERSIONS or bool(asked.parts(name, value)))
    if (of_karat and asked.is_default(name)) or (
        word != name and name in asked.values and value is None
    ):
        return _plain(LEFT_OUT)
    if name in _OF_VERSIONS:
        return _OF_VERSIONS[name](asked)
    parts = tuple(asked.parts(word, value))
    if parts and all(map(asked.has, parts)):
        if (given := asked.beside(parts[-1])) is not None:
            return _plain(f"{given} is given too: give it once.")
        start = "It is a part of a group" if of_karat else "In karat it is"
        return _Answer(f"{start}{':' if of_karat else ''} {{}}.", parts)
    place = asked.place(parts[0]) if parts else asked.elsewhere.get(word)
    if place is not None:
        spelled = asked.bare(parts) if parts else f"{word}={written(value)}"
        return _plain(f"It is an argument of another call: {place}({spelled}).")
    if parts and asked.function == parts[0].kind:
        return _plain(f"Here it is {parts[0].name}={parts[0].text}.")
    known = karat_word(name, asked.takes, asked.values)
    if known is not None:
        is_code = known.startswith("karat.") or known.partition("=")[0].isidentifier()
        start = known if is_code else f"{known[0].upper()}{known[1:]}"
        is_flat = word != name and word in asked.takes
        choice = known.partition("=")[2] or written(value)
        return _plain(f"{start}.", ((word, choice),) if is_flat else ())
    if parts:
        return _plain(NO_CHOICE)
    nearest = ", ".join(f"{close}=" for close in get_close_matches(name, asked.takes, n=2))
    return _plain(f"Nearest: {nearest}." if nearest else "Leave it out.")


def _plain(sentence: str, flat: tuple[tuple[str, str], ...] = ()) -> _Answer:
    """A sentence as it stands."""
    return _Answer(sentence.replace("{", "{{").replace("}", "}}"), flat=flat)


def _of_own(name: str, asked: Asked, *, has_data: bool) -> str | None:
    """What to do about an argument at this function alone; None: nothing of that kind."""
    function = asked.function
    if name in _OF_FUNCTIONS.get(function, {}):
        return _OF_FUNCTIONS[function][name]
    if function.startswith("karat.plot.") and name in _OF_PLOTS:
        return _OF_PLOTS[name].format(name=name)
    if has_data and name in _TABLES:
        kind, _, method = function.rpartition(".")
        called = f"{kind.lower()}.{method}" if kind else f"karat.{function}"
        return f"Give a table or files first, without a name: {called}({name})."
    if has_data and name in _COUNTS and "weights" in asked.takes:
        return "Weights that count rows are weights=karat.Frequency(…)."
    if has_data and name == "predictions":
        return "It is y_pred=, or the second argument, without a name."
    return None


def _of_gold(asked: Asked) -> _Answer:
    """Labels of people, which are the truth of a design with a judge."""
    judge = Part(
        "Judge", "judge", "…" if "judge" not in asked.values else written(asked.values["judge"])
    )
    if not asked.has(judge):
        return _plain(NO_CHOICE)
    text = written(asked.values["gold"]) if "gold" in asked.values else "…"
    return _Answer("Labels by people are y_true: {}.", (judge,), (("y_true", text),))


def _of_baseline(asked: Asked) -> _Answer:
    """The next baseline, which a result writes."""
    if asked.function != "gate":
        return _plain("karat.gate(…).save_baseline(path) writes a baseline.")
    path = written(asked.values["update_baseline"]) if "update_baseline" in asked.values else "path"
    has_rules = any(
        asked.values.get(name) is not None
        for name in ("min", "max", "max_drop", "no_worse_than", "baseline")
    )
    if has_rules:
        return _plain(f"Afterwards: if result.passed: result.save_baseline({path}).")
    return _plain(f"The result writes it: karat.gate(…).save_baseline({path}).")


def _of_exit_codes(asked: Asked) -> _Answer:
    """Exit codes, which only a command has."""
    del asked
    return _plain("A script decides by result.passed; only the command has --warn-only.")


def _of_weights(asked: Asked) -> _Answer:
    """What weights are, which a group says."""
    parts = asked.parts("weights_are", None)
    given = asked.values.get("weights_are", "frequency")
    if not isinstance(given, str) or given != "frequency":
        return _plain("It is karat.Frequency(…) for weights that count rows; others are weights=.")
    if not parts:
        return _plain("Leave it out: karat.Frequency states it.")
    if asked.has(parts[0]):
        return _Answer("Weights that count rows are {}.", tuple(parts))
    place = asked.place(parts[0])
    if place is None:
        return _plain(NO_CHOICE)
    return _plain(f"Weights that count rows belong to {place}({asked.bare(parts)}).")


_OF_VERSIONS: Final[Mapping[str, Callable[[Asked], _Answer]]] = {
    "gold": _of_gold,
    "update_baseline": _of_baseline,
    "warn_only": _of_exit_codes,
    "weights_are": _of_weights,
}
"""Arguments of karat 0.2 that are something else than a part of a group."""


def meant_choice(value: object, known: Iterable[str | None]) -> str | None:
    """The choice that a text is a slip of, of case for example; None: of none."""
    texts = {str(text).lower().replace("-", "_"): str(text) for text in known}
    word = value.strip().lower().replace("-", "_") if isinstance(value, str) else ""
    near = get_close_matches(word, texts, n=1, cutoff=0.75)
    return texts[near[0]] if near else None


def instead_of(argument: str, value: object, known: Collection[str | None]) -> str:
    """Suggestion for a slip, as a sentence that ends in a blank; "" where there is none."""
    meant = meant_choice(value, known)
    if meant == "None" and None in known:
        return f"Without quotes: {argument}=None. "
    if meant is None:
        return ""
    part = part_with_value(argument)
    return f"Did you mean {part.format(value=meant) if part else option(argument, meant)}? "


def unnamed_arguments(
    function: str, given: tuple[object, ...], averages: Collection[str], own: Sequence[str]
) -> KaratError:
    """K138: arguments of a metric after the rows, which are given by name.

    Args:
        own: the parameters of the metric.
    """
    value = short(given[0])
    found = f"{function} was given {value} after the rows"
    do = f"Name it, as {''.join(f'{name}={value}, ' for name in own[:1])}positive= or weights=."
    if given[0] in averages:
        do = f"Name it: average={given[0]!r}."
    return error("K138", what="Options of a metric", found=found, do=do)


def unnamed_scores(found: str) -> KaratError:
    """K138: probabilities or scores were given, and nothing says which of the two."""
    do = "Name what they are: y_prob= for probabilities, y_logit= for logits, y_score= for any "
    do += "other scores."
    return error("K138", what="Probabilities and scores", found=found, do=do)


def names_its_arguments(
    function: Callable[P, T],
    options: Mapping[str, object] | None = None,
    elsewhere: Mapping[str, str] | None = None,
) -> Callable[P, T]:
    """The function, which says what karat calls an argument of another library.

    Args:
        options, elsewhere: as of `Asked`.

    Errors:
        K126 an argument that it does not have; K138 scores without the name of what they are; K162
        models without a name; K156 an argument given twice.
    """
    takes = inspect.signature(function).parameters
    in_place = inspect.Parameter.POSITIONAL_ONLY
    keywords = {name for name, item in takes.items() if item.kind is not in_place}
    named = tuple(name for name in takes if name != "self")
    n_selves = len(takes) - len(named)
    spoken = function.__qualname__.rpartition("<locals>.")[2].removesuffix(".__init__")
    n_places = sum(item.kind is not inspect.Parameter.KEYWORD_ONLY for item in takes.values())

    places = named[: n_places - n_selves]

    @wraps(function)
    def called(*args: P.args, **kwargs: P.kwargs) -> T:
        if len(args) > n_places and "y_prob" in takes:
            found = f"{spoken} was given {len(args) - n_selves} arguments without a name"
            if spoken in _OF_MODELS:
                raise error("K162", argument="y_pred", found=found, do=_OF_MODELS[spoken])
            if isinstance(args[n_selves + 1], str) and "data" in takes:
                column, *more = (repr(value) for value in args[n_selves + 1 :])
                do = f"Name them: karat.{spoken}(table, y_true={column}, y_pred={more[0]})."
                raise error("K138", what="Columns of a table", found=found, do=do)
            surplus: Any = args[n_places]
            if "by" in takes and (isinstance(surplus, Mapping) or hasattr(surplus, "columns")):
                do = f"Name it: karat.{spoken}(y_true, y_pred, by=…)."
                raise error("K138", what="Columns of slices", found=found, do=do)
            raise unnamed_scores(found)
        if not kwargs.keys() <= keywords:
            unknown = [name for name in kwargs if name not in keywords]
            known = [x for x in named if x in keywords]
            asked = Asked(spoken, known, kwargs, options, elsewhere or {})
            raise unknown_arguments(unknown, asked, has_data="data" in takes)
        try:
            return function(*args, **kwargs)
        except TypeError:
            twice = next((name for name in places[: len(args) - n_selves] if name in kwargs), None)
            if twice is None:
                raise
            given = f"{spoken} was given {twice}=, and also without a name"
            raise error("K156", argument=f"{twice}=", found=given, do="Give it once.") from None

    return called

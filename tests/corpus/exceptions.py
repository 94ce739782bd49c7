"""Changes of outcomes that are wanted: each with its reason, and no more than it allows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from tests.corpus.outcome import Difference


@dataclass(frozen=True)
class Allowed:
    """A change that is wanted.

    Attributes:
        calls: a pattern of `group/id`, as of a shell.
        reason: why the outcome changes.
        path: a regular expression of the whole path inside the outcome, as ``raised\\.code``.
        was, now: regular expressions of the whole text of what stood and stands there.
    """

    calls: str
    reason: str
    path: str
    was: str = ".*"
    now: str = ".*"

    def covers(self, name: str, difference: Difference) -> bool:
        """Whether this difference of this call is the wanted one."""
        pairs = (
            (self.path, difference.path),
            (self.was, str(difference.was)),
            (self.now, str(difference.now)),
        )
        return fnmatchcase(name, self.calls) and all(
            re.fullmatch(pattern, text, re.DOTALL) for pattern, text in pairs
        )


_BANDS = "curves keep what their simultaneous bands need: Σw² where rows have weights"
_SPLIT = "K120 is split into one code for each conflict"
_NEW = (
    r"K(12[789]|13[89]|14[0-4]|149|15[06789]|160|162|169|17[089]|180|18[45]"
    r"|21[4567]|31[0-4]|42[123]|602)"
)

_BEST = "comparisons say what the best of several models is worth"
_UNDER_MEMORY = "max_memory was ignored with clusters or slices of files; what does not fit is K148"
_ORDER = "sums over clusters are added in the order in which units are merged"
_PLAN = "of metrics of labels alone, scores beside a column of predictions are not read"
_FRAMES = "clusters and slices work where rows lie in partitions"
_NAMES = "messages use the terms of the field"
_A_LIST = "JSON that is no object is called what it is"
_CHECKPOINT = "a checkpoint keeps clusters and slices"

_CULPRITS = "weak slices name the smallest slice that explains, with ranges of numbers"
_WEAK_FILES = "weak slices are found in files too"

_TITLED = "pictures have a title"
_OF_SETS = "metrics of sets of labels are in the catalogue"
_INCONCLUSIVE = (
    "one word, inconclusive, in compare and gate; the JSON has a schema of its own for it"
)
_GROUPS = "flips are counted by true label and predictions"
_ROWS_NEEDED = "rows needed have limits of their own"
_WORDS_OF_SEARCH = "summaries of metrics are plain English, and the search reads them"
_OPEN_QUESTION = "karat columns ends with the code of the report that cannot be made"
_NAMES_OF_VALUES = "a name of a column where values are wanted is called one"
_A_PILOT = "what is no pilot is called that"
_ACCELERATED = "BCa intervals of one column of scores have their acceleration, which was taken as 0"
_INVERTED = "calibration errors in bins of equal width have limits by inverting a test"
_CAPPED = "limits of separated areas are no farther than Newcombe's and those of DeLong's variance"
_FEW_ROWS = "differences of few rows keep their level: Student's t of areas, p of combined limits"
_SIDES = "slices with scores, and clusters, have the p at which combined limits touch 0"
_STUDENTIZED = "weak slices of losses are studentized by both sides"
_OF_BINS = r"(\w+_)?calibration_error"
_OF_AREAS = r"(macro_)?(roc_auc|gini)\w*"
_EVERY_FILE = "max_memory holds for every file, not for Parquet alone"

_VERDICT = "the JSON of a gate has its verdict, what inconclusive rules do, and what was written"
_UNDECIDED = "a rule that the rows do not decide keeps the gate from passing, with exit code 3"
_NAMED = "columns are headed by the names of the models, and rows stand in the order of the metrics"
_PICTURE = "a form in a notebook has its picture, and short captions stay in one line"
_NO_RULE = "a gate without a rule says which rules there are"
_LIFT = "precision_lift is a metric of every report"
_NUMBERED = "the name of top_k_accuracy in results has its number"
_HEADLINE = "what opens a report depends on the kind of problem"
_ZEROS = "rows whose true class has probability 0 are counted"
_TAKES = "K302 and karat metrics NAME show what the function of a metric takes"
_RATE = r"(macro_|weighted_)?precision_lift"
_OF_PROBABILITIES = r"(log_loss|brier|expected_calibration_error)(_low|_high)?"
_AS_TYPED = "messages name options as the user typed them, and say more of what to do"
_MESSAGES = (103, 104, 111, 123, 132, 133, 136, 171, 172, 173, 174, 175, 177, 405, 406)
_DOUBTS = "a report lists its doubts, and is read with them from JSON"
_COLUMNS = "a report of a table shows its columns"
_REVERSED = "scores that rank the classes in reverse are a doubt"
_APART = "truth, predictions and scores that do not go together are a doubt"
_TOLD_APART = r".*(not those of the scores beside|with the truth less than by chance|D11[56]).*"
_USERS = "a column called as users or patients are, whose values repeat, is a doubt"
_NO_POSITIVE = "neither class of a pair of words is positive until positive= names it"
_PLAIN_NOTES = "notes of comparisons use the terms of the field"
_VS_REST = "a table of slices names the metric that is compared, and heads differences 'vs. rest'"
_SKEWED = "limits of averages over classes are as skewed as their sum"
_AVERAGES = r"((macro|weighted)_[^.]+|(adjusted_)?balanced_accuracy|g_mean|f1_of_macro_averages)"
_CLUSTER_DF = "clusters count for as many as hold the uncertainty"
_OF_CLUSTERS = ("*cluster*", "*everything*")
_LIMIT = r"(low|high|low_simultaneous|high_simultaneous|p|p_adjusted|mean|low_plain|high_plain)"
_CAUTIONS = "remarks and cautions stand where intervals miss, by rules that were measured"
_OF_A_CLASS = r".*it rests on few rows of a class: .*"
_REMARKS = r".*(classes have few rows|at most one of them differs from the others).*"
_CAUTIONED = r".*(Fewer than (20|10) true rows|The weights differ so much|No row is predicted).*"
_NEEDED = "rows needed follow the limits of averages, and the shape of intervals of scores"
_EXTREMES = "limits of maxima, minima and sums of absolute values are less the bias that shows"
_OF_EXTREMES = r"(min_cost|ks_statistic|max_f_beta|(\w+_)?(miscalibration|discrimination))"
_BIASED = r".*its replicates lie .* standard errors (above|below) it.*"
_SAMPLES = "average='samples' is for rows with sets of labels"
_IN_DOUBT = r".*No class is named as the positive one.*"
_SHA = r"sha256 \w+ of \d+ characters"

EXCEPTIONS: tuple[Allowed, ...] = (
    Allowed("outputs/plot *", _TITLED, r"gave\.title", was="", now=r".* · 240 rows.*"),
    *(
        Allowed(calls, _VERDICT, rf"{path}\.(verdict|inconclusive|updated_baseline)", "<nothing>")
        for calls, path in (
            ("gates/*", r"gave(\.gate)?"),
            ("bad_*/gate *", "gave"),
            ("*_frames/a gate", "gave"),
            ("commands/gate *", r"gave\.json"),
        )
    ),
    *(
        Allowed("gates/*", _UNDECIDED, path, was, now)
        for path, was, now in (
            (r"gave\.rules\[\d+\]\.is_blocking", "False", "True"),
            (r"gave\.passed", "True", "False"),
            (r"gave\.exit_code", "[01]", "3"),
        )
    ),
    Allowed(
        "commands/gate * --strict-inconclusive",
        _UNDECIDED,
        r"gave\.out",
        ".*rules failed\n.*",
        ".*rules failed, 4 inconclusive\n.*",
    ),
    Allowed("commands/gate --help", _UNDECIDED, r"gave\.out"),
    *(Allowed(f"comparisons/as {form}", _NAMED, "gave") for form in ("text", "to_*")),
    Allowed(
        "commands/compare old.csv new.csv*",
        _NAMED,
        r"gave\.out",
        "(karat|##|%).*",
        "(karat|##|%).*",
    ),
    Allowed("commands/compare * -o compared.html *", _NAMED, r"gave\.files\.compared\.html"),
    Allowed(
        "bad_input/gate no rules", _NO_RULE, r"raised\.message", "K176.*", "K176.*--no-worse.*"
    ),
    Allowed(
        "bad_input/gate *", _VERDICT, r"raised\.message", "K126.*", "K126.* inconclusive, strict_.*"
    ),
    Allowed("commands/gate new.csv", _NO_RULE, r"gave\.err", "K176.*", "K176.*--no-worse-than.*"),
    Allowed("gates/*", _AS_TYPED, r"gave\.notes\[\d+\]", "Unpaired: .*", "Unpaired: .*"),
    Allowed("gates/a damaged baseline *", _AS_TYPED, r"raised\.message", "K205  .*", "K205  .*"),
    Allowed("commands/gate new.csv --min *", _AS_TYPED, r"gave\.err", "K176  .*", "K176  .*"),
    Allowed("outputs/*, notebook", _PICTURE, "gave"),
    *(
        Allowed("*", _AS_TYPED, r"raised\.message|gave\.err", *[rf"(.*\n)?K{code}  .*"] * 2)
        for code in _MESSAGES
    ),
    Allowed("odd_rows/certain *", _DOUBTS, r"gave\.doubts", "<nothing>", ".*'D106'.*"),
    Allowed("*", _DOUBTS, r"gave(\[\d+\])?(\.\w+)*\.doubts", "<nothing>", r"\[\]"),
    Allowed("outputs/*, to_json", _DOUBTS, "gave", _SHA, _SHA),
    Allowed("outputs/*MLflow", _DOUBTS, r"gave\.artifacts\.karat/report\.json", _SHA, _SHA),
    Allowed("outputs/*, to_mlflow", _DOUBTS, r"gave\.artifacts\.karat/report\.json", _SHA, _SHA),
    Allowed(
        "outputs/from JSON of half", _DOUBTS, r"raised\.message", ".*line 125 .*", ".*line 126 .*"
    ),
    *(
        Allowed(f"outputs/a table, {form}", _COLUMNS, path, was, now)
        for form, path, was, now in (
            ("text", "gave", ".*", r".*\n\nColumns\n  probabilities=p_yes.*"),
            ("to_markdown", "gave", ".*", r".*\n### Columns\n\n- probabilities=p_yes.*"),
            ("to_mlflow", r"gave\.artifacts\.karat/report\.md", ".*", r".*\n### Columns\n.*"),
            ("to_latex", "gave", _SHA, _SHA),
            ("notebook", "gave", _SHA, _SHA),
        )
    ),
    *(
        Allowed(f"commands/report animals.csv --prob '' -o {name}", _COLUMNS, path, now=now)
        for name, path, now in (
            ("report.md", r"gave\.files\.report\.md", r".*### Columns\n\n- truth=label.*"),
            ("report.tex", r"gave\.files\.report\.tex", r".*Columns.*truth=label.*"),
        )
    ),
    *(
        Allowed(f"arrays/two {call}", _REVERSED, path, "<nothing>", r".*in reverse.*")
        for call in (
            "probabilities, positive 0",
            "probabilities, reversed labels",
            "scores, positive 0",
        )
        for path in (r"gave\.doubts", r"gave\.warnings\[0\]")
    ),
    *(
        Allowed("*", _APART, path, now=_TOLD_APART)
        for path in (r"gave(\.\w+)*\.(doubts|(warnings|notes)\[\d\])", r"gave\.(err|out)")
    ),
    # Notes move by as many doubts as stand before them.
    *(
        Allowed(f"comparisons/{call}", _APART, r"gave\.notes\[\d+\]")
        for call in ("labels and probabilities", "perfect and wrong")
    ),
    Allowed("big_files/*", _USERS, r"gave(\.report)?\.(doubts|warnings\[\d\])"),
    Allowed("bad_input/function two text labels", _NO_POSITIVE, "gave", r"1\.0", "<nothing>"),
    Allowed("bad_input/function two text labels", _NO_POSITIVE, "raised", now=r".*'K190'.*"),
    Allowed("bad_input/tally bytes of a tally", _NO_POSITIVE, r"gave\.(bytes|sha256)"),
    *(
        Allowed(call, _NO_POSITIVE, path, was, now)
        for call in ("confusions/labels", "commands/report - < animals.csv")
        for path, was, now in (
            (r"gave(\.json)?\.classes\.positive", "yes|b", "None"),
            (r"gave(\.json)?\.(doubts|warnings\[0\])", "<nothing>", _IN_DOUBT),
        )
    ),
    Allowed("commands/report - < animals.csv", _NO_POSITIVE, r"gave\.err", now=_IN_DOUBT),
    Allowed("commands/compare --help", _NO_POSITIVE, r"gave\.out", now=".*larger of 0/1.*"),
    Allowed("commands/gate --help", _NO_POSITIVE, r"gave\.out", _SHA, _SHA),
    Allowed("commands/report", _EVERY_FILE, r"gave\.err", ".*--max-memory.*", ".*--max-memory.*"),
    Allowed("commands/report --help", _EVERY_FILE, r"gave\.out"),
    Allowed("functions/plan of *", _NAMES, r"gave\.tallies\[\d+\]", "ladders", "cumulative counts"),
    Allowed(
        "outputs/plot reliability of *",
        _NAMES,
        r"gave\.y",
        ".*share that came true.*",
        "observed proportion",
    ),
    Allowed("commands/explain*", _NAMES, r"gave\.out", ".*From ladders:.*", ".*From cumulative.*"),
    Allowed(
        "outputs/from JSON of a list", _A_LIST, r"raised\.message", "K205.*", "K205.* a list.*"
    ),
    Allowed("*", _SPLIT, r"raised\.code", r"K120", _NEW),
    Allowed("*", _SPLIT, r"raised\.message|gave\.err", r"K120  .*", rf"{_NEW}  .*"),
    *(
        Allowed(f"big_files/{call}", _UNDER_MEMORY, path, now=now)
        for call in ("two, by", "two, clusters")
        for path, now in (("gave", "<nothing>"), ("raised", r".*'K148'.*"))
    ),
    Allowed("big_files/*, clusters", _ORDER, r"gave\.metrics\.\w+\.standard_error"),
    Allowed("commands/report animals.csv * --metrics macro_f1,mcc", _PLAN, r"gave\.(err|out)"),
    Allowed("commands/report animals.csv --metrics macro_f1,mcc", _PLAN, r"gave\.(err|out)"),
    *(
        Allowed("commands/report animals.csv --format json --metrics macro_f1,mcc", _PLAN, path)
        for path in (
            r"gave\.json\.classes\.is_declared",
            r"gave\.json\.mapping\.prob",
            r"gave\.json\.scores",
        )
    ),
    *(
        Allowed(
            "*",
            _CHECKPOINT,
            path,
            r"K415  \w+= is for .* clusters\..*",
            r"K415  \w+= is for .* files\..*",
        )
        for path in (r"raised\.message", r"gave\.err")
    ),
    Allowed(
        "bad_files/Parquet, clusters with a checkpoint", _CHECKPOINT, "raised", now="<nothing>"
    ),
    Allowed("bad_files/Parquet, clusters with a checkpoint", _CHECKPOINT, "gave", "<nothing>"),
    Allowed(
        "bad_files/Parquet, slices with a checkpoint", _CHECKPOINT, r"raised\.code", "K415", "K414"
    ),
    Allowed(
        "bad_files/Parquet, slices with a checkpoint",
        _CHECKPOINT,
        r"raised\.message",
        "K415  .*",
        "K414  .*",
    ),
    *(
        Allowed(f"{host}_frames/*{kind}*", _FRAMES, path, was, now)
        for host in ("dask", "spark")
        for kind in (", by", "clusters", "everything")
        for path, was, now in (
            ("raised", r".*'code': 'K(120|181)'.*", "<nothing>"),
            ("gave", "<nothing>", r".*'is': 'Report'.*"),
        )
    ),
    Allowed("functions/* of * labels", _LIFT, "", "<nothing>"),
    *(
        Allowed(
            f"sklearn_calls/{name}, many labels at once",
            "the drop-in for scikit-learn measures rows with sets of labels",
            path,
        )
        for name in ("accuracy_score",)
        for path in ("raised", "gave")
    ),
    Allowed("functions/search 'f1'", _OF_SETS, r"gave\[\d\]", "<nothing>", "fmax"),
    Allowed("*", _LIFT, rf"gave(.*[.\]])?{_RATE}(_low|_high)?(\..*)?", "<nothing>"),
    *(
        Allowed(f"functions/{call}", _LIFT, r"gave.*")
        for call in ("names", "dir", "search ''", "facts of every metric", "plan of None")
    ),
    *(
        Allowed(f"outputs/*, {form}", f"{_LIFT}; {_HEADLINE}", path)
        for form, path in (
            ("*frame", r"gave\.columns\.\w+\[\d+\]"),
            ("*[mM][lL]*", r"gave\.artifacts\.karat/(report\.json|report\.md|metrics\.csv)"),
            ("to_mlflow", rf"gave\.metrics\.{_OF_PROBABILITIES}"),
            ("to_wandb", rf"gave\.{_OF_PROBABILITIES}"),
        )
    ),
    Allowed("outputs/*", f"{_LIFT}; {_HEADLINE}", "gave", r".*karat report.*|sha256 .*"),
    Allowed("outputs/plot intervals of *", _HEADLINE, r"gave\.lines.*"),
    Allowed("commands/report*", f"{_LIFT}; {_HEADLINE}", r"gave\.(out|files\.report\.\w+)"),
    Allowed(
        "arrays/*scores, by",
        _HEADLINE,
        rf"gave\.slices\[\d+\]\.slices\[\d+\]\.metrics\.{_OF_PROBABILITIES}",
        now="<nothing>",
    ),
    Allowed("*", _NUMBERED, r"gave.*\.top_k_accuracy", now="<nothing>"),
    Allowed("*", _NUMBERED, r"gave.*\.top_2_accuracy", "<nothing>"),
    Allowed(
        "*",
        _NUMBERED,
        r"gave.*\.(settings\.metrics\[\d+\]|scores\.measured\[\d+\]\.metric)",
        "top_k_accuracy",
        "top_2_accuracy",
    ),
    *(Allowed(f"{group}/*", _NUMBERED, r"gave\.sha256") for group in ("streams", "devices")),
    Allowed(
        "*",
        _PLAIN_NOTES,
        r"gave.*\.notes\[\d+\]",
        "(Uncertainty|Unpaired|The best) .*|Unpaired: .*",
        ".*(about the sample of test rows|which needs more rows|again on fresh rows).*",
    ),
    Allowed("slices/text of slices", _VS_REST, "gave", ".*less the others.*", ".*vs. rest.*"),
    Allowed("commands/metrics*", _TAKES, r"gave\.out"),
    Allowed("commands/demo*", _HEADLINE, r"gave\.out"),
    Allowed("*", _ZEROS, r"gave\.warnings\[\d+\]", now=r".*p = 0 for the true class.*"),
    Allowed("*", _TAKES, r"raised\.message|gave\.err", "K302.*", "K302.*also takes labels.*"),
    *(
        Allowed(f"slices/{kind}", _CULPRITS, r"gave\.(slices\b.*|n_inside|n_explained|n_tested|p)")
        for kind in (
            *(f"{host}, *" for host in ("dict", "pandas", "polars", "arrow", "duckdb")),
            "arrays",
            "losses",
            "a frame of columns",
            "nothing weak",
        )
    ),
    Allowed("slices/text", _CULPRITS, "gave", r"country = SE: .*", r"slice .*country = SE .*"),
    Allowed("slices/a file", _WEAK_FILES, r"raised\.code", "K120", "K401"),
    Allowed("slices/a file", _WEAK_FILES, r"raised\.message", "K120 .*", "K401 .*"),
    Allowed("commands/columns *", _OPEN_QUESTION, r"gave\.code", "0", "2"),
    Allowed(
        "bad_input/compare weights of no table", _NAMES_OF_VALUES, r"raised\.code", "K116", "K143"
    ),
    Allowed("bad_input/rows_needed a pilot of text", _A_PILOT, r"raised\.code", "K119", "K170"),
    Allowed("*", _SKEWED, rf"gave(.*[.\]])?{_AVERAGES}(\..*)?\.{_LIMIT}"),
    *(
        Allowed(calls, _CLUSTER_DF, path)
        for calls in _OF_CLUSTERS
        for path in (rf"gave.*\.{_LIMIT}", r"gave.*\.intervals\.\w+\[\d+\]")
    ),
    *(
        Allowed("comparisons/*", _SKEWED, rf"gave\.{path}")
        for path in (
            rf"differences\[\d+\]\.({_LIMIT}|p_equivalent|remark)",
            rf"columns\.{_LIMIT}\[\d+\]",
        )
    ),
    Allowed(
        "gates/*",
        _SKEWED,
        r"gave(\.gate|\.json)?\.rules\[\d+\]\.((difference_)?(low|high)|p|p_adjusted|detectable)",
    ),
    Allowed("comparisons/*cluster*", _CLUSTER_DF, r"gave\.differences\[\d+\]\.verdict"),
    Allowed(
        "*", _CLUSTER_DF, r"gave.*\.cautions\[\d+\]", r".*There are \d+ clusters.*", "<nothing>"
    ),
    Allowed("commands/gate *", _SKEWED, r"gave\.json\.rules\[\d+\]\.(difference_)?(low|high)"),
    *(
        Allowed(calls, _SKEWED, rf"{path}\.differences\[\d+\]\.{_LIMIT}")
        for calls, path in (("commands/compare *", r"gave\.json"), ("bad_input/compare *", "gave"))
    ),
    Allowed("outputs/*, to_csv", _SKEWED, "gave", "metric,.*", "metric,.*"),
    Allowed("outputs/*", _CLUSTER_DF, r"gave\.artifacts\.karat/per_class\.csv"),
    Allowed("outputs/*", f"{_SKEWED}; {_CLUSTER_DF}", r"gave(\..*)?[._](low|high)(/\w+)?"),
    Allowed(
        "bad_input/evaluate clusters *",
        _CLUSTER_DF,
        rf"gave\.metrics\.\w+\.({_LIMIT}|level|method|standard_error|remark)",
    ),
    Allowed("sizes/*", _NEEDED, "gave"),
    Allowed("*", _INVERTED, rf"gave.*\.{_OF_BINS}[._](low|high|method|remark|level)"),
    Allowed("*", _CAPPED, rf"gave.*\.{_OF_AREAS}(\.\w+)?(\.(low|high)|\[\d+\])"),
    Allowed(
        "comparisons/*",
        _FEW_ROWS,
        r"gave\.(differences\[\d+\]\.(low|high|p|p_adjusted|p_equivalent|detectable|rows_needed|method"
        r"|remark|verdict)|columns\.(p|p_adjusted|low|high|detectable|method)\[\d+\]|omnibus\.\w+\.p"
        r"|notes\[\d+\])",
    ),
    Allowed(
        "gates/*",
        _FEW_ROWS,
        r"gave\.rules\[\d+\]\.(difference_low|difference_high|p|p_adjusted|detectable|method)",
    ),
    Allowed("commands/*", _FEW_ROWS, r"gave\.json\.(differences|rules)\[\d+\]\.(p|p_adjusted)"),
    Allowed(
        "*",
        _SIDES,
        r"gave.*\.tests\.\w+\.differences\[\d+\]"
        r"\.(low|high|low_simultaneous|high_simultaneous|p|p_adjusted|method)",
    ),
    Allowed("*", _BANDS, r"gave.*\.(squares|no_band)", "<nothing>"),
    Allowed("arrays/two probabilities, bca", _ACCELERATED, r"gave\.metrics\..+\.(low|high)"),
    Allowed("*", _CAUTIONS, r"gave.*\.remark", f"None|{_OF_A_CLASS}", f"None|{_REMARKS}"),
    Allowed("*", _CAUTIONS, r"gave.*\.cautions\[\d+\]", _CAUTIONED, f"<nothing>|{_CAUTIONED}"),
    Allowed("*", _EXTREMES, rf"gave.*\.{_OF_EXTREMES}[._](low|high|method|level)"),
    Allowed("*", _EXTREMES, r"gave.*\.remark", "None", _BIASED),
    Allowed(
        "bad_input/function an average that is none", _SAMPLES, r"raised\.code", "K122", "K221"
    ),
    *(
        Allowed(calls, _BEST, r"gave\.best.*", "<nothing>")
        for calls in ("comparisons/*", "bad_input/compare *")
    ),
    Allowed("commands/compare *", _BEST, r"gave\.json\.best.*", "<nothing>"),
    Allowed("comparisons/flips", _GROUPS, r"gave\.\(.*\)\.groups", "<nothing>"),
    Allowed("*", _INCONCLUSIVE, r"gave.*schema", r"karat\.comparison/1", r"karat\.comparison/2"),
    Allowed("*", _INCONCLUSIVE, r"gave.*verdicts?(\[\d+\])?", "not resolved", "inconclusive"),
    Allowed(
        "functions/search 'calibration'",
        _WORDS_OF_SEARCH,
        r"gave\[1[123]\]",
        "spiegelhalter_[zp]|<nothing>",
        "brier_discrimination|spiegelhalter_[zp]",
    ),
    Allowed(
        "comparisons/one difference",
        _ROWS_NEEDED,
        r"gave\[0\]\.rows_needed",
        r"\d+",
        r"\d+ \[\d+, \d+\]",
    ),
)

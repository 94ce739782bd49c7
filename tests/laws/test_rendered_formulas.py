"""How formulas are written, as text and as LaTeX, and when they say that they are undefined."""

from __future__ import annotations

import pytest

from karat.errors import KaratError
from karat.metrics import parse
from karat.metrics._formula import Node, const, field, rows, total, where
from karat.metrics._interpret import undefined_mask
from karat.metrics._render import as_latex, as_text, undefined_condition
from karat.tally import Cells, Classes

WRITTEN = {
    "precision": ("TP / (TP + FP)", r"\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FP}}"),
    "macro_precision": (
        "TP_k / (TP_k + FP_k)",
        r"\frac{\mathrm{TP}_k}{\mathrm{TP}_k + \mathrm{FP}_k}",
    ),
    "micro_recall": (
        "(Σ_k TP_k) / ((Σ_k TP_k) + (Σ_k FN_k))",
        (
            r"\frac{\sum_{k} \mathrm{TP}_k}"
            r"{\left(\sum_{k} \mathrm{TP}_k\right) + \left(\sum_{k} \mathrm{FN}_k\right)}"
        ),
    ),
    "informedness": (
        "TP / (TP + FN) + TN / (TN + FP) − 1",
        (
            r"\frac{\mathrm{TP}}{\mathrm{TP} + \mathrm{FN}}"
            r" + \frac{\mathrm{TN}}{\mathrm{TN} + \mathrm{FP}} - 1"
        ),
    ),
    "diagnostic_odds_ratio": (
        "TP·TN / (FP·FN)",
        r"\frac{\mathrm{TP} \cdot \mathrm{TN}}{\mathrm{FP} \cdot \mathrm{FN}}",
    ),
    "f_beta(beta=2)": (
        "(1 + beta²)·TP / ((1 + beta²)·TP + beta²·FN + FP)",
        (
            r"\frac{\left(1 + {\beta}^{2}\right) \cdot \mathrm{TP}}"
            r"{\left(1 + {\beta}^{2}\right) \cdot \mathrm{TP}"
            r" + {\beta}^{2} \cdot \mathrm{FN} + \mathrm{FP}}"
        ),
    ),
    "no_information_rate": (
        "max(TP_k + FN_k) / n",
        r"\frac{\max_k\left(\mathrm{TP}_k + \mathrm{FN}_k\right)}{n}",
    ),
    "g_mean": (
        "Π_k (TP_k / (TP_k + FN_k))^(1 / K)",
        r"\prod_{k} {\frac{\mathrm{TP}_k}{\mathrm{TP}_k + \mathrm{FN}_k}}^{\frac{1}{K}}",
    ),
    "balanced_accuracy": (
        "(Σ_k where(TP_k + FN_k > 0, TP_k / (TP_k + FN_k), 0)) / (Σ_k (TP_k + FN_k > 0))",
        (
            r"\frac{\sum_{k} \mathrm{where}\left(\mathrm{TP}_k + \mathrm{FN}_k > 0,"
            r" \frac{\mathrm{TP}_k}{\mathrm{TP}_k + \mathrm{FN}_k}, 0\right)}"
            r"{\sum_{k} \left(\mathrm{TP}_k + \mathrm{FN}_k > 0\right)}"
        ),
    ),
    "mutual_information": (
        "(Σ_i,j where(C[i,j] > 0, C[i,j]·log(C[i,j]·n / ((TP_i + FN_i)·(TP_j + FP_j))), 0)) / n",
        (
            r"\frac{\sum_{i,j} \mathrm{where}\left(C_{ij} > 0, C_{ij} \cdot \log\left("
            r"\frac{C_{ij} \cdot n}{\left(\mathrm{TP}_i + \mathrm{FN}_i\right) \cdot"
            r" \left(\mathrm{TP}_j + \mathrm{FP}_j\right)}\right), 0\right)}{n}"
        ),
    ),
    "expected_cost(costs=[[0,1],[2,0]])": (
        "(Σ_i,j costs[i,j]·C[i,j]) / n",
        r"\frac{\sum_{i,j} costs_{ij} \cdot C_{ij}}{n}",
    ),
    "ks_statistic": (
        "largest difference between the true and the false positive rate over all thresholds",
        r"\max_t |\mathrm{TPR}(t) - \mathrm{FPR}(t)|",
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_formula_is_written_so(name: str) -> None:
    metric = parse(name)
    assert (metric.formula, metric.latex) == WRITTEN[name]


def test_distances_of_grades_and_running_sums_are_written() -> None:
    metric = parse("kappa_linear")
    true, pred = "cumulative(TP_k + FN_k)", "cumulative(TP_k + FP_k)"
    rest = "later(TP_k + FP_k)", "later(TP_k + FN_k)"
    by_chance = f"(Σ_k ({true}·{rest[0]} + {pred}·{rest[1]}))"
    assert metric.formula == f"1 − n·(Σ_i,j C[i,j]·|i − j|) / {by_chance}"
    assert r"C_{ij} \cdot \left|i - j\right|" in metric.latex
    assert r"\mathrm{cumulative}\left(\mathrm{TP}_k + \mathrm{FN}_k\right)" in metric.latex


@pytest.mark.parametrize(
    ("name", "condition"),
    [
        ("precision", "TP + FP = 0"),
        ("informedness", "TP + FN = 0 or TN + FP = 0"),
        ("diagnostic_odds_ratio", "FP = 0 or FN = 0"),
        ("g_mean", "TP_k + FN_k = 0"),
    ],
)
def test_a_formula_says_where_it_divides_by_zero(name: str, condition: str) -> None:
    assert parse(name).undefined_when.endswith(f"({condition})")


def test_what_is_always_defined_says_nothing() -> None:
    assert parse("no_information_rate").undefined_when == ""


def test_an_undefined_cell_makes_its_row_or_its_column_undefined() -> None:
    fields = Cells.dense([[1, 0], [2, 3]], classes=Classes.of(["a", "b"])).fields
    log = Node("log", (field("cells"),), rank=2)
    for op, undefined in (("over_predicted", [True, False]), ("over_true", [False, True])):
        assert undefined_mask(Node(op, (log,), rank=1), fields).tolist() == undefined


def test_an_undefined_class_makes_its_cells_undefined() -> None:
    fields = Cells.dense([[0, 1], [2, 3]], classes=Classes.of(["a", "b"])).fields
    log = Node("log", (field("tp"),), rank=1)
    for op, undefined in (("rows", [True, True, False, False]),
                          ("cols", [True, False, True, False])):  # fmt: skip
        assert undefined_mask(Node(op, (log,), rank=2), fields).tolist() == undefined


def test_classes_meet_cells_by_rows_or_columns_only() -> None:
    with pytest.raises(KaratError, match=r"K305(.|\n)*meets a float\[k, k\] without rows"):
        field("cells") / field("tp")
    assert (field("cells") / rows(field("tp"))).rank == 2


def test_what_is_taken_from_nothing_has_one_sign() -> None:
    negative = const(0.0) - total(field("tp"))
    assert (as_text(negative), as_latex(negative)) == (
        "−(Σ_k TP_k)",
        r"-\left(\sum_{k} \mathrm{TP}_k\right)",
    )


def test_numbers_keep_their_fraction() -> None:
    assert as_text(const(0.5) * field("n")) == "0.5·n"
    assert as_text(const(2.0) * field("n")) == "2·n"


def test_a_condition_guards_what_is_chosen_and_not_itself() -> None:
    ratio = field("tp") / field("fp")
    assert undefined_condition(where(field("fp"), ratio, 0.0)) == ""
    assert undefined_condition(where(ratio, 1.0, 0.0)) == "FP_k = 0"

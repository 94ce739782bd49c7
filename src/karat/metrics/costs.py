"""Costs of decisions under a cost matrix."""

from __future__ import annotations

from karat.metrics import Node, Parameter, Table, metric, total
from karat.metrics._rounding import sum_of_costs
from karat.metrics.fscores import three

ELKAN_2001 = "Elkan (2001). The foundations of cost-sensitive learning. IJCAI."


@metric(
    aliases=("mean_cost", "average_cost"),
    range=(float("-inf"), float("inf")),
    better="lower",
    parameters=(
        Parameter(
            "costs",
            "Cost of each outcome, number[k, k], rows true, columns predicted, in the order of "
            "the classes, the transpose of cost= of roc_auc_mu; negative numbers are gains.",
            kind="matrix",
            is_required=True,
        ),
    ),
    cases=[three(gives="46/95", costs=((0, 1, 3), (2, 0, 1), (5, 1, 0)))],
    references=(ELKAN_2001,),
    since="0.1",
    in_report=False,
    rounding=sum_of_costs,
)
def expected_cost(c: Table, *, costs: Node) -> Node:
    """Mean cost of a row under a cost matrix for every pair of true and predicted class.

    With cost 1 off the diagonal it is the error rate.
    """
    return total(costs * c.cells) / c.n

"""CatBoost's metric strings without CatBoost.

`eval_metric` computes what `catboost.utils.eval_metric` computes for several classes, from the
same description strings; `metric_object` and `objective_object` make objects for its trainer.

Example:
    >>> eval_metric([0, 1, 1], [[2.0, 1.0], [0.0, 1.0], [1.0, 0.0]], "Accuracy")
    [0.6666666666666666]
"""

from karat.compat.catboost.description import (
    Capability,
    Description,
    capabilities,
    metric_names,
    parse,
)
from karat.compat.catboost.evaluation import (
    TrainerMetric,
    eval_metric,
    metric_object,
    objective_object,
)

__all__ = [
    "Capability",
    "Description",
    "TrainerMetric",
    "capabilities",
    "eval_metric",
    "metric_names",
    "metric_object",
    "objective_object",
    "parse",
]

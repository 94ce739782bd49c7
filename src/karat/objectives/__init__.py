"""Losses to train by: loss, gradient and Hessian of each row, and objects that hosts take.

`multiclass` is the cross entropy of a softmax, `multiclass_one_vs_all` the two-class losses of one
sigmoid for each class, `multilabel` those of rows that may have several labels, or soft targets.
Derivatives are those of the **loss** (a step against the gradient goes down), times the weight of
the row, not divided by the sum of the weights.

`CatBoostObjective`, `LightGBMObjective` and `XGBoostObjective` are handed to their host and make it
train as with its own objective of the same kind: its sign, its scale of the second derivative, its
floor, its starting score.
"""

from karat.objectives.hosts import CatBoostObjective, LightGBMObjective, XGBoostObjective
from karat.objectives.rows import Derivatives, Loss, multiclass, multiclass_one_vs_all, multilabel

__all__ = [
    "CatBoostObjective",
    "Derivatives",
    "LightGBMObjective",
    "Loss",
    "XGBoostObjective",
    "multiclass",
    "multiclass_one_vs_all",
    "multilabel",
]

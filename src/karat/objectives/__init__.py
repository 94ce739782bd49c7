"""Training losses: loss, gradient and Hessian of each row, and objectives for host libraries.

`multiclass` is the softmax cross entropy, `multiclass_one_vs_all` the binary losses of one sigmoid
for each class, `multilabel` those of rows that may have several labels, or soft targets.
Derivatives are those of the **loss** (a step against the gradient lowers it), times the weight of
the row, and not divided by the sum of the weights.

`CatBoostObjective`, `LightGBMObjective` and `XGBoostObjective` are passed to their host library,
which then trains as with its own objective of the same kind: the sign, the scale and floor of the
second derivative and the starting score are the same.
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

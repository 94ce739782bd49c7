"""Words of other libraries in karat's messages: each has a place there, which is checked."""

from __future__ import annotations

import importlib
import inspect
from typing import Any, Final

__all__ = ["EXAMPLES", "HOSTS", "HOST_WORDS", "lacks"]

HOSTS: Final = {
    "numpy:sum": "axis keepdims",
    "pandas:read_csv": "keep_default_na",
    "pandas:crosstab": "margins",
    "pandas:DataFrame": "to_json",
    "pandas:DataFrame.to_json": "orient",
    "pandas:Series": "map",
    "pyarrow:Table.validate": "full",
    "sklearn:set_config": "enable_metadata_routing",
    "sklearn.model_selection:cross_validate": "cv return_estimator return_indices scoring",
    "sklearn.model_selection:": "cross_validate",
    "sklearn.svm:SVC": "decision_function decision_function_shape predict_proba",
    "sklearn.linear_model:LogisticRegression": "predict_log_proba",
    "scipy.special:": "log_softmax",
    "matplotlib.lines:Line2D": "linewidth",
    "torchmetrics:Metric": "add_state full_state_update merge_state metric_state",
}
"""``module:name`` → its arguments, or what it has."""
OF_DUCKDB: Final = {"read_csv": "decimal_separator nullstr", "struct_pack": ""}
"""Functions of DuckDB's SQL → their arguments."""
OTHERS: Final = {
    "child_axes": "an attribute of matplotlib's Axes",
    "top_k": "transformers.pipeline: it loads Torch",
    "num_class": "the parameter of XGBoost and LightGBM, which both read by name",
    "type": "a hint of CatBoost's descriptions",
    "class": "a hint of CatBoost's descriptions",
    "proba_border": "a hint of CatBoost's descriptions",
    "skip_train": "a hint of CatBoost's descriptions",
    "tail": "a name that the caller gives to labels",
    "gold_weight": "a column that karat label writes",
    "metric_object": "the repr of an object for CatBoost",
}
"""Words with another home, and which."""
EXAMPLES: Final = frozenset({"row_id", "sample_id"})
"""Names of columns in texts."""
HOST_WORDS: Final = frozenset(
    {word for words in [*HOSTS.values(), *OF_DUCKDB.values()] for word in words.split()}
    | EXAMPLES
    | set(OTHERS)
    | set(OF_DUCKDB)
)


def lacks(place: str) -> list[str]:
    """Words that a library has no longer; ImportError where it is not installed."""
    module, _, path = place.partition(":")
    found: Any = importlib.import_module(module)
    for name in filter(None, path.split(".")):
        found = getattr(found, name)
    try:
        takes = [*inspect.signature(found).parameters]
    except (TypeError, ValueError):
        takes = []
    return [word for word in HOSTS[place].split() if word not in takes and not hasattr(found, word)]

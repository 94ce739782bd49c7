"""Likelihood ratios of two classes, and what they are where they are undefined."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

from karat.compat.sklearn._notices import warn_undefined
from karat.compat.sklearn._pairs import paired
from karat.compat.sklearn._tables import confusion
from karat.compat.sklearn._targets import averaged_weights, probe

__all__ = ["class_likelihoods"]

_HINT = (
    "Use the `replace_undefined_by` param to control this behavior. To suppress this warning or "
    "turn it into an error, see Python's `warnings` module and `warnings.catch_warnings()`."
)


def class_likelihoods(
    y_true: Any, y_pred: Any, labels: Any, sample_weight: Any, replace_undefined_by: Any
) -> tuple[float, float]:
    """LR+ and LR− of checked parameters.

    Errors:
        ValueError more than two classes, or a dict of other keys or values.
    """
    probe(y_true, y_pred)
    sample_weight = averaged_weights(sample_weight)
    kind = paired(y_true, y_pred, sample_weight).kind
    if kind != "binary":
        raise ValueError(
            "class_likelihood_ratios only supports binary classification problems, got targets "
            f"of type: {kind}"
        )
    if replace_undefined_by == 1.0:
        replace_undefined_by = {"LR+": 1.0, "LR-": 1.0}
    instead_pos = instead_neg = math.nan
    if isinstance(replace_undefined_by, dict):
        instead_pos, instead_neg = _replacements(replace_undefined_by)
    tn, fp, fn, tp = confusion(y_true, y_pred, labels, sample_weight, None).ravel()
    pos, neg = tp + fn, tn + fp
    lr_pos: Any = math.nan
    lr_neg: Any = math.nan
    if pos == 0:
        warn_undefined(
            "No samples of the positive class are present in `y_true`. "
            "`positive_likelihood_ratio` and `negative_likelihood_ratio` are both set to "
            f"`np.nan`. {_HINT}"
        )
    if fp == 0:
        begin = (
            "No samples were predicted for the positive class and `positive_likelihood_ratio` is "
            if tp == 0
            else "`positive_likelihood_ratio` is ill-defined and "
        )
        # scikit-learn's own sentence ends here too.
        warn_undefined(f"{begin}set to `np.nan`. Use the `replace_undefined_by` param to ")
        lr_pos = instead_pos
    else:
        lr_pos = tp * neg / (fp * pos)
    if tn == 0:
        warn_undefined(f"`negative_likelihood_ratio` is ill-defined and set to `np.nan`. {_HINT}")
        lr_neg = instead_neg
    else:
        lr_neg = fn * neg / (tn * pos)
    return float(lr_pos), float(lr_neg)


def _replacements(given: dict[Any, Any]) -> tuple[Any, Any]:
    message = (
        "The dictionary passed as `replace_undefined_by` needs to be in the form `{'LR+': "
        "`value_1`, 'LR-': `value_2`}` where the value for `LR+` ranges from `1.0` to `np.inf` or "
        "is `np.nan` and the value for `LR-` ranges from `0.0` to `1.0` or is `np.nan`; got "
        f"`{given}`."
    )
    if "LR+" not in given or "LR-" not in given:
        raise ValueError(message)
    pos, neg = given["LR+"], given["LR-"]
    # Written so that NaN is neither too small nor too large.
    is_pos = isinstance(pos, Real) and not float(pos) < 1.0
    is_neg = isinstance(neg, Real) and not (float(neg) < 0.0 or float(neg) > 1.0)
    if not is_pos or not is_neg:
        raise ValueError(message)
    return pos, neg

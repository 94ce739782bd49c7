"""Losses of probabilities and scores: means over the rows."""

from __future__ import annotations

import math

import numpy as np

from karat.errors import error
from karat.metrics import Losses, Parameter, equal, score_metric, sklearn
from karat.metrics._equal import TWO_CLASSES
from karat.metrics._influence.forms import LossInfluence, PlaceInfluence, SkillInfluence
from karat.metrics._rounding import linear, softmax_loss
from karat.metrics._scored import by_hand, higher_is_better, lower_is_better

GOOD_1952 = "Good (1952). Rational decisions. JRSS B 14."
BRIER_1950 = "Brier (1950). Verification of forecasts expressed in terms of probability. MWR 78."
CRAMMER_SINGER_2001 = "Crammer, Singer (2001). Multiclass kernel-based vector machines. JMLR 2."
MCFADDEN_1974 = "McFadden (1974). Conditional logit analysis of qualitative choice behavior."

THREE = ((0.5, 0.25, 0.25), (0.25, 0.5, 0.25), (0.125, 0.125, 0.75), (0.5, 0.25, 0.25))
TRUTH = (0, 1, 2, 2)


def _undefined_share(value: float, base: float) -> float:
    return 1.0 - value / base if base > 0 else math.nan


@lower_is_better(
    formula="mean over the rows of −ln p[true class]",
    latex=r"-\frac{1}{W} \sum_i w_i \ln p_{i, y_i}",
    aliases=("cross_entropy", "logistic_loss", "negative_log_likelihood", "log_loss_score"),
    needs=("negative_log_probability",),
    range=(0.0, math.inf),
    undefined="the true class of a row has probability 0, so the loss is infinite",
    cases=[
        by_hand(y_true=TRUTH, y_prob=THREE, gives="(4*log(2) - log(0.75))/4"),
        by_hand(y_true=[1, 0], y_prob=[0.75, 0.25], gives="-log(0.75)"),
        by_hand(y_true=[1, 0], y_prob=[0.0, 0.25], eps=0.125, gives="(log(8) - log(0.75))/2"),
    ],
    parameters=(
        Parameter(
            "eps",
            "Clip the probability of the true class to [eps, 1 − eps]; above 0, below 0.5. "
            "None: probabilities are never clipped.",
            above=0.0,
            below=0.5,
        ),
    ),
    clipped_by="eps",
    oracle=sklearn("log_loss"),
    equals=[
        equal("scikit-learn", "log_loss()", where="no probability is 0"),
        equal("CatBoost", "MultiClass()", given="y_logit"),
        equal("CatBoost", "Logloss()", "CrossEntropy()", where=TWO_CLASSES, given="y_logit"),
    ],
    references=(GOOD_1952,),
    headline=("plain",),
    influence=LossInfluence(),
    rounding=softmax_loss,
    on_sets="binary_cross_entropy",
)
def log_loss(s: Losses, *, eps: float | None) -> float:
    """Mean negative logarithm of the probability of the true class, in nats.

    Probabilities are taken as given: never renormalized, and clipped only with eps=. Without eps=,
    a probability of 0 for the true class makes the loss infinite. With eps=, the probability p of
    the true class counts as min(max(p, eps), 1 − eps); with two classes that is the loss of clipped
    probabilities. Older versions of scikit-learn clipped every class and renormalized the row,
    which differs by about k·eps where there are more classes. Logits go through softmax (two
    classes: sigmoid) first.
    """
    return s.negative_log_probability(eps)


@lower_is_better(
    formula="mean over the rows of (1/k) Σ over the classes of the log-loss of class against rest",
    latex=r"-\frac{1}{W k} \sum_i w_i \Big(\ln p_{i,y_i} + \sum_{j \ne y_i} \ln(1 - p_{ij})\Big)",
    needs=("binary_negative_log_probability",),
    range=(0.0, math.inf),
    undefined="an outcome that occurred has probability 0, so the loss is infinite",
    cases=[
        by_hand(
            y_true=[0, 1],
            y_prob=[[0.5, 0.25, 0.25], [0.25, 0.5, 0.25]],
            gives="-(log(0.5) + 2*log(0.75))/3",
        ),
        by_hand(y_true=[0, 1], y_logit=[[0, 0, 0], [0, 0, 0]], gives="-(log(1/3) + 2*log(2/3))/3"),
    ],
    influence=LossInfluence(),
    rounding=softmax_loss,
)
def one_vs_all_log_loss(s: Losses) -> float:
    """Mean over rows and classes of the binary log-loss of each class against the rest.

    Logits go through softmax. binary_cross_entropy of sets of labels has one sigmoid for each.
    """
    return s.mean("binary_negative_log_probability")


@lower_is_better(
    formula="two classes: mean of (p − [true])²; more: mean of Σ over the classes of (p − [true])²",
    latex=r"\frac{1}{W} \sum_i w_i \sum_j (p_{ij} - [j = y_i])^2 \cdot \tfrac{1}{2}^{[k = 2]}",
    aliases=("brier_score", "brier_score_loss", "quadratic_score"),
    needs=("squared_error",),
    range=(0.0, 2.0),
    range_of_two=(0.0, 1.0),
    cases=[
        by_hand(y_true=TRUTH, y_prob=THREE, gives="(0.375*2 + 0.09375 + 0.875)/4"),
        by_hand(y_true=[1, 0], y_prob=[0.75, 0.5], gives="(1/16 + 1/4)/2"),
    ],
    oracle=sklearn("brier_score_loss"),
    equals=[
        equal("scikit-learn", "brier_score_loss()"),
        equal("CatBoost", "BrierScore()", where=TWO_CLASSES, given="y_logit"),
    ],
    references=(BRIER_1950,),
    headline=("plain",),
    influence=LossInfluence(is_halved=True),
    rounding=softmax_loss,
    on_sets="multilabel_brier",
)
def brier(s: Losses) -> float:
    """Mean squared difference between the probabilities and the observed classes.

    With two classes, it uses the probability of the positive class and ranges from 0 to 1. With
    more, it is the sum over the classes and ranges from 0 to 2.
    """
    return s.mean("squared_error") / (2.0 if s.k == 2 else 1.0)


@score_metric(
    formula="mean over the rows of max(0, 1 − (s[true class] − largest other s))",
    latex=r"\frac{1}{W} \sum_i w_i \max\big(0, 1 - s_{i,y_i} + \max_{j \ne y_i} s_{ij}\big)",
    aliases=("hinge",),
    needs=("margin",),
    range=(0.0, math.inf),
    better="lower",
    cases=[
        by_hand(y_true=[0, 1], y_score=[[2.0, 0.5, 0.0], [1.0, 1.5, -1.0]], gives="0.25"),
        by_hand(y_true=[1, 0], y_score=[0.5, -2.0], gives="0.25"),
    ],
    oracle=sklearn("hinge_loss"),
    equals=[
        equal("scikit-learn", "hinge_loss()", given="y_score"),
        equal("torchmetrics", "MulticlassHingeLoss()"),
        equal("CatBoost", "HingeLoss()", given="y_score"),
    ],
    references=(CRAMMER_SINGER_2001,),
    since="0.2",
    is_of_scores_only=True,
    influence=LossInfluence(),
    rounding=linear(relative=(1, 8)),
)
def hinge_loss(s: Losses) -> float:
    """Mean hinge loss of the margin between the true class and the best other class.

    Computed from the numbers as given; usually from scores.
    """
    return s.mean("margin")


@higher_is_better(
    formula="fraction of the rows whose true class is among the k largest scores",
    latex=r"\frac{1}{W} \sum_i w_i \, [\operatorname{place}_i(y_i) \le k]",
    aliases=("top_k_accuracy_score",),
    numbered="top_{k}_accuracy",
    needs=("ranks",),
    parameters=(Parameter("k", "Number of largest scores that count.", default=2, kind="count"),),
    cases=[
        by_hand(y_true=TRUTH, y_prob=THREE, k=1, gives="3/4"),
        by_hand(y_true=TRUTH, y_prob=THREE, k=2, gives="3/4"),
        by_hand(y_true=TRUTH, y_prob=THREE, k=3, gives="1"),
    ],
    oracle=sklearn("top_k_accuracy_score"),
    equals=[
        equal("scikit-learn", "top_k_accuracy_score(k=k)", where="scores do not tie"),
        equal(
            "torchmetrics",
            "MulticlassAccuracy(average='micro', top_k=k)",
            where="scores do not tie",
        ),
    ],
    least_classes=3,
    influence=PlaceInfluence(),
    rounding=linear(relative=(1, 4)),
)
def top_k_accuracy(s: Losses, *, k: int) -> float:
    """Proportion of the rows whose true class has one of the k largest scores.

    Of equal scores, the earlier class ranks first, as for the predicted class: with k = 1 it is the
    accuracy.
    """
    if k > s.k:
        found = f"k={k} is larger than the number of classes, {s.k}"
        raise error(
            "K302", metric="top_k_accuracy", found=found, parameters="k: 1 to the number of classes"
        )
    return s.placed_within(k)


@higher_is_better(
    formula="1 − log-loss ÷ log-loss of the class proportions",
    latex=r"1 - \frac{L}{-\sum_j \pi_j \ln \pi_j}",
    aliases=("d2_log_loss_score", "mcfadden_r2"),
    needs=("negative_log_probability",),
    range=(-math.inf, 1.0),
    undefined="only one class is true, or the log-loss is infinite",
    cases=[by_hand(y_true=[1, 0], y_prob=[0.75, 0.25], gives="1 + log(0.75)/log(2)")],
    oracle=sklearn("d2_log_loss_score"),
    equals=[equal("scikit-learn", "d2_log_loss_score()", where="no probability is 0")],
    references=(MCFADDEN_1974,),
    influence=SkillInfluence("negative_log_probability"),
    rounding=linear(relative=(2, 900), absolute=(2, 900)),
)
def d2_log_loss(s: Losses) -> float:
    """Proportion of the log-loss of the class proportions that the probabilities remove.

    It is 0 for predicting the class proportions for every row, and 1 for a perfect prediction.
    """
    shares, others = s.shares, s.other_shares
    near = shares > 0.5
    logs = np.zeros_like(shares)
    np.log(shares, out=logs, where=shares > 0)
    # For a proportion near 1, the logarithm keeps the small rest of the other classes.
    logs[near] = np.log1p(-others[near])
    return _undefined_share(s.mean("negative_log_probability"), float(-(shares * logs).sum()))


@higher_is_better(
    formula="1 − Brier score ÷ Brier score of the class proportions",
    latex=r"1 - \frac{B}{1 - \sum_j \pi_j^2}",
    aliases=("d2_brier_score", "brier_skill_score"),
    needs=("squared_error",),
    range=(-math.inf, 1.0),
    undefined="only one class is true",
    cases=[by_hand(y_true=[1, 0], y_prob=[0.75, 0.5], gives="1 - (5/32)/(1/4)")],
    oracle=sklearn("d2_brier_score"),
    equals=[equal("scikit-learn", "d2_brier_score()")],
    references=(BRIER_1950,),
    influence=SkillInfluence("squared_error"),
    rounding=linear(relative=(2, 900), absolute=(2, 900)),
)
def d2_brier(s: Losses) -> float:
    """Proportion of the Brier score of the class proportions that the probabilities remove.

    It is 0 for predicting the class proportions for every row, and 1 for a perfect prediction.
    """
    # Σ π·(proportion of the others): 1 − Σ π² and 1 − π cancel where one class has nearly all rows.
    return _undefined_share(s.mean("squared_error"), float((s.shares * s.other_shares).sum()))

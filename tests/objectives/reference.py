"""The three losses of one row in fifty digits, as their definitions say."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext


def _exponentials(z: Sequence[float]) -> list[Decimal]:
    return [Decimal(x).exp() for x in z]


def multiclass(z: Sequence[float], t: int) -> tuple[float, list[float], list[list[float]]]:
    """Loss, gradient and Hessian of −log softmax(z)[t]."""
    with localcontext(prec=50):
        powers = _exponentials(z)
        p = [power / sum(powers) for power in powers]
        # 1 − p as a difference of fifty digits would be 0 for a p nearer to 1 than 1e-50.
        q = [sum(powers[:j] + powers[j + 1 :]) / sum(powers) for j in range(len(z))]
        loss = -p[t].ln() if q[t] > Decimal("1e-20") else q[t]
        gradient = [-q[j] if j == t else p[j] for j in range(len(z))]
        hessian = [
            [p[i] * (q[i] if i == j else -p[j]) for j in range(len(z))] for i in range(len(z))
        ]
        return float(loss), list(map(float, gradient)), [list(map(float, row)) for row in hessian]


def multiclass_one_vs_all(z: Sequence[float], t: int) -> tuple[float, list[float], list[float]]:
    """Loss, gradient and diagonal of the Hessian of the two-class losses of σ(z)."""
    with localcontext(prec=50):
        p = [power / (1 + power) for power in _exponentials(z)]
        q = [1 / (1 + power) for power in _exponentials(z)]
        wrong = [q[j] if j == t else p[j] for j in range(len(z))]
        right = [p[j] if j == t else q[j] for j in range(len(z))]
        losses = [-a.ln() if b > Decimal("1e-20") else b for a, b in zip(right, wrong, strict=True)]
        gradient = [float(-x if j == t else x) for j, x in enumerate(wrong)]
        return (
            float(sum(losses)) / len(z),
            gradient,
            [float(a * b) for a, b in zip(p, q, strict=True)],
        )


def multilabel(z: Sequence[float], y: Sequence[float]) -> tuple[float, list[float], list[float]]:
    """Loss, gradient and diagonal of the Hessian of the mean of −y log σ(z) − (1 − y) log σ(−z)."""
    with localcontext(prec=50):
        # Beyond fifty digits log(1 + e) is e.
        p, q, losses = [], [], []
        for power, truth in zip(_exponentials(z), map(Decimal, y), strict=True):
            p.append(power / (1 + power))
            q.append(1 / (1 + power))
            of_p = (1 + 1 / power).ln() if power < Decimal("1e20") else 1 / power
            of_q = (1 + power).ln() if power > Decimal("1e-20") else power
            losses.append(truth * of_p + (1 - truth) * of_q)
        gradient = [(1 - Decimal(t)) * a - Decimal(t) * b for t, a, b in zip(y, p, q, strict=True)]
        return (
            float(sum(losses) / len(z)),
            list(map(float, gradient)),
            [float(a * b) for a, b in zip(p, q, strict=True)],
        )

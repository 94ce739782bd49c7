"""Losses of rows with scores, summed on a device by the formulas of the native pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from karat.data.sources.torch.score_histograms import counted, is_half, summed
from karat.data.sources.torch.tensors import Tensor, torch
from karat.tally.sums import LOSSES, Sums

_BLOCK_VALUES: Final = 1 << 22
"""Number of scores read at once."""


class LogOdds:
    """`karat.data.scores.matrix.LogOdds` on a device, and the difference of two logits."""

    def __init__(self, logits: Tensor) -> None:
        ordered = logits.sort(dim=1).values
        first, second, others = ordered[:, -1], ordered[:, -2], ordered[:, :-2]
        gap = first - second
        below_first = (others - first[:, None]).exp_().sum(dim=1)
        below_second = (others - second[:, None]).exp_().sum(dim=1)
        self._logits, self._first, self._second = logits, first, second
        self._of_first = gap - below_second.log1p()
        self._of_second = -gap - below_first.log1p()
        self._rest = (-gap).exp() + below_first

    def column(self, i: int) -> Tensor:
        """float64[n], the log-odds of class i."""
        logit = self._logits[:, i]
        gap = logit - self._first
        odds = gap - (self._rest - gap.exp()).log1p()
        odds = torch().where(logit == self._second, self._of_second, odds)
        most = torch().finfo(torch().float64).max
        return torch().where(logit == self._first, self._of_first, odds).clamp(-most, most)

    def matrix(self) -> Tensor:
        """float64[n, k], the log-odds of every class."""
        return torch().stack([self.column(i) for i in range(self._logits.shape[1])], dim=1)


def widened(scores: Tensor) -> Tensor:
    """Return 16-bit numbers as float32; others unchanged."""
    return scores.to(torch().float32) if is_half(scores) else scores


def columns_of(scores: Tensor, positive: int | None, *, is_prob: bool) -> Tensor:
    """float64[m, k] of scores [m, k], or [m] of the positive class of two."""
    values = widened(scores)
    if values.ndim == 1 and is_prob:
        # As on the host: 1 − p of a 32-bit p in 64 bits.
        values = values.to(torch().float64)
        rest = 1 - values
        values = torch().stack([rest, values] if positive else [values, rest], dim=1)
    elif values.ndim == 1:
        own = values if positive else -values
        values = torch().stack([torch().zeros_like(own), own], dim=1)
    return values.to(torch().float64)


@dataclass(frozen=True, eq=False)
class RowFacts:
    """Losses and ranks of some rows.

    Attributes:
        losses: float64[m] of each loss of `LOSSES`.
        ranks: int64[m], number of classes before the true one.
        best: int64[m], the first column with the largest score.
        most, total: float64[m], the largest score z and Σ exp(score − z).
    """

    losses: tuple[Tensor, ...]
    ranks: Tensor
    best: Tensor
    most: Tensor
    total: Tensor


def facts_of(columns: Tensor, true: Tensor, *, is_prob: bool) -> RowFacts:
    """Return the losses of rows float64[m, k] of the classes int64[m]."""
    k = columns.shape[1]
    own = columns.gather(1, true[:, None])[:, 0]
    is_true = torch().zeros_like(columns, dtype=torch().bool).scatter_(1, true[:, None], True)
    best = columns.argmax(dim=1)
    most = columns.gather(1, best[:, None])[:, 0]
    at = torch().arange(k, device=columns.device)
    is_before = columns > own[:, None]
    is_before |= (columns == own[:, None]) & (at < true[:, None])
    ranks = is_before.sum(dim=1)
    others = columns.masked_fill(is_true, -float("inf"))
    margin = _margins(own, others.amax(dim=1))
    if is_prob:
        rest = columns.masked_fill(is_true, 0.0)
        negative_log = -own.log()
        squared_error = (1 - own).square() + rest.square().sum(dim=1)
        binary = (negative_log - torch().log1p(-rest).sum(dim=1)) / k
        total = most
    else:
        # The largest is 1 and left out of the sum, which keeps the digits of the others.
        odds = (columns - most[:, None]).exp_()
        rest = odds.scatter(1, best[:, None], 0.0).sum(dim=1)
        negative_log = (most - own) + rest.log1p()
        odds.scatter_(1, best[:, None], 1.0)
        missed = odds.masked_fill_(is_true, 0.0)
        total = 1 + rest
        gap = missed.sum(dim=1)
        squared_error = (gap * gap + missed.square().sum(dim=1)) / (total * total)
        odds = LogOdds(columns).matrix()
        binary = _soft_plus(torch().where(is_true, -odds, odds)).sum(dim=1) / k
    return RowFacts((negative_log, squared_error, margin, binary), ranks, best, most, total)


def _margins(own: Tensor, other: Tensor) -> Tensor:
    """max(0, 1 − (own − other)), to the last bit: see `lanes_losses.hpp`."""
    gap = own - other
    back = gap - own
    missing = (own - (gap - back)) - (other + back)
    missing = torch().where(missing == missing, missing, 0.0)
    return ((1 - gap) - missing).clamp(min=0.0)


def _soft_plus(scores: Tensor) -> Tensor:
    """log(1 + exp z) = max(z, 0) + log(1 + exp −|z|)."""
    return scores.clamp(min=0.0) + (-scores.abs()).exp().log1p()


class LossTally:
    """Σw·ℓ, Σw²·ℓ and Σw²·ℓ² of every loss, truth and ranks, on one device."""

    def __init__(self, k: int, device: Any, *, is_weighted: bool) -> None:
        self._k = k
        self._n_rows = 0
        self.is_weighted = is_weighted
        float64 = {"dtype": torch().float64, "device": device}
        # The last is Σw·ℓ², for frequency weights.
        self._sums = torch().zeros((4, len(LOSSES)), **float64)
        self._weights = torch().zeros(2, **float64)
        dtype = torch().float64 if is_weighted else torch().int64
        self._tables = torch().zeros((2, k), dtype=dtype, device=device)
        self._n_infinite = torch().zeros((), dtype=torch().int64, device=device)

    def add(
        self,
        scores: Tensor,
        true: Tensor,
        weights: Tensor | None,
        positive: int | None,
        *,
        is_prob: bool,
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Add rows.

        Args:
            scores: [n, k], or [n] of the positive class of two.
            true: int64[n].
            weights: float64[n], or None.

        Returns:
            int64[n], the first of the best columns; float64[n], the best score, and Σ exp(score −
            best score).
        """
        n = int(true.shape[0])
        step = max(_BLOCK_VALUES // self._k, 1)
        seen = []
        held_sums = [self._sums, self._weights, self._tables, self._n_infinite]
        for first in range(0, n, step):
            part = slice(first, first + step)
            columns = columns_of(scores[part], positive, is_prob=is_prob)
            facts = facts_of(columns, true[part], is_prob=is_prob)
            held = None if weights is None else weights[part]
            of_part = self._of_rows(facts, true[part], held)
            held_sums = [old + new for old, new in zip(held_sums, of_part, strict=True)]
            seen.append((facts.best, facts.most, facts.total))
        best, most, total = (torch().cat(list(column)) for column in zip(*seen, strict=True))
        # Only now, so that an interrupted read is not added.
        self._sums, self._weights, self._tables, self._n_infinite = held_sums
        self._n_rows += n
        return best, most, total

    def _of_rows(self, facts: RowFacts, true: Tensor, weights: Tensor | None) -> list[Tensor]:
        losses = torch().stack(facts.losses)
        if weights is None:
            one, square = losses.sum(dim=1), losses.square().sum(dim=1)
            sums, totals = (
                torch().stack([one, one, square, square]),
                torch().zeros_like(self._weights),
            )
            tables = [counted(at, self._k) for at in (true, facts.ranks)]
        else:
            # Rows of weight 0 are ignored, even if their loss is infinite.
            parts = torch().where(weights == 0, 0.0, weights * losses)
            again = torch().where(weights == 0, 0.0, weights * parts)
            of_rows = torch().where(weights == 0, 0.0, parts * losses)
            made = [parts, again, parts.square(), of_rows]
            sums = torch().stack([part.sum(dim=1) for part in made])
            totals = torch().stack([weights.sum(), weights.square().sum()])
            tables = [summed(at, self._k, weights)[0] for at in (true, facts.ranks)]
        endless = facts.losses[0].isinf()
        endless = endless if weights is None else endless & (weights > 0)
        return [sums, totals, torch().stack(tables), endless.sum()]

    def sums(self, *, is_frequency: bool) -> Sums:
        """Return the tally on the host, with synchronization.

        Args:
            is_frequency: whether a row of weight 3 stands for three independent rows.
        """
        losses = self._sums.cpu().numpy().copy()
        truth, ranks = self._tables.cpu().numpy().copy()
        weights = self._weights.cpu().tolist() if self.is_weighted else [self._n_rows] * 2
        weight, weight2 = map(float, weights)
        first, second, square, of_rows = losses
        if is_frequency:
            weight2, second, square = weight, first.copy(), of_rows
        n_infinite = int(self._n_infinite.item())
        counted_rows = self._n_rows, weight, weight2
        return Sums(
            LOSSES, *counted_rows, first, second, square, truth, ranks, n_infinite=n_infinite
        )

"""Tensors that take the way of a device, on the host: as tests/devices sends them there."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import karat
from tests.corpus.calls import Call
from tests.corpus.rows import animals, binary, digits
from tests.corpus.wanted import FAST, LABELS, SCORES, TWO_LABELS, TWO_SCORES
from tests.devices.rows import on_the_device
from tests.grouping import grouped
from tests.optional import optional

torch = optional("torch")


def _tensors(columns: dict[str, Any], dtype: str | None = None) -> dict[str, Any]:
    found = {name: torch.tensor(values) for name, values in columns.items()}
    if dtype:
        return {
            n: v.to(getattr(torch, dtype)) if v.is_floating_point() and n != "weights" else v
            for n, v in found.items()
        }
    return found


def _rows() -> dict[str, tuple[dict[str, Any], Any, dict[str, Any]]]:
    two, many = binary(), digits()
    return {
        "two labels": ({"y_true": two["label"], "y_pred": two["pred"]}, TWO_LABELS, {}),
        "six labels": ({"y_true": many["label"], "y_pred": many["pred"]}, LABELS, {}),
        "declared labels": (
            {"y_true": many["label"], "y_pred": many["pred"]},
            LABELS,
            {"labels": range(8)},
        ),
        "weighted labels": (
            {"y_true": many["label"], "y_pred": many["pred"], "weights": many["mass"]},
            LABELS,
            {},
        ),
        "two probabilities": (
            {"y_true": two["label"], "y_prob": two["p_yes"]},
            TWO_SCORES,
            {"labels": [0, 1]},
        ),
        "six probabilities": (
            {"y_true": many["label"], "y_prob": many["prob"]},
            SCORES,
            {"labels": range(6)},
        ),
        "six logits": (
            {"y_true": many["label"], "y_logit": many["score"]},
            SCORES,
            {"labels": range(6)},
        ),
        "weighted scores": (
            {"y_true": many["label"], "y_logit": many["score"], "weights": many["mass"]},
            SCORES,
            {"labels": range(6)},
        ),
        "threshold": (
            {"y_true": two["label"], "y_prob": two["p_yes"]},
            TWO_SCORES,
            {"labels": [0, 1], "threshold": 0.25},
        ),
        "no labels": ({"y_true": two["label"], "y_prob": two["p_yes"]}, TWO_SCORES, {}),
    }


def calls() -> Iterator[Call]:
    for name, (columns, metrics, options) in _rows().items():
        given = {"metrics": metrics, **FAST, **options}
        yield _call(
            f"evaluate {name}",
            "evaluate",
            lambda c=columns, g=given: karat.evaluate(**grouped({**_tensors(c), **g})),
        )
        yield _call(
            f"stream of {name}", "Stream", lambda c=columns, g=given: _streamed(c, g).report()
        )
        yield _call(
            f"bytes of a stream of {name}",
            "Stream",
            lambda c=columns, g=given: _streamed(c, g).to_bytes(),
        )
        if {"y_prob", "y_logit", "y_score"} & {*columns}:
            for dtype in ("float32", "float16", "bfloat16"):
                yield _call(
                    f"evaluate {name} as {dtype}",
                    "evaluate",
                    lambda c=columns, g=given, d=dtype: karat.evaluate(
                        **grouped({**_tensors(c, d), **g})
                    ),
                )
    two = binary()
    rows = {"y_true": two["label"], "y_pred": two["pred"]}
    yield _call("a metric of tensors", "function", lambda: karat.f1(*_tensors(rows).values()))
    yield _call(
        "clusters beside tensors",
        "evaluate",
        lambda: karat.evaluate(**grouped(_tensors(rows)), clusters=two["team"], metrics=["f1"]),
    )
    yield _call(
        "slices of tensors",
        "evaluate",
        lambda: karat.evaluate(**grouped(_tensors(rows)), by=two["sex"], metrics=["f1"]),
    )
    yield _call(
        "tensors of unlike length",
        "evaluate",
        lambda: karat.evaluate(torch.tensor([0, 1, 1]), torch.tensor([0, 1])),
    )
    yield _call(
        "labels that are not declared",
        "evaluate",
        lambda: karat.evaluate(torch.tensor([0, 7]), torch.tensor([0, 1]), labels=[0, 1]),
    )
    yield _call(
        "probabilities beyond one",
        "evaluate",
        lambda: karat.evaluate(
            torch.tensor([0, 1]), y_prob=torch.tensor([0.5, 1.5]), labels=[0, 1]
        ),
    )
    yield _call(
        "scores that are missing",
        "evaluate",
        lambda: karat.evaluate(
            torch.tensor([0, 1]), y_score=torch.tensor([0.5, float("nan")]), labels=[0, 1]
        ),
    )
    yield _call(
        "a negative weight",
        "evaluate",
        lambda: karat.evaluate(
            torch.tensor([0, 1]), torch.tensor([0, 1]), weights=torch.tensor([1.0, -1.0])
        ),
    )
    yield _call(
        "text beside a tensor",
        "evaluate",
        lambda: karat.evaluate(torch.tensor([0, 1] * 120), animals()["label"]),
    )


def _call(name: str, verb: str, run: Any) -> Call:
    def there() -> Any:
        with on_the_device():
            return run()

    return Call(name, verb, "device", there)


def _streamed(columns: dict[str, Any], given: dict[str, Any]) -> Any:
    stream = karat.Stream(**grouped(given))
    n = len(columns["y_true"])
    for first in range(0, n, 100):
        stream.update(
            **_tensors({name: values[first : first + 100] for name, values in columns.items()})
        )
    return stream

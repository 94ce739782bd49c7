"""What a stream says to rows and streams that do not belong to it."""

from __future__ import annotations

from karat.errors import KaratError, error

__all__ = ["mixed", "no_stream", "reduced_again", "scores_taken_away"]


def mixed(given: str, before: str) -> KaratError:
    """K120: labels alone beside rows with scores."""
    return error(
        "K120",
        found=f"A stream of {before} was given {given}",
        do="Use one stream for labels and one for rows with scores, or give y_prob= every time.",
    )


def no_stream(call: str, given: object, do: str) -> KaratError:
    """K120: something else than a stream is to be merged or taken away."""
    return error("K120", found=f"{call}() was given a {type(given).__name__}", do=do)


def reduced_again() -> KaratError:
    """K120: wholes would be added up."""
    return error(
        "K120",
        found="all_reduce() was called again: this stream holds the rows of every process",
        do="Call reset() before the rows of the next epoch. To go on adding rows to this one, "
        "reduce a copy: copy.copy(stream).all_reduce().",
    )


def scores_taken_away() -> KaratError:
    """K120: rows with scores are to be taken away."""
    return error(
        "K120",
        found="Streams of rows with scores were subtracted; sums of losses cannot be undone "
        "exactly",
        do="Keep the streams of the parts and merge those that remain.",
    )

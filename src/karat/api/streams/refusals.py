"""What a stream says to rows and streams that do not belong to it."""

from __future__ import annotations

from karat.errors import KaratError, error

__all__ = ["mixed", "no_stream", "reduced_again", "scores_taken_away"]


def mixed(given: str, before: str) -> KaratError:
    """K180: labels alone beside rows with scores."""
    return error("K180", before=before, given=given)


def no_stream(call: str, given: object, do: str) -> KaratError:
    """K215: something else than a stream is to be merged or taken away."""
    found = f"{call}() was given a {type(given).__name__}"
    return error("K215", call=call, wanted="a karat.Stream", found=found, do=do)


def reduced_again() -> KaratError:
    """K216: wholes would be added up."""
    return error(
        "K216",
        found="all_reduce() was called again: this stream holds the rows of every process",
        do="Call reset() before the rows of the next epoch. To go on adding rows to this one, "
        "reduce a copy: copy.copy(stream).all_reduce().",
    )


def scores_taken_away() -> KaratError:
    """K217: rows with scores are to be taken away."""
    return error("K217", found="Streams of rows with scores were subtracted")

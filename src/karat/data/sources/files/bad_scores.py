"""Scores of files that are no numbers: the error names the first, as its row writes it."""

from __future__ import annotations

from collections.abc import Sequence

from karat.data.scores.matrix import ScoreMatrix
from karat.data.sources.files.relations import Relation
from karat.data.sources.files.text_labels import is_null_like

__all__ = ["refuse_bad_score"]


def refuse_bad_score(
    relation: Relation, where: str | None, bad: tuple[ScoreMatrix, Sequence[str]] | None
) -> None:
    """Raise the error of the first row without a number, if there was one.

    Args:
        bad: what was read, which knows the row, and the columns of scores as SQL calls them.
    """
    if bad is None:
        return
    matrix, scores = bad
    assert matrix.bad is not None
    row, column, _ = matrix.bad
    sql = relation.select_text(scores[column], where)
    found = relation.connection.execute(f"FROM ({sql}) LIMIT 1 OFFSET {row}").fetchall()
    text = found[0][0] if found else None
    is_list = text is not None and text.startswith("[")
    is_null = text is None or is_null_like(text) or (is_list and "null" in text.lower())
    matrix.refuse_bad(None if is_null else text)

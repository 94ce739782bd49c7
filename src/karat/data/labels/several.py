"""Whether texts look as if each held several labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

_MARKS: Final = ("|", ";", ",")
_MOST_LOOKED: Final = 10_000
"""Of more labels it is not asked whether they hold several."""


def looks_separated(labels: Sequence[object]) -> tuple[str, list[str]] | None:
    """What may separate labels within texts, and texts that hold several; None where none does.

    Texts are parts of each other: of at least two with a separator, all have parts that other texts
    have too, and there are fewer parts than texts. Of lists that were written as text, all of which
    stand in brackets, the separator is empty.

    Example:
        >>> looks_separated(["sea", "sea|sky", "sky", "sand|sea"])
        ('|', ['sea|sky', 'sand|sea'])
        >>> looks_separated(["Paris, France", "Rome, Italy", "Oslo"]) is None
        True
    """
    texts = [label for label in labels if isinstance(label, str)]
    if len(texts) < 3 or len(texts) > _MOST_LOOKED:
        return None
    if all(text.startswith("[") and text.endswith("]") for text in texts):
        return "", texts
    for mark in _MARKS:
        split = {text: [part.strip() for part in text.split(mark)] for text in texts}
        several = [text for text, parts in split.items() if len(parts) > 1]
        times = Counter(part for parts in split.values() for part in {*parts})
        are_shared = all(any(times[part] > 1 for part in split[text]) for text in several)
        if len(several) > 1 and are_shared and len(times) < len(texts):
            return mark, several
    return None

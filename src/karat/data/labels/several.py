"""Detection of texts that contain several labels each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

_LIST: Final = re.compile(r"\s*(\[.*\]|\(.*\)|\{.*\}|(frozen)?set\(.*\))\s*", re.DOTALL)
_MARKS: Final = ("|", ";", ",")
_MOST_LOOKED: Final = 10_000
"""Number of labels above which this is not checked."""


def are_printed_lists(labels: Sequence[object]) -> bool:
    """Return whether labels are lists that were written as text, as by str() or by Dask.

    Texts such as "[0, 10]", all with as many numbers, may be intervals.

    Example:
        >>> are_printed_lists(["['a', 'b']", "[]"]), are_printed_lists(["[PAD]", "[CLS]"])
        (True, False)
    """
    if len(labels) < 2:
        return False
    is_quoted, n_commas, has_brackets = False, set(), True
    for text in labels:
        if not isinstance(text, str) or not _LIST.fullmatch(text):
            return False
        is_quoted |= "'" in text or '"' in text
        has_brackets &= text.lstrip().startswith("[")
        n_commas.add(text.count(","))
    return is_quoted or (has_brackets and len(n_commas) > 1)


def looks_separated(labels: Sequence[object]) -> tuple[str, list[str]] | None:
    """Return the probable separator of labels within texts, and such texts; None if there is none.

    At least two texts have a separator, all of them have parts that other texts have too, and there
    are fewer parts than texts. For lists written as text, all in brackets, the separator is empty.

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

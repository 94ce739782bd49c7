"""How libraries and systems say that there is no memory left."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["SAID", "lacks_memory"]

SAID: Final = "K419  There is not enough memory."
"""What is said where there is not even enough to load the catalogue."""

_WORDS = re.compile(
    # DuckDB, and the Arrow stream that carries its errors.
    r"bad allocation|bad_alloc|allocation failure|failed to allocate|Out of Memory Error"
    # A library that cannot be loaded: Linux, macOS, Windows.
    r"|failed to map segment|cannot allocate memory|paging file is too small",
    re.IGNORECASE,
)


def lacks_memory(problem: BaseException) -> bool:
    """Whether an error says that the system, or a limit of it, gave no more memory."""
    return isinstance(problem, MemoryError) or _WORDS.search(str(problem)) is not None

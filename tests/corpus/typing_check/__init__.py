"""Check at run time what public calls give against their annotations, while the corpus runs.

    python -m tests.corpus types [GROUP…]                  compare with the recorded lies
    python -m tests.corpus.typing_check --record [GROUP…]  record those of these groups again

A lie is a public name whose annotation promises one type and whose value has another. `lies.toml`
holds those of today. Annotations are read in the source and, where there is one, in the committed
stub: that is what a user's type checker reads.
"""

from tests.corpus.typing_check.run import Findings, main, run_groups

__all__ = ["Findings", "main", "run_groups"]

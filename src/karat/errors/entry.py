"""An entry of the catalogue: the wording of one error."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

from karat.errors.kinds import InputError, KaratError
from karat.wording import filled

__all__ = ["Entry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """One error: templates for what is wrong, what was found where, and what to do."""

    code: str
    what: str
    found: str
    do: str
    kind: type[KaratError] = InputError

    def render(self, context: dict[str, Any]) -> str:
        """The message.

        Args:
            context: the facts; ``numbering`` may say which rows are counted, and ``advice`` what
                to do where the rows do not come from arguments.
        """
        lines = [filled(part, context) for part in (self.what, self.found, self.do)]
        if "numbering" in context:
            lines[1] = f"{lines[1]} {context['numbering']}"
        if "advice" in context:
            lines[2] = context["advice"]
        return (
            f"{self.code}  "
            + textwrap.indent("\n".join(line for line in lines if line), "      ").lstrip()
        )

"""The fixture `karat_gate`: a gate inside a test, with every rule in the message of a failure.

    def test_model(karat_gate):
        karat_gate(y_true, y_pred, min={"macro_f1": 0.8})

pytest loads this module by its entry point; karat itself never does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from karat.results.gate.result import GateResult

__all__ = ["karat_gate"]


@pytest.fixture
def karat_gate() -> Callable[..., GateResult]:
    """Call `karat.gate`, and fail the test with its text where the exit code is not 0.

    ``inconclusive="pass"`` lets an inconclusive gate pass.
    """

    def gate(*arguments: Any, **options: Any) -> GateResult:
        import karat

        try:
            result: GateResult = karat.gate(*arguments, **options)
        except karat.errors.KaratError as refused:
            # What was given is wrong; where karat found out is of no use.
            pytest.fail(str(refused), pytrace=False)
        if result.exit_code:
            pytest.fail(str(result), pytrace=False)
        return result

    return gate

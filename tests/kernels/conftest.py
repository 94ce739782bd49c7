"""The tests of the kernels run on every instruction set of this machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from karat import _native


@pytest.fixture(params=_native.isas(), scope="module")
def isa(request: pytest.FixtureRequest) -> Iterator[str]:
    """One instruction set after the other; the one in use before comes back."""
    before = _native.isa()
    _native.use_isa(request.param)
    yield request.param
    _native.use_isa(before)

"""Without a browser the tests of pages skip; where everything is required they fail."""

from __future__ import annotations

import pytest

from tests.browser.opening import chromium
from tests.optional import REQUIRED


@pytest.mark.parametrize(("required", "outcome"), [("", "Skipped"), ("1", "Failed")])
def test_an_absent_browser_is_told(
    required: str, outcome: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv(REQUIRED, required)
    with pytest.raises(BaseException, match="there is no Chromium") as caught:
        chromium()
    assert type(caught.value).__name__ == outcome

"""What coverage came to is said with its holes, and too little of it is no success."""

from __future__ import annotations

from typing import Any

import pytest

from tests.reached import native, python


def counted(prefix: str, covered: int, total: int) -> dict[str, Any]:
    percent = round(100 * covered / total, 1)
    return {
        f"{prefix}_covered": covered, f"{prefix}_total": total, f"{prefix}_percent": percent,
    }  # fmt: skip


@pytest.mark.parametrize(("taken", "is_enough"), [(95, True), (94, False), (100, True)])
def test_native(taken: int, is_enough: bool) -> None:
    file = {"filename": "native/a.cpp", **counted("line", 9, 10), **counted("branch", taken, 100)}
    whole = {"filename": "native/b.cpp", **counted("line", 5, 5), **counted("branch", 4, 4)}
    summary = {
        "files": [whole, file], **counted("line", 14, 15), **counted("branch", taken, 100),
        **counted("function", 3, 3),
    }  # fmt: skip
    text, found = native.table(summary)
    assert found is is_enough
    assert f"branches: {taken} of 100" in text
    assert f"| native/a.cpp | 1 of 10 | {100 - taken} of 100 |" in text
    assert "b.cpp" not in text


def test_python() -> None:
    totals = {
        "covered_lines": 8, "num_statements": 10, "covered_branches": 3, "num_branches": 4,
    }  # fmt: skip
    files = {
        "src/a.py": {"missing_lines": [4, 5, 6, 9], "missing_branches": [[2, 7], [3, 4], [8, -1]]},
        "src/b.py": {"missing_lines": [], "missing_branches": []},
    }
    text = python.table({"totals": totals, "files": files})
    assert "lines: 8 of 10, 80.0 %; branches: 3 of 4, 75.0 %." in text
    assert "| src/a.py | 4–6, 9 | 2→7, 8→− |" in text
    assert "b.py" not in text

"""The tool on this repository: what it cannot follow, and what it must leave alone."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from renaming.report import Report
from renaming.table import parsed
from renaming.work import renamed

ROOT = Path(__file__).parents[2]
BAD_INPUT = ROOT / "tests" / "corpus" / "bad_input.py"
NEW = {"y_true": "truth", "y_pred": "predicted", "y_prob": "probabilities", "y_score": "scores"}
TABLE = parsed(
    {
        "results": {"Stream.merge": "Stream", "Stream.from_bytes": "Stream"},
        "rename": [
            {
                "verbs": ["*", "Stream.update", "Stream.subtract", "Monitor.add"],
                "keywords": {**NEW, "ids": "row_ids"},
                "inline": True,
            }
        ],
    }
)
# Wrappers of `tests/corpus` that pass on any keywords, functions by their names, and a block of a
# page that is no whole program.
MOST_UNRESOLVED = 6
# Dicts that the corpus spreads into verbs of the table and into functions without a rule.
MOST_SHARED = 30


@cache
def report() -> Report:
    return renamed(TABLE, ROOT, [ROOT / "tests" / "corpus", ROOT / "docs"])


def test_few_places_need_a_person() -> None:
    shared, others = [], []
    for remark in sorted(report().remarks):
        lines = shared if remark.text.startswith("also read by ") else others
        lines.append(f"{remark.path}:{remark.line}: {remark.text}")
    assert len(others) <= MOST_UNRESOLVED, "\n".join(others)
    assert len(shared) <= MOST_SHARED, "\n".join(shared)


def test_calls_are_renamed() -> None:
    rules = report().rules
    for old, new in NEW.items():
        assert rules[f"{old} → {new}"] >= 10, (old, rules)


def test_no_data_is_renamed() -> None:
    """Dicts of columns and of rows stay as they are, beside dicts of options that change."""
    rule = {"verbs": ["evaluate", "gate", "compare", "accuracy", "Stream"], "keywords": NEW}
    before, after = renamed(parsed({"rename": [rule]}), ROOT, [BAD_INPUT]).texts[BAD_INPUT]
    assert before.count('{"y_true": "lable"}') == 1
    assert after.count('{"truth": "lable"}') == 1
    old, new = _positional_dicts(before), _positional_dicts(after)
    assert len(old) >= 15
    assert old == new


def _positional_dicts(source: str) -> list[str]:
    """The first element of each pair in EVALUATE, and ROWS."""
    dicts = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Tuple) and len(node.elts) == 2:
            rows, options = node.elts
            if isinstance(rows, ast.Tuple) and isinstance(options, ast.Dict):
                dicts += [ast.unparse(n) for n in ast.walk(rows) if isinstance(n, ast.Dict)]
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Dict):
            dicts.append(ast.unparse(node.value))
    return dicts

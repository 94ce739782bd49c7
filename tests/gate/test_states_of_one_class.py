"""States and reports of one class, whose positive class is named, are read again."""

from __future__ import annotations

import karat


def test_a_state_of_one_class_is_read_again() -> None:
    monitor = karat.Monitor(min={"recall": 0.1}, positive="ok")
    monitor.add(y_true=["ok"] * 40, y_pred=["ok"] * 40)
    again = karat.Monitor.from_bytes(monitor.to_bytes())
    assert again.add(y_true=["ok", "bad"] * 20, y_pred=["ok"] * 40).rules[0].verdict == "PASS"
    report = karat.evaluate(["ok"] * 5, ["ok"] * 5, positive="ok")
    assert karat.Report.from_json(report.to_json())["recall"] == report["recall"]

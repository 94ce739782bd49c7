"""What a figure depends on: the processor, the interpreter, the versions of both sides."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

PACKAGES = (
    "karat", "numpy", "scikit-learn", "torch", "torchmetrics", "catboost", "scikit-learn-intelex",
    "pycm", "scors", "polarbearings", "pandas", "polars", "pyarrow", "duckdb",
)  # fmt: skip


def facts() -> dict[str, str | int]:
    """The facts that stand beside every result."""
    from karat import _native

    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "processor": processor(),
        "cores": os.cpu_count() or 1,
        "instruction set": _native.isa(),
        "threads": 1,
        "python": platform.python_version(),
        **{name: version(name) for name in PACKAGES},
    }


def processor() -> str:
    """The model of the processor, as the operating system tells it."""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        for line in cpuinfo.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()

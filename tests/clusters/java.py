"""Whether Spark can start here."""

from __future__ import annotations

import os
import shutil

import pytest

from tests.optional import REQUIRED, is_required


def need_java() -> None:
    """Skip the module without Java; where optional parts are required, fail."""
    if shutil.which("java") or os.environ.get("JAVA_HOME"):
        return
    if is_required():
        pytest.fail(f"there is no Java and {REQUIRED} is set", pytrace=False)
    pytest.skip("there is no Java", allow_module_level=True)

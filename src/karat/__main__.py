"""Entry point of ``python -m karat``, the command ``karat``."""

from __future__ import annotations

import sys

from karat.cli import main

if __name__ == "__main__":
    sys.exit(main())

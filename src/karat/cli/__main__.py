"""``python -m karat.cli``: the command line without its entry point."""

from __future__ import annotations

import sys

from karat.cli import main

if __name__ == "__main__":
    sys.exit(main())

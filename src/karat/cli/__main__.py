"""``python -m karat.cli``: the command line without its entry point."""

from __future__ import annotations

import sys

from karat.cli import main

sys.exit(main())

"""The check of types from the command line: see the package."""

import argparse
import sys

from tests.corpus.typing_check import main

parser = argparse.ArgumentParser(prog="python -m tests.corpus.typing_check")
parser.add_argument("groups", nargs="*")
parser.add_argument("--record", action="store_true", help="record the lies of these groups")
parser.add_argument("--all", action="store_true", help="also the groups of Dask and Spark")
options = parser.parse_args()
sys.exit(main(options.groups, record=options.record, everything=options.all))

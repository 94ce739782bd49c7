# karat: the one list of commands.
#
# Every command makes what it needs in .venv: Python 3.11 or newer and a C++ compiler are enough.
# PYTHON=python3.12 chooses another interpreter for a new .venv; PYTEST="-k merge -x" is passed on to pytest.
# JOBS=0 runs the tests in one process, as a debugger needs it. TIER=check runs the quick tests, TIER=all every one.
# N=510 SEED=1 say how many mutants `make mutants` draws, and which.

PYTHON ?= python3
VENV   ?= .venv
PYTEST ?=
JOBS   ?= 2
TIER   ?= test
N      ?= 510
SEED   ?= 1

BIN     := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(shell find native -type f) $(shell find src/karat -name __init__.py)
STUB    := src/karat/__init__.pyi
BROWSERS := chromium chromium-browser google-chrome google-chrome-stable
NEWEST  := numpy scipy narwhals nanoarrow click rich duckdb jinja2 matplotlib pandas polars pyarrow \
	pytest pytest-xdist hypothesis jsonschema psutil
NEWEST_TESTS := tests/laws tests/meaning tests/tally tests/streams tests/inference tests/data tests/sources tests/output
# A file of tests runs in one process, so that what its tests share is made once.
TESTS    = $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --tier $(TIER) $(PYTEST)
DIGITS  := examples/predictions/digits_logreg.parquet

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo check test test-all lint types unit browser soak gpu hostile faults fuzz sanitize clang mutants coverage bench pins numerics data docs pages tables stub release newest clean

help:  ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-9s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/installed-cli  ## build and install karat, then report on the bundled digits predictions
	$(BIN)/karat report $(DIGITS)

check: TIER := check
check: lint  ## the inner loop: style, types and the quick tests (three minutes)
	$(PROVE)

test: lint  ## all that proves correctness: style, types and the tests (ten minutes)
	$(PROVE)

test-all: TIER := all
test-all: lint  ## everything, also what takes long: what releases run
	$(PROVE)

# mypy takes one processor for half a minute: beside the tests both are busy.
define PROVE
@$(BIN)/mypy --strict src & types=$$!; \
$(TESTS); tests=$$?; \
wait $$types || { echo "mypy --strict src has findings: make types"; exit 1; }; exit $$tests
endef

lint: $(STUB)  ## check style and formatting with ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STUB)  ## check the types of src with mypy --strict
	$(BIN)/mypy --strict src

unit: $(STUB)  ## run the tests only
	$(TESTS)

# Without a browser the tests of pages are skipped, and say so; .ci/run asks for it and requires them.
browser:  ## install Chromium from the distribution for the tests of pages, as root and where it is absent
	@for name in $(BROWSERS); do command -v $$name >/dev/null && exit 0; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Chromium from the distribution, for the tests of pages"; \
		export DEBIAN_FRONTEND=noninteractive; \
		{ apt-get -qq update && apt-get -qq -y install --no-install-recommends chromium; } >/dev/null 2>&1 \
		|| echo "Chromium could not be installed"; \
	fi

soak: $(VENV)/installed-test  ## run the property tests with twenty times the examples (an hour)
	$(BIN)/python -m pytest -m hypothesis --hypothesis-profile=soak $(PYTEST)

# With the torch of the machine, which `make test` installs without CUDA: name its Python as GPU_PYTHON.
GPU_PYTHON ?= $(BIN)/python

gpu:  ## run the tests of tensors on a GPU, and time them there beside torchmetrics
	KARAT_TEST_DEVICE=cuda $(GPU_PYTHON) -m pytest -q -W default tests/devices/test_*.py tests/devices/on_cuda.py $(PYTEST)
	$(GPU_PYTHON) -m benchmarks.devices --device cuda --labels 100000000 --rows 10000000 --max-memory 268435456

hostile: $(VENV)/installed-test  ## attack what is read with 200,000 mutated inputs (half an hour)
	$(BIN)/python -m tests.hostile

faults: $(VENV)/installed-test  ## fill disks, change files, kill processes, and print what survived
	$(BIN)/python -m tests.faults

# RUNS of each of a hundred targets; SECONDS at most for each; TARGETS="count_codes Tally.cells" for some;
# REST=1 goes on after an interruption, with the targets that fuzz/results has fewer runs of.
RUNS    ?= 120000
SECONDS ?= 0
TARGETS ?=
REST    ?=

fuzz: $(VENV)/installed-fuzz clang  ## fuzz every native binding under sanitizers; keeps inputs, writes fuzz/results
	$(BIN)/python -m fuzz --runs $(RUNS) --seconds $(SECONDS) $(if $(REST),--rest) $(TARGETS)

sanitize: $(VENV)/installed-fuzz $(VENV)/installed-test clang  ## kernels under the thread sanitizer, bindings under two others
	$(BIN)/python -m fuzz.sanitize

# `make fuzz` says what is missing where this cannot install it.
clang:  ## install Clang from the distribution for the fuzzer, as root and where it is absent
	@command -v clang++ >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing Clang from the distribution, for the fuzzer"; \
		export DEBIAN_FRONTEND=noninteractive; \
		{ apt-get -qq update && apt-get -qq -y install --no-install-recommends clang && \
		apt-get -qq -y install --no-install-recommends libclang-rt-$$(clang -dumpversion | cut -d. -f1)-dev; } >/dev/null 2>&1 \
		|| echo "Clang could not be installed"; \
	fi

# What is measured and what died is kept in build/mutants, so that an interrupted run goes on.
mutants: $(VENV)/installed-test  ## run sampled mutants of the code against its tests; writes mutation/results (an hour or two)
	$(BIN)/python -m mutation -n $(N) --seed $(SEED)

coverage: $(VENV)/installed-fuzz $(VENV)/installed-test  ## count the lines and branches that tests reach; writes tests/reached/results (an hour)
	$(BIN)/python -m tests.reached

bench: $(VENV)/installed-test  ## check answers, then time karat beside its peers; writes benchmarks/results, docs/speed.md
	$(BIN)/python -m benchmarks --page docs/speed.md

# BASE=commit, and HEAD=commit for another than the files as they are; PINS="--cases gate" is passed on.
BASE ?= HEAD
HEAD ?=
PINS ?=

pins: $(VENV)/installed-test  ## compare processor time and peak memory of pinned calls with BASE=commit (ten minutes)
	$(BIN)/python -m benchmarks.pins $(BASE) $(HEAD) $(PINS)

numerics: $(VENV)/installed-test  ## compare every metric with exact arithmetic; writes the summary of docs/trust.md and the whole table
	$(BIN)/python -m tests.numerics docs/trust.md

data: $(VENV)/installed-test  ## make the prediction files of examples again
	$(BIN)/python examples/make_predictions.py

# From nothing each time: Sphinx forgets entries of the search index for pages that stay.
docs: $(VENV)/installed-test  ## build the documentation into build/docs/html, a page for every metric and name
	$(BIN)/python -m sphinx -W --keep-going -q -E -b html docs build/docs/html

pages: $(VENV)/installed-test  ## write the output of the commands that README.md shows again
	$(BIN)/python -m tests.docs.blocks README.md

tables: $(VENV)/installed-test  ## write docs/equivalents.md and docs/options.md again, from the records
	$(BIN)/python docs/equivalents.py
	$(BIN)/python docs/options.py

stub: $(STUB)  ## write the type stubs again, as the build does, where a source is newer

$(STUB): $(VENV)/installed-test $(shell find src/karat -name '*.py')
	@$(BIN)/python native/stubs.py src/karat && touch $@

# BUILD and INSTALL are lists of interpreters: BUILD="python3.11 python3.12" INSTALL=python3.13.
release: $(VENV)/installed-release  ## build sdist and wheels, look at them, install and test them without a compiler
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python -m release --build $(or $(BUILD),$(PYTHON)) --install $(INSTALL)

# An environment of its own: what is newest is not what the tests are written for.
newest:  ## run the tests against the newest, also pre-released, versions of what karat stands on
	$(PYTHON) -m venv --clear build/newest
	build/newest/bin/python -m pip install --quiet --disable-pip-version-check --pre --upgrade $(NEWEST)
	build/newest/bin/python -m pip install --quiet --disable-pip-version-check ".[cli]"
	build/newest/bin/python -m pip list --disable-pip-version-check
	build/newest/bin/python -m pytest -q -W default -n 2 $(or $(PYTEST),$(NEWEST_TESTS))

clean:  ## remove the environment, the builds and the caches
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp for each set of extras. Python sources are used in place, so only native code, the
# build files, the list of dependencies and the folders of the package make an install stale.
# What is imported is compiled then: most of what is installed never is.
$(VENV)/installed-%: $(SOURCES) | $(BIN)/python
	@echo "Building karat and installing it with its $* packages into $(VENV) (takes a minute the first time)"
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check --editable ".[$*]"
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "karat needs Python 3.11 or newer; say PYTHON=python3.12")'
	@$(PYTHON) -m venv $(VENV)

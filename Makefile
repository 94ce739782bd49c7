# karat: the one list of commands.
#
# Every command makes what it needs in .venv: Python 3.11 or newer and a C++ compiler are enough.
# PYTHON=python3.12 chooses another interpreter for a new .venv; PYTEST="-k merge -x" is passed on to pytest.
# N=510 SEED=1 say how many mutants `make mutants` draws, and which.

PYTHON ?= python3
VENV   ?= .venv
PYTEST ?=
N      ?= 510
SEED   ?= 1

BIN     := $(VENV)/bin
SOURCES := pyproject.toml CMakeLists.txt $(shell find native -type f) $(wildcard src/karat/*/__init__.py src/karat/*/*/__init__.py)
BROWSERS := chromium chromium-browser google-chrome google-chrome-stable
DIGITS  := examples/predictions/digits_logreg.parquet

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help demo test lint types unit browser soak mutants bench data docs pages tables stub clean

help:  ## print this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-8s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

demo: $(VENV)/installed-cli  ## build and install karat, then report on the bundled digits predictions
	$(BIN)/karat report $(DIGITS)

test: lint types unit  ## run lint, types and every test

lint: $(VENV)/installed-test  ## check style and formatting with ruff
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/installed-test  ## check the types of src with mypy --strict
	$(BIN)/mypy --strict src

unit: $(VENV)/installed-test browser  ## run the tests only
	$(BIN)/python -m pytest $(PYTEST)

# Without a browser the tests of pages are skipped; .ci/run requires them.
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

# What is measured and what died is kept in build/mutants, so that an interrupted run goes on.
mutants: $(VENV)/installed-test  ## run sampled mutants of the code against its tests; writes mutation/results (an hour or two)
	$(BIN)/python -m mutation -n $(N) --seed $(SEED)

bench: $(VENV)/installed-test  ## check answers, then time karat beside its peers; writes benchmarks/results, docs/speed.md
	$(BIN)/python -m benchmarks --page docs/speed.md

data: $(VENV)/installed-test  ## make the prediction files of examples again
	$(BIN)/python examples/make_predictions.py

docs: $(VENV)/installed-test  ## build the documentation into build/docs/html, a page for every metric and name
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/docs/html

pages: $(VENV)/installed-test  ## write the output of the commands that README.md shows again
	$(BIN)/python -m tests.docs.blocks README.md

tables: $(VENV)/installed-test  ## write docs/equivalents.md again, from the catalogue
	$(BIN)/python docs/equivalents.py

stub: $(VENV)/installed-test  ## write the type stub of the public names again, from the catalogue
	$(BIN)/python -m karat.metrics._stub

clean:  ## remove the environment, the builds and the caches
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# One stamp for each set of extras. Python sources are used in place, so only native code, the
# build files, the list of dependencies and the folders of the package make an install stale.
$(VENV)/installed-%: $(SOURCES) | $(BIN)/python
	@echo "Building karat and installing it with its $* packages into $(VENV) (takes a minute the first time)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable ".[$*]"
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "karat needs Python 3.11 or newer; say PYTHON=python3.12")'
	@$(PYTHON) -m venv $(VENV)

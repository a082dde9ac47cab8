# Everything happens in .venv; each target sets up what it needs, and is quick when that is there already.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := .venv-oldest
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test test-slow test-oldest check bench figures records report clean

demo: $(VENV)/.runtime
	$(BIN)/wideangle demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 -m "not slow" $(PYTEST_ARGS)

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 -m slow tests $(PYTEST_ARGS)

# The quick tests with the oldest versions that pyproject.toml allows. That torch brings gigabytes of CUDA.
test-oldest: $(OLDEST)/.dev
	$(OLDEST)/bin/python -m pytest -n 2 -m "not slow" $(PYTEST_ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.runtime
	for file in benchmarks/[!_]*.py; do $(BIN)/python $$file --quick || exit 1; done

figures: $(VENV)/.dev
	$(BIN)/python docs/make_figures.py

records: $(VENV)/.dev
	$(BIN)/python docs/make_records.py $(RECORDS)

report: $(VENV)/.dev
	$(BIN)/wideangle reproduce --report
	$(BIN)/python docs/make_tables.py

clean:
	rm -rf $(VENV) $(OLDEST) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "wideangle needs Python 3.10 or newer")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.runtime: $(BIN)/python pyproject.toml constraints.txt
	$(PIP_INSTALL) --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.runtime
	$(PIP_INSTALL) --editable '.[dev]'
	touch $@

$(OLDEST)/.dev: pyproject.toml constraints-oldest.txt
	$(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints-oldest.txt \
	  --editable '.[test]'
	touch $@

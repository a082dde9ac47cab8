# Everything happens in .venv; each target sets up what it needs, and is quick when that is there already.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OLDEST := .venv-oldest
SUPPLY := .venv-supply
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

# The versions of constraints.txt, each file compared with its hash. torch is the build for the CPU where pip can find it.
HASHED := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement supply/locked.txt --requirement

.PHONY: demo test test-slow test-oldest test-pythons check bench figures pages records report clean
.PHONY: docs locked lock package image licences sbom advisories

demo: $(VENV)/.runtime
	$(BIN)/wideangle demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 -m "not slow" $(PYTEST_ARGS)

test-slow: $(VENV)/.dev
	$(BIN)/python -m pytest -n 2 -m slow tests $(PYTEST_ARGS)

# The quick tests with the oldest versions that pyproject.toml allows. That torch brings gigabytes of CUDA.
test-oldest: $(OLDEST)/.dev
	$(OLDEST)/bin/python -m pytest -n 2 -m "not slow" $(PYTEST_ARGS)

# The quick tests with several Pythons, e.g. `make test-pythons PYTHONS="python3.10 python3.13"`.
test-pythons:
	$(PYTHON) supply/pythons.py --python $(or $(PYTHONS),$(PYTHON)) --dependencies tested newest oldest $(PYTHONS_ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/codespell
	$(BIN)/mypy

# The site, in build/docs. SPHINX_ARGS=-E reads every page anew.
docs: $(VENV)/.dev
	rm -rf docs/generated  # Pages of the gallery stay: a script is run again where it has changed.
	$(BIN)/python -m sphinx -W --keep-going -q -d build/doctrees $(SPHINX_ARGS) docs build/docs
	$(BIN)/python docs/check_links.py build/docs
	@echo "Open build/docs/index.html."

bench: $(VENV)/.runtime
	for file in benchmarks/[!_]*.py; do $(BIN)/python $$file --quick || exit 1; done

figures: $(VENV)/.dev
	$(BIN)/python docs/make_figures.py
	$(BIN)/python docs/make_effect.py
	$(BIN)/python docs/make_lessons.py

# Explorer pages that the gallery links to, e.g. `make pages PAGES="docstrings digits"`; all whose data is here by default.
pages: $(VENV)/.runtime
	$(BIN)/python docs/live_pages.py $(PAGES)

records: $(VENV)/.dev
	$(BIN)/python docs/make_records.py $(RECORDS)

# Compresses the records that experiments and benchmarks have added.
.PHONY: pack
pack: $(VENV)/.runtime
	$(BIN)/python docs/pack_records.py

# All formats into build/reproduction; what is committed, Markdown and pictures, into docs/reproduction.
report: $(VENV)/.dev
	$(BIN)/wideangle reproduce --report
	$(BIN)/wideangle reproduce --report --formats md,png --output docs/reproduction
	$(BIN)/python docs/make_tables.py

# What CI installs in place of what `make test` would: the same versions, by hash.
locked: $(BIN)/python
	$(HASHED) supply/torch-cpu.txt || { \
	  echo "No torch for the CPU of that hash; going on with that of the package index."; $(HASHED) supply/torch.txt; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $(VENV)/.runtime $(VENV)/.dev

lock: $(SUPPLY)/.tools
	$(SUPPLY)/bin/python supply/lock.py $(UPGRADE)

package: $(SUPPLY)/.tools
	$(SUPPLY)/bin/python supply/package.py --python $(PYTHON) $(PACKAGE_ARGS)

# A container image of the wheel in dist/; IMAGE_ARGS has further options, and CONTAINERS another program.
CONTAINERS := podman
image:
	$(CONTAINERS) build --file supply/Containerfile --tag wideangle $(IMAGE_ARGS) dist

# Fails where docs/licences.md is out of date or a licence is not allowed; LICENCES_ARGS=--write writes it.
licences: $(VENV)/.dev
	$(BIN)/python supply/licences.py $(LICENCES_ARGS)

sbom: $(VENV)/.runtime $(SUPPLY)/.tools
	$(SUPPLY)/bin/python supply/sbom.py --python $(BIN)/python --output dist/sbom.json

advisories: $(SUPPLY)/.tools
	$(SUPPLY)/bin/python supply/advisories.py

clean:
	rm -rf $(VENV) $(OLDEST) $(SUPPLY) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache

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

$(SUPPLY)/.tools: supply/tools.txt
	$(PYTHON) -m venv $(SUPPLY)
	$(SUPPLY)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement supply/tools.txt
	touch $@

# make demo · make test · make lint · make bench: each sets up what it needs, in .venv.

# The first Python that is new enough; another one: make test PYTHON=/path/to/python
PYTHON ?= $(shell for each in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$each -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$each && break; done)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
DEMO := core plugins/bash plugins/python sandboxes/local
ALL := $(DEMO)
PROJECTS := pyproject.toml constraints.txt $(ALL:=/pyproject.toml)

.PHONY: demo test lint format bench constraints clean

demo: .venv/demo
	$(BIN)/wieldy demo

test: .venv/dev
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

lint: .venv/dev
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/dev
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: .venv/dev
	$(BIN)/python -m pytest tests/benchmarks -s

constraints: .venv/dev
	(head -1 constraints.txt; $(PIP) freeze --all --exclude-editable | grep -E '^[A-Za-z0-9._-]+==') > constraints.new
	mv constraints.new constraints.txt

clean:
	rm -rf .venv

.venv/base:
	@test -n "$(PYTHON)" || { echo "wieldy needs Python 3.11 or newer: make $(MAKECMDGOALS) PYTHON=/path/to/python"; exit 1; }
	$(PYTHON) -m venv --clear .venv || { echo "python cannot make a virtual environment; on Debian: apt install python3-venv"; exit 1; }
	$(PIP) install --quiet -c constraints.txt --upgrade pip
	$(PIP) install --quiet -c constraints.txt hatchling editables
	touch $@

.venv/demo: .venv/base $(PROJECTS)
	$(PIP) install --quiet -c constraints.txt --no-build-isolation $(DEMO:%=-e %)
	touch $@

.venv/dev: .venv/demo $(PROJECTS)
	$(PIP) install --quiet -c constraints.txt --group dev
	$(PIP) install --quiet -c constraints.txt --no-build-isolation $(ALL:%=-e %)
	touch $@

# `make quick` and `make test` are all that a fresh machine needs besides git and Python 3.11 or later.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: quick test check docs golden reference bench clean

quick: $(VENV)/installed
	$(BIN)/arena run quick

test: $(VENV)/test-installed
	$(BIN)/python -m pytest -n auto --dist worksteal -m ""

check: $(VENV)/check-installed
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/cog --check docs/commands.md

reference: $(VENV)/installed
	$(BIN)/python tests/ladder.py

golden: $(VENV)/test-installed
	$(BIN)/python tests/golden.py

docs: $(VENV)/check-installed
	$(BIN)/cog -r docs/commands.md
	$(BIN)/python tests/rules_table.py
	$(BIN)/python tests/bot_reference.py
	$(BIN)/python tests/schemas.py

bench: $(VENV)/installed
	$(BIN)/arena bench

clean:
	rm -rf $(VENV) build dist *.egg-info

$(BIN)/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "risk-arena: expected Python 3.11 or later, found " + sys.version.split()[0] + ": set PYTHON=python3.x")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) --upgrade "pip>=25.1"

$(VENV)/installed: pyproject.toml | $(BIN)/python
	PYTHONWARNINGS=ignore $(PIP) --editable .
	touch $@

$(VENV)/test-installed: $(VENV)/installed
	$(PIP) --group test
	touch $@

$(VENV)/check-installed: $(VENV)/test-installed
	$(PIP) --group check
	touch $@

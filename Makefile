# make demo   run the main job once        make test   everything that passes or fails
# make check  format, lint, types, imports  make bench  measures, as ratios in one run
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STATE ?= state/demo

.PHONY: demo test check bench evaluate install install-dev format clean

$(VENV)/.installed: requirements.lock
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	touch $@

install: $(VENV)/.installed
install-dev: $(VENV)/.installed-dev

demo: install
	$(BIN)/python starter.py --state $(STATE) demo $(if $(INTERACTIVE),--interactive) $(if $(KEEP),--keep)

test: install-dev
	$(BIN)/python -m pytest

check: install-dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy .
	$(BIN)/lint-imports

bench: install-dev
	$(BIN)/python -m evaluation.bench

format: install-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# make demo    run the main job once, end to end (INTERACTIVE=1: you approve; KEEP=1: leave everything up)
# make test    everything that passes or fails
# make check   format, lint, types, import contracts
# make bench   measures, as ratios in one run
# make format  format and mend what can be mended
# make lock    write the pinned locks from what is installed
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STATE ?= state/demo
TORCH := 2.13.0
.DEFAULT_GOAL := help

.PHONY: help demo test check bench install install-dev format lock

$(VENV)/.installed: requirements.lock
	@echo "installing into $(VENV), once: 2 to 3 GB with torch, which takes minutes"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==$(TORCH)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements.lock
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -r requirements-dev.lock
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

lock: install-dev
	$(BIN)/python scripts/lock.py

help:
	@sed -n 's/^# //p' Makefile

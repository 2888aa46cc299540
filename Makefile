# make demo    run the main job once, end to end (INTERACTIVE=1: you approve; KEEP=1: leave everything up)
# make test    everything that passes or fails
# make check   format, lint, types, import contracts
# make bench   measures, as ratios in one run
# make evaluate  tables and plots of retrieval, into build/ (SHARED=DIR: the folder with bench/ and corpus/)
# make format  format and mend what can be mended
# make lock    write the pinned locks from what is installed
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STATE ?= state/demo
SHARED ?= ../shared
MODELS ?= minilm-int8 minilm
MEASURED := $(if $(wildcard $(SHARED)/bench/queries.jsonl),\
	--bench $(SHARED)/bench --metadata $(SHARED)/corpus/edmx --openapi $(SHARED)/corpus/queries,\
	--bench catalogue --metadata catalogue/services)
TORCH := 2.13.0
.DEFAULT_GOAL := help

.PHONY: help demo test check bench evaluate install install-dev format lock

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

evaluate: install-dev
	$(BIN)/python -m evaluation.retrieval.report $(MEASURED) $(foreach model,$(MODELS),--model $(model)) \
		--html build/retrieval.html --json build/retrieval.json

format: install-dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

lock: install-dev
	$(BIN)/python scripts/lock.py

help:
	@sed -n 's/^# //p' Makefile

# `make build` and `make test` work from nothing: they make their own virtual environment in .venv.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CORE   := $(VENV)/.core
DEV    := $(VENV)/.dev
PIP    := $(BIN)/python -m pip --quiet --disable-pip-version-check
COMPILE = $(BIN)/python -m compileall -q qsfa_codegen

# Without compiled modules each start compiles the whole program anew, which takes longer than a build.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help docs build check test lint format bench clean tools

help:  ## list the targets
	@sed -n 's/^\([a-z]*\):.*##/  \1\t/p' Makefile | expand -t 12

build: $(CORE)  ## generate every package from its spec
	$(BIN)/qsfa-codegen build

check: $(CORE)  ## fail when a committed package is not what its spec generates
	$(BIN)/qsfa-codegen build --check

test: tools lint check  ## lint, types, check, and the test suite
	$(BIN)/python -m pytest

lint: $(DEV)  ## style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

format: $(DEV)  ## rewrite the sources in the project's style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

docs: $(DEV)  ## rewrite the pages and pictures of docs/ that are made from the program and the specs
	$(BIN)/python -m qsfa_codegen.docs_pages docs spec

bench: $(DEV)  ## speed, memory and counts of kernels, as JSON; COPIES="100 1000" sets the sizes of large builds
	@$(BIN)/python bench/bench.py $(if $(COPIES),--copies $(COPIES))

clean:  ## remove the virtual environment and every cache; generated packages stay
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# On a bare machine whose owner runs this as root, what the tests need besides Python packages comes from the system's.
HAS_GTEST = echo '\#include <gtest/gtest.h>' | $${CXX:-g++} -E -x c++ - >/dev/null 2>&1
HAS_PYTHON_H = $(PYTHON) -c 'import os, sysconfig as s; os.stat(s.get_path("include") + "/Python.h")' 2>/dev/null
INSTALL = test "$$(id -u)" = 0 && command -v apt-get >/dev/null && apt-get update -qq && apt-get install -qq -y
tools:
	@command -v g++ >/dev/null || { $(INSTALL) g++ >/dev/null; } || \
	    { echo "make test compiles generated C++ and needs g++: install it (Debian: apt-get install g++)" >&2; exit 1; }
	@$(HAS_PYTHON_H) || { $(INSTALL) python3-dev >/dev/null; } || \
	    { echo "make test compiles against torch and needs Python.h: install it (Debian: apt-get install python3-dev)" >&2; exit 1; }
	@$(HAS_GTEST) || { $(INSTALL) libgtest-dev >/dev/null; } || \
	    echo "gtest is not installed (Debian: apt-get install libgtest-dev): the generated unit tests are not run" >&2
	@{ command -v chromium && command -v chromedriver; } >/dev/null || \
	    { $(INSTALL) --no-install-recommends chromium chromium-driver >/dev/null; } || \
	    echo "Chromium is not installed (Debian: apt-get install chromium chromium-driver): the page of a review is not tested in a browser" >&2

# The development environment has the core one in it: once it is there, it serves both.
$(CORE): pyproject.toml | $(BIN)/python
	$(PIP) install -e $(if $(wildcard $(DEV)),'.[dev]',.)
	@$(COMPILE)
	@touch $@

$(DEV): pyproject.toml | $(BIN)/python
	$(PIP) install -e '.[dev]'
	@$(COMPILE)
	@touch $@ $(CORE)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; choose one with make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "no virtual environment could be made (Debian: apt-get install python3-venv)" >&2; exit 1; }

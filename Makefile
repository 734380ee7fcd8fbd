# Run times: README.md, Hardware and runtime.
# make reproduce               run everything: tables, figures and verdicts of the papers
# make reproduce EFFORT=quick  run every step with few repetitions and small data sets
# make whatif WITH=config/what-if/ward.yaml   run with another reading or setting, and compare
# make study                   compare all measures and methods under one protocol
# make planted                 measure gains of coupled measures on tables with planted clusters
# make setup                   install the environment only: .venv
# make kernels                 compile all numerical kernels now, not when they are first needed
# make check                   run lint, types and the quick tests
# make test                    run lint, types, all tests, and the whole workflow once with quick effort
# make lint                    check types and the style of code and rules
# make paper NAME=id           start a new paper from workflow/template, see docs/extend.md
# make retry                   try failed downloads again in the next run
# make lock                    update versions: requirements.lock and environment.yml
# make tried                   run the searches for numbers that differ (NAME=dilca_rock: one of them)
# make verify                  compare the last run with the record (EFFORT=quick: the quick one)
# make baseline                store the last run as the record (EFFORT=quick: the quick one)
# make readme                  write README.md, right of reply and letters from workflow/pages and the record
# make same                    compare two quick runs in two folders byte for byte (FOLDER=new one, TARGETS=some)
# make clean                   remove results (make distclean: downloads and .venv as well)

PYTHON ?= python3
EFFORT ?= full
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
# This file says that the kernels are compiled. A single figure compiles the few that it needs.
KERNELS := $(VENV)/kernels
SNAKEMAKE := $(BIN)/python tools/unlock.py && $(BIN)/snakemake
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Steps are processes: where bytecode is not kept, each of them compiles the package again.
export PYTHONDONTWRITEBYTECODE :=
export EFFORT

ifeq ($(EFFORT),full)
OVERLAY :=
else
OVERLAY := config/$(EFFORT).yaml
endif

.PHONY: help setup kernels reproduce run-of-reproduce study planted whatif check test tests-of-check tests-of-test lint paper retry own tried verify baseline \
  readme lock same clean distclean
.DEFAULT_GOAL := help

help:
	@sed -n -e '/^$$/q' -e 's/^# //p' Makefile

reproduce: $(READY)
	@case "$$EFFORT" in ''|*[!a-z0-9_]*) echo "error: EFFORT='$$EFFORT' is not the name of an effort;" \
	  "take full, quick, or a file of config without its ending" >&2; exit 2;; esac
ifneq ($(OVERLAY),)
	@test -f $(OVERLAY) || { echo "error: EFFORT=$(EFFORT): there is no $(OVERLAY);" \
	  "known: full $(basename $(notdir $(filter-out config/datasets.yaml config/measures.yaml \
	  config/algorithms.yaml config/readings.yaml config/config.yaml,$(wildcard config/*.yaml))))" >&2; exit 2; }
	@PYTHONPATH=src $(BIN)/python -m replication check $(OVERLAY)
endif
	@$(MAKE) --no-print-directory --jobs=2 run-of-reproduce $(KERNELS)

# The first steps read data, so kernels are compiled beside them.
run-of-reproduce: $(READY)
	env -u MAKEFLAGS -u MFLAGS sh -c '$(SNAKEMAKE) --cores all $(if $(OVERLAY),--configfile $(OVERLAY))'

whatif: $(READY)
	@test -f "$(WITH)" || { echo "error: make whatif needs a file of changes, such as" \
	  "WITH=config/what-if/ward.yaml (docs/reproduce.md)" >&2; exit 2; }
	@$(MAKE) --no-print-directory reproduce EFFORT=$(EFFORT)
	$(SNAKEMAKE) --cores all $(if $(OVERLAY),--configfile $(OVERLAY)) \
	  --config what_if="$(WITH)"
	@PYTHONPATH=src $(BIN)/python -m replication diff results/$(EFFORT) \
	  results/whatif-$(basename $(notdir $(WITH)))/$(EFFORT) || test $$? -eq 1

study planted: $(KERNELS)
	$(SNAKEMAKE) --cores all -- $@

setup: $(READY)
kernels: $(KERNELS)

# The type checker has one thread, so the tests start beside it.
check test: $(READY)
	@$(MAKE) --no-print-directory --jobs=2 lint tests-of-$@

# Tests run make themselves, without this one's jobs.
tests-of-check: $(KERNELS)
	env -u MAKEFLAGS -u MFLAGS $(BIN)/python -m pytest -q -n auto --no-loadscope-reorder -m "not workflow and not slow" --hypothesis-profile=quick

tests-of-test: $(KERNELS)
	env -u MAKEFLAGS -u MFLAGS $(BIN)/python -m pytest -n auto --no-loadscope-reorder

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

paper: $(READY)
	@PYTHONPATH=src $(BIN)/python tools/new_paper.py "$(NAME)"

retry:
	@rm -rf data/raw/.hosts
	@grep -Lsi '"status": "available"' data/raw/*/source.json | xargs -r rm -v --

# the old name of tools/own.py
own: $(READY)
	@test -n "$(FILE)" || { echo "error: make own needs a table: .venv/bin/python tools/own.py FILE" >&2; exit 2; }
	@$(BIN)/python tools/own.py "$(FILE)"

tried: $(READY)
	@for program in workflow/tried/$(or $(NAME),[a-z]*).py; do echo "# $$program"; \
	  PYTHONPATH=src $(BIN)/python $$program || exit 1; done

verify: $(READY)
	@PYTHONPATH=src $(BIN)/python -m replication diff data/record/$(EFFORT) results/$(EFFORT)

baseline: $(READY)
	PYTHONPATH=src $(BIN)/python -m replication diff --record data/record/$(EFFORT) results/$(EFFORT)

readme: $(READY)
	PYTHONPATH=src $(BIN)/python tools/texts.py

lock:
	@# extras stay in the lock: older versions of pip take a package with an extra for another one
	@command -v uv >/dev/null || { echo "error: make lock needs uv; install it with pip install uv" >&2; exit 2; }
	uv pip compile --quiet --universal --fork-strategy fewest --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --no-header --no-strip-extras --python-version 3.11 \
	  $(addprefix --extra ,arrow large frames dask plot) $(addprefix --group ,workflow dev) pyproject.toml \
	  -o requirements.lock
	$(MAKE) environment.yml

environment.yml: requirements.lock pyproject.toml $(READY)
	$(BIN)/python tools/environment.py pyproject.toml requirements.lock > $@.partial
	mv $@.partial $@

same: $(READY)
	$(BIN)/python tools/same.py "$(or $(FOLDER),results/same)" $(TARGETS)

clean:
	rm -rf results docs/_build docs/_generated .snakemake .pytest_cache .ruff_cache .mypy_cache .hypothesis .coverage htmlcov
	find src tests tools benchmarks workflow -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

distclean: clean
	rm -rf data/raw $(VENV)

# The environment: the versions of the lock, checked by hash, and this package. The stamp is
# written last, so the next make continues an interrupted installation.
$(READY): requirements.lock pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "error: there is no $(PYTHON); install Python 3.11" \
	  "or newer, or name it: make PYTHON=/path/to/python3" >&2; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: $(PYTHON) is" \
	  "`$(PYTHON) --version 2>&1`, Python 3.11 or newer is needed; name another one:" \
	  "make PYTHON=python3.12" >&2; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "error: $(PYTHON)" \
	  "cannot make virtual environments; install its venv module (Debian: python3-venv)" >&2; exit 2; }
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e .
	@rm -f $(KERNELS)
	@touch $@

# Several jobs that need the same kernel at once would each compile it.
$(KERNELS): | $(READY)
	@echo "Compiling numerical kernels (once)"
	@PYTHONPATH=src $(BIN)/python -m replication kernels
	@touch $@

# Run times: README.md, Hardware and runtime.
# make reproduce               run everything: tables, figures and verdicts of the papers
# make reproduce EFFORT=quick  run every step with few repetitions and small data sets
# make whatif WITH=config/what-if/ward.yaml   run with another reading or setting, and compare
# make study                   compare all measures and methods under one protocol
# make planted                 measure gains of coupled measures on tables with planted clusters
# make notebooks               execute the notebooks, as HTML
# make score LABELS=file       score your own label vectors (Parquet) next to the study's methods
# make own FILE=table.csv      cluster your own table and explain the clusters: results/own
# make setup                   install the environment only: .venv
# make kernels                 compile all numerical kernels now, not when they are first needed
# make check                   run lint, types and the quick tests
# make test                    run lint, types, all tests, and the whole workflow once with quick effort
# make slurm                   run with quick effort through a real SLURM on this machine (root, Debian)
# make bench                   write docs/speed.md: speed compared with other packages
# make peers                   write docs/peers.md: tests of other packages on our functions
# make lint                    check types and the style of code and rules
# make types                   run the type checker, a part of lint
# make coverage                list lines that the tests of make check do not run: htmlcov/index.html
# make paper NAME=id           start a new paper from workflow/template, see docs/a-paper.md
# make retry                   try failed downloads again in the next run
# make lock                    update versions: requirements.lock and environment.yml
# make tried                   run the searches for numbers that differ (NAME=dilca_rock: one of them)
# make readings                count the numbers that each reading makes exact (NAME=dilca.ward: one of them)
# make artifact                reproduce, then check the ten claims of ARTIFACT.md
# make verify                  compare the last run with the record (EFFORT=quick: the quick one)
# make baseline                store the last run as the record (EFFORT=quick: the quick one)
# make article                 write results/full/article.pdf, with all numbers from the run
# make golden                  update the records of the golden tests: a miniature run of five papers
# make readme                  write README.md, right of reply and letters from workflow/pages and the record
# make picture                 write figures/report.png: the report's first screen (needs Chromium)
# make docs                    write config/README.md and config/schema from the types
# make site                    build the documentation: docs/_build/html/index.html
# make licences                write THIRD_PARTY_LICENSES.md from the installed packages
# make metadata                write codemeta.json and .zenodo.json from CITATION.cff
# make audit                   check licences and known vulnerabilities of the locked packages
# make kills                   compare a run interrupted twenty times with an uninterrupted one
# make same                    compare two quick runs in two folders byte for byte (FOLDER=new one)
# make clean                   remove results (make distclean: downloads and .venv as well)

PYTHON ?= python3
EFFORT ?= full
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready
# This file says that the kernels are compiled. A single figure compiles the few that it needs.
KERNELS := $(VENV)/kernels
SNAKEMAKE := $(BIN)/python workflow/scripts/unlock.py && $(BIN)/snakemake
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Steps are processes: where bytecode is not kept, each of them compiles the package again.
export PYTHONDONTWRITEBYTECODE :=
export EFFORT

ifeq ($(EFFORT),full)
OVERLAY :=
else
OVERLAY := config/$(EFFORT).yaml
endif

.PHONY: help setup kernels reproduce run-of-reproduce study planted notebooks own score whatif check test tests-of-check tests-of-test slurm bench peers lint types coverage paper retry tried readings artifact verify baseline article golden \
  readme picture lock docs site licences metadata audit kills same clean distclean
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
	  "WITH=config/what-if/ward.yaml (docs/what-if.md)" >&2; exit 2; }
	@$(MAKE) --no-print-directory reproduce EFFORT=$(EFFORT)
	$(SNAKEMAKE) --cores all $(if $(OVERLAY),--configfile $(OVERLAY)) \
	  --config what_if="$(WITH)"
	@PYTHONPATH=src $(BIN)/python -m replication diff results/$(EFFORT) \
	  results/whatif-$(basename $(notdir $(WITH)))/$(EFFORT) || test $$? -eq 1

study planted notebooks: $(KERNELS)
	$(SNAKEMAKE) --cores all -- $@

# Without LABELS, write the tables of the study, so that they can be clustered elsewhere.
score: $(READY)
	$(SNAKEMAKE) --cores all --until discretize -- study
	PYTHONPATH=src $(BIN)/python -m replication score_labels \
	  $(if $(LABELS),"$(LABELS)",--tables results/full/tables-of-the-study)

# Neither make nor the shell expands anything in the names.
unexport FILE WITHOUT MISSING SEPARATOR
own: export REPLICATION_FILE = $(value FILE)
own: export REPLICATION_WITHOUT = $(value WITHOUT)
own: export REPLICATION_MISSING = $(value MISSING)
own: export REPLICATION_SEPARATOR = $(value SEPARATOR)
own: $(READY)
	@test -f "$$REPLICATION_FILE" || { echo "error: make own needs a table, such as" \
	  "make own FILE=path/to/table.csv (docs/own-data.md)" >&2; exit 2; }
	@name="$${REPLICATION_FILE##*/}"; \
	place="$$(cd "$$(dirname -- "$$REPLICATION_FILE")" && pwd -P)/$$name"; \
	short="$$(printf '%s' "$$name" | sed -E 's/(\.(csv|tsv|txt|parquet|pq))?(\.(gz|bz2|xz))?$$//')"; \
	base="results/own/$${short:-$$name}"; REPLICATION_OUTPUT="$$base"; number=1; \
	while [ -e "$$REPLICATION_OUTPUT" ] && \
	  [ "$$(cat "$$REPLICATION_OUTPUT/table.txt" 2>/dev/null)" != "$$place" ]; do \
	  number=$$((number + 1)); REPLICATION_OUTPUT="$$base-$$number"; done; \
	export REPLICATION_OUTPUT; mkdir -p "$$REPLICATION_OUTPUT"; \
	printf '%s\n' "$$place" > "$$REPLICATION_OUTPUT/table.txt"; \
	$(BIN)/python -m nbconvert --execute --to html --HTMLExporter.mathjax_url= \
	  --HTMLExporter.require_js_url= --output-dir="$$REPLICATION_OUTPUT" notebooks/your_own_data.ipynb \
	  > "$$REPLICATION_OUTPUT/log.txt" 2>&1 || { \
	  sed -i 's/\x1b\[[0-9;]*m//g' "$$REPLICATION_OUTPUT/log.txt"; \
	  grep Error "$$REPLICATION_OUTPUT/log.txt" | tail -n 1 >&2; exit 2; }; \
	echo "$$REPLICATION_OUTPUT/your_own_data.html"

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

slurm: $(READY)
	SLURM_TEST=1 $(BIN)/python -m pytest -rs tests/workflow/test_slurm.py

bench: $(READY)
	PYTHONPATH=src $(BIN)/python benchmarks/page.py

peers: $(READY)
	$(BIN)/python tests/peers/run.py

lint: $(READY)
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

types: $(READY)
	$(BIN)/mypy

coverage: $(READY)
	$(BIN)/python -m pytest -q -n auto --no-loadscope-reorder -m "not workflow" --cov --cov-report=term:skip-covered --cov-report=html

paper: $(READY)
	@PYTHONPATH=src $(BIN)/python workflow/scripts/new_paper.py "$(NAME)"

retry:
	@rm -rf data/raw/.hosts
	@grep -Lsi '"status": "available"' data/raw/*/source.json | xargs -r rm -v --

tried: $(READY)
	@for program in workflow/tried/$(or $(NAME),[a-z]*).py; do echo "# $$program"; \
	  PYTHONPATH=src $(BIN)/python $$program || exit 1; done

readings: $(READY)
	@PYTHONPATH=src $(BIN)/python workflow/scripts/readings.py $(NAME)

artifact: reproduce
	@PYTHONPATH=src $(BIN)/python workflow/scripts/artifact.py ARTIFACT.md results/$(EFFORT)/ledger/claims.csv

verify: $(READY)
	@PYTHONPATH=src $(BIN)/python -m replication diff data/record/$(EFFORT) results/$(EFFORT)

baseline: $(READY)
	PYTHONPATH=src $(BIN)/python -m replication diff --record data/record/$(EFFORT) results/$(EFFORT)

# After `make reproduce`, `make study` and `make planted`.
article: $(READY)
	@PYTHONPATH=src $(BIN)/python workflow/scripts/article.py results/$(EFFORT)

golden: $(READY)
	$(SNAKEMAKE) --cores all --configfile tests/golden/config.yaml -- \
	  $$(PYTHONPATH=src:tests $(BIN)/python tests/golden/miniature.py targets)
	PYTHONPATH=src:tests $(BIN)/python tests/golden/miniature.py

readme: $(READY)
	PYTHONPATH=src $(BIN)/python workflow/scripts/texts.py

picture:
	@test -f results/full/report.html || { echo "error: there is no results/full/report.html;" \
	  "make reproduce makes it" >&2; exit 2; }
	@browser=$$(command -v chromium || command -v chromium-browser || command -v google-chrome) || { \
	  echo "error: make picture needs Chromium; install it (Debian: apt-get install chromium)" >&2; exit 2; }; \
	"$$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --window-size=1200,760 \
	  --screenshot="$(CURDIR)/figures/report.png" "file://$(CURDIR)/results/full/report.html"

lock:
	@# extras stay in the lock: older versions of pip take a package with an extra for another one
	@command -v uv >/dev/null || { echo "error: make lock needs uv; install it with pip install uv" >&2; exit 2; }
	uv pip compile --quiet --universal --fork-strategy fewest --generate-hashes --no-emit-index-url \
	  --no-emit-find-links --no-header --no-strip-extras --python-version 3.11 \
	  $(addprefix --extra ,arrow large frames dask plot) $(addprefix --group ,workflow dev) pyproject.toml \
	  -o requirements.lock
	$(MAKE) environment.yml

environment.yml: requirements.lock pyproject.toml $(READY)
	$(BIN)/python workflow/scripts/environment.py pyproject.toml requirements.lock > $@.partial
	mv $@.partial $@

docs: $(READY)
	PYTHONPATH=src $(BIN)/python workflow/scripts/config_readme.py config

site: $(READY)
	$(BIN)/python -m sphinx -W --keep-going -q -b html -d docs/_build/doctrees docs docs/_build/html
	@echo docs/_build/html/index.html

licences: $(READY)
	$(BIN)/python workflow/scripts/licences.py requirements.lock > THIRD_PARTY_LICENSES.md.partial
	mv THIRD_PARTY_LICENSES.md.partial THIRD_PARTY_LICENSES.md

metadata: $(READY)
	PYTHONPATH=src $(BIN)/python workflow/scripts/metadata.py .

audit: $(READY)
	$(BIN)/python workflow/scripts/audit.py requirements.lock

kills: $(READY)
	KILLS_TEST=1 $(BIN)/python -m pytest -rs tests/workflow/test_kills.py

same: $(READY)
	$(BIN)/python workflow/scripts/same.py "$(or $(FOLDER),results/same)"

clean:
	rm -rf results docs/_build docs/_generated .snakemake .pytest_cache .ruff_cache .mypy_cache .hypothesis .coverage htmlcov
	find src tests benchmarks workflow -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

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

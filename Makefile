# Everything runs in .venv, which is made on first use and again when its inputs change.
# Needed beforehand: make and Python 3.11 or later (another one: make PYTHON=python3.12).

PYTHON  ?= python3
WORKERS ?= 2
N       ?= 200
MINUTES ?= 20

UV    := uv==0.13.7
BIN   := .venv/bin
READY := .venv/.ready
SERVING := .venv/.serving
BENCH := $(filter-out bench-hard_scenes bench-soak,$(patsubst benchmarks/%.py,bench-%,$(wildcard benchmarks/[a-z]*.py)))

export UV_PROJECT_ENVIRONMENT := .venv
export UV_PYTHON_DOWNLOADS := never
# Without this pyright asks the network whether it is the newest.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

# `make test SYSTEM=alien`: what a system stands on, its own tests and scenarios, and what every rulebook is held to.
ONE_SYSTEM = $(wildcard $(addprefix tests/,core odds kits drivers systems/$(SYSTEM) scenarios/$(SYSTEM) \
    contracts/test_ledger.py contracts/test_rule_code.py contracts/test_scenarios.py contracts/test_system_pages.py))

.PHONY: help serve play test test-long check chromium screenshots docs rules rules-proof code-proof rulebook bench $(BENCH) soak lock clean

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

serve: $(SERVING) ## Serve the table over HTTP, with demonstrations to try; LAN=yes: for phones on this network too
	@$(BIN)/referee serve $(if $(LAN),--lan)

play: $(SERVING) ## Play in this terminal
	@$(BIN)/referee play

test: check chromium ## Check, then run all tests but slow ones in random order; SYSTEM=alien: those of one system
	$(BIN)/pytest -n $(WORKERS) $(if $(SYSTEM),$(ONE_SYSTEM))

test-long: check chromium ## The slow ones too: kills, long walks, sampling, peers, sweeps
	$(BIN)/pytest -n $(WORKERS) -m ""

check: $(READY) ## Lock file, format, lint, types, layers
	$(BIN)/uv lock --quiet --check
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports --no-logo

# What the browser tests run in: the system's, installed where there is none.
chromium:
	@sh scripts/chromium.sh install >/dev/null

screenshots: $(READY) chromium ## Take the pictures of the screens in docs/pictures anew
	$(BIN)/pytest -n $(WORKERS) tests/browser/screenshots.py

docs: $(READY) ## Write docs/systems anew from what the systems declare
	$(BIN)/python -m referee.testing.system_pages

# In a browser no rule runs that would not run in the other tests.
rules: $(READY) ## How many rules and rows the tests exercise, and which they do not
	$(BIN)/python -m referee.testing.coverage --ignore=tests/browser

rules-proof: $(READY) ## Change N=200 figures, or all of FILE=dime, one at a time; list those no test noticed; KEEP=proof.txt goes on
	$(BIN)/python -m referee.testing.proof $(if $(FILE),--file $(FILE),--most $(N)) $(if $(KEEP),--keep $(KEEP)) \
	    $(TESTS) --ignore=tests/browser

code-proof: $(READY) ## Change N=200 comparisons, operators and conditions of SYSTEM=d6, one at a time; list those no test noticed; KEEP= as above
	$(BIN)/python -m referee.testing.code_proof $(SYSTEM) --most $(N) $(if $(KEEP),--keep $(KEEP)) $(TESTS)

rulebook: $(READY) ## Write the rules of a ledger, FILE="a.yaml b.yaml", as rulebook files into the folder TO=
	$(BIN)/python -m referee.testing.ledger $(FILE) --to $(TO)

bench: $(BENCH) ## Every benchmark; benchmarks/odds.py alone is `make bench-odds`

$(BENCH): bench-%: benchmarks/%.py $(READY)
	$(BIN)/python $<

soak: $(READY) ## Thirty tables with kills and slow phones for MINUTES=20; memory, handles, log and p99 as a table
	$(BIN)/python benchmarks/soak.py --minutes $(MINUTES)

lock: $(READY) ## Bring uv.lock in line with pyproject.toml
	$(BIN)/uv lock

clean: ## Remove .venv, caches and builds
	rm -rf .venv .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache build dist
	find src tests -name __pycache__ -type d -prune -exec rm -rf {} +

# A .venv left half-made, or made by a Python before 3.11 (the first with tomllib), is made anew.
define SET_UP
	@echo "Setting up .venv"
	@$(BIN)/python -c 'import pip, tomllib' 2>/dev/null || $(PYTHON) -m venv --clear .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check $(UV)
	@$(BIN)/uv sync $(1) --frozen --compile-bytecode --python $(BIN)/python
	@$(BIN)/python -m compileall -q src
endef

# What serving and playing need: a quarter of what the tests and checks need.
$(SERVING): pyproject.toml uv.lock
	$(call SET_UP,--no-dev --extra forecast --inexact)
	@touch $@

$(READY): pyproject.toml uv.lock
	$(call SET_UP,--quiet)
	@touch $@ $(SERVING)

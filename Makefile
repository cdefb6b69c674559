# Entry points of the repository. Each target is one script in scripts/ or one cargo command; `make help` lists them.
# What is downloaded or compiled is kept outside the repository, in ${RHIZOME_CACHE:-~/.cache/rhizome}, so that it survives
# a fresh clone. What a running server stores is kept in ./var.

SHELL := /bin/bash
.DEFAULT_GOAL := help

RHIZOME_CACHE ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/rhizome
CARGO_TARGET_DIR ?= $(RHIZOME_CACHE)/target
export RHIZOME_CACHE CARGO_TARGET_DIR

.PHONY: help run build dist test check docs bench compare engines release clean-data

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1@\2/p' $(firstword $(MAKEFILE_LIST)) | column -t -s @ 2>/dev/null || \
		grep -E '^[a-z-]+:.*##' $(firstword $(MAKEFILE_LIST))

run: ## Build, start a server on 127.0.0.1:8080 and load a small social network the first time
	@scripts/run.sh

build: ## Install what a build needs and compile the server with the explorer's pages
	@scripts/build.sh

dist: ## Compile the binary to install and to measure: optimized across crates, which takes minutes longer
	@scripts/build.sh dist

test: ## Run every test and lint: Rust, the clients, HugeGraph's loader, reports in a browser and in JMeter
	@scripts/test.sh

check: ## Format, lints and unit tests: the quick look before a commit
	@scripts/setup.sh build
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test --workspace --lib --bins

bench: ## Time codec, schema check, JSON and store; print ratios against the baseline that the first run saved (SAVE=1: save anew)
	@scripts/bench.sh

compare: ## Measure Rhizome against Apache HugeGraph 1.7 on this machine, fetched with Maven; QUICK=1: fewer and shorter rounds; CASSANDRA=1: HugeGraph 1.5 and both on Cassandra
	@scripts/compare.sh

engines: ## Measure every storage engine under the same short load test, Cassandra and the TiKV development store included
	@scripts/engines.sh

docs: ## Regenerate the generated pages in docs/
	@scripts/setup.sh build
	cargo xtask docs

release: ## Make the packages of a release in ./var/release: .deb, archive, image, Helm chart, SBOM, checksums; compiles as `make dist` does
	@scripts/package.sh var/release

clean-data: ## Delete ./var: the stored graph and the generated input files
	@scripts/clean-data.sh

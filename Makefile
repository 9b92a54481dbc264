# SPDX-License-Identifier: Apache-2.0
# The commands people type. The build itself is CMake's (CMakePresets.json); each target first lets
# tools/setup see to missing packages, which does nothing and says nothing when all is there.
PREFIX ?= /usr/local
BUILD := build
JOBS ?= $(shell nproc)
PRETTIER := web/node_modules/.bin/prettier --config web/.prettierrc.json --log-level warn
export CXX := $(shell tools/compiler)

.PHONY: all demo workloads check test test-beside consumers bench campaign install format check-format lint clean
.DEFAULT_GOAL := all

all: ## the program, one static file: build/wick
	@tools/setup build
	@cmake --preset release >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build --preset release -j $(JOBS)
	@ln -sf release/wick $(BUILD)/wick

demo: all ## a server under load: recorded, reported, and as the viewer's page in demo/
	@tools/setup workloads
	@cmake -S workloads -B $(BUILD)/workloads -G Ninja >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build $(BUILD)/workloads --target memory_mock_server memory_mock_client -j $(JOBS)
	@tools/demo $(BUILD)/wick $(BUILD)/workloads

workloads: ## the programs with a known truth (workloads/README.md), in build/workloads
	@tools/setup workloads
	@cmake -S workloads -B $(BUILD)/workloads -G Ninja >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build $(BUILD)/workloads -j $(JOBS)

demo-%: all workloads ## one workflow from its page: demo-server demo-kernel demo-library demo-async demo-python
	@tests/docs/run.py --show $(BUILD)/wick $(BUILD)/workloads docs/$*.md

check: ## the quick tests, for every edit: under a minute once built
	@tools/setup test
	@tools/tidy.py
	@cmake --preset dev >$(BUILD)/configure.log 2>&1 || { cat $(BUILD)/configure.log; exit 1; }
	@cmake --build --preset dev -j $(JOBS)
	@ctest --preset quick -j $(JOBS)

test: ## everything: all tests, sanitizers, the browser
	@tools/setup test oracles workloads browser
	@tools/test

# What `make test` builds beside the recordings, and the tests that it runs there. clang only has to build the workloads:
# several files at a time.
test-beside:
	@cmake --preset asan >$(BUILD)/beside-configure.log 2>&1 || { cat $(BUILD)/beside-configure.log; exit 1; }
	@cmake --preset live >$(BUILD)/beside-configure.log 2>&1 || { cat $(BUILD)/beside-configure.log; exit 1; }
	@CC=clang CXX=clang++ cmake -S workloads -B $(BUILD)/workloads-clang -G Ninja -DWORKLOADS_VARIANTS=OFF \
	    -DCMAKE_UNITY_BUILD=ON -DCMAKE_UNITY_BUILD_BATCH_SIZE=32 -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
	    >$(BUILD)/beside-configure.log 2>&1 || { cat $(BUILD)/beside-configure.log; exit 1; }
	@cmake --build $(BUILD)/workloads-clang -j $(JOBS)
	@cmake --build --preset asan -j $(JOBS)
	@cmake --build --preset live -j $(JOBS)
	@ctest --preset asan -j $(JOBS) -L patient

consumers: all ## what wick writes, opened by pprof, Perfetto's protoc and others
	@tools/setup consumers
	@tests/consumers/run.py $(BUILD)/wick

bench: all ## wick against the other tools on the same input, as ratios
	@tools/setup bench
	@bench/run $(BUILD)/wick
	@bench/viewer $(BUILD)/wick

campaign: ## the tests that take hours
	@tools/setup campaign
	@tools/campaign

install: all ## PREFIX=/usr/local DESTDIR=
	@DESTDIR="$(DESTDIR)" cmake --install $(BUILD)/release --prefix "$(PREFIX)"

format: ## rewrite the sources in the house format
	@tools/setup lint
	@tools/sources | xargs clang-format-19 -i
	@tools/sources web | xargs $(PRETTIER) --write

lint: check-format ## format, the shape of the tree, and clang-tidy on every source
	@tools/tidy.py
	@tools/lint all

check-format: ## that `make format` would change nothing
	@tools/setup lint
	@tools/sources | xargs clang-format-19 --dry-run --Werror
	@tools/sources web | xargs $(PRETTIER) --check

clean:
	@rm -rf $(BUILD) demo

$(shell mkdir -p $(BUILD))

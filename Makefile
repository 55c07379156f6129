# Only forwards to CMake presets and scripts; the work is there.
SHELL := /bin/bash
JOBS  ?= $(shell nproc)
DEMO  := testdata/emu-mix
DATA  ?= build/bench-data
BENCH = build/release/tests/bench

.DEFAULT_GOAL := help
.PHONY: help demo test release deb dev check asan ubsan tsan fuzz bench bench-data bench-ab \
        bench-tools oracle oracle-full hurt badinput \
        kallsyms-check symbols-check faults bless lint fmt cover ild-check strict-check install-deps clean

help: ## print this
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 15

demo: install-deps release ## install what is missing, build, decode a bundled capture
	@bash tests/demo.sh build/release/ptscript $(DEMO)

test: ## install what is missing, build, run every test
	@bash .ci/deps test
	cmake --preset dev && cmake --build --preset dev -j $(JOBS)
	ctest --preset dev -j $(JOBS) --output-junit $(CURDIR)/build/dev/tests.xml

release: ## optimised build: build/release/ptscript
	@cmake --preset release -DPTS_TESTS=OFF >/dev/null && cmake --build --preset release -j $(JOBS)

deb: ## Debian packages in build/deb, checked by lintian
	bash .ci/deps deb
	cmake --preset deb
	cmake --build --preset deb
	bash .ci/packaging/check.sh build/deb

dev: ## debug build with -Werror: build/dev/ptscript
	cmake --preset dev && cmake --build --preset dev -j $(JOBS)

check: dev ## the quick tests (unit, lint, golden)
	ctest --preset dev -j $(JOBS) -LE oracle

asan ubsan tsan: ## build and test under a sanitizer
	cmake --preset $@ && cmake --build --preset $@ -j $(JOBS)
	ctest --preset $@ -j $(JOBS) -L 'unit|badinput|golden'

fuzz: release ## run the fuzz targets; T=name for one, SECONDS_EACH=60
	@cmake --build --preset release -j $(JOBS) --target ptrecord
	cmake --preset fuzz && cmake --build --preset fuzz -j $(JOBS) --target fuzzers
	PTRECORD=build/release/ptrecord bash tests/fuzz/run.sh build/fuzz/tests/fuzz $(or $(SECONDS_EACH),60) $(T)

bench-tools: release
	@cmake --preset release -DPTS_TESTS=ON >/dev/null
	@cmake --build --preset release -j $(JOBS) --target bench_tools

bench-data: bench-tools ## record what make bench decodes (DATA=build/bench-data, 15 minutes)
	python3 tests/bench/data.py --ptrecord build/release/ptrecord \
	    --ptscript build/release/ptscript --ptcount $(BENCH)/ptcount $(DATA)

bench: bench-tools ## compare speed with perf (hours), write docs/benchmarks.md; ONLY=name for one recording, not written
	python3 tests/bench/bench.py --ptscript build/release/ptscript --ptcount $(BENCH)/ptcount \
	    $(if $(wildcard $(BENCH)/ipt_block),--ipt-block $(BENCH)/ipt_block) \
	    $(if $(ONLY),--only '$(ONLY)',--report build/benchmarks.md) $(DATA)
	$(if $(ONLY),,python3 tests/bench/recorder.py build/release/ptrecord build/benchmarks.md)
	$(if $(ONLY),,-python3 tests/bench/compare.py docs/benchmarks.md build/benchmarks.md)
	$(if $(ONLY),,mv build/benchmarks.md docs/benchmarks.md)

bench-ab: bench-tools ## the same against an older ptscript: BASE=path; lists rows that became slower
	python3 tests/bench/bench.py --ptscript build/release/ptscript --ptcount $(BENCH)/ptcount \
	    --base $(or $(BASE),$(error BASE=path of the older ptscript)) $(if $(ONLY),--only '$(ONLY)') --report build/bench-ab.md $(DATA)

oracle: dev ## compare with perf over every capture and option set
	python3 tests/oracle/oracle.py --ptscript build/dev/ptscript
	python3 tests/oracle/truth.py --ptscript build/dev/ptscript
	python3 tests/oracle/foreign.py --ptscript build/dev/ptscript
	python3 tests/oracle/raw.py --ptscript build/dev/ptscript

symbols-check: ## the name of every function of some 35 programs and libraries, against perf
	@cmake --preset release -DPTS_TESTS=ON >/dev/null
	@cmake --build --preset release -j $(JOBS) --target sym_print
	bash tests/oracle/symbols.sh $(CURDIR)/build/release/tests/prop/sym_print all

kallsyms-check: release ## the name of every function of whole kernels, against perf
	python3 tests/oracle/kallsyms.py --shared --ptscript build/release/ptscript

oracle-full: release ## the whole matrix: programs x recordings x option sets (hours)
	@cmake --build --preset release -j $(JOBS) --target ptrecord
	python3 tests/oracle/report.py --ptscript build/release/ptscript --live
	python3 tests/oracle/matrix.py --ptscript build/release/ptscript \
	    --ptrecord build/release/ptrecord --jobs $(JOBS)

hurt: release ## damage 5000 recordings in one place, compare what perf still prints (an hour)
	python3 tests/oracle/hurt.py --ptscript build/release/ptscript --count $(or $(COUNT),5000)

badinput: ## cut and corrupt every capture, under the sanitizers; C=emu-ls for one
	cmake --preset asan && cmake --build --preset asan -j $(JOBS) --target badinput
	bash tests/badinput/run.sh build/asan/tests/badinput/badinput full $(C)

faults: release ## fail every single call of the system that every use makes; ONLY=name (an hour)
	cmake --preset release -DPTS_TESTS=ON >/dev/null && cmake --build --preset release -j $(JOBS)
	python3 tests/fault/fault.py --shim build/release/tests/fault/fault_shim.so \
	    --ptscript build/release/ptscript --ptrecord build/release/ptrecord \
	    --rows build/release/tests/api/example_branches \
	    --records build/release/tests/api/example_records \
	    --each 1 --jobs $(JOBS) --only '$(ONLY)'

bless: ## store perf's output as what the golden tests expect
	python3 tests/lib/cases.py bless

lint: dev ## layers, exports, banned calls, headers, format, clang-tidy
	ctest --preset dev -L lint
	bash tests/lint/tidy.sh build/dev

fmt: ## clang-format everything
	bash tests/lint/format.sh fix

cover: ## test coverage, needs gcovr
	cmake --preset coverage && cmake --build --preset coverage -j $(JOBS)
	ctest --preset coverage -LE 'lint|badinput'
	gcovr -r . --object-directory build/coverage -e tests

ild-check: dev ## instruction lengths against objdump and Capstone
	sh tests/prop/ild_all.sh build/dev/tests/prop $(JOBS)

strict-check: release ## --strict-pt on 10,000 random streams, against libipt; N=streams
	@cmake --preset release -DPTS_TESTS=ON >/dev/null
	@cmake --build --preset release -j $(JOBS) --target prop_strict
	build/release/tests/prop/prop_strict $(or $(N),10000)

install-deps: ## install what the build needs
	@bash .ci/deps build

clean: ## remove build/
	rm -rf build

#!/usr/bin/env bash
# tidy.sh BUILD - clang-tidy's bug finders (.clang-tidy) over everything the build compiles.
#
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 2
build=${1:-build/dev}
[ -f "$build/compile_commands.json" ] || { echo "no $build: build it first"; exit 2; }
find decoder walker synth cli testdata -name '*.c' | sort |
    xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p "$build" --warnings-as-errors='*' 2>/dev/null

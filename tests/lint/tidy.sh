#!/usr/bin/env bash
# tidy.sh BUILD [FILE...] - clang-tidy's bug finders (.clang-tidy) over everything the build
# compiles, or some files of it.
#
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 2
build=${1:-build/dev}
[ -f "$build/compile_commands.json" ] || { echo "no $build: build it first"; exit 2; }
[ $# -eq 0 ] || shift
if [ $# -gt 0 ]; then
    printf '%s\n' "$@"
else
    find decoder walker synth cli testdata -name '*.c' | sort
fi |
    xargs -P "$(nproc)" -n 4 clang-tidy --quiet -p "$build" --warnings-as-errors='*' 2>/dev/null

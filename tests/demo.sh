#!/usr/bin/env bash
# demo.sh PROGRAM CAPTURE - decodes a bundled recording to the screen.
#
# SPDX-License-Identifier: MIT
set -u
program=$1 capture=$2
symfs=$(dirname "$capture")/symfs
show=("$program" --buildid-dir "$symfs/.debug" --symfs "$symfs" -i "$capture/perf.data")

step() { # LINES OPTION...
    local lines=$1
    shift
    printf '\n$ %s\n' "${show[*]} $*"
    "${show[@]}" "$@" | head -n "$lines"
}

step 12
step 12 --itrace=be -F+flags
step 20 --call-trace
step 12 --insn-trace
printf '\nWhole runs: '
"${show[@]}" --itrace=i0ns -F ip | awk 'END {printf "%d instructions, ", NR}'
"${show[@]}" --itrace=b -F ip | awk 'END {printf "%d branches, ", NR}'
"${show[@]}" --itrace=e | awk 'END {printf "%d errors in the trace\n", NR}'

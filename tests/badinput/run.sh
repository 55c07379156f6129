#!/usr/bin/env bash
# run.sh PROGRAM sample|full - damaged copies of every bundled capture, two at a time.
#
# SPDX-License-Identifier: MIT
#
# full: cut at every 97th byte, 2000 copies with flipped bytes.  sample: each 24th of them.
set -u
program=$1
every=1
[ "$2" = sample ] && every=24
cd "$(dirname "$0")/../.." || exit 2
export ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1:${ASAN_OPTIONS:-}"

for capture in testdata/emu-*; do
    printf '%s\0' cut 97 "$capture/perf.data" flip 2000 "$capture/perf.data"
done | xargs -0 -n 3 -P "$(nproc)" "$program" -e "$every" -s testdata/symfs \
    -b testdata/symfs/.debug

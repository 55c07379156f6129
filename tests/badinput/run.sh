#!/usr/bin/env bash
# run.sh PROGRAM sample|full [PATTERN] - damaged copies of the captures.
#
# SPDX-License-Identifier: MIT
#
# full: the bundled captures cut at every 97th byte, 2000 copies with flipped bytes; the large
# ones beside the checkout (../shared, or PTS_SHARED) with at most 400 of each, so that all of
# it takes minutes.  sample: each 24th of the bundled ones' copies (24 PTS_EVERYth).  PATTERN: only captures of
# such names (emu-*).  JOBS: how many at a time, as many as there are processors unless set.
set -u
program=$1
mode=$2
pattern=${3:-*}
cd "$(dirname "$0")/../.." || exit 2
shared=${PTS_SHARED:-../shared}
export ASAN_OPTIONS="detect_leaks=1:allocator_may_return_null=1:${ASAN_OPTIONS:-}"

# jobs CAPTURE SYMFS CACHE EVERY MOST: two lines of arguments
jobs() {
    local kind
    for kind in 'cut 97' 'flip 2000'; do
        # shellcheck disable=SC2086
        printf '%s\0' -s "$2" -b "$3" -e "$4" -m "$5" $kind "$1/perf.data"
    done
}

list() {
    local capture every=$((24 * ${PTS_EVERY:-1}))
    [ "$mode" = full ] && every=1
    for capture in testdata/emu-*; do
        # shellcheck disable=SC2053
        [[ ${capture##*/} == $pattern ]] &&
            jobs "$capture" testdata/symfs testdata/symfs/.debug "$every" 1000000
    done
    [ "$mode" = full ] || return
    for capture in "$shared"/traces/real-*; do
        # shellcheck disable=SC2053
        [[ -f $capture/perf.data && ${capture##*/} == $pattern ]] &&
            jobs "$capture" "$capture/symfs" "$capture/buildid-cache" 1 400
    done
}

list | xargs -0 -n 11 -P "${JOBS:-$(nproc)}" "$program"

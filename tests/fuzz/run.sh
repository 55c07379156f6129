#!/usr/bin/env bash
# run.sh FOLDER SECONDS [NAME...] - runs the fuzz targets built in FOLDER, two at a time.
#
# SPDX-License-Identifier: MIT
#
# New inputs go to FOLDER/found/NAME, a crash into FOLDER (libFuzzer names the file).
# FUZZ_SEED=N: the same inputs each time.  PTRECORD=FILE: recordings of that are seeds, too.
set -u
build=$(cd "$1" && pwd) || exit 2
seconds=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
names=$*
if [ -z "$names" ]; then
    names=$(cd "$here" && for f in fuzz_*.c; do f=${f#fuzz_}; echo "${f%.c}"; done)
fi

rm -rf "$build/seeds"
python3 "$here/seeds.py" "$build/seeds" "${PTRECORD:-}" || exit 2
export PTS_FUZZ_SYMFS=$build/seeds/symfs

one() { # NAME
    mkdir -p "$build/found/$1"
    seeds=
    for folder in "$here/corpus/$1" "$here/crashers/$1" "$build/seeds/$1"; do
        [ -d "$folder" ] && seeds="$seeds $folder"
    done
    # shellcheck disable=SC2086
    if "$build/fuzz_$1" ${FUZZ_SEED:+-seed=$FUZZ_SEED} -max_total_time="$seconds" \
        -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$build/crash-$1-" \
        "$build/found/$1" $seeds >"$build/$1.log" 2>&1; then
        echo "fuzz.$1: passed, $(sed -n 's/^stat::number_of_executed_units: *//p' \
            "$build/$1.log") inputs in $seconds s"
    else
        echo "fuzz.$1: FAILED"
        tail -30 "$build/$1.log"
        return 1
    fi
}
export -f one
export build seconds here
# shellcheck disable=SC2086
printf '%s\n' $names | xargs -P 2 -I{} bash -c 'one "$1"' _ {}

#!/usr/bin/env bash
# starter.sh PTSCRIPT - script -g python: files that are there already, disks that are full.
#
# SPDX-License-Identifier: MIT
#
# What is written is tests/cases/scripts.py.
set -u
program=$(realpath "$1") || exit 2
data=$(cd "$(dirname "$0")/../../testdata" && pwd)/emu-mix/perf.data || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
export HOME=$tmp
bad=0

# ends STATUS WHAT FILES: how -g ends, and which files there are then, of how many lines.
ends() {
    "$program" -i "$data" -g python >out 2>err
    local status=$? files
    files=$(find . -name 'perf-script*' -type f -size +0 | sort | xargs -r wc -l | grep -v total |
        awk '{ printf "%s%s:%s", n++ ? " " : "", $2, $1 }')
    [ "$status" = "$1" ] && [ "$files" = "$3" ] && [ ! -s out ] && return
    echo "$2: $status, $files"
    cat err
    bad=1
}

"$program" -i "$data" -g python 2>/dev/null
new=$(wc -l <perf-script.py)
[ "$new" -gt 50 ] || { echo "$new lines"; exit 1; }
echo mine >perf-script.py
ends 0 'one is kept' "./perf-script.py:$new ./perf-script.py.old:1"
ends 255 'two are there' "./perf-script.py:$new ./perf-script.py.old:1"
grep -q '^mine$' perf-script.py.old || { echo 'the first is lost'; bad=1; }
rm perf-script.py*
: >perf-script.py
ends 0 'an empty one' "./perf-script.py:$new"
rm perf-script.py
mkdir perf-script.py
ends 255 'a folder' ''
rmdir perf-script.py
ln -s nowhere perf-script.py
ends 255 'a link' ''
if [ ! -L perf-script.py ] || [ -e nowhere ]; then
    echo 'the link was followed'
    bad=1
fi
rm perf-script.py
(
    ulimit -f 1
    trap '' XFSZ
    ends 255 'a full disk' ''
    exit $bad
) || bad=1
exit $bad

#!/usr/bin/env bash
# owner.sh PTSCRIPT - recordings that belong to somebody else (C11).
#
# SPDX-License-Identifier: MIT
#
# Only those of the user and of root are read, unless -f is given; standard input is not asked
# whose it is.  Each line of the table is a run; where perf is installed it must agree.
set -u
program=$1
here=$(cd "$(dirname "$0")" && pwd)
[ "$(id -u)" = 0 ] || { echo 'not root: skipped'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
failed=0
export HOME=$work LC_ALL=C PAGER=cat

python3 "$here/../lib/cases.py" write . containers damage || exit 2
recording=containers.directory_of_one_file/perf.data # a directory
cp "$recording/data" mine
cp mine theirs
cp mine 'their own'
cp damage.pipe_without_the_field/perf.data their-pipe
mkdir their-dir
cp mine their-dir/data
cp -r their-dir their-data # whose directory it is does not matter
cp -r containers.directory/perf.data their-part
ln -s theirs link
chown 4242 theirs 'their own' their-pipe their-dir their-data/data their-part/data.0
chown 0 their-dir/data

# check STATUS REFUSED ARGUMENT...: REFUSED is the name in the message, or empty.
check() {
    local status=$1 name=$2 rc theirs
    shift 2
    "$program" "$@" >out 2>err <"${input:-/dev/null}"
    rc=$?
    : >want
    [ -z "$name" ] ||
        echo "File $name not owned by current user or root (use -f to override)" >want
    if [ $rc != "$status" ] || ! cmp -s want err || { [ -z "$name" ] && [ ! -s out ]; }; then
        echo "FAILED $*: exit status $rc, not $status; instead of '$(cat want)':"
        sed 's/^/    /' err
        failed=1
    fi
    command -v perf >/dev/null || return
    [ "$1" = evlist ] || set -- script "$@"
    perf "$@" >perf.out 2>perf.err <"${input:-/dev/null}"
    theirs=$?
    if [ $theirs != $rc ] || ! cmp -s perf.out out || ! cmp -s perf.err err; then
        echo "FAILED $*: perf ends with $theirs and says:"
        sed 's/^/    /' perf.err
        failed=1
    fi
}

check 0 '' -i mine
check 255 theirs -i theirs
check 0 '' -i theirs -f
check 0 '' --force -i theirs
check 255 'their own' -i 'their own' -D
check 0 '' -i 'their own' -D -f
check 255 link -i link
check 0 '' -i link --header-only -f
check 255 their-pipe -i their-pipe
check 0 '' -i their-pipe -f
check 0 '' -i their-dir
check 255 their-data/data -i their-data
check 0 '' -i their-data -f
check 0 '' -i their-part
check 255 theirs evlist -i theirs
check 0 '' evlist -i theirs -f
input=their-pipe
check 0 '' -i -
exit $failed

#!/usr/bin/env bash
# edges.sh PTSCRIPT RECORDING - input and output that are no ordinary files.
#
# SPDX-License-Identifier: MIT
#
# Each must end by itself with the exit status of perf script 6.1 and the right message;
# under a sanitizer this also finds what is not freed when a run ends early.
set -u
program=$1
recording=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# check NAME STATUS PATTERN: of the run before, whose status is $rc and messages $work/err.
check() {
    if [ "$rc" != "$2" ] || { [ -n "$3" ] && ! grep -q -- "$3" "$work/err"; } ||
        grep -qE 'Sanitizer|runtime error' "$work/err"; then
        echo "FAILED $1: exit status $rc, not $2, or not '$3' in"
        sed 's/^/    /' "$work/err"
        failed=1
    fi
}

run() { # ARGUMENT...: with time limit, standard output to $out
    timeout 60 "$program" "$@" 2>"$work/err" >"$out" </dev/null
    rc=$?
}

out=/dev/full
run -i "$recording" -D
check 'full disk' 1 'write failure on standard output: No space left'

out=$work/out
mkdir "$work/folder"
run -i "$work/folder"
check 'folder without data' 255 'failed to open .*folder/data: No such file'
: >"$work/empty"
run -i "$work/empty"
check 'empty file' 255 'zero-sized data'
run -i "$work/none"
check 'no file' 255 'failed to open .*none: No such file'
run -i -
check 'nothing on standard input' 255 'incompatible file format'
head -c 300 "$recording" >"$work/cut"
run -i "$work/cut"
check 'cut in the header' 255 'cut'

# Somebody who reads only the beginning, and one whose SIGPIPE is ignored.
timeout 60 "$program" -i "$recording" --itrace=i0ns 2>"$work/err" | head -n 1 >/dev/null
rc=${PIPESTATUS[0]}
check 'closed pipe' 141 ''
(
    trap '' PIPE
    timeout 60 "$program" -i "$recording" --itrace=i0ns 2>"$work/err"
    echo $? >"$work/rc"
) | head -n 1 >/dev/null
rc=$(cat "$work/rc")
check 'closed pipe, SIGPIPE ignored' 0 ''

mkfifo "$work/fifo"
cat "$recording" >"$work/fifo" &
timeout 60 "$program" -i - -D 2>"$work/err" >"$work/out" <"$work/fifo"
rc=$?
wait
check 'pipe' 0 ''
timeout 60 "$program" -i "$recording" -D 2>/dev/null | sed "s|$recording|-|" >"$work/want"
cmp -s "$work/out" "$work/want" || {
    echo 'FAILED pipe: other output than for the file'
    failed=1
}

# root may read anything, so somebody else has to try.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
    chmod 755 "$work"
    cp "$recording" "$work/secret"
    chmod 000 "$work/secret"
    timeout 60 setpriv --reuid 65534 --clear-groups "$program" -i "$work/secret" \
        2>"$work/err" >"$out"
    rc=$?
    [ "$rc" = 126 ] || [ "$rc" = 127 ] || # the program itself may be out of reach
        check 'unreadable file' 255 'failed to open .*secret: Permission denied'
fi
exit $failed

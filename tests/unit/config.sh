#!/usr/bin/env bash
# config.sh PTSCRIPT - which files of perf's configuration are read, and when.
#
# SPDX-License-Identifier: MIT
#
# What is in them is tests/cases/perfconfig.py.
set -u
program=$(realpath "$1") || exit 2
data=$(cd "$(dirname "$0")/../../testdata" && pwd) || exit 2
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
bad=0
export HOME=$tmp PERF_CONFIG_NOSYSTEM=1
unset PERF_CONFIG PERF_CONFIG_NOGLOBAL

# says WHAT FILE TEXT: it is in the file, whole lines.
says() {
    diff <(printf '%b' "$3") "$tmp/$2" >&2 && return
    echo "$1"
    bad=1
}

# run VARIABLE=VALUE...: its words on standard error are kept in err.
run() {
    env "$@" "$program" evlist -i "$data/emu-mix/perf.data" >"$tmp/out" 2>"$tmp/err"
}

bad_line="bad config file line 1 in"
echo x >"$tmp/.perfconfig"
echo y >"$tmp/other"
run a=b && says 'in HOME' err "$bad_line $tmp/.perfconfig\n"
run PERF_CONFIG="$tmp/other" && says 'PERF_CONFIG' err "$bad_line $tmp/other\n"
run PERF_CONFIG= && says 'PERF_CONFIG is empty' err ''
run PERF_CONFIG="$tmp/none" && says 'PERF_CONFIG is not there' err ''
run PERF_CONFIG="$tmp" && says 'PERF_CONFIG is a directory' err ''
run PERF_CONFIG_NOGLOBAL=yes && says 'none of HOME' err ''
run PERF_CONFIG_NOGLOBAL=0 && says 'HOME all the same' err "$bad_line $tmp/.perfconfig\n"
run PERF_CONFIG_NOGLOBAL=x &&
    says 'no answer' err "bad config value for 'PERF_CONFIG_NOGLOBAL', ignoring...\n"
if [ "$(id -u)" = 0 ]; then
    chown 1234 "$tmp/.perfconfig"
    run a=b && says "another user's" err \
        "File $tmp/.perfconfig not owned by current user or root, ignoring it."
fi

# The cache of build ids: without it, code of the programs cannot be found.
trace() {
    "$program" "$@" -i "$data/emu-mix/perf.data" --itrace=b -F ip,sym 2>/dev/null | sha1sum
}
unset HOME
cd "$tmp" || exit 2
rm -f .perfconfig
cache=.debug/.build-id
find "$data/symfs" -type f -not -path '*/.debug/*' | while read -r file; do
    id=$(readelf -n "$file" | sed -n 's/.*Build ID: //p')
    mkdir -p "$cache/${id:0:2}/${id:2}"
    cp "$file" "$cache/${id:0:2}/${id:2}/elf"
done
trace >want
mv .debug cache
trace >none
cmp -s want none && echo 'a cache changes nothing' && bad=1
printf '[buildid]\ndir = %s/cache\n' "$tmp" >conf
PERF_CONFIG=conf trace >got && says buildid.dir got "$(cat want)\n"
PERF_CONFIG=conf trace --buildid-dir x >got && says --buildid-dir got "$(cat none)\n"
exit $bad

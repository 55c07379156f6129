#!/bin/sh
# srclines.sh - our source lines against those of perf script (see srclines.py).
#
# SPDX-License-Identifier: MIT
#
#     srclines.sh SYM_PRINT [FILE...]
#
# Programs made in several ways, and the files given.  Exits with 77, skipped, when a tool
# is missing.
set -u
export PYTHONDONTWRITEBYTECODE=1
here=$(cd "$(dirname "$0")" && pwd)
program=$1
shift
for tool in python3 perf addr2line gcc g++ objcopy strip; do
    if ! command -v $tool >/dev/null; then
        echo "skipped: $tool is not installed"
        exit 77
    fi
done
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cp -r "$here"/src/. "$dir"
cd "$dir" || exit 1

gcc -g -O2 -o pie main.c sub/other.c &&
    gcc -g -O2 -no-pie -o fixed main.c "$dir/sub/other.c" &&
    gcc -g -gdwarf-4 -O0 -o dwarf4 main.c sub/other.c &&
    gcc -O2 -o plain main.c sub/other.c &&
    gcc -O2 -s -o stripped main.c sub/other.c &&
    gcc -g -O1 -ffunction-sections -falign-functions=64 -gz -o sections main.c sub/other.c &&
    gcc -o nested nested.s &&
    gcc -o twins twins.s nested.s &&
    gcc -g -gdwarf-4 -O2 "-fdebug-prefix-map=$dir=." -o moved main.c sub/other.c &&
    gcc -g -O2 "-fdebug-prefix-map=$dir=x" -o moved5 main.c sub/other.c &&
    g++ -g -O2 -o words words.cc &&
    gcc -g -O2 -gsplit-dwarf -ffunction-sections -o split main.c sub/other.c &&
    cp words linked && objcopy --only-keep-debug linked linked.dbg && strip linked &&
    objcopy --add-gnu-debuglink=linked.dbg linked || exit 1
# What not every such tool can make.
cp pie zstd && objcopy --compress-debug-sections=zstd zstd 2>/dev/null
clang -gdwarf-5 -O2 -gsplit-dwarf -ffunction-sections -o units main.c sub/other.c 2>/dev/null ||
    cp split units

compare() {
    python3 "$here/srclines.py" "$program" "$@" || bad=1
}
bad=0
compare pie fixed dwarf4 moved twins plain stripped sections words split units zstd
compare --shuffle 1 linked words sections nested twins
compare --full-source-path pie dwarf4 moved moved5
compare --srccode pie fixed
[ $# -eq 0 ] || compare --step 41 --shuffle 2 "$@"
exit $bad

#!/usr/bin/env bash
# installed.sh BUILD EXAMPLE - a program of somebody else's against the installed library.
#
# SPDX-License-Identifier: MIT
#
# Installs BUILD below a temporary folder, and from there alone compiles docs/examples/records.c
# by the words of pkg-config; it must print what EXAMPLE does.
set -eu
build=$1
example=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix="$work/a prefix"
recording=$top/testdata/emu-mix/perf.data

cmake --install "$build" --prefix "$prefix" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name ptscript.pc)")
export PKG_CONFIG_PATH
lib=$(dirname "$PKG_CONFIG_PATH")
eval "flags=($(pkg-config --cflags --libs ptscript))"

# A sanitizer in the library has to be in the program, too.
sanitize=()
if nm -D "$lib/libptscript.so" | grep -q ' U __asan_init'; then
    sanitize=(-fsanitize=address,undefined)
elif nm -D "$lib/libptscript.so" | grep -q ' U __tsan_init'; then
    sanitize=(-fsanitize=thread)
fi

cd "$work" # nothing of the checkout may be found by chance
cp "$(find "$prefix" -name records.c)" .
cc -std=c11 -Wall -Wextra -Werror "${sanitize[@]}" -o records records.c "${flags[@]}"
for option in '' -t -e -h -c; do
    "$example" $option "$recording" >want
    LD_LIBRARY_PATH=$lib ./records $option "$recording" >got
    cmp want got
    [ -s got ]
done
"$prefix/bin/ptscript" --version | grep -qF "$(pkg-config --modversion ptscript)"
"$prefix/bin/ptscript" -i "$recording" --itrace=e -D | head -n 1 >/dev/null
for page in ptscript.1 ptrecord.1; do
    [ -n "$(find "$prefix" -name "$page")" ]
done
[ -f "$prefix/share/bash-completion/completions/ptscript" ]
[ -f "$prefix/share/zsh/vendor-completions/_ptscript" ]
[ -f "$prefix/share/fish/vendor_completions.d/ptscript.fish" ]
echo 'installed: passed'

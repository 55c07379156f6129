#!/bin/sh
# symbols.sh - our symbols against those of perf script (see symbols.py).
#
# SPDX-License-Identifier: MIT
#
#     symbols.sh SYM_PRINT        the made-up files and a few that are installed
#     symbols.sh SYM_PRINT all    every file below that is installed; minutes
#
# Exits with 77, skipped, when perf or python3 is missing.
set -u
export PYTHONDONTWRITEBYTECODE=1
here=$(cd "$(dirname "$0")" && pwd)
program=$1
for tool in python3 perf; do
    if ! command -v $tool >/dev/null; then
        echo "skipped: $tool is not installed"
        exit 77
    fi
done
lib=/usr/lib/x86_64-linux-gnu
if [ "${2:-}" != all ]; then
    exec python3 "$here/symbols.py" "$program" --cases --limit 4000 \
        /bin/ls $lib/libc.so.6 $lib/ld-linux-x86-64.so.2 $lib/libstdc++.so.6
fi

# What the compilers of other languages call their functions.
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
export GOCACHE="$dir/go"
cp "$here"/src/words.* "$dir" && cd "$dir" || exit 1
made=
if command -v go >/dev/null && GO111MODULE=off go build -o words-go words.go; then
    made="$dir/words-go"
fi
for names in legacy v0; do
    rustc --version >/dev/null 2>&1 &&
        RUSTC_BOOTSTRAP=1 rustc -g -Z unstable-options -C symbol-mangling-version=$names \
            -o words-$names words.rs && made="$made $dir/words-$names"
done
# shellcheck disable=SC2086 # a list
python3 "$here/symbols.py" "$program" --cases \
    /bin/ls /bin/bash /usr/bin/perf /usr/bin/python3 /usr/bin/git /usr/bin/gcc \
    /usr/bin/node /usr/bin/cmake /usr/bin/ninja /usr/bin/openssl /usr/bin/gdb \
    $lib/libc.so.6 $lib/ld-linux-x86-64.so.2 $lib/libm.so.6 \
    $lib/libpthread.so.0 $lib/libstdc++.so.6 $lib/libgcc_s.so.1 $lib/libcrypto.so.3 \
    $lib/libssl.so.3 $lib/libz.so.1 $lib/libelf.so.1 $lib/libdw.so.1 $lib/libcurl.so.4 \
    $lib/libsqlite3.so.0 $lib/libxml2.so.2 $lib/libLLVM-14.so.1 $lib/librustc_driver-*.so \
    /usr/lib/gcc/x86_64-linux-gnu/12/cc1 /usr/lib/gcc/x86_64-linux-gnu/12/cc1plus \
    /usr/bin/rg /usr/bin/fdfind /usr/bin/fzf /usr/bin/age /usr/lib/go-*/bin/go $made &&
    python3 "$here/srclines.py" "$program" --step 97 $made &&
    exec python3 "$here/symbols.py" "$program" --no-demangle $lib/libstdc++.so.6 $made

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
here=$(dirname "$0")
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
python3 "$here/symbols.py" "$program" --cases \
    /bin/ls /bin/bash /usr/bin/perf /usr/bin/python3 /usr/bin/git /usr/bin/gcc \
    /usr/bin/node $lib/libc.so.6 $lib/ld-linux-x86-64.so.2 $lib/libm.so.6 \
    $lib/libpthread.so.0 $lib/libstdc++.so.6 $lib/libcrypto.so.3 \
    /usr/lib/gcc/x86_64-linux-gnu/12/cc1 /usr/lib/gcc/x86_64-linux-gnu/12/cc1plus &&
    exec python3 "$here/symbols.py" "$program" --no-demangle $lib/libstdc++.so.6

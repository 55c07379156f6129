#!/bin/sh
# sideband.sh - threads, names and maps against those of perf (see sideband.py).
#
# SPDX-License-Identifier: MIT
#
# Exits with 77, skipped, when perf or python3 is missing.
set -u
export PYTHONDONTWRITEBYTECODE=1
for tool in python3 perf; do
    if ! command -v $tool >/dev/null; then
        echo "skipped: $tool is not installed"
        exit 77
    fi
done
exec python3 "$(dirname "$0")/sideband.py" "$@"

#!/usr/bin/env bash
# exports.sh LIB - the shared library exports pts_* and nothing else.
#
# SPDX-License-Identifier: MIT
set -u
symbols=$(nm -D --defined-only "$1") || exit 2
other=$(echo "$symbols" | awk '{sub("@.*", "", $NF); print $NF}' |
    grep -vE '^(pts_|PTSCRIPT_)')
if [ -n "$other" ]; then
    printf 'exported but not pts_*:\n%s\n' "$other"
    exit 1
fi
if ! echo "$symbols" | grep -q ' pts_'; then
    echo "nothing is exported"
    exit 1
fi

#!/usr/bin/env bash
# format.sh [fix] - clang-format 14 over our C files: says which differ, or mends them.
#
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 2
files=$(find include decoder walker synth cli testdata tests -name '*.[ch]' | sort)
# shellcheck disable=SC2086
if [ "${1:-}" = fix ]; then
    clang-format -i $files
else
    clang-format --dry-run -Werror $files
fi

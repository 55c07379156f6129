#!/usr/bin/env bash
# headers.sh - each public header compiles alone, as C11 and as C++17, and so does a program
# that uses them.
#
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 2
strict='-Wall -Wextra -Wpedantic -Werror -fsyntax-only -Iinclude'
bad=0
for header in include/ptscript/*.h; do
    # shellcheck disable=SC2086
    cc -std=c11 $strict -x c "$header" 2>&1 || bad=1
    # shellcheck disable=SC2086
    c++ -std=c++17 $strict -x c++ "$header" 2>&1 || bad=1
done
# shellcheck disable=SC2086
for program in tests/api/*.c; do
    # shellcheck disable=SC2086
    c++ -std=c++17 $strict -DPTS_TESTDATA='""' -x c++ "$program" 2>&1 || bad=1
done
exit $bad

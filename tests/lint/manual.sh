#!/usr/bin/env bash
# manual.sh - every option of cli/opts.def is in the manual page.
#
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0
while read -r name; do
    grep -qE -- "Fl -$name( |$)" docs/ptscript.1 && continue
    echo "docs/ptscript.1: --$name is missing"
    bad=1
done < <(sed -n 's/^OPT([^"]*"\([^"]*\)".*/\1/p' cli/opts.def)
exit $bad

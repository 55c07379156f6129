#!/usr/bin/env bash
# manual.sh - every option of cli/*.def and of ptrecord is in its manual page, and the help
# says "not yet" of just those that the library refuses.
#
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0
while read -r name; do
    grep -qE -- "Fl -$name( |$)" docs/ptscript.1 && continue
    echo "docs/ptscript.1: --$name is missing"
    bad=1
done < <(sed -n 's/^OPT([^"]*"\([^"]*\)".*/\1/p' cli/opts.def cli/evlist.def)
while read -r name; do
    grep -qE -- "Fl -$name( |$)" docs/ptrecord.1 && continue
    echo "docs/ptrecord.1: --$name is missing"
    bad=1
done < <(sed -n 's/^OPT("\([^"]*\)".*/\1/p' testdata/ptrecord/opts.def)
if ! diff <(sed -n 's/^NOT_YET("\([^"]*\)".*/\1/p' synth/options.def | sort) \
    <(sed -n 's/^OPT([^"]*"\([^"]*\)".*(not yet).*/\1/p' cli/opts.def | sort); then
    echo "cli/opts.def: (not yet) stands at other options than NOT_YET in synth/options.def"
    bad=1
fi
exit $bad

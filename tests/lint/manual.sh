#!/usr/bin/env bash
# manual.sh - every command, and every option of the tables in include/ptscript and of
# ptrecord, is in its manual page.
#
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0

# missing PAGE WHAT PATTERN: the page has no line with it.
missing() {
    grep -qE -- "$3( |\$)" "docs/$1" && return
    echo "docs/$1: $2 is missing"
    bad=1
}

tables=$(grep -l '^PTS_OPTION(' include/ptscript/*.def)
[ -n "$tables" ] || { echo 'no tables of options'; exit 1; }
# shellcheck disable=SC2086
while read -r name; do
    missing ptscript.1 "--$name" "Fl -$name"
done < <(sed -n 's/^PTS_OPTION([^"]*"\([^"]*\)".*/\1/p' $tables)
while read -r name; do
    missing ptscript.1 "command $name" "Cm $name"
done < <(sed -n 's/^COMMAND(\(.*\))/\1/p' cli/commands.def | tr _ -)
while read -r name; do
    missing ptrecord.1 "--$name" "Fl -$name"
done < <(sed -n 's/^OPT("\([^"]*\)".*/\1/p' testdata/ptrecord/opts.def)

# That an option is not there yet, its row says in the column for it.
# shellcheck disable=SC2086
if grep -n '(not yet)"' $tables; then
    echo 'the help adds (not yet) itself'
    bad=1
fi
exit $bad

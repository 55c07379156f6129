#!/usr/bin/env bash
# completion.sh PTSCRIPT - what bash offers for the beginnings of command lines.
#
# SPDX-License-Identifier: MIT
set -u
program=$1
# shellcheck source=cli/completion.bash
source "$(dirname "$0")/../../cli/completion.bash" || exit 2
bad=0

# offers LINE WORD...: just these, for the end of LINE, after the program's name.
offers() {
    local line=$1 got
    shift
    COMP_LINE="ptscript $line"
    COMP_POINT=${#COMP_LINE}
    local cut=${COMP_LINE//=/ = } # bash cuts words at these, too
    read -ra COMP_WORDS <<<"${cut//:/ : }"
    [[ $COMP_LINE == *[[:space:]=:] ]] && COMP_WORDS+=('')
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _ptscript "$program" ptscript
    got="${COMPREPLY[*]}"
    [ "$got" = "$*" ] && return
    echo "ptscript $line: offered are \"$got\", not \"$*\""
    bad=1
}

# lists STATUS PATTERN OPTION...: what the program says to shells.
lists() {
    local want=$1 words=$2 got status
    shift 2
    got=$("$program" "$@")
    status=$?
    # shellcheck disable=SC2053 # it is a pattern
    [ "$status" = "$want" ] && [[ "$got " == $words ]] && return
    echo "ptscript $*: \"$got\", $status"
    bad=1
}

offers '' script evlist buildid-list buildid-cache archive doctor bundle time inject report export
offers 's' script
offers 'evl' evlist
offers 'x'
offers 'evlist '
offers '--buildid-dir x ev' evlist
offers '-i ev'
offers '-v'
offers '--he' --header --header-only --help
offers 'script --dump' --dump-raw-trace --dump-unsorted-raw-trace
offers 'evlist --' --input --freq --verbose --group --force --trace-fields --help
offers 'evlist -i x --f' --freq --force
offers '--itrace=b'
offers '--pevent:v' vdso-x64 vdso-ia32
offers '--no-such'

lists 0 'script evlist buildid-list buildid-cache archive doctor bundle time inject report export*' --list-cmds
lists 0 '--dump-raw-trace *' --list-opts
lists 130 '--dump-raw-trace *' script --list-opts
lists 130 '--input --freq *' evlist -v --list-opts
lists 130 ' ' evlist --list-cmds
lists 129 ' ' --list-opt 2>/dev/null
lists 129 ' ' --no-list-opts 2>/dev/null
lists 129 ' ' --list-cmds=x 2>/dev/null
lists 129 ' ' --nonsense --list-opts 2>/dev/null

# perf's names come first and in its order, which decides what is ambiguous.
if perf --version 2>/dev/null | grep -q ' 6\.1\.'; then
    for command in script evlist buildid-list buildid-cache; do
        lists 130 "$(perf $command --list-opts)*" $command --list-opts
    done
fi

[ $bad = 0 ] && echo 'completion: passed'
exit $bad

#!/usr/bin/env bash
# completion_others.sh PTSCRIPT - what fish and zsh offer for the beginnings of command lines.
#
# SPDX-License-Identifier: MIT
set -u
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
folder=$(cd "$(dirname "$0")/../../cli" && pwd)
home=$(mktemp -d)
trap 'rm -rf "$home"' EXIT
mkdir "$home/bin" && ln -s "$program" "$home/bin/ptscript" && cd "$home" || exit 2
export HOME=$home PATH=$home/bin:$PATH
bad=0 ran=0

by_fish() {
    fish --no-config -c "source $folder/completion.fish; complete -C 'ptscript $1'" |
        cut -f1 | sort | xargs
}

# zsh completes in its line editor only: here what it would call collects the words.
by_zsh() {
    # shellcheck disable=SC2016
    zsh -f -c '
        compadd() { shift; for w; do [[ $w == $PREFIX* ]] && print -r -- $w; done }
        _files() { for f in $PREFIX*(N); do print -r -- $f; done }
        words=("${(@s: :)2}") CURRENT=${#words} PREFIX=${words[-1]}
        source $1/completion.zsh' zsh "$folder" "ptscript $1" | sort | xargs
}

# offers LINE WORDS: just these, in alphabetical order, for the end of LINE.
offers() {
    local shell got
    for shell in fish zsh; do
        command -v $shell >/dev/null || continue
        ran=$((ran + 1))
        got=$(by_$shell "$1")
        [ "$got" = "$2" ] && continue
        echo "$shell: ptscript $1: offered are \"$got\", not \"$2\""
        bad=1
    done
}

offers 's' 'script'
offers 'evl' 'evlist'
offers 'no-such' ''
offers '--buildid-dir x ev' 'evlist'
offers '-i ev' ''
offers '--he' '--header --header-only --help'
offers 'script --dump' '--dump-raw-trace --dump-unsorted-raw-trace'
offers 'evlist -i x --f' '--force --freq'
offers '--no-such' ''
touch event.data
offers '-i ev' 'event.data'
offers 'evlist -i ev' 'event.data'

[ $ran = 0 ] && exit 77
exit $bad

#!/usr/bin/env bash
# keep.sh FOLDER NAME... - keeps what fuzzing in FOLDER (of run.sh) found.
#
# SPDX-License-Identifier: MIT
#
# Of the inputs in FOLDER/found/NAME those that reach what no other seed does are put into
# corpus/NAME.tar.xz, from which seeds.py takes them the next time.
set -eu
build=$(cd "$1" && pwd)
shift
here=$(cd "$(dirname "$0")" && pwd)
export PTS_FUZZ_SYMFS=$build/seeds/symfs

for name in "$@"; do
    all=$(mktemp -d)
    for folder in "$here/corpus/$name" "$here/crashers/$name" "$build/seeds/$name"; do
        if [ -d "$folder" ]; then
            find "$folder" -type f ! -name 'found.*' -exec cp -t "$all" {} +
        fi
    done
    (cd "$all" && find . -type f -printf '%P\n' | sort) >"$all.before"
    "$build/fuzz_$name" -merge=1 -timeout=20 -rss_limit_mb=2048 "$all" "$build/found/$name" \
        $([ -d "$build/seeds/$name" ] && echo "$build/seeds/$name") >"$all.log" 2>&1
    (cd "$all" && find . -type f -printf '%P\n' | sort) | comm -13 "$all.before" - >"$all.new"
    tar -C "$all" -cJf "$here/corpus/$name.tar.xz" --owner=0 --group=0 --mtime=@0 \
        --sort=name -T "$all.new"
    echo "$name: $(wc -l <"$all.new") inputs kept"
    rm -rf "$all" "$all".*
done

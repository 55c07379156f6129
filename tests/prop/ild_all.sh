#!/bin/sh
# ild_all.sh - ild.sh over every ELF file in /usr/bin and /usr/lib, and the sums.
#
# SPDX-License-Identifier: MIT
#
#     ild_all.sh DIR [JOBS [FOLDER...]]
#
# Takes minutes per GB.  Differences are printed as they are found.
set -u
dir=$1
jobs=${2:-1}
here=$(dirname "$0")
if [ $# -gt 2 ]; then
    shift 2
else
    set -- /usr/bin /usr/lib /usr/lib32
fi

# ELF files only: the first four bytes decide.
elf_files() {
    find "$@" -xdev -type f -size +0 -exec sh -c '
        for file; do
            if [ "$(head -c 4 "$file" | od -An -tx1)" = " 7f 45 4c 46" ]; then
                printf "%s\0" "$file"
            fi
        done' sh {} +
}

elf_files "$@" | xargs -0 -n 20 -P "$jobs" sh "$here/ild.sh" "$dir" | awk '
    $1 ~ /^[0-9]+$/ { n = $1; sub(/^ *[0-9]+ +/, ""); sum[$0] += n
                      if (!seen[$0]++) name[++names] = $0; next }
    { print }
    END { for (i = 1; i <= names; i++) {
              printf "%12d  %s\n", sum[name[i]], name[i]
              if (name[i] ~ /DIFFER/ && sum[name[i]]) bad = 1 }
          exit bad || !names }'

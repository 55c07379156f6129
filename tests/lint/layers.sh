#!/usr/bin/env bash
# layers.sh - who includes whom, and which file may know an external library.
#
# SPDX-License-Identifier: MIT
#
# include/ptscript <- decoder <- walker <- synth;  cli sees include/ptscript only.
# Prints every line that breaks the rule; silent and 0 when there is none.
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0

# forbid FOLDER PATTERN [EXCEPT]: no #include matching PATTERN below FOLDER.
forbid() {
    local hits
    hits=$(grep -rnE --include='*.[ch]' --include='*.inc' --include='*.def' \
        "^[[:space:]]*#[[:space:]]*include[[:space:]]*[<\"]($2)" "$1" | grep -vE "^(${3:--})")
    [ -z "$hits" ] && return
    echo "$hits"
    bad=1
}

forbid include 'decoder/|walker/|synth/|cli/|tests/'
forbid decoder 'walker/|synth/|cli/|tests/'
forbid walker 'synth/|cli/|tests/'
forbid synth 'cli/|tests/'
forbid cli 'decoder/|walker/|synth/|tests/'

# One seam each, so that a library can be swapped, faked or built out.
all='include decoder walker synth cli'
for folder in $all; do
    forbid "$folder" 'capstone' 'walker/insn\.c:'
    forbid "$folder" 'libelf|gelf\.h|elfutils/libelf' 'walker/image_elf\.c:|synth/sym_elf\.c:'
    forbid "$folder" 'dwarf\.h|elfutils/libdw' 'synth/line_(table|func)\.c:|synth/line_table_priv\.h:'
    forbid "$folder" 'libunwind' 'walker/unwind\.c:'
    forbid "$folder" 'demangle\.h|libiberty' 'synth/demangle\.c:'
    forbid "$folder" 'xxhash' 'decoder/table\.c:'
    forbid "$folder" 'zstd' 'decoder/perf_zstd\.c:'
done

# Includes of ours name the folder (cli's own header beside it is the exception).
hits=$(grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]*"[^/"]+"' \
    --include='*.[ch]' include decoder walker synth)
if [ -n "$hits" ]; then
    echo "$hits"
    bad=1
fi
exit $bad

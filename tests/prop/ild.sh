#!/bin/sh
# ild.sh - instruction lengths against objdump and Capstone (see prop_ild.c).
#
# SPDX-License-Identifier: MIT
#
#     ild.sh DIR                    a sample of what is installed, and made-up code
#                                   (of another seed: PTS_SEED=N ild.sh DIR)
#     ild.sh DIR FILE...            these files
#
# DIR has prop_ild and gen_insn.  Exits with 77, skipped, when there is no objdump.
set -u
dir=$1
shift
if ! command -v objdump >/dev/null; then
    echo "skipped: objdump (binutils) is not installed"
    exit 77
fi

dump_elf() {
    for file; do
        objdump -d -w -M intel64 "$file" 2>/dev/null
    done
}

# made_up SEED MODE MACHINE
made_up() {
    code=$(mktemp) || exit 1
    echo "made-up code, $2 bit, seed $1"
    "$dir/gen_insn" "$1" 100000 "$2" >"$code"
    objdump -D -z -w -b binary -m "$3" -M intel64 "$code" | "$dir/prop_ild" "$2"
    bad=$?
    rm -f "$code"
    return $bad
}

if [ $# -gt 0 ]; then
    dump_elf "$@" | "$dir/prop_ild"
    exit
fi

failed=0
for file in /usr/bin/ls /usr/bin/bash /usr/bin/python3 /usr/lib*/libc.so.6 \
    /usr/lib/*-linux-gnu/libc.so.6 /usr/lib/*-linux-gnu/libcrypto.so.3 \
    /usr/lib/*-linux-gnu/libstdc++.so.6; do
    [ -e "$file" ] || continue
    echo "$file"
    dump_elf "$file" | "$dir/prop_ild" || failed=1
done
seed=${PTS_SEED:-1}
made_up "$seed" 64 i386:x86-64 || failed=1
made_up "$seed" 32 i386 || failed=1
made_up "$seed" 16 i8086 || failed=1
exit $failed

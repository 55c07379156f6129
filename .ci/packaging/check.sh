#!/usr/bin/env bash
# check.sh BUILD - makes the Debian packages of a build for /usr, and checks them: lintian, what
# is in them, that their programs run from a folder they are unpacked into, and (as root) where
# nothing is installed but what they depend on.
#
# SPDX-License-Identifier: MIT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cd "$1"
umask 022
rm -f ./*.deb
cpack -G DEB >cpack.log 2>&1 || { cat cpack.log; exit 1; }
bad=0
for name in ptscript ptscript-python libptscript0 libptscript-dev; do
    package=$(ls ${name}_*.deb)
    # No bug of Debian's is closed; and cpack calls ldconfig, though there is a trigger.
    told=$(lintian --allow-root --suppress-tags \
        initial-upload-closes-no-bugs,maintscript-calls-ldconfig "$package" 2>&1 |
        grep -E '^[EW]:' || true)
    [ -z "$told" ] || { echo "$told"; bad=1; }
done
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
for package in ./*.deb; do
    dpkg-deb -x "$package" "$root"
done
"$root/usr/bin/ptscript" --version
printf 'def trace_end():\n    print("a script ran")\n' >"$root/t.py"
"$root/usr/bin/ptscript" script -i "$top/testdata/emu-mix/perf.data" --symfs "$top/testdata/symfs" \
    -s "$root/t.py" 2>/dev/null |
    grep -q 'a script ran' || { echo "no scripts in Python"; bad=1; }
[ "$(PATH=$root/usr/bin:$PATH ptscript --list-cmds | wc -w)" -gt 5 ]
library=$(echo "$root"/usr/lib/*/libptscript.so.0)
printf '#include <ptscript/status.h>\n#include <stdio.h>\nint main(void) { puts(pts_status_name(PTS_OK)); }\n' >"$root/t.c"
cc -I"$root/usr/include" "$root/t.c" -o "$root/t" "$library"
LD_LIBRARY_PATH=$(dirname "$library") "$root/t" >/dev/null
cc -I"$root/usr/include" "$root/t.c" -o "$root/t" "$(dirname "$library")/libptscript.a"
"$root/t" >/dev/null
for file in usr/bin/ptrecord usr/share/man/man1/ptscript.1.gz usr/lib/*/libptscript.a \
    usr/lib/*/pkgconfig/ptscript.pc usr/lib/*/cmake/ptscript/ptscriptConfig.cmake \
    usr/share/doc/libptscript0/copyright usr/share/bash-completion/completions/ptscript; do
    # shellcheck disable=SC2144
    [ -e "$root"/$file ] || { echo "missing: $file"; bad=1; }
done
if [ "$(id -u)" = 0 ]; then
    python3 "$here/clean_root.py" "$top/testdata/emu-mix/perf.data" "$top/testdata/symfs" ./*.deb || bad=1
else
    echo "not root: not installed in a clean root"
fi
exit $bad

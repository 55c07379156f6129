#!/usr/bin/env bash
# banned.sh - calls that must not come back: unbounded copies, the heap outside its one
# file, the environment and the process inside the library.
#
# SPDX-License-Identifier: MIT
set -u
cd "$(dirname "$0")/../.." || exit 2
bad=0

# ban FUNCTIONS FOLDERS EXCEPT: no call of them, comments and strings aside.
ban() {
    local hits
    # shellcheck disable=SC2086
    hits=$(grep -rnE --include='*.[ch]' "(^|[^A-Za-z0-9_.>\"])($1)[[:space:]]*\(" $2 |
        grep -vE ':[[:space:]]*(/?\*|//)' | grep -vE "^(${3:--}):")
    [ -z "$hits" ] && return
    echo "$hits"
    bad=1
}

ban 'malloc|calloc|realloc|strdup|strndup|free' \
    'decoder walker synth cli' 'decoder/base/arena\.c|synth/symbol/demangle\.c|walker/code/image_find\.c|cli/heap\.c|cli/python/[a-z]+\.c'
ban 'strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|gets|alloca' \
    'decoder walker synth cli tests/unit tests/lib'
ban 'getenv|exit|abort|printf|puts|putchar|perror|fprintf' 'decoder walker synth'
exit $bad

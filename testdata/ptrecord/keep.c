/* keep.c - a file of the same name is kept, as perf record keeps it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/keep.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

FILE *keep_and_open(const char *path)
{
    static const char suffix[] = ".old";
    char old[PATH_MAX];
    struct stat s;

    if (stat(path, &s) == 0 && S_ISREG(s.st_mode) && s.st_size) {
        if (snprintf(old, sizeof old, "%s%s", path, suffix) >= (int)sizeof old) {
            errno = ENAMETOOLONG;
            return NULL;
        }
        if (rename(path, old) < 0)
            return NULL;
    }
    return fopen(path, "wbe");
}

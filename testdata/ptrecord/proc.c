/* proc.c - what the kernel says of a thread.
 *
 * SPDX-License-Identifier: MIT
 */
#include "testdata/ptrecord/proc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t proc_status(pid_t tid, const char *name, int base, uint64_t otherwise)
{
    char path[40], line[256];
    uint64_t found = otherwise;
    size_t len = strlen(name);

    snprintf(path, sizeof path, "/proc/%d/status", tid);
    FILE *f = fopen(path, "re");
    if (!f)
        return otherwise;
    while (fgets(line, sizeof line, f)) {
        if (strncmp(line, name, len) != 0 || line[len] != ':')
            continue;
        found = strtoull(line + len + 1, NULL, base);
        break;
    }
    fclose(f);
    return found;
}

bool proc_comm(pid_t tid, char *name, size_t size)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/comm", tid);
    name[0] = 0;
    FILE *f = fopen(path, "re");
    if (!f)
        return false;
    size_t n = fread(name, 1, size - 1, f);
    name[n ? n - 1 : 0] = 0; /* a line */
    fclose(f);
    return true;
}

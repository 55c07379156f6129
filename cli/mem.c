/* mem.c - --mem: how much memory a run may take.
 *
 * SPDX-License-Identifier: MIT
 *
 * The system is asked to give no more (RLIMIT_DATA).  Pages of files that are mapped do not
 * count: it drops them when it needs room, and few of a recording are there at a time.  All
 * else that a run keeps it needs to go on, so one that meets the bound fails as on a machine
 * that has no more, with a message.
 */
#include "mem.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

enum {
    MEM_LEAST = 16 << 20
}; /* the program and its libraries, and a small recording */

bool mem_read(const char *text, uint64_t *bytes, struct problem *p)
{
    static const char units[] = "KMG";
    const char *s = text;
    uint64_t n = 0, most = UINT64_MAX >> 40;

    for (; *s >= '0' && *s <= '9' && n < most; s++)
        n = n * 10 + (uint64_t)(*s - '0');
    const char *unit = *s && s > text ? strchr(units, *s) : NULL;
    if (unit)
        n <<= 10 * (unit - units + 1), s++;
    if (*s || s == text)
        return problem_say(p, "option `mem' expects a size: 200M, 2G");
    if (n < MEM_LEAST)
        return problem_say(p, "option `mem' is at least %dM", MEM_LEAST >> 20);
    *bytes = n;
    return true;
}

static uint64_t bound;

void mem_bound(uint64_t bytes)
{
    struct rlimit r;

    if (!bytes || getrlimit(RLIMIT_DATA, &r) != 0 || r.rlim_cur <= bytes)
        return;
    r.rlim_cur = (rlim_t)bytes;
    if (setrlimit(RLIMIT_DATA, &r) != 0)
        perror("ptscript: --mem");
    bound = bytes;
}

void mem_say(void)
{
    if (bound)
        fprintf(stderr, "ptscript: --mem %lluM does not suffice for this run\n",
                (unsigned long long)(bound >> 20));
}

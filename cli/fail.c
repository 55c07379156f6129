/* fail.c - how a run ends that cannot go on: words to standard error, an exit status.
 *
 * SPDX-License-Identifier: MIT
 *
 * Where scripts look for words that perf says, these are perf's words, and so are the
 * exit statuses.  The library prints nothing and ends nothing: it gives a status and a
 * text.
 */
#include "fail.h"

#include "mem.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *command; /* NULL: none was named */

void fail_in(const char *name)
{
    command = name;
}

static int usage(void)
{
    fprintf(stderr,
            " Usage: ptscript %s [<options>]\n"
            "    or: ptscript %s%s--help\n",
            command ? command : "[script]", command ? command : "", command ? " " : "");
    return EXIT_USAGE;
}

int fail_usage(const char *lead, const char *problem)
{
    fprintf(stderr, "%s%s\n\n", lead, problem);
    return usage();
}

int fail_value(const char *problem)
{
    fprintf(stderr, "%s\n", problem);
    return usage();
}

#define ADVICE                                                                         \
    "ptscript: -i FILE names a recording, ptscript --help tells the rest; without "    \
    "Intel PT in the machine, ptrecord makes one"

/* Nobody said which recording, and there is none by the usual name. */
static bool nothing_here(const char *path, const struct pts_diag *why)
{
    return why->status == PTS_E_IO && strcmp(path, "perf.data") == 0 &&
           access(path, F_OK) != 0 && errno == ENOENT;
}

/* why->text already is a sentence; add the place when there is one.  What is out of
 * range, perf calls invalid. */
int fail_call(const char *path, const struct pts_diag *why)
{
    if (why->offset != UINT64_MAX)
        fprintf(stderr, "ptscript: %s: %s (at offset %#llx)\n", path, why->text,
                (unsigned long long)why->offset);
    else
        fprintf(stderr, "%s%s\n", why->text,
                nothing_here(path, why) ? "  (try 'perf record' first)\n" ADVICE : "");
    if (why->status == PTS_E_NOMEM)
        mem_say();
    if (why->status == PTS_E_MISSING)
        return EXIT_NOT_FOUND;
    return why->status == PTS_E_RANGE ? EXIT_INVALID : EXIT_FATAL;
}

int fail_options(pts_status st, const char *path, const struct pts_diag *why)
{
    if (st == PTS_E_USAGE || st == PTS_E_UNSUPPORTED)
        return fail_usage("", why->text);
    return fail_call(path, why);
}

/* Pipes may close early, as with | head: nobody is left to tell.  Nor is it an error when a
 * signal asked for the end. */
int fail_write(int err)
{
    if (err == EPIPE || err == EINTR)
        return 0;
    fprintf(stderr, "write failure on standard output: %s\n", strerror(err));
    return 1;
}

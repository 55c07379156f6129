/* refused.c - notes of what the system refused, by thread.
 *
 * SPDX-License-Identifier: MIT
 *
 * The one thing in the library that is kept outside of what callers hold: the allocator
 * is called from everywhere, and so are libraries that say nothing.
 */
#include "decoder/base/refused.h"

#include "decoder/base/diag.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static _Thread_local struct {
    uint32_t count;
    struct refusal last;
} noted;

static void note(const char *path, int err)
{
    noted.count++;
    noted.last.err = err;
    (void)snprintf(noted.last.path, sizeof(noted.last.path), "%s", path ? path : "");
}

uint32_t refused_mark(struct pts_diag *why)
{
    if (why)
        *why = (struct pts_diag){.queue = UINT32_MAX, .offset = UINT64_MAX};
    return noted.count;
}

bool refused_any(uint32_t mark)
{
    return noted.count != mark;
}

pts_status refused_since(uint32_t mark, pts_status st, struct pts_diag *why)
{
    char text[128];

    if (!refused_any(mark)) {
        if (st < 0 && why && !why->text[0])
            diag_set(why, st, UINT64_MAX, "%s", pts_status_name(st));
        return st;
    }
    if (st < 0 && why && why->text[0] && (st == PTS_E_NOMEM || st == PTS_E_IO))
        return st;
    if (noted.last.err == ENOMEM || !noted.last.path[0])
        return diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
    return diag_set(why, PTS_E_IO, UINT64_MAX, "failed to read %s: %s", noted.last.path,
                    strerror_r(noted.last.err, text, sizeof(text)));
}

void refused_memory(void)
{
    note(NULL, ENOMEM);
}

/* What says that there is no such file, or none for us: perf goes on then, and so do
 * we. */
static bool is_answer(int err)
{
    switch (err) {
    case 0:
    case ENOENT:
    case ENOTDIR:
    case EACCES:
    case EPERM:
    case ELOOP:
    case ENAMETOOLONG:
    case EISDIR:
    case ENXIO:
    case ENODEV:
    case EINVAL:
    case EOVERFLOW:
    case EWOULDBLOCK:
        return true;
    default:
        return false;
    }
}

void refused_file(const char *path, int err)
{
    if (!is_answer(err))
        note(path, err);
}

void refused_keep(uint32_t mark, struct refusal *out)
{
    *out = refused_any(mark) ? noted.last : (struct refusal){0};
}

void refused_again(const struct refusal *r)
{
    if (r->err)
        note(r->path[0] ? r->path : NULL, r->err);
}

void refused_watch(void)
{
    errno = 0;
}

bool refused_watched(const char *path)
{
    bool file = path && (errno == EIO || errno == EMFILE || errno == ENFILE);

    if (errno != ENOMEM && !file)
        return false;
    note(file ? path : NULL, errno);
    return true;
}

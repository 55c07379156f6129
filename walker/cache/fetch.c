/* fetch.c - files from servers by their build ids: libdebuginfod.
 *
 * SPDX-License-Identifier: MIT
 *
 * The library brings a network client and all that it needs, so that it is loaded when
 * somebody asks for it, and every other run starts without.
 *
 * The client keeps what it got in a folder of its own, as it does for all programs of the
 * user.  It is asked for a program, and told by its progress function when to stop: nothing
 * came for too long, or too much.  What it hands out is not believed: put.c reads the build
 * id from the copy.
 */
#include "walker/cache/cache.h"

#include "decoder/base/diag.h"
#include "decoder/base/sys.h"

#ifdef PTS_DEBUGINFOD

#include "decoder/base/arena.h"

#include <elfutils/debuginfod.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

struct fetcher {
    debuginfod_client *client;
    const struct pts_cache_opts *opts;
    const char *path; /* of what is on its way */
    long done;
    time_t moved; /* when something came last */
    enum { WAITING, TOO_LONG, TOO_LARGE, UNWANTED } end;
};

/* Its functions, once it is loaded. */
static struct {
    __typeof__(debuginfod_begin) *begin;
    __typeof__(debuginfod_end) *end;
    __typeof__(debuginfod_set_user_data) *set_user_data;
    __typeof__(debuginfod_get_user_data) *get_user_data;
    __typeof__(debuginfod_set_progressfn) *set_progressfn;
    __typeof__(debuginfod_find_debuginfo) *find_debuginfo;
    __typeof__(debuginfod_find_executable) *find_executable;
    bool there;
} lib;

static void load(void)
{
    static const struct sys_wanted wanted[] = {
        {"debuginfod_begin",           &lib.begin          },
        {"debuginfod_end",             &lib.end            },
        {"debuginfod_set_user_data",   &lib.set_user_data  },
        {"debuginfod_get_user_data",   &lib.get_user_data  },
        {"debuginfod_set_progressfn",  &lib.set_progressfn },
        {"debuginfod_find_debuginfo",  &lib.find_debuginfo },
        {"debuginfod_find_executable", &lib.find_executable},
    };

    lib.there =
        sys_library("libdebuginfod.so.1", wanted, sizeof(wanted) / sizeof(wanted[0]));
}

bool fetch_is_built(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    return pthread_once(&once, load) == 0 && lib.there;
}

static time_t seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec;
}

/* Not 0: it is to stop. */
static int progress(debuginfod_client *client, long done, long total)
{
    struct fetcher *f = lib.get_user_data(client);
    time_t now = seconds_now();
    uint64_t bytes = done > 0 ? (uint64_t)done : 0,
             all = total > 0 ? (uint64_t)total : 0;
    /* Before anything comes the client counts its own rounds here, one by one. */
    if (done > f->done + 1 || done < f->done || (all && done != f->done))
        f->moved = now;
    f->done = done;
    if (bytes > f->opts->most || all > f->opts->most)
        f->end = TOO_LARGE;
    else if (now - f->moved > (time_t)f->opts->seconds)
        f->end = TOO_LONG;
    else if (f->opts->progress &&
             f->opts->progress(f->opts->progress_ctx, f->path, all ? bytes : 0, all))
        f->end = UNWANTED;
    return f->end != WAITING;
}

static struct fetcher *fetcher_of(struct pts_cache *c)
{
    struct fetcher *f = c->fetcher;
    if (f)
        return f;
    f = mem_zalloc(1, sizeof(*f));
    if (!f)
        return NULL;
    f->client = lib.begin();
    if (!f->client) {
        mem_free(f);
        return NULL;
    }
    f->opts = &c->opts;
    lib.set_user_data(f->client, f);
    lib.set_progressfn(f->client, progress);
    c->fetcher = f;
    return f;
}

static pts_status why_not(const struct fetcher *f, int err, struct pts_diag *why)
{
    char text[128];
    switch (err == ETIME ? TOO_LONG : f->end) {
    case TOO_LONG:
        return diag_set(why, PTS_E_IO, UINT64_MAX, "nothing came for %u seconds",
                        f->opts->seconds);
    case TOO_LARGE:
        return diag_set(why, PTS_E_RANGE, UINT64_MAX, "more than %llu bytes",
                        (unsigned long long)f->opts->most);
    case UNWANTED:
        return diag_set(why, PTS_E_CANCELLED, UINT64_MAX, "stopped");
    case WAITING:
        break;
    }
    if (err == ENOENT)
        return diag_set(why, PTS_E_IO, UINT64_MAX, "it has none");
    if (err == ENOSYS)
        return diag_set(why, PTS_E_IO, UINT64_MAX, "DEBUGINFOD_URLS names none");
    return diag_set(why, PTS_E_IO, UINT64_MAX, "%s",
                    strerror_r(err, text, sizeof(text)));
}

int fetch_file(struct pts_cache *c, const char *path, const struct build_id *id,
               bool debug, struct pts_diag *why)
{
    struct fetcher *f = fetcher_of(c);
    if (!f) {
        diag_set(why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
        return -1;
    }
    f->path = path;
    f->end = WAITING;
    f->done = 0;
    f->moved = seconds_now();
    int fd = debug ? lib.find_debuginfo(f->client, id->bytes, id->len, NULL)
                   : lib.find_executable(f->client, id->bytes, id->len, NULL);
    if (fd < 0 || f->end != WAITING) {
        why_not(f, -fd, why);
        return -1;
    }
    (void)lseek(fd, 0, SEEK_SET); /* the client has written it */
    return fd;
}

void fetch_end(struct fetcher *f)
{
    if (!f)
        return;
    lib.end(f->client);
    mem_free(f);
}

#else

bool fetch_is_built(void)
{
    return false;
}

int fetch_file(struct pts_cache *c, const char *path, const struct build_id *id,
               bool debug, struct pts_diag *why)
{
    (void)c;
    (void)path;
    (void)id;
    (void)debug;
    diag_set(why, PTS_E_UNSUPPORTED, UINT64_MAX, "built without libdebuginfod");
    return -1;
}

void fetch_end(struct fetcher *f)
{
    (void)f;
}

#endif

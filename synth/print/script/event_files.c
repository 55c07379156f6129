/* event_files.c - the lines of each event in a file of its own: --per-event-dump.
 *
 * SPDX-License-Identifier: MIT
 */
#include "synth/print/script/event_files.h"

#include "decoder/base/arena.h"

#include <limits.h>
#include <string.h>
#include <sys/stat.h>

/* An event's name is the recording's: a / in it is a folder, but no way out of there. */
static bool leads_out(const char *event)
{
    const char *p = event;

    while ((p = strstr(p, "..")) != NULL) {
        if ((p == event || p[-1] == '/') && (!p[2] || p[2] == '/'))
            return true;
        p += 2;
    }
    return false;
}

/* In a directory the files are beside its data. */
static char *path_of(const char *input, const char *event)
{
    struct stat st;
    bool folder = stat(input, &st) == 0 && S_ISDIR(st.st_mode);
    char path[PATH_MAX];
    int n = snprintf(path, sizeof(path), "%s%s.%s.dump",
                     strcmp(input, "-") == 0 ? "(null)" : input, folder ? "/data" : "",
                     event);

    if (n < 0 || (size_t)n >= sizeof(path) || leads_out(event))
        return NULL;
    char *kept = mem_zalloc((size_t)n + 1, 1);
    if (kept)
        memcpy(kept, path, (size_t)n);
    return kept;
}

pts_status event_files_add(struct event_files *f, const char *input, const char *event)
{
    char *path = path_of(input, event);
    struct event_file *one = path ? VEC_PUSH(&f->at) : NULL;

    if (!one) {
        mem_free(path);
        return PTS_E_IO;
    }
    *one = (struct event_file){.to = fopen(path, "we"), .path = path};
    return one->to ? PTS_OK : PTS_E_IO;
}

pts_status event_files_put(struct event_files *f, uint32_t event, bool flush)
{
    struct event_file *one = &f->at.at[event];
    struct text *line = &f->line;

    one->samples++;
    bool fine = !line->failed &&
                fwrite(line->at ? line->at : "", 1, line->len, one->to) == line->len;
    line->len = 0;
    fine &= !flush || fflush(one->to) == 0;
    if (!fine)
        f->failed = one->path;
    return fine ? PTS_OK : PTS_E_IO;
}

static void say(const struct event_file *one, struct text *out)
{
    enum { MEGABYTE = 1024 * 1024 };
    struct stat st = {0};

    (void)!fstat(fileno(one->to), &st);
    text_fmt(out, "[ perf script: Wrote %.3f MB %s (%u samples) ]\n",
             (double)st.st_size / MEGABYTE, one->path, one->samples);
}

pts_status event_files_end(struct event_files *f, struct text *out)
{
    pts_status st = PTS_OK;

    for (size_t i = 0; i < f->at.len; i++) {
        struct event_file *one = &f->at.at[i];
        if (!one->to)
            continue; /* nothing was printed: it was not made */
        say(one, out);
        bool bad = ferror(one->to) != 0;
        bad |= fclose(one->to) != 0;
        one->to = NULL;
        if (bad) {
            f->failed = one->path;
            st = PTS_E_IO;
        }
    }
    return st;
}

void event_files_free(struct event_files *f)
{
    for (size_t i = 0; i < f->at.len; i++) {
        if (f->at.at[i].to)
            fclose(f->at.at[i].to);
        mem_free(f->at.at[i].path);
    }
    VEC_FREE(&f->at);
    text_free(&f->line);
}

/* perf_file.c - an opened perf.data file: where its records are, and what is odd about
 * it.
 *
 * SPDX-License-Identifier: MIT
 *
 * Opening is elsewhere (decoder/open): here is only what can be asked of a file that
 * may lie in memory, have come through a pipe or been put together from a bare trace.
 */
#include "decoder/file/perf_file.h"

#include <stdio.h>

struct perf_file *perf_file_new(void)
{
    struct perf_file *f = mem_zalloc(1, sizeof(*f));
    if (f)
        f->damage.first = UINT64_MAX;
    return f;
}

void perf_file_soon(const struct perf_file *f, const uint8_t *at, size_t n)
{
    bool found = input_soon(&f->in, at, n);

    for (size_t i = 0; !found && i < f->source.len; i++)
        found = input_soon(&f->source.at[i].in, at, n);
}

void perf_file_for_many(const struct perf_file *f)
{
    input_for_many(&f->in);
    for (size_t i = 0; i < f->source.len; i++)
        input_for_many(&f->source.at[i].in);
}

void perf_file_let_go(const struct perf_file *f)
{
    input_let_go(&f->in);
    for (size_t i = 0; i < f->source.len; i++)
        input_let_go(&f->source.at[i].in);
}

void perf_file_close(struct perf_file *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->source.len; i++)
        input_close(&f->source.at[i].in);
    VEC_FREE(&f->source);
    tape_free(&f->data.tape);
    VEC_FREE(&f->evsel);
    VEC_FREE(&f->ids.counter);
    VEC_FREE(&f->ids.index);
    spool_free(&f->spool);
    spool_free(&f->kept);
    arena_free(&f->arena);
    input_close(&f->in);
    mem_free(f);
}

void perf_file_report(const struct perf_file *f, bool quiet, pts_message_fn *message,
                      void *ctx)
{
    char text[PTS_DIAG_TEXT];
    if (f->damage.odd & PERF_ODD_NO_SIZE && !quiet) {
        snprintf(text, sizeof(text),
                 "WARNING: The %s file's data size field is 0 which is unexpected.\n"
                 "Was the 'perf record' command properly terminated?\n",
                 f->path);
        message(ctx, PTS_MSG_WARNING, text);
    }
    if (f->damage.odd & PERF_ODD_FEATURE) {
        snprintf(text, sizeof(text),
                 "%s: some facts about the recording (feature sections) are missing",
                 f->path);
        message(ctx, PTS_MSG_NOTE, text);
    }
}

void perf_file_warn_pipe(const struct perf_file *f, pts_message_fn *message, void *ctx)
{
    if (f->damage.odd & PERF_ODD_PIPE && f->data.info_off)
        message(ctx, PTS_MSG_WARNING,
                "WARNING: Intel PT with pipe mode is not recommended.\n"
                "         The output cannot relied upon.  In particular,\n"
                "         timestamps and the order of events may be incorrect.\n");
}

struct perf_shown perf_file_shown(const struct perf_file *f, uint64_t off)
{
    const struct perf_run *run = tape_find(&f->data.tape, off);
    if (!run)
        return (struct perf_shown){f->path, off};
    return (struct perf_shown){f->source.at[run->source].path,
                               run->unpacked ? run->shown
                                             : run->shown + (off - run->at)};
}

bool perf_file_of_shown(const struct perf_file *f, uint64_t shown, uint64_t *off)
{
    size_t lo = 0, hi = f->data.tape.run.len;
    if (f->source.len != 1)
        return false;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (f->data.tape.run.at[mid].shown <= shown)
            lo = mid + 1;
        else
            hi = mid;
    }
    const struct perf_run *run = lo ? &f->data.tape.run.at[lo - 1] : NULL;
    if (!run || run->unpacked || shown - run->shown >= run->len)
        return false;
    *off = run->at + (shown - run->shown);
    return true;
}

/* vm_time_run.c - the times of guests in a recording become those of the host.
 *
 * SPDX-License-Identifier: MIT
 *
 *     recording ----> a copy in memory ----> the queues, one after the other
 *         |           (pages that change)          |
 *         '--> .old          '--> a new file  <----'
 *
 * perf writes into the recording itself.  Here it stays what it was until there is a whole
 * new one, and then is kept beside it.
 */
#include "synth/run/vm_time_run.h"

#include "decoder/base/diag.h"
#include "decoder/pt/overlap.h"
#include "decoder/pt/vm_time.h"
#include "synth/inject/out_file.h"
#include "synth/run/run.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct one_queue {
    struct vm_queue q;
    struct pt_buf *buf; /* its pieces */
};

struct machines_run {
    pts_session *session;
    struct run *run;
    struct input copy; /* of the recording */
    struct vm_time time;
    struct aux_queues aux;
    struct one_queue *queue;
    struct arena arena;
    enum overlap_by by;
    bool may_overlap;
};

static void say(void *ctx, const char *text)
{
    const struct machines_run *m = ctx;
    char line[140];

    snprintf(line, sizeof(line), "%s\n", text);
    session_message(m->session, PTS_MSG_WARNING, line);
}

/* --- What perf refuses ------------------------------------------------------------- */

static pts_status refuse(const struct machines_run *m, const char *text,
                         const char *error, struct pts_diag *why)
{
    const struct perf_file *f = m->session->file;

    say((void *)(uintptr_t)m, text);
    return diag_set(
        why, PTS_E_RANGE, UINT64_MAX, "%#llx [%#x]: failed to process type: %u [%s]",
        (unsigned long long)perf_file_shown(f, f->data.info_off).off,
        (unsigned)m->session->info_size, (unsigned)PTS_RECORD_AUXTRACE_INFO, error);
}

static bool has_mtc(const pts_session *s)
{
    for (size_t i = 0; i < s->attrs.len; i++)
        if (s->attrs.at[i].type == s->info.pmu_type &&
            s->attrs.at[i].config & s->info.mtc_bit)
            return true;
    return false;
}

static void skip_space(const char **at)
{
    *at += strspn(*at, " \t\n\v\f\r");
}

/* A number as strtoull knows it; 0: good, else an errno. */
static int read_u64(const char **at, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(*at, &end, 0);
    int err = errno;
    if (!err && end == *at)
        err = EINVAL;
    *at = end;
    skip_space(at);
    return err;
}

/* OFFSET[:VMCS[,VMCS]...]; an offset may be left out in front of a colon. */
static int read_offset(struct vm_time *t, const char **at)
{
    uint64_t offset = 0, vmcs;
    int err = **at == ':' ? 0 : read_u64(at, &offset);

    if (err)
        return err;
    if (**at != ':') {
        t->offset = offset;
        return 0;
    }
    do {
        ++*at;
        err = read_u64(at, &vmcs);
        if (err)
            return err;
        if (!vmcs)
            return EINVAL;
        if (!vm_time_machine(t, vmcs, offset))
            return ENOMEM;
    } while (**at == ',');
    return 0;
}

/* perf goes round for ever at what is no number. */
static pts_status read_args(struct machines_run *m, const char *args,
                            struct pts_diag *why)
{
    int err = 0;

    if (!args)
        return PTS_OK;
    for (skip_space(&args); !err && *args;)
        err = read_offset(&m->time, &args);
    if (err == ENOMEM)
        return PTS_E_NOMEM;
    if (!err)
        return PTS_OK;
    return refuse(m, "Failed to parse VM Time Correlation options",
                  err == ERANGE ? "Numerical result out of range" : "Invalid argument",
                  why);
}

static pts_status check(struct machines_run *m, const char *args, struct pts_diag *why)
{
    if (m->run->plan->decode.timeless)
        return refuse(m, "Intel PT has no time information for VM Time Correlation",
                      "Invalid argument", why);
    if (!has_mtc(m->session))
        return refuse(m, "MTC packets must have been enabled for VM Time Correlation",
                      "Invalid argument", why);
    return read_args(m, args, why);
}

/* --- Queues ------------------------------------------------------------------------ */

/* A piece of trace in the copy.  NULL: it is not in the file as it stands. */
static uint8_t *in_copy(const struct machines_run *m, const struct aux_buf *b)
{
    const struct perf_file *f = m->session->file;
    uintptr_t from = (uintptr_t)f->source.at[0].ptr, at = (uintptr_t)b->ptr;

    if (at < from || at - from > m->copy.len || b->len > m->copy.len - (at - from))
        return NULL;
    return m->time.bytes + (at - from);
}

/* What a piece has in common with the one before it is looked for when that one has its new
 * times, and becomes zero: it would not be found any more. */
static void cut_overlap(const struct machines_run *m, struct pt_buf *b,
                        const struct pts_bytes *last)
{
    size_t skip = 0;

    b->consecutive = last->ptr != NULL;
    if (!m->may_overlap || !last->ptr)
        return;
    skip =
        overlap_find(*last, (struct pts_bytes){b->ptr, b->len}, m->by, &b->consecutive);
    memset(m->time.bytes + (size_t)(b->ptr - m->time.bytes), 0, skip);
    b->ptr += skip;
    b->len -= skip;
}

static pts_status open_queue(struct machines_run *m, size_t i,
                             const struct clock_config *conf, struct pts_diag *why)
{
    const struct aux_queue *q = &m->aux.at.at[i];
    struct pt_buf *buf = arena_alloc(&m->arena, (q->buf.len + 1) * sizeof(*buf));

    if (!buf)
        return PTS_E_NOMEM;
    for (size_t k = 0; k < q->buf.len; k++) {
        const struct aux_buf *from = &q->buf.at[k];
        uint8_t *at = in_copy(m, from);
        if (!at)
            return diag_set(why, PTS_E_UNSUPPORTED, from->off,
                            "--vm-time-correlation of packed trace is not supported");
        buf[k] = (struct pt_buf){.ptr = at,
                                 .len = from->len,
                                 .ref = from->reference,
                                 .nr = from->nr,
                                 .consecutive = k > 0};
    }
    m->queue[i].buf = buf;
    /* Pieces that may overlap come one by one. */
    vm_queue_init(&m->queue[i].q, &m->time, conf, buf,
                  m->may_overlap ? 0 : (uint32_t)q->buf.len);
    return PTS_OK;
}

/* The next piece; false: there is none.  What follows none goes on nowhere. */
static bool next_piece(struct machines_run *m, size_t i)
{
    const struct aux_queue *q = &m->aux.at.at[i];
    struct one_queue *one = &m->queue[i];
    struct pts_bytes last = {0};

    if (one->q.st.count >= q->buf.len)
        return false;
    /* The last one that has something new, as a whole. */
    for (uint32_t k = one->q.st.count; !last.ptr && k-- > 0;)
        if (one->buf[k].len)
            last = (struct pts_bytes){in_copy(m, &q->buf.at[k]), q->buf.at[k].len};
    cut_overlap(m, &one->buf[one->q.st.count], &last);
    one->q.st.count++;
    return true;
}

/* For the merge, which has perf's order: a queue runs to its end, and tells nothing. */
static pts_status run_queue(void *ctx, uint32_t queue, const struct relay_turn *turn,
                            struct event_batch *out)
{
    struct machines_run *m = ctx;
    struct vm_queue *q = &m->queue[queue].q;
    pts_status st = PTS_OK;

    (void)turn, (void)out;
    do
        st = q->lost && !vm_queue_begin(q) ? PTS_OK : vm_queue_run(q);
    while (st == PTS_OK && next_piece(m, queue));
    return st == PTS_OK ? PTS_END : st;
}

/* Up to their first PSBs all queues are at the same time, which is no time at all. */
static void begin_queues(struct machines_run *m, struct merge *merge)
{
    for (size_t i = 0; i < m->aux.at.len; i++) {
        bool found = false;
        do
            found = vm_queue_begin(&m->queue[i].q);
        while (!found && next_piece(m, i));
        if (found)
            merge_add(merge, (uint32_t)i, 1);
    }
}

static pts_status correlate(struct machines_run *m, struct pts_diag *why)
{
    const struct merge_source source = {run_queue, m};
    const struct aux_how how = {.clock = m->run->plan->decode.clock};
    struct flow_regions regions = {0};
    struct flow_config conf;
    struct merge_event ev;
    struct merge *merge = NULL;

    pts_status st =
        flow_conf_make(m->session, &m->run->plan->decode, &m->arena, &regions, &conf);
    if (st == PTS_OK)
        st = aux_queues_make(m->session->file, &how, &m->aux, why);
    m->may_overlap = aux_is_sampled(m->session->file) || m->session->info.snapshot;
    m->by = conf.have_tsc ? OVERLAP_BY_WILD_TIME : OVERLAP_BY_BYTES;
    m->queue = arena_alloc(&m->arena, (m->aux.at.len + 1) * sizeof(*m->queue));
    if (st == PTS_OK && !m->queue)
        st = PTS_E_NOMEM;
    for (size_t i = 0; st == PTS_OK && i < m->aux.at.len; i++)
        st = open_queue(m, i, &conf.clock, why);
    if (st == PTS_OK)
        st = merge_new((uint32_t)m->aux.at.len, &source, &merge);
    if (st == PTS_OK) {
        begin_queues(m, merge);
        do
            st = merge_next(merge, UINT64_MAX, &ev);
        while (st == PTS_OK);
    }
    merge_free(merge);
    VEC_FREE(&regions.at);
    return st == PTS_END ? PTS_OK : st;
}

/* --- All of it --------------------------------------------------------------------- */

/* Where the trace lies; a link is followed, so that it stays one. */
static pts_status file_of(const pts_session *s, char path[PATH_MAX],
                          struct pts_diag *why)
{
    char named[PATH_MAX];
    int n =
        snprintf(named, sizeof(named), "%s%s", s->path, s->file->dir ? "/data" : "");

    if (n > 0 && n < PATH_MAX && realpath(named, path))
        return PTS_OK;
    return diag_set(why, PTS_E_IO, UINT64_MAX, "%s: cannot be found any more", s->path);
}

static pts_status open_copy(struct machines_run *m, const char *path,
                            struct pts_diag *why)
{
    const struct input_how how = {0};
    const struct input *old = &m->session->file->in;
    pts_status st = input_open(path, &how, &m->copy, why);

    if (st < 0)
        return st;
    if (m->copy.dev != old->dev || m->copy.ino != old->ino || m->copy.len != old->len)
        return diag_set(why, PTS_E_IO, UINT64_MAX, "%s: is another file by now", path);
    if (!input_own(&m->copy))
        return PTS_E_NOMEM;
    m->time.bytes = (uint8_t *)(uintptr_t)m->copy.ptr; /* now they may be written */
    return PTS_OK;
}

/* What the recording was before another change is not lost for this one. */
static pts_status check_old(const char *path, struct pts_diag *why)
{
    char old[PATH_MAX];
    struct stat st;
    int n = snprintf(old, sizeof(old), "%s.old", path);

    if (n < PATH_MAX && lstat(old, &st) != 0 && errno == ENOENT)
        return PTS_OK;
    return diag_set(
        why, PTS_E_IO, UINT64_MAX,
        "%s.old is there already: the recording was not changed, as it would "
        "be kept by that name",
        path);
}

static pts_status write_copy(const struct machines_run *m, const char *path,
                             struct pts_diag *why)
{
    struct out_file out = {.like = path};
    pts_status st = check_old(path, why);

    if (st == PTS_OK)
        st = out_open(&out, path, why);

    for (size_t at = 0; st == PTS_OK && at < m->copy.len;) {
        size_t n = m->copy.len - at < 1 << 20 ? m->copy.len - at : 1 << 20;
        text_put(&out.buf, (const char *)m->copy.ptr + at, n);
        at += n;
        st = out_flush_full(&out, why);
    }
    if (st == PTS_OK)
        st = out_name(&out, why);
    out_close(&out);
    return st;
}

/* perf's warnings of what was lost come at the end. */
static pts_status count_records(struct run *r)
{
    pts_status st = PTS_OK;

    while (st == PTS_OK)
        st = run_step(r);
    return st == PTS_END ? PTS_OK : st;
}

static uint32_t wants_nothing(void *ctx, enum out_class class)
{
    (void)ctx, (void)class;
    return 0;
}

static pts_status take_nothing(void *ctx, const struct batch *b, size_t from,
                               size_t *next)
{
    (void)ctx, (void)from;
    *next = b->item.len;
    return PTS_OK;
}

static pts_status change(struct machines_run *m, const struct inject_given *g,
                         struct pts_diag *why)
{
    char path[PATH_MAX];
    pts_status st = check(m, g->vm_args, why);

    if (st == PTS_OK)
        st = file_of(m->session, path, why);
    if (st == PTS_OK)
        st = open_copy(m, path, why);
    if (st == PTS_OK)
        st = correlate(m, why);
    if (st == PTS_OK)
        st = count_records(m->run);
    if (st == PTS_OK && (st = run_damage(m->run, why)) == PTS_END)
        st = PTS_OK;
    if (st == PTS_OK && m->time.changed && !g->vm_dry_run)
        st = write_copy(m, path, why);
    return st;
}

pts_status vm_time_run(pts_session *s, const struct inject_given *g,
                       struct pts_diag *why)
{
    struct machines_run m = {.session = s, .time = {.say = say}};
    const struct sink nobody = {.wants = {.of_class = wants_nothing},
                                .take = take_nothing};
    struct plan_failed failed = {UINT64_MAX};

    m.time.say_ctx = &m;
    pts_status st = run_new(s, &g->run, &m.run, why);
    if (st == PTS_OK)
        st = run_plan(m.run, &g->run, &nobody, &failed, why);
    if (st == PTS_OK)
        st = s->has_pt && m.run->plan && !g->vm_nothing ? change(&m, g, why)
                                                        : count_records(m.run);
    if (st < 0 && !why->text[0])
        diag_set(why, st, UINT64_MAX, "%s", pts_status_name(st));
    run_free(m.run);
    vm_time_free(&m.time);
    aux_queues_free(&m.aux);
    input_close(&m.copy);
    arena_free(&m.arena);
    return st;
}

/* perf_raw.c - a trace with or without side-band records, as if it were a recording.
 *
 * SPDX-License-Identifier: MIT
 *
 * Who was traced, and how the clocks are related, the side-band says, which cannot be
 * read before it is on the tape.  So the records in front of the trace are written
 * twice, with the same sizes: first to have something to walk over, then as they are.
 *
 *     whose     the thread of the first ITRACE_START, else of any record; a CPU's, when
 *               all records of the first file are of one, and they tell who runs on it,
 *               or when they name none and tell of several threads that run
 *     clock     as the caller says, else as a TIME_CONV says; without side-band by the
 *               nominal frequency, or a tick is a nanosecond
 *     TSC       the upper byte that packets lack: of the first time in the side-band
 *     filters   in the words of perf record, by address
 */
#include "decoder/open/perf_raw.h"

#include "decoder/base/diag.h"
#include "decoder/file/perf_attr.h"
#include "decoder/pt/lookahead.h"
#include "decoder/pt/tsc.h"
#include "decoder/record/record.h"

#include <inttypes.h>
#include <stdio.h>

enum { TAPE_START = PERF_REC_HEADER }; /* place 0 means none */

static const uint64_t id_words = PTS_SAMPLE_TID | PTS_SAMPLE_TIME | PTS_SAMPLE_ID |
                                 PTS_SAMPLE_STREAM_ID | PTS_SAMPLE_CPU |
                                 PTS_SAMPLE_IDENTIFIER;

/* A bare trace while it is opened. */
struct opening {
    struct perf_file *f;
    const struct perf_raw *raw;
    const struct perf_file_how *how;
    struct pts_diag *why;
    struct pts_attr attr;
    struct raw_front front;
    uint64_t first_tsc;
};

static uint64_t sample_type_of(const struct pts_raw_opts *o)
{
    uint64_t own = PTS_SAMPLE_IP | PTS_SAMPLE_TID | PTS_SAMPLE_TIME;
    return o->sideband_count ? PTS_SAMPLE_IP | (o->sample_type & id_words) : own;
}

/* --- Files ------------------------------------------------------------------------ */

static pts_status open_input(const struct opening *m, const char *path, size_t room,
                             struct input *in)
{
    const struct input_how how = {.temp_dir = m->how->temp_dir, .room = room};
    pts_status st = input_open(path, &how, in, m->why);
    if (st != PTS_OK || m->how->force || in->trusted)
        return st;
    input_close(in);
    return diag_set(m->why, PTS_E_DENIED, UINT64_MAX,
                    "File %s not owned by current user or root (use -f to override)",
                    path);
}

static pts_status no_memory(const struct opening *m)
{
    return diag_set(m->why, PTS_E_NOMEM, UINT64_MAX, "out of memory");
}

static pts_status open_trace(struct opening *m, size_t front)
{
    struct perf_file *f = m->f;
    pts_status st = open_input(m, f->path, front, &f->in);
    if (st != PTS_OK)
        return st;
    if (!f->in.len)
        return diag_set(m->why, PTS_E_FORMAT, UINT64_MAX,
                        "zero-sized trace (%s), nothing to do!", f->path);
    struct perf_source *src = VEC_PUSH(&f->source);
    if (!src)
        return no_memory(m);
    *src = (struct perf_source){
        .path = f->path, .ptr = f->in.ptr - front, .end = front + f->in.len};
    return PTS_OK;
}

static pts_status open_sideband(struct opening *m, const char *path)
{
    struct input in;
    pts_status st = open_input(m, path, 0, &in);
    struct perf_source *src = st == PTS_OK ? VEC_PUSH(&m->f->source) : NULL;
    if (st == PTS_OK && !src) {
        input_close(&in);
        return no_memory(m);
    }
    if (st == PTS_OK)
        *src =
            (struct perf_source){.path = path, .ptr = in.ptr, .end = in.len, .in = in};
    return st;
}

/* --- The event -------------------------------------------------------------------- */

/* The first TSC of the trace, if it has one. */
static void find_tsc(struct opening *m)
{
    const struct input *in = &m->f->in;
    bool late;
    if (!trace_tsc(in->ptr, in->ptr + in->len, &m->first_tsc, &late))
        m->first_tsc = 0;
    m->f->bare.late_tsc = late ? m->first_tsc : 0;
}

/* The decoder reads whatever packets are there; what was configured decides which
 * events are listed. */
static uint64_t config_of(const struct opening *m)
{
    const struct pts_raw_opts *o = m->raw->opts;
    return RAW_CFG_PT | RAW_CFG_PWR_EVT | RAW_CFG_PTW | RAW_CFG_BRANCH |
           (m->first_tsc ? RAW_CFG_TSC : 0) | (o->event_trace ? RAW_CFG_EVENT : 0) |
           (o->no_ret_compression ? RAW_CFG_NORETCOMP : 0) |
           (o->cyc_thresh
                ? RAW_CFG_CYC | (uint64_t)o->cyc_thresh << RAW_CFG_CYC_THRESH_SHIFT
                : 0) |
           (o->cpuid_15_ebx ? RAW_CFG_MTC | (uint64_t)o->mtc_freq << RAW_CFG_MTC_SHIFT
                            : 0);
}

static pts_status add_event(struct opening *m)
{
    find_tsc(m);
    m->attr.config = config_of(m);
    static const uint64_t id = 1; /* a counter that it had: any will do */
    const struct pts_words ids = {(const uint8_t *)&id, 1, 0};
    pts_status st = perf_file_put_event(m->f, &m->attr, ids, 0, m->why);
    if (st == PTS_OK)
        m->f->evsel.at[0].name = "intel_pt//";
    return st;
}

/* A feature section with one string. */
static pts_status add_string(const struct opening *m, enum pts_feature feat,
                             const char *text)
{
    uint32_t n = (uint32_t)strlen(text) + 1;
    uint8_t *p = arena_alloc(&m->f->arena, sizeof(n) + n);
    if (!p)
        return no_memory(m);
    memcpy(p, &n, sizeof(n));
    memcpy(p + sizeof(n), text, n);
    m->f->feature[feat] = (struct pts_bytes){p, sizeof(n) + n};
    m->f->said.announced[feat / 8] |= (uint8_t)(1 << feat % 8);
    return PTS_OK;
}

static pts_status add_features(const struct opening *m)
{
    /* A count of 0, so pieces are found by a walk.  The feature itself says that there
     * are any. */
    static const uint8_t no_index[8];
    const struct pts_raw_opts *o = m->raw->opts;
    char text[64];
    m->f->feature[PTS_FEAT_AUXTRACE] = (struct pts_bytes){no_index, sizeof(no_index)};
    m->f->said.announced[PTS_FEAT_AUXTRACE / 8] |= 1 << PTS_FEAT_AUXTRACE % 8;
    pts_status st = add_string(m, PTS_FEAT_ARCH, "x86_64");
    if (st != PTS_OK || !o->cpu_family)
        return st;
    snprintf(text, sizeof(text), "GenuineIntel,%" PRIu32 ",%" PRIu32 ",%" PRIu32,
             o->cpu_family, o->cpu_model, o->cpu_stepping);
    return add_string(m, PTS_FEAT_CPUID, text);
}

/* --- What the side-band says ------------------------------------------------------ */

struct seen {
    bool on_cpu, moved; /* records of the first file: on a CPU, and on another, too */
    uint32_t cpu;
    uint64_t time;           /* of the first record there; 0: none has one */
    bool started;            /* `first` is from an ITRACE_START */
    struct pts_thread first; /* whose trace it is, tid 0: not known */
    bool switched, many;     /* a SWITCH named no CPU; they are of many threads */
    uint32_t switched_tid;
    bool switches, wide, conv;
    struct pts_time_conv clock;
};

/* Where they name no CPU: those of one thread may be its own, others are a CPU's. */
static void see_switch(struct seen *s, const struct perf_rec *r)
{
    bool wide = r->type == PTS_RECORD_SWITCH_CPU_WIDE;
    if ((!wide && r->type != PTS_RECORD_SWITCH) || r->id.has & PTS_SAMPLE_CPU ||
        !(r->id.has & PTS_SAMPLE_TID))
        return;
    s->many |= wide || (s->switched && s->switched_tid != (uint32_t)r->id.tid);
    s->switched = true;
    s->switched_tid = (uint32_t)r->id.tid;
}

/* Whose trace it is: the first ITRACE_START knows best, other records are a guess.
 * A CPU's trace has records of that CPU alone. */
static void see_primary(struct seen *s, const struct record *r)
{
    const struct pts_sample_id *id = &r->head.id;
    bool start = r->head.type == PTS_RECORD_ITRACE_START;
    if (id->has & PTS_SAMPLE_CPU && id->time) {
        s->moved |= s->on_cpu && s->cpu != id->cpu;
        s->cpu = s->on_cpu ? s->cpu : id->cpu;
        s->on_cpu = true;
    }
    see_switch(s, &r->head);
    if (id->has & PTS_SAMPLE_TIME && !s->time)
        s->time = id->time;
    bool told = start ? r->how == PTS_RECORD_WHOLE : (id->has & PTS_SAMPLE_TID) != 0;
    const struct pts_thread who =
        start ? r->u.thread : (struct pts_thread){id->pid, id->tid};
    if (!told || who.tid <= 0 || s->started || (s->first.tid && !start))
        return;
    s->first = who;
    s->started = start;
}

static void see(struct seen *s, const struct record *r)
{
    bool wide = r->head.type == PTS_RECORD_SWITCH_CPU_WIDE;
    s->wide |= wide;
    s->switches |= wide || r->head.type == PTS_RECORD_SWITCH;
    if (s->conv || !record_is(r, PTS_RECORD_TIME_CONV))
        return;
    s->conv = true;
    s->clock = r->u.time_conv;
}

/* The records in front are our own (source 0) and say nothing. */
static struct seen see_all(const struct perf_file *f)
{
    struct seen s = {0};
    struct record r;
    for (uint64_t off = f->data.off; off < f->data.end; off = perf_rec_next(&r.head)) {
        pts_status st = record_read(f, off, &r);
        const struct perf_run *run = tape_find(&f->data.tape, off);
        if (st != PTS_OK || !run || !run->source)
            continue;
        see(&s, &r);
        if (run->source == 1 && r.head.type < PERF_REC_USER)
            see_primary(&s, &r);
    }
    return s;
}

static void about_who(const struct seen *s, struct raw_about *a)
{
    bool of_cpu = s->many || (s->on_cpu && !s->moved && s->cpu <= INT32_MAX &&
                              (s->switches || s->started));
    a->pid = s->first.tid ? s->first.pid : RAW_PROCESS;
    a->tid = of_cpu ? -1 : s->first.tid ? s->first.tid : RAW_PROCESS;
    a->cpu = of_cpu && s->on_cpu ? (int32_t)s->cpu : -1;
    a->per_cpu = of_cpu;
    if (of_cpu)
        a->have_sched_switch = s->wide       ? AUX_SWITCHES_CPU_WIDE
                               : s->switches ? AUX_SWITCHES_OWN
                                             : AUX_SWITCHES_NONE;
}

static pts_status about_clock(const struct opening *m, const struct seen *s,
                              struct raw_about *a)
{
    const struct pts_raw_opts *o = m->raw->opts;
    enum { NOM_SHIFT = 28, NS_PER_BUS_TICK = 10 };
    a->time_mult = 1; /* a tick for a nanosecond */
    if (o->clock.time_mult) {
        a->time_shift = o->clock.time_shift;
        a->time_mult = o->clock.time_mult;
        a->time_zero = o->clock.time_zero;
    } else if (s->conv) {
        a->time_shift = s->clock.shift;
        a->time_mult = s->clock.mult;
        a->time_zero = s->clock.zero;
    } else if (o->sideband_count && m->attr.sample_type & PTS_SAMPLE_TIME) {
        return diag_set(m->why, PTS_E_USAGE, UINT64_MAX,
                        "the side-band has no TIME_CONV record: how its times are "
                        "related to the trace must be given (time_mult, time_shift, "
                        "time_zero)");
    } else if (o->nom_freq) {
        a->time_shift = NOM_SHIFT;
        a->time_mult = ((uint64_t)NS_PER_BUS_TICK << NOM_SHIFT) / o->nom_freq;
    }
    struct tsc_conv conv = tsc_conv_of(a->time_shift, a->time_mult, 0);
    a->time_zero += tsc_to_ns(o->tsc_offset, &conv);
    conv.zero = a->time_zero;
    a->reference = s->time ? tsc_of_ns(s->time, &conv) : m->first_tsc;
    return PTS_OK;
}

/* --- All of it -------------------------------------------------------------------- */

/* The first version of the records in front is on the tape when the side-band is
 * walked; then their bytes are replaced, and nothing on the tape moves. */
static pts_status make(struct opening *m)
{
    const struct pts_raw_opts *o = m->raw->opts;
    size_t front = raw_front_write(&m->front, NULL);
    pts_status st = open_trace(m, front);
    for (size_t i = 0; st == PTS_OK && i < o->sideband_count; i++)
        st = open_sideband(m, o->sideband[i]);
    if (st == PTS_OK)
        st = add_event(m);
    if (st == PTS_OK)
        st = add_features(m);
    if (st != PTS_OK)
        return st;
    uint8_t *at = (uint8_t *)(uintptr_t)m->f->in.ptr - front;
    m->front.trace_len = m->f->in.len;
    raw_front_write(&m->front, at);
    st = perf_file_walk(m->f, m->why);
    if (st != PTS_OK)
        return st;
    m->f->said.data_size = m->f->data.end - m->f->data.off;
    struct seen seen = see_all(m->f);
    about_who(&seen, &m->front.about);
    if (m->front.about.have_sched_switch != AUX_SWITCHES_NONE)
        m->f->evsel.at[0].attr.flags |= PTS_ATTR_CONTEXT_SWITCH;
    st = about_clock(m, &seen, &m->front.about);
    if (st == PTS_OK)
        raw_front_write(&m->front, at);
    return st;
}

pts_status perf_raw_open(const struct perf_raw *raw, const struct perf_file_how *how,
                         struct perf_file **out, struct pts_diag *why)
{
    struct opening m = {
        .f = perf_file_new(),
        .raw = raw,
        .how = how,
        .why = why,
        .attr = {.type = RAW_PMU_TYPE,
                 .size = 128,
                 .sample_period = 1,
                 .sample_type = sample_type_of(raw->opts),
                 .flags = PTS_ATTR_SAMPLE_ID_ALL | PTS_ATTR_EXCLUDE_GUEST},
        .front = {.raw = raw  }
    };
    m.front.attr = &m.attr;
    if (!m.f)
        return no_memory(&m);
    m.f->path = raw->opts->trace;
    m.f->raw = true;
    m.f->bare.images = raw->map_count != 0;
    m.f->said.version = 2;
    m.f->data.off = TAPE_START;
    m.f->spool.dir = how->temp_dir;
    pts_status st = make(&m);
    if (st != PTS_OK) {
        perf_file_close(m.f);
        return st;
    }
    *out = m.f;
    return PTS_OK;
}

/* out_perf.c - samples as the lines of perf script.
 *
 * SPDX-License-Identifier: MIT
 *
 * A branch line is mostly text that was printed before: the thread, the flags, both
 * places (out_spot.h).  So each of these is kept as finished text and copied; only
 * times and counts are made anew.
 */
#include "synth/out_perf.h"

#include "decoder/arena.h"
#include "synth/ipflags.h"
#include "synth/out_cols.h"
#include "synth/out_spot.h"
#include "synth/out_stack.h"
#include "synth/out_synth.h"

enum { FLAG_TEXTS = 64, FLAG_TEXT = 24, WHO_TEXT = 64 };

struct flag_text {
    uint32_t flags;
    bool known;
    char text[FLAG_TEXT];
};

/* comm, pid, tid and cpu of the last line. */
struct who_text {
    const char *comm;
    uint32_t thread, epoch; /* whose comm it is */
    int32_t pid, tid, cpu;
    uint8_t class;
    bool bare;   /* comm is not padded */
    uint8_t len; /* 0: nothing kept */
    char text[WHO_TEXT];
};

struct out_perf {
    const struct fields *f;
    const struct evlist *l;
    const struct lookup *look;
    struct out_opts opts;
    size_t name_width; /* of the event column: fixed by the first line that has one */
    size_t spacing;    /* running width of callindent */
    size_t data_src_width;
    uint64_t first_time, last_time;
    struct who_text who;
    struct flag_text flag[FLAG_TEXTS];
    struct spots spots;
};

pts_status out_perf_new(const struct fields *f, const struct evlist *l,
                        const struct lookup *look, const struct out_opts *opts,
                        struct out_perf **out)
{
    struct out_perf *o = mem_zalloc(1, sizeof(*o));

    if (!o)
        return PTS_E_NOMEM;
    o->f = f;
    o->l = l;
    o->look = look;
    o->opts = *opts;
    o->spots.look = look;
    o->spots.fields = f;
    o->spots.pad_dso = opts->pad_dso;
    *out = o;
    return PTS_OK;
}

void out_perf_free(struct out_perf *o)
{
    mem_free(o);
}

/* --- Places --- */

const struct place *out_perf_place(struct out_perf *o, const struct who *w,
                                   uint8_t cpumode, uint64_t ip)
{
    return &spot_at(&o->spots, w, cpumode, ip)->place;
}

const struct place *out_perf_target(struct out_perf *o, const struct who *w,
                                    uint8_t cpumode, uint64_t addr)
{
    return &spot_at(&o->spots, w, cpumode | SPOT_TARGET, addr)->place;
}

static inline void put_spot(struct out_perf *o, const struct who *w, uint8_t how,
                            uint64_t ip, uint8_t class, struct text *t)
{
    spot_put(&o->spots, spot_at(&o->spots, w, how, ip), class, t);
}

/* --- The columns of every line --- */

/* The name of a thread without a number is lent for a moment only. */
static inline const char *comm_of(const struct out_perf *o, const struct who *w)
{
    const struct who_text *k = &o->who;

    if (k->len && k->thread == w->thread && k->epoch == w->epoch &&
        w->thread < WHO_NOBODY)
        return k->comm;
    return o->look->comm(o->look->ctx, w);
}

static void put_ids(const struct who *w, uint64_t on, struct text *t)
{
    if ((on & (F_(PID) | F_(TID))) == (F_(PID) | F_(TID))) {
        text_int(t, w->pid, 5);
        text_char(t, '/');
        text_intl(t, w->tid, 5);
        text_char(t, ' ');
    } else if (on & (F_(PID) | F_(TID))) {
        text_int(t, on & F_(PID) ? w->pid : w->tid, 5);
        text_char(t, ' ');
    }
}

/* Before a call chain the line is not aligned with others. */
static inline bool comm_is_bare(const struct out_perf *o, const struct evl_event *e)
{
    return o->opts.chains && e->has_chain && o->f->of[e->class].on & F_(IP);
}

static void put_who(const struct out_perf *o, const struct who *w, const char *comm,
                    uint64_t on, bool bare, struct text *t)
{
    if (on & F_(COMM)) {
        if (o->opts.latency)
            text_fmt(t, "%8.8s", comm);
        else if (bare)
            text_str(t, comm);
        else
            text_strw(t, comm, 16);
        text_char(t, ' ');
    }
    put_ids(w, on, t);
    if (!(on & F_(CPU)))
        return;
    if (o->opts.latency) {
        text_int(t, w->cpu, 3);
    } else {
        text_char(t, '[');
        text_int0(t, w->cpu, 3);
        text_char(t, ']');
    }
    text_char(t, ' ');
}

static inline void put_who_kept(struct out_perf *o, const struct who *w,
                                const struct evl_event *e, struct text *t)
{
    struct who_text *k = &o->who;
    const char *comm = comm_of(o, w);
    bool bare = comm_is_bare(o, e);

    if (k->len && k->comm == comm && k->tid == w->tid && k->cpu == w->cpu &&
        k->pid == w->pid && k->class == e->class && k->bare == bare) {
        text_put(t, k->text, k->len);
        return;
    }
    size_t before = t->len;
    put_who(o, w, comm, o->f->of[e->class].on, bare, t);
    size_t n = t->len - before;
    k->len = 0;
    if (t->failed || n > sizeof(k->text))
        return;
    memcpy(k->text, t->at + before, n);
    k->len = (uint8_t)n;
    k->comm = comm;
    k->thread = w->thread;
    k->epoch = w->epoch;
    k->pid = w->pid;
    k->tid = w->tid;
    k->cpu = w->cpu;
    k->class = e->class;
    k->bare = bare;
}

static inline void put_time(struct out_perf *o, uint64_t ns, struct text *t)
{
    uint64_t show = ns;

    if (o->opts.reltime) {
        if (!o->first_time)
            o->first_time = ns;
        show = ns - o->first_time;
    } else if (o->opts.deltatime) {
        show = o->last_time ? ns - o->last_time : 0;
        o->last_time = ns;
    }
    if (o->opts.ns)
        text_nsec(t, show);
    else
        text_usec(t, show);
    text_put(t, ": ", 2);
}

static inline void put_start(struct out_perf *o, const struct sample *s,
                             const struct evl_event *e, uint32_t record_type,
                             struct text *t)
{
    uint64_t on = o->f->of[e->class].on;

    if (on & (F_(COMM) | F_(PID) | F_(TID) | F_(CPU)))
        put_who_kept(o, &s->who, e, t);
    if (on & F_(MISC))
        out_misc(t, s->misc, record_type);
    if (on & F_(TOD))
        out_tod(t, &o->opts, s->time);
    if (on & F_(TIME))
        put_time(o, s->time, t);
}

void out_perf_start(struct out_perf *o, const struct sample *s, uint32_t record_type,
                    struct text *t)
{
    put_start(o, s, &o->l->ev.at[s->event], record_type, t);
}

static inline void put_flags(struct out_perf *o, uint32_t flags, struct text *t)
{
    struct flag_text *k = &o->flag[(flags ^ flags >> 6) % FLAG_TEXTS];

    if (k->known && k->flags == flags) {
        text_put(t, k->text, FLAG_TEXT);
        return;
    }
    size_t before = t->len;
    out_flags(t, flags);
    if (t->failed || t->len - before != FLAG_TEXT)
        return;
    memcpy(k->text, t->at + before, FLAG_TEXT);
    k->flags = flags;
    k->known = true;
}

/* --- callindent --- */

const char *out_perf_function(struct out_perf *o, const struct sample *s, uint64_t *ip)
{
    *ip = 0;
    if (s->flags & (IPF_CALL | IPF_TRACE_BEGIN)) {
        const struct place *to = NULL;
        if (o->l->ev.at[s->event].addr_is_code)
            to = out_perf_target(o, &s->who, s->cpumode, s->addr);
        if (to && to->sym)
            return to->sym;
        *ip = s->addr;
    } else if (s->flags & (IPF_RETURN | IPF_TRACE_END)) {
        const struct place *from = out_perf_place(o, &s->who, s->cpumode, s->ip);
        if (from->sym)
            return from->sym;
        *ip = s->ip;
    }
    return NULL;
}

static void put_callindent(struct out_perf *o, const struct sample *s, size_t depth,
                           uint64_t on, struct text *t)
{
    uint64_t ip;
    const char *name = out_perf_function(o, s, &ip);

    if (on & F_(DSO) && !(on & (F_(IP) | F_(ADDR)))) {
        text_char(t, '(');
        spot_dso(&o->spots, out_perf_place(o, &s->who, s->cpumode, s->ip), t);
        text_put(t, ")\t", 2);
    }
    size_t before = t->len;
    if (name || ip)
        text_spaces(t, depth * 4);
    if (name)
        text_str(t, name);
    else if (ip)
        text_hex(t, ip, 16);
    /* The width only changes when it must, to keep lines aligned. */
    size_t len = t->len - before;
    if (len > o->spacing || (len && len + 52 < o->spacing))
        o->spacing = (len + 4 + 31) / 32 * 32;
    if (len < o->spacing)
        text_spaces(t, o->spacing - len);
}

/* --- The end of a line --- */

static void put_srcline(const struct out_perf *o, const struct sample *s,
                        struct text *t)
{
    const struct place_query q = {&s->who, s->ip, s->cpumode};
    out_srcline(t, o->look, &q, "\n  ");
}

static void put_srccode(const struct out_perf *o, const struct sample *s,
                        struct text *t)
{
    const struct place_query q = {&s->who, s->ip, s->cpumode};
    out_srccode(t, o->look, &q);
}

static void put_disasm(const struct out_perf *o, const struct sample *s,
                       const struct place_insn *insn, struct text *t)
{
    const struct place_query q = {&s->who, s->ip, s->cpumode};
    text_put(t, "\t\t", 2);
    out_disasm(t, o->look, &q, insn);
}

static void put_insn(struct out_perf *o, const struct sample *s, uint64_t on,
                     struct text *t)
{
    uint8_t fetched[16];
    const uint8_t *insn = s->insn;
    size_t len = s->insn_len;

    if (!len && o->opts.native && s->ip && o->look->insn) {
        len = o->look->insn(o->look->ctx, &s->who, s->ip, fetched);
        insn = fetched;
    }
    if (on & F_(INSNLEN)) {
        text_put(t, " ilen: ", 7);
        text_dec(t, len, 0);
    }
    if (!len)
        return;
    if (on & F_(INSN) && o->opts.xed) {
        text_char(t, ' ');
        put_disasm(o, s, &(struct place_insn){insn, len, false}, t);
    } else if (on & F_(INSN)) {
        text_put(t, " insn:", 6);
        text_bytes(t, insn, len);
    }
    if (on & F_(DISASM))
        put_disasm(o, s, &(struct place_insn){insn, len, true}, t);
}

/* --- Lines --- */

static inline struct out_stack stack_of(struct out_perf *o, const struct sample *s,
                                        const struct evl_event *e)
{
    return (struct out_stack){&o->spots, &o->opts, s, e->class, o->f->of[e->class].on};
}

/* The lines of the call chain in the place of the ip; false: there is none. */
static inline bool put_chain(struct out_perf *o, const struct sample *s,
                             const struct evl_event *e, struct text *t)
{
    if (!s->stacks || !s->stacks->chain || !o->opts.chains)
        return false;
    struct out_stack stack = stack_of(o, s, e);
    text_char(t, '\n');
    out_chain(&stack, t);
    return true;
}

static inline void put_code(struct out_perf *o, const struct sample *s,
                            const struct evl_event *e, struct text *t)
{
    uint64_t on = o->f->of[e->class].on;

    if (on & (F_(INSN) | F_(INSNLEN) | F_(DISASM)))
        put_insn(o, s, on, t);
    if (on & F_BRSTACKINSNS && s->stacks) {
        struct out_stack stack = stack_of(o, s, e);
        out_brinsn(&stack, t);
    }
}

static void branch_line(struct out_perf *o, const struct sample *s,
                        const struct evl_event *e, size_t depth, struct text *t)
{
    const struct field_class *c = &o->f->of[e->class];
    uint64_t on = c->on;

    if (on & F_(CALLINDENT))
        put_callindent(o, s, depth, on, t);
    bool chain = on & F_(IP) && put_chain(o, s, e, t);
    if (on & F_(IP) && !chain) {
        text_char(t, ' ');
        put_spot(o, &s->who, s->cpumode, s->ip, e->class, t);
    }
    if (on & F_(ADDR) || (e->attr.sample_type & PERF_SAMPLE_ADDR && !c->user_set)) {
        text_put(t, " => ", 4);
        put_spot(o, &s->who, s->cpumode | SPOT_TARGET, s->addr, e->class, t);
    }
    if (on & F_(IPC))
        out_ipc(t, s);
    if (on & F_(IP) && on & F_(SRCLINE) && !chain)
        put_srcline(o, s, t);
    put_code(o, s, e, t);
    text_char(t, '\n');
    if (on & F_(SRCCODE))
        put_srccode(o, s, t);
}

static const struct sample_more *more_of(const struct sample *s)
{
    static const struct sample_more none = {0};

    return s->more ? s->more : &none;
}

static void put_regs(const struct sample *s, uint64_t on, struct text *t)
{
    if (on & F_(IREGS))
        out_regs(t, &more_of(s)->iregs);
    if (on & F_(UREGS))
        out_regs(t, &more_of(s)->uregs);
}

static void put_memory(struct out_perf *o, const struct sample *s, uint64_t on,
                       struct text *t)
{
    const struct sample_more *m = more_of(s);

    if (on & F_(DATA_SRC))
        out_data_src(t, m->data_src, &o->data_src_width);
    if (on & F_(WEIGHT))
        text_dec(t, m->weight, 16);
    if (on & F_(INS_LAT))
        text_dec(t, m->ins_lat & 0xffff, 16);
}

static void put_pages(const struct sample *s, uint64_t on, struct text *t)
{
    const struct sample_more *m = more_of(s);

    if (on & F_(PHYS_ADDR))
        text_hex(t, m->phys_addr, 16);
    if (on & F_(DATA_PAGE_SIZE))
        out_page_size(t, m->data_page_size);
    if (on & F_(CODE_PAGE_SIZE))
        out_page_size(t, m->code_page_size);
}

static void put_addr(struct out_perf *o, const struct sample *s,
                     const struct evl_event *e, struct text *t)
{
    if (e->addr_is_code)
        put_spot(o, &s->who, s->cpumode | SPOT_TARGET, s->addr, e->class, t);
    else
        text_hex(t, s->addr, 16);
}

static bool is_bpf_output(const struct evl_event *e)
{
    enum { BPF_OUTPUT = 10 };
    return e->attr.type == ATTR_SOFTWARE && e->attr.config == BPF_OUTPUT;
}

static void other_line(struct out_perf *o, const struct sample *s,
                       const struct evl_event *e, struct text *t)
{
    uint64_t on = o->f->of[e->class].on;

    if (on & F_(TRACE) && s->raw.ptr && e->class == CLASS_TRACEPOINT)
        tracepoint_put(o->opts.tracepoints, o->look, &s->who, e->attr.config,
                       (struct pts_bytes){s->raw.ptr, s->raw.len}, t);
    if (e->attr.type == ATTR_SYNTH && on & F_(SYNTH))
        out_synth(t, e->attr.config, s->raw);
    if (on & F_(ADDR))
        put_addr(o, s, e, t);
    put_memory(o, s, on, t);
    if (on & F_(IP) && !put_chain(o, s, e, t)) {
        text_char(t, ' ');
        put_spot(o, &s->who, s->cpumode, s->ip, e->class, t);
        if (on & F_(SRCLINE))
            put_srcline(o, s, t);
    }
    put_regs(s, on, t);
    if (on & (F_(BRSTACK) | F_(BRSTACKSYM) | F_(BRSTACKOFF)) && s->stacks) {
        struct out_stack stack = stack_of(o, s, e);
        out_brstack(&stack, t);
    }
    if (on & F_(BPF_OUTPUT) && is_bpf_output(e))
        out_bpf(t, s->raw);
    put_code(o, s, e, t);
    put_pages(s, on, t);
    if (on & F_(IPC))
        out_ipc(t, s);
    text_char(t, '\n');
    if (on & F_(SRCCODE))
        put_srccode(o, s, t);
}

void out_perf_sample(struct out_perf *o, const struct sample *s, size_t depth,
                     struct text *t)
{
    const struct evl_event *e = &o->l->ev.at[s->event];
    uint64_t on = o->f->of[e->class].on;

    if (!on)
        return;
    put_start(o, s, e, 9, t);
    if (on & F_(PERIOD)) {
        text_dec(t, s->period, 10);
        text_char(t, ' ');
    }
    if (on & F_(EVENT)) {
        if (!o->name_width)
            o->name_width = evl_name_width(o->l);
        text_strw(t, e->name, o->name_width);
        text_put(t, ": ", 2);
    }
    if (o->f->flags)
        put_flags(o, s->flags, t);
    if (e->is_branch)
        branch_line(o, s, e, depth, t);
    else
        other_line(o, s, e, t);
}

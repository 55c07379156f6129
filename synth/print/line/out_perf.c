/* out_perf.c - samples as the lines of perf script.
 *
 * SPDX-License-Identifier: MIT
 *
 * A branch line is mostly text that was printed before: the thread, the flags, both
 * places (out_spot.h).  So each of these is kept as finished text and copied; only
 * times and counts are made anew.
 *
 * The columns from left to right, of which -F turns on a part:
 *
 *     all       comm pid/tid [cpu] misc tod time: period event: flags
 *     branches  callindent  ip => addr  ipc srcline  insn disasm brstackinsn
 *     others    trace synth addr data_src weight ins_lat  ip (or call chain) srcline
 *               regs brstack bpf-output  insn disasm  phys_addr page sizes  ipc
 *
 * Branches have an order of their own in perf, too: that is why there are two
 * functions, branch_line and other_line, and not one with more conditions.
 */
#include "synth/print/line/out_perf.h"

#include "decoder/base/arena.h"
#include "synth/print/line/out_kept.h"
#include "synth/print/line/out_stack.h"
#include "synth/print/line/out_synth.h"
#include "synth/print/tracepoint/tracepoint.h"

static bool shows_calls(const struct fields *f)
{
    for (size_t i = 0; i < CLASSES; i++) {
        if (f->of[i].on & F_(CALLINDENT))
            return true;
    }
    return false;
}

pts_status out_perf_new(const struct fields *f, const struct evlist *l,
                        struct places *places, const struct out_opts *opts,
                        struct out_perf **out)
{
    struct out_perf *o = mem_zalloc(1, sizeof(*o));

    if (!o)
        return PTS_E_NOMEM;
    o->f = f;
    o->l = l;
    o->look = places->look;
    o->opts = *opts;
    o->spots.places = places;
    o->spots.fields = f;
    o->spots.pad_dso = opts->pad_dso;
    out_indent_is(&o->indent, 0);
    pts_status st = shows_calls(f) ? call_texts_new(&o->calls) : PTS_OK;
    if (st < 0) {
        out_perf_free(o);
        return st;
    }
    *out = o;
    return PTS_OK;
}

void out_perf_free(struct out_perf *o)
{
    if (!o)
        return;
    call_texts_free(o->calls);
    spots_free(&o->spots);
    mem_free(o);
}

/* --- The end of a line --- */

/* These three ask for the sample's own ip; the text is kept by who answers, not
 * here. */
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

/* Made samples bring their instruction; for others it is read from the file, if the
 * code is that of such a machine. */
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

static inline void put_ip(struct out_perf *o, const struct sample *s, uint8_t class,
                          struct text *t)
{
    const struct spot_ask ask = ask_ip(s, class);

    text_char(t, ' ');
    spot_put(&o->spots, &ask, t);
}

static inline void put_target(struct out_perf *o, const struct sample *s, uint8_t class,
                              struct text *t)
{
    const struct spot_ask ask = ask_target(s, class);

    spot_put(&o->spots, &ask, t);
}

static inline struct out_stack stack_of(struct out_perf *o, const struct sample *s,
                                        const struct evl_event *e)
{
    return (struct out_stack){.spots = &o->spots,
                              .look = o->look,
                              .opts = &o->opts,
                              .sample = s,
                              .class = e->class,
                              .on = o->f->of[e->class].on};
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

static inline void branch_line(struct out_perf *o, const struct sample *s,
                               const struct evl_event *e, struct text *t)
{
    uint64_t on = o->f->of[e->class].on;

    if (on & F_(CALLINDENT))
        line_callindent(o, s, e, t);
    /* A chain ends the line and brings its own source lines, so the srcline column
     * goes, too. */
    bool chain = on & F_(IP) && put_chain(o, s, e, t);
    if (on & F_(IP) && !chain)
        put_ip(o, s, e->class, t);
    if (shows_target(o, e)) {
        text_put(t, " => ", 4);
        put_target(o, s, e->class, t);
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

/* Samples made from the trace rarely have these, so they are behind a pointer: a batch
 * of branches stays small.  Zeros stand for what is not there. */
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
    /* perf keeps 16 bits of it. */
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

/* As a place where it means code, else as a number. */
static void put_addr(struct out_perf *o, const struct sample *s,
                     const struct evl_event *e, struct text *t)
{
    if (e->addr_is_code)
        put_target(o, s, e->class, t);
    else
        text_hex(t, s->addr, 16);
}

/* PERF_COUNT_SW_BPF_OUTPUT: the only software event whose raw data perf prints. */
static bool is_bpf_output(const struct evl_event *e)
{
    enum { BPF_OUTPUT = 10 };
    return e->attr.type == PTS_TYPE_SOFTWARE && e->attr.config == BPF_OUTPUT;
}

static void put_trace(const struct out_perf *o, const struct sample *s,
                      const struct evl_event *e, struct text *t)
{
    const struct pts_bytes raw = {s->raw.ptr, s->raw.len};
    const struct tracepoint_sample tp = {&s->who, e->attr.config, raw};

    tracepoint_put(o->opts.tracepoints, o->look, &tp, t);
}

static inline void other_line(struct out_perf *o, const struct sample *s,
                              const struct evl_event *e, struct text *t)
{
    uint64_t on = o->f->of[e->class].on;

    if (on & F_(TRACE) && s->raw.ptr && e->class == CLASS_TRACEPOINT)
        put_trace(o, s, e, t);
    if (e->attr.type == PTS_TYPE_SYNTH && on & F_(SYNTH))
        out_synth(t, e->attr.config, s->raw);
    if (on & F_(ADDR))
        put_addr(o, s, e, t);
    put_memory(o, s, on, t);
    if (on & F_(IP) && !put_chain(o, s, e, t)) {
        put_ip(o, s, e->class, t);
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

/* Thread, time and event, which may be kept for the next line. */
static inline void put_start_kept(struct out_perf *o, const struct sample *s,
                                  const struct evl_event *e, struct text *t)
{
    const uint64_t on = o->f->of[e->class].on;
    const size_t from = t->len;

    line_start(o, s, e, PTS_RECORD_SAMPLE, t);
    const size_t time_end = t->len;
    if (on & (F_(PERIOD) | F_(EVENT)))
        line_event(o, s, e, t);
    o->start->shape = (uint8_t)kept_shape(o, e);
    o->start->digits = o->opts.ns ? 9 : 6;
    if (o->start->shape == LINE_OTHER)
        o->start->len = 0;
    else
        start_keep(o->start, s, t, from, time_end - strlen(TIME_END));
}

/* An event of a class without fields prints nothing at all. */
void out_perf_sample(struct out_perf *o, const struct sample *s, struct text *t)
{
    const struct evl_event *e = &o->l->ev.at[s->event];

    if (kept_line(o, s, t) || !o->f->of[e->class].on)
        return;
    put_start_kept(o, s, e, t);
    if (o->f->flags)
        line_flags(o, s->flags, t);
    if (e->is_branch)
        branch_line(o, s, e, t);
    else
        other_line(o, s, e, t);
}

uint32_t out_perf_kept(struct out_perf *o, const struct series *of, uint32_t from,
                       struct text *t)
{
    return kept_lines(o, of, from, t);
}

/* --- Lines by several at once ------------------------------------------------------- */

/* Columns as wide as those of the lines before, and what is read from files or kept by who
 * answers: source lines, instructions as text, formats of tracepoints. */
#define IN_TURN_FIELDS                                                                 \
    (F_(DATA_SRC) | F_(SRCLINE) | F_(SRCCODE) | F_(DISASM) | F_BRSTACKINSNS)

struct out_settled out_perf_settled(const struct out_perf *o)
{
    return (struct out_settled){o->name_width, o->first_time};
}

void out_perf_settle(struct out_perf *o, const struct out_settled *s)
{
    o->name_width = s->name_width;
    o->first_time = s->first_time;
}

bool out_perf_parts(const struct out_perf *o)
{
    for (size_t i = 0; i < o->l->ev.len; i++) {
        if (o->f->of[o->l->ev.at[i].class].on & IN_TURN_FIELDS)
            return false;
    }
    /* Inlined functions are found by debug information. */
    return !o->opts.deltatime && !o->opts.xed && !(o->opts.chains && o->opts.inlined);
}

static bool indents(const struct out_perf *o, const struct sample *s)
{
    const struct evl_event *e = &o->l->ev.at[s->event];

    return e->is_branch && o->f->of[e->class].on & F_(CALLINDENT);
}

void out_perf_leave(struct out_perf *o, const struct sample *s)
{
    if (indents(o, s))
        out_indent_line(&o->indent, line_callindent_len(o, s));
}

struct out_indent *out_perf_indent(struct out_perf *o)
{
    return &o->indent;
}

bool out_perf_indents(const struct out_perf *o)
{
    return o->calls != NULL;
}

bool out_perf_is_apart(const struct out_perf *o, const struct sample *s)
{
    const struct evl_event *e = &o->l->ev.at[s->event];
    const uint64_t on = o->f->of[e->class].on;

    if (on & F_(TRACE) && e->class == CLASS_TRACEPOINT)
        return false;
    if (on & (F_(INSN) | F_(INSNLEN)) && !s->insn_len)
        return false;
    if (indents(o, s) && o->indent.count != 1)
        return false;
    return (o->name_width || !(on & F_(EVENT))) &&
           (o->first_time || !(o->opts.reltime && on & F_(TIME)));
}

void out_perf_start(struct out_perf *o, const struct sample *s, uint32_t record_type,
                    struct text *t)
{
    line_start(o, s, &o->l->ev.at[s->event], record_type, t);
}

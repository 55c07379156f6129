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
#include "decoder/base/digits.h"
#include "synth/print/line/out_calls.h"
#include "synth/print/line/out_cols.h"
#include "synth/print/line/out_indent.h"
#include "synth/print/line/out_spot.h"
#include "synth/print/line/out_stack.h"
#include "synth/print/line/out_start.h"
#include "synth/print/line/out_synth.h"
#include "synth/print/tracepoint/tracepoint.h"
#include "synth/sample/called.h"

#include <inttypes.h>
#include <stdio.h>

/* Sizes of texts that are kept.  FLAG_TEXT is what out_flags writes when nothing sticks
 * out: two blanks, 21 columns and a blank.  Whatever is longer is not kept, only made
 * again. */
enum {
    FLAG_TEXTS = 64,
    FLAG_TEXT = 24,
    WHO_TEXT = 64,
    TIME_TEXT = 32,
    EVENT_TEXTS = 4,
    EVENT_TEXT = 64
};

enum { SECOND = 1000000000 };
#define TIME_END ": "

/* One slot of a small cache that forgets: who comes to the same slot later takes it. */
struct flag_text {
    uint32_t flags;
    bool known;
    char text[FLAG_TEXT];
};

/* comm, pid, tid and cpu of the last line. */
struct who_text {
    const char *comm;
    uint32_t thread, epoch, guest; /* whose comm it is */
    int32_t pid, tid, cpu;
    uint8_t class;
    bool bare;   /* comm is not padded */
    uint8_t len; /* 0: nothing kept */
    uint32_t event;
    char text[WHO_TEXT + PUT_WIDE];
};

/* The time column that was printed last. */
struct time_text {
    uint64_t ns, second; /* second: when the one in it began, in ns */
    uint8_t len;         /* 0: nothing kept */
    char text[TIME_TEXT + PUT_WIDE];
};

/* The columns of period and event of one event. */
struct event_text {
    uint64_t period;
    uint32_t event;
    uint8_t len; /* 0: nothing kept */
    char text[EVENT_TEXT + PUT_WIDE];
};

/* What goes on from line to line.  Widths only ever depend on lines before, as in perf:
 * so the same samples in another order would be aligned otherwise. */
struct out_perf {
    const struct fields *f;
    const struct evlist *l;
    const struct lookup *look;
    struct out_opts opts;
    size_t name_width; /* of the event column: fixed by the first line that has one */
    struct out_indent indent;
    struct call_texts *calls; /* NULL: the column is not shown */
    size_t data_src_width;
    uint64_t first_time, last_time;
    struct out_start start;
    struct who_text who;
    struct time_text time;
    struct event_text event[EVENT_TEXTS];
    struct flag_text flag[FLAG_TEXTS];
    struct spots spots;
};

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
    pts_status st = spots_new(&o->spots);
    if (st == PTS_OK && shows_calls(f))
        st = call_texts_new(&o->calls);
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

/* --- The columns of every line --- */

/* The name of a thread without a number is lent for a moment only. */
static inline const char *comm_of(const struct out_perf *o, const struct who *w)
{
    const struct who_text *k = &o->who;

    /* A name of the side-band stays the same within an epoch (I2), so the pointer
     * does. */
    if (k->len && k->thread == w->thread && k->epoch == w->epoch &&
        k->guest == w->guest && w->thread < WHO_NOBODY)
        return k->comm;
    return o->look->comm(o->look->ctx, w);
}

/* pid and tid share a column: "pid/tid" with both, and alone each is aligned alike. */
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

static void put_who(const struct out_perf *o, const struct who *w,
                    const struct evl_event *e, const char *comm, struct text *t)
{
    uint64_t on = o->f->of[e->class].on;

    if (on & F_(COMM)) {
        /* --latency has narrow columns, and cuts what is longer. */
        if (o->opts.latency)
            text_fmt(t, "%8.8s", comm);
        else if (comm_is_bare(o, e))
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

/* Samples of one thread follow each other, so its columns are those of the line
 * before. */
static void put_who_kept(struct out_perf *o, const struct sample *s,
                         const struct evl_event *e, struct text *t)
{
    struct who_text *k = &o->who;
    const struct who *w = &s->who;
    const char *comm = comm_of(o, w);
    bool bare = comm_is_bare(o, e);

    /* Compared by pointer: an equal name elsewhere costs a new text, but is never
     * wrong. */
    if (k->len && k->comm == comm && k->tid == w->tid && k->cpu == w->cpu &&
        k->pid == w->pid && k->guest == w->guest && k->class == e->class &&
        k->bare == bare) {
        text_put(t, k->text, k->len);
    } else {
        size_t before = t->len;
        put_who(o, w, e, comm, t);
        k->len = text_kept(t, before, k->text, WHO_TEXT);
    }
    k->comm = comm;
    k->thread = w->thread;
    k->epoch = w->epoch;
    k->event = s->event;
    k->guest = w->guest;
    k->pid = w->pid;
    k->tid = w->tid;
    k->cpu = w->cpu;
    k->class = e->class;
    k->bare = bare;
}

/* Dividing a time into digits takes longer than any other column; but between two packets
 * all have one time, and from packet to packet only the digits behind the point differ. */
static inline bool time_is_kept(struct out_perf *o, uint64_t ns)
{
    struct time_text *k = &o->time;
    uint64_t part = ns - k->second;

    if (k->len && k->ns == ns)
        return true;
    /* The last second before 2^64 ns is short: 0 is less than one behind its start. */
    if (!k->len || ns < k->second || part >= SECOND)
        return false;
    k->ns = ns;
    put_dec_end(k->text + k->len - strlen(TIME_END),
                (uint32_t)(o->opts.ns ? part : part / 1000), o->opts.ns ? 9 : 6);
    return true;
}

static inline void put_digits(struct out_perf *o, uint64_t ns, struct text *t)
{
    struct time_text *k = &o->time;

    if (time_is_kept(o, ns)) {
        text_put(t, k->text, k->len);
        return;
    }
    size_t before = t->len;
    if (o->opts.ns)
        text_nsec(t, ns);
    else
        text_usec(t, ns);
    text_str(t, TIME_END);
    k->len = text_kept(t, before, k->text, TIME_TEXT);
    k->ns = ns;
    k->second = ns - ns % SECOND;
}

/* --reltime counts from the first sample that is printed, --deltatime from the one
 * before.  A time of 0 counts as none of these, as perf takes 0 for "not yet set". */
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
    put_digits(o, show, t);
}

/* Which guest, where its own records tell. */
static inline bool shows_machine(const struct who *w, uint64_t on)
{
    return w->machine_pid && on & (F_(MACHINE_PID) | F_(VCPU));
}

static void put_machine(const struct who *w, uint64_t on, struct text *t)
{
    if (on & F_(MACHINE_PID)) {
        text_put(t, "VM:", 3);
        text_int(t, w->machine_pid, 5);
        text_char(t, ' ');
    }
    if (on & F_(VCPU)) {
        text_put(t, "VCPU:", 5);
        text_int0(t, w->vcpu, 3);
        text_char(t, ' ');
    }
}

/* What samples share with the lines of records, which begin alike (out_perf_start). */
static inline void put_start(struct out_perf *o, const struct sample *s,
                             const struct evl_event *e, uint32_t record_type,
                             struct text *t)
{
    uint64_t on = o->f->of[e->class].on;

    if (shows_machine(&s->who, on))
        put_machine(&s->who, on, t);
    if (on & (F_(COMM) | F_(PID) | F_(TID) | F_(CPU)))
        put_who_kept(o, s, e, t);
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

static void put_event(struct out_perf *o, const struct sample *s,
                      const struct evl_event *e, struct text *t)
{
    uint64_t on = o->f->of[e->class].on;

    if (on & F_(PERIOD)) {
        text_dec(t, s->period, 10);
        text_char(t, ' ');
    }
    if (on & F_(EVENT)) {
        /* The width is that of the longest name known when the first line is printed.
         * Names that turn up later, from the trace, do not move the column. */
        if (!o->name_width)
            o->name_width = evl_name_width(o->l);
        text_strw(t, e->name, o->name_width);
        text_put(t, ": ", 2);
    }
}

static inline bool event_is_kept(const struct out_perf *o, const struct sample *s)
{
    const struct event_text *k = &o->event[s->event % EVENT_TEXTS];

    return k->len && k->event == s->event && k->period == s->period;
}

/* All branches have a period of 1. */
static inline void put_event_kept(struct out_perf *o, const struct sample *s,
                                  const struct evl_event *e, struct text *t)
{
    struct event_text *k = &o->event[s->event % EVENT_TEXTS];

    if (event_is_kept(o, s)) {
        text_put(t, k->text, k->len);
        return;
    }
    size_t before = t->len;
    put_event(o, s, e, t);
    k->len = text_kept(t, before, k->text, EVENT_TEXT);
    k->event = s->event;
    k->period = s->period;
}

/* There are few combinations; the text of each is kept, at the place that its bits
 * lead to. */
static inline struct flag_text *flag_text_of(struct out_perf *o, uint32_t flags)
{
    return &o->flag[(flags ^ flags >> 6) % FLAG_TEXTS];
}

static inline bool flag_is_kept(const struct flag_text *k, uint32_t flags)
{
    return k->known && k->flags == flags;
}

static inline void put_flags(struct out_perf *o, uint32_t flags, struct text *t)
{
    struct flag_text *k = flag_text_of(o, flags);

    if (flag_is_kept(k, flags)) {
        text_put(t, k->text, FLAG_TEXT);
        return;
    }
    size_t before = t->len;
    out_flags(t, flags);
    /* An odd combination, or no memory: such a text must not be found again. */
    if (t->failed || t->len - before != FLAG_TEXT)
        return;
    memcpy(k->text, t->at + before, FLAG_TEXT);
    k->flags = flags;
    k->known = true;
}

/* --- callindent --- */

/* The name that is not there may be that of symbols which nobody has read yet. */
static bool is_unread(const struct out_perf *o, const struct sample *s,
                      const struct evl_event *e)
{
    bool calls = s->flags & (PTS_FLAG_CALL | PTS_FLAG_TRACE_BEGIN);
    uint8_t how = calls ? s->cpumode | PLACE_TARGET : s->cpumode;

    return (!calls || e->addr_is_code) &&
           place_at(o->spots.places, &s->who, how, calls ? s->addr : s->ip)->unread;
}

/* The name of the function that a branch calls or returns to, indented by the depth of
 * the stack.  Columns behind it would dance with each call, so the field has a width
 * that runs. */
static void put_callindent(struct out_perf *o, const struct sample *s,
                           const struct evl_event *e, struct text *t)
{
    const uint64_t on = o->f->of[e->class].on;
    struct call_part head = {0}, name = {0};
    bool settled = true; /* all that was looked up was there */
    size_t before = t->len;
    uint64_t ip;

    name.from = called_function(o->spots.places, o->l, s, &ip);
    if (on & F_(DSO) && !(on & (F_(IP) | F_(ADDR)))) {
        const struct place *p = place_at(o->spots.places, &s->who, s->cpumode, s->ip);
        text_char(t, '(');
        spot_dso(&o->spots, p, t);
        text_put(t, ")\t", 2);
        head = (struct call_part){.from = p->dso, .len = t->len - before};
        settled = !p->unread;
    }
    size_t begin = t->len;
    if (name.from || ip)
        text_spaces(t, (size_t)s->depth * 4);
    size_t at = t->len;
    if (name.from)
        text_str(t, name.from);
    else if (ip)
        text_hex(t, ip, 16);
    name.len = t->len - at;
    size_t len = t->len - begin;
    out_indent_line(&o->indent, len);
    if (len < o->indent.at[0])
        text_spaces(t, o->indent.at[0] - len);
    struct call_key key;
    if (t->failed || !settled || !call_key_of(s, e, &key) ||
        (ip && is_unread(o, s, e)) || call_texts_find(o->calls, &key))
        return;
    head.text = t->at + before;
    name.text = t->at + at;
    call_texts_keep(o->calls, &key, &head, &name);
}

/* How long that is. */
static size_t callindent_len(const struct out_perf *o, const struct sample *s)
{
    uint64_t ip;
    const char *name = called_function(o->spots.places, o->l, s, &ip);
    char digits[24];

    if (!name && !ip)
        return 0;
    return (size_t)s->depth * 4 +
           (name ? strlen(name)
                 : (size_t)snprintf(digits, sizeof(digits), "%16" PRIx64, ip));
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

static inline struct spot_ask ask_ip(const struct sample *s, uint8_t class)
{
    return (struct spot_ask){&s->who, s->ip, s->cpumode, class};
}

/* The target may be in another mode than the branch: a syscall goes into the kernel. */
static inline struct spot_ask ask_target(const struct sample *s, uint8_t class)
{
    return (struct spot_ask){&s->who, s->addr, s->cpumode | PLACE_TARGET, class};
}

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

/* perf prints the target of a branch also when addr is off, as long as nobody has
 * said which columns are wanted. */
static inline bool shows_target(const struct out_perf *o, const struct evl_event *e)
{
    const struct field_class *c = &o->f->of[e->class];

    return c->on & F_(ADDR) || (e->attr.sample_type & PTS_SAMPLE_ADDR && !c->user_set);
}

static inline void branch_line(struct out_perf *o, const struct sample *s,
                               const struct evl_event *e, struct text *t)
{
    uint64_t on = o->f->of[e->class].on;

    if (on & F_(CALLINDENT))
        put_callindent(o, s, e, t);
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

/* --- Lines of which all parts are kept --- */

#define F_WHO        (F_(COMM) | F_(PID) | F_(TID) | F_(CPU))
#define START_FIELDS (F_WHO | F_(TIME) | F_(PERIOD) | F_(EVENT))
#define PLAIN_FIELDS (START_FIELDS | F_(IP) | F_(SYM) | F_(SYMOFF) | F_(DSO) | F_(INSN))
/* Symbols are shown with an address only. */
#define CALL_FIELDS (START_FIELDS | F_(SYM) | F_(SYMOFF) | F_(DSO) | F_(CALLINDENT))

/* What lines of an event are behind thread, time and event, as far as that is kept. */
enum line_shape {
    LINE_OTHER,
    LINE_IP,        /* ip and instruction, or some of these */
    LINE_IP_TARGET, /* ... and the target of a branch */
    LINE_CALL       /* flags and callindent */
};

/* " => ", " insn:", and a blank or a line's end here and there. */
enum {
    KEPT_LINE = START_TEXT + 2 * SPOT_TEXT + 64 + PUT_WIDE,
    KEPT_CALL = START_TEXT + FLAG_TEXT + 2 * CALL_TEXT + 64 + PUT_WIDE
};

static enum line_shape shape_of(const struct out_perf *o, const struct evl_event *e)
{
    const uint64_t on = o->f->of[e->class].on;
    const bool target = e->is_branch && shows_target(o, e);

    if (!(on & F_(TIME)) || !(on & F_WHO) || o->opts.reltime || o->opts.deltatime ||
        (on & F_(INSN) && o->opts.xed))
        return LINE_OTHER;
    if (e->is_branch && on & F_(CALLINDENT))
        return on & ~CALL_FIELDS || target ? LINE_OTHER : LINE_CALL;
    if (on & ~(PLAIN_FIELDS | (e->is_branch ? F_(ADDR) : 0)) || !(on & F_(IP)) ||
        o->f->flags)
        return LINE_OTHER;
    return target ? LINE_IP_TARGET : LINE_IP;
}

/* Thread, time and event, which may be kept for the next line. */
static inline void put_start_kept(struct out_perf *o, const struct sample *s,
                                  const struct evl_event *e, struct text *t)
{
    const uint64_t on = o->f->of[e->class].on;
    const size_t from = t->len;

    put_start(o, s, e, PTS_RECORD_SAMPLE, t);
    const size_t time_end = t->len;
    if (on & (F_(PERIOD) | F_(EVENT)))
        put_event_kept(o, s, e, t);
    o->start.shape = (uint8_t)shape_of(o, e);
    o->start.digits = o->opts.ns ? 9 : 6;
    if (o->start.shape == LINE_OTHER)
        o->start.len = 0;
    else
        start_keep(&o->start, s, t, from, time_end - strlen(TIME_END));
}

/* " insn: 48 89 e5": of up to 15 bytes, and one more byte is written. */
static inline char *put_insn_bytes(char *p, const uint8_t *insn, unsigned n)
{
    p = put_mem(p, " insn:", 6);
    for (unsigned i = 0; i < n; i++)
        p = put_hex2(put_char(p, ' '), insn[i]);
    return p;
}

/* The two below: false, one of the parts is not kept; then nothing is written. */
static inline bool put_kept(struct out_perf *o, const struct sample *s, uint8_t class,
                            bool target, struct text *t)
{
    const bool insn = o->f->of[class].on & F_(INSN);
    const struct spot_ask ask = ask_ip(s, class), ask_to = ask_target(s, class);
    const struct spot *ip, *to = NULL;

    if (s->stacks || (insn && !s->insn_len))
        return false;
    ip = spot_find(&o->spots, &ask);
    if (target) {
        to = spot_find(&o->spots, &ask_to);
        if (!to)
            return false;
    }
    char *p = ip ? text_room(t, KEPT_LINE) : NULL, *from = p;
    if (!p)
        return false;
    p = start_put(&o->start, p);
    p = put_wide(put_char(p, ' '), o->spots.pool + ip->text, ip->len);
    if (to)
        p = put_wide(put_mem(p, " => ", 4), o->spots.pool + to->text, to->len);
    if (insn)
        p = put_insn_bytes(p, s->insn, s->insn_len);
    t->len += (size_t)(put_char(p, '\n') - from);
    return true;
}

static inline bool put_kept_call(struct out_perf *o, const struct sample *s,
                                 const struct evl_event *e, struct text *t)
{
    const struct flag_text *flags = flag_text_of(o, s->flags);
    struct call_key key;

    if ((o->f->flags && !flag_is_kept(flags, s->flags)) || !call_key_of(s, e, &key))
        return false;
    const struct call *c = call_texts_find(o->calls, &key);
    if (!c)
        return false;
    const size_t in = c->name_len ? (size_t)s->depth * 4 : 0, len = in + c->name_len;
    char *p = text_room(t, KEPT_CALL + len + INDENT_SLACK + o->indent.at[0]), *from = p;
    if (!p)
        return false;
    out_indent_line(&o->indent, len);
    const size_t width = o->indent.at[0];
    p = start_put(&o->start, p);
    if (o->f->flags)
        p = put_mem(p, flags->text, FLAG_TEXT);
    p = put_wide(p, o->calls->pool + c->head, c->head_len);
    p = put_wide(put_blanks(p, in), o->calls->pool + c->name, c->name_len);
    p = put_blanks(p, len < width ? width - len : 0);
    t->len += (size_t)(put_char(p, '\n') - from);
    return true;
}

static inline bool put_line_kept(struct out_perf *o, const struct sample *s,
                                 const struct evl_event *e, struct text *t)
{
    if (!start_is(&o->start, s))
        return false;
    switch ((enum line_shape)o->start.shape) {
    case LINE_IP:
        return put_kept(o, s, e->class, false, t);
    case LINE_IP_TARGET:
        return put_kept(o, s, e->class, true, t);
    case LINE_CALL:
        return put_kept_call(o, s, e, t);
    case LINE_OTHER:
        break;
    }
    return false;
}

/* An event of a class without fields prints nothing at all. */
void out_perf_sample(struct out_perf *o, const struct sample *s, struct text *t)
{
    const struct evl_event *e = &o->l->ev.at[s->event];

    if (put_line_kept(o, s, e, t) || !o->f->of[e->class].on)
        return;
    put_start_kept(o, s, e, t);
    if (o->f->flags)
        put_flags(o, s->flags, t);
    if (e->is_branch)
        branch_line(o, s, e, t);
    else
        other_line(o, s, e, t);
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
        out_indent_line(&o->indent, callindent_len(o, s));
}

struct out_indent *out_perf_indent(struct out_perf *o)
{
    return &o->indent;
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

/* maker_event.c - makes samples from what the decoder tells, in perf's order.
 *
 * SPDX-License-Identifier: MIT
 *
 *     PEBS records, then each kind in its turn (made.def): evt ... ptwrite
 *     -> call stack -> branches
 *
 * What a sample says of its instruction (flags, length) is that of the event, whatever
 * kind of sample it is; only power and ptwrite samples without an ip clear the flags.
 *
 * Nothing in here decides order: events come in perf's order (I4), and what one event
 * leads to goes into the batch in the order above.  Nothing is printed or resolved
 * either.
 *
 * --itrace=sN leaves out the first N samples: maker_skips counts them.  A sample that
 * is left out later, by a filter, has been counted all the same.
 */
#include "synth/sample/maker.h"

#include "synth/sample/event_flags.h"
#include "synth/sample/fault.h"
#include "synth/sample/maker_queue.h"

#include <ptscript/sample.h>

#include <assert.h>
#include <string.h>

/* --- One event on its way through ------------------------------------------------- */

struct event_in {
    struct maker *m;
    struct maker_queue *q;
    const struct pt_event *ev;
    const struct event_batch *batch;
    const struct pt_extra *x;
    const struct whose *whose;
    struct sample base; /* what all samples of the event have in common */
};

/* Where the branch came from decides, since that is the sample's ip; the target only
 * when the trace begins there. */
static inline bool in_guest(const struct decode_plan *d, const struct pt_event *ev)
{
    return ev->flags & (ev->from ? EVF_FROM_NR : EVF_TO_NR) && !d->one_machine;
}

static inline uint64_t time_of(const struct maker *m, const struct pt_event *ev)
{
    const struct decode_plan *d = &m->plan->decode;

    return d->timeless ? 0 : tsc_to_ns(ev->tsc, &d->clock);
}

static inline const struct who *who_of(const struct whose *w, const struct pt_event *ev,
                                       bool guest)
{
    if (guest)
        return &w->guest;
    return ev->to && ev->flags & EVF_TO_NR ? &w->entering : &w->host;
}

/* An interrupt or an abort is no instruction: what stands at its address did not branch. */
static inline uint8_t insn_len_of(const struct pt_event *ev)
{
    return ev->flags & (EVF_TX_ABORT | EVF_ASYNC) ? 0 : ev->ilen;
}

static inline void base_fill(const struct event_in *in, struct sample *to)
{
    const struct pt_event *ev = in->ev;
    const struct decode_plan *d = &in->m->plan->decode;
    bool guest = in_guest(d, ev);

    /* One by one: a literal is put together twice as slowly. */
    memset(to, 0, sizeof(*to));
    to->who = *who_of(in->whose, ev, guest);
    to->ip = ev->from;
    to->addr = ev->to;
    to->time = time_of(in->m, ev);
    to->period = 1;
    to->flags = event_flags(ev, d->cap_event_trace);
    to->cpumode = mode_at_addr(ev->from ? ev->from : ev->to, guest);
    to->insn_len = insn_len_of(ev);
    const uint8_t *bytes = batch_insn(in->batch, ev);
    if (bytes)
        memcpy(to->insn, bytes, sizeof(to->insn));
}

/* The event's sample, to be changed and delivered; NULL: no memory. */
static inline struct sample *next_sample(const struct event_in *in)
{
    struct sample *s = batch_room(&in->m->to->batch);

    if (s)
        *s = in->base;
    return s;
}

/* A packet that the recorded configuration does not have falls back on the first event,
 * as in perf. */
static inline pts_status send(struct event_in *in, struct sample *s,
                              enum made_event kind)
{
    uint32_t event = in->m->plan->made.event[kind];

    if (!in->m->plan->evl.ev.len)
        return PTS_OK;
    s->event = event == EVL_NONE ? 0 : event;
    /* Each counts as an event for perf's "Processed N events", also if a filter drops
     * it. */
    in->m->samples++;
    return deliver_made(in->m->to, s,
                        kind == MADE_BRANCHES ? SAMPLE_BRANCH : SAMPLE_MADE);
}

/* --- Samples with a payload ------------------------------------------------------- */

/* The raw data of a made event as perf would store them.  EVT is the longest. */
struct payload {
    uint32_t len;
    uint8_t at[4 + 16 * EVD_MAX];
};

static void add_u32(struct payload *p, uint32_t v)
{
    memcpy(p->at + p->len, &v, sizeof(v));
    p->len += sizeof(v);
}

static void add_u64(struct payload *p, uint64_t v)
{
    memcpy(p->at + p->len, &v, sizeof(v));
    p->len += sizeof(v);
}

/* Without an ip there is no instruction that flags could be of, but a change of the
 * interrupt flag has them all the same. */
static pts_status deliver_raw(struct event_in *in, enum made_event kind,
                              const struct payload *p)
{
    struct sample *s = next_sample(in);
    /* The payload is on our stack: the batch gets a copy, as it must need nothing else
     * (I9). */
    const void *kept = s ? batch_keep(&in->m->to->batch, p->at, p->len) : NULL;

    if (!kept)
        return PTS_E_NOMEM;
    if (!s->ip || kind == MADE_PSB)
        s->flags = 0;
    if (kind == MADE_IFLAG) {
        s->flags = in->base.flags;
        if (!(in->ev->what & EV_BRANCH))
            s->addr = 0;
    }
    s->raw = (struct raw_bytes){kept, p->len};
    return send(in, s, kind);
}

static uint32_t with_ip(const struct event_in *in)
{
    return (in->ev->flags & EVF_FUP_IP) != 0;
}

/* {u32 flags} or {u32 flags, u64 value}: the layout of most. */
static pts_status make_plain(struct event_in *in, enum made_event kind)
{
    uint32_t event = made_row(kind)->event;
    struct payload p;

    if (maker_skips(in->m))
        return PTS_OK;
    p.len = 0;
    /* The flag says that the ip is exact: a FUP came with the packet. */
    add_u32(&p, event & EV_TELLING_IP ? with_ip(in) : 0);
    if (event & EV_WITH_PAYLOAD)
        add_u64(&p, in->x->value[__builtin_ctz(event)]);
    return deliver_raw(in, kind, &p);
}

/* {u32: type, bit 7 the IP bit, 15..8 the vector, 31..16 the number of data; then
 * u64 type and u64 payload of each} */
static pts_status make_evt(struct event_in *in, enum made_event kind)
{
    const struct pt_extra *x = in->x;
    uint32_t count = x->evd.count < EVD_MAX ? x->evd.count : EVD_MAX;
    struct payload p;

    if (maker_skips(in->m))
        return PTS_OK;
    p.len = 0;
    add_u32(&p, (x->cfe_type & 31u) | with_ip(in) << 7 | (uint32_t)x->cfe_vector << 8 |
                    count << 16);
    for (uint32_t i = 0; i < count; i++) {
        add_u64(&p, x->evd.type[i]);
        add_u64(&p, x->evd.payload[i]);
    }
    return deliver_raw(in, kind, &p);
}

static pts_status make_iflag(struct event_in *in, enum made_event kind)
{
    bool branch = in->ev->what & EV_BRANCH;
    struct payload p;

    if (maker_skips(in->m))
        return PTS_OK;
    p.len = 0;
    /* Bit 0 the new state of the flag, bit 1 whether a branch brought it. */
    add_u32(&p, ((in->ev->flags & EVF_TO_IF) != 0) | (uint32_t)branch << 1);
    add_u64(&p, branch ? in->ev->to : 0);
    return deliver_raw(in, kind, &p);
}

/* A frequency is told when it has changed, also with a later event: it is not counted as
 * skipped, as it comes again until it is printed, and may come a little early. */
static pts_status make_cbr(struct event_in *in, enum made_event kind)
{
    const struct decode_plan *d = &in->m->plan->decode;
    uint64_t skip = in->m->plan->opt.itrace.skip;
    struct maker_queue *q = in->q;
    struct payload p;

    if (q->cbr == q->cbr_seen || (skip && in->m->skipped + 4 < skip))
        return PTS_OK;
    q->cbr_seen = q->cbr;
    uint32_t cbr = q->cbr & 0xff;
    p.len = 0;
    /* {u32: ratio, bits 23..16 the highest non-turbo one; u32 kHz; u32 0} */
    add_u32(&p, cbr | (d->max_non_turbo & 0xff) << 16);
    add_u32(&p, cbr * d->cbr_khz);
    add_u32(&p, 0);
    return deliver_raw(in, kind, &p);
}

/* --- Instructions, transactions, branches ----------------------------------------- */

static pts_status make_instruction(struct event_in *in, enum made_event kind)
{
    (void)kind;
    if (maker_skips(in->m))
        return PTS_OK;
    struct sample *s = next_sample(in);
    if (!s)
        return PTS_E_NOMEM;
    maker_count_insn(in->m, in->q, &(struct maker_at){in->batch, in->ev}, s);
    return send(in, s, MADE_INSTRUCTIONS);
}

static pts_status make_transaction(struct event_in *in, enum made_event kind)
{
    if (maker_skips(in->m))
        return PTS_OK;
    struct sample *s = next_sample(in);
    return s ? send(in, s, kind) : PTS_E_NOMEM;
}

/* Before the skipping: --itrace=cr counts calls and returns only. */
static inline bool branch_left_out(const struct event_in *in, uint32_t flags)
{
    uint32_t filter = in->m->plan->branch_filter;

    return (filter && !(filter & flags)) || maker_skips(in->m);
}

static pts_status make_branch(struct event_in *in, uint64_t from, uint64_t to)
{
    if (branch_left_out(in, in->base.flags))
        return PTS_OK;
    struct sample *s = next_sample(in);
    if (!s)
        return PTS_E_NOMEM;
    s->ip = from;
    s->addr = to;
    s->trace_nr = in->ev->trace_nr;
    const struct maker_at at = {in->batch, in->ev};
    maker_count_ipc(in->m, &at, s, &in->q->branch_insns, &in->q->branch_cycles);
    return send(in, s, MADE_BRANCHES);
}

/* NR: in a guest.  The two ends of a VM entry or exit lie in two machines. */
static inline bool is_crossing(const struct event_in *in)
{
    const struct pt_event *ev = in->ev;

    return !(ev->flags & EVF_FROM_NR) != !(ev->flags & EVF_TO_NR) &&
           !in->m->plan->decode.one_machine;
}

static pts_status make_branches(struct event_in *in)
{
    const struct pt_event *ev = in->ev;

    if (!is_crossing(in) || !ev->from || !ev->to)
        return make_branch(in, ev->from, ev->to);
    /* Between host and guest: perf makes two, as a sample belongs to one machine. */
    if (!(ev->flags & EVF_FROM_NR))
        in->base.who = in->whose->host;
    pts_status st = make_branch(in, ev->from, 0);
    bool guest = ev->flags & EVF_TO_NR;
    in->base.cpumode = mode_at_addr(ev->to, guest);
    in->base.who = guest ? in->whose->guest : in->whose->host;
    return st == PTS_OK ? make_branch(in, 0, ev->to) : st;
}

static inline pts_status step_stack(const struct event_in *in, uint32_t flags)
{
    struct chain_branch b = {.from = in->ev->from,
                             .to = in->ev->to,
                             .flags = flags,
                             .trace_nr = in->ev->trace_nr,
                             .len = insn_len_of(in->ev)};

    return chain_step(&in->m->to->stacks.chains, chain_key_of(&in->whose->host), &b);
}

/* Stacks follow every branch, also those that no sample is made of. */
static inline pts_status branch_part(struct event_in *in)
{
    const struct plan *p = in->m->plan;
    pts_status st = p->stack.any ? step_stack(in, in->base.flags) : PTS_OK;

    if (st == PTS_OK && p->made.event[MADE_BRANCHES] != EVL_NONE)
        st = make_branches(in);
    return st;
}

/* --- Events ----------------------------------------------------------------------- */

typedef pts_status make_fn(struct event_in *in, enum made_event kind);

/* Those that are more than a packet's value; branches are made behind all others. */
/* clang-format off */
static make_fn *const own[MADE_EVENTS] = {
    [MADE_INSTRUCTIONS] = make_instruction,
    [MADE_TRANSACTIONS] = make_transaction,
    [MADE_CBR]          = make_cbr,
    [MADE_EVT]          = make_evt,
    [MADE_IFLAG]        = make_iflag,
};
/* clang-format on */

static pts_status make_in_turn(struct event_in *in)
{
    const struct made *made = &in->m->plan->made;
    pts_status st = PTS_OK;

    for (uint32_t i = 0; st == PTS_OK && i < made->turns; i++) {
        enum made_event kind = (enum made_event)made->in_turn[i];
        /* A change of frequency may have come with an event before this one, see
         * make_cbr. */
        bool due = in->ev->what & made_row(kind)->event || kind == MADE_CBR;
        if (due && kind != MADE_BRANCHES)
            st = own[kind] ? own[kind](in, kind) : make_plain(in, kind);
    }
    return st;
}

static pts_status add_error(struct maker *m, const struct pts_auxtrace_error *e)
{
    m->errors++;
    m->errors_of[e->code < MAKER_CODES ? e->code : MAKER_CODES - 1]++;
    return batch_error(&m->to->batch, e);
}

/* --itrace=e-o, e-l: errors, but none about overflows or lost data. */
static bool hides(const struct itrace *it, char flag)
{
    return !itrace_on(it, ITRACE_ON(ERRORS)) || it->error_minus & ITRACE_FLAG(flag);
}

static pts_status report_fault(struct maker *m, const struct pt_event *ev,
                               const struct whose *whose)
{
    /* Of a guest only where its own records told who ran. */
    bool guest = ev->flags & EVF_FROM_NR && whose->told;
    const struct who *w = guest ? &whose->guest : &whose->host;
    const struct itrace *it = &m->plan->opt.itrace;
    const char *text = fault_text(ev->err);

    if (!itrace_on(it, ITRACE_ON(ERRORS))) {
        m->untold++;
        return PTS_OK;
    }
    if (ev->err == FAULT_OVERFLOW && hides(it, 'o'))
        return PTS_OK;
    const struct pts_auxtrace_error e = {
        .type = PTS_AUXTRACE_ERROR_TRACE,
        .code = ev->err,
        .fmt = w->machine_pid ? 2 : 1,
        .machine_pid = w->machine_pid,
        .vcpu = w->vcpu,
        .cpu = w->cpu,
        .pid = w->pid,
        .tid = w->tid,
        .ip = ev->from,
        .time = time_of(m, ev),
        .msg = {(const uint8_t *)text, strlen(text)},
    };
    return add_error(m, &e);
}

/* Told by an AUX record, not by a packet: so it has the record's time, and no ip. */
pts_status maker_lost(struct maker *m, const struct pts_sample_id *id)
{
    const char *text = fault_text(FAULT_LOST);

    if (!m->plan->decode.on || hides(&m->plan->opt.itrace, 'l'))
        return PTS_OK;
    const struct pts_auxtrace_error e = {
        .type = PTS_AUXTRACE_ERROR_TRACE,
        .code = FAULT_LOST,
        .fmt = 1,
        .cpu = (int32_t)id->cpu,
        .pid = id->pid,
        .tid = id->tid,
        .time = id->time,
        .msg = {(const uint8_t *)text, strlen(text)},
    };
    return add_error(m, &e);
}

struct maker_queue *maker_queue_new(struct maker *m, uint32_t queue)
{
    while (m->queue.len <= queue) {
        struct maker_queue *q = VEC_PUSH(&m->queue);
        if (!q)
            return NULL;
        *q = (struct maker_queue){.cbr_seen = CBR_NEVER, .form.period = 1};
    }
    return &m->queue.at[queue];
}

pts_status maker_counter(struct maker *m, uint32_t queue, uint64_t counter,
                         uint32_t event)
{
    struct maker_queue *q = maker_queue_at(m, queue);

    if (!q)
        return PTS_E_NOMEM;
    if (counter < COUNTERS && event < m->plan->evl.ev.len)
        /* 0: not told yet. */
        q->counter[counter] = event + 1;
    return PTS_OK;
}

static pts_status make_pebs(const struct event_in *in, const struct pt_block *block)
{
    const struct pebs_record r = {block, &in->base, in->ev->flags & EVF_FROM_NR};

    return pebs_samples(in->m, in->q, &r);
}

pts_status maker_event(struct maker *m, uint32_t queue, const struct pt_event *ev,
                       const struct event_batch *batch, const struct whose *w)
{
    struct event_in in; /* not initialised here: base is large, and filled below */
    pts_status st = PTS_OK;

    in.m = m;
    in.q = maker_queue_at(m, queue);
    in.ev = ev;
    in.batch = batch;
    in.whose = w;
    if (!in.q)
        return PTS_E_NOMEM;
    if (ev->what & EV_ERROR)
        return report_fault(m, ev, w);
    const struct pt_payload payload = batch_payload(batch, ev);
    static const struct pt_extra none;
    in.x = payload.extra ? payload.extra : &none;
    assert(payload.extra || !(ev->what & EV_WITH_PAYLOAD));
    /* Kept even if no sample is made now: the frequency of a queue is that of its last
     * CBR. */
    if (ev->what & EV_CBR)
        in.q->cbr = (uint32_t)in.x->value[EV_NR_CBR];
    bool cbr_due = m->cbr && in.q->cbr != in.q->cbr_seen;
    base_fill(&in, &in.base);
    if (payload.block && m->plan->pebs.event != EVL_NONE)
        st = make_pebs(&in, payload.block);
    if (st == PTS_OK && (ev->what & m->rare || cbr_due))
        st = make_in_turn(&in);
    if (st == PTS_OK && ev->what & EV_BRANCH)
        st = branch_part(&in);
    return st;
}

pts_status maker_new(const struct plan *plan, struct delivery *to, struct maker **out)
{
    struct maker *m = mem_zalloc(1, sizeof(*m));

    if (!m)
        return PTS_E_NOMEM;
    m->plan = plan;
    m->to = to;
    m->rare = plan->made.events & ~(uint32_t)EV_BRANCH;
    m->cbr = plan->made.events & EV_CBR;
    maker_line_init(m);
    for (size_t i = 0; i < MADE_EVENTS; i++)
        m->told += plan->made.event[i] != EVL_NONE; /* perf makes a record of each */
    *out = m;
    return PTS_OK;
}

void maker_free(struct maker *m)
{
    if (!m)
        return;
    VEC_FREE(&m->queue);
    mem_free(m);
}

uint64_t maker_records(const struct maker *m)
{
    return m->told + m->samples + m->errors;
}

uint64_t maker_samples(const struct maker *m)
{
    return m->samples;
}

uint32_t maker_errors(const struct maker *m)
{
    return m->errors;
}

uint32_t maker_errors_of(const struct maker *m, uint32_t code)
{
    return code < MAKER_CODES ? m->errors_of[code] : 0;
}

uint32_t maker_untold(const struct maker *m)
{
    return m->untold;
}

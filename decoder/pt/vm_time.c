/* vm_time.c - times of guests in a trace become those of the host.
 *
 * SPDX-License-Identifier: MIT
 *
 *     PSB TSC TMA .. MTC MTC MTC .. PIP(NR) .. PSB PIP VMCS TSC TMA
 *         |    |_____|_______________________________________|    |
 *         host's time, and so many ticks of the crystal later:  what it must be;
 *                                          the packet says that plus the offset
 *
 * A TSC that is no part of a PSB+ may stand where tracing was off and the crystal was not
 * counted, so only one in a PSB+ tells an offset.
 */
#include "decoder/pt/vm_time.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const uint64_t seven_bytes = UINT64_C(0xffffffffffffff);
static const uint64_t no_vmcs = UINT64_C(0xffffffffff);

enum {
    TSC_BYTES = 7,
    LOOK_FOR_TMA = 16, /* timing packets between a TSC and its TMA */
    PEBS_BASIC = 4,    /* a block of items, of which this is the time: */
    PEBS_TIME = 2,
    SLIP = 0x10000 /* ticks that a TSC may be late without being wrong */
};

__attribute__((format(printf, 2, 3))) static void say(struct vm_queue *q,
                                                      const char *fmt, ...)
{
    char text[120];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    q->all->say(q->all->say_ctx, text);
}

/* --- Machines --------------------------------------------------------------------- */

struct vm_machine *vm_time_machine(struct vm_time *t, uint64_t vmcs, uint64_t offset)
{
    uint32_t at = idmap_get(&t->by_vmcs, vmcs);

    if (at != IDMAP_NONE)
        return &t->machine.at[at];
    struct vm_machine *m = VEC_PUSH(&t->machine);
    if (!m || !idmap_set(&t->by_vmcs, vmcs, (uint32_t)t->machine.len - 1))
        return NULL;
    *m = (struct vm_machine){.vmcs = vmcs, .offset = offset, .sure = offset != 0};
    return m;
}

void vm_time_free(struct vm_time *t)
{
    VEC_FREE(&t->machine);
    idmap_free(&t->by_vmcs);
}

/* *out NULL: nothing names one, and there is no offset for all. */
static pts_status machine_of(struct vm_queue *q, uint64_t vmcs, struct vm_machine **out)
{
    uint64_t which = vmcs == no_vmcs ? 0 : vmcs;

    *out = NULL;
    if (!which && !q->all->offset)
        return PTS_OK;
    *out = vm_time_machine(q->all, which, q->all->offset);
    return *out ? PTS_OK : PTS_E_NOMEM;
}

/* --- Looking ahead ---------------------------------------------------------------- */

/* What stands around a TSC. */
struct around {
    bool tsc, pip, vmcs, tma, end; /* what there is */
    bool in_guest;
    uint64_t which; /* control structure */
    uint32_t ctc, fast;
    uint64_t ctc_ticks, last_ctc; /* the clock when it was looked */
};

static struct around around_now(const struct vm_queue *q)
{
    return (struct around){.ctc_ticks = q->clk.ctc_ticks, .last_ctc = q->last_ctc};
}

/* PSB+ may have only such packets.  False: one that ends it, which PSBEND alone should. */
static bool psb_has(struct around *a, const struct pts_pkt *p)
{
    switch (p->kind) {
    case PTS_PKT_PAD:
    case PTS_PKT_MNT:
    case PTS_PKT_MODE_EXEC:
    case PTS_PKT_MODE_TSX:
    case PTS_PKT_MTC:
    case PTS_PKT_FUP:
    case PTS_PKT_CYC:
    case PTS_PKT_CBR:
        break;
    case PTS_PKT_TSC:
        a->tsc = true;
        break;
    case PTS_PKT_TMA:
        a->tma = true;
        a->ctc = (uint32_t)p->value;
        a->fast = p->count;
        break;
    case PTS_PKT_PIP:
        a->pip = true;
        a->in_guest = p->count & 1;
        break;
    case PTS_PKT_VMCS:
        a->vmcs = true;
        a->which = p->value;
        break;
    default:
        a->end = p->kind == PTS_PKT_PSBEND;
        return false;
    }
    return true;
}

static void look_at_psb(struct vm_queue *q, struct around *a)
{
    struct pkt_cursor rest = stream_rest(&q->st);
    struct pts_pkt p;

    *a = around_now(q);
    /* Of a PSB that two buffers share nothing behind it is seen. */
    while (q->st.step && pkt_cursor_next(&rest, &p) > 0 && psb_has(a, &p)) {
    }
    if (a->tsc && !a->end)
        say(q, "ERROR: PSB without PSBEND");
    q->in_psb = a->end;
}

static void look_for_tma(struct vm_queue *q, struct around *a)
{
    struct pkt_cursor rest = stream_rest(&q->st);
    unsigned left = LOOK_FOR_TMA;
    struct pts_pkt p;

    *a = around_now(q);
    while (pkt_cursor_next(&rest, &p) > 0) {
        if (p.kind == PTS_PKT_PAD)
            continue;
        if ((p.kind == PTS_PKT_CYC || p.kind == PTS_PKT_MTC) && --left)
            continue;
        if (p.kind == PTS_PKT_TMA)
            psb_has(a, &p);
        break;
    }
    a->pip = q->tracing;
    a->in_guest = q->in_guest;
}

/* Whether tracing is on behind an OVF: then the FUP comes first. */
static bool fup_follows(const struct vm_queue *q)
{
    struct pkt_cursor rest = stream_rest(&q->st);
    unsigned left = LOOK_FOR_TMA;
    struct pts_pkt p;

    while (pkt_cursor_next(&rest, &p) > 0) {
        bool time =
            p.kind == PTS_PKT_CYC || p.kind == PTS_PKT_MTC || p.kind == PTS_PKT_TSC;
        if (p.kind != PTS_PKT_PAD && (!time || !--left))
            return p.kind == PTS_PKT_FUP;
    }
    return false;
}

/* --- Times ------------------------------------------------------------------------ */

/* Not before one that is the host's for sure, nor after the buffer was read. */
static bool is_in_range(const struct vm_queue *q, uint64_t time)
{
    return time >= q->since && time < q->clk.buf_ref;
}

static void put(struct vm_queue *q, uint64_t value, size_t n)
{
    struct vm_time *t = q->all;

    memcpy(t->bytes + (size_t)(q->st.at - t->bytes) + 1, &value, n);
    t->changed++;
}

static void translate(struct vm_queue *q, uint64_t offset)
{
    q->st.pkt.value = (q->st.pkt.value - offset) & seven_bytes;
    put(q, q->st.pkt.value, TSC_BYTES);
}

/* Nothing came before from which it could be counted. */
static void first_tsc(struct vm_queue *q, const struct around *a,
                      const struct vm_machine *m, uint64_t time)
{
    if (!q->in_psb)
        say(q, "ERROR: First TSC is not in PSB+");
    q->sure = a->pip && !a->in_guest;
    if (a->pip ? !a->in_guest : is_in_range(q, time))
        return;
    if (m && m->offset) {
        translate(q, m->offset);
        q->sure = a->pip;
    } else {
        say(q, a->pip ? "ERROR: First TSC, unknown TSC Offset"
                      : "ERROR: First TSC, no PIP, unknown TSC Offset");
    }
}

static uint64_t expected(const struct vm_queue *q, const struct around *a)
{
    /* TMA has 16 bits, and a TSC can be overtaken by an MTC: so the difference may be
     * negative. */
    uint16_t low = (uint16_t)(a->last_ctc + a->ctc_ticks);
    int16_t more = (int16_t)(uint16_t)(a->ctc - low);
    uint64_t ticks = a->ctc_ticks + (uint64_t)(int64_t)more;

    return q->clk.ctc_base + clock_of_ctc(&q->clk, ticks) + a->fast;
}

/* Where nothing says whose it is: an offset that is known tells a guest, and so does a
 * time that cannot be the host's. */
static bool seems_host(const struct vm_queue *q, const struct vm_machine *m,
                       uint64_t time, uint64_t host)
{
    uint64_t offset = time - host;

    if (q->in_psb && !offset)
        return true;
    if (q->in_psb && m && ((offset ^ m->offset) & seven_bytes) == 0)
        return false;
    return time >= host && is_in_range(q, time);
}

static void learn(struct vm_queue *q, const struct around *a, struct vm_machine *m,
                  uint64_t offset)
{
    bool known = m->offset && m->sure;

    if (!m->vmcs || known || !q->in_psb || !a->pip || !q->same_buf)
        return;
    bool sure = q->sure && q->continues;
    if (m->offset != offset)
        say(q, "VMCS: %#llx  TSC Offset %#llx", (unsigned long long)m->vmcs,
            (unsigned long long)offset);
    m->offset = offset;
    m->sure = sure;
}

/* Of a guest: by what is known of it, else by what was counted. */
static void guest_tsc(struct vm_queue *q, struct vm_machine *m, uint64_t offset,
                      bool sure)
{
    if (m && m->offset) {
        q->sure = sure && m->sure;
        translate(q, m->offset);
        return;
    }
    if (m && !m->told)
        say(q, "ERROR: Unknown TSC Offset for VMCS %#llx", (unsigned long long)m->vmcs);
    else if (!m && !q->told_machine)
        say(q, "ERROR: Unknown VMCS");
    if (m)
        m->told = true;
    else
        q->told_machine = true;
    translate(q, offset);
    q->sure = false;
}

static void counted_tsc(struct vm_queue *q, const struct around *a,
                        struct vm_machine *m, uint64_t time)
{
    uint64_t host = expected(q, a), offset = time - host;

    if (a->pip && !a->in_guest) {
        q->since = time;
        q->sure = true;
        return;
    }
    if (a->pip && !m) {
        say(q, "ERROR: Missing VMCS");
        translate(q, offset);
        q->sure = false;
        return;
    }
    if (!a->pip && seems_host(q, m, time, host)) {
        /* That there is no offset at all leaves it as it was. */
        if (!q->in_psb || offset)
            q->sure = false;
        return;
    }
    if (m)
        learn(q, a, m, offset);
    guest_tsc(q, m, offset, a->pip);
}

static pts_status take_tsc(struct vm_queue *q, struct around *a)
{
    struct vm_machine *m;

    if (!q->in_psb)
        look_for_tma(q, a);
    if (!a->tma) {
        say(q, "ERROR: TSC without TMA");
        return PTS_OK;
    }
    pts_status st = machine_of(q, a->vmcs ? a->which : q->vmcs, &m);
    if (st < 0)
        return st;
    uint64_t time = tsc_near(q->st.pkt.value, q->clk.now ? q->clk.now : q->clk.buf_ref);
    if (q->clk.ctc_base)
        counted_tsc(q, a, m, time);
    else
        first_tsc(q, a, m, time);
    return PTS_OK;
}

/* The clock goes by what the packet has become. */
static void pass_tsc(struct vm_queue *q)
{
    bool goes_on = !q->clk.ref && q->clk.now;

    clock_tsc(&q->clk, q->st.pkt.value, q->st.prev == PTS_PKT_CYC);
    bool bad = q->clk.now > q->clk.tsc && q->clk.now - q->clk.tsc >= SLIP;
    if (goes_on && !q->told_range && (bad || !is_in_range(q, q->clk.now))) {
        q->told_range = true;
        say(q, "Timestamp out of range");
    }
    q->same_buf = true;
    q->continues = q->tracing;
}

/* --- Times in PEBS records --------------------------------------------------------- */

static pts_status take_pebs_time(struct vm_queue *q)
{
    uint64_t time = q->st.pkt.value;
    struct vm_machine *m;
    pts_status st = machine_of(q, q->vmcs, &m);

    if (st < 0 || (q->tracing ? !q->in_guest : is_in_range(q, time)))
        return st;
    if (q->tracing && !m)
        say(q, "ERROR: Missing VMCS");
    if (m) {
        time = tsc_near((time - m->offset) & seven_bytes, q->clk.now);
        if (!is_in_range(q, time) && !q->told_range) {
            q->told_range = true;
            say(q, "Timestamp out of range");
        }
    } else {
        if (!q->told_machine)
            say(q, "ERROR: Unknown VMCS");
        q->told_machine = true;
        time = q->clk.now;
    }
    put(q, time, q->st.step - 1u);
    return PTS_OK;
}

/* --- Packets ---------------------------------------------------------------------- */

static void stop(struct vm_queue *q)
{
    q->tracing = false;
    q->continues = false;
}

static void take_tma(struct vm_queue *q)
{
    uint32_t ctc = (uint32_t)q->st.pkt.value;

    clock_tma(&q->clk, ctc, q->st.pkt.count, q->tracing, q->in_psb);
    if (q->clk.conf.ctc_d)
        q->last_ctc = ctc & ~((1u << q->clk.conf.mtc_shift) - 1);
}

static void take_time(struct vm_queue *q)
{
    const struct pts_pkt *p = &q->st.pkt;

    if (p->kind == PTS_PKT_MTC)
        clock_mtc(&q->clk, (uint32_t)p->value, q->st.prev == PTS_PKT_CYC, q->tracing,
                  stream_rest(&q->st));
    else if (p->kind == PTS_PKT_CYC)
        clock_cyc(&q->clk, p->value, q->tracing);
    else if (p->kind == PTS_PKT_CBR)
        clock_cbr(&q->clk, (uint32_t)p->value, q->tracing);
    else if (p->kind == PTS_PKT_TMA)
        take_tma(q);
}

/* Those that say whether execution is traced. */
static void take_place(struct vm_queue *q)
{
    switch (q->st.pkt.kind) {
    case PTS_PKT_TIP_PGD:
        stop(q);
        break;
    case PTS_PKT_TNT:
    case PTS_PKT_TIP:
    case PTS_PKT_TIP_PGE:
        q->tracing = true;
        break;
    case PTS_PKT_FUP:
        q->tracing |= q->in_psb;
        break;
    case PTS_PKT_OVF:
        q->in_psb = false;
        q->tracing = fup_follows(q);
        q->continues &= q->tracing;
        break;
    case PTS_PKT_TRACESTOP:
        stop(q);
        q->clk.have_tma = false;
        break;
    default:
        break;
    }
}

static pts_status take_packet(struct vm_queue *q, struct around *a)
{
    const struct pts_pkt *p = &q->st.pkt;
    pts_status st = PTS_OK;

    switch (p->kind) {
    case PTS_PKT_PSB:
        look_at_psb(q, a);
        break;
    case PTS_PKT_PSBEND:
        q->in_psb = a->end = false;
        break;
    case PTS_PKT_TSC:
        st = take_tsc(q, a);
        pass_tsc(q);
        break;
    case PTS_PKT_PIP:
        q->in_guest = p->count & 1;
        break;
    case PTS_PKT_VMCS:
        if (p->value != no_vmcs)
            q->vmcs = p->value;
        break;
    case PTS_PKT_BBP:
        q->block = (uint8_t)p->value;
        break;
    case PTS_PKT_BIP:
        if (q->block == PEBS_BASIC && p->count == PEBS_TIME)
            st = take_pebs_time(q);
        break;
    case PTS_PKT_BEP:
    case PTS_PKT_BEP_IP:
        q->block = 0;
        break;
    default:
        take_place(q);
        take_time(q);
    }
    return st;
}

/* --- A queue ---------------------------------------------------------------------- */

void vm_queue_init(struct vm_queue *q, struct vm_time *all,
                   const struct clock_config *conf, const struct pt_buf *bufs,
                   uint32_t count)
{
    *q = (struct vm_queue){.all = all, .lost = true};
    stream_init(&q->st, bufs, count);
    clock_init(&q->clk, conf);
}

static void see_buffer(struct vm_queue *q, enum stream_result r)
{
    if (q->st.next && q->st.next != q->bufs_seen)
        q->clk.buf_ref = stream_buf(&q->st)->ref;
    q->bufs_seen = q->st.next;
    if (r != STREAM_BREAK)
        return;
    clock_restart(&q->clk, q->clk.buf_ref);
    q->same_buf = false;
    q->lost = true;
}

bool vm_queue_begin(struct vm_queue *q)
{
    enum stream_result r;

    if (!q->lost)
        return true;
    do {
        q->tracing = false;
        r = stream_find_psb(&q->st);
        see_buffer(q, r);
    } while (r == STREAM_BREAK);
    if (r == STREAM_END)
        return false;
    q->in_psb = true;
    if (!q->clk.now)
        q->clk.now = 1; /* as in perf: known, but not when */
    q->lost = false;
    return true;
}

/* A byte that is no packet: where a new trace has just begun the next PSB is looked for. */
static bool go_on(struct vm_queue *q, struct around *a)
{
    q->clk.have_tma = false;
    *a = (struct around){0};
    if (q->lost && !vm_queue_begin(q))
        return false;
    if (q->in_psb)
        look_at_psb(q, a);
    return true;
}

pts_status vm_queue_run(struct vm_queue *q)
{
    struct around a = {0};
    pts_status st = PTS_OK;

    if (q->in_psb)
        look_at_psb(q, &a);
    while (st == PTS_OK) {
        enum stream_result r = stream_next(&q->st);
        see_buffer(q, r);
        if (r == STREAM_END || (r == STREAM_BAD && !go_on(q, &a)))
            break;
        if (r == STREAM_PKT)
            st = take_packet(q, &a);
    }
    return st;
}

/* random_trace.h - random code, a walk through it, and the packets of that walk.
 *
 * SPDX-License-Identifier: MIT
 *
 * Random code is walked at random, and packets are written as a processor would write
 * them, with rare ones and now and then a wrong one among them.  The side-band maps the
 * code, and changes some of the maps on the way.
 */
#ifndef PTS_TESTS_PROP_RANDOM_TRACE_H
#define PTS_TESTS_PROP_RANDOM_TRACE_H

#include "tests/prop/chance.h"
#include "walker/flow/flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CODE = 512,
    TRACE = 4096,
    STEP = 1024, /* no step of a trace takes more bytes */
    PID = 42
};

static const uint64_t kernel = UINT64_C(0xffffffffc0000000);

/* --- Code: two files, mapped in pieces, and in the kernel --- */

struct piece {
    uint64_t start;
    uint32_t len, off;
    unsigned file;
};

static const struct piece pieces[] = {
    {0x401000,                     CODE,     0,        0},
    {0x601000,                     CODE / 2, 0,        1},
    {0x701000,                     CODE / 2, CODE / 2, 1},
    {UINT64_C(0xffffffffc0000000), CODE,     0,        2}
};
enum { PIECES = sizeof(pieces) / sizeof(pieces[0]) };

static uint8_t text[3][CODE];
static struct code code[3];

static unsigned insn_random(uint8_t *p, uint32_t at)
{
    static const uint8_t signature[] = {0xeb, 16,  0x0f, 0x0b, 'p', 'e', 'r', 'f', ',',
                                        'p',  't', 'w',  'r',  'i', 't', 'e', ' ', ' '};
    uint32_t rel = below(CODE) - at - 5;

    switch (below(12)) {
    case 0:
    case 1:
    case 2:
        p[0] = (uint8_t)(0x70 + below(16)); /* jcc */
        p[1] = (uint8_t)below(256);
        return 2;
    case 3:
        p[0] = 0xeb;
        p[1] = (uint8_t)below(256);
        return 2;
    case 4:
    case 5:
        p[0] = one_in(3) ? 0xe9 : 0xe8;
        memcpy(p + 1, &rel, sizeof(rel));
        return 5;
    case 6:
    case 7:
        p[0] = 0xc3;
        return 1;
    case 8:
        memcpy(p, one_in(2) ? "\xff\xe0" : one_in(4) ? "\x0f\x05" : "\xff\xd0", 2);
        return 2;
    case 9:
        if (one_in(20)) {
            p[0] = 0x06; /* no instruction */
            return 1;
        }
        if (!one_in(10))
            break;
        memcpy(p, signature, sizeof(signature));
        return sizeof(signature);
    default:
        break;
    }
    memset(p, 0x90, 3);
    return 1 + below(3);
}

static void code_random(void)
{
    for (int file = 0; file < 3; file++) {
        memset(text[file], 0x90, CODE);
        for (uint32_t at = 0; at + 20 < CODE;)
            at += insn_random(text[file] + at, at);
        code_init(&code[file], text[file], CODE, true);
        code[file].manual =
            ILD_SDM; /* what the seeds of CMakeLists.txt were found with */
        code[file].given = true;
    }
}

static const struct piece *piece_of(uint64_t ip)
{
    for (int i = 0; i < PIECES; i++) {
        if (ip - pieces[i].start < pieces[i].len)
            return &pieces[i];
    }
    return NULL;
}

static uint64_t somewhere(void)
{
    const struct piece *p = &pieces[below(PIECES)];
    return p->start + below(p->len);
}

/* --- Packets, of what a walk through the code would give --- */

struct trace {
    uint8_t at[TRACE + STEP];
    size_t len;
    uint64_t ip; /* 0: tracing is off */
    uint64_t rets[64];
    uint32_t ret_count;
    uint32_t tnt, tnt_count;
    uint64_t tsc, cycles;
    uint32_t cbr; /* the ratio, which does not change; 0: any, at any time */
    uint8_t mtc;
    bool compress, timed, paced;
    bool coarse; /* times are often those of other queues */
};

static void put(struct trace *t, const void *bytes, size_t n)
{
    memcpy(t->at + t->len, bytes, n);
    t->len += n;
}

static void put_u64(struct trace *t, uint64_t v, size_t n)
{
    put(t, &v, n);
}

static void put_tnt(struct trace *t)
{
    if (t->tnt_count)
        put_u64(t, (1u << (t->tnt_count + 1)) | t->tnt << 1, 1);
    t->tnt = t->tnt_count = 0;
}

static void bit(struct trace *t, bool taken)
{
    t->tnt = t->tnt << 1 | taken;
    if (++t->tnt_count == 6 || one_in(6))
        put_tnt(t);
}

/* IPBytes 3 or 6: whole addresses. */
static void put_ip(struct trace *t, uint8_t op, uint64_t ip)
{
    bool full = one_in(4);
    put_tnt(t);
    put_u64(t, op | (full ? 6u : 3u) << 5, 1);
    put_u64(t, ip, full ? 8 : 6);
}

static void put_cbr(struct trace *t)
{
    put_u64(t, 0x0302 | (t->cbr ? t->cbr : 1 + below(40)) << 16, 4);
}

static void put_status(struct trace *t)
{
    if (t->timed) {
        put_u64(t, 0x19 | t->tsc << 8, 8);
        put_u64(t, UINT64_C(0x7302) | (t->tsc / 2 & 0xffff) << 16, 7);
        put_cbr(t);
        t->mtc = (uint8_t)(t->tsc / 2 >> 3);
    }
    put(t, "\x99\x01", 2);
}

static void put_psb(struct trace *t)
{
    put_tnt(t);
    for (int i = 0; i < 8; i++)
        put(t, "\x02\x82", 2);
    put_status(t);
    if (t->ip)
        put_ip(t, 0x1d, t->ip);
    put(t, "\x02\x23", 2);
    t->ret_count = 0;
}

/* As hardware does: cycles, and MTCs that mostly follow a CYC. */
static void paced_time(struct trace *t)
{
    if (!one_in(12))
        put_u64(t, 3 | below(32) << 3, 1);
    if (one_in(8)) {
        t->mtc = (uint8_t)(t->mtc + 1 + below(one_in(4) ? 40 : 3));
        put_u64(t, 0x59 | (uint32_t)t->mtc << 8, 2);
    }
}

/* All traces have MTCs and no cycles, as perf records unless told otherwise; but some come to have. */
static bool trace_mtc;

/* Of many cycles, as bytes of a damaged trace may say, or of few. */
static void put_first_cyc(struct trace *t)
{
    if (one_in(3))
        put_u64(t, 7 | below(32) << 3 | below(128) << 9, 2);
    else
        put_u64(t, 3 | below(32) << 3, 1);
}

static void mtc_alone(struct trace *t)
{
    enum { PERIOD = 16 }; /* ticks, as config_random() says */

    t->tsc = t->tsc / PERIOD * PERIOD + PERIOD * (1 + below(3));
    if (one_in(100))
        put_first_cyc(t);
    put_u64(t, 0x59 | (t->tsc / PERIOD & 0xff) << 8, 2);
}

static void time_passes(struct trace *t)
{
    if (!t->timed)
        return;
    if (trace_mtc) {
        mtc_alone(t);
        return;
    }
    if (t->coarse) {
        t->tsc += 64 * below(3);
        put_u64(t, 0x19 | t->tsc << 8, 8);
        return;
    }
    if (t->paced) {
        paced_time(t);
        return;
    }
    t->tsc += below(30);
    switch (below(4)) {
    case 0:
    case 1:
        put_u64(t, 3 | below(32) << 3, 1);
        break;
    case 2:
        put_u64(t, 0x59 | (uint32_t)++t->mtc << 8, 2);
        break;
    case 3:
        put_u64(t, 0x19 | t->tsc << 8, 8);
        break;
    }
}

static void rare(struct trace *t)
{
    put_tnt(t);
    switch (below(12)) {
    case 0:
        put_psb(t);
        break;
    case 1: /* asynchronous: FUP, then off or elsewhere */
        if (!t->ip)
            break;
        put_ip(t, 0x1d, t->ip);
        t->ip = one_in(2) ? 0 : somewhere();
        if (t->ip)
            put_ip(t, 0x0d, t->ip);
        else
            put(t, "\x01", 1);
        break;
    case 2: /* overflow */
        put(t, "\x02\xf3", 2);
        if (t->ip)
            put_ip(t, 0x1d, t->ip = somewhere());
        break;
    case 3:
        put(t, one_in(2) ? "\x99\x01" : "\x99\x05", 2);
        break;
    case 4:
        put_u64(t, UINT64_C(0x4302) | (uint64_t)below(16) << (one_in(4) ? 16 : 17), 8);
        break;
    case 5: /* PTWRITE, its FUP, CBR */
        put(t, "\x02\x12\x11\x22\x33\x44", 6);
        break;
    case 6:
        if (t->ip) {
            put(t, "\x02\x92\x11\x22\x33\x44", 6);
            put_ip(t, 0x1d, t->ip);
        }
        break;
    case 7:
        put_cbr(t);
        break;
    case 8: /* in a transaction */
        put(t, "\x99\x21", 2);
        if (t->ip)
            put_ip(t, 0x1d, t->ip);
        break;
    case 9:
        if (one_in(4))
            put_u64(t, below(256), 1);
        break;
    case 10:
        if (one_in(4))
            put_ip(t, 0x0d, somewhere());
        break;
    case 11:
        put_u64(t, 0, 1 + below(8));
        break;
    }
}

static void called(struct trace *t, uint64_t ret)
{
    if (t->ret_count < 64)
        t->rets[t->ret_count++] = ret;
}

static void indirect(struct trace *t, const struct block *b)
{
    uint64_t next = t->ip + b->len, to = one_in(10) ? somewhere() : next;
    if (b->cls == INSN_CALL)
        called(t, next);
    if (b->cls == INSN_RET && t->ret_count) {
        to = t->rets[--t->ret_count];
        if (t->compress && !one_in(8)) {
            t->ip = to;
            bit(t, true);
            return;
        }
    }
    t->ip = to;
    if (!one_in(6)) {
        put_ip(t, 0x0d, t->ip);
        return;
    }
    if (one_in(2))
        put_ip(t, 0x01, t->ip);
    else
        put_tnt(t), put_u64(t, 1, 1);
    t->ip = 0;
}

static void walk(struct trace *t)
{
    const struct piece *p = piece_of(t->ip);
    const struct block *b =
        p ? block_at(&code[p->file], code_mode(&code[p->file], true),
                     t->ip - p->start + p->off, 0)
          : NULL;

    if (!b || b->state != BLOCK_BRANCH || one_in(50)) {
        t->ip = somewhere(); /* as if it had branched */
        put_ip(t, 0x0d, t->ip);
        return;
    }
    t->ip += b->bytes;
    uint64_t to = t->ip + b->len + (uint64_t)(int64_t)b->rel;
    if (b->branch == BRANCH_INDIRECT) {
        indirect(t, b);
    } else if (b->branch == BRANCH_COND) {
        bool taken = one_in(2);
        t->ip = taken ? to : t->ip + b->len;
        bit(t, taken);
    } else {
        if (b->cls == INSN_CALL && b->rel)
            called(t, t->ip + b->len);
        t->ip = to;
    }
}

/* For who cuts traces: many PSBs, and times at which nothing happens for long. */
static bool trace_long;

static void long_random(struct trace *t)
{
    if (one_in(40))
        put_psb(t);
    if (one_in(100) && !t->coarse)
        t->tsc += below(60000);
}

static void trace_random(struct trace *t)
{
    uint32_t steps = 0;

    *t = (struct trace){.tsc = 1000, .compress = one_in(2), .timed = !one_in(3)};
    t->paced = one_in(2);
    t->coarse = trace_long && one_in(3);
    t->cbr = trace_mtc && one_in(2) ? 1 + below(40) : 0;
    put_psb(t);
    while (t->len < TRACE - 100 && steps++ < 3000) {
        if (one_in(12))
            time_passes(t);
        if (one_in(60))
            rare(t);
        if (trace_long)
            long_random(t);
        if (t->ip)
            walk(t);
        else
            put_ip(t, 0x11, t->ip = somewhere());
    }
    put(t, "\x02\xf3", 2); /* an error at the end tells the counts */
}

/* --- Side-band: the maps, some of which change --- */

static struct code *code_of(void *ctx, const struct sb_dso *dso)
{
    (void)ctx;
    const char *name = dso->long_name;
    return &code[strchr(name, 'b') ? 1 : strchr(name, 'k') ? 2 : 0];
}

static void map_piece(struct sideband *sb, const struct piece *p)
{
    static const char *const name[] = {"/a", "/b", "[k]"};
    struct sb_mmap m = {.pid = p->start < kernel ? PID : -1,
                        .tid = PID,
                        .start = p->start,
                        .len = p->len,
                        .pgoff = p->off,
                        .prot = 5,
                        .name = name[p->file],
                        .kernel = p->start >= kernel};
    sb_mmap(sb, &m);
}

static struct sideband *sideband_random(void)
{
    struct sideband *sb;
    if (sb_new(&sb) < 0)
        exit(1);
    sb_begin(sb, 0);
    sb_current(sb, 0, PID, PID);
    for (int i = 0; i < PIECES; i++)
        map_piece(sb, &pieces[i]);
    uint64_t tsc = 1000;
    for (uint32_t n = below(20); n; n--) {
        tsc += below(500);
        sb_begin(sb, tsc);
        struct piece p = pieces[below(3)];
        if (one_in(2))
            p.file ^= 1;
        if (one_in(2))
            map_piece(sb, &p);
        if (tsc % 2) /* the process may be on another CPU, too */
            sb_current(sb, 1, PID, PID + (tsc / 2 % 2 != 0));
    }
    sb_finish(sb);
    return sb;
}

/* None to three, in order; the last may be open. */
static uint32_t ranges_random(struct flow_range range[3])
{
    uint32_t count = one_in(2) ? below(4) : 0;
    uint64_t at = one_in(3) ? 0 : 900 + below(800);

    for (uint32_t i = 0; i < count; i++) {
        range[i].start = at;
        at += 1 + below(one_in(2) ? 1500 : 40);
        range[i].end = i + 1 == count && one_in(4) ? 0 : at;
        at += 1 + below(one_in(2) ? 1000 : 20);
    }
    return count;
}

/* An event that does not need its batch. */
struct seen {
    struct pt_event ev;
    uint64_t ninsn, ncyc;
};

enum { BRANCHES = EV_BRANCH | EV_TRACE_BEGIN | EV_TRACE_END };

/* What nobody looks at may be any (flow_config.want_cycles), or not be there (struct pt_more). */
static struct seen seen_of(const struct flow_config *conf,
                           const struct event_batch *batch, const struct pt_event *ev)
{
    const bool counts = conf->want_cycles || ev->what & ~(uint32_t)BRANCHES;
    struct seen s = {*ev, counts ? batch_ninsn(batch, ev) : 0, 0};

    if (conf->want_cycles)
        s.ncyc = batch_ncyc(batch, ev);
    else if (ev->what) /* else there are times */
        s.ev.flags &= (uint16_t)~EVF_IPC;
    if (ev->what)
        s.ev.more = 0;
    return s;
}

/* How a trace of trace_random is to be decoded. */
static struct flow_config config_random(const struct trace *t)
{
    static const struct flow_filter low = {.size = UINT64_MAX / 4};
    bool bare = one_in(2);
    return (struct flow_config){
        .bare = bare,
        .guest_images = one_in(2),
        .filters = &low,
        .filter_count = bare && one_in(3),
        .late_tsc = t->timed && one_in(3) ? 1000 : 0,
        .clock = {2, 1, 3, 20},
        .timeless = !t->timed,
        .ret_compression = t->compress,
        .branch_enable = true,
        .want_times = one_in(2),
        .want_classes = UINT32_MAX,
        .threads_shared = t->len % 3 == 0,
        .max_loops = one_in(8) ? (int32_t)below(200) : 0,
        .strict = one_in(3),
        .errata = below(1 << 7),
        .want = UINT32_MAX
    };
}

#endif

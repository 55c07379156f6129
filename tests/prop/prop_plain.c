/* prop_plain.c [SEEDS [FIRST]] - what is not followed as it is plain has no errors.
 *
 * SPDX-License-Identifier: MIT
 *
 * Random packets, of which some cannot stand where they do, in buffers that may cut them.  Whoever follows no
 * code and stops where the rest is plain must tell the same errors, and must have met the same places
 * where perf is wrong, as who reads on to the end.
 */
#include "tests/prop/chance.h"
#include "walker/flow/plain_end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 12000, ERRORS = 4096, BUFS = 12, PID = 42 };

struct bytes {
    uint8_t at[BYTES + 64];
    size_t len;
    uint32_t faults; /* one in so many packets is a rare one */
};

static void add(struct bytes *b, const void *from, size_t n)
{
    memcpy(b->at + b->len, from, n);
    b->len += n;
}

static void add_byte(struct bytes *b, unsigned byte)
{
    b->at[b->len++] = (uint8_t)byte;
}

/* The packet's first two bytes, and some payload. */
static void add_ext(struct bytes *b, unsigned second, size_t payload)
{
    add_byte(b, 2);
    add_byte(b, second);
    while (payload--)
        add_byte(b, below(256));
}

static void add_ip(struct bytes *b, unsigned op)
{
    static const uint8_t width[] = {0, 2, 4, 6, 6, 0, 8, 0};
    unsigned ipbytes = one_in(b->faults) ? below(8) : below(4);

    add_byte(b, op | ipbytes << 5);
    for (unsigned i = 0; i < width[ipbytes]; i++)
        add_byte(b, below(256));
}

/* Often what an OVF in the middle of one would look like, or nearly. */
static void add_cyc(struct bytes *b)
{
    static const char *const odd[] = {"\x1f\x02", "\x1f\x03\x02", "\x1f\x02\xf3",
                                      "\xf3"};

    if (one_in(30)) {
        const char *o = odd[one_in(b->faults) ? below(4) : 3 * below(2)];
        add(b, o, strlen(o));
        return;
    }
    unsigned more = one_in(3) ? below(4) : 0;
    add_byte(b, 3 | below(32) << 3 | (more ? 4 : 0));
    while (more--)
        add_byte(b, (below(256) & ~1u) | (more ? 1 : 0));
}

static void add_time(struct bytes *b)
{
    switch (below(6)) {
    case 0:
        add_byte(b, 0x59);
        add_byte(b, below(256));
        break;
    case 1:
        add_ext(b, 0x03, 2);
        break;
    default:
        add_cyc(b);
    }
}

static void add_status(struct bytes *b)
{
    switch (below(7)) {
    case 0:
        add(b, "\x99\x01", 2);
        break;
    case 1:
        add(b, one_in(b->faults) ? "\x99\x22" : "\x99\x20", 2);
        break;
    case 2:
        add_ext(b, 0x43, 6);
        break;
    case 3:
        add_ext(b, 0xc8, 5);
        break;
    case 4:
        add_ext(b, 0x73, 5);
        break;
    case 5:
        add_byte(b, 0x19);
        add(b, "\x00\x10\x00\x00\x00\x00\x00", 7);
        break;
    default:
        add_time(b);
    }
}

static void add_psb(struct bytes *b)
{
    if (one_in(4)) /* a CYC and a TNT that look like its beginning */
        add(b, "\x1f\x02\x82", 3);
    for (int i = 0; i < 8; i++)
        add_ext(b, 0x82, 0);
    for (uint32_t n = below(5); n; n--)
        add_status(b);
    if (one_in(2))
        add_ip(b, 0x1d);
    if (!one_in(b->faults))
        add_ext(b, 0x23, 0);
}

static void add_fup(struct bytes *b)
{
    static const uint8_t targets[] = {0x0d, 0x01, 0x11};

    add_ip(b, 0x1d);
    for (uint32_t n = below(3); n; n--)
        add_time(b);
    if (one_in(10))
        add(b, "\x99\x01", 2);
    if (!one_in(b->faults))
        add_ip(b, targets[below(3)]);
}

/* What is seen in no trace that is whole, or is an error. */
static void add_rare(struct bytes *b)
{
    static const uint8_t ext[][2] = {
        {0xf3, 0},
        {0x83, 0},
        {0x62, 0},
        {0xa2, 5},
        {0xc2, 8},
        {0x22, 2},
        {0x12, 4},
        {0x92, 4},
        {0x33, 0},
        {0x63, 1},
        {0x13, 2},
        {0x53, 9}
    };
    unsigned i = below(16);

    if (i < sizeof(ext) / sizeof(ext[0]))
        add_ext(b, ext[i][0], ext[i][1]);
    else if (i == 12)
        add_byte(b, below(256));
    else if (i == 13)
        add_ext(b, below(256), below(8));
    else if (i == 14)
        add(b, "\xd9\x00\x00", 3);
    else
        add(b, "\x02\x82\x02\x82", 4);
}

static void add_ptwrite(struct bytes *b)
{
    const bool ip = one_in(2);
    const unsigned wide = below(2);

    add_ext(b, (ip ? 0x92 : 0x12) | wide << 5, wide ? 8 : 4);
    if (ip && !one_in(b->faults))
        add(b, "\x3d\x10\x20", 3);
}

static void add_packet(struct bytes *b)
{
    if (one_in(b->faults)) {
        add_rare(b);
        return;
    }
    switch (below(17)) {
    case 16:
        add_ptwrite(b);
        break;
    case 0:
        add_psb(b);
        break;
    case 1:
        add_fup(b);
        break;
    case 2:
        add_status(b);
        break;
    case 3:
        add_ip(b, one_in(2) ? 0x01 : 0x11);
        break;
    case 4:
    case 5:
        add_ip(b, 0x0d);
        break;
    case 6:
        add_ext(b, 0xa3, 6);
        break;
    case 7:
        add_byte(b, 0);
        break;
    case 8:
    case 9:
    case 10:
        add_time(b);
        break;
    default:
        add_byte(b, 4 + 2 * below(126));
    }
}

/* Errors are in its beginning, if there are any. */
static void bytes_random(struct bytes *b)
{
    const size_t len = 200 + below(BYTES - 200), bad = below((uint32_t)len);

    b->len = 0;
    b->faults = one_in(4) ? 100000 : 10 + below(200);
    add_psb(b);
    while (b->len < len) {
        if (b->len > bad && !one_in(5))
            b->faults = 100000;
        add_packet(b);
    }
}

static uint32_t cut(const struct bytes *b, struct pt_buf *buf)
{
    uint32_t n = one_in(2) ? 1 : 1 + below(BUFS);
    size_t at = 0;

    for (uint32_t i = 0; i < n; i++) {
        size_t end = i + 1 < n ? at + below((uint32_t)(b->len - at)) : b->len;
        buf[i] = (struct pt_buf){.ptr = b->at + at,
                                 .len = end - at,
                                 .ref = 5000,
                                 .nr = i,
                                 .consecutive = i && !one_in(4)};
        at = end;
    }
    return n;
}

struct told {
    struct pt_event at[ERRORS];
    size_t count;
    uint32_t met;
    uint64_t passed;
};

/* No code is followed. */
static struct code *no_code(void *ctx, const struct sb_dso *dso)
{
    static struct code none;

    (void)ctx;
    (void)dso;
    return &none;
}

static struct sideband *one_thread(void)
{
    struct sideband *sb;

    if (sb_new(&sb) < 0)
        exit(1);
    sb_begin(sb, 0);
    sb_current(sb, 0, PID, PID);
    sb_finish(sb);
    return sb;
}

static void follow(const struct flow_config *conf, const struct flow_queue *queue,
                   const struct sideband *sb, struct told *out)
{
    const struct flow_images images = {no_code, NULL};
    struct event_batch b;
    struct flow *f;

    if (flow_new(conf, queue, sb, &images, &f) < 0)
        exit(1);
    out->count = 0;
    pts_status st = flow_start(f);
    if (conf->timeless)
        flow_place(f, 1);
    while (st == PTS_OK && (st = flow_next(f, &b)) == PTS_OK) {
        for (uint32_t i = 0; i < b.count; i++) {
            if (b.at[i].what && out->count < ERRORS)
                out->at[out->count++] = b.at[i];
        }
    }
    out->met = flow_met(f);
    out->passed = flow_passed(f);
    flow_free(f);
}

static bool same(const struct told *a, const struct told *b)
{
    if (a->count != b->count || a->met != b->met)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        const struct pt_event *x = &a->at[i], *y = &b->at[i];
        if (x->what != y->what || x->cls != y->cls || x->from != y->from ||
            x->to != y->to || x->tsc != y->tsc || x->trace_nr != y->trace_nr)
            return false;
    }
    return true;
}

/* Copies, so that a byte that is read behind a buffer is found. */
static void copy_bufs(struct pt_buf *buf, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint8_t *copy = malloc(buf[i].len + !buf[i].len);
        if (!copy)
            exit(1);
        memcpy(copy, buf[i].ptr, buf[i].len);
        buf[i].ptr = copy;
    }
}

static bool seed_holds(uint64_t seed, uint64_t *bytes, uint64_t *left, uint64_t *errors)
{
    static struct bytes b;
    static struct told all, some;
    static struct plain_sizes sizes;
    struct pt_buf buf[BUFS];

    chance = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    bytes_random(&b);
    const struct flow_config conf = {
        .clock = {2, 1, 3, 20},
        .timeless = one_in(3),
        .ret_compression = true,
        .branch_enable = !one_in(8),
        .errata = below(1 << 7),
        .quick = 1,
        .want = EV_ERROR
    };
    struct flow_queue queue = {
        .bufs = buf, .count = cut(&b, buf), .cpu = 0, .tid = PID};
    copy_bufs(buf, queue.count);
    struct sideband *sb = one_thread();
    follow(&conf, &queue, sb, &all);
    plain_sizes_make(&sizes, conf.errata & ERRATUM_SKD007);
    const struct plain_search how = {
        .sizes = &sizes, .part_bytes = 1 + below(6000), .stretch = 1 + below(1000)};
    bool holds = plain_is_enough(&conf) && plain_end_find(&how, &queue) == PTS_OK;
    follow(&conf, &queue, sb, &some);
    holds = holds && same(&all, &some);
    if (!holds)
        printf("seed %llu: %zu errors, places %x; with the rest left out %zu, %x\n",
               (unsigned long long)seed, all.count, all.met, some.count, some.met);
    *bytes += all.passed;
    *left += all.passed - some.passed;
    *errors += all.count;
    for (uint32_t i = 0; i < queue.count; i++)
        free((void *)(uintptr_t)buf[i].ptr);
    sb_free(sb);
    return holds;
}

int main(int argc, char **argv)
{
    uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 3000;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint64_t bytes = 0, left = 0, errors = 0;
    unsigned bad = 0;

    for (uint64_t s = first; s < first + seeds; s++)
        bad += !seed_holds(s, &bytes, &left, &errors);
    printf("%llu seeds, %llu errors, %llu of %llu bytes left out, %u differ\n",
           (unsigned long long)seeds, (unsigned long long)errors,
           (unsigned long long)left, (unsigned long long)bytes, bad);
    return bad || left < bytes / 10 || errors < seeds;
}

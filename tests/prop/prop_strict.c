/* prop_strict.c [SEEDS [FIRST]] - --strict-pt finds the instructions that ran, as libipt does.
 *
 * SPDX-License-Identifier: MIT
 *
 * Each seed is a trace of a processor that ran random code (strict_model.h).  Its
 * instructions must be found by us, one by one.  Where libipt is at hand it reads the same
 * packets and code; it may differ where docs/strict.md says why.  Without it the test says
 * so, and checks the rest.
 */
#include "decoder/pt/lookahead.h"
#include "tests/prop/strict_libipt.h"
#include "tests/prop/strict_model.h"
#include "walker/flow/flow.h"

#include <stdio.h>
#include <stdlib.h>

enum { PID = 42 };

struct found {
    uint64_t ip[TOLD + 1000];
    uint32_t count;
    bool runs_on; /* behind the last packet, as libipt does */
    int fault;    /* the first that is no overflow */
};

/* --- We --- */

static struct code image;

static struct code *the_code(void *ctx, const struct sb_dso *dso)
{
    (void)ctx, (void)dso;
    return &image;
}

static struct sideband *sideband_make(void)
{
    const struct sb_mmap map = {.pid = PID,
                                .tid = PID,
                                .start = BASE,
                                .len = CODE,
                                .prot = 5,
                                .name = "/bin/t"};
    struct sideband *sb;

    if (sb_new(&sb) < 0 || sb_begin(sb, 0) < 0 || sb_mmap(sb, &map) < 0 ||
        sb_finish(sb) < 0)
        exit(1);
    return sb;
}

static void take(struct found *out, const struct event_batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const struct pt_event *ev = &batch->at[i];
        if (ev->what & EV_INSN && out->count < TOLD)
            out->ip[out->count++] = ev->from;
        if (ev->what & EV_ERROR && ev->err != FAULT_OVERFLOW && !out->fault)
            out->fault = ev->err;
    }
}

static void ours(const struct model *m, const struct sideband *sb, bool strict,
                 struct found *out)
{
    const struct pt_buf buf = {.ptr = m->trace, .len = m->len};
    const struct flow_config conf = {.timeless = true,
                                     .strict = strict,
                                     .errata = m->errata,
                                     .ret_compression = m->compress,
                                     .branch_enable = true,
                                     .want = EV_INSN | EV_ERROR | EV_BRANCH,
                                     .want_classes = UINT32_MAX,
                                     .period_type = PERIOD_INSNS,
                                     .period = 1};
    const struct flow_queue queue = {.bufs = &buf, .count = 1, .cpu = -1, .tid = PID};
    const struct flow_images images = {the_code, NULL};
    struct event_batch batch;
    struct flow *f;

    out->count = 0;
    out->fault = 0;
    code_init(&image, m->code, CODE, true);
    if (flow_new(&conf, &queue, sb, &images, &f) < 0 || flow_start(f) < 0)
        exit(1);
    flow_place(f, 1);
    while (flow_next(f, &batch) == PTS_OK)
        take(out, &batch);
    flow_free(f);
    code_free(&image);
}

/* --- libipt --- */

#ifdef HAVE_LIBIPT
static void libipt(struct model *m, struct found *out)
{
    struct libipt_in in = {m->trace, m->len, m->code, BASE, CODE, m->cpuid};

    out->count = libipt_follow(&in, out->ip, TOLD, &out->fault);
    out->runs_on = true;
}
#endif

/* --- Comparing --- */

/* How many instructions may have been found up to one that ran: what may be known or not
 * leads to several answers. */
enum { WAYS = 64 };
struct ways {
    uint32_t at[WAYS];
    uint32_t count;
};

static void way_add(struct ways *w, uint32_t k)
{
    for (uint32_t i = 0; i < w->count; i++) {
        if (w->at[i] == k)
            return;
    }
    if (w->count < WAYS)
        w->at[w->count++] = k;
}

/* Those of `from` that go on with ip. */
static void ways_go_on(struct ways *to, const struct ways *from, const struct found *f,
                       uint64_t ip)
{
    for (uint32_t i = 0; i < from->count; i++) {
        if (from->at[i] < f->count && f->ip[from->at[i]] == ip)
            way_add(to, from->at[i] + 1);
    }
}

static void ways_join(struct ways *to, const struct ways *from)
{
    for (uint32_t i = 0; i < from->count; i++)
        way_add(to, from->at[i]);
}

/* How much of what ran was found, and how many that are; all: m->ran.  Of what may be known
 * in front of an overflow, the first few are. */
static uint32_t same_until(const struct model *m, const struct found *f,
                           uint32_t *found)
{
    struct ways in = {.count = 1}, left = {.count = 0};

    for (uint32_t i = 0; i < m->ran; i++) {
        struct ways next = {.count = 0};
        if (m->maybe[i] != MAYBE) {
            ways_join(&in, &left);
            left.count = 0;
        }
        *found = in.count ? in.at[0] : *found;
        ways_go_on(&next, &in, f, m->told[i]);
        if (m->maybe[i])
            ways_join(&left, &in);
        in = next;
        if (!in.count && !left.count)
            return i;
    }
    ways_join(&in, &left);
    for (uint32_t i = 0; i < in.count; i++) {
        if (in.at[i] == f->count || f->runs_on)
            return m->ran;
    }
    return m->ran - 1;
}

static bool is_right(const struct model *m, const struct found *f)
{
    uint32_t found;
    return !f->fault && same_until(m, f, &found) == m->ran;
}

/* The packets around instruction i. */
static void show_packets(const struct model *m, uint32_t i)
{
    uint32_t from = i > 12 ? m->at[i - 12] : 0,
             to = i + 4 < m->ran ? m->at[i + 4] : UINT16_MAX;
    struct pkt_cursor c = {m->trace, m->trace + m->len, PKT_CTX_NONE};
    struct pts_pkt p;
    char text[PTS_PKT_TEXT_MAX];

    while (pkt_cursor_next(&c, &p) > 0 && c.at - m->trace <= (ptrdiff_t)to + 40) {
        if (c.at - m->trace < (ptrdiff_t)from || p.kind == PTS_PKT_PAD)
            continue;
        pts_pkt_text(&p, text, sizeof(text));
        printf("    %5td %s\n", c.at - m->trace - p.size, text);
    }
}

static void show(const char *who, const struct model *m, const struct found *f)
{
    uint32_t k = 0, at = same_until(m, f, &k);

    printf("  %s: %u of %u, fault %d; differs at %u:", who, f->count, m->ran, f->fault,
           at);
    for (uint32_t i = at < 3 ? 0 : at - 3; i < at + 4 && i < m->ran; i++)
        printf(" %s%llx", m->maybe[i] ? "?" : "", (unsigned long long)m->told[i]);
    printf(", found");
    for (uint32_t i = k < 3 ? 0 : k - 3; i < k + 4 && i < f->count; i++)
        printf(" %llx", (unsigned long long)f->ip[i]);
    printf("\n");
    show_packets(m, at);
}

struct sums {
    uint64_t insns;
    uint32_t wrong, perf_wrong, libipt_same, libipt_known, libipt_differs;
};

static void seed_run(uint64_t seed, const struct sideband *sb, struct sums *s)
{
    static struct model m;
    static struct found we, perf;

    chance = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    model_random(&m, seed % 4 == 0);
    ours(&m, sb, true, &we);
    ours(&m, sb, false, &perf);
    s->insns += m.ran;
    s->perf_wrong += !is_right(&m, &perf);
    if (!is_right(&m, &we)) {
        s->wrong++;
        printf("seed %llu (%s, has %#x):\n", (unsigned long long)seed,
               m.cpuid ? m.cpuid : "no cpu", m.has);
        show("strict", &m, &we);
    }
#ifdef HAVE_LIBIPT
    static struct found lib;
    libipt(&m, &lib);
    if (is_right(&m, &lib)) {
        s->libipt_same++;
    } else if (m.has & LIBIPT_DIFFERS) {
        s->libipt_known++;
    } else {
        s->libipt_differs++;
        printf("seed %llu (%s, has %#x):\n", (unsigned long long)seed,
               m.cpuid ? m.cpuid : "no cpu", m.has);
        show("libipt", &m, &lib);
    }
#endif
}

int main(int argc, char **argv)
{
    uint64_t seeds = argc > 1 ? strtoull(argv[1], NULL, 10) : 400;
    uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct sideband *sb = sideband_make();
    struct sums s = {0};

    for (uint64_t i = first; i < first + seeds; i++)
        seed_run(i, sb, &s);
    printf(
        "%llu streams, %llu instructions: %u not found by --strict-pt, %u without it\n",
        (unsigned long long)seeds, (unsigned long long)s.insns, s.wrong, s.perf_wrong);
#ifdef HAVE_LIBIPT
    printf("libipt: %u same, %u differ for a known reason, %u differ\n", s.libipt_same,
           s.libipt_known, s.libipt_differs);
#else
    printf("libipt is not installed (libipt-dev): not compared with it\n");
#endif
    sb_free(sb);
    return s.wrong || s.libipt_differs;
}

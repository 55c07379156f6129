/* fuzz_flow.c - any packets over any code: two ways through them tell the same.
 *
 * SPDX-License-Identifier: MIT
 *
 *     byte 0     struct flow_config: bits, below
 *     1 - 6      its numbers: MTC period, ratio of the crystal clock, CYC threshold, kind
 *                and length of the period of samples ...
 *     7          where the packets are cut into two buffers
 *     8          length of the code, in units of 4 bytes
 *     9 -        code, then packets
 *
 * Each input runs twice: every branch delivered, and branches walked over quietly.  All
 * other events and errors must be equal.  The same where calls and returns are wanted, of which
 * those with their bytes are told branch by branch.
 */
#include "walker/flow/flow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
    HEAD = 9,
    BASE = 0x401000,
    PID = 42,
    START_TSC = 1000,
    COMPARED = EV_TX | EV_PTWRITE | EV_MWAIT | EV_PWRE | EV_EXSTOP | EV_PWRX | EV_CBR |
               EV_PSB | EV_CFE | EV_IFLAG | EV_BLOCK | EV_ERROR,
    BRANCHES = EV_BRANCH | EV_TRACE_BEGIN | EV_TRACE_END
};

enum {
    IN_TIMELESS = 1 << 0,
    IN_RET_COMPRESSION = 1 << 1,
    IN_BRANCH_ENABLE = 1 << 2,
    IN_FUP_NEXT_IP = 1 << 3,
    IN_64BIT = 1 << 4,
    IN_CONSECUTIVE = 1 << 5,
    IN_FILTER = 1 << 6,
    IN_RANGE = 1 << 7
};

struct input {
    struct flow_config conf;
    struct flow_filter filter;
    struct flow_range range;
    struct pt_buf bufs[2];
    uint8_t *code, *packets[2]; /* copies of their exact size */
    size_t code_len;
    bool is_64bit;
};

/* What one way through the input told. */
struct told {
    uint64_t count, sum;
    uint32_t compared; /* EV_* */
    bool print;
};

static void require(bool cond)
{
    if (!cond)
        abort();
}

static uint8_t *copy_of(const uint8_t *bytes, size_t n)
{
    uint8_t *copy = malloc(n ? n : 1);
    require(copy != NULL);
    memcpy(copy, bytes, n);
    return copy;
}

static void input_conf(struct input *in, const uint8_t *head)
{
    uint8_t cond = head[0];
    in->is_64bit = cond & IN_64BIT;
    in->filter = (struct flow_filter){
        .stop = head[6] & 1, .start = head[6], .size = 64, .file = "/bin/t"};
    in->range = (struct flow_range){.start = START_TSC + 64u * head[5],
                                    .end = START_TSC + 256u * head[5]};
    in->conf = (struct flow_config){
        .timeless = cond & IN_TIMELESS,
        .ret_compression = cond & IN_RET_COMPRESSION,
        .branch_enable = cond & IN_BRANCH_ENABLE,
        .fup_next_ip = cond & IN_FUP_NEXT_IP,
        .want_times = head[1] & 0x20,
        .want_insn_bytes = head[1] & 0x40,
        .strict = head[1] & 0x80,
        .errata = head[1] & 0x80 ? UINT32_MAX : 0,
        .want_classes = UINT32_MAX,
        .clock = {.mtc_shift = head[1] & 31,
                  .ctc_n = head[2],
                  .ctc_d = head[3] >> 4,
                  .max_nonturbo = head[3] & 15},
        .cyc_threshold = head[4] & 15,
        .period_type = (enum flow_period)((head[4] >> 5) % 3),
        .period = 1 + head[5] * (uint64_t)head[6],
        .max_loops = head[4] & 0x10 ? 1000 : 30,
        .ranges = &in->range,
        .range_count = cond & IN_RANGE ? 1 : 0,
        .filters = &in->filter,
        .filter_count = cond & IN_FILTER ? 1 : 0,
    };
}

static bool input_read(struct input *in, const uint8_t *data, size_t size)
{
    if (size < HEAD || size - HEAD < 4u * data[8])
        return false;
    const uint8_t *code = data + HEAD;
    in->code_len = 4u * data[8];
    const uint8_t *pt = code + in->code_len;
    size_t n = size - HEAD - in->code_len, cut = n * data[7] / 256;

    input_conf(in, data);
    in->code = copy_of(code, in->code_len);
    in->packets[0] = copy_of(pt, cut);
    in->packets[1] = copy_of(pt + cut, n - cut);
    in->bufs[0] =
        (struct pt_buf){.ptr = in->packets[0], .len = cut, .ref = START_TSC + 1};
    in->bufs[1] = (struct pt_buf){.ptr = in->packets[1],
                                  .len = n - cut,
                                  .ref = START_TSC + 100000,
                                  .nr = 1,
                                  .consecutive = data[0] & IN_CONSECUTIVE};
    return true;
}

static void input_free(struct input *in)
{
    free(in->code);
    free(in->packets[0]);
    free(in->packets[1]);
}

/* A thread whose code is mapped, and unmapped some time later. */
static struct sideband *sideband_make(size_t code_len)
{
    struct sideband *sb;
    const struct sb_mmap map = {.pid = PID,
                                .tid = PID,
                                .start = BASE,
                                .len = code_len,
                                .prot = 5,
                                .name = "/bin/t"};
    require(sb_new(&sb) == PTS_OK && sb_begin(sb, 0) == PTS_OK);
    require(sb_mmap(sb, &map) == PTS_OK);
    require(sb_begin(sb, START_TSC + 50000) == PTS_OK &&
            sb_exit(sb, PID, PID) == PTS_OK);
    require(sb_finish(sb) == PTS_OK);
    return sb;
}

static void told_sum(struct told *t, const uint64_t *fact, size_t n)
{
    for (size_t i = 0; i < n; i++)
        t->sum = (t->sum ^ fact[i]) * UINT64_C(0x100000001b3);
}

static void told_add(struct told *t, const struct event_batch *batch,
                     const struct pt_event *ev)
{
    /* Branches that are nothing else need not be counted. */
    const uint64_t ninsn = ev->what & ~(uint32_t)BRANCHES ? batch_ninsn(batch, ev) : 0;
    const int fault = ev->what & EV_ERROR ? ev->err : 0;
    const uint64_t fact[] = {ev->what & t->compared,
                             ev->tsc,
                             (uint64_t)fault,
                             ninsn,
                             ev->what & (EV_ERROR | (t->compared & BRANCHES)) ? ev->from
                                                                              : 0,
                             ev->what & t->compared & BRANCHES ? ev->to : 0};
    const struct pt_payload payload = batch_payload(batch, ev);

    if (t->print)
        fprintf(stderr, "what %x tsc %llu fault %d ninsn %llu from %llx to %llx\n",
                ev->what, (unsigned long long)ev->tsc, fault, (unsigned long long)ninsn,
                (unsigned long long)ev->from, (unsigned long long)ev->to);
    if (!(ev->what & t->compared))
        return;
    t->count++;
    told_sum(t, fact, sizeof(fact) / sizeof(fact[0]));
    require((payload.block != NULL) == ((ev->what & EV_BLOCK) != 0));
    for (unsigned i = 0; payload.block && i < BLOCK_GROUPS; i++)
        told_sum(t, payload.block->item[i], BLOCK_ITEMS);
}

static struct code *the_code(void *ctx, const struct sb_dso *dso)
{
    (void)dso;
    return ctx;
}

static void flow_drain(struct flow *f, bool timeless, struct told *t)
{
    struct event_batch batch;
    if (!timeless && flow_start(f) != PTS_OK)
        return;
    if (timeless)
        flow_place(f, 1);
    flow_until(f, START_TSC + 4000);
    while (flow_next(f, &batch) == PTS_OK) {
        require(batch.count > 0);
        for (uint32_t i = 0; i < batch.count; i++) {
            require(batch.at[i].ilen <= sizeof(batch.insn->at));
            told_add(t, &batch, &batch.at[i]);
        }
    }
}

static struct told input_run(const struct input *in, uint32_t want, uint32_t compared,
                             bool print)
{
    uint32_t samples = in->conf.period_type != PERIOD_NONE ? EV_INSN : 0;
    struct told t = {.print = print, .compared = compared | samples};
    struct code code;
    struct flow *f;
    struct sideband *sb = sideband_make(in->code_len);
    struct flow_config conf = in->conf;
    const struct flow_queue queue = {
        .bufs = in->bufs, .count = 2, .cpu = -1, .tid = PID};
    const struct flow_images images = {the_code, &code};

    conf.want = want | samples;
    code_init(&code, in->code, in->code_len, in->is_64bit);
    require(flow_new(&conf, &queue, sb, &images, &f) == PTS_OK);
    flow_drain(f, conf.timeless, &t);
    flow_free(f);
    sb_free(sb);
    code_free(&code);
    return t;
}

static struct told calls_run(const struct input *in, bool bytes, bool print)
{
    struct input calls = *in;

    calls.conf.want_classes = 1u << INSN_CALL | 1u << INSN_RET | 1u << INSN_SYSCALL;
    calls.conf.want_insn_bytes = bytes;
    return input_run(&calls, COMPARED | BRANCHES, COMPARED | BRANCHES, print);
}

static void calls_compared(const struct input *in)
{
    struct told loud = calls_run(in, true, false);
    struct told quiet = calls_run(in, false, false);

    if (loud.count == quiet.count && loud.sum == quiet.sum)
        return;
    fprintf(stderr, "calls, branch by branch:\n");
    (void)calls_run(in, true, true);
    fprintf(stderr, "quietly:\n");
    (void)calls_run(in, false, true);
    abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct input in = {0};
    if (!input_read(&in, data, size))
        return 0;
    struct told loud = input_run(&in, COMPARED | BRANCHES, COMPARED, false);
    struct told quiet = input_run(&in, COMPARED, COMPARED, false);
    if (loud.count != quiet.count || loud.sum != quiet.sum) {
        fprintf(stderr, "branch by branch:\n");
        (void)input_run(&in, COMPARED | BRANCHES, COMPARED, true);
        fprintf(stderr, "quietly:\n");
        (void)input_run(&in, COMPARED, COMPARED, true);
        abort();
    }
    calls_compared(&in);
    (void)input_run(&in, UINT32_MAX, COMPARED, false);
    input_free(&in);
    return 0;
}

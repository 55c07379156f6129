/* probe.c - a compiled filter that prints all that it is shown and may ask.
 *
 * SPDX-License-Identifier: MIT
 *
 * perf and ptscript load the same object; what it prints must be the same.  Arguments:
 *
 *     ret=N    the answer for each sample from the second on
 *     start=N  the answer of start
 *     odd      drops every other sample early, and each third late
 *     lines    also asks for source lines: perf 6.1 dies of some
 */
#include "synth/dlfilter/abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHOWN __attribute__((visibility("default")))

SHOWN struct dl_functions perf_dlfilter_fns;
SHOWN dl_start_fn start;
SHOWN dl_stop_fn stop;
SHOWN dl_event_fn filter_event, filter_event_early;
SHOWN dl_about_fn filter_description;

static int result, start_result, odd, lines;
static unsigned early, late;

static void put_place(const char *what, const struct dl_place *p, int own)
{
    if (!p) {
        printf(" %s none\n", what);
        return;
    }
    printf(" %s %u %s+%#x %llx [%llx %llx) %s %u %u %u id %u", what, p->size,
           p->sym ? p->sym : "-", p->symoff, (unsigned long long)p->addr,
           (unsigned long long)p->sym_start, (unsigned long long)p->sym_end,
           p->dso ? p->dso : "-", p->sym_binding, p->is_64_bit, p->is_kernel_ip,
           p->buildid_size);
    for (uint32_t i = 0; p->buildid && i < p->buildid_size; i++)
        printf("%02x", p->buildid[i]);
    if (own)
        printf(" filtered %u comm %s", p->filtered, p->comm);
    putchar('\n');
}

static void put_code(void *ctx, uint64_t ip)
{
    uint8_t code[40];
    int n = perf_dlfilter_fns.object_code(ctx, ip, code, sizeof(code));

    printf(" code %d:", n);
    for (int i = 0; i < n; i++)
        printf(" %02x", code[i]);
    printf(", nowhere %d, nothing %d\n",
           perf_dlfilter_fns.object_code(ctx, 16, code, 4),
           perf_dlfilter_fns.object_code(ctx, ip, code, 0));
}

static void put_insn(void *ctx)
{
    uint32_t n = 99;
    const uint8_t *code = perf_dlfilter_fns.insn(ctx, &n);

    printf(" insn %u %s", n, code ? "" : "none");
    for (uint32_t i = 0; code && i < n; i++)
        printf(" %02x", code[i]);
    putchar('\n');
}

/* Into more room than is told, so that what is written behind it shows. */
static void put_address(void *ctx, uint64_t ip, uint32_t size)
{
    struct dl_place p;

    memset(&p, 0, sizeof(p));
    p.size = size;
    int r = perf_dlfilter_fns.resolve_address(ctx, ip, &p);
    printf(" resolve_address %d", r);
    put_place("", &p, 0);
}

static void put_attr(void *ctx)
{
    const uint32_t *a = perf_dlfilter_fns.attr(ctx);

    if (!a)
        printf(" attr none");
    for (unsigned i = 0; a && i < 128 / sizeof(*a); i++)
        printf("%s%x", i ? " " : " attr ", a[i]);
    putchar('\n');
}

static void put_stacks(const struct dl_sample *s)
{
    printf(" raw %u", s->raw_size);
    for (uint32_t i = 0; i < s->raw_size; i++)
        printf(" %02x", ((const uint8_t *)s->raw_data)[i]);
    printf(" branches %llu%s", (unsigned long long)s->brstack_nr,
           s->brstack ? "" : "-");
    for (uint64_t i = 0; s->brstack && i < s->brstack_nr; i++)
        printf(" %llx>%llx:%llx", (unsigned long long)s->brstack[i].from,
               (unsigned long long)s->brstack[i].to,
               (unsigned long long)s->brstack[i].flags);
    printf(" chain %llu%s", (unsigned long long)s->raw_callchain_nr,
           s->raw_callchain ? "" : "-");
    for (uint64_t i = 0; s->raw_callchain && i < s->raw_callchain_nr; i++)
        printf(" %llx", (unsigned long long)s->raw_callchain[i]);
    putchar('\n');
}

static void put_numbers(const char *what, const struct dl_sample *s)
{
    const uint64_t numbers[] = {s->size,
                                s->ins_lat,
                                s->p_stage_cyc,
                                s->ip,
                                s->time,
                                s->addr,
                                s->id,
                                s->stream_id,
                                s->period,
                                s->weight,
                                s->transaction,
                                s->insn_cnt,
                                s->cyc_cnt,
                                s->flags,
                                s->data_src,
                                s->phys_addr,
                                s->cgroup,
                                s->data_page_size,
                                s->code_page_size,
                                s->cpumode,
                                s->misc,
                                s->addr_correlates_sym};

    printf("%s %s pid %d tid %d cpu %d guest %d %d", what, s->event, s->pid, s->tid,
           s->cpu, s->machine_pid, s->vcpu);
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        printf(" %llx", (unsigned long long)numbers[i]);
    putchar('\n');
}

static void put_all(const char *what, const struct dl_sample *s, void *ctx)
{
    put_numbers(what, s);
    put_stacks(s);
    put_place("ip", perf_dlfilter_fns.resolve_ip(ctx), 1);
    put_place("addr", perf_dlfilter_fns.resolve_addr(ctx), 0);
    put_address(ctx, s->ip, sizeof(struct dl_place));
    put_address(ctx, s->addr, 24);
    put_address(ctx, 16, sizeof(struct dl_place));
    put_insn(ctx);
    put_attr(ctx);
    put_code(ctx, s->ip);
    if (lines) {
        uint32_t line = 99;
        const char *file = perf_dlfilter_fns.srcline(ctx, &line);
        printf(" line %s %u\n", file ? file : "none", line);
    }
}

int start(void **data, void *ctx)
{
    int n;
    char **args = perf_dlfilter_fns.args(ctx, &n);

    printf("start, %d arguments%s\n", n, args ? "" : ", none");
    for (int i = 0; i < n; i++) {
        printf(" <%s>\n", args[i]);
        if (strncmp(args[i], "ret=", 4) == 0)
            result = (int)strtol(args[i] + 4, NULL, 10);
        else if (strncmp(args[i], "start=", 6) == 0)
            start_result = (int)strtol(args[i] + 6, NULL, 10);
        odd |= strcmp(args[i], "odd") == 0;
        lines |= strcmp(args[i], "lines") == 0;
    }
    put_place("ip", perf_dlfilter_fns.resolve_ip(ctx), 1);
    put_attr(ctx);
    *data = &result;
    return start_result;
}

int filter_event_early(void *data, const struct dl_sample *s, void *ctx)
{
    early++;
    put_all(data == &result ? "early" : "early?", s, ctx);
    return odd && early % 2;
}

int filter_event(void *data, const struct dl_sample *s, void *ctx)
{
    late++;
    put_all(data == &result ? "late" : "late?", s, ctx);
    if (late > 1 && result)
        return result;
    return odd && late % 3 == 0;
}

int stop(void *data, void *ctx)
{
    (void)ctx;
    printf("stop, %u early, %u late, %s data\n", early, late,
           data == &result ? "own" : "other");
    return 5;
}

const char *filter_description(const char **longer)
{
    if (longer)
        *longer = "All of it,\nfor tests.";
    return "prints what it is shown";
}

/* rec_cpus.c - the CPUs of a record as a list: "0-3,5".
 *
 * SPDX-License-Identifier: MIT
 *
 * They are joined as they come, in the order of the record: perf joins only neighbours
 * that follow each other there.
 */
#include "decoder/record/perf_cpus.h"
#include "synth/print/record/rec_text.h"

/* A run of CPUs on its way into the list. */
struct cpu_run {
    struct text *t;
    bool any, open;
    int64_t first, last;
};

static void cpus_close(struct cpu_run *run)
{
    if (!run->open)
        return;
    if (run->any)
        text_char(run->t, ',');
    text_int(run->t, run->first, 0);
    if (run->last != run->first) {
        text_char(run->t, '-');
        text_int(run->t, run->last, 0);
    }
    run->any = true;
    run->open = false;
}

static void cpus_add(struct cpu_run *run, int64_t cpu)
{
    if (run->open && cpu == run->last + 1) {
        run->last = cpu;
        return;
    }
    cpus_close(run);
    run->first = run->last = cpu;
    run->open = true;
}

void rec_text_cpus(struct text *t, struct pts_bytes map)
{
    struct cpu_run run = {.t = t};
    struct perf_cpus cpus = perf_cpus_of(map);
    int64_t cpu;

    if (cpus.type == PERF_CPUS_TYPES)
        text_str(t, "failed to get cpumap from event");
    while (perf_cpus_next(&cpus, &cpu))
        cpus_add(&run, cpu);
    cpus_close(&run);
    if (!run.any && cpus.type != PERF_CPUS_TYPES)
        text_char(t, '0');
    text_char(t, '\n');
}
